/* check_op.c - the operations issued to a checked device: their order, and the bytes they touch.
 *
 * Copies and fills report the bytes they touch. The bytes of a launch are in shadow memory, which
 * holds only the last accesses of each word. That is enough while all launches are ordered, because
 * an operation after the last launch is after all of them. Before an unordered operation runs, the
 * bytes are collected from shadow memory. check_stream.c compares operations.
 */
#include "config.h"

#include "sim/check/check_op.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_early.h"
#include "sim/check/check_shadow.h"
#include "sim/check/check_state.h"
#include "sim/check/check_stream.h"

struct check_op *check_op_at(const struct check *check, uint64_t op)
{
	return &check->ops.items[op - check->ops.base];
}

/* --- order --- */

/* Returns a chain whose last operation the clock has reached, or a new chain. */
static size_t chain_after(const struct check_ops *ops, const struct clock *clock)
{
	size_t chain = 0;

	while (chain < clock_chains(ops->all)
	       && clock_at(clock, chain) < clock_at(ops->all, chain))
		chain++;
	return chain;
}

uint64_t check_op_new(struct check *check, struct clock **before, int stream)
{
	struct check_ops *ops = &check->ops;
	struct check_op *op;

	if (ops->count == ops->capacity) {
		ptrdiff_t running = ops->running ? ops->running - ops->items : -1;

		ops->capacity = ops->capacity ? 2 * ops->capacity : 64;
		ops->items = xreallocarray(ops->items, ops->capacity, sizeof *ops->items);
		ops->running = running < 0 ? NULL : &ops->items[running];
	}
	op = &ops->items[ops->count];
	*op = (struct check_op){ .stream = stream, .chain = chain_after(ops, *before) };
	op->time = clock_at(ops->all, op->chain) + 1;
	clock_set(&ops->all, op->chain, op->time);
	clock_set(before, op->chain, op->time);
	clock_join(&op->clock, *before);
	ops->waiting++;
	return ops->base + ops->count++;
}

const struct clock *check_op_clock(const struct check *check, uint64_t op)
{
	return check_op_at(check, op)->clock;
}

const struct clock *check_host_clock(const struct check *check)
{
	return check->ops.host;
}

static void op_free(struct check_op *op)
{
	clock_free(op->clock);
	op->clock = NULL;
	clock_free(op->early);
	op->early = NULL;
	free(op->reads.items);
	free(op->writes.items);
	free(op->early_reads.items);
	free(op->early_writes.items);
	op->reads = op->writes = op->early_reads = op->early_writes = (struct touched_list){ 0 };
}

/* Operations that the host has waited for are ordered before all future ones. */
static void retire(struct check_ops *ops)
{
	size_t over = 0;

	if (ops->waiting > 0)
		return;
	for (size_t i = 0; i < ops->count; i++)
		if (ops->items[i].state != OP_OVER && operation_known(&ops->items[i], ops->host)) {
			op_free(&ops->items[i]);
			ops->items[i].state = OP_OVER;
		}
	while (over < ops->count && ops->items[over].state == OP_OVER)
		over++;
	if (over == 0)
		return;
	ops->count -= over;
	ops->base += over;
	memmove(ops->items, ops->items + over, ops->count * sizeof *ops->items);
}

void check_host_waited(struct check *check, const struct clock *clock)
{
	clock_join(&check->ops.host, clock);
	retire(&check->ops);
}

void check_host_waited_for_all(struct check *check)
{
	check_host_waited(check, check->ops.all);
}

/* --- bytes --- */

void check_touch(struct touched_list *list, uintptr_t from, uintptr_t to, uint64_t record)
{
	struct touched *last = list->count ? &list->items[list->count - 1] : NULL;

	if (last && last->to == from && !((last->record ^ record) & RECORD_ATOMIC)) {
		last->to = to;
		return;
	}
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 16;
		list->items = xreallocarray(list->items, list->capacity, sizeof *list->items);
	}
	list->items[list->count++] = (struct touched){ from, to, record };
}

/* The launch that made a record in shadow memory, if its bytes are still to be collected. */
static struct check_op *op_of(const struct check_ops *ops, uint64_t record)
{
	uint32_t segment = (uint32_t)(record >> 32);

	for (size_t i = ops->count; i-- > 0;) {
		struct check_op *op = &ops->items[i];

		if (op->state == OP_LAUNCHED && segment >= op->first && segment < op->last)
			return op;
	}
	return NULL;
}

/* All records of a word: those in its cell, and the others. */
struct word_records {
	struct check_kept_item at[3 + MAX_KEPT];
	size_t count;
};

static void add_record(struct word_records *list, uint64_t record, bool write, uint32_t first)
{
	if (record >> 32 >= first && list->count < sizeof list->at / sizeof list->at[0])
		list->at[list->count++] = (struct check_kept_item){
			.record = record, .write = write,
		};
}

/* Adds a byte that a launch touched, once. A plain access replaces an atomic. */
static void touch_byte(struct touched_list *list, uintptr_t at, uint64_t record)
{
	struct touched *last = list->count ? &list->items[list->count - 1] : NULL;

	if (!last || last->to <= at)
		check_touch(list, at, at + 1, record);
	else if (last->record & RECORD_ATOMIC && !(record & RECORD_ATOMIC) && last->from == at)
		last->record = record;
}

static void collect_bytes(const struct check *check, uintptr_t address,
			  const struct word_records *list)
{
	for (unsigned byte = 0; byte < 4; byte++)
		for (size_t i = 0; i < list->count; i++) {
			const struct check_kept_item *item = &list->at[i];
			struct check_op *op = check_bytes_of(item->record) >> byte & 1
				? op_of(&check->ops, item->record) : NULL;

			if (op)
				touch_byte(item->write ? &op->writes : &op->reads, address + byte,
					   item->record);
		}
}

static void collect_word(const struct check *check, uintptr_t address, uint32_t first)
{
	const struct check_hot *hot = &check->hot;
	size_t word = (address - hot->base) >> 2;
	const struct check_cell *cell = &hot->cell[word];
	const struct check_kept *kept = check_kept_of(check, word);
	struct word_records list = { .count = 0 };
	struct check_op *op;

	add_record(&list, cell->writer, true, first);
	add_record(&list, cell->reader, false, first);
	add_record(&list, hot->reader[word], false, first);
	for (size_t i = 0; kept && i < kept->count; i++)
		add_record(&list, kept->items[i].record, kept->items[i].write, first);
	if (list.count != 1 || check_bytes_of(list.at[0].record) != 0xf) {
		collect_bytes(check, address, &list);
		return;
	}
	op = op_of(&check->ops, list.at[0].record);
	if (op)
		check_touch(list.at[0].write ? &op->writes : &op->reads, address, address + 4,
		      list.at[0].record);
}

uint32_t check_ops_needed(const struct check *check)
{
	const struct check_ops *ops = &check->ops;
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < ops->count; i++)
		if (ops->items[i].state == OP_LAUNCHED && ops->items[i].first < first)
			first = ops->items[i].first;
	return first;
}

void check_ops_collect(struct check *check)
{
	struct check_ops *ops = &check->ops;
	uint32_t first = check_ops_needed(check);

	if (first == UINT32_MAX)
		return;
	for (size_t i = 0; i < check->region_count; i++) {
		const struct check_region *region = &check->regions[i];

		if (region->kind != REGION_BUFFER || region->freed)
			continue;
		for (uintptr_t at = region->at; at < region->at + region->bytes; at += 4)
			collect_word(check, at, first);
	}
	for (size_t i = 0; i < ops->count; i++)
		if (ops->items[i].state == OP_LAUNCHED) {
			ops->items[i].state = OP_KNOWN;
			check_op_judge(check, &ops->items[i]);
		}
}

/* --- running --- */

/* Whether the operation is unordered with another one that has run. */
static bool has_unordered(const struct check_ops *ops, const struct check_op *op,
			  bool only_launched)
{
	for (size_t i = 0; i < ops->count; i++) {
		const struct check_op *other = &ops->items[i];

		if ((other->state == OP_LAUNCHED || (other->state == OP_KNOWN && !only_launched))
		    && other != op && operation_unordered(op, other))
			return true;
	}
	return false;
}

void check_op_begin(struct check *check, uint64_t number)
{
	struct check_op *op = check_op_at(check, number);

	if (has_unordered(&check->ops, op, true) || op->overlapping)
		check_ops_collect(check);
	if (op->overlapping)
		check_early_order(check, op);
	check->ops.running = op;
}

void check_op_moved(struct check *check, const char *what, uintptr_t address, size_t bytes,
		    bool write)
{
	struct check_op *op = check->ops.running;

	if (!op || bytes == 0)
		return;
	op->what = what;
	check_touch(write ? &op->writes : &op->reads, address, address + bytes, 0);
}

void check_op_launched(struct check *check, bool ended)
{
	struct check_op *op = check->ops.running;

	if (!op)
		return;
	op->what = check->launch.code->name;
	op->launch = check->launch;
	op->origin = check->hot.origin;
	*(ended ? &op->last : &op->first) = check->next_slice << LANES_SHIFT;
}

void check_op_end(struct check *check, uint64_t number)
{
	struct check_op *op = check_op_at(check, number);

	check->ops.running = NULL;
	check->ops.waiting--;
	if (op->launch.code) {
		op->state = OP_LAUNCHED;
		if (op->overlapping)
			check_early_judge(check, op);
		if (has_unordered(&check->ops, op, false))
			check_ops_collect(check);
		return;
	}
	op->state = OP_KNOWN;
	check_op_judge(check, op);
}

void check_ops_free(struct check *check)
{
	struct check_ops *ops = &check->ops;

	for (size_t i = 0; i < ops->count; i++)
		op_free(&ops->items[i]);
	free(ops->items);
	clock_free(ops->host);
	clock_free(ops->all);
}
