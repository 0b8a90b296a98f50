/* result.c - sums up the result of a submission; see result.h. */
#include "tui/lab/result/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/xalloc.h"

struct case_result *lab_result_add(struct lab_result *r, enum lab_part part,
				   const struct lab_family *family, int index)
{
	struct case_result *c;

	r->cases = xreallocarray(r->cases, (size_t)r->case_count + 1, sizeof *r->cases);
	c = &r->cases[r->case_count++];
	*c = (struct case_result){
		.family = family, .part = part, .index = index, .failures = json_array(),
		.sizes = xstrdup(""), .printed = xstrdup(""),
		.title = xasprintf("%s %d", family ? family->name : "case", index + 1),
	};
	return c;
}

/* A case whose output is wrong says nothing about findings and counters: an empty kernel has
 * none. */
static void count_case(struct lab_result *r, const struct case_result *c)
{
	struct part_result *p = r->parts;

	p[c->part].count++;
	p[c->part].passed += c->passed;
	p[PART_CHECKER].count++;
	p[PART_CHECKER].passed += c->passed && c->findings == 0;
	p[PART_STRUCTURE].count += c->limits;
	p[PART_STRUCTURE].passed += c->limits_met;
}

static void make_visible(char **text)
{
	char *safe = *text ? visible_text(*text) : NULL;

	free(*text);
	*text = safe;
}

void lab_result_sum(struct lab_result *r)
{
	make_visible(&r->file);
	make_visible(&r->student);
	for (int i = 0; i < r->case_count; i++)
		count_case(r, &r->cases[i]);
	for (int i = 0; i < PART_COUNT; i++) {
		struct part_result *p = &r->parts[i];

		p->max = r->lab->points[i];
		if (p->count > 0)
			p->points = p->max * p->passed / p->count;
		if (p->graded) {
			r->points += p->points;
			r->max += p->max;
		}
	}
}

bool lab_result_passed(const struct lab_result *r)
{
	bool all = r->compiled;

	for (int i = 0; i < PART_COUNT; i++)
		if (r->parts[i].graded && r->parts[i].max > 0)
			all &= r->parts[i].count > 0 && r->parts[i].passed == r->parts[i].count;
	return all;
}

static void blank(char **text)
{
	free(*text);
	*text = xstrdup("");
}

void lab_result_redact(struct lab_result *r)
{
	static const char *const secret[] = {
		"what", "view", "where", "array", "element", "block", "thread", "line"
	};

	r->redacted = true;
	for (int i = 0; i < r->case_count; i++) {
		struct case_result *c = &r->cases[i];

		if (c->part != PART_SECRET)
			continue;
		blank(&c->sizes);
		blank(&c->printed);
		c->margin = 0;
		for (size_t k = 0; k < json_array_size(c->failures); k++) {
			json_t *failure = json_array_get(c->failures, k);

			for (size_t n = 0; n < sizeof secret / sizeof secret[0]; n++)
				json_object_del(failure, secret[n]);
		}
	}
}

void lab_result_free(struct lab_result *r)
{
	for (int i = 0; i < r->case_count; i++) {
		free(r->cases[i].title);
		free(r->cases[i].sizes);
		free(r->cases[i].printed);
		json_decref(r->cases[i].failures);
	}
	free(r->cases);
	free(r->file);
	free(r->student);
	free(r->messages);
	free(r->notes);
	*r = (struct lab_result){ 0 };
}
