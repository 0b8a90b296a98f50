/* view_merge.h - how the chunks of one row became its output, and what else it could have been. */
#ifndef VIEW_MERGE_H
#define VIEW_MERGE_H

#include "tui/view.h"

/* The row of the reduction's block: its merge drawn in the order it happened, the output of every
 * run beside a float64 one, and the same merge in other orders. */
enum status view_merge_draw(const struct view_context *, const struct view_place *,
			    int64_t block);

#endif
