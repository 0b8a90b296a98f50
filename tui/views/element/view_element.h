/* view_element.h - what one launch wrote in two runs, element by element; part of view_diff.c. */
#ifndef VIEW_ELEMENT_H
#define VIEW_ELEMENT_H

#include "traces/diff/diff_spot.h"
#include "tui/views/view.h"

/* Draws all differences known of the launch of the address. */
enum status element_draw(const struct view_context *, const struct diff_pair *);

#endif
