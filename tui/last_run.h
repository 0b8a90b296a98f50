/* last_run.h - the last run: what decode, attend, launch and run keep without -o, and what commands
 * that read a trace open when they are given none.
 *
 * It is one file, $XDG_STATE_HOME/flashtwin/last.twin, which appears complete or not at all.
 * Keeping it never fails a run: what goes wrong is one line on stderr.
 */
#ifndef LAST_RUN_H
#define LAST_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct store;

/* A larger run is not kept. */
#define LAST_RUN_BYTES ((int64_t)64 << 20)

/* --- keeping a run --- */

/* Makes the folder, removes what killed runs left in it, and returns the name of the file, which
 * the caller frees. After a warning NULL, if the folder cannot be written. `command` is the name in
 * front of warnings. */
char *last_run_begin(const char *command);
/* A trace in memory to record to. It is expendable: see store.h. */
enum status last_run_record(struct store **out);
/* Writes a trace in memory, from last_run_record() or not, as `path`. If that is impossible or the
 * trace is too large: one line, and `path` is removed, because it is no longer the last run. */
void last_run_keep(struct store *, const char *path, const char *command);
/* For a file at `path` that another process has written to become the last run: IO if it is too
 * large. */
enum status last_run_check(const char *path);
/* One line that the run is not kept, with the message of the last error as the reason. */
void last_run_warn(const char *command);

/* --- opening it --- */

/* The traces of a command line, from argv[rest] on: up to `max`, 1 or 2; the rest of paths[] is
 * NULL. If there are none, paths[0] is the last run, valid until the program ends. *is_last, unless
 * that is NULL, says so. USAGE for more traces, or when there is no last run. */
enum status last_run_traces(int argc, char **argv, int rest, int max, const char **paths,
			    bool *is_last);
/* The last run alone. */
enum status last_run_find(const char **path);

#endif
