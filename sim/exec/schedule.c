/* schedule.c - runs the lanes of one worker: picks, starts, switches and retires them.
 *
 * Lanes that never wait share one stack: a lane that exits starts its successor in place. Blocks
 * that spin on each other make progress because a worker that only spins makes another block
 * resident. Meeting points of lanes are in meeting.c, block setup in block.c, faults in fault.c.
 */
#include "config.h"

#undef _FORTIFY_SOURCE                  /* its longjmp check rejects a fiber's stack */

#include "sim/exec/schedule.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/exec/block.h"
#include "sim/exec/gather.h"
#include "sim/exec/meeting.h"
#include "sim/exec/mix.h"
#include "sim/exec/path.h"
#include "sim/exec/report.h"
#include "sim/exec/steps.h"

/* That many polls in a row by all lanes together are a deadlock. */
#define MAX_IDLE_POLLS (1u << 22)

/* Clusters that take turns from the start if their order is random and they are not independent. */
#define SEEDED_RESIDENT 4

/* What a step adds to clock(), about as many cycles as a GPU needs for a few instructions. The
 * other clock differs from it in both words of its values, and in every byte of small
 * differences. */
enum { CLOCK_STEP = 16, OTHER_CLOCK_STEP = 0x01020305 };
#define OTHER_CLOCK_FIRST 0x1234567890123u

static uint32_t draw(struct worker *w, uint32_t below)
{
	w->random = mix(w->random, 0);
	return (uint32_t)((w->random >> 32) * below >> 32);
}

static struct lane *lowest(struct warp *warp, uint32_t lanes)
{
	return &warp->lanes[__builtin_ctz(lanes)];
}

/* --- blocks --- */

/* Places for one more cluster; false if the worker has as many blocks as it may have. */
static bool has_place(struct worker *w)
{
	int more;

	if (w->resident + (int)w->grid->cluster_size <= w->capacity)
		return true;
	if (w->capacity >= MAX_RESIDENT && (!w->grid->cooperative || w->grid->listener))
		return false;
	more = w->capacity ? w->capacity : MAX_RESIDENT;
	w->blocks = xreallocarray(w->blocks, (size_t)w->capacity + (size_t)more,
				  sizeof *w->blocks);
	for (int i = 0; i < more; i++)
		w->blocks[w->capacity + i] = NULL;
	w->capacity += more;
	return true;
}

/* Begins the blocks of a cluster, which are the next free ones. */
static bool begin_cluster(struct worker *w, uint64_t order)
{
	struct grid *grid = w->grid;
	struct block **blocks = &w->blocks[w->resident];

	for (unsigned i = 0; i < grid->cluster_size; i++)
		if (!blocks[i])
			blocks[i] = block_create();
	cluster_begin(blocks[0], grid->cluster_size);
	for (unsigned i = 0; i < grid->cluster_size; i++) {
		cluster_join(blocks[0], blocks[i], i);
		if (!block_begin(blocks[i], grid, order + i))
			return false;
	}
	cluster_ready(blocks[0]);
	return true;
}

/* Makes the next cluster of the grid resident; false if there is none or no free place. */
static bool admit(struct worker *w)
{
	static const char text[] = "out of memory for the shared memory of a block";
	struct grid *grid = w->grid;
	uint64_t order;

	if (atomic_load(&grid->next) >= atomic_load(&grid->stop) || !has_place(w))
		return false;
	order = atomic_fetch_add(&grid->next, grid->cluster_size);
	if (order >= atomic_load(&grid->stop))
		return false;
	if (!begin_cluster(w, order)) {
		/* Resident blocks may wait for this one for ever. */
		if (w->resident > 0)
			worker_abort(w, 2, text);
		worker_fail(grid, order, 2, text);
		return false;
	}
	/* An independent block has its own random sequence, so it behaves the same on any
	 * worker. */
	if (grid->independent || order == 0)
		w->random = mix(grid->seed, order);
	w->resident += (int)grid->cluster_size;
	w->idle_yields = 0;
	return true;
}

/* A block stays until its cluster is done: others may look at it. */
static void retire_finished(struct worker *w)
{
	for (int i = 0; i < w->resident; )
		if (w->blocks[i]->cluster->alive == 0) {
			struct block *done = w->blocks[i];

			w->resident--;
			memmove(&w->blocks[i], &w->blocks[i + 1],
				(size_t)(w->resident - i) * sizeof w->blocks[0]);
			w->blocks[w->resident] = done;
		} else {
			i++;
		}
}

static int wanted_resident(const struct grid *grid)
{
	return grid->seed && !grid->independent ? SEEDED_RESIDENT * (int)grid->cluster_size : 1;
}

/* --- picking --- */

/* In order: the first runnable lane of the first warp of the first block. */
static struct lane *pick_first(struct worker *w)
{
	for (int b = 0; b < w->resident; b++)
		for (unsigned i = 0; i < w->blocks[b]->warp_count; i++)
			if (w->blocks[b]->warps[i].runnable)
				return lowest(&w->blocks[b]->warps[i],
					      w->blocks[b]->warps[i].runnable);
	return NULL;
}

/* At random: any runnable lane of any warp of any resident block. */
static struct lane *pick_random(struct worker *w)
{
	uint32_t warps = 0, lanes;
	struct warp *warp = NULL;

	for (int b = 0; b < w->resident; b++)
		for (unsigned i = 0; i < w->blocks[b]->warp_count; i++)
			warps += w->blocks[b]->warps[i].runnable != 0;
	if (warps == 0)
		return NULL;
	warps = draw(w, warps) + 1;
	for (int b = 0; b < w->resident && warps > 0; b++)
		for (unsigned i = 0; i < w->blocks[b]->warp_count && warps > 0; i++)
			if (w->blocks[b]->warps[i].runnable) {
				warp = &w->blocks[b]->warps[i];
				warps--;
			}
	lanes = warp->runnable;
	for (uint32_t skip = draw(w, (uint32_t)__builtin_popcount(lanes)); skip > 0; skip--)
		lanes &= lanes - 1;
	return lowest(warp, lanes);
}

static __attribute__((noreturn)) void end_in_deadlock(struct worker *w)
{
	char text[512];

	LISTENER_CALL(w->grid->listener, deadlock, w);
	report_deadlock(w, text, sizeof text);
	worker_abort(w, 702, text);
}

/* The lane to run when the current one is no longer runnable; NULL when the worker is done. */
static struct lane *pick_next(struct worker *w)
{
	struct lane *next;

	if (w->grid->seed == 0 && ft_self && lane_current()->warp->runnable)
		return lowest(lane_current()->warp, lane_current()->warp->runnable);
	for (;;) {
		retire_finished(w);
		while (w->resident < wanted_resident(w->grid) && admit(w))
			;
		next = w->grid->seed ? pick_random(w) : pick_first(w);
		if (next || w->resident == 0)
			return next;
		if (gather_pass(w))
			continue;
		/* Every resident lane waits; only a block that is not yet resident could wake
		 * one. */
		if (w->grid->independent || !admit(w))
			end_in_deadlock(w);
	}
}

/* --- switching --- */

static void start_fiber(struct worker *w, struct lane *lane)
{
	lane->fiber = fiber_take(&w->pool);
	if (!lane->fiber)
		worker_abort(w, 2, "out of memory for the stack of a simulated thread");
}

static void switch_to(struct worker *w, struct fiber *from, struct lane *next)
{
	ft_self = &next->view;
	if (!next->fiber)
		start_fiber(w, next);
	FIBER_SWITCH(from, next->fiber);
}

void schedule_wait_elsewhere(struct worker *w)
{
	struct fiber *from = lane_current()->fiber;

	switch_to(w, from, pick_next(w));
}

/* The next runnable lane after `lane`, by number, wrapping around all resident blocks. */
static struct lane *pick_after(struct worker *w, struct lane *lane)
{
	struct warp *warp = lane->warp;
	uint32_t later = warp->runnable & ~(lane->bit | (lane->bit - 1));
	int b = 0;

	if (later)
		return lowest(warp, later);
	while (w->blocks[b] != warp->block)
		b++;
	for (unsigned i = warp->number + 1; ; i++) {
		if (i >= w->blocks[b]->warp_count) {
			i = 0;
			b = (b + 1) % w->resident;
		}
		if (w->blocks[b]->warps[i].runnable)
			return lowest(&w->blocks[b]->warps[i], w->blocks[b]->warps[i].runnable);
	}
}

static void pass_active(struct worker *w)
{
	for (int b = 0; b < w->resident; b++)
		for (unsigned i = 0; i < w->blocks[b]->warp_count; i++)
			if (w->blocks[b]->warps[i].at_active)
				meeting_pass_active(&w->blocks[b]->warps[i]);
}

static void yield(struct worker *w)
{
	struct lane *lane = lane_current(), *next;

	LISTENER_CALL(w->grid->listener, pause);
	/* Lanes that only yield may wait for a block that is not resident yet. */
	if (++w->idle_yields > 2 * (unsigned)w->resident * lane->warp->block->threads
	    && !w->grid->independent)
		admit(w);
	/* Lanes that only yield may wait for one at an __activemask(), which waits for them. */
	if (w->idle_yields > 4 * (unsigned)w->resident * lane->warp->block->threads)
		pass_active(w);
	next = w->grid->seed ? pick_random(w) : pick_after(w, lane);
	if (next != lane)
		switch_to(w, lane->fiber, next);
}

void ft_yield(void)
{
	worker_self->idle_polls = 0;
	yield(worker_self);
}

/* The simulator has no clock. It counts steps: the basic blocks that lanes have entered since the
 * first call in the launch, and the calls. A kernel that waits for time to pass so ends, and what
 * takes more steps takes longer. */
long long ft_clock(void)
{
	struct worker *w = worker_self;

	steps_watch_clock();
	w->clock++;
	return (long long)(w->grid->other_clock ? OTHER_CLOCK_FIRST + w->clock * OTHER_CLOCK_STEP
			   : w->clock * CLOCK_STEP);
}

void schedule_poll(struct worker *w)
{
	if (++w->idle_polls == MAX_IDLE_POLLS)
		end_in_deadlock(w);
	yield(w);
}

void ft_await(const struct ft_site *site)
{
	lane_current()->site = site;
	schedule_poll(worker_self);
}

void ft_fence(int device)
{
	struct worker *w = worker_self;

	LISTENER_CALL(w->grid->listener, fence, lane_current(), device);
	lane_current()->fenced |= device;
	ft_yield();
}

static void lane_exit(struct worker *w, struct lane *lane)
{
	LISTENER_CALL(w->grid->listener, pause);
	lane->warp->runnable &= ~lane->bit;
	lane->warp->exited |= lane->bit;
	lane->warp->block->alive--;
	meeting_exit(lane);
	cluster_exit(lane);
	lane->fiber = NULL;
	worker_progress(w);
}

/* The main function of every fiber: runs one lane after another. */
static void fiber_main(void)
{
	struct worker *w = worker_self;

	fiber_announce_arrive(lane_current()->fiber);
	lane_current()->fiber->base = __builtin_frame_address(0);
	for (;;) {
		struct fiber *self = lane_current()->fiber;
		struct lane *next;

		w->grid->code->run(w->grid->args);
		lane_exit(w, lane_current());
		next = pick_next(w);
		if (next && !next->fiber) {
			next->fiber = self;
			ft_self = &next->view;
			continue;
		}
		fiber_give(&w->pool, self);
		if (next) {
			switch_to(w, self, next);
		} else {
			ft_self = NULL;
			FIBER_SWITCH(self, &w->thread);
		}
	}
}

/* --- the worker --- */

void schedule_open(struct worker *w)
{
	memset(w, 0, sizeof *w);
	fiber_pool_init(&w->pool, fiber_main);
}

void schedule_close(struct worker *w)
{
	for (int i = 0; i < w->capacity; i++)
		block_destroy(w->blocks[i]);
	free(w->blocks);
	fiber_forget(&w->thread);
	fiber_pool_destroy(&w->pool);
}

/* Continues after a lane was aborted: its stack and all others are abandoned as they are. */
static void worker_land(struct worker *w)
{
	struct fiber aborted = { 0 };
	char text[512];

	fiber_announce_leave(&aborted, &w->thread);
	fiber_announce_arrive(&w->thread);
	if (w->fault.signal == SIGSEGV
	    && cluster_fault(lane_current()->warp->block, w->fault.address))
		w->fault.code = 719;
	if (w->fault.code) {
		report_fault(w, text, sizeof text);
		worker_fail(w->grid, lane_current()->warp->block->order, w->fault.code, text);
	}
	ft_self = NULL;
	w->resident = 0;
	fiber_pool_reset(&w->pool);
}

void schedule_run(struct worker *w, struct grid *grid)
{
	struct lane *first;

	w->grid = grid;
	w->resident = 0;
	w->idle_yields = w->idle_polls = 0;
	w->clock = 0;
	w->fault = (struct fault){ 0 };
	w->errand = NULL;
	worker_self = w;
	path_forget();
	fiber_describe_thread(&w->thread);
	if (sigsetjmp(w->landing, 1) != 0) {
		worker_land(w);
		return;
	}
	first = pick_next(w);
	if (!first)
		return;
	switch_to(w, &w->thread, first);
	while (w->errand) {
		w->errand(w->errand_context);
		w->errand = NULL;
		FIBER_SWITCH(&w->thread, lane_current()->fiber);
	}
}

void schedule_on_thread(struct worker *w, void (*fn)(void *context), void *context)
{
	w->errand = fn;
	w->errand_context = context;
	FIBER_SWITCH(lane_current()->fiber, &w->thread);
}
