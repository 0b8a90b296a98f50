/* diff_spot.h - finds the next or previous difference of two runs: one element, or one point.
 *
 * Launches have the same number in both runs. The spots of a launch are its named points by thread
 * and sequence, then what it wrote, output by output and element by element. What one run did not
 * record is not a difference; an output whose bytes were not recorded differs as a whole. Used by
 * views and the viewer; diff.h compares runs for a report.
 */
#ifndef DIFF_SPOT_H
#define DIFF_SPOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct store;

struct diff_pair {
	struct store *store[2];
	int64_t run[2];
};

enum diff_part { SPOT_BEFORE, SPOT_POINT, SPOT_WRITTEN, SPOT_AFTER };

struct diff_spot {
	int64_t launch;
	enum diff_part part;            /* BEFORE and AFTER: around all spots of the launch */
	int64_t major, minor;           /* thread and sequence, or output and element; element -1:
					   the output as a whole */
};

/* Called after each launch; true ends the search. */
typedef bool diff_stop_fn(void *context);

enum diff_outcome { DIFF_NONE, DIFF_FOUND, DIFF_STOPPED };

/* Moves `spot` to the next difference (direction 1) or the previous one (-1). NONE: there is none,
 * and `spot` is at the end of the search; STOPPED: a search from `spot` continues. stop may be
 * NULL. */
enum status diff_spot_step(const struct diff_pair *, int direction, struct diff_spot *spot,
			   diff_stop_fn *stop, void *context, enum diff_outcome *outcome);

#endif
