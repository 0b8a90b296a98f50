/* counters.c - counts the memory accesses, barriers and branches of each launch; see counters.h.
 *
 * Source lines are handled by sim/check/lines.c; requests of warps, sectors and bank conflicts by
 * sim/check/requests.c.
 */
#include "config.h"

#include "sim/check/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/accesses.h"
#include "sim/check/check_state.h"
#include "sim/check/lines.h"
#include "sim/check/requests.h"
#include "sim/exec/mix.h"
#include "traces/row.h"

/* The set of touched bytes: a hash table with open addressing; key 0 is free. */
struct tally {
	struct tally_entry {
		uintptr_t key;          /* address / SPAN_BYTES */
		uint64_t bits[8];
	} *entries;
	size_t count, capacity;
};

#define SPAN_BYTES 512

struct counters {
	struct request_sums sums;       /* of the running launch */
	struct tally touched;           /* global memory that it read */
	struct accesses *accesses;      /* of blocks to be recorded */
	struct row_counters *events;    /* the last one is of the running launch */
	struct lines *lines;            /* of the same launches */
	size_t count;
	bool part;                      /* the running launch is part of the one before */
	struct requests **warps;        /* those of every struct warp */
	size_t warp_count;
};

/* --- tallies --- */

static struct tally_entry *tally_slot(struct tally_entry *entries, size_t capacity, uintptr_t key)
{
	size_t i = (size_t)mix(key, 0) & (capacity - 1);

	while (entries[i].key && entries[i].key != key)
		i = (i + 1) & (capacity - 1);
	return &entries[i];
}

static struct tally_entry *tally_at(struct tally *t, uintptr_t key)
{
	struct tally_entry *entry;

	if (2 * (t->count + 1) > t->capacity) {
		struct tally old = *t;

		t->capacity = old.capacity ? 2 * old.capacity : 64;
		t->entries = xcalloc(t->capacity, sizeof *t->entries);
		for (size_t i = 0; i < old.capacity; i++)
			if (old.entries[i].key)
				*tally_slot(t->entries, t->capacity, old.entries[i].key) =
					old.entries[i];
		free(old.entries);
	}
	entry = tally_slot(t->entries, t->capacity, key);
	t->count += !entry->key;
	entry->key = key;
	return entry;
}

static void tally_clear(struct tally *t)
{
	free(t->entries);
	*t = (struct tally){ 0 };
}

/* Returns how many of the bytes were not touched before. */
static unsigned touch(struct tally *t, uintptr_t address, size_t bytes)
{
	unsigned fresh = 0;

	for (uintptr_t at = address, end = address + bytes; at < end; ) {
		/* Page 0 is never read, so no key is 0. */
		uint64_t *word = &tally_at(t, at / SPAN_BYTES)->bits[at % SPAN_BYTES / 64];
		unsigned first = at % 64, count = end - at < 64 - first ? (unsigned)(end - at)
			: 64 - first;
		uint64_t mask = (~0ull >> (64 - count)) << first;

		fresh += (unsigned)__builtin_popcountll(mask & ~*word);
		*word |= mask;
		at += count;
	}
	return fresh;
}

/* --- launches --- */

struct counters *counters_create(void)
{
	struct counters *c = xcalloc(1, sizeof *c);

	c->lines = lines_create();
	c->accesses = accesses_create();
	return c;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->warp_count; i++)
		requests_free(c->warps[i]);
	tally_clear(&c->touched);
	free(c->warps);
	lines_free(c->lines);
	accesses_free(c->accesses);
	free(c->events);
	free(c);
}

struct accesses *counters_accesses(struct counters *c)
{
	return c->accesses;
}

void counters_launch_begin(struct counters *c, const struct check_launch *launch)
{
	c->sums = (struct request_sums){ 0 };
	c->part = launch->part;
	if (c->part)
		return;
	c->events = xreallocarray(c->events, c->count + 1, sizeof *c->events);
	c->events[c->count++] = (struct row_counters){
		.launch = launch->number, .kernel = launch->code->name,
	};
	accesses_begin(c->accesses, check_hot.base);
}

void counters_launch_end(struct counters *c, bool counted)
{
	struct row_counters *e = &c->events[c->count - 1];

	lines_end(c->lines, c->part);
	accesses_end(c->accesses);
	e->counted = counted;
	for (size_t i = 0; i < c->warp_count; i++)
		requests_end(c->warps[i]);
	tally_clear(&c->touched);
	e->load_requests += c->sums.count[REQUEST_LOAD];
	e->store_requests += c->sums.count[REQUEST_STORE];
	e->load_sectors += c->sums.sectors[REQUEST_LOAD];
	e->store_sectors += c->sums.sectors[REQUEST_STORE];
	e->shared_load_requests += c->sums.count[REQUEST_SHARED_LOAD];
	e->shared_store_requests += c->sums.count[REQUEST_SHARED_STORE];
	e->shared_load_conflicts += c->sums.conflicts[0];
	e->shared_store_conflicts += c->sums.conflicts[1];
	e->divergent_branches += c->sums.count[REQUEST_BRANCH];
	e->left_out += c->sums.left_out;
}

/* --- a running launch --- */

static struct row_counters *running(struct counters *c)
{
	return &c->events[c->count - 1];
}

static bool is_shared(uintptr_t address)
{
	return address - check_hot.base < check_hot.shared_span;
}

static enum request_kind kind_of(uintptr_t address, bool write)
{
	if (is_shared(address))
		return write ? REQUEST_SHARED_STORE : REQUEST_SHARED_LOAD;
	return write ? REQUEST_STORE : REQUEST_LOAD;
}

static void count_bytes(struct counters *c, uintptr_t address, size_t bytes, bool write)
{
	if (is_shared(address))
		return;
	if (write) {
		running(c)->store_bytes += bytes;
	} else {
		running(c)->load_bytes += bytes;
		running(c)->load_distinct_bytes += touch(&c->touched, address, bytes);
	}
}

void counters_access(struct counters *c, const struct lane *lane, uintptr_t address, size_t bytes,
		     bool write, uintptr_t pc)
{
	if (address - check_hot.base >= check_hot.span)
		return;
	requests_add(lane->warp->requests, lane, kind_of(address, write), pc, address, bytes);
	count_bytes(c, address, bytes, write);
}

void counters_bulk(struct counters *c, const struct lane *lane, uintptr_t address, size_t bytes,
		   bool write, uintptr_t pc)
{
	size_t offset = address - check_hot.base;

	if (offset >= check_hot.span || bytes > check_hot.span - offset)
		return;
	requests_bulk(lane->warp->requests, lane, kind_of(address, write), pc, address, bytes);
	count_bytes(c, address, bytes, write);
}

void counters_atomic(struct counters *c, const struct lane *lane, uintptr_t address, size_t bytes,
		     bool whole, uintptr_t pc)
{
	size_t offset = address - check_hot.base;
	bool shared = is_shared(address);

	if (shared)
		running(c)->shared_atomics++;
	else if (offset < check_hot.span)
		running(c)->atomics++;
	if (whole && offset < check_hot.span && accesses_want(c->accesses, lane))
		requests_add(lane->warp->requests, lane,
			     shared ? REQUEST_SHARED_ATOMIC : REQUEST_ATOMIC, pc, address, bytes);
}

void counters_unknown(struct counters *c)
{
	accesses_unknown(c->accesses);
}

/* Counts a branch from the last block to this one; a thread's first block has no last one. */
void counters_block(struct counters *c, const struct lane *lane, uintptr_t pc)
{
	uintptr_t *last = &lane->warp->last_block[__builtin_ctz(lane->bit)];

	running(c)->basic_blocks++;
	accesses_settle(c->accesses);
	if (accesses_want(c->accesses, lane))
		accesses_step(c->accesses, lane, pc);
	if (*last) {
		requests_add(lane->warp->requests, lane, REQUEST_BRANCH, *last, pc, 1);
		requests_step(lane->warp->requests, lane, *last, pc);
	}
	*last = pc;
}

static void new_requests(struct counters *c, struct warp *warp)
{
	c->warps = xreallocarray(c->warps, c->warp_count + 1, sizeof *c->warps);
	warp->requests = requests_create(&c->sums, c->accesses);
	c->warps[c->warp_count++] = warp->requests;
}

void counters_block_begin(struct counters *c, struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];

		if (!warp->requests)
			new_requests(c, warp);
		requests_end(warp->requests);
		memset(warp->last_block, 0, sizeof warp->last_block);
	}
}

void counters_barrier(struct counters *c, struct block *block)
{
	running(c)->barriers++;
	for (unsigned i = 0; i < block->warp_count; i++)
		requests_meet(block->warps[i].requests);
}

void counters_collective(struct counters *c, struct warp *warp, uint32_t lanes, bool shuffle)
{
	running(c)->shuffles += shuffle;
	if ((lanes | warp->exited) == UINT32_MAX)
		requests_meet(warp->requests);
}

/* --- results --- */

size_t counters_list(struct counters *c, const struct row_counters **out)
{
	for (size_t i = 0; i < c->count; i++)
		c->events[i].line_count = lines_list(c->lines, i, &c->events[i].lines);
	*out = c->events;
	return c->count;
}

void counters_memory(struct counters *c, struct row_memory *out)
{
	accesses_take(c->accesses, c->lines, out);
}
