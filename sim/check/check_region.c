/* check_region.c - memory of a checked device: where buffers are, and which bytes are written.
 *
 * Buffers are far apart and their addresses are never reused, so a wrong index or a stale pointer
 * does not hit another buffer. Each buffer takes 1/256 of the remaining addresses of 8 TiB, so up
 * to 350 buffers are too far apart for an int that counts floats to get from one to the next.
 * Shared memory of resident blocks is at the beginning of the range.
 */
#include "config.h"

#include "sim/check/check_region.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sim/check/check_state.h"
#include "sim/exec/worker.h"

/* A buffer takes 1/256 of the remaining range, which allows for more than 1,000 buffers. */
#define SLOT_SHARE 256
#define ALIGNMENT 256

static size_t rounded(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

/* --- regions --- */

static struct check_region *add_region(struct check *check, const struct check_region *region)
{
	size_t i;

	if (check->region_count == check->region_capacity) {
		check->region_capacity = check->region_capacity ? 2 * check->region_capacity : 64;
		check->regions = xreallocarray(check->regions, check->region_capacity,
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

/* Sets or clears the bits of the bytes [at, at + bytes). `shift` 0: written, 4: allocated. */
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

void check_unwritten(struct check *check, const void *memory, size_t bytes)
{
	mark(check, (uintptr_t)memory, bytes, 0, false);
}

void check_allocated(struct check *check, const void *memory, size_t bytes)
{
	mark(check, (uintptr_t)memory, bytes, 4, true);
}

/* Copies the state of whole words; the ranges may overlap. */
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

/* --- mapping --- */

static size_t addresses_left(const struct check *check)
{
	return check->hot.span - check->hot.shared_span - check->used;
}

/* The size of the address slot with `mapped` bytes in the middle. */
static size_t slot_for(const struct check *check, size_t mapped)
{
	size_t share = addresses_left(check) / SLOT_SHARE;

	return rounded(share > 2 * mapped ? share : 2 * mapped, check->hot.span / GRANULES);
}

/* Maps `mapped` bytes in the middle of a slot, directly before a guard page. */
static void *map_in(uintptr_t slot, size_t slot_bytes, size_t mapped)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t inner = rounded(mapped, page);
	uintptr_t at = slot + (slot_bytes - inner) / 2 / page * page;

	if (mprotect((void *)at, inner, PROT_READ | PROT_WRITE) != 0)
		return NULL;
	return (void *)(at + inner - mapped);
}

enum status check_map(struct check *check, uint32_t buffer, const char *name, size_t bytes,
		      void **out)
{
	size_t mapped = bytes ? rounded(bytes, ALIGNMENT) : ALIGNMENT;
	size_t left = addresses_left(check);
	size_t slot = mapped < check->hot.span / 4 ? slot_for(check, mapped) : 0;
	struct check_region region = { .bytes = bytes, .mapped = mapped, .buffer = buffer };
	void *memory = NULL;

	if (slot && slot <= left)
		memory = map_in(check->hot.base + check->hot.shared_span + check->used, slot,
				mapped);
	if (!memory)
		return fail_device(2, "--check: out of memory: %zu bytes for %s, %zu bytes of "
				   "addresses are left", bytes, name, left);
	check->used += slot;
	region.at = (uintptr_t)memory;
	snprintf(region.name, sizeof region.name, "%s", name);
	add_region(check, &region);
	check_allocated(check, memory, bytes);
	*out = memory;
	return STATUS_OK;
}

/* The addresses stay reserved. */
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
	madvise((void *)from, region->at + region->mapped - from, MADV_DONTNEED);
	mprotect((void *)from, region->at + region->mapped - from, PROT_NONE);
}

uintptr_t check_image_of(struct check *check, uintptr_t code, size_t bytes)
{
	size_t slot = rounded(bytes, check->hot.span / GRANULES);

	for (size_t i = 0; i < check->image_count; i++)
		if (check->images[i].code == code && check->images[i].bytes == bytes)
			return check->images[i].at;
	/* Keep half of the addresses for buffers. */
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

void *check_arena(struct listener *listener, size_t bytes)
{
	struct check *check = check_of(listener);
	size_t slot = check->hot.shared_span / (2 * MAX_RESIDENT);
	struct check_region region = { .bytes = bytes, .mapped = bytes, .kind = REGION_ARENA,
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
