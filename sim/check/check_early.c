/* check_early.c - launches that may begin before the launch before them in their stream has ended.
 *
 * Such a launch (sim/cuda/programmatic.h) may begin once every block of the launch before has
 * called grid_let_next() or ended. What a thread does before it, or a thread that it has met since,
 * has called grid_wait() is ordered only after what came before that other launch; if that one
 * could let it begin before it had waited itself, not even after the launch before that. Bytes
 * touched until then that an operation between touched too are listed, and compared when the launch
 * has ended. Kernels that never call grid_let_next() are treated alike: without grid_wait() their
 * writes need not be visible. Used by check_op.c and by the hooks of accesses.
 */
#include "config.h"

#include "sim/check/check_early.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/check/check_op.h"
#include "sim/check/check_race.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_stream.h"
#include "sim/check/check_sync.h"
#include "sim/exec/worker.h"

/* --- operations --- */

void check_op_overlaps(struct check *check, uint64_t number, uint64_t earlier)
{
	const struct check_ops *ops = &check->ops;
	struct check_op *op = check_op_at(check, number);

	if (earlier < ops->base || check_op_at(check, earlier)->state == OP_OVER
	    || operation_known(check_op_at(check, earlier), ops->host))
		return;
	op->overlapping = true;
	op->overlaps = earlier;
	clock_join(&op->early, ops->host);
}

/* Lists the operations that are ordered before the whole launch, but not before all it does. */
static void list_against(struct check *check, const struct check_op *op)
{
	const struct check_ops *ops = &check->ops;

	check->against = xreallocarray(check->against, ops->count, sizeof *check->against);
	check->against_count = 0;
	for (size_t i = 0; i < ops->count; i++) {
		const struct check_op *other = &ops->items[i];

		if (other != op && other->state == OP_KNOWN && operation_known(other, op->clock)
		    && !operation_known(other, op->early))
			check->against[check->against_count++] = ops->base + i;
	}
}

void check_early_order(struct check *check, struct check_op *op)
{
	const struct check_op *earlier = check_op_at(check, op->overlaps);
	struct clock *before = NULL;

	if (earlier->overlapping && !earlier->late) {
		clock_join(&op->early, earlier->early);
	} else {
		clock_join(&before, earlier->clock);
		clock_set(&before, earlier->chain, earlier->time - 1);
		clock_join(&op->early, before);
		clock_free(before);
	}
	list_against(check, op);
}

static int by_address(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void sort(struct touched_list *list)
{
	if (list->count > 0)
		qsort(list->items, list->count, sizeof *list->items, by_address);
}

void check_early_judge(struct check *check, struct check_op *op)
{
	sort(&op->early_reads);
	sort(&op->early_writes);
	for (size_t i = 0; i < check->against_count; i++)
		check_op_judge_early(check, op, check_op_at(check, check->against[i]));
}

/* --- the launch --- */

void check_early_begin(struct check *check)
{
	const struct check_op *op = check->ops.running;

	check->early = op && op->overlapping && !check->launch.part;
	check->wait_count = 0;
	check->waits_first = 0;
}

void check_early_end(struct check *check)
{
	if (check->early && check->waits_first > 0)
		check->ops.running->late = true;
	check->early = false;
}

void check_early_block(struct block *block)
{
	block->check_waited = block->check_let = false;
	for (unsigned i = 0; i < block->warp_count; i++)
		for (unsigned l = 0; l < WARP_LANES; l++)
			block->warps[i].lanes[l].check.waited = false;
}

/* The first call by a thread of the block counts. */
void check_let_next(struct listener *listener, struct lane *lane)
{
	struct check *check = check_of(listener);
	struct block *block = lane->warp->block;

	if (!check->early || block->check_let)
		return;
	block->check_let = true;
	if (lane->check.waited)
		check->ops.running->late = true;
	else if (block->check_waited)
		check->waits_first--;
}

/* Keeps one segment of each slice. */
static void keep_wait(struct check *check, uint32_t segment)
{
	if (check->wait_count > 0
	    && check->waits[check->wait_count - 1] >> LANES_SHIFT == segment >> LANES_SHIFT)
		return;
	if (check->wait_count == check->wait_capacity) {
		check->wait_capacity = check->wait_capacity ? 2 * check->wait_capacity : 64;
		check->waits = xreallocarray(check->waits, check->wait_capacity,
					     sizeof *check->waits);
	}
	check->waits[check->wait_count++] = segment;
}

void check_grid_waited(struct listener *listener, struct lane *lane)
{
	struct check *check = check_of(listener);
	struct block *block = lane->warp->block;

	if (!check->early)
		return;
	check_pause(listener);
	lane->check.waited = true;
	keep_wait(check, lane->check.segment);
	if (!block->check_waited && !block->check_let)
		check->waits_first++;
	block->check_waited = true;
}

/* --- order --- */

/* Whether one of the bytes is in the list, which is in order of address. */
static bool touches(const struct touched_list *list, uintptr_t from, uintptr_t to)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->items[middle].to <= from)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->items[low].from < to;
}

static bool conflicts(const struct access *a)
{
	const struct check *check = a->check;
	uintptr_t to = a->address + a->bytes;
	bool found = false;

	for (size_t i = 0; i < check->against_count && !found; i++) {
		const struct check_op *other = check_op_at(check, check->against[i]);

		found = touches(&other->writes, a->address, to)
			|| (a->kind != CHECK_READ && touches(&other->reads, a->address, to));
	}
	return found;
}

/* Whether atomics and fences, or a barrier of its cluster, order the thread after one that has
 * waited. */
static bool acquired_wait(const struct access *a)
{
	bool ordered = a->lane->check.order || a->lane->check.phase;

	for (size_t i = 0; ordered && i < a->check->wait_count; i++)
		if (check_ordered(a->check, a->lane, a->check->waits[i], a->kind != CHECK_READ))
			return true;
	return false;
}

void check_early_access(const struct access *a)
{
	struct check *check = a->check;
	struct check_op *op = check->ops.running;

	if (a->lane->check.waited || a->address - check->hot.base < check->hot.shared_span
	    || access_of_variable(a) || !conflicts(a))
		return;
	if (acquired_wait(a)) {
		a->lane->check.waited = true;
		return;
	}
	check_touch(a->kind == CHECK_READ ? &op->early_reads : &op->early_writes, a->address,
		    a->address + a->bytes,
		    (a->lane->check.record + a->pc) | (a->flags & RECORD_ATOMIC));
}

void check_early_warp(const struct check *check, struct warp *warp, uint32_t lanes)
{
	bool waited = false;

	if (!check->early)
		return;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		waited = waited || warp->lanes[__builtin_ctz(rest)].check.waited;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		warp->lanes[__builtin_ctz(rest)].check.waited = waited;
}

/* A thread that has waited has done so before it met the others. */
static void set_waited(struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		for (unsigned l = 0; l < WARP_LANES; l++)
			block->warps[i].lanes[l].check.waited = true;
}

void check_early_barrier(const struct check *check, struct block *block)
{
	if (check->early && block->check_waited)
		set_waited(block);
}

void check_early_grid(const struct check *check, const struct worker *w)
{
	if (!check->early || check->wait_count == 0)
		return;
	for (int b = 0; b < w->resident; b++)
		set_waited(w->blocks[b]);
}
