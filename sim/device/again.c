/* again.c - runs a checked launch again under further seeds, or tries one; see again.h.
 *
 * The copy is a child process, forked before the launch, which shares all memory until one of the
 * two writes there. It waits until the launch is over, and forks again for each seed. These
 * processes print nothing, and send back what the checker finds that was not known before.
 */
#include "config.h"

#include "sim/device/again.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/check/check.h"

static void wait_for(pid_t child)
{
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static pid_t fork_child(void)
{
	pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	return 0;
}

/* What kernels print has been printed by the launch itself. */
static void be_quiet(void)
{
	int nothing = open("/dev/null", O_WRONLY);

	if (nothing < 0)
		_exit(0);
	dup2(nothing, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	check_set_observer(NULL);
}

static __attribute__((noreturn)) void serve(struct check *check, int go, int found, uint64_t seed,
					    int count, again_fn *run, void *context)
{
	size_t known = check_known(check);
	ssize_t got;
	char byte;

	while ((got = read(go, &byte, 1)) < 0 && errno == EINTR)
		;
	for (int i = 1; got == 1 && i <= count; i++) {
		pid_t child = fork_child();

		if (child == 0) {
			be_quiet();
			run(context, seed + (uint64_t)i);
			check_send(check, known, seed + (uint64_t)i, found);
			_exit(0);
		}
		if (child > 0)
			wait_for(child);
	}
	_exit(0);
}

/* Whether three processes of this size are too much: limits count the memory that they share for
 * each of them. */
static bool is_large(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file)
		return false;
	if (fscanf(file, "%*s %ld", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages > sysconf(_SC_PHYS_PAGES) / 5;
}

void again_prepare(struct again *again, struct check *check, uint64_t seed, int count,
		   again_fn *run, void *context)
{
	int go[2], found[2];

	*again = (struct again){ 0 };
	if (is_large() || pipe2(go, O_CLOEXEC) != 0)
		return;
	if (pipe2(found, O_CLOEXEC) != 0) {
		close(go[0]);
		close(go[1]);
		return;
	}
	again->child = fork_child();
	if (again->child == 0) {
		close(go[1]);
		close(found[0]);
		serve(check, go[0], found[1], seed, count, run, context);
	}
	close(go[0]);
	close(found[1]);
	again->go = go[1];
	again->found = found[0];
	if (again->child > 0)
		return;
	again->child = 0;
	close(again->go);
	close(again->found);
}

void again_finish(struct again *again, struct check *check, bool wanted)
{
	if (!again->child)
		return;
	if (wanted && write(again->go, "g", 1) == 1)
		check_receive(check, again->found);
	close(again->go);
	wait_for(again->child);
	close(again->found);
	again->child = 0;
}

bool again_try(bool (*holds)(void *context), void *context)
{
	pid_t child = is_large() ? -1 : fork_child();
	int status = 0;

	if (child == 0) {
		be_quiet();
		_exit(holds(context) ? 1 : 0);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}
