/* grade.c - the order of things in grading; see grade.h. */
#include "tui/lab/grade/grade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "tui/lab/case/failure.h"
#include "tui/lab/case/lab_random.h"
#include "tui/lab/grade/grade_case.h"

#define MAX_SECRET ((size_t)4096)

uint64_t grade_seed(const struct lab *lab, enum lab_part part, const char *student,
		    const char *secret)
{
	if (part == PART_PUBLIC)
		return seed_from(lab->name, 0);
	return seed_from(student ? student : "", seed_from(secret, 0));
}

static int count_of(const struct lab_family *family, enum lab_part part)
{
	return part == PART_PUBLIC ? (int)json_array_size(family->public_cases)
		: family->secret_cases;
}

/* The case that is graded now, in a line that the next one replaces; NULL removes it. A case that
 * does not end takes seconds. */
static void show_progress(const struct grading *g, const struct case_result *c)
{
	if (!g->progress || !isatty(STDERR_FILENO))
		return;
	if (c)
		fprintf(stderr, "\r%s: case %d, %s\033[K", lab_part_names[c->part],
			g->result->case_count, c->title);
	else
		fprintf(stderr, "\r\033[K");
}

static enum status grade_part(struct grading *g, enum lab_part part, uint64_t seed)
{
	const struct lab *lab = g->result->lab;
	enum status status = STATUS_OK;

	g->result->parts[part].graded = true;
	for (int i = 0; i < lab->family_count; i++) {
		const struct lab_family *family = &lab->families[i];

		for (int k = 0; k < count_of(family, part) && status == STATUS_OK; k++) {
			g->at = lab_result_add(g->result, part, family, k);
			show_progress(g, g->at);
			status = grade_case(g, seed_of_case(lab_part_names[part], family->name, k,
							    seed));
		}
	}
	show_progress(g, NULL);
	return status;
}

/* A line break at the end of the file is not part of the secret. */
static enum status read_secret(const char *file, char **out)
{
	size_t bytes;

	TRY(file_read(file, MAX_SECRET, out, &bytes));
	while (bytes > 0 && ((*out)[bytes - 1] == '\n' || (*out)[bytes - 1] == '\r'))
		(*out)[--bytes] = '\0';
	if (bytes > 0 && strlen(*out) == bytes)
		return STATUS_OK;
	free(*out);
	*out = NULL;
	return fail(STATUS_USAGE, "--secret %s: expected a text", file);
}

bool grade_has_secret(const struct grade_options *o)
{
	return o->secret || o->secret_file;
}

enum status grade_secret(const struct grade_options *o, char **out)
{
	if (!o->secret)
		return read_secret(o->secret_file, out);
	*out = xstrdup(o->secret);
	return STATUS_OK;
}

static enum status grade_all(struct grading *g, const struct grade_options *o)
{
	const struct lab *lab = g->result->lab;
	char *secret;
	uint64_t seed;

	TRY(grade_part(g, PART_PUBLIC, grade_seed(lab, PART_PUBLIC, NULL, NULL)));
	if (!grade_has_secret(o))
		return STATUS_OK;
	TRY(grade_secret(o, &secret));
	seed = grade_seed(lab, PART_SECRET, o->student, secret);
	free(secret);
	return grade_part(g, PART_SECRET, seed);
}

void grade_fail_all(struct lab_result *r, bool secret)
{
	for (int part = PART_PUBLIC; part <= (secret ? PART_SECRET : PART_PUBLIC); part++) {
		r->parts[part].graded = true;
		for (int i = 0; i < r->lab->family_count; i++)
			r->parts[part].count += count_of(&r->lab->families[i], (enum lab_part)part);
	}
}

enum status grade_submission(const struct lab *lab, const struct grade_options *o,
			     struct lab_result *out)
{
	const struct submission_options options = {
		.file = o->file, .sandbox = o->sandbox, .jobs = o->jobs,
		.gpu = o->gpu,
	};
	struct grading g = {
		.result = out, .traces = o->traces, .staff = o->staff, .options = options,
		.progress = o->progress,
	};
	enum status status;

	*out = (struct lab_result){
		.lab = lab, .file = xstrdup(o->file),
		.student = o->student ? xstrdup(o->student) : NULL,
	};
	out->parts[PART_CHECKER].graded = out->parts[PART_STRUCTURE].graded = true;
	g.options.points = true;
	status = submission_build(lab, &options, &g.submission, &out->messages);
	out->compiled = status == STATUS_OK;
	if (status == STATUS_OK) {
		status = grade_all(&g, o);
	} else if (status == STATUS_COMPILE) {
		char *all = xasprintf("%s%s", out->messages ? out->messages : "", error_text());

		free(out->messages);
		out->messages = all;
		grade_fail_all(out, grade_has_secret(o));
		error_clear();
		status = STATUS_OK;
	}
	submission_free(g.submission);
	submission_free(g.recorded);
	if (status == STATUS_OK)
		lab_result_sum(out);
	return status;
}
