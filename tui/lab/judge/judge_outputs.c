/* judge_outputs.c - compares outputs element by element; see judge.h. */
#include "tui/lab/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* What a wrong element looks like, from what says most about the kernel to what says least. */
enum symptom { UNWRITTEN, IS_NAN, INFINITE, LOWEST, OTHER, SYMPTOMS };

static const struct {
	const char *kind, *why;
} symptoms[SYMPTOMS] = {
	[UNWRITTEN] = { "never written", "" },
	[IS_NAN] = { "NaN", "a NaN comes from inf - inf, 0 / 0 or 0 * inf; " },
	[INFINITE] = { "infinite", "exp() overflows above 88, and x / 0 is infinite; " },
	[LOWEST] = { "-infinity", "a maximum is -infinity until it has seen a number; so is "
		     "log(0); " },
	[OTHER] = { "wrong value", "" },
};

struct tally {
	size_t wrong;
	size_t count[SYMPTOMS], first[SYMPTOMS];        /* first: element with the symptom */
};

char *judge_place(const struct case_array *a, size_t i)
{
	char *text = xstrdup("]"), *longer;

	for (int k = a->rank - 1; k >= 0; k--) {
		longer = xasprintf("%s%zu%s", k ? ", " : "", i % (size_t)a->shape[k], text);
		i /= (size_t)a->shape[k];
		free(text);
		text = longer;
	}
	longer = xasprintf("%s[%s", a->lab->name, text);
	free(text);
	return longer;
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
	if (a->lab->point) {
		json_object_set(failure, "point", json_array_get(a->lab->point, 0));
		json_object_set(failure, "point_value", json_array_get(a->lab->point, 1));
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
	enum symptom symptom = isnan(got) ? IS_NAN : !isinf(got) ? OTHER
		: got > 0 ? INFINITE : LOWEST;
	uint32_t bits;

	memcpy(&bits, (const char *)a->result + i * sizeof bits, sizeof bits);
	if (bits == DEVICE_POISON)
		symptom = UNWRITTEN;
	if (t->count[symptom]++ == 0)
		t->first[symptom] = i;
	t->wrong++;
}

static enum symptom main_symptom(const struct tally *t)
{
	enum symptom s = UNWRITTEN;

	while (s < OTHER && t->count[s] == 0)
		s++;
	return s;
}

/* What the symptom means, and why the family exists, which may say the same of overflows. The
 * caller frees it. */
static char *explain(const struct tally *t, enum symptom s, const char *reason)
{
	if (s == UNWRITTEN && t->count[s] < t->wrong)
		return xasprintf("no thread wrote %zu of them: these still hold the simulator's "
				 "poison; %s", t->count[s], reason);
	if (s == UNWRITTEN)
		return xasprintf("no thread wrote %s the simulator's poison; %s",
				 t->wrong == 1 ? "it: it still holds" : "them: they still hold",
				 reason);
	return xasprintf("%s%s", s == INFINITE && strstr(reason, "infinite") ? ""
			 : symptoms[s].why, reason);
}

/* Names the first element with the main symptom, which is what the reason is about. */
static void report(const struct lab_case *c, const struct case_array *a, const struct tally *t,
		   const double *expected, json_t *failures)
{
	enum symptom s = main_symptom(t);
	size_t i = t->first[s];
	char *place = judge_place(a, i), *why = explain(t, s, c->family->reason);
	char *kind = xasprintf("%s: %s", a->lab->name, symptoms[s].kind);
	double got = case_value(a, a->result, i);
	char *value = s == UNWRITTEN && isnan(got) ? xstrdup("not written")
		: xasprintf("%.7g", got);
	json_t *failure = failure_new(BY_OUTPUT, kind, why, c->family->next,
				      "%s is %s, expected %.7g; %zu of %zu elements of %s %s wrong",
				      place, value, expected[i], t->wrong, a->count, a->lab->name,
				      t->wrong == 1 ? "is" : "are");

	judge_point(c, a, i, failure);
	json_array_append_new(failures, failure);
	free(value);
	free(kind);
	free(why);
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
			report(c, a, &t, expected[i], v->failures);
	}
}
