/* schedule.h - who runs next: lanes, warps and blocks of one launch. Private to sim/.
 *
 * A worker is one OS thread that runs blocks of a grid, one or several resident at a time. Its lanes run
 * until they wait, yield or exit, and then choose their successor themselves; there is no scheduler in
 * between. With seed 0 the order is by number; any other seed draws from all that may legally run.
 */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include "sim/exec/worker.h"

void schedule_open(struct worker *);
void schedule_close(struct worker *);
/* Runs blocks of the grid until none is left or the launch failed. */
void schedule_run(struct worker *, struct grid *);
void schedule_wait_elsewhere(struct worker *);  /* schedule_wait() in general */

/* The current lane is no longer runnable. In order, the next one of its warp runs: inlined, because
 * lanes that meet in a shuffle come through here one after the other. */
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

#endif
