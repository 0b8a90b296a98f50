/* descendants.h - the processes that descend from one. */
#ifndef DESCENDANTS_H
#define DESCENDANTS_H

#include <stdint.h>
#include <sys/types.h>

/* Calls fn for each child of `pid`, and for theirs, parents first. Not for `pid` itself. */
void descendants_visit(pid_t pid, void (*fn)(pid_t pid, void *context), void *context);
/* The resident sizes of all descendants together, in bytes. Shared pages count once per process. */
uint64_t descendants_resident(pid_t pid);

#endif
