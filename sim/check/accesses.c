/* accesses.c - collects loads and stores by request, and the lines that threads reach; see
 * accesses.h.
 *
 * While a launch runs, accesses are kept in the order that they happen in. Lines are looked up when
 * the results are taken, once for each instruction and basic block.
 */
#include "config.h"

#include "sim/check/accesses.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_access.h"
#include "sim/check/check_state.h"
#include "sim/check/lines.h"
#include "sim/exec/lane.h"
#include "sim/exec/mix.h"
#include "sim/exec/symbol.h"
#include "traces/row.h"

struct entry {
	struct row_access row;
	uint32_t request;
};

struct group {
	struct access_request request;
	uint32_t number;                /* from 1 on, as created */
	uint32_t lanes;                 /* that have rows */
	unsigned first;                 /* the lowest lane that made one of the accesses */
	uint64_t order;                 /* of that: how many accesses came before */
};

/* A lane entered a basic block for the first time. */
struct visit {
	uint64_t block;
	uint32_t thread, order;         /* order: of all visits */
	uintptr_t pc;
};

/* Which lanes of a warp have entered a basic block: open addressing, pc 0 is free. */
struct entered {
	uint64_t warp;                  /* block * MAX_WARPS + number */
	uintptr_t pc;
	uint32_t lanes;
};

struct accesses {
	const struct block_range *ranges;
	size_t range_count;
	bool running;
	uintptr_t base;                 /* of device memory */
	struct entry *entries;
	uint64_t count;                 /* also those that are not kept */
	size_t capacity;
	const void *pending;            /* where the last one's value will be; NULL: nowhere */
	struct group *groups;
	size_t group_count, group_capacity;
	struct visit *visits;
	uint64_t visit_count;           /* the same */
	size_t visit_capacity;
	struct entered *entered;
	size_t entered_count, entered_capacity;
	struct row_memory out;          /* what was taken */
	size_t line_capacity;
};

struct accesses *accesses_create(void)
{
	return xcalloc(1, sizeof(struct accesses));
}

static void clear(struct accesses *a)
{
	free(a->entries);
	free(a->groups);
	free(a->visits);
	free(a->entered);
	free(a->out.requests);
	free(a->out.accesses);
	free(a->out.lines);
	*a = (struct accesses){ .ranges = a->ranges, .range_count = a->range_count };
}

void accesses_free(struct accesses *a)
{
	if (a)
		clear(a);
	free(a);
}

void accesses_watch(struct accesses *a, const struct block_range *ranges, size_t count)
{
	a->ranges = ranges;
	a->range_count = count;
}

bool accesses_watching(const struct accesses *a)
{
	return a->range_count > 0;
}

void accesses_begin(struct accesses *a, uintptr_t base)
{
	clear(a);
	a->running = a->range_count > 0;
	a->base = base;
}

void accesses_end(struct accesses *a)
{
	accesses_settle(a);
	a->running = false;
	a->range_count = 0;
}

/* --- a running launch --- */

uint64_t accesses_block(const struct lane *lane)
{
	const struct ft_block_view *view = &lane->warp->block->view;

	return ((uint64_t)view->index.z * view->grid.y + view->index.y) * view->grid.x
		+ view->index.x;
}

bool accesses_want(const struct accesses *a, const struct lane *lane)
{
	int64_t block;

	if (!a->running)
		return false;
	block = (int64_t)accesses_block(lane);
	for (size_t i = 0; i < a->range_count; i++)
		if (block >= a->ranges[i].first && block <= a->ranges[i].last)
			return true;
	return false;
}

uint32_t accesses_request(struct accesses *a, const struct access_request *request)
{
	if (a->count >= ACCESS_LIMIT)
		return UINT32_MAX;
	if (a->group_count == a->group_capacity) {
		a->group_capacity = a->group_capacity ? 2 * a->group_capacity : 1024;
		a->groups = xreallocarray(a->groups, a->group_capacity, sizeof *a->groups);
	}
	a->groups[a->group_count++] = (struct group){
		.request = *request, .number = (uint32_t)a->group_count, .first = WARP_LANES,
	};
	return a->groups[a->group_count - 1].number;
}

static bool is_shared(enum request_kind kind)
{
	return kind == REQUEST_SHARED_LOAD || kind == REQUEST_SHARED_STORE
		|| kind == REQUEST_SHARED_ATOMIC;
}

/* Whether there is memory: a wrong address may have none. */
static bool is_readable(uintptr_t address, size_t bytes)
{
	const struct check_hot *hot = &check_hot;

	for (uintptr_t at = address; at < address + bytes; at = (at | 3) + 1) {
		unsigned mask = check_mask_of(at, address + bytes);

		if (mask & ~(hot->state[(at - hot->base) >> 2] >> 4))
			return false;
	}
	return true;
}

static bool is_store(enum request_kind kind)
{
	return kind == REQUEST_STORE || kind == REQUEST_SHARED_STORE;
}

/* The value is read now, or after a store has happened. */
static void find_value(struct accesses *a, struct row_access *row, enum request_kind kind)
{
	if (row->bytes > sizeof row->bits || !is_readable(row->address, row->bytes))
		return;
	if (is_store(kind)) {
		a->pending = (const void *)row->address;
		return;
	}
	memcpy(&row->bits, (const void *)row->address, row->bytes);
	row->known = true;
}

void accesses_add(struct accesses *a, uint32_t request, const struct lane *lane, unsigned place,
		  uintptr_t address, size_t bytes)
{
	struct group *group;
	struct entry *entry;

	accesses_settle(a);
	if (a->count++ >= ACCESS_LIMIT)
		return;
	if (a->count > a->capacity) {
		a->capacity = a->capacity ? 2 * a->capacity : 4096;
		a->entries = xreallocarray(a->entries, a->capacity, sizeof *a->entries);
	}
	group = &a->groups[request - 1];
	entry = &a->entries[a->count - 1];
	*entry = (struct entry){
		.request = request,
		.row = { .lane = (uint8_t)place, .bytes = (uint8_t)bytes,
			 .address = address, .offset = address - a->base },
	};
	if (is_shared(group->request.kind))
		entry->row.offset = address - (uintptr_t)lane->warp->block->view.shared;
	if ((unsigned)__builtin_ctz(lane->bit) < group->first) {
		group->first = (unsigned)__builtin_ctz(lane->bit);
		group->order = a->count;
	}
	group->lanes |= 1u << place;
	find_value(a, &entry->row, group->request.kind);
}

void accesses_settle(struct accesses *a)
{
	struct row_access *row;

	if (!a->pending)
		return;
	row = &a->entries[a->count - 1].row;
	memcpy(&row->bits, a->pending, row->bytes);
	row->known = true;
	a->pending = NULL;
}

void accesses_unknown(struct accesses *a)
{
	a->pending = NULL;
}

static struct entered *entered_slot(struct entered *all, size_t capacity, uint64_t warp,
				    uintptr_t pc)
{
	size_t i = (size_t)mix(pc, warp) & (capacity - 1);

	while (all[i].pc && (all[i].pc != pc || all[i].warp != warp))
		i = (i + 1) & (capacity - 1);
	return &all[i];
}

static struct entered *entered_at(struct accesses *a, uint64_t warp, uintptr_t pc)
{
	struct entered *at;

	if (2 * (a->entered_count + 1) > a->entered_capacity) {
		size_t old = a->entered_capacity;
		struct entered *all;

		a->entered_capacity = old ? 2 * old : 256;
		all = xcalloc(a->entered_capacity, sizeof *all);
		for (size_t i = 0; i < old; i++)
			if (a->entered[i].pc)
				*entered_slot(all, a->entered_capacity, a->entered[i].warp,
					      a->entered[i].pc) = a->entered[i];
		free(a->entered);
		a->entered = all;
	}
	at = entered_slot(a->entered, a->entered_capacity, warp, pc);
	a->entered_count += !at->pc;
	at->warp = warp;
	at->pc = pc;
	return at;
}

void accesses_step(struct accesses *a, const struct lane *lane, uintptr_t pc)
{
	uint64_t block = accesses_block(lane);
	struct entered *at = entered_at(a, block * MAX_WARPS + lane->warp->number, pc);

	if (at->lanes & lane->bit)
		return;
	at->lanes |= lane->bit;
	if (a->visit_count++ >= ACCESS_LIMIT)
		return;
	if (a->visit_count > a->visit_capacity) {
		a->visit_capacity = a->visit_capacity ? 2 * a->visit_capacity : 1024;
		a->visits = xreallocarray(a->visits, a->visit_capacity, sizeof *a->visits);
	}
	a->visits[a->visit_count - 1] = (struct visit){
		.block = block, .order = (uint32_t)a->visit_count, .pc = pc,
		.thread = lane->warp->number * WARP_LANES + (uint32_t)__builtin_ctz(lane->bit),
	};
}

/* --- requests in order --- */

#define ORDER(a, b) do { if ((a) != (b)) return (a) < (b) ? -1 : 1; } while (0)

/* Which lane of a warp runs first depends on the seed. */
static int by_request(const void *one, const void *other)
{
	const struct group *a = one, *b = other;

	ORDER(a->request.block, b->request.block);
	ORDER(a->request.warp, b->request.warp);
	ORDER(a->request.meeting, b->request.meeting);
	ORDER(a->first, b->first);
	ORDER(a->order, b->order);
	return 0;
}

/* The source line of an instruction, looked up once. */
struct code {
	uintptr_t pc;
	struct symbol symbol;
};

struct codes {
	struct code *list;
	size_t count;
};

static const struct symbol *symbol_of(struct codes *codes, uintptr_t pc)
{
	struct code *new;

	for (size_t i = codes->count; i > 0; i--)
		if (codes->list[i - 1].pc == pc)
			return &codes->list[i - 1].symbol;
	codes->list = xreallocarray(codes->list, codes->count + 1, sizeof *codes->list);
	new = &codes->list[codes->count++];
	*new = (struct code){ .pc = pc };
	if (!symbol_find_caller((const void *)(pc - 1), &new->symbol))
		new->symbol = (struct symbol){ 0 };
	return &new->symbol;
}

static enum access_kind kind_of(const struct access_request *r)
{
	if (is_store(r->kind))
		return r->bulk ? ACCESS_BULK_WRITE : ACCESS_STORE;
	if (r->kind == REQUEST_ATOMIC || r->kind == REQUEST_SHARED_ATOMIC)
		return ACCESS_ATOMIC;
	return r->bulk ? ACCESS_BULK_READ : ACCESS_LOAD;
}

static struct row_request describe(const struct group *group, struct codes *codes)
{
	const struct access_request *r = &group->request;
	const struct symbol *symbol = symbol_of(codes, r->pc);

	return (struct row_request){
		.block = r->block, .warp = r->warp, .kind = kind_of(r),
		.space = is_shared(r->kind) ? SPACE_SHARED : SPACE_GLOBAL,
		.counted = !r->alone && r->kind <= REQUEST_SHARED_STORE,
		.file = symbol->file, .line = symbol->line,
		.count = (unsigned)__builtin_popcount(group->lanes),
	};
}

/* Where each group's accesses begin, by its number - 1. */
static void place_accesses(struct accesses *a, const size_t *begin, const uint32_t *lanes)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct entry *e = &a->entries[i];
		uint32_t before = lanes[e->request - 1] & ((1u << e->row.lane) - 1);

		a->out.accesses[begin[e->request - 1] + (unsigned)__builtin_popcount(before)] =
			e->row;
	}
}

static void take_requests(struct accesses *a)
{
	size_t *begin = xcalloc(a->group_count + 1, sizeof *begin), at = 0;
	uint32_t *lanes = xcalloc(a->group_count + 1, sizeof *lanes);
	struct codes codes = { 0 };

	if (a->group_count)
		qsort(a->groups, a->group_count, sizeof *a->groups, by_request);
	a->out.requests = xcalloc(a->group_count + 1, sizeof *a->out.requests);
	a->out.accesses = xcalloc(a->count + 1, sizeof *a->out.accesses);
	for (size_t i = 0; i < a->group_count; i++) {
		const struct group *group = &a->groups[i];
		struct row_request *row = &a->out.requests[i], *last = i ? row - 1 : NULL;

		*row = describe(group, &codes);
		row->number = last && last->block == row->block && last->warp == row->warp
			? last->number + 1 : 0;
		row->accesses = &a->out.accesses[at];
		begin[group->number - 1] = at;
		lanes[group->number - 1] = group->lanes;
		at += row->count;
	}
	place_accesses(a, begin, lanes);
	a->out.request_count = a->group_count;
	free(codes.list);
	free(lanes);
	free(begin);
}

/* --- lines in order --- */

static int by_thread(const void *one, const void *other)
{
	const struct visit *a = one, *b = other;

	ORDER(a->block, b->block);
	ORDER(a->thread, b->thread);
	ORDER(a->order, b->order);
	return 0;
}

/* Adds a line unless the thread has it, which is among the rows from `first` on. */
static void add_line(struct accesses *a, size_t first, const struct visit *visit,
		     const struct row_line_count *line)
{
	struct row_memory *out = &a->out;

	for (size_t i = first; i < out->line_count; i++)
		if (out->lines[i].line == line->line && !strcmp(out->lines[i].file, line->file))
			return;
	if (out->line_count == a->line_capacity) {
		a->line_capacity = a->line_capacity ? 2 * a->line_capacity : 1024;
		out->lines = xreallocarray(out->lines, a->line_capacity, sizeof *out->lines);
	}
	out->lines[out->line_count] = (struct row_reach){
		.block = visit->block, .thread = visit->thread, .file = line->file,
		.line = line->line, .sequence = (uint32_t)(out->line_count - first),
	};
	out->line_count++;
}

static void take_lines(struct accesses *a, struct lines *lines)
{
	size_t first = 0;

	if (a->visit_count)
		qsort(a->visits, a->visit_count, sizeof *a->visits, by_thread);
	for (size_t i = 0; i < a->visit_count; i++) {
		const struct visit *v = &a->visits[i];
		const struct row_line_count *found;
		size_t count = lines_at(lines, v->pc - 1, &found);

		if (i == 0 || v[-1].block != v->block || v[-1].thread != v->thread)
			first = a->out.line_count;
		for (size_t j = 0; j < count; j++)
			add_line(a, first, v, &found[j]);
	}
}

void accesses_take(struct accesses *a, struct lines *lines, struct row_memory *out)
{
	if (!a->out.requests) {
		if (a->count <= ACCESS_LIMIT)
			take_requests(a);
		if (a->visit_count <= ACCESS_LIMIT)
			take_lines(a, lines);
		a->out.access_count = a->count;
		if (a->visit_count > ACCESS_LIMIT)
			a->out.line_count = a->visit_count;
	}
	*out = a->out;
}
