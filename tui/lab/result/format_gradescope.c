/* format_gradescope.c - results.json of a Gradescope autograder; see formats.h.
 *
 * labs/formats/gradescope.json is a sample. Values of secret cases are tests without points, which
 * students see after_published; a redacted result has none. What the autograder prints is hidden.
 */
#include "tui/lab/result/formats.h"

#include "base/xalloc.h"
#include "tui/lab/result/items.h"

static json_t *test_json(const struct result_item *item)
{
	json_t *test = json_object();

	format_put(test, "name", json_string(item->name));
	format_put(test, "status", json_string(item->passed ? "passed" : "failed"));
	if (item->max > 0) {
		format_put(test, "score", json_real(item->points));
		format_put(test, "max_score", json_real(item->max));
	}
	format_put(test, "output", json_string(item->text));
	format_put(test, "output_format", json_string("text"));
	format_put(test, "visibility", json_string(item->kind == ITEM_DETAIL ? "after_published"
						   : "visible"));
	return test;
}

void format_gradescope(FILE *out, const struct lab_result *r)
{
	json_t *all = json_object(), *tests = json_array(), *extra = json_object();
	struct result_items items;

	result_items_make(r, &items);
	for (int i = 0; i < items.count; i++)
		if (!items.list[i].skipped)
			json_array_append_new(tests, test_json(&items.list[i]));
	result_items_free(&items);
	format_put(extra, "lab", json_integer(r->lab->number));
	format_put(extra, "max_score", json_real(r->max));
	format_put(all, "score", json_real(r->points));
	format_put(all, "output", json_sprintf("lab %d, %s: %s", r->lab->number, r->lab->title,
					       r->file));
	format_put(all, "output_format", json_string("text"));
	format_put(all, "test_output_format", json_string("text"));
	format_put(all, "test_name_format", json_string("text"));
	format_put(all, "visibility", json_string("visible"));
	format_put(all, "stdout_visibility", json_string("hidden"));
	format_put(all, "extra_data", extra);
	format_put(all, "tests", tests);
	format_print_json(out, all, JSON_INDENT(2));
}
