/* view_point_names.h - what the values of a named point are called. */
#ifndef VIEW_POINT_NAMES_H
#define VIEW_POINT_NAMES_H

#include "tui/views/view.h"

/* Whether points of the kernel are those of the project, whose values have names. */
enum status view_own_points(const struct view_context *, const char *kernel, bool *own);
/* What value number `value` of a point is called: "max", or "v0" of a point that is a user's. */
const char *view_point_value(bool own, const char *point, int value);

#endif
