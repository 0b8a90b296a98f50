/* view_place.h - the launch that an address means, and the shape of it. */
#ifndef VIEW_PLACE_H
#define VIEW_PLACE_H

#include "tui/views/view.h"

struct view_place {
	int64_t launch, op, step;       /* step -1: outside of steps */
	int64_t layer;                  /* -1: none */
	int64_t grid[3], block[3];
	char kernel[64];
};
/* The launch of the address; of an address with none, the last launch for which `table` (a view
 * with a column launch) has rows, at most that of the step the address names. *found false: there
 * is none. USAGE when the address names a launch, block, warp or lane that is not there. */
enum status view_place_find(const struct view_context *, const char *table, struct view_place *,
			    bool *found);
int64_t view_place_blocks(const struct view_place *);
int64_t view_place_threads(const struct view_place *);          /* of a block */
/* "L12 flash_decode_chunk, step 3, layer 0". */
void view_place_title(const struct view_context *, const char *what, const struct view_place *);

#endif
