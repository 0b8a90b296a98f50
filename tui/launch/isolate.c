/* isolate.c - runs a function in a child process; see isolate.h.
 *
 * The child sends messages through a pipe: that it has started, one per finding, then its result.
 * Each has the secret of this run and a hash. A kernel that writes to the pipe makes the report
 * invalid; a process that forked sends two results, which is invalid too.
 */
#include "config.h"

#include "tui/launch/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/fd.h"
#include "base/xalloc.h"
#include "sim/check/check.h"
#include "tui/command.h"
#include "tui/launch/confine.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/supervise.h"

#define REPORT_FD 3
#define MAX_TEXT 4096

enum message_kind { MESSAGE_FINDING = 1, MESSAGE_RESULT, MESSAGE_STARTED };

struct message {
	uint64_t secret[2];
	uint64_t hash;                  /* of kind, bytes and what follows */
	uint32_t kind;
	uint32_t bytes;                 /* that follow */
};

struct result {
	int32_t status;
	int32_t has_results;
	char text[MAX_TEXT];
	/* The answer as JSON follows. */
};

/* Of the child; only one runs. */
static struct {
	int fd;
	uint64_t secret[2];
} reporter;

static uint64_t hash_of(const struct message *m, const void *body)
{
	return XXH3_64bits_withSeed(body, m->bytes, m->secret[0] ^ m->kind) ^ m->bytes;
}

/* --- in the child --- */

static void send_message(enum message_kind kind, const void *body, size_t bytes)
{
	struct message message = {
		.secret = { reporter.secret[0], reporter.secret[1] }, .kind = kind,
		.bytes = (uint32_t)bytes,
	};
	char *all = xmalloc(sizeof message + bytes);

	message.hash = hash_of(&message, body);
	memcpy(all, &message, sizeof message);
	memcpy(all + sizeof message, body, bytes);
	/* It fails when the parent has ended. */
	(void)fd_write(reporter.fd, all, sizeof message + bytes);
	free(all);
}

static void send_finding(void)
{
	send_message(MESSAGE_FINDING, "", 0);
}

static void send_result(enum status status, const struct isolated *job)
{
	char *answer = job->answer ? json_dumps(job->answer, JSON_COMPACT | JSON_PRESERVE_ORDER)
		: NULL;
	size_t length = answer ? strlen(answer) : 0;
	struct result *result = xcalloc(1, sizeof *result + length + 1);

	result->status = status;
	result->has_results = job->has_results;
	snprintf(result->text, sizeof result->text, "%s", error_text());
	memcpy(result + 1, answer ? answer : "", length);
	send_message(MESSAGE_RESULT, result, sizeof *result + length);
	free(result);
	free(answer);
}

/* Keeps only the standard descriptors and the pipe. */
static void close_others(int fd)
{
	if (fd != REPORT_FD && dup2(fd, REPORT_FD) < 0)
		_exit(126);
	for (int i = REPORT_FD + 1; i < 1024; i++)
		close(i);
	fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
	reporter.fd = REPORT_FD;
}

static void child_main(struct isolated *job, int fd, pid_t parent)
{
	enum status status;

	confine(job->sandbox, job->gpu ? CONFINE_GPU : job->checker ? CONFINE_CHECKED
		: CONFINE_KERNEL, parent);
	close_others(fd);
	if (job->check)
		check_set_observer(send_finding);
	send_message(MESSAGE_STARTED, "", 0);
	status = job->fn(job->context);
	if (fflush(stdout) != 0 && status == STATUS_OK)
		status = fail(STATUS_IO, "standard output: %s", strerror(errno));
	send_result(status, job);
	_exit(0);
}

/* --- in the parent --- */

/* How a child ended that sent no valid report. */
static enum status describe_end(int ended)
{
	if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXCPU)
		return fail(STATUS_LIMIT, "the kernel used all the processor time it may use");
	if (WIFSIGNALED(ended))
		return fail(STATUS_INTERNAL, "the process that ran the kernel died of signal %d "
			    "(%s)", WTERMSIG(ended), strsignal(WTERMSIG(ended)));
	return fail(STATUS_INTERNAL, "the process that ran the kernel ended with exit code %d "
		    "without a complete report", WEXITSTATUS(ended));
}

/* The result among the messages, if these are valid: the start, any number of findings, and one
 * result at the end. NULL if not. *findings: how many. */
static const struct result *find_result(const struct supervised *w, size_t *bytes, int *findings,
					bool *started)
{
	size_t at = 0;
	struct message m;

	for (*findings = 0; w->count - at >= sizeof m; *findings += m.kind == MESSAGE_FINDING) {
		const char *body = w->bytes + at + sizeof m;

		memcpy(&m, w->bytes + at, sizeof m);
		at += sizeof m;
		if (m.bytes > w->count - at || m.secret[0] != reporter.secret[0]
		    || m.secret[1] != reporter.secret[1] || m.hash != hash_of(&m, body))
			return NULL;
		at += m.bytes;
		*started |= m.kind == MESSAGE_STARTED;
		if (m.kind == MESSAGE_RESULT) {
			*bytes = m.bytes;
			return at == w->count && m.bytes >= sizeof(struct result)
				? (const struct result *)(const void *)body : NULL;
		}
	}
	return NULL;
}

static enum status judge(struct isolated *job, const struct supervised *w)
{
	const struct result *found;
	struct result result;
	size_t bytes;
	int findings;

	found = find_result(w, &bytes, &findings, &job->started);
	if (!found || !WIFEXITED(w->ended) || WEXITSTATUS(w->ended) != 0)
		return describe_end(w->ended);
	memcpy(&result, found, sizeof result);
	result.text[MAX_TEXT - 1] = '\0';
	if (bytes > sizeof result)
		job->answer = json_loadb((const char *)(found + 1), bytes - sizeof result,
					 JSON_ALLOW_NUL, NULL);
	job->has_results = result.has_results;
	if (findings && (result.status == STATUS_OK || result.status == STATUS_DIFFERS)) {
		json_decref(job->answer);
		job->answer = NULL;
		job->has_results = false;
		return fail(STATUS_INTERNAL, "the checker found something, and the kernel's "
			    "process says it did not");
	}
	if (result.status == STATUS_OK)
		return STATUS_OK;
	if (result.status == STATUS_DIFFERS && !*result.text)
		return command_differs();
	return fail((enum status)result.status, "%s", result.text);
}

/* Of a child that was ended: whether it had got as far as fn. */
static void note_start(struct isolated *job, const struct supervised *w)
{
	size_t bytes;
	int findings;

	find_result(w, &bytes, &findings, &job->started);
}

enum status isolate_run(struct isolated *job)
{
	struct supervised w = { .report = -1 };
	pid_t parent = getpid();
	enum status status;
	int ends[2];

	TRY(sandbox_start(job->sandbox));
	if (pipe2(ends, O_CLOEXEC) != 0)
		return fail(STATUS_INTERNAL, "pipe: %s", strerror(errno));
	if (getrandom(reporter.secret, sizeof reporter.secret, 0) != sizeof reporter.secret)
		reporter.secret[0] = (uint64_t)parent;
	fflush(NULL);
	w.child = fork();
	if (w.child == 0)
		child_main(job, ends[1], parent);
	close(ends[1]);
	w.report = ends[0];
	json_decref(job->answer);       /* the child's copy counts */
	job->answer = NULL;
	job->started = false;
	status = w.child < 0 ? fail(STATUS_INTERNAL, "fork: %s", strerror(errno))
		: supervise(job->sandbox, &w);
	close(ends[0]);
	if (status == STATUS_OK)
		status = judge(job, &w);
	else
		note_start(job, &w);
	free(w.bytes);
	return status;
}
