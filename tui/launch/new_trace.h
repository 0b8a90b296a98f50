/* new_trace.h - a new trace that a kernel's process records, and this process publishes.
 *
 * The kernel's process can write only one folder next to the trace, so it cannot touch other files
 * there, and what it leaves when it is killed is removed with the folder.
 */
#ifndef NEW_TRACE_H
#define NEW_TRACE_H

#include <stdbool.h>

#include "base/status.h"

struct sandbox;

struct new_trace {
	const char *path;               /* as the user named it; NULL: nothing is recorded */
	char *folder;                   /* PATH.tmp.<pid>; NULL: it is appended to in place */
	char *inside;                   /* to record to */
	bool force;
};

/* path NULL: no trace. To append, the trace's folder becomes writable. USAGE or IO as for
 * store_create(). Call new_trace_end() even after a failure. */
enum status new_trace_begin(struct new_trace *, const char *path, bool force, bool append,
			    struct sandbox *);
/* Gives the recorded trace its name, if there is one and `keep`, and removes the folder. Returns
 * `status` if that is an error, with messages about `path` instead of the folder; else USAGE or IO
 * if the name cannot be given. */
enum status new_trace_end(struct new_trace *, bool keep, enum status);

#endif
