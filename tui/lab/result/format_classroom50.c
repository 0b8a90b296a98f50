/* format_classroom50.c - result.json of a Classroom 50 autograder; see formats.h.
 *
 * The identity of a submission comes from the environment that Classroom 50's runner sets; outside
 * of it, the values say "local". Scores are integers there, so each part's points are rounded
 * down. labs/formats/classroom50.json is a sample.
 */
#include "tui/lab/result/formats.h"

#include <stdlib.h>

#include "base/visible.h"
#include "base/xalloc.h"
#include "tui/lab/result/items.h"

/* One of two environment variables, or a default. */
static json_t *from_environment(const char *name, const char *other, const char *missing)
{
	const char *text = getenv(name);
	char *safe;
	json_t *json;

	if (!text || !*text)
		text = getenv(other);
	safe = visible_text(text && *text ? text : missing);
	json = json_string(safe);
	free(safe);
	return json;
}

static void put_identity(json_t *all, const struct lab_result *r)
{
	char now[FORMAT_TIME], *folder = lab_folder_name(r->lab);

	format_time(now, "Z");
	format_put(all, "schema", json_string("classroom50/result/v1"));
	format_put(all, "classroom", from_environment("CLASSROOM", "CLASSROOM", "local"));
	format_put(all, "assignment", from_environment("ASSIGNMENT", "ASSIGNMENT", folder));
	format_put(all, "assignment_type", from_environment("ASSIGNMENT_TYPE", "ASSIGNMENT_TYPE",
							    "individual"));
	format_put(all, "owner", from_environment("OWNER", "USERNAME", r->student ? r->student
						  : "local"));
	format_put(all, "submission", from_environment("SUBMISSION_TAG", "SUBMISSION_TAG",
						       "submit/local"));
	format_put(all, "commit", from_environment("COMMIT_URL", "COMMIT_URL", "local"));
	format_put(all, "release", from_environment("RELEASE_URL", "RELEASE_URL", "local"));
	format_put(all, "review", from_environment("REVIEW_URL", "COMMIT_URL", "local"));
	format_put(all, "datetime", json_string(now));
	free(folder);
}

static void add_test(json_t *tests, const char *name, bool passed, double points, double max,
		     const char *text)
{
	json_t *test = json_object();

	format_put(test, "test-name", json_string(name));
	format_put(test, "passed", json_boolean(passed));
	format_put(test, "score", json_integer((json_int_t)points));
	format_put(test, "max-score", json_integer((json_int_t)max));
	format_put(test, "output", json_string(text));
	json_array_append_new(tests, test);
}

/* The parts, which have the points; a result that says PASS although a case failed would be wrong,
 * so points that only rounding makes full do not count as passed. */
static void add_parts(json_t *tests, const struct lab_result *r, int *score, int *max)
{
	for (int i = 0; i < PART_COUNT; i++) {
		const struct part_result *p = &r->parts[i];
		char *share = format_share(p, "pass");

		if (p->graded && p->max > 0) {
			add_test(tests, lab_part_names[i], p->count > 0 && p->passed == p->count,
				 p->points, p->max, share);
			*score += (int)p->points;
			*max += (int)p->max;
		}
		free(share);
	}
}

void format_classroom50(FILE *out, const struct lab_result *r)
{
	json_t *all = json_object(), *tests = json_array();
	struct result_items items;
	int score = 0, max = 0;

	add_parts(tests, r, &score, &max);
	result_items_make(r, &items);
	for (int i = 0; i < items.count; i++)
		if (items.list[i].kind != ITEM_PART)
			add_test(tests, items.list[i].name, items.list[i].passed, 0, 0,
				 items.list[i].text);
	result_items_free(&items);
	put_identity(all, r);
	format_put(all, "score", json_integer(score));
	format_put(all, "max-score", json_integer(max));
	format_put(all, "tests", tests);
	format_print_json(out, all, JSON_INDENT(2));
}
