/* command.h - what a command of flashtwin is. One file per command, its struct command last. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "tui/option_table.h"

struct command {
	const char *name;               /* "decode" */
	const char *summary;            /* one line for `flashtwin --help` */
	/* `flashtwin decode --help` prints usage and description, the options of the table, then the
	 * examples under a heading. */
	const char *usage, *examples;
	/* argv[0] is the command's name. The status becomes the exit code; main.c prints an error's
	 * text as one line, "flashtwin decode: TEXT", on stderr. */
	enum status (*run)(int argc, char **argv);
};

/* By enum command_id, and NULL at the end. */
extern const struct command *const command_table[];

#define X(id, name) extern const struct command cmd_##name;
COMMAND_LIST(X)
#undef X

/* SIGINT ends the process at once, with a line on stderr and exit code 130, unless a command that
 * has something to finish called command_defer_interrupt(): then it only makes
 * command_interrupted() true, the command returns STATUS_INTERRUPTED when it is ready, and a second
 * SIGINT ends the process. SIGTERM and SIGHUP end it as if nobody caught them. Whatever ends it,
 * output files that are not whole are removed. */
void command_catch_signals(void);       /* main.c only */
/* For a child process that is to end at once: SIGINT does what SIGTERM does, which is not
 * ignored. */
void command_end_on_interrupt(void);
void command_defer_interrupt(void);
bool command_interrupted(void);

/* DIFFERS without a line on stderr, for a command whose report has said what differs. */
enum status command_differs(void);

/* For a command that stdout refused to take more from, right after the call that failed. Remembers
 * why; main.c says so, once, or says nothing when the reader went away. Always IO. */
enum status command_stdout_failed(void);
int command_stdout_error(void);         /* its errno, 0: none; main.c only */

#endif
