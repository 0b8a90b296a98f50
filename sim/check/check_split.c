/* check_split.c - the lint of reductions over chunks: reads of an empty chunk's accumulators.
 *
 * A chunk without keys publishes a maximum of -inf and a sum of 0, and leaves its accumulators as
 * they were: those of another layer, or poison. A reduction that reads them, if only to weight them
 * with 0, gives NaN as soon as they hold one. Serves task.c, right after a launch.
 */
#include "config.h"

#include "sim/check/check_internal.h"

#include <math.h>
#include <stdio.h>

/* Who read the word in this launch, 0: nobody. */
static uint64_t reader_of(const struct check *check, uintptr_t address)
{
	const struct check_hot *hot = &check->hot;
	size_t word = (address - hot->base) >> 2;
	uint64_t last = hot->cell[word].reader;

	if (last >> 32 >= hot->first)
		return last;
	return hot->reader[word] >> 32 >= hot->first ? hot->reader[word] : 0;
}

static void report_read(struct check *check, uintptr_t at, uint64_t record, uint64_t partial)
{
	uint32_t segment = (uint32_t)(record >> 32);
	const struct check_slice *slice = &check->slices[segment >> LANES_SHIFT];
	struct check_report report = {
		.class = CLASS_EMPTY_SPLIT_READ, .other = NO_SIDE, .address = at, .bytes = 4,
		.side = {
			.what = "read", .block = slice->block, .epoch = slice->epoch,
			.pc = check->hot.origin + (record & RECORD_PLACE),
			.thread = slice->warp * WARP_LANES + (segment & (WARP_LANES - 1)),
		},
	};

	snprintf(report.detail, sizeof report.detail, "partial %llu holds no key: its maximum is "
		 "-inf and its sum 0", (unsigned long long)partial);
	check_report(check, &report);
}

void check_splits(struct check *check, const float *partials, uint64_t count, uint64_t head_dim)
{
	const struct check_region *region = check_region_at(check, (uintptr_t)partials);
	uint64_t row = head_dim + 2;
	uintptr_t end;

	if (!region)
		return;
	end = region->at + region->bytes;
	for (uint64_t i = 0; i < count; i++) {
		const float *partial = partials + i * row;

		if ((uintptr_t)partial < region->at || (uintptr_t)(partial + row) > end)
			return;
		if (partial[head_dim] != -INFINITY || partial[head_dim + 1] != 0.0f)
			continue;
		for (uint64_t d = 0; d < head_dim; d++) {
			uint64_t reader = reader_of(check, (uintptr_t)(partial + d));

			if (reader)
				report_read(check, (uintptr_t)(partial + d), reader, i);
		}
	}
}
