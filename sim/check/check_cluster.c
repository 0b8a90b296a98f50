/* check_cluster.c - clusters of blocks in a checked launch: what their barriers order, and whether
 * the shared memory of a block is there when others use it.
 *
 * Each phase of a cluster's barrier has a table: for every thread, which of its segments it
 * released when it arrived. A thread that has waited for the phase, or has met one that has, is
 * after those. The table does not change once the phase is complete, so that fences can pass it on.
 *
 * The shared memory of a block is there from its beginning to the exit of its last thread. Another
 * block may use it after a barrier of the cluster, and only before something that one of the
 * block's threads waited for. When a block exits, the accesses recorded for its shared memory show
 * whether each was. Used by check_sync.c, check_race.c and check_access.c.
 */
#include "config.h"

#include "sim/check/check_cluster.h"

#include <stdio.h>
#include <string.h>

#include "sim/check/check_async.h"
#include "sim/check/check_find.h"
#include "sim/check/check_order.h"
#include "sim/check/check_race.h"
#include "sim/check/check_region.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_shadow.h"
#include "sim/check/check_state.h"
#include "sim/check/check_sync.h"
#include "sim/exec/worker.h"

/* One phase of a cluster's barrier. */
struct check_phase {
	struct check_phase *next;       /* of the cluster, earlier; or not in use */
	unsigned number;
	bool kept;
	const struct check_cluster *of;
	uint32_t *bound;                /* [blocks]: a block's segments below are before it */
	uint32_t *released;             /* [threads of the cluster]: the same for each thread */
};

/* Memory of the launch. */
struct check_cluster {
	struct check_cluster *next;     /* not in use */
	struct dim3 first, dim, grid;   /* its first block, its size, and that of the grid */
	unsigned size, threads;         /* its blocks, and the threads of each */
	struct check_phase *phases;     /* latest first: the one that is not complete */
};

/* --- tables --- */

static struct check_phase *add_phase(struct check *check, struct check_cluster *c)
{
	size_t threads = (size_t)c->size * c->threads;
	struct check_phase *phase = check->phases, *last = c->phases;

	if (phase) {
		check->phases = phase->next;
	} else {
		phase = check_alloc(check, sizeof *phase);
		phase->bound = check_alloc(check, c->size * sizeof *phase->bound);
		phase->released = check_alloc(check, threads * sizeof *phase->released);
	}
	phase->of = c;
	phase->next = last;
	phase->number = last ? last->number + 1 : 1;
	phase->kept = false;
	if (last) {
		memcpy(phase->bound, last->bound, c->size * sizeof *phase->bound);
		memcpy(phase->released, last->released, threads * sizeof *phase->released);
	} else {
		memset(phase->bound, 0, c->size * sizeof *phase->bound);
		memset(phase->released, 0, threads * sizeof *phase->released);
	}
	c->phases = phase;
	return phase;
}

static struct check_cluster *cluster_of(struct check *check, struct cluster *cluster)
{
	const struct block *first = cluster->blocks[0];
	struct check_cluster *c = cluster->check;

	if (c)
		return c;
	c = check->clusters;
	if (c)
		check->clusters = c->next;
	else
		c = check_alloc(check, sizeof *c);
	*c = (struct check_cluster){
		.first = first->view.index, .dim = first->view.cluster, .grid = first->view.grid,
		.size = cluster->size, .threads = first->threads,
	};
	cluster->check = c;
	add_phase(check, c);
	return c;
}

/* All clusters of a launch have the same size. Fences may refer to a phase that is kept. */
static void forget_cluster(struct check *check, struct cluster *cluster)
{
	struct check_cluster *c = cluster->check;
	bool kept = false;

	if (!c)
		return;
	for (struct check_phase *next, *phase = c->phases; phase; phase = next) {
		next = phase->next;
		kept |= phase->kept;
		if (phase->kept)
			continue;
		phase->next = check->phases;
		check->phases = phase;
	}
	cluster->check = NULL;
	if (kept)
		return;
	c->next = check->clusters;
	check->clusters = c;
}

/* --- the barrier --- */

static size_t number_in_cluster(const struct check_cluster *c, const struct lane *lane)
{
	return (size_t)lane->view.block->cluster_rank * c->threads + check_thread_number(lane);
}

/* What the thread does after its arrival is in a new segment. */
void check_cluster_arrive(struct listener *listener, struct lane *lane, bool releases)
{
	struct check *check = check_of(listener);
	struct check_cluster *c = cluster_of(check, lane->warp->block->cluster);
	uint32_t *bound = &c->phases->bound[lane->view.block->cluster_rank];

	check_pause(listener);
	if (!releases)
		return;
	check_new_slice(check, lane->warp, lane->bit);
	c->phases->released[number_in_cluster(c, lane)] = lane->check.segment;
	if (*bound < lane->check.bound)
		*bound = lane->check.bound;
}

/* A thread that has exited has released all it did. */
void check_cluster_release(struct listener *listener, struct cluster *cluster)
{
	struct check *check = check_of(listener);
	struct check_cluster *c = cluster_of(check, cluster);

	for (unsigned b = 0; b < cluster->size; b++)
		for (unsigned t = 0; t < c->threads; t++) {
			const struct warp *warp = &cluster->blocks[b]->warps[t / WARP_LANES];

			if (warp->exited >> t % WARP_LANES & 1)
				c->phases->released[b * c->threads + t] = UINT32_MAX;
		}
	check_order_cluster(check, cluster);
	add_phase(check, c);
}

void check_cluster_leave(struct listener *listener, struct lane *lane)
{
	struct check_cluster *c = cluster_of(check_of(listener), lane->warp->block->cluster);
	const struct check_phase *phase = c->phases;

	while (phase->number > lane->waits)
		phase = phase->next;
	lane->check.phase = phase;
}

const struct check_phase *check_phase_later(const struct check_phase *a,
					    const struct check_phase *b)
{
	return !a || (b && b->number > a->number) ? b : a;
}

void check_phase_keep(const struct check_phase *phase)
{
	((struct check_phase *)(uintptr_t)phase)->kept = true;
}

/* The rank of a block in the cluster; -1: it is in another one. */
static int rank_of(const struct check_cluster *c, uint32_t block)
{
	uint32_t x = block % c->grid.x - c->first.x;
	uint32_t y = block / c->grid.x % c->grid.y - c->first.y;
	uint32_t z = block / c->grid.x / c->grid.y - c->first.z;

	if (x >= c->dim.x || y >= c->dim.y || z >= c->dim.z)
		return -1;
	return (int)(x + c->dim.x * (y + c->dim.y * z));
}

bool check_phase_orders(const struct check *check, const struct check_phase *phase,
			uint32_t segment)
{
	const struct check_slice *slice = &check->slices[segment >> LANES_SHIFT];
	const struct check_cluster *c = phase->of;
	int rank = rank_of(c, slice->block);
	size_t thread = slice->warp * (size_t)WARP_LANES + (segment & (WARP_LANES - 1));

	return rank >= 0 && (segment < phase->bound[rank]
			     || segment < phase->released[(size_t)rank * c->threads + thread]);
}

/* --- how long shared memory is there --- */

const struct block *check_cluster_block(const struct check *check, const struct lane *lane,
					uintptr_t address)
{
	const struct block *own = lane->warp->block, *owner;

	if (own->cluster->size == 1 || address - check->hot.base >= check->hot.shared_span)
		return NULL;
	owner = cluster_owner(own->cluster, (const void *)address);
	return owner == own ? NULL : owner;
}

static void exit_side(const struct block *block, struct check_side *out)
{
	const struct lane *first = &block->warps[0].lanes[0];

	check_side_of_lane(first, first->check.pc, "exit", out);
}

bool check_lifetime(const struct access *a, const struct block *block)
{
	struct check_report report = check_report_of(a, CLASS_CLUSTER_LIFETIME);
	bool gone = block->alive == 0;

	if (!gone && a->lane->check.phase)
		return false;
	if (gone)
		exit_side(block, &report.other);
	snprintf(report.detail, sizeof report.detail, gone
		 ? "the block of rank %u has exited"
		 : "no barrier of the cluster before it: the block of rank %u may not have begun",
		 block->view.cluster_rank);
	check_report(a->check, &report);
	return gone;
}

/* Whether a thread of the block waited for something after the segment before it exited. */
static bool is_before_exit(struct check *check, const struct block *block, uint32_t segment)
{
	for (unsigned t = 0; t < block->threads; t++)
		if (check_ordered(check, &block->warps[t / WARP_LANES].lanes[t % WARP_LANES],
				  segment, true))
			return true;
	return false;
}

static void report_exit(struct check *check, const struct block *block, uint64_t record, bool write,
			uintptr_t address)
{
	struct check_report report = {
		.class = CLASS_CLUSTER_LIFETIME, .address = address, .bytes = 4,
	};

	check_side_of_record(check, record, write, &report.side);
	exit_side(block, &report.other);
	snprintf(report.detail, sizeof report.detail,
		 "the block of rank %u may exit before it: it waits for nothing after it",
		 block->view.cluster_rank);
	check_report(check, &report);
}

/* Judges an access recorded for shared memory of the block, by another one. True: reported. */
static bool judge(struct check *check, const struct block *block, uint64_t record, bool write,
		  uintptr_t address)
{
	uint32_t segment = (uint32_t)(record >> 32);
	const struct lane *lane = &block->warps[0].lanes[0];

	if (segment < lane->check.block_first || check_same_block(check, lane, segment)
	    || is_before_exit(check, block, segment))
		return false;
	report_exit(check, block, record, write, address);
	return true;
}

static bool judge_word(struct check *check, const struct block *block, uintptr_t address)
{
	size_t word = (address - check->hot.base) >> 2;
	const struct check_cell *cell = &check->hot.cell[word];
	const struct check_kept *list = check_kept_of(check, word);

	if (judge(check, block, cell->writer, true, address)
	    || judge(check, block, cell->reader, false, address)
	    || judge(check, block, check->hot.reader[word], false, address))
		return true;
	for (unsigned i = 0; list && i < list->count; i++)
		if (judge(check, block, list->items[i].record, list->items[i].write, address))
			return true;
	return false;
}

/* Reports a copy of the lane that has yet to read the block's shared memory. */
static bool judge_copies(struct check *check, const struct block *block, const struct lane *lane,
			 uintptr_t end)
{
	struct check_report report = { .class = CLASS_CLUSTER_LIFETIME, .bytes = 4 };
	uintptr_t pc;

	report.address = check_async_reads(lane, (uintptr_t)block->view.shared, end, &pc);
	if (!report.address)
		return false;
	check_side_of_lane(lane, pc, "read", &report.side);
	exit_side(block, &report.other);
	snprintf(report.detail, sizeof report.detail,
		 "the block of rank %u has exited, and a copy has yet to read its memory",
		 block->view.cluster_rank);
	check_report(check, &report);
	return true;
}

/* One finding for each block is enough. */
static void judge_block(struct check *check, const struct block *block, uintptr_t end)
{
	const struct cluster *cluster = block->cluster;

	for (unsigned t = 0; t < cluster->size * block->threads; t++) {
		const struct block *other = cluster->blocks[t / block->threads];
		unsigned thread = t % block->threads;

		if (judge_copies(check, block,
				 &other->warps[thread / WARP_LANES].lanes[thread % WARP_LANES],
				 end))
			return;
	}
	for (uintptr_t at = (uintptr_t)block->view.shared; at < end; at += 4)
		if (judge_word(check, block, at))
			return;
}

void check_cluster_exit(struct listener *listener, struct block *block)
{
	struct check *check = check_of(listener);
	uintptr_t end = (uintptr_t)block->arena + block->arena_bytes;

	if (block->cluster->size > 1)
		judge_block(check, block, end);
	if (block->cluster->alive == 0)
		forget_cluster(check, block->cluster);
	else
		check_deallocated(check, block->view.shared, end - (uintptr_t)block->view.shared);
}
