/* view_blocks.h - a launch in a few lines, for the timeline: arguments, bytes, its blocks. */
#ifndef VIEW_BLOCKS_H
#define VIEW_BLOCKS_H

#include "tui/view.h"

/* What it was given, what it read and wrote as far as the trace holds it, findings, and a letter
 * for each block. */
enum status view_blocks_draw(const struct view_context *, const struct view_place *);

#endif
