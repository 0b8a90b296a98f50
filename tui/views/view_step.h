/* view_step.h - what a decode step was about. */
#ifndef VIEW_STEP_H
#define VIEW_STEP_H

#include "tui/views/view.h"

/* A line for each slot: the keys the step processed, and the byte that came of them. */
enum status view_step_heading(const struct view_context *, int64_t step);

#endif
