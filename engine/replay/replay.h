/* replay.h - runs a recorded run again on any device.
 *
 * Walks the operations of a run and does each of them on the target: same allocations, bytes,
 * launches and steps. With a recorder as target the result is a second run at the same level, and
 * traces/diff/diff.h compares the two; replay_compare() does just that. Decides nothing about
 * equality itself.
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
	struct device_options target;   /* profile NULL: the default one; poison is set here */
	const char *command_options;    /* JSON for v_run of the new run; NULL: "{}" */
	struct store *out;              /* gets the new run; NULL: a private one in memory */
	enum log_level level;           /* record at this one if the run was below it */
	/* Told when the replay is over and the recording is not: with --check, to take findings. */
	enum status (*replayed)(void *context, struct device *, int64_t run);
	void *context;
	struct diff_options diff;       /* runs and replayed are set here */
};

struct replay_report {
	int64_t operations;             /* replayed, without restores and steps */
	int64_t run;                    /* number of the new run in its store */
	bool other_profile;             /* recorded and replayed profile differ: */
	char recorded_profile[32], replayed_profile[32];
	struct diff_report diff;        /* a: recorded, b: replayed; free with diff_report_free() */
};

/* Does the operations of `run` on `target`. An operation that failed when it was recorded may fail
 * again; one that newly fails on the device ends the replay with OK and *stopped: a comparison
 * shows it. USAGE when the trace uses a kernel this build does not have, else the trace's and
 * target's errors, saying at which operation. */
enum status replay_run(struct store *trace, int64_t run, struct device *target, int64_t *operations,
		       bool *stopped);

/* After this build has refused something of the run with USAGE: DAMAGED when the run is of this
 * very version, which then never recorded it; else USAGE. */
enum status replay_refused(struct store *trace, const struct store_run *);

/* Opens a device, replays the run there at the level it was recorded at, and compares. STATUS_OK
 * also when bits differ: see report->diff. */
enum status replay_compare(struct store *trace, int64_t run, const struct replay_options *,
			   struct replay_report *report);

#endif
