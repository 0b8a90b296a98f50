/* check_reach.c - determines which buffers a launch can access: those reachable from its arguments.
 *
 * An index that is far off may hit valid bytes of another buffer, where no other check fails. A
 * launch can access a buffer if an argument points into it, or a variable of the kernel's object,
 * or a pointer in another reachable buffer. Memory is searched for pointers only when an access
 * hits a buffer that no argument points to. Any eight bytes that could be a pointer count as one,
 * so a buffer reported as unreachable really is.
 */
#include "config.h"

#include "sim/check/check_reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_region.h"
#include "sim/check/check_space.h"
#include "sim/check/check_state.h"
#include "sim/exec/worker.h"

/* The data of an object is searched whole, with what a sanitizer puts between its variables. */
static __attribute__((no_sanitize("address"))) uintptr_t word_of(uintptr_t address)
{
	return *(const uintptr_t *)address;
}

static uint8_t *granule_of(const struct check *check, uintptr_t address)
{
	return &check->reached[((address - check->hot.base) >> 2) >> check->hot.granule];
}

/* The buffer that contains `address`, or ends at it, if it is not marked as reached yet. */
static const struct check_region *unreached(const struct check *check, uintptr_t address)
{
	const struct check_region *region;

	if (address - check->hot.base >= check->hot.span || *granule_of(check, address))
		return NULL;
	region = check_region_at(check, address);
	if (!region || region->freed || address - region->at > region->bytes)
		return NULL;
	return region;
}

static void mark(struct check *check, uintptr_t at, size_t bytes)
{
	uintptr_t last = at + (bytes ? bytes - 1 : 0);

	for (uint8_t *g = granule_of(check, at); g <= granule_of(check, last); g++)
		*g = 1;
}

/* False: out of memory to record its accesses. */
static bool reach(struct check *check, const struct check_region *region)
{
	if (!check_recordable(check, region->at, region->mapped))
		return false;
	mark(check, region->at, region->bytes);
	return true;
}

bool check_reach_heap(struct check *check)
{
	return !check->heap || reach(check, check_region_at(check, check->heap_at));
}

bool check_reach_begin(struct check *check)
{
	const struct sim_code *code = check->launch.code;
	const uintptr_t shared = check->hot.base + check->hot.shared_span;

	memset(check->reached, 0, MAX_GRANULES);
	memset(check->reached, 1, (size_t)(granule_of(check, shared) - check->reached));
	check->reach_known = false;
	if (!check_reach_heap(check))
		return false;
	for (size_t i = 0; i < check->image_count; i++)
		mark(check, check->images[i].at, check->images[i].bytes);
	for (int i = 0; i < code->param_count; i++)
		for (size_t at = 0; at + 8 <= code->params[i].bytes; at += 8) {
			const struct check_region *region;
			uintptr_t address;

			memcpy(&address, (char *)check->launch.args[i] + at, sizeof address);
			region = unreached(check, address);
			if (region && !reach(check, region))
				return false;
		}
	return true;
}

/* --- pointers in memory --- */

/* Buffers that are reached but not yet searched. */
struct worklist {
	const struct check_region **at;
	size_t count;
};

/* Also reads what AddressSanitizer places between variables. */
static bool __attribute__((no_sanitize_address))
search_pointers(struct check *check, struct worklist *list, uintptr_t from, size_t bytes)
{
	uintptr_t end = from + bytes;

	for (uintptr_t at = (from + 7) & ~(uintptr_t)7; at + 8 <= end; at += 8) {
		const struct check_region *region = unreached(check, word_of(at));

		if (!region)
			continue;
		if (!reach(check, region))
			return false;
		list->at[list->count++] = region;
	}
	return true;
}

static bool follow_pointers(struct check *check)
{
	struct worklist list = {
		.at = xreallocarray(NULL, check->region_count + 1, sizeof *list.at),
	};
	bool done;

	for (size_t i = 0; i < check->region_count; i++) {
		const struct check_region *region = &check->regions[i];

		if (region->kind == REGION_BUFFER && !region->freed
		    && *granule_of(check, region->at))
			list.at[list.count++] = region;
	}
	done = search_pointers(check, &list, check->hot.data, check->hot.data_bytes);
	while (done && list.count > 0) {
		const struct check_region *region = list.at[--list.count];

		done = search_pointers(check, &list, region->at, region->bytes);
	}
	free(list.at);
	check->reach_known = true;
	return done;
}

bool check_reach(struct check *check, uintptr_t address)
{
	char text[160];

	if (!check->reach_known && !follow_pointers(check)) {
		snprintf(text, sizeof text, "--check: out of memory: to record the accesses of "
			 "%s%s", check->launch.code->name, check_space_limit());
		worker_abort(worker_self, 2, text);
	}
	return *granule_of(check, address);
}
