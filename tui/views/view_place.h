/* view_place.h - the launch that an address refers to, and its shape. */
#ifndef VIEW_PLACE_H
#define VIEW_PLACE_H

#include "tui/views/view.h"

struct view_place {
	int64_t launch, op, step;       /* step is -1 outside of steps */
	int64_t layer;                  /* -1: none */
	int64_t grid[3], block[3];
	char kernel[64];
};
/* Finds the launch of the address. If the address has none, finds the last launch for which `table`
 * (a view with a column launch) has rows, up to the end of the step or operation that the address
 * names. *found is false if there is none. USAGE if the launch, block, warp or lane of the address
 * does not exist. */
enum status view_place_find(const struct view_context *, const char *table, struct view_place *,
			    bool *found);
#define VIEW_NEAR 32                    /* launches to search: more than a layer has */

/* The last operation of the address: of its step, or its own. INT64_MAX if it names neither, or a
 * step that was cut off. */
enum status view_place_last_op(const struct view_context *, int64_t *op);
int64_t view_place_blocks(const struct view_place *);
int64_t view_place_threads(const struct view_place *);          /* of a block */
/* The number of a block's thread in the whole grid. These saturate at INT64_MAX. */
int64_t view_place_thread(const struct view_place *, int64_t block, int64_t thread);
/* "L12 flash_decode_chunk, step 3, layer 0". */
void view_place_title(const struct view_context *, const char *what, const struct view_place *);

#endif
