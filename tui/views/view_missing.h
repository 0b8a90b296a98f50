/* view_missing.h - why a screen has nothing to show, and what would fill it. */
#ifndef VIEW_MISSING_H
#define VIEW_MISSING_H

#include "traces/level.h"
#include "tui/views/view_shape.h"

/* The option without which a replay of the trace is refused: " --trust", or "". */
enum status view_trust(const struct view_context *, const char **option);
/* Prints why there are none of `what` (a plural): either the run's level is below `level`, with the
 * command that records them, or the kernel of the place publishes none. `place` is NULL if the run
 * has no launch. */
enum status view_missing(const struct view_context *, const struct view_place *,
			 enum log_level level, const char *what);
/* The same for the points of a block; other blocks of the launch may have some. */
enum status view_missing_points(const struct view_context *, const struct view_place *);
/* If the place's kernel does not have this role (VIEW_CHUNKS or VIEW_MERGES), prints a row for the
 * next launch whose kernel has. */
enum status view_missing_next(const struct view_context *, const struct view_place *,
			      enum view_role role);

#endif
