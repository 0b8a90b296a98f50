/* ranges.c - a sorted array of disjoint byte ranges.
 *
 * Adding in ascending order, the usual case, takes constant time; elsewhere it takes a search and a
 * move. Independent of buffers. Used by the recorder.
 */
#include "engine/record/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Index of the first range that ends at or after `begin`, which it contains, touches or follows. */
static size_t ranges_find(const struct ranges *set, uint64_t begin)
{
	size_t low = 0, high = set->count;

	if (high && set->items[high - 1].end < begin)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->items[middle].end < begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void ranges_insert(struct ranges *set, size_t at, struct range range)
{
	if (set->count == set->capacity) {
		set->capacity = set->capacity ? 2 * set->capacity : 8;
		set->items = xreallocarray(set->items, set->capacity, sizeof *set->items);
	}
	memmove(&set->items[at + 1], &set->items[at], (set->count - at) * sizeof *set->items);
	set->items[at] = range;
	set->count++;
}

void ranges_add(struct ranges *set, uint64_t offset, uint64_t bytes)
{
	struct range range = { offset, offset + bytes };
	size_t at = ranges_find(set, offset), after = at;

	if (bytes == 0)
		return;
	for (; after < set->count && set->items[after].begin <= range.end; after++) {
		if (set->items[after].begin < range.begin)
			range.begin = set->items[after].begin;
		if (set->items[after].end > range.end)
			range.end = set->items[after].end;
	}
	if (after == at) {
		ranges_insert(set, at, range);
		return;
	}
	set->items[at] = range;
	memmove(&set->items[at + 1], &set->items[after], (set->count - after) * sizeof *set->items);
	set->count -= after - at - 1;
}

uint64_t ranges_bytes(const struct ranges *set)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->count; i++)
		bytes += set->items[i].end - set->items[i].begin;
	return bytes;
}

void ranges_clear(struct ranges *set)
{
	free(set->items);
	*set = (struct ranges){ 0 };
}
