/* counters.c - counts what a launch does, and keeps it per launch; see counters.h.
 *
 * While kernels run only addresses of code are kept; source lines are looked up when somebody asks.
 * Requests of warps, sectors and bank conflicts are sim/requests.c's business.
 */
#include "config.h"

#include "sim/counters.h"

#include <stdlib.h>
#include <string.h>

#include "sim/check_int.h"
#include "sim/requests.h"
#include "sim/symbol.h"
#include "traces/event.h"
#include "traces/xalloc.h"

/* How often each key was met: a hash table with open addresses; key 0 is free. */
struct tally {
	struct tally_entry {
		uintptr_t key;
		uint64_t count;
		uint64_t bits[8];       /* of memory: bytes of the 512 that were touched */
	} *entries;
	size_t count, room;
};

#define SPAN_BYTES 512

struct launch_lines {
	struct tally places;            /* code -> times a thread came there */
	struct event_line_count *lines; /* when somebody has asked */
};

struct counters {
	struct request_sums sums;       /* of the running launch */
	struct tally touched;           /* global memory that it read */
	struct event_counters *events;  /* the last one is the running launch's */
	struct launch_lines *lines;     /* of the same launch */
	size_t count;
	struct requests **warps;        /* all there are; those of struct warp */
	size_t warp_count;
};

/* --- tallies --- */

static struct tally_entry *tally_slot(struct tally_entry *entries, size_t room, uintptr_t key)
{
	size_t i = (size_t)schedule_mix(key, 0) & (room - 1);

	while (entries[i].key && entries[i].key != key)
		i = (i + 1) & (room - 1);
	return &entries[i];
}

static struct tally_entry *tally_at(struct tally *t, uintptr_t key)
{
	struct tally_entry *entry;

	if (2 * (t->count + 1) > t->room) {
		struct tally old = *t;

		t->room = old.room ? 2 * old.room : 64;
		t->entries = xcalloc(t->room, sizeof *t->entries);
		for (size_t i = 0; i < old.room; i++)
			if (old.entries[i].key)
				*tally_slot(t->entries, t->room, old.entries[i].key) =
					old.entries[i];
		free(old.entries);
	}
	entry = tally_slot(t->entries, t->room, key);
	t->count += !entry->key;
	entry->key = key;
	return entry;
}

static void tally_clear(struct tally *t)
{
	free(t->entries);
	*t = (struct tally){ 0 };
}

/* How many of the bytes were not touched before. */
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
	return xcalloc(1, sizeof(struct counters));
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->warp_count; i++)
		requests_free(c->warps[i]);
	for (size_t i = 0; i < c->count; i++) {
		tally_clear(&c->lines[i].places);
		free(c->lines[i].lines);
	}
	tally_clear(&c->touched);
	free(c->warps);
	free(c->lines);
	free(c->events);
	free(c);
}

void counters_launch_begin(struct counters *c, const struct check_launch *launch)
{
	c->events = xreallocarray(c->events, c->count + 1, sizeof *c->events);
	c->lines = xreallocarray(c->lines, c->count + 1, sizeof *c->lines);
	c->events[c->count] = (struct event_counters){
		.launch = launch->number, .kernel = launch->code->name,
	};
	c->lines[c->count++] = (struct launch_lines){ 0 };
	c->sums = (struct request_sums){ 0 };
}

void counters_launch_end(struct counters *c)
{
	struct event_counters *e = &c->events[c->count - 1];

	for (size_t i = 0; i < c->warp_count; i++)
		requests_end(c->warps[i]);
	tally_clear(&c->touched);
	e->load_requests = c->sums.count[REQUEST_LOAD];
	e->store_requests = c->sums.count[REQUEST_STORE];
	e->load_sectors = c->sums.sectors[REQUEST_LOAD];
	e->store_sectors = c->sums.sectors[REQUEST_STORE];
	e->shared_load_requests = c->sums.count[REQUEST_SHARED_LOAD];
	e->shared_store_requests = c->sums.count[REQUEST_SHARED_STORE];
	e->shared_load_conflicts = c->sums.conflicts[0];
	e->shared_store_conflicts = c->sums.conflicts[1];
	e->divergent_branches = c->sums.count[REQUEST_BRANCH];
	e->left_out = c->sums.left_out;
}

/* --- a running launch --- */

static struct event_counters *running(struct counters *c)
{
	return &c->events[c->count - 1];
}

static void come_to(struct counters *c, uintptr_t pc)
{
	tally_at(&c->lines[c->count - 1].places, pc)->count++;
}

void counters_access(struct counters *c, const struct lane *lane, uintptr_t address, size_t bytes,
		     bool write, uintptr_t pc)
{
	size_t offset = address - check_hot.base;
	bool shared = offset < check_hot.shared_span;

	if (offset >= check_hot.span)
		return;
	come_to(c, pc);
	requests_add(lane->warp->requests, lane, shared
		     ? write ? REQUEST_SHARED_STORE : REQUEST_SHARED_LOAD
		     : write ? REQUEST_STORE : REQUEST_LOAD, pc, address, bytes);
	if (shared)
		return;
	if (write) {
		running(c)->store_bytes += bytes;
	} else {
		running(c)->load_bytes += bytes;
		running(c)->load_distinct_bytes += touch(&c->touched, address, bytes);
	}
}

void counters_atomic(struct counters *c, uintptr_t address)
{
	size_t offset = address - check_hot.base;

	if (offset < check_hot.shared_span)
		running(c)->shared_atomics++;
	else if (offset < check_hot.span)
		running(c)->atomics++;
}

/* From block to block; a thread's first block has none before it. */
void counters_block(struct counters *c, const struct lane *lane, uintptr_t pc)
{
	uintptr_t *last = &lane->warp->last_block[__builtin_ctz(lane->bit)];

	running(c)->basic_blocks++;
	come_to(c, pc);
	if (*last)
		requests_add(lane->warp->requests, lane, REQUEST_BRANCH, *last, pc, 1);
	*last = pc;
}

static void new_requests(struct counters *c, struct warp *warp)
{
	c->warps = xreallocarray(c->warps, c->warp_count + 1, sizeof *c->warps);
	warp->requests = requests_create(&c->sums);
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

static int by_line(const void *a, const void *b)
{
	const struct event_line_count *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* A line has several places: the one that threads came to most often says how often they came. */
static size_t merge_lines(struct event_line_count *lines, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct event_line_count *last = kept ? &lines[kept - 1] : NULL;

		if (!last || by_line(last, &lines[i]) != 0)
			lines[kept++] = lines[i];
		else if (last->hits < lines[i].hits)
			last->hits = lines[i].hits;
	}
	return kept;
}

static void resolve(struct event_counters *event, struct launch_lines *l)
{
	size_t count = 0;

	l->lines = xcalloc(l->places.count + 1, sizeof *l->lines);
	for (size_t i = 0; i < l->places.room; i++) {
		const struct tally_entry *place = &l->places.entries[i];
		struct symbol symbol;

		if (place->key && symbol_find_caller((const void *)(place->key - 1), &symbol)
		    && symbol.file && symbol.line > 0)
			l->lines[count++] = (struct event_line_count){
				.file = symbol.file, .line = symbol.line, .hits = place->count,
			};
	}
	tally_clear(&l->places);
	qsort(l->lines, count, sizeof *l->lines, by_line);
	event->lines = l->lines;
	event->line_count = merge_lines(l->lines, count);
}

size_t counters_list(struct counters *c, const struct event_counters **out)
{
	for (size_t i = 0; i < c->count; i++)
		if (!c->lines[i].lines)
			resolve(&c->events[i], &c->lines[i]);
	*out = c->events;
	return c->count;
}
