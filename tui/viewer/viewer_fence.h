/* viewer_fence.h - the range that c and C stay within. */
#ifndef VIEWER_FENCE_H
#define VIEWER_FENCE_H

#include "tui/viewer/viewer_state.h"

/* Sets the fence to a range such as "L10..L20"; "" removes it. */
enum status viewer_fence(struct viewer *, const char *range);

#endif
