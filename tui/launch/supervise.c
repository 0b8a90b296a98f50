/* supervise.c - the parent's loop while a child runs; see supervise.h. */
#include "config.h"

#include "tui/launch/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/launch/descendants.h"
#include "tui/launch/sandbox.h"

#define TICK_MS 50                      /* between two looks at memory, time and signals */
#define TICK_WITHOUT_PIDFD_MS 2
#define DRAIN_MS 10000                  /* after everything that could write was killed */
#define MAX_REPORT ((size_t)256 << 20)

/* Reads what is there. False at the end of the pipe. */
static bool read_some(struct supervised *w)
{
	char buffer[65536];
	ssize_t got = read(w->report, buffer, sizeof buffer);

	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	if (got == 0)
		return false;
	/* What is beyond the limit makes the report invalid. */
	for (ssize_t i = 0; i < got && w->count <= MAX_REPORT; i++) {
		if (w->count % sizeof buffer == 0)
			w->bytes = xrealloc(w->bytes, w->count + sizeof buffer);
		w->bytes[w->count++] = buffer[i];
	}
	return true;
}

static enum status check_limits(const struct sandbox *s)
{
	if (command_interrupted() || command_ended())
		return fail(STATUS_INTERRUPTED, "interrupted");
	if (s->deadline_ms && clock_ms() >= s->deadline_ms)
		return fail(STATUS_LIMIT, "not finished within --timeout %lld s",
			    (long long)s->options.timeout);
	if (s->options.mode != SANDBOX_NO && descendants_resident(getpid()) > s->memory)
		return fail(STATUS_LIMIT, "the kernel's processes use more than %.1f GiB of "
			    "memory, three quarters of this machine's: --sandbox=no lifts it",
			    (double)s->memory / (1 << 30));
	return STATUS_OK;
}

static int next_tick(const struct sandbox *s, bool has_pidfd)
{
	int64_t left = s->deadline_ms ? s->deadline_ms - clock_ms() : TICK_MS;

	if (!has_pidfd)
		return TICK_WITHOUT_PIDFD_MS;
	return left > TICK_MS ? TICK_MS : left > 0 ? (int)left : 0;
}

static void stop(struct sandbox *s, struct supervised *w)
{
	kill(-w->child, SIGKILL);       /* it leads a group; or not yet */
	kill(w->child, SIGKILL);
	sandbox_kill(s);
	while (waitpid(w->child, &w->ended, 0) < 0 && errno == EINTR)
		;
}

static enum status wait_for(struct sandbox *s, struct supervised *w, int pidfd)
{
	bool open = w->report >= 0;

	for (;;) {
		struct pollfd fds[2] = {
			{ .fd = open ? w->report : -1, .events = POLLIN },
			{ .fd = pidfd, .events = POLLIN },
		};
		enum status status;
		pid_t got;

		poll(fds, 2, next_tick(s, pidfd >= 0));
		if (fds[0].revents && open)
			open = read_some(w);
		got = waitpid(w->child, &w->ended, WNOHANG);
		if (got == w->child)
			return STATUS_OK;
		if (got < 0 && errno != EINTR)
			return fail(STATUS_INTERNAL, "waiting for the kernel's process: %s",
				    strerror(errno));
		status = check_limits(s);
		if (status != STATUS_OK) {
			struct error_record error;

			error_save(&error);
			stop(s, w);
			error_restore(&error);
			return status;
		}
	}
}

/* Processes that the kernel left behind may still write: they are killed first, again while any is
 * found, and only then does what was written count. */
static void drain(struct sandbox *s, struct supervised *w)
{
	int64_t end = clock_ms() + DRAIN_MS;
	struct pollfd fd = { .fd = w->report, .events = POLLIN };

	do {
		kill(-w->child, SIGKILL);
		sandbox_kill(s);
	} while ((poll(&fd, 1, TICK_MS) <= 0 || read_some(w)) && clock_ms() < end);
	if (clock_ms() >= end)
		w->count = 0;           /* somebody still has the pipe: believe nothing */
}

enum status supervise(struct sandbox *s, struct supervised *w)
{
	int pidfd = (int)syscall(SYS_pidfd_open, w->child, 0);
	enum status status = wait_for(s, w, pidfd);

	if (pidfd >= 0)
		close(pidfd);
	if (status == STATUS_OK && w->report >= 0)
		drain(s, w);
	return status;
}
