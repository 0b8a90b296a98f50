/* check_map.c - device memory of a checked device: one reserved range, and the shadow beside it.
 *
 * Buffers lie far apart and are never mapped again where one was freed, so that a wrong index or a
 * stale pointer meets no other buffer: of 8 TiB of addresses each takes 1/256 of what is left, so
 * that an int that counts floats does not get from one to the next before there are 350 of them.
 * Shared memory of resident blocks lies at the beginning of the range. Shadow memory takes up room
 * only where it is touched.
 */
#include "config.h"

#include "sim/check/check_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/device.h"
#include "sim/check/counters.h"
#include "sim/device/memory.h"

/* Of the range: 1/64 is for shared memory, and there is room for more than 1,000 buffers. */
#define ARENA_SHARE 64
#define SLOT_SHARE 256
#define LARGEST ((size_t)1 << 43)
#define SMALLEST ((size_t)1 << 28)
#define ALIGNMENT 256

/* Bytes of shadow for `span` bytes: cells, one more reader, state. */
static size_t shadow_bytes(size_t span)
{
	return span * 4 + span * 2 + span / 4;
}

static void lay_out(struct check *check, unsigned char *memory, size_t span)
{
	struct check_hot *hot = &check->hot;
	unsigned char *at = memory + span;

	check->reserved = memory;
	hot->base = (uintptr_t)memory;
	hot->span = span;
	hot->shared_span = span / ARENA_SHARE;
	hot->cell = (struct check_cell *)(void *)at;
	hot->cells = (uintptr_t)at - 4 * hot->base;
	hot->words = span / 4;
	hot->shared_words = hot->shared_span / 4;
	at += span * 4;
	hot->reader = (uint64_t *)(void *)at;
	at += span * 2;
	hot->state = at;
	hot->check = check;
	hot->granule = (unsigned)__builtin_ctzll(span / GRANULES / 4);
	check->reached = xcalloc(GRANULES, 1);
	hot->reached = check->reached;
}

/* As much as can be had: a debugger or a limit may leave little. */
enum status check_create(struct check **out)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	const size_t slices = MAX_SLICES * sizeof(struct check_slice);
	struct check *check = xcalloc(1, sizeof *check);

	for (size_t span = LARGEST; span >= SMALLEST; span /= 2) {
		size_t bytes = span + shadow_bytes(span);
		void *memory = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);

		if (memory == MAP_FAILED)
			continue;
		check->reserved_bytes = bytes;
		lay_out(check, memory, span);
		check->slices = mmap(NULL, slices, PROT_READ | PROT_WRITE, flags, -1, 0);
		if (check->slices != MAP_FAILED
		    && mprotect((unsigned char *)memory + span, bytes - span,
				PROT_READ | PROT_WRITE) == 0) {
			check->next_slice = 1;
			check->counters = counters_create();
			*out = check;
			return STATUS_OK;
		}
		if (check->slices != MAP_FAILED)
			munmap(check->slices, slices);
		munmap(memory, bytes);
	}
	free(check);
	return fail_device(2, "--check: no %zu bytes of addresses to reserve for device memory and "
			   "its shadow", SMALLEST + shadow_bytes(SMALLEST));
}

void check_destroy(struct check *check)
{
	if (!check)
		return;
	check_alloc_end(check);
	check_find_free(check);
	check_ops_free(check);
	check_forget(check);
	counters_free(check->counters);
	munmap(check->reserved, check->reserved_bytes);
	munmap(check->slices, MAX_SLICES * sizeof(struct check_slice));
	free(check->regions);
	free(check->images);
	free(check->reached);
	free(check);
}

void check_count(struct check *check)
{
	check->hot.counters = check->counters;
}

size_t check_counters(struct check *check, const struct row_counters **out)
{
	return counters_list(check->counters, out);
}

/* --- regions --- */

static size_t rounded(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

static struct check_region *add_region(struct check *check, const struct check_region *region)
{
	size_t i;

	if (check->region_count == check->region_room) {
		check->region_room = check->region_room ? 2 * check->region_room : 64;
		check->regions = xreallocarray(check->regions, check->region_room,
					       sizeof *check->regions);
	}
	for (i = check->region_count++; i > 0 && check->regions[i - 1].at > region->at; i--)
		check->regions[i] = check->regions[i - 1];
	check->regions[i] = *region;
	return &check->regions[i];
}

const struct check_region *check_region_at(const struct check *check, uintptr_t address)
{
	size_t low = 0, high = check->region_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (check->regions[middle].at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (check->region_count == 0)
		return NULL;
	return &check->regions[low > 0 ? low - 1 : 0];
}

/* --- shadow state --- */

static void mark_words(uint8_t *state, size_t words, uint8_t bits, bool set)
{
	for (size_t i = 0; i < words; i++)
		state[i] = set ? state[i] | bits : (uint8_t)(state[i] & ~bits);
}

/* Sets or clears bits of the bytes [at, at + bytes); `shift` 0: written, 4: allocated. */
static void mark(struct check *check, uintptr_t at, size_t bytes, unsigned shift, bool set)
{
	uintptr_t offset = at - check->hot.base, end = offset + bytes;
	uint8_t *state = check->hot.state;

	for (; offset < end && (offset & 3); offset++) {
		uint8_t bit = (uint8_t)(1u << (shift + (offset & 3)));

		state[offset >> 2] = set ? state[offset >> 2] | bit
			: (uint8_t)(state[offset >> 2] & ~bit);
	}
	mark_words(state + (offset >> 2), offset < end ? (end - offset) >> 2 : 0,
		   (uint8_t)(0xfu << shift), set);
	for (offset = offset < (end & ~(uintptr_t)3) ? end & ~(uintptr_t)3 : offset; offset < end;
	     offset++) {
		uint8_t bit = (uint8_t)(1u << (shift + (offset & 3)));

		state[offset >> 2] = set ? state[offset >> 2] | bit
			: (uint8_t)(state[offset >> 2] & ~bit);
	}
}

void check_written(struct check *check, const void *memory, size_t bytes)
{
	mark(check, (uintptr_t)memory, bytes, 0, true);
}

/* Whole words; the ranges may overlap. */
static void copy_words(uint8_t *to, const uint8_t *from, size_t words)
{
	bool down = to > from;

	for (size_t i = 0; i < words; i++) {
		size_t at = down ? words - 1 - i : i;

		to[at] = (uint8_t)((to[at] & 0xf0u) | (from[at] & 0x0fu));
	}
}

void check_copied(struct check *check, const void *to, const void *from, size_t bytes)
{
	uintptr_t source = (uintptr_t)from - check->hot.base;
	uintptr_t target = (uintptr_t)to - check->hot.base;
	uint8_t *state = check->hot.state;
	size_t done = 0;

	if (!(source & 3) && !(target & 3)) {
		copy_words(&state[target >> 2], &state[source >> 2], bytes / 4);
		done = bytes / 4 * 4;
	}
	for (size_t i = done; i < bytes; i++)
		mark(check, (uintptr_t)to + i, 1, 0,
		     state[(source + i) >> 2] >> ((source + i) & 3) & 1);
}

/* --- asynchronous copies --- */

static bool is_memory(const struct check *check, const void *at)
{
	return (uintptr_t)at - check->hot.base < check->hot.span;
}

/* The destination counts as written, and as never written, until the copy lands. */
void check_async_begin(struct check *check, void *to, const void *from, size_t bytes, size_t copied,
		       uintptr_t pc)
{
	struct counters *counters = check_hot.counters;

	/* One load, although its words are judged one by one. */
	if (counters && copied > 0)
		counters_access(counters, schedule_current(), (uintptr_t)from, copied, false, pc);
	check_hot.counters = NULL;
	for (size_t i = 0, n; i < copied; i += n) {
		n = copied - i < 4 ? 1 : 4;
		check_access((uintptr_t)from + i, n, CHECK_READ, 0, pc);
	}
	check_hot.counters = counters;
	check_access((uintptr_t)to, bytes, CHECK_WRITE, 0, pc);
	if (is_memory(check, to))
		mark(check, (uintptr_t)to, bytes, 0, false);
}

/* What it stores was counted when it began. */
void check_async_end(struct check *check, void *to, const void *from, size_t bytes, size_t copied,
		     uintptr_t pc)
{
	struct counters *counters = check_hot.counters;

	check_hot.counters = NULL;
	check_access((uintptr_t)to, bytes, CHECK_WRITE, 0, pc);
	check_hot.counters = counters;
	if (is_memory(check, to) && is_memory(check, from))
		check_copied(check, to, from, copied);
}

/* --- mapping --- */

static size_t addresses_left(const struct check *check)
{
	return check->hot.span - check->hot.shared_span - check->used;
}

/* Bytes of addresses for `room` bytes in the middle of them. */
static size_t slot_for(const struct check *check, size_t room)
{
	size_t share = addresses_left(check) / SLOT_SHARE;

	return rounded(share > 2 * room ? share : 2 * room, check->hot.span / GRANULES);
}

/* `room` bytes at the end of `slot` bytes, with a page nobody may touch behind. */
static void *map_in(uintptr_t slot, size_t slot_bytes, size_t room)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t inner = rounded(room, page);
	uintptr_t at = slot + (slot_bytes - inner) / 2 / page * page;

	if (mprotect((void *)at, inner, PROT_READ | PROT_WRITE) != 0)
		return NULL;
	return (void *)(at + inner - room);
}

enum status check_map(struct check *check, uint32_t buffer, const char *name, size_t bytes,
		      void **out)
{
	size_t room = bytes ? rounded(bytes, ALIGNMENT) : ALIGNMENT;
	size_t left = addresses_left(check);
	size_t slot = room < check->hot.span / 4 ? slot_for(check, room) : 0;
	struct check_region region = { .bytes = bytes, .room = room, .buffer = buffer };
	void *memory = NULL;

	if (slot && slot <= left)
		memory = map_in(check->hot.base + check->hot.shared_span + check->used, slot, room);
	if (!memory)
		return fail_device(2, "--check: out of memory: %zu bytes for %s, %zu bytes of "
				   "addresses are left", bytes, name, left);
	check->used += slot;
	region.at = (uintptr_t)memory;
	snprintf(region.name, sizeof region.name, "%s", name);
	add_region(check, &region);
	memory_fill(memory, DEVICE_POISON, room / 4);
	mark(check, region.at, bytes, 4, true);
	*out = memory;
	return STATUS_OK;
}

/* The addresses stay taken. */
void check_unmap(struct check *check, void *memory)
{
	struct check_region *region = NULL;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t from;

	for (size_t i = 0; i < check->region_count; i++)
		if (check->regions[i].at == (uintptr_t)memory)
			region = &check->regions[i];
	if (!region)
		return;
	region->freed = true;
	mark(check, region->at, region->bytes, 4, false);
	from = region->at / page * page;
	madvise((void *)from, region->at + region->room - from, MADV_DONTNEED);
	mprotect((void *)from, region->at + region->room - from, PROT_NONE);
}

uintptr_t check_image_of(struct check *check, uintptr_t code, size_t bytes)
{
	size_t slot = rounded(bytes, check->hot.span / GRANULES);

	for (size_t i = 0; i < check->image_count; i++)
		if (check->images[i].code == code && check->images[i].bytes == bytes)
			return check->images[i].at;
	/* Buffers come first. */
	if (slot > addresses_left(check) / 2)
		return 0;
	check->images = xreallocarray(check->images, check->image_count + 1,
				      sizeof *check->images);
	check->images[check->image_count] = (struct check_image){
		.code = code, .bytes = bytes,
		.at = check->hot.base + check->hot.shared_span + check->used,
	};
	check->used += slot;
	return check->images[check->image_count++].at;
}

void *check_map_arena(struct check *check, size_t bytes)
{
	size_t slot = check->hot.shared_span / (2 * MAX_RESIDENT);
	struct check_region region = { .bytes = bytes, .room = bytes, .kind = REGION_ARENA,
				       .name = "shared memory" };
	void *memory;

	if (bytes > slot / 2 || check->arenas_used + slot > check->hot.shared_span)
		return NULL;
	memory = map_in(check->hot.base + check->arenas_used, slot, bytes);
	if (!memory)
		return NULL;
	check->arenas_used += slot;
	region.at = (uintptr_t)memory;
	add_region(check, &region);
	return memory;
}

void check_block_begin(struct check *check, struct block *block, size_t static_bytes,
		       size_t dynamic_bytes)
{
	uintptr_t at = (uintptr_t)block->arena;

	memset(&check->hot.state[(at - check->hot.base) >> 2], 0, block->arena_bytes / 4);
	mark(check, (uintptr_t)block->view.shared, static_bytes, 4, true);
	mark(check, (uintptr_t)block->view.dynamic, dynamic_bytes, 4, true);
	block->check_epoch = 0;
	if (check->hot.counters)
		counters_block_begin(check->hot.counters, block);
	for (unsigned i = 0; i < block->warp_count; i++) {
		check_new_slice(check, &block->warps[i], ~block->warps[i].exited);
		for (unsigned l = 0; l < WARP_LANES; l++) {
			struct check_lane *lane = &block->warps[i].lanes[l].check;

			lane->block_first = block->warps[0].lanes[0].check.segment;
			lane->bound = lane->warp_bound = lane->block_first;
			lane->known = NULL;
			lane->order = NULL;
		}
	}
}

void check_leaks(struct check *check)
{
	for (size_t i = 0; i < check->region_count; i++) {
		const struct check_region *region = &check->regions[i];
		struct check_report report = {
			.class = CLASS_LEAK, .side = NO_SIDE, .other = NO_SIDE,
			.address = region->at, .bytes = region->bytes,
		};

		if (region->kind != REGION_BUFFER || region->freed)
			continue;
		report.side.pc = region->at;    /* tells leaks apart; no code is there */
		snprintf(report.detail, sizeof report.detail, "%s, %zu bytes", region->name,
			 region->bytes);
		check_report(check, &report);
	}
}
