/* viewer_compare.h - two sides of the screen: what differs in the second is lit in both. */
#ifndef VIEWER_COMPARE_H
#define VIEWER_COMPARE_H

#include "tui/views/view_display.h"

/* Lights the digits that differ between lines of the same place in two displays. Charts, and lines
 * that say different things, are left as they are. */
void viewer_compare(struct display *, struct display *);

#endif
