/* replay_points.h - replays one launch of a recorded run on the simulator, for its named points.
 *
 * For traces below level points, and for points that a kernel got after a trace was recorded. Used
 * by `flashtwin view`, which hands it to the viewer.
 */
#ifndef REPLAY_POINTS_H
#define REPLAY_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct store;

/* Restores the memory that the launch read, runs it on the simulator, and sets *out to a trace with
 * this launch at level points, opened for reading. Run and launch have the same numbers there, and
 * the buffers too; runs before it are empty, and so is everything but the launch, its step, what it
 * read, and the model. The trace is a temporary file without a name, which is gone when the caller
 * closes the store.
 *
 * What the launch writes must have the digests that were recorded, else the result is DIFFERS: the
 * points would be those of something else. Memory that the trace does not hold (a launch's output
 * below level partials) is computed by replaying the launches before it, in the last resort all of
 * them. A launch of a graph is replayed alone.
 *
 * USAGE if the trace has no such launch, if the launch failed when it was recorded, if this build
 * does not have its kernel, and for a run of `launch`, whose kernel is code of whoever recorded it:
 * the caller must have compiled and registered it (kernel_register()), which `trust` says. DAMAGED
 * if a launch would reach outside of its buffers. Else errors of the trace, the device and the
 * temporary file. */
enum status replay_launch_points(struct store *trace, int64_t run, int64_t launch, bool trust,
				 struct store **out);

#endif
