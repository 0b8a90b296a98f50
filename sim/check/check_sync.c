/* check_sync.c - finds errors where threads synchronize: barriers, masks, shuffles, deadlocks.
 *
 * A site is a place in the source, even if the compiler duplicates its code. Also begins the
 * segments that barriers order (check_segment.c). Called through sim/exec/listener.h.
 */
#include "config.h"

#include "sim/check/check_sync.h"

#include <stdio.h>
#include <string.h>

#include "sim/check/check_cluster.h"
#include "sim/check/check_early.h"
#include "sim/check/check_find.h"
#include "sim/check/check_look.h"
#include "sim/check/check_order.h"
#include "sim/check/check_region.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_state.h"
#include "sim/check/counters.h"
#include "sim/exec/meeting.h"
#include "sim/exec/steps.h"
#include "sim/exec/symbol.h"
#include "sim/exec/worker.h"

static bool same_site(const struct ft_site *a, const struct ft_site *b)
{
	return a == b || (a->occurrence == b->occurrence && a->line == b->line
			  && strcmp(a->file, b->file) == 0);
}

static struct check_side side_at_site(const struct lane *lane)
{
	struct check_side side;

	check_side_of_lane(lane, 0, lane->site->name, &side);
	side.site = lane->site;
	return side;
}

/* A thread's last place: the collective where it waits, otherwise where it exited or polls. */
static struct check_side side_of(const struct lane *lane)
{
	struct check_side side;

	if (!((lane->warp->exited | lane->warp->runnable) & lane->bit) && lane->site)
		return side_at_site(lane);
	check_side_of_lane(lane, lane->check.pc,
			   lane->warp->exited & lane->bit ? "exit" : "poll", &side);
	return side;
}

static struct lane *first_of(struct warp *warp, uint32_t lanes)
{
	return &warp->lanes[__builtin_ctz(lanes)];
}

void check_pause(struct listener *listener)
{
	check_settle(check_of(listener));
	lane_current()->check.pc = ft_check_block.pc;
}

/* --- blocks --- */

/* The segments of all blocks of a cluster count from its first one, because each may access the
 * shared memory of all. */
void check_block_begin(struct listener *listener, struct block *block, size_t static_bytes,
		       size_t dynamic_bytes)
{
	struct check *check = check_of(listener);
	uintptr_t at = (uintptr_t)block->arena;

	memset(&check->hot.state[(at - check->hot.base) >> 2], 0, block->arena_bytes / 4);
	check_allocated(check, block->view.shared, static_bytes);
	check_allocated(check, block->view.dynamic, dynamic_bytes);
	check->launch_shared = static_bytes + dynamic_bytes;
	block->check_epoch = 0;
	check_early_block(block);
	if (check->hot.counters)
		counters_block_begin(check->hot.counters, block);
	for (unsigned i = 0; i < block->warp_count; i++) {
		check_new_slice(check, &block->warps[i], ~block->warps[i].exited);
		for (unsigned l = 0; l < WARP_LANES; l++) {
			struct check_lane *lane = &block->warps[i].lanes[l].check;

			lane->block_first
				= block->cluster->blocks[0]->warps[0].lanes[0].check.segment;
			lane->bound = lane->warp_bound = lane->block_first;
			lane->known = NULL;
			lane->order = NULL;
			check_look_begin(check, &block->warps[i].lanes[l]);
			lane->mask = lane->collectives = 0;
			lane->copies = NULL;
			lane->phase = NULL;
		}
	}
}

/* --- masks --- */

static void report_mask(struct check *check, const struct lane *lane, const struct lane *other,
			const char *detail)
{
	struct check_report report = { .class = CLASS_MASK, .other = NO_SIDE };

	report.side = side_at_site(lane);
	if (other)
		report.other = side_of(other);
	snprintf(report.detail, sizeof report.detail, "%s", detail);
	check_report(check, &report);
}

/* Reports lanes that wait for `lane` in another collective while `lane` waits for one of them. A
 * lane that first waits only for others and arrives later is correct. mask 0: `lane` is at a block
 * barrier, where it waits for all. */
static void report_awaited(struct check *check, struct lane *lane, enum ft_collective kind,
			   uint32_t mask)
{
	struct warp *warp = lane->warp;
	char text[120];

	for (int i = 0; i < warp->meeting_count; i++) {
		const struct meeting *meeting = &warp->meetings[i];

		if (!(meeting->mask & lane->bit) || meeting->arrived & lane->bit
		    || (mask && !(mask & meeting->arrived))
		    || (meeting->mask == mask && meeting->kind == kind))
			continue;
		if (mask && meeting->kind == kind)
			snprintf(text, sizeof text, "one lane's mask is %#x, the other's %#x",
				 mask, meeting->mask);
		else
			snprintf(text, sizeof text, "a lane in the mask %#x is at another place",
				 meeting->mask);
		report_mask(check, lane, first_of(warp, meeting->arrived), text);
	}
}

void check_collective_arrive(struct listener *listener, struct lane *lane, enum ft_collective kind,
			     uint32_t mask)
{
	struct check *check = check_of(listener);
	struct warp *warp = lane->warp;
	uint32_t away = mask & warp->at_barrier & ~lane->bit;
	char text[120];

	check_pause(listener);
	if (!(mask & lane->bit)) {
		snprintf(text, sizeof text, "the mask %#x does not include the calling lane", mask);
		report_mask(check, lane, NULL, text);
	}
	report_awaited(check, lane, kind, mask | lane->bit);
	lane->check.mask = mask | lane->bit;
	lane->check.collectives++;
	if (away) {
		snprintf(text, sizeof text, "a lane in the mask %#x is at a block barrier", mask);
		report_mask(check, lane, first_of(warp, away), text);
	}
}

/* Lanes that a mask names may have exited, but not after a collective at the same place, their
 * n-th as it is that of the lanes here, with another mask: the two masks disagree. */
static void report_disagreement(struct check *check, struct warp *warp,
				const struct meeting *meeting)
{
	const struct lane *lane = first_of(warp, meeting->arrived);
	uint32_t gone = meeting->mask & warp->exited & ~meeting->arrived;
	char text[120];

	for (; gone; gone &= gone - 1) {
		const struct lane *other = first_of(warp, gone);

		if (other->check.collectives != lane->check.collectives
		    || other->check.mask == meeting->mask || !same_site(other->site, lane->site))
			continue;
		snprintf(text, sizeof text, "one lane's mask is %#x, the other's %#x",
			 meeting->mask, other->check.mask);
		report_mask(check, lane, other, text);
		return;
	}
}

void check_shuffle_inactive(struct listener *listener, struct lane *lane, unsigned source)
{
	struct check *check = check_of(listener);
	struct warp *warp = lane->warp;
	char text[120];

	snprintf(text, sizeof text, "the shuffle reads lane %u, which %s", source,
		 warp->exited >> source & 1 ? "has exited" : "does not take part");
	report_mask(check, lane, source < WARP_LANES
		    && warp->number * WARP_LANES + source < warp->block->threads
		    ? &warp->lanes[source] : NULL, text);
}

/* --- warp barriers --- */

/* Threads that met are all after the latest phase that one of them is after. */
static void share_phase(struct warp *warp, uint32_t lanes, const struct check_phase *phase)
{
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		phase = check_phase_later(phase, first_of(warp, rest)->check.phase);
	for (uint32_t rest = lanes; phase && rest; rest &= rest - 1)
		first_of(warp, rest)->check.phase = phase;
}

static void order_lanes(struct check *check, struct warp *warp, uint32_t lanes)
{
	uint32_t known[WARP_LANES] = { 0 };
	uint32_t bound = 0, warp_bound = 0;

	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		const struct check_lane *lane = &first_of(warp, rest)->check;

		bound = lane->bound > bound ? lane->bound : bound;
		warp_bound = lane->warp_bound > warp_bound ? lane->warp_bound : warp_bound;
		for (unsigned l = 0; lane->known && l < WARP_LANES; l++)
			known[l] = lane->known[l] > known[l] ? lane->known[l] : known[l];
	}
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		known[__builtin_ctz(rest)] = first_of(warp, rest)->check.segment + 1;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		struct check_lane *lane = &first_of(warp, rest)->check;

		if (!lane->known)
			lane->known = check_alloc(check, sizeof known);
		memcpy(lane->known, known, sizeof known);
		lane->bound = bound;
		lane->warp_bound = warp_bound;
	}
}

/* Only __syncwarp() orders memory; shuffles and votes do not. */
void check_collective_finish(struct listener *listener, struct warp *warp,
			     const struct meeting *meeting)
{
	struct check *check = check_of(listener);
	uint32_t all = warp->block->threads - warp->number * WARP_LANES >= WARP_LANES ? ~0u
		: (1u << warp->block->threads % WARP_LANES) - 1;
	uint32_t first;

	report_disagreement(check, warp, meeting);
	if (check->hot.counters)
		counters_collective(check->hot.counters, warp, meeting->arrived,
				    meeting->kind >= FT_SHUFFLE_IDX
				    && meeting->kind <= FT_SHUFFLE_XOR);
	if (meeting->kind != FT_SYNC)
		return;
	check_order_warp(check, warp, meeting->arrived);
	share_phase(warp, meeting->arrived, NULL);
	check_look_warp(check, warp, meeting->arrived);
	check_early_warp(check, warp, meeting->arrived);
	if (meeting->arrived != all) {
		order_lanes(check, warp, meeting->arrived);
		check_new_slice(check, warp, meeting->arrived);
		return;
	}
	check_new_slice(check, warp, all);
	first = warp->lanes[0].check.segment & ~(WARP_LANES - 1u);
	for (uint32_t rest = all; rest; rest &= rest - 1) {
		struct check_lane *lane = &first_of(warp, rest)->check;

		lane->warp_bound = first;
		if (warp->block->warp_count == 1)
			lane->bound = first;
	}
}

/* --- block barriers --- */

static void report_barrier(struct check *check, const struct lane *lane, const struct lane *other,
			   const char *detail)
{
	struct check_report report = { .class = CLASS_BARRIER_DIVERGENCE };

	report.side = side_at_site(lane);
	report.other = side_of(other);
	snprintf(report.detail, sizeof report.detail, "%s", detail);
	check_report(check, &report);
}

/* The same barrier, but the function that contains it was called from two places. */
static void report_calls(struct check *check, const struct lane *lane, const struct lane *other,
			 const struct symbol_place *at, const struct symbol_place *at_other)
{
	struct check_report report = { .class = CLASS_BARRIER_DIVERGENCE };

	report.side = side_at_site(lane);
	report.other = side_at_site(other);
	report.side.site = ft_site_at(lane->site->name, at->file, at->line, at->column);
	report.other.site = ft_site_at(other->site->name, at_other->file, at_other->line,
				       at_other->column);
	snprintf(report.detail, sizeof report.detail, "two threads of the block are at the "
		 "barrier in %s:%d, called from two places", lane->site->file, lane->site->line);
	check_report(check, &report);
}

/* The same barrier, but not in the same turn of a loop around it. */
static void report_turns(struct check *check, const struct lane *lane, const struct lane *other)
{
	unsigned turns;
	const struct ft_loop *loop = meeting_turns_differ(lane, other, FT_LOOP_BARRIER, &turns);
	char text[120];

	if (!loop)
		return;
	snprintf(text, sizeof text, "two threads are in turns %u and %u of the loop at line %d",
		 loop->turns, turns, loop->line);
	report_barrier(check, lane, other, text);
}

static void compare_arrivals(struct check *check, struct lane *lane, const struct call_path *path)
{
	const struct block *block = lane->warp->block;
	const struct lane *first = block->check_first;
	struct symbol_place at, at_first;

	if (!same_site(first->site, lane->site))
		report_barrier(check, lane, first,
			       "two threads of the block are at different barriers");
	else if (!path_same(path, &block->check_path, &at, &at_first))
		report_calls(check, lane, first, &at, &at_first);
	else
		report_turns(check, lane, first);
}

void check_barrier_arrive(struct listener *listener, struct lane *lane, const void *frame)
{
	struct check *check = check_of(listener);
	struct block *block = lane->warp->block;
	struct call_path path;

	check_pause(listener);
	report_awaited(check, lane, FT_SYNC, 0);
	path_take(lane->fiber, frame, &path);
	if (block->arrived > 0) {
		compare_arrivals(check, lane, &path);
		return;
	}
	block->check_first = lane;
	block->check_path = path;
}

static struct lane *exited_thread(struct block *block)
{
	for (unsigned t = 0; t < block->threads; t++)
		if (block->warps[t / WARP_LANES].exited >> t % WARP_LANES & 1)
			return &block->warps[t / WARP_LANES].lanes[t % WARP_LANES];
	return NULL;
}

static void share_block_phase(struct block *block)
{
	const struct check_phase *phase = NULL;

	for (unsigned i = 0; i < block->warp_count && block->cluster->size > 1; i++)
		for (uint32_t rest = ~block->warps[i].exited; rest; rest &= rest - 1)
			phase = check_phase_later(phase, first_of(&block->warps[i],
								  rest)->check.phase);
	for (unsigned i = 0; i < block->warp_count && phase; i++)
		share_phase(&block->warps[i], ~block->warps[i].exited, phase);
}

void check_barrier_release(struct listener *listener, struct block *block)
{
	struct check *check = check_of(listener);
	uint32_t bound = check->next_slice << LANES_SHIFT;

	if (block->alive < block->threads)
		report_barrier(check, block->check_first, exited_thread(block),
			       "a thread of the block has returned before the barrier");
	if (check->hot.counters)
		counters_barrier(check->hot.counters, block);
	check_order_barrier(check, block);
	share_block_phase(block);
	check_look_barrier(check, block);
	check_early_barrier(check, block);
	block->check_epoch++;
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		uint32_t alive = ~warp->exited;

		check_new_slice(check, warp, alive);
		for (uint32_t rest = alive; rest; rest &= rest - 1) {
			struct check_lane *lane = &first_of(warp, rest)->check;

			lane->bound = lane->warp_bound = bound;
		}
	}
}

/* Only some threads of the block meet, or one for each block: an arrival releases what the thread
 * did to those that leave later, as a fence and an atomic do. */
void check_named_arrive(struct listener *listener, struct lane *lane, const void *barrier,
			bool device)
{
	struct check *check = check_of(listener);

	check_fence(listener, lane, device);
	check_atomic(check, lane, (uintptr_t)barrier, true, false);
}

void check_named_leave(struct listener *listener, struct lane *lane, const void *barrier,
		       bool device)
{
	check_atomic(check_of(listener), lane, (uintptr_t)barrier, false, false);
	check_fence(listener, lane, device);
}

/* All that the launch did is ordered before what it does from here on, like what earlier launches
 * did. */
void check_grid_release(struct listener *listener, const struct worker *w)
{
	struct check *check = check_of(listener);
	uint32_t bound = check->next_slice << LANES_SHIFT;

	check->hot.first = check_hot.first = bound;
	check_early_grid(check, w);
	for (int b = 0; b < w->resident; b++)
		for (unsigned i = 0; i < w->blocks[b]->warp_count; i++) {
			struct warp *warp = &w->blocks[b]->warps[i];

			check_new_slice(check, warp, ~warp->exited);
			for (uint32_t rest = ~warp->exited; rest; rest &= rest - 1) {
				struct check_lane *lane = &first_of(warp, rest)->check;

				lane->bound = lane->warp_bound = bound;
			}
		}
}

/* --- deadlock --- */

void check_deadlock(struct listener *listener, const struct worker *w)
{
	struct check *check = check_of(listener);
	struct check_report report = { .class = CLASS_DEADLOCK, .side = NO_SIDE, .other = NO_SIDE };
	const struct block *block = w->blocks[0];

	for (unsigned t = 0; t < block->threads; t++) {
		const struct lane *lane = &block->warps[t / WARP_LANES].lanes[t % WARP_LANES];

		if (lane->warp->exited & lane->bit)
			continue;
		if (report.side.block < 0) {
			report.side = side_of(lane);
		} else if (!same_site(report.side.site, lane->site)) {
			report.other = side_of(lane);
			break;
		}
	}
	check_report(check, &report);
}
