/* view_point_names.h - the names of a named point's values. */
#ifndef VIEW_POINT_NAMES_H
#define VIEW_POINT_NAMES_H

#include "tui/views/view.h"

/* Whether the kernel is one of our own, in kernels/, whose points have named values. */
enum status view_own_points(const struct view_context *, const char *kernel, bool *own);
/* The name of value number `value` of a point: "max", or "v0" if the kernel is a user's. */
const char *view_point_value(bool own, const char *point, int value);

#endif
