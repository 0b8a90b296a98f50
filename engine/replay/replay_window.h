/* replay_window.h - replays the operations from a given one to a launch, from the memory that a
 * trace holds.
 *
 * Used by replay_points.c.
 */
#ifndef REPLAY_WINDOW_H
#define REPLAY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct device;
struct store;

struct replay_window {
	struct store *trace;
	int64_t run;
	int64_t first, last;            /* operations; `last` is the launch */
	int64_t step;                   /* that it belongs to; -1: none */
	struct device *recorder;        /* of the simulator */
};

/* *known becomes false if a launch would have read memory that neither the trace holds nor an
 * operation from `first` on has written; the replay ends there. If `first` is 0, everything is
 * known. *follows: the last launch reads memory through pointers in device memory, which is not
 * checked. USAGE if this build does not have a kernel, DEVICE if a launch fails, DAMAGED if one
 * would reach outside of its buffers, as far as the kernel table says. */
enum status replay_window_run(const struct replay_window *, bool *known, bool *follows);

#endif
