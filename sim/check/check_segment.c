/* check_segment.c - divides threads into segments, and maps segments back to threads.
 *
 * The order of segments is determined in check_race.c and check_order.c.
 */
#include "config.h"

#include "sim/check/check_segment.h"

#include "sim/check/check_state.h"

void check_new_slice(struct check *check, struct warp *warp, uint32_t lanes)
{
	const struct ft_block_view *view = &warp->block->view;
	uint32_t slice = check->next_slice;

	check->slices[slice] = (struct check_slice){
		.block = (uint32_t)(view->index.x + (uint64_t)view->grid.x
				    * (view->index.y + (uint64_t)view->grid.y * view->index.z)),
		.epoch = (uint16_t)warp->block->check_epoch, .warp = (uint8_t)warp->number,
	};
	/* All later accesses share the last number: races may be missed, but none is false. */
	if (check->next_slice < MAX_SLICES - 1)
		check->next_slice++;
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);

		warp->lanes[lane].check.segment = slice << LANES_SHIFT | lane;
		warp->lanes[lane].check.record
			= ((uint64_t)(slice << LANES_SHIFT | lane) << 32) - check->hot.origin;
	}
}

unsigned check_thread_number(const struct lane *lane)
{
	return lane->warp->number * WARP_LANES + (unsigned)__builtin_ctz(lane->bit);
}

static int64_t block_number(const struct lane *lane)
{
	const struct ft_block_view *view = lane->view.block;

	return (int64_t)(view->index.x + (uint64_t)view->grid.x
			 * (view->index.y + (uint64_t)view->grid.y * view->index.z));
}

void check_side_of_lane(const struct lane *lane, uintptr_t pc, const char *what,
			struct check_side *out)
{
	*out = (struct check_side){
		.pc = pc, .what = what, .block = block_number(lane),
		.thread = check_thread_number(lane), .epoch = lane->warp->block->check_epoch,
	};
}

void check_side_of_record(const struct check *check, uint64_t record, bool write,
			  struct check_side *out)
{
	uint32_t segment = (uint32_t)(record >> 32);
	const struct check_slice *slice = check_slice_of(check, record);

	*out = (struct check_side){
		.pc = check->hot.origin + (record & RECORD_PLACE),
		.what = record & RECORD_ATOMIC ? "atomic" : write ? "write" : "read",
		.block = slice->block, .epoch = slice->epoch,
		.thread = (unsigned)slice->warp * WARP_LANES + (segment & (WARP_LANES - 1)),
	};
}
