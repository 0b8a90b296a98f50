/* replay_clock.c - leaves what depends on a kernel's clock out of a comparison; see
 * replay_clock.h.
 *
 * The simulator is deterministic: two replays that differ in the clock alone differ exactly in what
 * depends on it, through any number of launches and copies.
 */
#include "config.h"

#include "engine/replay/replay_clock.h"

#include "engine/replay/replay.h"
#include "traces/diff/diff_varying.h"
#include "traces/store/store.h"

/* Whether a source of the run may read the clock: it has the word. */
static enum status may_read_clock(struct store *trace, int64_t run, bool *may)
{
	sqlite3_stmt *rows = NULL;
	int step;

	*may = false;
	if (sqlite3_prepare_v2(store_db(trace), "SELECT 1 FROM v_source WHERE run = ?1 AND"
			       " (source LIKE '%clock%' OR source LIKE '%globaltimer%')"
			       " LIMIT 1", -1, &rows, NULL) != SQLITE_OK)
		return store_read_failed(trace);
	sqlite3_bind_int64(rows, 1, run);
	step = sqlite3_step(rows);
	sqlite3_finalize(rows);
	*may = step == SQLITE_ROW;
	return step == SQLITE_ROW || step == SQLITE_DONE ? STATUS_OK : store_read_failed(trace);
}

/* Replays the run into `both` with either clock; runs: its numbers there. */
static enum status replay_clocks(struct store *trace, int64_t run, struct store *both,
				 int64_t runs[2])
{
	struct store_run recorded;
	uint64_t seed;

	TRY(store_run_read(trace, run, &recorded));
	seed = recorded.seed;
	store_run_free(&recorded);
	for (int i = 0; i < 2; i++) {
		const struct replay_options options = {
			.device = "sim", .target = { .seed = seed, .other_clock = i == 1 },
			.out = both, .level = LEVEL_PARTIALS, .clocks = true,
		};
		struct replay_report report = { 0 };
		enum status status = replay_compare(trace, run, &options, &report);

		runs[i] = report.run;
		diff_report_free(&report.diff);
		TRY(status);
	}
	return STATUS_OK;
}

static enum status find_varying(struct store *trace, int64_t run, struct diff_varying *varying)
{
	struct diff_options options = { .collect = varying };
	struct diff_report report = { 0 };
	enum status status, closed;
	struct error_record error;
	struct store *both;
	int64_t runs[2];

	TRY(store_create(NULL, NULL, &both));
	status = replay_clocks(trace, run, both, runs);
	if (status == STATUS_OK) {
		options.run_a = runs[0];
		options.run_b = runs[1];
		status = diff_runs(both, both, &options, &report);
	}
	diff_report_free(&report);
	error_save(&error);
	closed = store_close(both);
	if (status == STATUS_OK)
		return closed;
	error_restore(&error);
	return status;
}

enum status replay_leave_out_clock(struct store *a, struct store *b,
				   const struct diff_options *options, struct diff_report *report)
{
	struct diff_varying varying = { 0 };
	struct diff_options again = *options;
	enum status status = STATUS_OK;
	bool may;

	if (report->differences == 0)
		return STATUS_OK;
	TRY(may_read_clock(a, options->run_a, &may));
	if (may)
		status = find_varying(a, options->run_a, &varying);
	if (status == STATUS_OK && varying.count) {
		diff_varying_sort(&varying);
		again.leave_out = &varying;
		diff_report_free(report);
		status = diff_runs(a, b, &again, report);
	}
	diff_varying_free(&varying);
	return status;
}
