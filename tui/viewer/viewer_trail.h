/* viewer_trail.h - steps that the opposite key undoes, wherever they started.
 *
 * viewer_walk.h orders the places of a grain, so that opposite steps between them undo each other.
 * A step from or to an address that is coarser than the grain is outside this order: L12 leads to
 * its first tile, but the tile before that one is in another launch. A trail remembers where steps
 * started, so that a step back can return there. Used by the viewer.
 */
#ifndef VIEWER_TRAIL_H
#define VIEWER_TRAIL_H

#include "tui/viewer/viewer_walk.h"

#define TRAIL_STEPS 256                 /* remembered; the oldest are forgotten */

struct trail_step {
	enum walk_grain grain;
	const char *table;
	int direction;
	struct address from, to;
};

struct trail {
	struct trail_step steps[TRAIL_STEPS];
	int count;
};

/* Like walk_step(), or walk_rows() where `table` is not NULL, but the opposite of the last step of
 * the trail returns to where that step started. A step from anywhere but the end of the trail
 * starts a new trail. */
enum status trail_step(const struct view_context *, struct trail *, enum walk_grain grain,
		       const char *table, int direction, struct address *at, bool *moved);

#endif
