/* check_segment.h - threads and their segments. Private to the checker. */
#ifndef CHECK_SEGMENT_H
#define CHECK_SEGMENT_H

#include "base/status.h"
#include "sim/check/check_state.h"

/* Slices are numbered from 1. DEVICE (2) if out of memory. */
enum status check_slices_create(struct check *);
void check_slices_free(struct check *);
/* Whether so many are used that all accesses should be forgotten before the next launch. */
bool check_slices_used_up(const struct check *);

/* Every lane of the warp in the mask `lanes` begins a new segment. */
void check_new_slice(struct check *, struct warp *, uint32_t lanes);
/* Whether a segment belongs to the lane's block. */
static inline bool check_same_block(const struct check *check, const struct lane *lane,
				    uint32_t segment)
{
	return segment >= lane->check.block_first
		&& check->slices[segment >> LANES_SHIFT].block
		   == check->slices[lane->check.segment >> LANES_SHIFT].block;
}

unsigned check_thread_number(const struct lane *);
/* Fills one side of a finding: from the current state of `lane`; from an access of this launch. */
void check_side_of_lane(const struct lane *, uintptr_t pc, const char *what,
			struct check_side *out);
void check_side_of_record(const struct check *, uint64_t record, bool write,
			  struct check_side *out);

#endif
