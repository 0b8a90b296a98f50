/* viewer_walk.h - the place before and the place after an address, at every grain.
 *
 * At each grain the places of a run have one order; a step forward and a step back undo each other.
 * From an address that is coarser than the grain, a step forward goes to the first place in it, and
 * a step back to the last place before it; viewer_trail.h, its main user, undoes those too.
 */
#ifndef VIEWER_WALK_H
#define VIEWER_WALK_H

#include "tui/views/view.h"

enum walk_grain {
	WALK_STEP,                      /* decode step: to the same launch and block there */
	WALK_OP, WALK_LAUNCH, WALK_BLOCK,
	WALK_TILE,                      /* tile of the online softmax: the points named softmax */
	WALK_POINT,
	WALK_REQUEST                    /* request of a warp whose accesses are recorded */
};

/* *moved false: there is no such place, and *at is unchanged. */
enum status walk_step(const struct view_context *, enum walk_grain, int direction,
		      struct address *at, bool *moved);
/* The first (direction 1) or last (-1) operation of the run. */
enum status walk_end(const struct view_context *, int direction, struct address *at, bool *moved);
/* The operation of an address, for a step its first one; -1: none. */
enum status walk_op(const struct view_context *, const struct address *at, int64_t *op);
/* Goes to the launch of the address if `table` has rows for it, else to the nearest such launch.
 * Keeps head and row of the block if both grids have them. *moved false: there is none. */
enum status walk_to_rows(const struct view_context *, const char *table, struct address *at,
			 bool *moved);

/* Goes to the previous or next launch that `table` has rows for, and adapts the block. */
enum status walk_rows(const struct view_context *, const char *table, int direction,
		      struct address *at, bool *moved);

#endif
