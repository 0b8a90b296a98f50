/* gather.c - the barrier of all threads of a grid, for cooperative launches; see gather.h.
 *
 * All blocks of the launch are resident on one worker when the last one arrives. A block whose
 * threads have all exited never arrives, as on a GPU: then the launch ends with a deadlock.
 */
#include "config.h"

#include "sim/exec/gather.h"

#include <stdio.h>

#include "sim/exec/meeting.h"
#include "sim/exec/schedule.h"

static bool all_wait(const struct worker *w)
{
	for (int b = 0; b < w->resident; b++) {
		if (w->blocks[b]->alive == 0)
			return false;
		for (unsigned i = 0; i < w->blocks[b]->warp_count; i++) {
			const struct warp *warp = &w->blocks[b]->warps[i];

			if (warp->at_grid != ~warp->exited)
				return false;
		}
	}
	return true;
}

/* Lets those continue that wait for arrivals, or those at the barrier. */
static void wake(struct worker *w, bool arrivals)
{
	for (int b = 0; b < w->resident; b++)
		for (unsigned i = 0; i < w->blocks[b]->warp_count; i++) {
			struct warp *warp = &w->blocks[b]->warps[i];
			uint32_t *waiting = arrivals ? &warp->at_arrivals : &warp->at_grid;

			warp->runnable |= *waiting;
			*waiting = 0;
		}
	worker_progress(w);
}

bool gather_pass(struct worker *w)
{
	if (!w->grid->cooperative || (uint64_t)w->resident != w->grid->blocks || !all_wait(w))
		return false;
	LISTENER_CALL(w->grid->listener, grid_release, w);
	wake(w, false);
	return true;
}

/* Why the launch cannot have this barrier; NULL: it can. */
static const char *refusal(const struct grid *grid, char *text, size_t bytes)
{
	if (!grid->cooperative)
		return "a barrier of the grid in a launch that is not cooperative";
	if (!grid->listener || grid->blocks <= MAX_RESIDENT)
		return NULL;
	snprintf(text, bytes, "--check: a barrier of a grid of %llu blocks; the maximum is %d",
		 (unsigned long long)grid->blocks, MAX_RESIDENT);
	return text;
}

static void need_barrier(struct worker *w)
{
	char text[120];
	const char *refused = refusal(w->grid, text, sizeof text);

	if (refused)
		worker_abort(w, w->grid->cooperative ? 2 : 719, refused);
}

/* The threads of each block meet first, as in CUDA. */
void ft_grid_barrier(const struct ft_site *site)
{
	struct worker *w = worker_self;
	struct lane *lane = lane_current();

	need_barrier(w);
	lane->site = site;
	LISTENER_CALL(w->grid->listener, barrier_arrive, lane, __builtin_frame_address(0));
	if (!meeting_arrive_at_barrier(lane, false))
		schedule_wait_here(w, lane);
	lane->warp->at_grid |= lane->bit;
	schedule_wait_here(w, lane);
}

/* --- arrivals apart from waits --- */

unsigned ft_grid_barrier_arrive(const struct ft_site *site)
{
	struct worker *w = worker_self;
	struct lane *lane = lane_current();
	unsigned phase = w->grid->phase;

	need_barrier(w);
	lane->site = site;
	LISTENER_CALL(w->grid->listener, named_arrive, lane, w->grid, true);
	if (++w->grid->arrived == w->grid->blocks) {
		w->grid->arrived = 0;
		w->grid->phase++;
		wake(w, true);
	}
	return phase;
}

void ft_grid_barrier_wait(const struct ft_site *site, unsigned phase)
{
	struct worker *w = worker_self;
	struct lane *lane = lane_current();

	need_barrier(w);
	lane->site = site;
	LISTENER_CALL(w->grid->listener, pause);
	if (w->grid->phase == phase) {
		lane->warp->at_arrivals |= lane->bit;
		schedule_wait_here(w, lane);
	}
	LISTENER_CALL(w->grid->listener, named_leave, lane, w->grid, true);
}

int ft_grid_is_cooperative(void)
{
	return worker_self->grid->cooperative;
}

/* Launches of a stream run one after another, so only the checker needs to know. */
void ft_grid_let_next(void)
{
	LISTENER_CALL(worker_self->grid->listener, let_next, lane_current());
}

void ft_grid_wait(void)
{
	LISTENER_CALL(worker_self->grid->listener, grid_waited, lane_current());
}
