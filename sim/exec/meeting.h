/* meeting.h - lanes that meet: who is still missing, and what each gets. Private to sim/. */
#ifndef SIM_MEETING_H
#define SIM_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cuda/runtime.h"

struct lane;

/* The running lane comes to a collective of its warp with its value and argument. True when nobody
 * is missing: results are there, and all who waited may run. False: it has to wait. */
bool meeting_arrive(struct lane *, enum ft_collective, uint32_t mask);
/* The same at the barrier of its block, with a vote. */
bool meeting_arrive_at_barrier(struct lane *, bool vote);
/* Meetings and barriers no longer wait for this lane, which has exited. */
void meeting_exit(struct lane *);

#endif
