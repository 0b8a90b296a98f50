/* notes.h - what the process of a user's program tells the process that watches it.
 *
 * Notes are JSON objects in a file in memory that has no name. The program's process appends them
 * through a descriptor with a high number, which programs that it executes do not inherit; the
 * watching process reads them when that process has ended, however it ended. Used by tui/program/.
 */
#ifndef NOTES_H
#define NOTES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/status.h"

/* What the notes say, in the end. */
struct notes {
	bool entered;                   /* the program's own code may have run */
	bool failed;                    /* it could not start */
	bool ended;                     /* it ended by exit(), and there is a verdict */
	bool crashed;                   /* it died, and the report, if any, has only findings */
	enum status status;             /* the verdict, or why the program did not start, or what
					 * had ended its launches when it died */
	char *text;                     /* of that error; NULL: none */
	json_t *fault;                  /* code and message of a failed launch; NULL: none */
	json_t *refused;                /* the same of a launch that was refused, unnoticed */
	json_t *report;                 /* of run_end(); NULL: none */
	int findings;                   /* seen while the program ran, without lints and leaks */
};

/* The descriptor for both processes. INTERNAL if there is none. */
enum status notes_open(int *fd);
/* Appends a note; takes over its members. Errors are ignored: a missing note is seen by the
 * reader. */
void notes_add(int fd, const char *kind, json_t *members);
/* Adds "status" and "text": the current error. */
json_t *notes_error(enum status);
/* Reads all notes. Free them with notes_free(). */
void notes_read(int fd, struct notes *);
void notes_free(struct notes *);

#endif
