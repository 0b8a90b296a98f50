/* view_blocks.h - a launch in a few lines: arguments, bytes, blocks, equality with a second run.
 * Used by the timeline. */
#ifndef VIEW_BLOCKS_H
#define VIEW_BLOCKS_H

#include "tui/views/view_place.h"

/* Draws its arguments, the bytes read and written as far as they were recorded, its findings, and a
 * letter for each block. */
enum status view_blocks_draw(const struct view_context *, const struct view_place *);

/* Whether the launch wrote the same bytes in a second run, by digests. *known is false when either
 * run has no digests. */
enum status view_blocks_equal(const struct view_context *, const struct view_context *second,
			      int64_t launch, bool *known, bool *equal);
/* The same for what the host computed in an operation, by bytes. */
enum status view_computed_equal(const struct view_context *, const struct view_context *second,
				int64_t op, bool *known, bool *equal);

#endif
