/* named.c - barriers of a block that have a number and a count of threads: PTX's bar.sync and
 * bar.arrive, and what tiles of several warps wait at.
 *
 * A barrier completes when as many threads have arrived as each arrival says; a count of 0 stands
 * for all threads of the block that have not exited. The barrier of the whole block is in
 * meeting.c.
 */
#include "config.h"

#include "sim/exec/named.h"

#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/exec/schedule.h"

struct named_barrier {
	unsigned arrived, votes, count;
	uint32_t waiting[MAX_WARPS];    /* lanes of each warp */
};

void named_begin(struct block *block)
{
	memset(block->named, 0, FT_NAMED_BARRIERS * sizeof *block->named);
}

static void check_call(const struct ft_site *site, const struct named_barrier *barrier,
		       unsigned number, unsigned count)
{
	char text[160] = "";

	if (number >= FT_NAMED_BARRIERS)
		snprintf(text, sizeof text, "%s: barrier %u: a block has barriers 0 to 15",
			 site->name, number);
	else if (count % WARP_LANES != 0)
		snprintf(text, sizeof text, "%s: barrier %u for %u threads: expected a multiple "
			 "of 32", site->name, number, count);
	else if (barrier[number].arrived > 0 && barrier[number].count != count)
		snprintf(text, sizeof text, "%s: barrier %u for %u threads, where %u have "
			 "arrived for %u", site->name, number, count, barrier[number].arrived,
			 barrier[number].count);
	if (*text)
		ft_trap(715, text, site->file, site->line);
}

static bool is_complete(const struct block *block, const struct named_barrier *barrier)
{
	return barrier->arrived > 0
		&& barrier->arrived == (barrier->count ? barrier->count : block->alive);
}

static void release(struct block *block, struct named_barrier *barrier)
{
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];

		for (uint32_t left = barrier->waiting[i]; left; left &= left - 1) {
			unsigned lane = (unsigned)__builtin_ctz(left);

			warp->results[lane] = (uint64_t)barrier->votes << 32 | barrier->arrived;
		}
		warp->runnable |= barrier->waiting[i];
	}
	*barrier = (struct named_barrier){ 0 };
	worker_progress(worker_self);
}

static struct named_barrier *arrive(const struct ft_site *site, struct lane *lane, unsigned number,
				    unsigned count)
{
	struct block *block = lane->warp->block;

	if (!block->named)
		block->named = xcalloc(FT_NAMED_BARRIERS, sizeof *block->named);
	lane->site = site;
	check_call(site, block->named, number, count);
	LISTENER_CALL(worker_self->grid->listener, named_arrive, lane, &block->named[number],
		      false);
	block->named[number].count = count;
	block->named[number].arrived++;
	return &block->named[number];
}

void ft_named_arrive(const struct ft_site *site, unsigned number, unsigned count)
{
	struct lane *lane = lane_current();
	struct named_barrier *barrier = arrive(site, lane, number, count);

	if (is_complete(lane->warp->block, barrier))
		release(lane->warp->block, barrier);
}

/* Waits at the barrier; returns what release() stored. */
static uint64_t wait_at(struct lane *lane, struct named_barrier *barrier)
{
	struct block *block = lane->warp->block;

	barrier->waiting[lane->warp->number] |= lane->bit;
	if (is_complete(block, barrier))
		release(block, barrier);
	else
		schedule_wait_here(worker_self, lane);
	return lane->warp->results[lane_index(lane)];
}

int ft_named_barrier(const struct ft_site *site, unsigned number, unsigned count,
		     enum ft_block_vote vote, int predicate)
{
	struct lane *lane = lane_current();
	struct named_barrier *barrier;
	uint64_t passed;

	if (number == 0 && (count == 0 || count == lane->warp->block->threads))
		return ft_block_barrier(site, vote, predicate);
	barrier = arrive(site, lane, number, count);
	barrier->votes += predicate != 0;
	passed = wait_at(lane, barrier);
	LISTENER_CALL(worker_self->grid->listener, named_leave, lane, barrier, false);
	switch (vote) {
	case FT_BLOCK_COUNT: return (int)(passed >> 32);
	case FT_BLOCK_AND:   return passed >> 32 == (uint32_t)passed;
	case FT_BLOCK_OR:    return passed >> 32 != 0;
	default:             return 0;
	}
}

void named_exit(struct block *block)
{
	for (unsigned i = 0; i < FT_NAMED_BARRIERS; i++)
		if (is_complete(block, &block->named[i]))
			release(block, &block->named[i]);
}

/* --- tiles of several warps --- */

void ft_tile_put(unsigned warp, uint64_t value)
{
	lane_current()->warp->block->tile_values[warp] = value;
}

uint64_t ft_tile_get(unsigned warp)
{
	return lane_current()->warp->block->tile_values[warp];
}
