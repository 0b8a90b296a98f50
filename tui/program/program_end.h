/* program_end.h - what the end of a user's program means: verdict, exit code, lines, JSON. */
#ifndef PROGRAM_END_H
#define PROGRAM_END_H

#include <jansson.h>
#include <stdio.h>

#include "base/status.h"
#include "tui/program/notes.h"

/* In the order of the choices of --exit. */
enum program_exit { EXIT_PROGRAM, EXIT_VERDICT, EXIT_WORSE };

struct program_end {
	struct notes notes;
	int ended;                      /* as waitpid() gives it */
	enum status verdict;            /* set by program_end_judge() */
	int exit_code;                  /* of the command; also set by it */
};

/* Sets the verdict, whose message is then the current error. `watched`: of program_watch(). */
void program_end_judge(struct program_end *, enum status watched, enum program_exit);
/* Whether the program's own code may have run, but not to an end that could be reported. */
bool program_end_lost(const struct program_end *);

/* Findings as text of several lines each. */
void program_end_findings(const struct program_end *, FILE *);
/* One line each for what the program and its launches did and for the verdict, as far as the exit
 * code does not say it, on stderr. `trace`: of -o, or NULL. */
void program_end_lines(const struct program_end *, const char *trace);
/* Adds everything to an object. */
void program_end_json(const struct program_end *, json_t *);

#endif
