/* scratch_trace.h - a trace in a temporary file that is gone when it is closed.
 *
 * The file is in a folder of its own in $TMPDIR, or /tmp. Used by replays of single launches.
 */
#ifndef SCRATCH_TRACE_H
#define SCRATCH_TRACE_H

#include <stdint.h>

#include "base/status.h"

struct store;

struct scratch_trace {
	char *folder, *path;            /* `path` is the trace, which the caller creates */
};

/* IO, with the folder's name, if it cannot be made. */
enum status scratch_trace_make(struct scratch_trace *);
/* Adds empty runs, so that the next run of the new trace has the number `run`. */
enum status scratch_trace_skip(struct store *, int64_t run);
/* Removes the file and its folder. A store that was opened before can still be read, and the file
 * takes no space once it is closed. All zeros is allowed. */
void scratch_trace_remove(struct scratch_trace *);

#endif
