/* judge_invariants.c - invariants of one run's outputs, which need no reference; see judge.h.
 *
 * Those that compare runs are in tui/lab/judge/reruns.c.
 */
#include "tui/lab/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/lab/judge/invariants.h"

struct check {
	const struct lab_case *c;
	const struct lab_rule *rule;
	json_t *failures;
};

static enum status find(const struct check *k, const char *key, const struct case_array **out)
{
	const char *name = json_string_value(json_object_get(k->rule->json, key));

	*out = name ? case_array_get(k->c, name) : NULL;
	return *out ? STATUS_OK
		: fail(STATUS_INTERNAL, "lab %d: invariant %s: %s: there is no array %s",
		       k->c->lab->number, k->rule->name, key, name ? name : "");
}

static void add(const struct check *k, const struct case_array *a, size_t element,
		const char *format, double got, double low, double high)
{
	char *place = judge_place(a, element);
	json_t *failure = failure_new(BY_INVARIANT, k->rule->name, k->rule->reason, k->rule->next,
				      "%s: %s %.7g, expected %.7g to %.7g", place, format,
				      isnan(got) ? (double)NAN : got, low, high);

	judge_point(k->c, a, element, failure);
	json_array_append_new(k->failures, failure);
	free(place);
}

static enum status sums_to_one(const struct check *k)
{
	const struct case_array *a;
	size_t n;

	TRY(find(k, "array", &a));
	n = (size_t)a->shape[a->rank - 1];
	for (size_t first = 0; first < a->count; first += n) {
		double sum = 0, allowed = a->lab->relative + a->lab->absolute * (double)n;

		for (size_t i = first; i < first + n; i++)
			sum += case_value(a, a->result, i);
		if (fabs(sum - 1) <= allowed)
			continue;
		add(k, a, first, "the row's sum is", sum, 1 - allowed, 1 + allowed);
		return STATUS_OK;
	}
	return STATUS_OK;
}

/* The row of `inner` that belongs to row `row` of `rows`: several rows may share one, as query
 * heads share a KV head. `last` is how many of the dimensions of `inner` are not rows. */
static size_t shared_row(const struct case_array *inner, int last, size_t row, size_t rows)
{
	size_t below = inner->count;

	for (int i = inner->rank - last; i < inner->rank; i++)
		below /= (size_t)inner->shape[i];
	return row * below / rows;
}

/* The min and max of values[row, 0..length, column]. */
static void hull(const struct case_array *values, size_t row, size_t length, size_t column,
		 double *low, double *high)
{
	size_t n = (size_t)values->shape[values->rank - 2];
	size_t d = (size_t)values->shape[values->rank - 1];

	*low = INFINITY;
	*high = -INFINITY;
	for (size_t key = 0; key < length; key++) {
		double v = case_value(values, values->data, (row * n + key) * d + column);

		*low = fmin(*low, v);
		*high = fmax(*high, v);
	}
}

/* out[..., d], values[..., n, d]. False if element i is outside. */
static bool inside(const struct case_array *out, const struct case_array *values, size_t length,
		   size_t i, double *low, double *high)
{
	size_t d = (size_t)out->shape[out->rank - 1];
	double got = case_value(out, out->result, i), slack = out->lab->absolute;

	hull(values, shared_row(values, 2, i / d, out->count / d), length, i % d, low, high);
	slack += out->lab->relative * fmax(fabs(*low), fabs(*high));
	return length == 0 || (got >= *low - slack && got <= *high + slack);
}

static enum status convex_hull(const struct check *k)
{
	const struct case_array *out, *values, *lengths = NULL;
	size_t d, n;

	TRY(find(k, "array", &out));
	TRY(find(k, "values", &values));
	if (json_object_get(k->rule->json, "lengths"))
		TRY(find(k, "lengths", &lengths));
	d = (size_t)out->shape[out->rank - 1];
	n = (size_t)values->shape[values->rank - 2];
	if (out->count / d % (values->count / n / d) != 0)
		return STATUS_OK;               /* rows that nothing belongs to */
	for (size_t i = 0; i < out->count; i++) {
		size_t at = lengths ? shared_row(lengths, 0, i / d, out->count / d) : 0;
		size_t length = lengths ? (size_t)case_value(lengths, lengths->data, at) : n;
		double low, high;

		if (inside(out, values, length, i, &low, &high))
			continue;
		add(k, out, i, "the output is", case_value(out, out->result, i), low, high);
		return STATUS_OK;
	}
	return STATUS_OK;
}

/* Whether the comparison with the reference has found an array wrong. */
static bool is_wrong(const struct check *k, const struct case_array *a)
{
	for (size_t i = 0; i < json_array_size(k->failures); i++)
		if (strcmp(failure_text(json_array_get(k->failures, i), "array"),
			   a->lab->name) == 0)
			return true;
	return false;
}

/* o[rows, splits, d], sums[rows, splits], values[rows, n, d]: o / sum is an average of values. If
 * both are wrong, such as after reading other keys, it says nothing about how they are related. */
static enum status partials_hull(const struct check *k)
{
	const struct case_array *o, *sums, *values, *lengths;
	size_t d, splits;

	TRY(find(k, "array", &o));
	TRY(find(k, "sums", &sums));
	TRY(find(k, "values", &values));
	TRY(find(k, "lengths", &lengths));
	d = (size_t)o->shape[o->rank - 1];
	splits = (size_t)o->shape[o->rank - 2];
	if (is_wrong(k, o) && is_wrong(k, sums))
		return STATUS_OK;
	for (size_t i = 0; i < o->count; i++) {
		size_t row = i / d / splits;
		size_t length = (size_t)case_value(lengths, lengths->data, row);
		double sum = case_value(sums, sums->result, i / d);
		double got = case_value(o, o->result, i) / sum, low, high, slack;

		hull(values, row, length, i % d, &low, &high);
		slack = o->lab->relative * fmax(fabs(low), fabs(high));
		if (sum == 0 || length == 0 || (got >= low - slack && got <= high + slack))
			continue;
		add(k, o, i, "divided by its split's sum it is", got, low, high);
		return STATUS_OK;
	}
	return STATUS_OK;
}

static const struct {
	const char *name;
	enum status (*check)(const struct check *);
} invariants[] = {
	{ "sums-to-one", sums_to_one },
	{ "convex-hull", convex_hull },
	{ "partials-hull", partials_hull },
};

enum status judge_invariants(const struct lab_case *c, json_t *failures)
{
	for (int i = 0; i < c->lab->invariant_count; i++) {
		const struct check k = { c, &c->lab->invariants[i], failures };
		size_t row = 0, rows = sizeof invariants / sizeof invariants[0];

		while (row < rows && strcmp(invariants[row].name, k.rule->name) != 0)
			row++;
		if (row < rows)
			TRY(invariants[row].check(&k));
		else if (!rerun_known(k.rule->name))
			return fail(STATUS_INTERNAL, "lab %d: unknown invariant %s", c->lab->number,
				    k.rule->name);
	}
	return STATUS_OK;
}
