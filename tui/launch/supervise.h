/* supervise.h - waits for a compiler or a kernel, and ends it at a signal or a limit. */
#ifndef SUPERVISE_H
#define SUPERVISE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

struct sandbox;

struct supervised {
	pid_t child;
	int report;                     /* a pipe to read; -1: none */
	char *bytes;                    /* what came through it; the caller frees it */
	size_t count;
	int ended;                      /* as waitpid() gives it */
};

/* Waits until the child ends and, with a pipe, ends whatever it left behind in the sandbox and
 * reads the pipe to its end. INTERRUPTED after a signal (tui/command.h), LIMIT after --timeout or
 * with too much memory: then everything in the sandbox was killed. */
enum status supervise(struct sandbox *, struct supervised *);

#endif
