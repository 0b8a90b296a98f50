/* meeting.h - lanes that meet: who is missing, and the result for each lane. Private to sim/. */
#ifndef SIM_MEETING_H
#define SIM_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cuda/runtime.h"

struct lane;
struct warp;

/* The running lane arrives at a collective of its warp with its value and argument. True if all
 * lanes have arrived: the results are stored, and the waiting lanes are runnable. False: it has to
 * wait. */
bool meeting_arrive(struct lane *, enum ft_collective, uint32_t mask);
/* The same for its block's barrier, with a vote. */
bool meeting_arrive_at_barrier(struct lane *, bool vote);
/* The outermost loop whose turn is another for the two lanes, which came by the same calls, as lane
 * a sees it; *turns is that of lane b. NULL: none. */
const struct ft_loop *meeting_turns_differ(const struct lane *a, const struct lane *b,
					   unsigned kind, unsigned *turns);
/* Lets the lanes at an __activemask() continue, each with the mask of those that came there by the
 * same call in the same turns of loops; those some turns ahead wait on. Call when no lane of the
 * warp is runnable. */
void meeting_pass_active(struct warp *);
/* This lane has exited: meetings and barriers no longer wait for it. */
void meeting_exit(struct lane *);

#endif
