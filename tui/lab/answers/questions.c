/* questions.c - grades an answer sheet; see questions.h.
 *
 * The student's trace is made again here, from the student's id: the file that `lab start` made is
 * not read. Public cases are the answer to each question and the query on the same trace; in secret
 * cases the queries run on other traces.
 */
#include "config.h"

#include "tui/lab/answers/questions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "tui/lab/answers/answers.h"
#include "tui/lab/answers/queries.h"
#include "tui/lab/answers/sheet.h"
#include "tui/lab/case/failure.h"
#include "tui/lab/case/lab_random.h"
#include "tui/lab/grade/check_cases.h"
#include "tui/lab/run/lab_trace.h"

#define OWN_TRACE "trace.twin"
#define NEAR 0.01                       /* relative, of an answer with too few digits */

struct grading_answers {
	const struct lab *lab;
	const struct grade_options *o;
	struct lab_result *result;
	struct sheet sheet;
	const char *student;
	char *folder;                   /* of the traces made here */
};

static uint64_t own_seed(const struct lab *lab, const char *student)
{
	return seed_from(student, seed_from(lab->name, 0));
}

/* --- judging one case --- */

/* The command that shows it in the student's own trace, if that is next to the sheet. */
static char *view_of(const struct grading_answers *g, const struct answer *a)
{
	const char *slash = strrchr(g->o->file, '/');
	int length = slash ? (int)(slash - g->o->file + 1) : 0;
	char *trace = xasprintf("%.*s" OWN_TRACE, length, g->o->file), *view = NULL;

	if (access(trace, R_OK) == 0)
		view = xasprintf("flashtwin view %s --at %s --screen %s", trace, a->at, a->screen);
	free(trace);
	return view;
}

static void add_failure(const struct grading_answers *g, struct case_result *c,
			const struct answer *a, const char *kind, const char *what,
			const char *got)
{
	json_t *failure = failure_new(BY_OUTPUT, kind, c->family->reason, c->family->next, what,
				      got);
	char *view = c->part == PART_PUBLIC ? view_of(g, a) : NULL;

	if (view)
		json_object_set_new(failure, "view", json_string(view));
	json_array_append_new(c->failures, failure);
	free(view);
}

/* Says more where the student may have found the answer, and written it differently. */
static void judge_wrong(const struct grading_answers *g, struct case_result *c,
			const struct answer *a, const char *given)
{
	double value;
	char *what;

	if (!answer_read(a, given, &value))
		what = xasprintf("the answer %s is not a number such as %s", given, a->exact
				 ? "391 (or L391, for a launch)" : "0.01372");
	else if (!a->exact && fabs(value - a->value) <= NEAR * fabs(a->value))
		what = xasprintf("the answer %s is %.2f %% off: give four significant digits",
				 given, 100 * fabs(value / a->value - 1));
	else
		what = xasprintf("the answer %s is wrong", given);
	add_failure(g, c, a, "a wrong answer", "%s", what);
	free(what);
}

static void judge_answer(const struct grading_answers *g, struct case_result *c,
			 const struct answer *a, const char *given)
{
	c->passed = *given && answer_matches(a, given);
	if (!*given)
		add_failure(g, c, a, "no answer", "there is no answer%s", "");
	else if (!c->passed)
		judge_wrong(g, c, a, given);
}

static void judge_query(const struct grading_answers *g, struct case_result *c,
			const struct answer *a, const json_t *got)
{
	const char *error = json_string_value(json_object_get(got, "error"));
	const char *value = json_string_value(json_object_get(got, "value"));

	c->passed = value && answer_matches(a, value);
	if (error)
		add_failure(g, c, a, "the query fails", "the query fails: %s", error);
	else if (!value)
		add_failure(g, c, a, "no query", "there is no query%s", "");
	else if (!c->passed)
		add_failure(g, c, a, "the query gives a wrong answer",
			    "the query gives %s, which is not the answer", value);
}

static void describe(struct case_result *c, const char *text)
{
	free(c->sizes);
	c->sizes = xstrdup(text);
}

/* --- the two parts --- */

static enum status judge_trace(struct grading_answers *g, enum lab_part part, int index,
			       const char *trace)
{
	const struct lab *lab = g->lab;
	json_t *got = NULL;
	enum status status = queries_run(trace, g->o->sandbox, g->sheet.queries,
					 lab->family_count, &got);

	for (int i = 0; i < lab->family_count && status == STATUS_OK; i++) {
		const struct lab_family *family = &lab->families[i];
		struct answer answer;

		status = answer_find(trace, family->name, &answer);
		if (status == STATUS_OK && part == PART_PUBLIC) {
			struct case_result *c = lab_result_add(g->result, part, family, 0);

			describe(c, "the answer");
			judge_answer(g, c, &answer, g->sheet.answers[i]);
		}
		if (status == STATUS_OK) {
			struct case_result *c = lab_result_add(g->result, part, family,
							       index + (part == PART_PUBLIC));

			describe(c, part == PART_PUBLIC ? "the query, on your trace"
				 : "the query, on another trace");
			judge_query(g, c, &answer, json_array_get(got, (size_t)i));
		}
	}
	json_decref(got);
	return status;
}

static enum status grade_trace(struct grading_answers *g, enum lab_part part, int index,
			       uint64_t seed)
{
	char *trace = xasprintf("%s/%s-%d.twin", g->folder, lab_part_names[part], index);
	enum status status = lab_trace_make(g->lab, seed, trace);

	g->result->parts[part].graded = true;
	if (status == STATUS_OK)
		status = judge_trace(g, part, index, trace);
	free(trace);
	return status;
}

/* Somebody else's sheet is about another trace. */
static void refuse(struct grading_answers *g)
{
	char *safe = visible_text(g->sheet.student);
	char *whose = *safe ? xasprintf("student \"%s\"", safe)
		: xstrdup("nobody (\"student =\" is empty)");

	g->result->compiled = false;
	free(g->result->messages);
	g->result->messages = xasprintf("%s is the sheet of %s, and is graded as that of \"%s\", "
		"whose trace is another one: the answers are not about it.\n"
		"flashtwin lab start %d NEW --student \"%s\" makes the right trace and sheet in a "
		"new folder NEW; the queries can be copied from this sheet, the answers cannot.",
		g->o->file, whose, g->student, g->lab->number, g->student);
	g->result->refused = "the sheet is another student's";
	free(whose);
	free(safe);
}

/* A sheet without an id is fine for practice, but a course grades with one. */
static void warn_unsigned(struct grading_answers *g)
{
	if (*g->student)
		return;
	free(g->result->notes);
	g->result->notes = xasprintf(
		"note: \"student =\" is empty in %s: this trace is nobody's, and your instructor\n"
		"      cannot grade it. flashtwin lab start %d NEW --student ID makes yours\n",
		g->o->file, g->lab->number);
}

static int secret_traces(const struct lab *lab)
{
	int max = 0;

	for (int i = 0; i < lab->family_count; i++)
		max = lab->families[i].secret_cases > max ? lab->families[i].secret_cases : max;
	return max;
}

static enum status grade_parts(struct grading_answers *g)
{
	char *secret = NULL;
	enum status status;
	uint64_t seed;

	g->student = g->o->student ? g->o->student : g->sheet.student;
	if (strcmp(g->student, g->sheet.student) != 0) {
		refuse(g);
		return STATUS_OK;
	}
	if (!g->result->student && *g->student)
		g->result->student = xstrdup(g->student);
	warn_unsigned(g);
	TRY(grade_trace(g, PART_PUBLIC, 0, own_seed(g->lab, g->student)));
	if (!grade_has_secret(g->o))
		return STATUS_OK;
	TRY(grade_secret(g->o, &secret));
	seed = grade_seed(g->lab, PART_SECRET, g->student, secret);
	free(secret);
	status = STATUS_OK;
	for (int i = 0; i < secret_traces(g->lab) && status == STATUS_OK; i++)
		status = grade_trace(g, PART_SECRET, i,
				     seed_of_case(lab_part_names[PART_SECRET], "trace", i, seed));
	return status;
}

static enum status grade_sheet(struct grading_answers *g)
{
	enum status status = sheet_read(g->lab, g->o->file, &g->sheet);

	g->result->compiled = status == STATUS_OK;
	if (status == STATUS_COMPILE) {
		g->result->messages = xstrdup(error_text());
		error_clear();
		status = STATUS_OK;
	} else if (status == STATUS_OK) {
		status = grade_parts(g);
	}
	if (status == STATUS_OK && !g->result->compiled)
		grade_fail_all(g->result, grade_has_secret(g->o));
	return status;
}

enum status questions_grade(const struct lab *lab, const struct grade_options *o,
			    struct lab_result *out)
{
	struct grading_answers g = {
		.lab = lab, .o = o, .result = out,
	};
	struct error_record error;
	enum status status;

	*out = (struct lab_result){
		.lab = lab, .file = xstrdup(o->file),
		.student = o->student ? xstrdup(o->student) : NULL,
	};
	if (file_make_folder(NULL, "flashtwin-lab", &g.folder) != STATUS_OK)
		return fail_context(STATUS_INTERNAL, "questions");
	status = grade_sheet(&g);
	error_save(&error);
	file_remove_tree(g.folder);
	free(g.folder);
	sheet_free(&g.sheet);
	error_restore(&error);
	if (status == STATUS_OK)
		lab_result_sum(out);
	return status;
}

/* --- lab start, lab check --- */

enum status questions_start(const struct lab *lab, const char *student, const char *folder)
{
	char *sheet = xasprintf("%s/%s", folder, lab->file);
	char *trace = xasprintf("%s/" OWN_TRACE, folder);
	enum status status = STATUS_OK;

	if (student)
		status = sheet_sign(sheet, student);
	if (status == STATUS_OK)
		status = lab_trace_make(lab, own_seed(lab, student ? student : ""), trace);
	free(sheet);
	free(trace);
	return status;
}

enum status questions_check(const struct lab *lab, const char *secret, const char *lead,
			    int *wrong)
{
	(void)secret;
	check_families(lab, lead, wrong);
	return STATUS_OK;
}
