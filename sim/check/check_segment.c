/* check_segment.c - divides threads into segments, and maps segments back to threads.
 *
 * The order of segments is determined in check_race.c and check_order.c.
 */
#include "config.h"

#include "sim/check/check_segment.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "sim/check/check_space.h"
#include "sim/check/check_state.h"
#include "sim/exec/worker.h"

#define MAX_SLICES (1u << 26)
#define FIRST_SLICES (1u << 15)

/* --- slices --- */

/* How many slices may be kept from one launch to the next: a quarter of what the program can have,
 * or 1/32 of the memory that limits allow. */
static uint32_t slices_worth_keeping(void)
{
	static const int resources[] = { RLIMIT_AS, RLIMIT_DATA };
	uint64_t most = MAX_SLICES / 4;

	for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++) {
		struct rlimit limit;

		if (getrlimit(resources[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
		    && limit.rlim_cur / 32 / sizeof(struct check_slice) < most)
			most = limit.rlim_cur / 32 / sizeof(struct check_slice);
	}
	return (uint32_t)most;
}

enum status check_slices_create(struct check *check)
{
	void *memory = mmap(NULL, FIRST_SLICES * sizeof *check->slices, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return fail_device(2, "--check: out of memory: %zu bytes for the checker%s",
				   FIRST_SLICES * sizeof *check->slices, check_space_limit());
	check->slices = memory;
	check->slice_capacity = FIRST_SLICES;
	check->slices_kept = slices_worth_keeping();
	check->next_slice = 1;
	return STATUS_OK;
}

void check_slices_free(struct check *check)
{
	if (check->slices)
		munmap(check->slices, check->slice_capacity * sizeof *check->slices);
}

bool check_slices_used_up(const struct check *check)
{
	return check->next_slice >= check->slices_kept;
}

/* Ends the launch if out of memory: with fewer slices, races would be missed. */
static void grow(struct check *check)
{
	size_t bytes = check->slice_capacity * sizeof *check->slices;
	void *memory = mremap(check->slices, bytes, 2 * bytes, MREMAP_MAYMOVE);
	char text[160];

	if (memory == MAP_FAILED) {
		snprintf(text, sizeof text, "--check: out of memory: %zu bytes for the order of "
			 "threads%s", 2 * bytes, check_space_limit());
		worker_abort(worker_self, 2, text);
	}
	check->slices = memory;
	check->slice_capacity *= 2;
}

static uint32_t next_slice(struct check *check)
{
	uint32_t slice = check->next_slice;

	/* All later accesses share the last number: races may be missed, but none is false. */
	if (slice == MAX_SLICES - 1)
		return slice;
	if (++check->next_slice == check->slice_capacity)
		grow(check);
	return slice;
}

/* --- threads --- */

void check_new_slice(struct check *check, struct warp *warp, uint32_t lanes)
{
	const struct ft_block_view *view = &warp->block->view;
	uint32_t slice = next_slice(check);

	check->slices[slice] = (struct check_slice){
		.block = (uint32_t)(view->index.x + (uint64_t)view->grid.x
				    * (view->index.y + (uint64_t)view->grid.y * view->index.z)),
		.epoch = (uint16_t)warp->block->check_epoch, .warp = (uint8_t)warp->number,
	};
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
