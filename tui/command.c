/* command.c - what commands share beside their table entry: interrupts, a stdout that fails, and
 * features still to come.
 *
 * Options are each command's own business; exit codes and error lines are main.c's.
 */
#include "tui/command.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t deferred, interrupted;

static void on_interrupt(int signal_number)
{
	static const char line[] = "flashtwin: interrupted\n";

	(void)signal_number;
	if (!deferred || interrupted) {
		ssize_t ignored = write(STDERR_FILENO, line, sizeof(line) - 1);

		(void)ignored;          /* nobody is left to be told */
		_exit(status_exit_code(STATUS_INTERRUPTED));
	}
	interrupted = 1;
}

void command_catch_interrupt(void)
{
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
	struct sigaction before;

	/* Whoever started us with SIGINT ignored, as shells do in the background, meant it. */
	if (sigaction(SIGINT, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

void command_defer_interrupt(void)
{
	deferred = 1;
}

bool command_interrupted(void)
{
	return interrupted != 0;
}

enum status command_differs(void)
{
	error_clear();
	return STATUS_DIFFERS;
}

static int stdout_errno;

enum status command_stdout_failed(void)
{
	stdout_errno = errno;
	return fail(STATUS_IO, "standard output: %s", strerror(errno));
}

int command_stdout_error(void)
{
	return stdout_errno;
}

enum status not_built_yet(const char *what)
{
	return fail(STATUS_USAGE, "%s is not built yet", what);
}
