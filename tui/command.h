/* command.h - the interface of a command; what commands share: signals, errors of stdout.
 *
 * Each command has a file cmd_NAME.c, which ends with its struct command.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "tui/option_table.h"

struct command {
	const char *summary;            /* one line for `flashtwin --help` */
	/* `flashtwin decode --help` prints usage and description, the options of the table, then
	 * the examples under a heading. */
	const char *usage, *examples;
	/* argv[0] is the command's name. The status becomes the exit code; main.c prints an error's
	 * text as one line, "flashtwin decode: TEXT", on stderr. */
	enum status (*run)(int argc, char **argv);
};

/* cmd_attend and so on. Their names are in option_table.h. */
#define X(id, name) extern const struct command cmd_##name;
COMMAND_LIST(X)
#undef X

/* SIGINT ends the process at once, with a line on stderr and exit code 130. After
 * command_defer_interrupt(), for commands that have something to finish, the first SIGINT only
 * makes command_interrupted() true: the command finishes and returns STATUS_INTERRUPTED. A second
 * SIGINT ends the process. SIGTERM and SIGHUP end it as if they were not caught. A signal that ends
 * the process removes incomplete output files first. SIGPIPE and SIGXFSZ are ignored. */
void command_catch_signals(void);       /* main.c only */
/* In a child process: all signals do what they did when this program started. */
void command_restore_signals(void);
void command_defer_interrupt(void);
bool command_interrupted(void);
/* For commands that have processes to end and files to remove: defers SIGTERM and SIGHUP too. The
 * first of them makes command_ended() true; when everything is cleaned up, command_end() ends the
 * process by it, and does nothing if there was none. A second one ends the process at once. */
void command_defer_signals(void);
bool command_ended(void);
void command_end(void);

/* DIFFERS without a line on stderr, for a command that has already printed the differences. */
enum status command_differs(void);

/* For a command that has printed its own lines and returns OK: the exit code. */
void command_set_exit(int code);
int command_exit(enum status);          /* main.c only */

/* To be called right after a write to stdout failed. Saves errno: main.c reports the error once, or
 * not at all if the reader closed the pipe. Always returns IO. */
enum status command_stdout_failed(void);
int command_stdout_error(void);         /* the saved errno, 0: none; main.c only */

#endif
