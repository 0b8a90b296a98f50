/* command.c - what commands share in addition to their table entry: interrupts, and a stdout that
 * fails.
 *
 * If a signal ends the program, a trace being recorded keeps what was committed
 * (traces/store/store.h); other incomplete output files are removed.
 *
 * Options are parsed by tui/options.c; exit codes and error lines are in main.c.
 */
#include "tui/command.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"

static volatile sig_atomic_t deferred, interrupted, ended;

static void on_interrupt(int signal_number)
{
	static const char line[] = "flashtwin: interrupted\n";

	(void)signal_number;
	if (!deferred || interrupted) {
		ssize_t ignored = write(STDERR_FILENO, line, sizeof line - 1);

		output_abandon();
		(void)ignored;          /* the process exits anyway */
		_exit(status_exit_code(STATUS_INTERRUPTED));
	}
	interrupted = 1;
}

/* Ends the process by the signal, as if it had not been caught: SA_RESETHAND has restored the
 * default action. */
static void on_end(int signal_number)
{
	output_abandon();
	raise(signal_number);
}

/* The second signal ends the process. */
static void on_deferred_end(int signal_number)
{
	if (ended) {
		output_abandon();
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	}
	ended = signal_number;
}

/* A signal that was ignored when the program started stays ignored: shells ignore SIGINT for
 * background jobs, nohup ignores SIGHUP. */
static void catch_signal(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction before;

	if (sigaction(number, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

/* What they do when this process starts a program. */
static struct sigaction pipe_before, size_before;

static void ignore_signal(int number, struct sigaction *before)
{
	struct sigaction action = { .sa_handler = SIG_IGN };

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, before);
}

void command_catch_signals(void)
{
	/* A closed pipe must not end a run whose trace is still being written. Neither must a file
	 * size limit (ulimit -f): the write fails with an error instead. */
	ignore_signal(SIGPIPE, &pipe_before);
	ignore_signal(SIGXFSZ, &size_before);
	catch_signal(SIGINT, on_interrupt, SA_RESTART);
	catch_signal(SIGTERM, on_end, SA_RESETHAND);
	catch_signal(SIGHUP, on_end, SA_RESETHAND);
}

static void release_signal(int number)
{
	struct sigaction now;

	if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
		signal(number, SIG_DFL);
}

void command_restore_signals(void)
{
	sigaction(SIGPIPE, &pipe_before, NULL);
	sigaction(SIGXFSZ, &size_before, NULL);
	release_signal(SIGINT);
	release_signal(SIGTERM);
	release_signal(SIGHUP);
}

void command_defer_interrupt(void)
{
	deferred = 1;
}

void command_defer_signals(void)
{
	command_defer_interrupt();
	catch_signal(SIGTERM, on_deferred_end, SA_RESTART);
	catch_signal(SIGHUP, on_deferred_end, SA_RESTART);
}

bool command_interrupted(void)
{
	return interrupted != 0;
}

bool command_ended(void)
{
	return ended != 0;
}

void command_end(void)
{
	if (!ended)
		return;
	signal(ended, SIG_DFL);
	raise(ended);
}

enum status command_differs(void)
{
	error_clear();
	return STATUS_DIFFERS;
}

/* --- exit code --- */

static int forced_exit = -1;

void command_set_exit(int code)
{
	forced_exit = code;
}

int command_exit(enum status status)
{
	return forced_exit >= 0 && status == STATUS_OK ? forced_exit : status_exit_code(status);
}

/* --- standard output --- */

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
