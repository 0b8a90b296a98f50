/* isolate.c - runs a function in a child process; see isolate.h.
 *
 * The child sends its status and message through a pipe, as one struct.
 */
#include "tui/launch/isolate.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui/command.h"

struct answer {
	enum status status;
	char text[4096];
};

static void write_all(int fd, const void *bytes, size_t count)
{
	while (count > 0) {
		ssize_t wrote = write(fd, bytes, count);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return;         /* the parent has ended */
		bytes = (const char *)bytes + wrote;
		count -= (size_t)wrote;
	}
}

static size_t read_all(int fd, void *bytes, size_t capacity)
{
	size_t count = 0;

	while (count < capacity) {
		ssize_t got = read(fd, (char *)bytes + count, capacity - count);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		count += (size_t)got;
	}
	return count;
}

static void child_main(int fd, enum status (*fn)(void *), void *context)
{
	struct answer answer = { 0 };

	/* A kernel may never end by itself: Ctrl-C or the parent's end stops it at once. */
	command_end_on_interrupt();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	answer.status = fn(context);
	snprintf(answer.text, sizeof answer.text, "%s", error_text());
	if (fflush(stdout) != 0 && answer.status == STATUS_OK) {
		answer.status = STATUS_IO;
		snprintf(answer.text, sizeof answer.text, "standard output: %s", strerror(errno));
	}
	write_all(fd, &answer, sizeof answer);
	_exit(0);
}

static enum status collect(pid_t child, int fd)
{
	struct answer answer;
	bool whole = read_all(fd, &answer, sizeof answer) == sizeof answer;
	int ended = 0;

	while (waitpid(child, &ended, 0) < 0)
		if (errno != EINTR)
			return fail(STATUS_INTERNAL, "waiting for the kernel's process: %s",
				    strerror(errno));
	if (whole && answer.status == STATUS_OK)
		return STATUS_OK;
	if (whole)
		return fail(answer.status, "%s", answer.text);
	if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGINT)
		return fail(STATUS_INTERRUPTED, "interrupted");
	if (WIFSIGNALED(ended))
		return fail(STATUS_INTERNAL, "the process that ran the kernel died of signal %d "
			    "(%s)", WTERMSIG(ended), strsignal(WTERMSIG(ended)));
	return fail(WIFEXITED(ended) && WEXITSTATUS(ended) == 130 ? STATUS_INTERRUPTED
		    : STATUS_INTERNAL, "the process that ran the kernel ended with exit code %d",
		    WEXITSTATUS(ended));
}

enum status isolate_run(enum status (*fn)(void *context), void *context)
{
	enum status status;
	int ends[2];
	pid_t child;

	if (pipe(ends) != 0)
		return fail(STATUS_INTERNAL, "pipe: %s", strerror(errno));
	fflush(NULL);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		child_main(ends[1], fn, context);
	}
	close(ends[1]);
	if (child < 0)
		status = fail(STATUS_INTERNAL, "fork: %s", strerror(errno));
	else
		status = collect(child, ends[0]);
	close(ends[0]);
	return status;
}
