/* check_region.c - memory of a checked device: where buffers are, and which bytes are written.
 *
 * Buffers are far apart and their addresses are not reused, so a wrong index or a stale pointer
 * does not hit another buffer. Each buffer takes 1/256 of the remaining addresses of 8 TiB, so up
 * to 350 buffers are too far apart for an int that counts floats to get from one to the next. If
 * addresses are limited (check_space.c), buffers are closer; when none are left, a buffer is placed
 * in the largest gap between others, where freed buffers may have been. Shared memory of resident
 * blocks is at the beginning of the range.
 */
#include "config.h"

#include "sim/check/check_region.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sim/check/check_space.h"
#include "sim/check/check_state.h"

/* A buffer takes 1/256 of the remaining range, which allows for more than 1,000 buffers. */
#define SLOT_SHARE 256
#define ALIGNMENT 256

/* Bits of check.granules. */
enum granule_use { GRANULE_TAKEN = 1, GRANULE_RECORDED = 2 };

/* --- regions --- */

/* Forgets freed regions where the new one is. */
static void drop_freed(struct check *check, const struct check_region *region)
{
	size_t kept = 0;

	for (size_t i = 0; i < check->region_count; i++) {
		const struct check_region *old = &check->regions[i];

		if (!old->freed || old->at + old->mapped <= region->at
		    || old->at >= region->at + region->mapped)
			check->regions[kept++] = *old;
	}
	check->region_count = kept;
}

static void add_region(struct check *check, const struct check_region *region)
{
	size_t i;

	drop_freed(check, region);
	if (check->region_count == check->region_capacity) {
		check->region_capacity = check->region_capacity ? 2 * check->region_capacity : 64;
		check->regions = xreallocarray(check->regions, check->region_capacity,
					       sizeof *check->regions);
	}
	for (i = check->region_count++; i > 0 && check->regions[i - 1].at > region->at; i--)
		check->regions[i] = check->regions[i - 1];
	check->regions[i] = *region;
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

/* Device variables have other addresses, and all of their bytes count as written. */
static bool is_variable(const struct check *check, const void *memory)
{
	return (uintptr_t)memory - check->hot.base >= check->hot.span;
}

void check_written(struct check *check, const void *memory, size_t bytes)
{
	if (!is_variable(check, memory))
		mark(check, (uintptr_t)memory, bytes, 0, true);
}

size_t check_is_allocated(const struct check *check, uintptr_t at, size_t bytes)
{
	uintptr_t offset = at - check->hot.base;
	size_t count = 0;

	while (count < bytes && offset + count < check->hot.span
	       && check->hot.state[(offset + count) >> 2] >> (4 + ((offset + count) & 3)) & 1)
		count++;
	return count;
}

void check_unwritten(struct check *check, const void *memory, size_t bytes)
{
	mark(check, (uintptr_t)memory, bytes, 0, false);
}

void check_allocated(struct check *check, const void *memory, size_t bytes)
{
	mark(check, (uintptr_t)memory, bytes, 4, true);
}

void check_deallocated(struct check *check, const void *memory, size_t bytes)
{
	mark(check, (uintptr_t)memory, bytes, 4, false);
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

	if (is_variable(check, from) || is_variable(check, to)) {
		check_written(check, to, bytes);
		return;
	}
	if (!(source & 3) && !(target & 3)) {
		copy_words(&state[target >> 2], &state[source >> 2], bytes / 4);
		done = bytes / 4 * 4;
	}
	for (size_t i = done; i < bytes; i++)
		mark(check, (uintptr_t)to + i, 1, 0,
		     state[(source + i) >> 2] >> ((source + i) & 3) & 1);
}

/* --- placing --- */

static size_t addresses_left(const struct check *check)
{
	return check->hot.span - check->hot.shared_span - check->used;
}

struct slot {
	uintptr_t at;
	size_t bytes;                   /* 0: none */
};

size_t check_region_distance(const struct check *check)
{
	return check_rounded((check->hot.span - check->hot.shared_span) / SLOT_SHARE,
			     check_space_granule(check));
}

/* A new slot of at least `share` bytes; `mapped` bytes in its middle have a gap on either side. */
static struct slot new_slot(struct check *check, size_t mapped, size_t share)
{
	size_t needed = mapped + (share / 2 > MIN_GRANULE ? share / 2 : MIN_GRANULE);
	struct slot slot = { check->hot.base + check->hot.shared_span + check->used, 0 };

	slot.bytes = check_rounded(share > needed ? share : needed, check_space_granule(check));
	if (slot.bytes > addresses_left(check))
		slot.bytes = 0;
	else
		check->used += slot.bytes;
	return slot;
}

/* The longest run of granules that contain no buffer, if `mapped` bytes fit with a whole granule on
 * either side. No new slots are made from then on. */
static struct slot find_gap(struct check *check, size_t mapped)
{
	size_t granule = check_space_granule(check), count = check->hot.span / granule;
	size_t longest = 0, after = 0, run = 0;

	for (size_t i = check->hot.shared_span / granule; i < count; i++) {
		run = check->granules[i] & GRANULE_TAKEN ? 0 : run + 1;
		if (run > longest) {
			longest = run;
			after = i + 1;
		}
	}
	if (longest * granule < check_rounded(mapped, granule) + 2 * granule)
		return (struct slot){ 0, 0 };
	check->used = check->hot.span - check->hot.shared_span;
	return (struct slot){ check->hot.base + (after - longest) * granule, longest * granule };
}

static void use_granules(struct check *check, uintptr_t at, size_t bytes, uint8_t use)
{
	size_t granule = check_space_granule(check);
	size_t first = (at - check->hot.base) / granule;
	size_t last = (at + bytes - 1 - check->hot.base) / granule;

	memset(check->granules + first, use, last - first + 1);
}

/* The address for `mapped` bytes directly before the end of a page, in the middle of a slot;
 * 0: too few addresses are left. */
static uintptr_t place(struct check *check, size_t mapped, size_t share)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = check_rounded(mapped, page);
	struct slot slot = { 0, 0 };

	if (mapped <= check->hot.span) {
		slot = new_slot(check, inner, share);
		if (!slot.bytes)
			slot = find_gap(check, inner);
	}
	if (!slot.bytes)
		return 0;
	return slot.at + (slot.bytes - inner) / 2 / page * page + inner - mapped;
}

/* --- mapping --- */

static void *map(struct check *check, struct check_region *region)
{
	if (!check_space_map(check, region->at, region->mapped))
		return NULL;
	use_granules(check, region->at, region->mapped, GRANULE_TAKEN);
	add_region(check, region);
	return (void *)region->at;
}

void *check_map_heap(struct check *check, size_t bytes)
{
	struct check_region region = {
		.bytes = bytes, .mapped = bytes, .kind = REGION_HEAP, .name = "the kernels' heap",
	};

	region.at = place(check, bytes, addresses_left(check) / SLOT_SHARE);
	return region.at ? map(check, &region) : NULL;
}

enum status check_map(struct check *check, uint32_t buffer, const char *name, size_t bytes,
		      void **out)
{
	struct check_region region = {
		.bytes = bytes, .buffer = buffer,
		.mapped = bytes ? check_rounded(bytes, ALIGNMENT) : ALIGNMENT,
	};
	size_t left = addresses_left(check);

	if (bytes <= SIZE_MAX / 2)
		region.at = place(check, region.mapped, left / SLOT_SHARE);
	if (!region.at)
		return fail_device(2, "--check: out of memory: %zu bytes for %s, %zu bytes of "
				   "addresses are left", bytes, name, left);
	snprintf(region.name, sizeof region.name, "%s", name);
	*out = map(check, &region);
	if (!*out)
		return fail_device(2, "--check: out of memory: %zu bytes for %s%s", bytes, name,
				   check_space_limit());
	check_allocated(check, *out, bytes);
	return STATUS_OK;
}

/* The addresses stay reserved. */
void check_unmap(struct check *check, void *memory)
{
	struct check_region *region = NULL;

	for (size_t i = 0; i < check->region_count; i++)
		if (check->regions[i].at == (uintptr_t)memory)
			region = &check->regions[i];
	if (!region)
		return;
	region->freed = true;
	check_space_unmap(check, region->at, region->mapped);
	use_granules(check, region->at, region->mapped, 0);
}

bool check_recordable(struct check *check, uintptr_t at, size_t bytes)
{
	size_t granule = (at - check->hot.base) / check_space_granule(check);

	if (check->granules[granule] & GRANULE_RECORDED)
		return true;
	if (!check_space_record(check, at, bytes))
		return false;
	use_granules(check, at, bytes, GRANULE_TAKEN | GRANULE_RECORDED);
	return true;
}

bool check_image_of(struct check *check, uintptr_t data, size_t bytes, uintptr_t *out)
{
	*out = 0;
	for (size_t i = 0; i < check->image_count; i++)
		if (check->images[i].data == data && check->images[i].bytes == bytes) {
			*out = check->images[i].at;
			return true;
		}
	/* Keep half of the addresses for buffers. */
	if (bytes > (check->hot.span - check->hot.shared_span) / 2)
		return true;
	*out = place(check, check_rounded(bytes, ALIGNMENT), 0);
	if (!*out)
		return true;
	if (!check_recordable(check, *out, check_rounded(bytes, ALIGNMENT)))
		return false;
	check->images = xreallocarray(check->images, check->image_count + 1,
				      sizeof *check->images);
	check->images[check->image_count++] = (struct check_image){
		.data = data, .bytes = bytes, .at = *out,
	};
	return true;
}

void *check_arena(struct listener *listener, size_t bytes)
{
	struct check *check = check_of(listener);
	size_t slot = check_space_arena(check->hot.span);
	struct check_region region = { .bytes = bytes, .mapped = bytes, .kind = REGION_ARENA,
				       .name = "shared memory" };

	if (check->arenas_used + slot > check->hot.shared_span)
		return NULL;
	region.at = check->hot.base + check->arenas_used + slot / 2 - bytes / 2;
	if (!check_space_record(check, region.at, bytes)
	    || !check_space_map(check, region.at, bytes))
		return NULL;
	check->arenas_used += slot;
	add_region(check, &region);
	return (void *)region.at;
}
