/* viewer_draw.h - draws the place of the viewer. */
#ifndef VIEWER_DRAW_H
#define VIEWER_DRAW_H

#include "tui/viewer/viewer_state.h"

/* Draws the place again. */
void viewer_draw(struct viewer *);

#endif
