/* replay_clock.h - leaves what depends on a kernel's clock out of a comparison.
 *
 * clock() of a GPU has other values in every run, and the simulator's counts steps: what kernels
 * compute from it is never compared. Used by replay_compare() and by `launch --device both`.
 */
#ifndef REPLAY_CLOCK_H
#define REPLAY_CLOCK_H

#include "base/status.h"
#include "traces/diff/diff.h"

struct store;

/* *report is that of diff_runs(a, b, options). If it has differences and a kernel of the run in `a`
 * reads the clock, replays that run on the simulator with two clocks. If these differ anywhere,
 * *report becomes that of a comparison that leaves these places out: values where both runs
 * recorded them, else a whole buffer of a launch. After an error *report is to be freed too. */
enum status replay_leave_out_clock(struct store *a, struct store *b, const struct diff_options *,
				   struct diff_report *report);

#endif
