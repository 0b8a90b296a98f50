/* vectors.c - grades test vectors; see vectors.h.
 *
 * One kernel of the lab has several versions: some are correct, each of the others has one bug.
 * Every vector is run on all of them, in one process. A family is a version: its case passes if the
 * vectors say the right thing about it. In the secret part the parameters of the bugs are others,
 * and so are random numbers.
 */
#include "config.h"

#include "tui/lab/answers/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/lab/answers/vectors_read.h"
#include "tui/lab/case/failure.h"
#include "tui/lab/case/lab_random.h"
#include "tui/lab/grade/check_cases.h"
#include "tui/lab/judge/judge.h"
#include "tui/lab/reference/references.h"
#include "tui/lab/run/lab_run.h"

#define MAX_VERSIONS 64

/* What a vector says about a version. */
struct word {
	bool fails;
	size_t element;                 /* the first that is wrong */
	double got, wanted;
};

struct trial {
	struct word word[MAX_VERSIONS];
	bool valid;                     /* every correct version passes */
};

struct grading_vectors {
	const struct lab *lab;
	const struct grade_options *o;
	struct lab_result *result;
	struct vectors vectors;
	struct submission *kernel;
	char *source;                   /* its file */
	int versions, correct;
	struct trial trials[MAX_VECTORS];
};

/* --- running one vector --- */

/* A result that is not a number never matches, nor does one where the right one is not finite. */
static bool matches(double got, double wanted, double tolerance)
{
	return isfinite(wanted) && fabs(got - wanted) <= tolerance * (1 + fabs(wanted));
}

/* The expected values are those of the first version, and of every other. */
static void compare(const struct grading_vectors *g, const struct vector *v,
		    const struct case_array *out, const double *wanted, struct trial *trial)
{
	size_t count = out->count / (size_t)g->versions;

	trial->valid = true;
	for (int i = 0; i < g->versions; i++) {
		struct word *w = &trial->word[i];

		for (size_t k = 0; k < count && !w->fails; k++) {
			double got = case_value(out, out->result, (size_t)i * count + k);

			if (!matches(got, wanted[k], v->tolerance))
				*w = (struct word){ true, k, got, wanted[k] };
		}
		trial->valid &= i >= g->correct || !w->fails;
	}
}

static enum status judge(const struct grading_vectors *g, const struct vector *v,
			 const struct lab_case *c, struct trial *trial)
{
	const struct case_array *out = case_array_get(c, "out");
	struct reference_job job = { .c = c };
	enum status status;
	double *wanted;

	if (!out || out->shape[0] != g->versions)
		return fail(STATUS_INTERNAL, "lab %d: expected an output out[versions, ...]",
			    g->lab->number);
	wanted = xcalloc(out->count, sizeof *wanted);
	job.expected[out - c->arrays] = wanted;
	status = reference_run(&job);
	if (status == STATUS_OK)
		compare(g, v, out, wanted, trial);
	free(wanted);
	return status;
}

static enum status run_case(struct grading_vectors *g, const struct vector *v, struct lab_case *c,
			    struct trial *trial)
{
	struct outcome outcome;
	enum status status;

	TRY(submission_run(g->kernel, c, NULL, &outcome));
	status = outcome.valid ? STATUS_OK
		: fail(STATUS_INTERNAL, "lab %d: its kernels fail with vector %s: %s",
		       g->lab->number, v->name, outcome.message);
	outcome_free(&outcome);
	return status == STATUS_OK ? judge(g, v, c, trial) : status;
}

static enum status try_vector(struct grading_vectors *g, int index, uint64_t seed)
{
	const struct vector *v = &g->vectors.vector[index];
	struct error_record error;
	struct lab_case c;
	enum status status = vector_case(g->lab, v, seed, &c);

	g->trials[index] = (struct trial){ 0 };
	if (status == STATUS_OK)
		status = run_case(g, v, &c, &g->trials[index]);
	error_save(&error);
	lab_case_free(&c);
	error_restore(&error);
	return status;
}

/* --- judging a version --- */

static void add_failure(struct case_result *c, const char *kind, const char *what)
{
	json_array_append_new(c->failures, failure_new(BY_OUTPUT, kind, c->family->reason,
						       c->family->next, "%s", what));
}

static void describe(struct case_result *c, const char *text)
{
	free(c->sizes);
	c->sizes = xstrdup(text);
}

static void judge_correct(const struct grading_vectors *g, int version, struct case_result *c)
{
	c->passed = g->vectors.count > 0;
	describe(c, "all vectors");
	if (!c->passed)
		add_failure(c, "no vectors", "there are no vectors");
	for (int i = 0; i < g->vectors.count; i++) {
		const struct vector *v = &g->vectors.vector[i];
		const struct word *w = &g->trials[i].word[version];
		char *what;

		if (!w->fails)
			continue;
		c->passed = false;
		what = isfinite(w->wanted)
			? xasprintf("vector %s fails a correct kernel: element %zu of out is %.9g; "
				    "its tolerance %g allows %.9g +- %.3g", v->name, w->element,
				    w->got, v->tolerance, w->wanted,
				    v->tolerance * (1 + fabs(w->wanted)))
			: xasprintf("vector %s has a result that is not finite", v->name);
		add_failure(c, "a vector fails a correct kernel", what);
		free(what);
	}
}

static void judge_bug(const struct grading_vectors *g, int version, struct case_result *c)
{
	char *by = xstrdup("");

	describe(c, "found by none");
	for (int i = 0; i < g->vectors.count; i++) {
		if (!g->trials[i].valid || !g->trials[i].word[version].fails)
			continue;
		free(c->sizes);
		c->sizes = xasprintf("%s%s%s", by, *by ? ", " : "found by ",
				     g->vectors.vector[i].name);
		free(by);
		by = xstrdup(c->sizes);
		c->passed = true;
	}
	free(by);
	if (!c->passed)
		add_failure(c, "no vector finds it", "no vector finds this bug");
}

/* --- the matrix --- */

static char *appended(char *text, const char *more)
{
	char *longer = xasprintf("%s%s", text ? text : "", more);

	free(text);
	return longer;
}

static int finders(const struct grading_vectors *g, int version)
{
	int count = 0;

	for (int i = 0; i < g->vectors.count; i++)
		count += g->trials[i].valid && g->trials[i].word[version].fails;
	return count;
}

static void note_row(struct grading_vectors *g, int version)
{
	int count = finders(g, version);
	char *row = xasprintf("  %-28s", g->lab->families[version].name);

	for (int i = 0; i < g->vectors.count; i++) {
		bool finds = g->trials[i].valid && g->trials[i].word[version].fails;

		row = appended(row, !finds ? "  ." : count == 1 ? "  X" : "  x");
	}
	row = appended(row, "\n");
	g->result->notes = appended(g->result->notes, row);
	free(row);
}

static void note_matrix(struct grading_vectors *g, enum lab_part part)
{
	char *head = xasprintf("which vector finds which bug, %s (X: only this one)\n  %-28s",
			       lab_part_names[part], "");

	for (int i = 0; i < g->vectors.count; i++) {
		char *number = xasprintf(" %2d", i + 1);

		head = appended(head, number);
		free(number);
	}
	head = appended(head, "\n");
	g->result->notes = appended(g->result->notes, head);
	free(head);
	for (int i = g->correct; i < g->versions; i++)
		note_row(g, i);
	for (int i = 0; i < g->vectors.count; i++) {
		char *line = xasprintf("  %2d  %s%s\n", i + 1, g->vectors.vector[i].name,
				       g->trials[i].valid ? "" : ": fails a correct kernel, "
				       "and finds nothing");

		g->result->notes = appended(g->result->notes, line);
		free(line);
	}
}

/* --- a submission --- */

static enum status grade_part(struct grading_vectors *g, enum lab_part part, uint64_t seed)
{
	g->result->parts[part].graded = true;
	for (int i = 0; i < g->vectors.count; i++)
		TRY(try_vector(g, i, seed));
	for (int i = 0; i < g->versions; i++) {
		struct case_result *c = lab_result_add(g->result, part, &g->lab->families[i], 0);

		if (i < g->correct)
			judge_correct(g, i, c);
		else
			judge_bug(g, i, c);
	}
	if (part == PART_PUBLIC || g->o->staff)
		note_matrix(g, part);
	return STATUS_OK;
}

static enum status build(struct grading_vectors *g)
{
	const char *source = json_string_value(vectors_key(g->lab, "source"));
	struct submission_options options = { .sandbox = g->o->sandbox };
	char *messages;
	enum status status;

	g->versions = (int)json_integer_value(vectors_key(g->lab, "versions"));
	g->correct = (int)json_integer_value(vectors_key(g->lab, "correct"));
	if (!source || g->correct < 1 || g->versions > MAX_VERSIONS
	    || g->versions != g->lab->family_count)
		return fail(STATUS_INTERNAL, "lab %d: vectors: expected source, correct, and one "
			    "version for each family", g->lab->number);
	options.file = g->source = xasprintf("%s/%s", g->lab->folder, source);
	status = submission_build(g->lab, &options, &g->kernel, &messages);
	if (status == STATUS_COMPILE && messages && *messages)
		status = fail(STATUS_INTERNAL, "%s: %s", g->source, messages);
	else if (status != STATUS_OK && status != STATUS_INTERRUPTED)
		status = fail_context(STATUS_INTERNAL, "%s", g->source);
	free(messages);
	return status;
}

static enum status grade_parts(struct grading_vectors *g)
{
	char *secret;
	uint64_t seed;

	TRY(build(g));
	TRY(grade_part(g, PART_PUBLIC, grade_seed(g->lab, PART_PUBLIC, NULL, NULL)));
	if (!grade_has_secret(g->o))
		return STATUS_OK;
	TRY(grade_secret(g->o, &secret));
	seed = grade_seed(g->lab, PART_SECRET, g->o->student, secret);
	free(secret);
	return grade_part(g, PART_SECRET, seed);
}

/* Vectors that cannot be used; some show only with the numbers of a part. */
static void reject(struct grading_vectors *g)
{
	struct lab_result *r = g->result;
	char *message = xstrdup(error_text());

	error_clear();
	lab_result_free(r);
	*r = (struct lab_result){
		.lab = g->lab, .file = xstrdup(g->o->file), .messages = message,
		.student = g->o->student ? xstrdup(g->o->student) : NULL,
	};
	grade_fail_all(r, grade_has_secret(g->o));
}

enum status vectors_grade(const struct lab *lab, const struct grade_options *o,
			  struct lab_result *out)
{
	struct grading_vectors g = { .lab = lab, .o = o, .result = out };
	struct error_record error;
	enum status status;

	*out = (struct lab_result){
		.lab = lab, .file = xstrdup(o->file), .compiled = true,
		.student = o->student ? xstrdup(o->student) : NULL,
	};
	status = vectors_read(lab, o->file, &g.vectors);
	if (status == STATUS_OK)
		status = grade_parts(&g);
	if (status == STATUS_COMPILE) {
		reject(&g);
		status = STATUS_OK;
	}
	error_save(&error);
	submission_free(g.kernel);
	vectors_free(&g.vectors);
	free(g.source);
	error_restore(&error);
	if (status == STATUS_OK)
		lab_result_sum(out);
	return status;
}

enum status vectors_check(const struct lab *lab, const char *secret, const char *lead, int *wrong)
{
	(void)secret;
	check_families(lab, lead, wrong);
	return STATUS_OK;
}
