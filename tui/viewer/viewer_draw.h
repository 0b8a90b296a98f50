/* viewer_draw.h - draws the place that the viewer shows. */
#ifndef VIEWER_DRAW_H
#define VIEWER_DRAW_H

#include "tui/viewer/viewer_state.h"

/* Draws both sides as needed, and scrolls to the row of the place. */
void viewer_draw(struct viewer *);

#endif
