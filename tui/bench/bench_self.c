/* bench_self.c - runs flashtwin itself, as another process; see bench_self.h. */
#include "config.h"

#include "tui/bench/bench_self.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui/bench/bench_sample.h"

extern char **environ;

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

/* code: its exit code. */
static enum status run_self(const char *const *arguments, double *wall, double *cpu, int *code)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage = { 0 };
	double start = bench_now();
	int state = 0, error;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawn(&child, "/proc/self/exe", &actions, NULL,
			    (char *const *)(uintptr_t)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0)
		return fail(STATUS_IO, "/proc/self/exe: %s", strerror(error));
	while (wait4(child, &state, 0, &usage) < 0)
		if (errno != EINTR)
			return fail(STATUS_IO, "/proc/self/exe: %s", strerror(errno));
	*wall = bench_now() - start;
	*cpu = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	*code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
	return STATUS_OK;
}

enum status bench_self_ends(const char *const *arguments, int worst, double *wall, double *cpu)
{
	int code = 0;

	TRY(run_self(arguments, wall, cpu, &code));
	if (code < 0 || code > worst)
		return fail(STATUS_INTERNAL, "flashtwin %s %s ended with %d", arguments[1],
			    arguments[2], code);
	return STATUS_OK;
}
