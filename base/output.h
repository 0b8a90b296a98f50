/* output.h - files that appear whole or not at all.
 *
 * What a command writes goes to PATH.tmp.<pid> and is renamed to PATH once all of it is on disk, so
 * that an error or a kill leaves nothing half-written under the final name. Signals that a program
 * dies of should call output_abandon(), or PATH.tmp.<pid> stays. A PATH that is there
 * already and is no regular file (a terminal, a pipe, /dev/null) is written to directly.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

struct output {
	FILE *file;                     /* to write to; owned */
	char *path, *temporary;         /* temporary is NULL when written to directly */
};

/* Whether output_open() would do, for work that takes long before it writes. */
enum status output_check(const char *path);
/* Whether writing to the path would replace this file, by whatever name or link. */
bool output_is(const char *path, const char *file);
/* IO with the path and the reason. */
enum status output_open(const char *path, struct output *out);
/* Closes and renames. IO when anything written before could not be; nothing is left then. */
enum status output_commit(struct output *);
/* Closes and removes what was written. */
void output_discard(struct output *);

/* Removes the temporary files of all open outputs, as a signal handler may; then the process must
 * end. */
void output_abandon(void);
/* For a file in the making that is no struct output: output_abandon() removes it too, if it is
 * there. The name must last until it is forgotten. */
void output_remember(const char *temporary);
void output_forget(const char *temporary);

#endif
