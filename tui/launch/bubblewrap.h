/* bubblewrap.h - starts and ends the process that holds a sandbox's namespaces. */
#ifndef BUBBLEWRAP_H
#define BUBBLEWRAP_H

#include "base/status.h"

struct sandbox;

/* Starts bwrap and waits until a process runs inside, whose namespaces others can join. USAGE, with
 * what bwrap printed, if it is missing or cannot make a namespace. */
enum status bubblewrap_start(struct sandbox *);
/* Ends it, with all processes inside. Does nothing if it does not run. */
void bubblewrap_stop(struct sandbox *);
/* The program that is used; the caller frees it. */
char *bubblewrap_name(void);

#endif
