/* reruns.c - runs a case again in another order, alone, or permuted, and compares; see
 * invariants.h. */
#include "tui/lab/judge/invariants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/lab/case/lab_random.h"
#include "tui/lab/judge/judge.h"
#include "tui/lab/run/lab_run.h"

#define DEFAULT_SEEDS 2

struct rerun {
	struct submission *submission;
	const struct lab_case *c;
	const struct lab_rule *rule;
	json_t *failures;
	const char *axis;               /* NULL for `order` */
	const int64_t *order;           /* as for case_origin() */
	bool bits;                      /* equal bits, else within the tolerance */
	bool failed;
};

static void add(struct rerun *r, const struct case_array *a, size_t element, double got,
		double other, const char *run)
{
	char *place = judge_place(a, element);
	json_t *failure = failure_new(BY_INVARIANT, r->rule->name, r->rule->reason, r->rule->next,
				      "%s is %.9g, and %.9g %s", place, got, other, run);

	judge_point(r->c, a, element, failure);
	json_array_append_new(r->failures, failure);
	r->failed = true;
	free(place);
}

static bool equal(const struct rerun *r, const struct case_array *a, size_t i,
		  const struct case_array *b, size_t k)
{
	double x = case_value(a, a->result, i), y = case_value(b, b->result, k);
	size_t size = dtype_bytes(a->lab->dtype);

	if (memcmp((char *)a->result + i * size, (char *)b->result + k * size, size) == 0)
		return true;
	return !r->bits
		&& fabs(x - y) <= 2 * (a->lab->absolute + a->lab->relative * fabs(x));
}

/* The first element that differs. */
static void compare(struct rerun *r, const struct lab_case *other, const char *run)
{
	for (int n = 0; n < other->array_count && !r->failed; n++) {
		const struct case_array *a = &r->c->arrays[n], *b = &other->arrays[n];

		for (size_t k = 0; case_array_writes(b) && k < b->count && !r->failed; k++) {
			size_t i = r->axis ? case_origin(a, b, r->axis, r->order, k) : k;

			if (!equal(r, a, i, b, k))
				add(r, a, i, case_value(a, a->result, i),
				    case_value(b, b->result, k), run);
		}
	}
}

static enum status run(struct rerun *r, struct lab_case *other, const char *what)
{
	struct outcome outcome;
	enum status status = submission_run(r->submission, other, NULL, &outcome);

	if (status == STATUS_OK && outcome.valid) {
		compare(r, other, what);
	} else if (status == STATUS_OK) {
		json_array_append_new(r->failures, failure_new(BY_INVARIANT, r->rule->name,
			r->rule->reason, r->rule->next, "the kernel fails %s: %s", what,
			outcome.message));
		r->failed = true;
	}
	outcome_free(&outcome);
	return status;
}

/* Runs what lab_case_permute() or lab_case_solo() made with the status `made`. Frees both. */
static enum status run_made(struct rerun *r, enum status made, struct lab_case *other, char *what)
{
	enum status status = made == STATUS_OK ? run(r, other, what) : made;

	lab_case_free(other);
	free(what);
	return status;
}

static enum status run_orders(struct rerun *r)
{
	const json_t *seeds = json_object_get(r->rule->json, "seeds");
	int64_t count = seeds ? json_integer_value(seeds) : DEFAULT_SEEDS;
	const int64_t none = 0;

	r->bits = true;
	for (int64_t seed = 1; seed <= count && !r->failed; seed++) {
		struct lab_case other;
		char *what = xasprintf("in another order of lanes and warps (--seed %lld)",
				       (long long)seed);
		enum status status = lab_case_permute(r->c, NULL, &none, &other);

		other.order = (uint64_t)seed;
		TRY(run_made(r, status, &other, what));
	}
	return STATUS_OK;
}

/* The first and the last index: each is a run. */
static enum status run_solo(struct rerun *r)
{
	int64_t last;
	double size = 0;

	r->bits = true;
	names_get(&r->c->names, r->axis, &size);
	last = (int64_t)size - 1;
	for (int64_t at = 0; at <= last && !r->failed; at += last > 0 ? last : 1) {
		struct lab_case other;
		char *what = xasprintf("when %s %lld is computed alone", r->axis, (long long)at);
		enum status status = lab_case_solo(r->c, r->axis, at, &other);

		r->order = &at;
		TRY(run_made(r, status, &other, what));
	}
	return STATUS_OK;
}

static enum status run_permuted(struct rerun *r)
{
	struct lab_random random = { r->c->seed };
	struct lab_case other = { 0 };
	double size = 0;
	int64_t *order;
	char *what = xasprintf("with %s in another order", r->axis);
	enum status status;

	names_get(&r->c->names, r->axis, &size);
	order = xcalloc((size_t)size + 1, sizeof *order);
	for (int64_t i = 0; i < (int64_t)size; i++) {
		int64_t k = random_integer(&random, 0, i);

		order[i] = order[k];
		order[k] = i;
	}
	r->order = order;
	status = run_made(r, lab_case_permute(r->c, r->axis, order, &other), &other, what);
	free(order);
	return status;
}

static const struct {
	const char *name;
	bool axis;
	enum status (*run)(struct rerun *);
} reruns[] = {
	{ "order", false, run_orders },
	{ "solo", true, run_solo },
	{ "permute", true, run_permuted },
};
#define RERUNS (sizeof reruns / sizeof reruns[0])

static size_t find(const char *name)
{
	size_t i = 0;

	while (i < RERUNS && strcmp(reruns[i].name, name) != 0)
		i++;
	return i;
}

bool rerun_known(const char *name)
{
	return find(name) < RERUNS;
}

enum status reruns_check(struct submission *submission, const struct lab_case *c, json_t *failures)
{
	for (int i = 0; i < c->lab->invariant_count; i++) {
		struct rerun r = {
			.submission = submission, .c = c, .rule = &c->lab->invariants[i],
			.failures = failures,
		};
		size_t at = find(r.rule->name);
		double size = 0;

		if (at == RERUNS)
			continue;
		r.axis = json_string_value(json_object_get(r.rule->json, "axis"));
		if (reruns[at].axis && (!r.axis || !names_get(&c->names, r.axis, &size)))
			return fail(STATUS_INTERNAL, "lab %d: invariant %s: axis: no size %s",
				    c->lab->number, r.rule->name, r.axis ? r.axis : "");
		/* One index alone, or in another order, is the same case again. */
		if (!reruns[at].axis || size > 1)
			TRY(reruns[at].run(&r));
	}
	return STATUS_OK;
}
