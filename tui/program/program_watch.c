/* program_watch.c - passes signals on and ends a program at its time limit; see program_watch.h. */
#include "config.h"

#include "tui/program/program_watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tui/launch/descendants.h"

#define TICK_MS 1000                    /* between two looks at the time */
#define DRAIN_MS 10000                  /* for killed processes to disappear */

static const int taken[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD };

static void fill(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
		sigaddset(set, taken[i]);
}

void program_watch_begin(sigset_t *before)
{
	sigset_t set;

	fill(&set);
	sigprocmask(SIG_BLOCK, &set, before);
	signal(SIGCHLD, SIG_DFL);       /* ignored, it would hide how the program ends */
}

/* What a process sent, in contrast to the terminal, has come here alone. */
static void pass_on(int signals, pid_t child)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0
		    && (pid_t)info.ssi_pid != child)
			kill(child, (int)info.ssi_signo);
}

static void kill_one(pid_t pid, void *count)
{
	*(int *)count += 1;
	kill(pid, SIGKILL);
}

/* Orphans become children of this process: see program_watch(). */
static void kill_all(pid_t child, int *ended)
{
	int64_t until = clock_ms() + DRAIN_MS;
	int count;

	kill(child, SIGKILL);
	while (waitpid(child, ended, 0) < 0 && errno == EINTR)
		;
	do {
		count = 0;
		descendants_visit(getpid(), kill_one, &count);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		poll(NULL, 0, count ? 1 : 0);
	} while (count && clock_ms() < until);
}

/* Milliseconds until the limit, at most a tick. */
static int next_tick(int64_t deadline)
{
	int64_t left = deadline - clock_ms();

	return deadline == 0 || left > TICK_MS ? TICK_MS : left > 0 ? (int)left : 0;
}

static enum status wait_for(int signals, pid_t child, int64_t timeout, int *ended)
{
	int64_t deadline = timeout ? clock_ms() + timeout * 1000 : 0;
	struct pollfd fd = { .fd = signals, .events = POLLIN };

	for (;;) {
		pid_t got;

		if (poll(&fd, 1, next_tick(deadline)) > 0)
			pass_on(signals, child);
		got = waitpid(child, ended, WNOHANG);
		if (got == child)
			return STATUS_OK;
		if (got < 0 && errno != EINTR)
			return fail(STATUS_INTERNAL, "waiting for the program: %s",
				    strerror(errno));
		if (deadline && clock_ms() >= deadline) {
			kill_all(child, ended);
			return fail(STATUS_LIMIT, "not finished within --timeout %lld s",
				    (long long)timeout);
		}
	}
}

enum status program_watch(pid_t child, int64_t timeout, int *ended)
{
	enum status status;
	sigset_t set;
	int signals;

	fill(&set);
	/* So that processes that the program leaves behind are found at the limit. */
	if (timeout)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return fail(STATUS_INTERNAL, "signalfd: %s", strerror(errno));
	status = wait_for(signals, child, timeout, ended);
	close(signals);
	return status;
}
