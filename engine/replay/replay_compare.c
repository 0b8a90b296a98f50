/* replay_compare.c - replays a run into a new recording and compares the two.
 *
 * Records the replay at the level of the run or higher, with the same points, so that the two can
 * match. Used by `flashtwin replay` and the tests.
 */
#include "config.h"

#include "engine/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder.h"
#include "engine/replay/replay_clock.h"
#include "traces/store/store.h"

/* Sets *names to a filter of the run's points, NULL if it has none; the caller frees it. */
static enum status read_point_names(struct store *trace, int64_t run, char **names)
{
	sqlite3 *db = store_db(trace);
	sqlite3_stmt *rows = NULL;
	enum status status = STATUS_OK;

	*names = NULL;
	if (sqlite3_prepare_v2(db, "SELECT group_concat(name, ',') FROM"
			       " (SELECT DISTINCT name FROM v_point WHERE run = ?1)", -1, &rows,
			       NULL) != SQLITE_OK
	    || sqlite3_bind_int64(rows, 1, run) != SQLITE_OK || sqlite3_step(rows) != SQLITE_ROW)
		status = store_read_failed(trace);
	else if (sqlite3_column_type(rows, 0) != SQLITE_NULL)
		*names = xstrdup((const char *)sqlite3_column_text(rows, 0));
	sqlite3_finalize(rows);
	return status;
}

static enum status open_recorder(struct store *trace, const struct store_run *run,
				 struct store *out, const struct replay_options *options,
				 struct replay_report *report, struct device **recorder)
{
	struct device_options target = options->target;
	struct recorder_options recording = {
		.store = out, .level = run->level, .recorded_at = run->log_at,
		.command = "replay", .path = run->path,
		.options_json = options->command_options, .seed = options->target.seed,
	};
	struct device_info info;
	struct device *device;
	enum status status;
	char *points;

	target.poison = true;
	TRY(device_open(options->device, &target, &device));
	status = device_info(device, &info);
	if (status == STATUS_OK)
		status = read_point_names(trace, run->run, &points);
	if (status != STATUS_OK) {
		device_close(device);
		return status;
	}
	snprintf(report->recorded_profile, sizeof report->recorded_profile, "%s", run->profile);
	snprintf(report->replayed_profile, sizeof report->replayed_profile, "%s", info.profile);
	report->other_profile = strcmp(run->profile, info.profile) != 0;
	recording.points = points;
	if (recording.level < options->level)
		recording.level = options->level;
	status = recorder_open(device, &recording, recorder);
	free(points);
	return status == STATUS_USAGE ? replay_refused(trace, run) : status;
}

static enum status replay_recorded(struct store *trace, const struct store_run *run,
				   struct store *out, const struct replay_options *options,
				   struct replay_report *report)
{
	struct diff_options diff = options->diff;
	struct device *recorder;
	enum status status, finished;
	bool stopped;

	TRY(open_recorder(trace, run, out, options, report, &recorder));
	report->run = recorder_run(recorder);
	error_clear();
	status = replay_run(trace, run->run, recorder, &report->operations, &stopped);
	if (status != STATUS_OK) {
		struct error_record error;

		error_save(&error);
		recorder_finish(recorder, status);
		error_restore(&error);
		return status;
	}
	if (options->replayed)
		status = options->replayed(options->context, recorder, report->run);
	/* Ends like the recorded run, which may have ended in the middle of a step. */
	finished = recorder_finish(recorder,
				   stopped ? STATUS_DEVICE : status_from_name(run->ended));
	if (status != STATUS_OK || finished != STATUS_OK)
		return status != STATUS_OK ? status : finished;
	diff.run_a = run->run;
	diff.run_b = report->run;
	diff.replayed = true;
	TRY(diff_runs(trace, out, &diff, &report->diff));
	return options->clocks ? STATUS_OK
		: replay_leave_out_clock(trace, out, &diff, &report->diff);
}

enum status replay_compare(struct store *trace, int64_t run_number,
			   const struct replay_options *options, struct replay_report *report)
{
	struct store *out = options->out, *own = NULL;
	struct store_run run;
	enum status status = STATUS_OK;

	*report = (struct replay_report){ 0 };
	TRY(store_run_read(trace, run_number, &run));
	if (!out) {
		status = store_create(NULL, NULL, &own);
		out = own;
	}
	if (status == STATUS_OK)
		status = replay_recorded(trace, &run, out, options, report);
	if (own && status == STATUS_OK)
		status = store_close(own);
	else
		store_close(own);
	store_run_free(&run);
	return status;
}
