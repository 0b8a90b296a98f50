/* judge.c - the process that computes expected values; see judge.h. */
#include "config.h"

#include "tui/lab/judge/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tui/lab/reference/references.h"

#define MAX_ANSWER ((size_t)16 << 20)

static enum status decide(const struct lab_case *c, struct verdict *v)
{
	struct reference_job job = { .c = c };
	enum status status;

	for (int i = 0; i < c->array_count; i++)
		if (case_array_writes(&c->arrays[i]))
			job.expected[i] = xcalloc(c->arrays[i].count, sizeof(double));
	status = reference_run(&job);
	if (status == STATUS_OK) {
		judge_outputs(c, job.expected, v);
		status = judge_invariants(c, v->failures);
	}
	for (int i = 0; i < c->array_count; i++)
		free(job.expected[i]);
	return status;
}

static void judge_main(const struct lab_case *c, int fd)
{
	struct verdict v = { .failures = json_array() };
	enum status status = decide(c, &v);
	json_t *answer = json_object();
	int failed;

	if (status != STATUS_OK)
		json_object_set_new(answer, "error", json_string(error_text()));
	json_object_set_new(answer, "failures", v.failures);
	json_object_set_new(answer, "margin", json_real(v.margin));
	failed = json_dumpfd(answer, fd, JSON_COMPACT);
	_exit(failed ? 1 : 0);
}

static char *read_all(int fd, size_t *count)
{
	char *text = NULL;
	ssize_t got;

	*count = 0;
	do {
		text = xrealloc(text, *count + 65536);
		got = read(fd, text + *count, 65536);
		if (got > 0)
			*count += (size_t)got;
	} while ((got > 0 && *count < MAX_ANSWER) || (got < 0 && errno == EINTR));
	return text;
}

static enum status take_answer(const char *text, size_t count, struct verdict *out)
{
	json_t *answer = json_loadb(text, count, 0, NULL);
	const char *error = json_string_value(json_object_get(answer, "error"));
	enum status status = STATUS_OK;

	out->failures = json_incref(json_object_get(answer, "failures"));
	out->margin = json_number_value(json_object_get(answer, "margin"));
	if (error)
		status = fail(STATUS_INTERNAL, "%s", error);
	else if (!json_is_array(out->failures))
		status = fail(STATUS_INTERNAL, "the judge ended without an answer");
	json_decref(answer);
	return status;
}

enum status judge_case(const struct lab_case *c, struct verdict *out)
{
	int ends[2], ended = -1;
	enum status status;
	size_t count;
	pid_t child;
	char *text;

	*out = (struct verdict){ 0 };
	if (pipe(ends) != 0)
		return fail(STATUS_INTERNAL, "pipe: %s", strerror(errno));
	fflush(NULL);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		judge_main(c, ends[1]);
	}
	close(ends[1]);
	text = read_all(ends[0], &count);
	close(ends[0]);
	while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
		;
	if (child < 0 || !WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
		status = fail(STATUS_INTERNAL, "the judge's process ended abnormally");
	else
		status = take_answer(text, count, out);
	free(text);
	return status;
}
