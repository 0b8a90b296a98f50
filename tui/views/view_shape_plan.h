/* view_shape_plan.h - the units of a launch of the ladder, from the lengths of its sequences. */
#ifndef VIEW_SHAPE_PLAN_H
#define VIEW_SHAPE_PLAN_H

#include "tui/views/view_shape.h"

/* Fills in the units, from SHAPE_SPLIT on; none if the launch has no partials. */
enum status view_shape_plan(const struct view_context *, struct view_shape *);

#endif
