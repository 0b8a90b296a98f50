/* viewer_walk.h - the place before and the place after an address, at every grain.
 *
 * At each grain the places of a run are in one order; a step forward and a step back undo each
 * other. From an address that is coarser than the grain, the first step goes to the first place in
 * it, a step back to the last place before it; viewer_trail.h takes those back too. Serves it.
 */
#ifndef VIEWER_WALK_H
#define VIEWER_WALK_H

#include "tui/views/view.h"

enum walk_grain {
	WALK_STEP,                      /* of a decode: the same launch and block there */
	WALK_OP, WALK_LAUNCH, WALK_BLOCK,
	WALK_TILE,                      /* of the online softmax: the points called softmax */
	WALK_POINT
};

/* *moved false: there is none, and *at is as it was. */
enum status walk_step(const struct view_context *, enum walk_grain, int direction,
		      struct address *at, bool *moved);
/* The first (direction 1) or last (-1) operation of the run. */
enum status walk_end(const struct view_context *, int direction, struct address *at, bool *moved);
/* The address of an operation: its launch if it is one. */
enum status walk_op_address(const struct view_context *, int64_t op, struct address *at);
/* The operation of an address, of a step its first; -1: it has none. */
enum status walk_op(const struct view_context *, const struct address *at, int64_t *op);
/* The launch of the address, or one in it, or the nearest one, that `table` has rows for. The block
 * goes along where chunks and reductions share heads. *moved false: there is none. */
enum status walk_to_rows(const struct view_context *, const char *table, struct address *at,
			 bool *moved);

/* The launch before or behind it that `table` has rows for, and the block there. */
enum status walk_rows(const struct view_context *, const char *table, int direction,
		      struct address *at, bool *moved);

#endif
