/* confine.h - what a child process does before it runs a compiler or a kernel. */
#ifndef CONFINE_H
#define CONFINE_H

#include <sys/types.h>

struct sandbox;

enum confine_as {
	CONFINE_COMPILER,
	CONFINE_KERNEL,
	CONFINE_CHECKED,                /* the checker reserves more than RLIMIT_DATA allows */
	CONFINE_GPU                     /* outside the sandbox, because of the driver */
};

/* Joins the sandbox, sets the limits, and gives up every privilege. `parent` is the process that
 * forked this one: this process dies with it. Returns in the process that goes on, which may be a
 * child of this one; then this one ends as that one does. If anything fails, prints one line and
 * ends with exit code 126. */
void confine(const struct sandbox *, enum confine_as, pid_t parent);

#endif
