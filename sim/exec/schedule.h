/* schedule.h - decides which lane, warp and block of a launch runs next. Private to sim/.
 *
 * A worker is one OS thread that runs blocks of a grid, one or several resident at a time. Its
 * lanes run until they wait, yield or exit, and then choose their successor themselves; there is no
 * scheduler in between. With seed 0 the order is by number; any other seed picks at random among
 * all runnable lanes.
 */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include "sim/exec/meeting.h"
#include "sim/exec/worker.h"

void schedule_open(struct worker *);
void schedule_close(struct worker *);
/* Runs blocks of the grid until none is left or the launch failed. */
void schedule_run(struct worker *, struct grid *);
void schedule_wait_elsewhere(struct worker *);  /* the general case of schedule_wait() */

/* The current lane polls a value that has not changed: lets others run. If no lane has done
 * anything else for long, the launch ends with a deadlock. */
void schedule_poll(struct worker *);
/* Calls fn from a lane, on the stack of the OS thread: libraries may need more than a fiber has. */
void schedule_on_thread(struct worker *, void (*fn)(void *context), void *context);

/* Waits: the current lane is no longer runnable. With seed 0 the next lane of its warp runs. This
 * is inlined because the lanes of every shuffle pass through here one after the other. */
static inline void schedule_wait(struct worker *w)
{
	struct lane *from = lane_current();
	struct warp *warp = from->warp;

	if (w->grid->seed == 0 && warp->runnable) {
		struct lane *next = &warp->lanes[__builtin_ctz(warp->runnable)];

		if (next->fiber) {
			ft_self = &next->view;
			FIBER_SWITCH(from->fiber, next->fiber);
			return;
		}
	}
	schedule_wait_elsewhere(w);
}

/* The lane is not runnable until the lanes it waits for have arrived. Inlined for the same
 * reason. */
static inline __attribute__((always_inline)) void schedule_wait_here(struct worker *w,
								     struct lane *lane)
{
	lane->warp->runnable &= ~lane->bit;
	if (__builtin_expect(lane->warp->at_active && !lane->warp->runnable, 0))
		meeting_pass_active(lane->warp);
	schedule_wait(w);
}

#endif
