/* judge_run.c - findings and counters of a run as failures; see grade_case.h. */
#include "tui/lab/grade/grade_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/lab/case/failure.h"

/* --- findings --- */

static int line_of(const json_t *side)
{
	return (int)json_integer_value(json_object_get(side, "line"));
}

static json_t *from_finding(const json_t *f)
{
	const json_t *other = json_object_get(f, "other");
	const char *class = failure_text(f, "class");
	char *second = other ? xasprintf(" and %s in line %d", failure_text(other, "what"),
					 line_of(other)) : xstrdup("");
	json_t *failure = failure_new(BY_CHECKER, class, failure_text(f, "why"),
				      failure_text(f, "fix"), "%s: %s in line %d%s (%d times) %s",
				      class, failure_text(f, "what"), line_of(f), second,
				      (int)json_integer_value(json_object_get(f, "count")),
				      failure_text(f, "detail"));

	json_object_set_new(failure, "finding", json_string(class));
	json_object_set_new(failure, "line", json_integer(line_of(f)));
	free(second);
	return failure;
}

int judge_findings(const json_t *findings, json_t *failures)
{
	int count = 0;

	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *f = json_array_get(findings, i);

		if (json_is_true(json_object_get(f, "lint")))
			continue;
		json_array_append_new(failures, from_finding(f));
		count++;
	}
	return count;
}

/* --- counters --- */

static double sum_of(const json_t *counters, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < json_array_size(counters); i++)
		sum += (double)json_integer_value(json_object_get(json_array_get(counters, i),
								  name));
	return sum;
}

static double ratio(const json_t *counters, const char *a, const char *b)
{
	double below = sum_of(counters, b);

	return below > 0 ? sum_of(counters, a) / below : 0;
}

static bool known(const json_t *counters, const char *name)
{
	return json_object_get(json_array_get(counters, 0), name) != NULL;
}

static enum status counter(const json_t *counters, const char *name, double *out)
{
	if (strcmp(name, "sectors_per_load") == 0)
		*out = ratio(counters, "load_sectors", "load_requests");
	else if (strcmp(name, "sectors_per_store") == 0)
		*out = ratio(counters, "store_sectors", "store_requests");
	else if (strcmp(name, "shared_conflicts") == 0)
		*out = sum_of(counters, "shared_load_conflicts")
			+ sum_of(counters, "shared_store_conflicts");
	else if (known(counters, name))
		*out = sum_of(counters, name);
	else
		return fail(STATUS_INTERNAL, "structure: there is no counter %s", name);
	return STATUS_OK;
}

enum status judge_structure(const struct lab_case *c, const json_t *counters, json_t *failures,
			    int *met)
{
	for (int i = 0; i < c->lab->limit_count; i++) {
		const struct lab_rule *rule = &c->lab->limits[i];
		double got = 0, max;

		TRY(counter(counters, rule->name, &got));
		TRY(expression_value(json_object_get(rule->json, "max"), &c->names, rule->name,
				     &max));
		*met += got <= max;
		if (got > max)
			json_array_append_new(failures, failure_new(BY_STRUCTURE, rule->name,
				rule->reason, rule->next, "%s is %.10g, the limit is %.10g",
				rule->name, got, max));
	}
	return STATUS_OK;
}
