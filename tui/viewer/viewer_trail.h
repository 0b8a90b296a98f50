/* viewer_trail.h - steps that the opposite key takes back, from wherever they were made.
 *
 * viewer_walk.h orders the places of a grain, so that steps between them undo each other. A step
 * from an address that is coarser than its grain, or onto one, leaves that order: L12 leads to its
 * first tile, and the tile before that one lies in another launch. A trail remembers where steps
 * came from, and a step back follows it before it follows the order. Serves the viewer.
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

/* As walk_step(), or walk_rows() where `table` is not NULL, but the opposite of the last step of
 * the trail, taken where that one ended, goes to where it began. A step from anywhere else begins a
 * new trail. */
enum status trail_step(const struct view_context *, struct trail *, enum walk_grain grain,
		       const char *table, int direction, struct address *at, bool *moved);

#endif
