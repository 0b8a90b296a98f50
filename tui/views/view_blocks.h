/* view_blocks.h - a launch in a few lines, for the timeline: arguments, bytes, its blocks, and
 * whether it is the same in a second run. */
#ifndef VIEW_BLOCKS_H
#define VIEW_BLOCKS_H

#include "tui/views/view_place.h"

/* What it was given, what it read and wrote as far as the trace holds it, findings, and a letter
 * for each block. */
enum status view_blocks_draw(const struct view_context *, const struct view_place *);

/* Whether the launch wrote the same bytes in a second run, by digests. *known false: one of them has
 * none. */
enum status view_blocks_equal(const struct view_context *, const struct view_context *second,
			      int64_t launch, bool *known, bool *equal);

#endif
