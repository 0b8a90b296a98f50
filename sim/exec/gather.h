/* gather.h - the barrier of all threads of a grid. Private to sim/. */
#ifndef SIM_GATHER_H
#define SIM_GATHER_H

#include <stdbool.h>

struct worker;

/* If every thread of the launch that has not exited waits at the barrier, lets all continue. False:
 * one does not wait there. Call when no resident lane is runnable. */
bool gather_pass(struct worker *);

#endif
