/* check_reach.c - which buffers a launch may touch: those its arguments lead to.
 *
 * An index that is far off may land in the live bytes of another buffer, where nothing else is
 * wrong. A launch has a buffer when an argument points into it, when a variable of the kernel's
 * object does, or a pointer in a buffer that it has. Looking through memory for pointers waits
 * until an access meets a buffer that no argument names; any eight bytes that could be a pointer
 * count as one, so that whatever is told to be out of reach is.
 */
#include "config.h"

#include "sim/check/check_reach.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_region.h"
#include "sim/check/check_state.h"

static uint8_t *granule_of(const struct check *check, uintptr_t address)
{
	return &check->reached[((address - check->hot.base) >> 2) >> check->hot.granule];
}

/* The buffer that `address` is in, or just behind, if it is not reached yet. */
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

static void reach(struct check *check, const struct check_region *region)
{
	uintptr_t last = region->at + (region->bytes ? region->bytes - 1 : 0);

	for (uint8_t *g = granule_of(check, region->at); g <= granule_of(check, last); g++)
		*g = 1;
}

void check_reach_begin(struct check *check)
{
	const struct sim_code *code = check->launch.code;
	const uintptr_t shared = check->hot.base + check->hot.shared_span;

	memset(check->reached, 0, GRANULES);
	memset(check->reached, 1, (size_t)(granule_of(check, shared) - check->reached));
	check->reach_known = false;
	for (size_t i = 0; i < check->image_count; i++)
		reach(check, &(struct check_region){ .at = check->images[i].at,
						     .bytes = check->images[i].bytes });
	for (int i = 0; i < code->param_count; i++)
		for (size_t at = 0; at + 8 <= code->params[i].bytes; at += 8) {
			const struct check_region *region;
			uintptr_t address;

			memcpy(&address, (char *)check->launch.args[i] + at, sizeof address);
			if ((region = unreached(check, address)))
				reach(check, region);
		}
}

/* --- pointers in memory --- */

/* Buffers that are reached, and not looked through yet. */
struct worklist {
	const struct check_region **at;
	size_t count;
};

static void look_through(struct check *check, struct worklist *list, uintptr_t from, size_t bytes)
{
	uintptr_t end = from + bytes;

	for (uintptr_t at = (from + 7) & ~(uintptr_t)7; at + 8 <= end; at += 8) {
		const struct check_region *region = unreached(check, *(const uintptr_t *)at);

		if (!region)
			continue;
		reach(check, region);
		list->at[list->count++] = region;
	}
}

static void follow_pointers(struct check *check)
{
	struct worklist list = {
		.at = xreallocarray(NULL, check->region_count + 1, sizeof *list.at),
	};

	for (size_t i = 0; i < check->region_count; i++) {
		const struct check_region *region = &check->regions[i];

		if (region->kind == REGION_BUFFER && !region->freed
		    && *granule_of(check, region->at))
			list.at[list.count++] = region;
	}
	look_through(check, &list, check->data, check->data_bytes);
	while (list.count > 0) {
		const struct check_region *region = list.at[--list.count];

		look_through(check, &list, region->at, region->bytes);
	}
	free(list.at);
	check->reach_known = true;
}

bool check_reach(struct check *check, uintptr_t address)
{
	if (!check->reach_known)
		follow_pointers(check);
	return *granule_of(check, address);
}
