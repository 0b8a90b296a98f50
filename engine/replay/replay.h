/* replay.h - replays a recorded run on any device.
 *
 * Walks the operations of a run and repeats each of them on the target: same allocations, bytes,
 * launches and steps. With a recorder as target the result is a second run at the same level.
 * replay_compare() also compares the two, by traces/diff/diff.h, which defines equality. Used by
 * `flashtwin replay` and the tests.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "engine/device.h"
#include "traces/diff/diff.h"
#include "traces/level.h"

struct store;
struct store_run;

struct replay_options {
	const char *device;             /* "sim", "cuda" */
	struct device_options target;   /* profile NULL: the default; poison is set here */
	const char *command_options;    /* JSON for v_run of the new run; NULL: "{}" */
	struct store *out;              /* for the new run; NULL: a private store in memory */
	enum log_level level;           /* the minimum: recorded at the run's level if higher */
	/* Called after the replay and before the recording ends: with --check, to take findings. */
	enum status (*replayed)(void *context, struct device *, int64_t run);
	void *context;
	bool clocks;                    /* what depends on a kernel's clock is compared too */
	struct diff_options diff;       /* replay_compare() sets the runs and `replayed` */
};

struct replay_report {
	int64_t operations;             /* replayed, without restores and steps */
	int64_t run;                    /* number of the new run in its store */
	bool other_profile;             /* recorded and replayed profile differ: */
	char recorded_profile[32], replayed_profile[32];
	struct diff_report diff;        /* a: recorded, b: replayed; free with diff_report_free() */
};

/* Repeats the operations of `run` on `target`. An operation that failed when it was recorded may
 * fail again. If another one fails on the device, the replay ends with OK and sets *stopped: a
 * comparison shows the failure. USAGE if this build does not have a kernel of the trace, else
 * errors of the trace and the target, with the number of the operation. */
enum status replay_run(struct store *trace, int64_t run, struct device *target, int64_t *operations,
		       bool *stopped);

/* Call it after an operation of the run gave USAGE. Returns DAMAGED if this version recorded the
 * run, because it would not have recorded an invalid operation; else USAGE. */
enum status replay_refused(struct store *trace, const struct store_run *);

/* Opens a device, replays the run there at the level it was recorded at, and compares. STATUS_OK
 * also if bits differ: see report->diff. What depends on a kernel's clock is left out
 * (replay_clock.h). */
enum status replay_compare(struct store *trace, int64_t run, const struct replay_options *,
			   struct replay_report *report);

#endif
