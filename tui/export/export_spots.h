/* export_spots.h - spots: the numbers that a page has for places of a launch that attends.
 *
 * A spot is head + heads x (slot + slots x chunk). For most kernels that is the number of the
 * block. Blocks of the ladder's kernels have several heads and chunks (tui/views/view_shape.h):
 * there a page lists the address of each spot. Used by export_html.c, export_screens.c and
 * export_pictures.c.
 */
#ifndef EXPORT_SPOTS_H
#define EXPORT_SPOTS_H

#include "tui/export/export_lists.h"
#include "tui/views/view_shape.h"

/* The shape of a launch, with its plan. Call view_shape_free() also after an error. */
enum status page_shape(const struct page *, const struct view_place *, struct view_shape *);
/* How many spots have addresses of their own; 0: spots are blocks, or there are too many. */
int64_t page_spots(const struct view_shape *);
/* The address of a spot; without a block if it has none. */
void page_spot_address(const struct view_shape *, int64_t spot, struct address *);
int64_t page_spot(const struct view_shape *, int64_t slot, int64_t head, int64_t chunk);
/* Writes ["b0.w0.l0.p2", ...], "" for a spot that no block has, or null if spots are blocks. */
void page_put_spots(FILE *, const struct view_shape *);

#endif
