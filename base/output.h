/* output.h - output files that appear complete or not at all.
 *
 * A command writes to PATH.tmp.<pid>, which is renamed to PATH when complete, so an error or a kill
 * never leaves a partial file under the final name. Handlers of fatal signals should call
 * output_abandon(), or PATH.tmp.<pid> stays. An existing PATH that is not a regular file (a
 * terminal, a pipe, /dev/null) is written to directly.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

struct output {
	FILE *file;                     /* to write to; owned */
	char *path, *temporary;         /* temporary is NULL if the path is written to directly */
	/* Set by the caller: not worth waiting for the disk. A crash of the system, unlike one of
	 * the program, may leave an empty file. */
	bool expendable;
};

/* Fails if output_open() would. Lets slow commands detect a bad path before they start. */
enum status output_check(const char *path);
/* Whether `path` and `file` are the same file, under whatever names or links. */
bool output_is(const char *path, const char *file);
/* Fills *out. IO with the path and the reason. */
enum status output_open(const char *path, struct output *out);
/* Closes and renames. IO if anything could not be written; the temporary file is then removed. */
enum status output_commit(struct output *);
/* Writes a whole file. IO as for output_open() and output_commit(). */
enum status output_text(const char *path, const char *text);
/* Closes and removes what was written. */
void output_discard(struct output *);

/* Removes the temporary files of all open outputs. Safe in a signal handler; the process must end
 * afterwards. */
void output_abandon(void);
/* For a file being written without a struct output: output_abandon() removes it too, if it exists.
 * The string must stay valid until output_forget(). */
void output_remember(const char *temporary);
void output_forget(const char *temporary);

#endif
