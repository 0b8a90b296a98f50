/* view_step_text.h - which bytes a decode step processed and produced. */
#ifndef VIEW_STEP_TEXT_H
#define VIEW_STEP_TEXT_H

#include "tui/views/view.h"

/* Prints a line for each slot: the keys that the step processed, and the byte it produced. */
enum status view_step_text(const struct view_context *, int64_t step);

#endif
