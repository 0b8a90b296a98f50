/* view_missing.h - why a screen has nothing to show, and what would fill it. */
#ifndef VIEW_MISSING_H
#define VIEW_MISSING_H

#include "traces/level.h"
#include "tui/views/view_place.h"

/* Lines below a title: that the run's level is below `level`, which has them, and the command that
 * records all there is; or that the kernel of the place publishes none. `place` is NULL when
 * the run has none. `what` is a plural. */
enum status view_missing(const struct view_context *, const struct view_place *,
			 enum log_level level, const char *what);
/* The same for a block of a launch: others of it may have points. */
enum status view_missing_points(const struct view_context *, const struct view_place *);
/* A row for the next launch of kernels whose names begin so, when that of the place is none. */
enum status view_missing_next(const struct view_context *, const struct view_place *,
			      const char *family);

#endif
