/* viewer_fence.h - the range that c and C do not leave. */
#ifndef VIEWER_FENCE_H
#define VIEWER_FENCE_H

#include "tui/viewer/viewer_state.h"

/* Sets the fence, "L10..L20", or takes it away: "". */
enum status viewer_fence(struct viewer *, const char *range);

#endif
