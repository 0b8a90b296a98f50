/* program_child.h - the process in which a user's program runs. */
#ifndef PROGRAM_CHILD_H
#define PROGRAM_CHILD_H

#include <jansson.h>
#include <signal.h>

#include "tui/launch/program.h"
#include "tui/run.h"

struct program_job {
	const struct run_options *options;
	const struct program_source *source;
	json_t *asked;                  /* of run_begin() */
	int argc;
	char **argv;                    /* of the program; argv[0] is its name */
	const sigset_t *signals;        /* the mask that the program starts with */
	int notes;                      /* a descriptor of notes_open() */
};

/* Compiles the program and runs it on a device in this process, which is a child of `parent` and
 * ends like the program. Notes say how far it came:
 *   failed    it could not start: status, text
 *   entered   the program's own code runs from now on
 *   finding   the checker has found something
 *   ended     by exit(), quick_exit(), abort() or a return from main(): status, text, fault, report
 *   crashed   by an invalid access or the like: report, with findings only
 * There is no further note if it ends in another way. */
_Noreturn void program_child(const struct program_job *, pid_t parent);

#endif
