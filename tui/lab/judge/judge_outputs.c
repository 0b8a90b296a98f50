/* judge_outputs.c - compares outputs element by element; see judge.h. */
#include "tui/lab/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct tally {
	size_t wrong, first;            /* first: the first wrong element */
	size_t unwritten, nan, infinite, lowest;        /* lowest: -infinity */
};

char *judge_place(const struct case_array *a, size_t i)
{
	char *text = xstrdup("]");

	for (int k = a->rank - 1; k >= 0; k--) {
		char *longer = xasprintf("%s%zu%s", k ? ", " : "", i % (size_t)a->shape[k], text);

		i /= (size_t)a->shape[k];
		free(text);
		text = longer;
	}
	{
		char *all = xasprintf("%s[%s", a->lab->name, text);

		free(text);
		return all;
	}
}

void judge_point(const struct lab_case *c, const struct case_array *a, size_t i, json_t *failure)
{
	struct names names = c->names;
	int64_t block, thread;

	json_object_set_new(failure, "array", json_string(a->lab->name));
	json_object_set_new(failure, "element", json_integer((json_int_t)i));
	if (a->lab->thread && names_set(&names, "i", (double)i) == STATUS_OK
	    && expression_integer(json_array_get(a->lab->thread, 0), &names, "thread", 0, INT32_MAX,
				  &block) == STATUS_OK
	    && expression_integer(json_array_get(a->lab->thread, 1), &names, "thread", 0, 1023,
				  &thread) == STATUS_OK) {
		char *text = xasprintf("%lld", (long long)block);

		json_object_set_new(failure, "block", json_string(text));
		json_object_set_new(failure, "thread", json_integer(thread));
		free(text);
	}
	error_clear();
}

/* The error as a part of the tolerance; infinity for what no tolerance allows. */
static double error_of(const struct case_array *a, double got, double wanted)
{
	double allowed = a->lab->absolute + a->lab->relative * fabs(wanted);

	if (isnan(wanted) || got == wanted)
		return 0;
	if (!isfinite(got) || !isfinite(wanted) || allowed == 0)
		return INFINITY;
	return fabs(got - wanted) / allowed;
}

static void count_wrong(const struct case_array *a, size_t i, struct tally *t)
{
	double got = case_value(a, a->result, i);
	uint32_t bits;

	memcpy(&bits, (const char *)a->result + i * sizeof bits, sizeof bits);
	if (t->wrong++ == 0)
		t->first = i;
	t->unwritten += bits == DEVICE_POISON;
	t->nan += isnan(got) && bits != DEVICE_POISON;
	t->infinite += isinf(got) && got > 0;
	t->lowest += isinf(got) && got < 0;
}

static const char *symptom(const struct tally *t)
{
	return t->unwritten ? "never written" : t->nan ? "NaN" : t->infinite ? "infinite"
		: t->lowest ? "-infinity" : "wrong value";
}

/* The caller frees it. */
static char *explain(const struct tally *t)
{
	if (t->unwritten > 0 && t->unwritten < t->wrong)
		return xasprintf("no thread wrote %zu of them: these still hold the simulator's "
				 "poison; ", t->unwritten);
	return xstrdup(
		t->unwritten ? "no thread wrote them: they still hold the simulator's poison; "
		: t->nan ? "a NaN comes from inf - inf, 0 / 0 or 0 * inf; "
		: t->infinite ? "exp() overflows above 88, and x / 0 is infinite; "
		: t->lowest ? "a maximum is -infinity until it has seen a number; so is log(0); "
		: "");
}

static void report(const struct lab_case *c, const struct case_array *a, const struct tally *t,
		   double wanted, json_t *failures)
{
	char *place = judge_place(a, t->first);
	char *symptoms = explain(t), *why = xasprintf("%s%s", symptoms, c->family->reason);
	char *kind = xasprintf("%s: %s", a->lab->name, symptom(t));
	double got = case_value(a, a->result, t->first);
	char *value = t->unwritten && isnan(got) ? xstrdup("not written") : xasprintf("%.7g", got);
	json_t *failure = failure_new(BY_OUTPUT, kind, why, c->family->next,
				      "%s is %s, expected %.7g; %zu of %zu elements of %s are "
				      "wrong",
				      place, value, wanted, t->wrong, a->count, a->lab->name);

	judge_point(c, a, t->first, failure);
	json_array_append_new(failures, failure);
	free(value);
	free(kind);
	free(why);
	free(symptoms);
	free(place);
}

void judge_outputs(const struct lab_case *c, double *const *expected, struct verdict *v)
{
	for (int i = 0; i < c->array_count; i++) {
		const struct case_array *a = &c->arrays[i];
		struct tally t = { 0 };

		for (size_t k = 0; expected[i] && k < a->count; k++) {
			double error = error_of(a, case_value(a, a->result, k), expected[i][k]);

			if (!(error <= 1))
				count_wrong(a, k, &t);
			else if (error > v->margin)
				v->margin = error;
		}
		if (t.wrong)
			report(c, a, &t, expected[i][t.first], v->failures);
	}
}
