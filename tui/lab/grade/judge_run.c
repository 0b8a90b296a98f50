/* judge_run.c - findings and counters of a run as failures; see grade_case.h. */
#include "tui/lab/grade/grade_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/lab/case/failure.h"

/* --- findings --- */

#define MAX_OF_CLASS 2                  /* reported; the Findings screen has all */

static int line_of(const json_t *side)
{
	return (int)json_integer_value(json_object_get(side, "line"));
}

/* The caller frees it. The compiler makes one place of all returns: the end of the function. */
static char *other_side(const json_t *f)
{
	const json_t *other = json_object_get(f, "other");

	if (!other)
		return xstrdup("");
	if (strcmp(failure_text(other, "what"), "exit") == 0)
		return xasprintf(", and a thread that has ended, in line %d or at a return before",
				 line_of(other));
	return xasprintf(" and %s in line %d", failure_text(other, "what"), line_of(other));
}

static json_t *from_finding(const json_t *f)
{
	const char *class = failure_text(f, "class");
	char *second = other_side(f);
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

/* How many findings of the class of finding `which` there are, up to it or all. */
static int count_class(const json_t *findings, size_t which, size_t end)
{
	const char *class = failure_text(json_array_get(findings, which), "class");
	int count = 0;

	for (size_t i = 0; i < end; i++)
		count += strcmp(failure_text(json_array_get(findings, i), "class"), class) == 0;
	return count;
}

/* The last one that is reported of its class says how many more there are. */
static void add_more(json_t *failure, int more)
{
	char *text = xasprintf("%s; and %d more of this kind", failure_text(failure, "what"), more);

	json_object_set_new(failure, "what", json_string(text));
	free(text);
}

int judge_findings(const json_t *findings, json_t *failures)
{
	int count = 0;

	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *f = json_array_get(findings, i);
		int nth = count_class(findings, i, i + 1);
		int more = count_class(findings, i, json_array_size(findings)) - MAX_OF_CLASS;
		json_t *failure;

		if (json_is_true(json_object_get(f, "lint")))
			continue;
		count++;
		if (nth > MAX_OF_CLASS)
			continue;
		failure = from_finding(f);
		if (nth == MAX_OF_CLASS && more > 0)
			add_more(failure, more);
		json_array_append_new(failures, failure);
	}
	return count;
}

/* --- counters --- */

/* What the Counters screen calls them. */
static const struct {
	const char *counter, *column;
} columns[] = {
	{ "load_bytes", "\"loaded B\" of the global loads" },
	{ "store_bytes", "\"stored B\" of the global stores" },
	{ "barriers", "\"barriers\"" },
	{ "sectors_per_load", "\"sect/r\" of the global loads" },
	{ "sectors_per_store", "\"sect/r\" of the global stores" },
	{ "shared_load_requests", "\"loads\" of shared memory" },
	{ "shared_load_conflicts", "\"conflicts\" of shared loads" },
	{ "shared_conflicts", "both \"conflicts\" of shared memory" },
};

/* ", which is ... on the Counters screen", or "". The caller frees it. */
static char *column_of(const char *counter)
{
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (strcmp(columns[i].counter, counter) == 0)
			return xasprintf(" (on the Counters screen: %s)", columns[i].column);
	return xstrdup("");
}

static void add_limit(json_t *failures, const struct lab_rule *rule, double got, double max)
{
	char *column = column_of(rule->name);

	json_array_append_new(failures, failure_new(BY_STRUCTURE, rule->name, rule->reason,
		rule->next, "%s is %.10g, the limit is %.10g%s", rule->name, got, max, column));
	free(column);
}

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
			add_limit(failures, rule, got, max);
	}
	return STATUS_OK;
}
