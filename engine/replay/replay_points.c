/* replay_points.c - replays one launch of a recorded run, for its named points; see
 * replay_points.h.
 *
 * Tries windows of operations that end with the launch (replay_window.h): the launch alone, with
 * the one before it, from the beginning of its step, from the beginning of the run. The first one
 * that needs no memory the trace lacks, and gives the recorded digests, is taken.
 */
#include "engine/replay/replay_points.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder.h"
#include "engine/replay/replay_window.h"
#include "traces/row.h"
#include "traces/store/column.h"
#include "traces/store/scratch_trace.h"
#include "traces/store/store.h"

struct points_replay {
	struct store *trace;
	struct store_run run;
	int64_t launch, op, step, step_op, before;      /* -1: none */
	bool merges;                    /* reads what the launch before it wrote */
	struct scratch_trace scratch;
};

/* --- what the trace says about the launch --- */

static enum status prepare(struct store *store, int64_t run, int64_t key, const char *sql,
			   sqlite3_stmt **out)
{
	if (sqlite3_prepare_v2(store_db(store), sql, -1, out, NULL) != SQLITE_OK
	    || sqlite3_bind_int64(*out, 1, run) != SQLITE_OK
	    || (sqlite3_bind_parameter_count(*out) > 1
		&& sqlite3_bind_int64(*out, 2, key) != SQLITE_OK))
		return store_read_failed(store);
	return STATUS_OK;
}

static int64_t number_or(sqlite3_stmt *row, int column, int64_t otherwise)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL
		? otherwise : sqlite3_column_int64(row, column);
}

enum { OP, STEP, CODE, KERNEL, STEP_OP, BEFORE };
static const char find_launch[] =
	"SELECT l.op, l.step, l.code, l.kernel, (SELECT max(first_op) FROM v_step s"
	"  WHERE s.run = l.run AND s.step = l.step AND s.first_op <= l.op),"
	" (SELECT b.op FROM v_launch b WHERE b.run = l.run AND b.launch < l.launch"
	"  ORDER BY b.launch DESC LIMIT 1)"
	" FROM v_launch l WHERE l.run = ?1 AND l.launch = ?2";

static enum status check_launch(struct points_replay *p, sqlite3_stmt *row, bool trust)
{
	const struct kernel *kernel = kernel_find(column_text(row, KERNEL));
	const char *path = store_shown_path(p->trace);

	if (sqlite3_column_int64(row, CODE) != 0)
		return fail(STATUS_USAGE, "%s: L%" PRId64 " failed when it was recorded, with"
			    " error %lld", path, p->launch, sqlite3_column_int64(row, CODE));
	if (!strcmp(p->run.command, "launch") && !trust)
		return fail(STATUS_USAGE, "%s: run %" PRId64 " would compile and run a kernel from"
			    " the trace: --trust allows it", path, p->run.run);
	if (!kernel)
		return fail(STATUS_USAGE, "kernel %s of the trace is not in this build",
			    column_text(row, KERNEL));
	p->merges = kernel->role == ROLE_REDUCE;
	return STATUS_OK;
}

static enum status read_launch(struct points_replay *p, bool trust)
{
	sqlite3_stmt *row = NULL;
	enum status status = prepare(p->trace, p->run.run, p->launch, find_launch, &row);
	int code = SQLITE_DONE;

	if (status == STATUS_OK)
		code = sqlite3_step(row);
	if (code == SQLITE_ROW) {
		p->op = number_or(row, OP, -1);
		p->step = number_or(row, STEP, -1);
		p->step_op = number_or(row, STEP_OP, -1);
		p->before = number_or(row, BEFORE, -1);
		status = check_launch(p, row, trust);
	} else if (status == STATUS_OK) {
		status = code != SQLITE_DONE ? store_read_failed(p->trace)
			: fail(STATUS_USAGE, "%s: run %" PRId64 " has no launch L%" PRId64,
			       store_shown_path(p->trace), p->run.run, p->launch);
	}
	sqlite3_finalize(row);
	return status;
}

/* --- the temporary trace --- */

static enum status open_recorder(const struct points_replay *p, struct store *out,
				 struct device **recorder)
{
	char *log_at = xasprintf("L%" PRId64, p->launch);
	const struct recorder_options options = {
		.store = out, .level = LEVEL_POINTS, .log_at = log_at, .command = "replay",
		.path = p->run.path,
	};
	struct device *device;
	enum status status = device_open("sim", &(struct device_options){ .poison = true },
					 &device);

	if (status == STATUS_OK)
		status = recorder_open(device, &options, recorder);
	free(log_at);
	return status;
}

/* Screens take the shape of the path from the model. */
static enum status copy_model(const struct points_replay *p, struct device *recorder)
{
	sqlite3_stmt *row = NULL;
	enum status status = prepare(p->trace, p->run.run, 0, "SELECT directory, config, layers,"
				     " heads, kv_heads, head_dim, hidden, vocabulary,"
				     " max_positions, max_len, chunk, max_chunks, slots"
				     " FROM v_model WHERE run = ?1", &row);

	if (status == STATUS_OK && sqlite3_step(row) == SQLITE_ROW) {
		struct row_model model = {
			.directory = column_text(row, 0), .config = column_text(row, 1),
		};
		int *const numbers[] = {
			&model.layers, &model.heads, &model.kv_heads, &model.head_dim,
			&model.hidden, &model.vocabulary, &model.max_positions, &model.max_len,
			&model.chunk, &model.max_chunks, &model.slots,
		};

		for (int i = 0; i < (int)(sizeof numbers / sizeof numbers[0]); i++)
			*numbers[i] = sqlite3_column_int(row, 2 + i);
		status = recorder_model(recorder, &model);
	}
	sqlite3_finalize(row);
	return status;
}

/* --- the comparison with what was recorded --- */

static const char written[] =
	"SELECT buffer, offset, bytes, digest FROM v_digest WHERE run = ?1 AND op = ?2"
	" AND after_step = 0 ORDER BY entry";

static bool same_row(sqlite3_stmt *a, sqlite3_stmt *b)
{
	for (int i = 0; i < 4; i++)
		if (sqlite3_column_int64(a, i) != sqlite3_column_int64(b, i))
			return false;
	return true;
}

static enum status compare_rows(struct store *const store[2], sqlite3_stmt *const rows[2],
				bool *same)
{
	int code[2];

	do {
		for (int i = 0; i < 2; i++) {
			code[i] = sqlite3_step(rows[i]);
			if (code[i] != SQLITE_ROW && code[i] != SQLITE_DONE)
				return store_read_failed(store[i]);
		}
		*same = code[0] == code[1]
			&& (code[0] == SQLITE_DONE || same_row(rows[0], rows[1]));
	} while (*same && code[0] == SQLITE_ROW);
	return STATUS_OK;
}

/* The number of the launch's operation in the temporary trace. */
static enum status find_op(const struct points_replay *p, struct store *out, int64_t *op)
{
	sqlite3_stmt *row = NULL;
	enum status status = prepare(out, p->run.run, p->launch, "SELECT op FROM v_launch"
				     " WHERE run = ?1 AND launch = ?2", &row);

	*op = -1;
	if (status == STATUS_OK && sqlite3_step(row) == SQLITE_ROW)
		*op = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return status;
}

static enum status same_digests(const struct points_replay *p, struct store *out, bool *same)
{
	struct store *const store[2] = { p->trace, out };
	sqlite3_stmt *rows[2] = { NULL, NULL };
	enum status status;
	int64_t op;

	TRY(find_op(p, out, &op));
	status = prepare(p->trace, p->run.run, p->op, written, &rows[0]);
	if (status == STATUS_OK)
		status = prepare(out, p->run.run, op, written, &rows[1]);
	if (status == STATUS_OK)
		status = compare_rows(store, rows, same);
	sqlite3_finalize(rows[0]);
	sqlite3_finalize(rows[1]);
	return status;
}

static bool has_nan(const float *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (isnan(values[i]))
			return true;
	return false;
}

/* Whether memory that the trace lacks may have been read without changing the digests: it is a NaN,
 * and all NaNs have the same digest. */
static enum status may_hide_unknown(const struct points_replay *p, struct store *out, bool *may)
{
	sqlite3_stmt *rows = NULL;
	enum status status = prepare(out, p->run.run, p->launch, "SELECT d.data FROM v_launch l"
				     " JOIN v_digest d ON d.run = l.run AND d.op = l.op"
				     " WHERE l.run = ?1 AND l.launch = ?2 AND d.after_step = 0",
				     &rows);

	*may = false;
	while (status == STATUS_OK && !*may && sqlite3_step(rows) == SQLITE_ROW) {
		void *bytes;
		size_t count;

		*may = sqlite3_column_type(rows, 0) == SQLITE_NULL;
		if (*may)
			break;
		status = store_data(out, sqlite3_column_int64(rows, 0), &bytes, &count);
		if (status == STATUS_OK)
			*may = has_nan(bytes, count / sizeof(float));
		if (status == STATUS_OK)
			free(bytes);
	}
	sqlite3_finalize(rows);
	return status;
}

/* --- windows --- */

/* Closes both if they are still open, and keeps the error. */
static enum status end(struct device *recorder, struct store *out, enum status status)
{
	struct error_record error;
	enum status finished;

	error_save(&error);
	finished = recorder ? recorder_finish(recorder, status) : STATUS_OK;
	status = error_first(status, &error, finished);
	error_save(&error);
	return error_first(status, &error, store_close(out));
}

/* Replays from operation `first` on into a new temporary trace. */
static enum status make_trace(const struct points_replay *p, struct replay_window *window,
			      bool *known, bool *follows)
{
	const struct store_options options = { .force = true };
	struct store *out;
	enum status status;

	TRY(store_create(p->scratch.path, &options, &out));
	status = scratch_trace_skip(out, p->run.run);
	if (status == STATUS_OK)
		status = open_recorder(p, out, &window->recorder);
	if (status == STATUS_OK)
		status = copy_model(p, window->recorder);
	if (status == STATUS_OK)
		status = replay_window_run(window, known, follows);
	return end(window->recorder, out, status);
}

/* Whether the points in the temporary trace are those of the recorded launch. */
static enum status judge(const struct points_replay *p, struct store *out, bool follows, bool *good)
{
	bool hides = false;

	TRY(same_digests(p, out, good));
	if (*good && follows)
		TRY(may_hide_unknown(p, out, &hides));
	*good = *good && !hides;
	return STATUS_OK;
}

/* *out stays NULL if the window is too short: a launch would have read memory that is not known, or
 * it failed, or wrote something else. */
static enum status replay_from(const struct points_replay *p, int64_t first, struct store **out)
{
	struct replay_window window = {
		.trace = p->trace, .run = p->run.run, .first = first, .last = p->op,
		.step = p->step,
	};
	bool known = false, follows = false, good = false;
	enum status status = make_trace(p, &window, &known, &follows);

	if (status == STATUS_DEVICE && first > 0)
		return STATUS_OK;
	TRY(status);
	if (!known)
		return STATUS_OK;
	TRY(store_open(p->scratch.path, out));
	status = judge(p, *out, follows && first > 0, &good);
	if (status == STATUS_OK && good)
		return STATUS_OK;
	store_close(*out);
	*out = NULL;
	return status;
}

static enum status replay_windows(const struct points_replay *p, struct store **out)
{
	const int64_t begins[] = { p->merges ? -1 : p->op, p->before, p->step_op, 0 };
	int64_t last = INT64_MAX;

	for (size_t i = 0; i < sizeof begins / sizeof begins[0] && !*out; i++) {
		if (begins[i] < 0 || begins[i] >= last)
			continue;
		last = begins[i];
		TRY(replay_from(p, last, out));
	}
	if (*out)
		return STATUS_OK;
	return fail(STATUS_DIFFERS, "%s: run %" PRId64 ": on the simulator, L%" PRId64 " does not"
		    " write what was recorded: its points cannot be shown",
		    store_shown_path(p->trace), p->run.run, p->launch);
}

/* --- interface --- */

enum status replay_launch_points(struct store *trace, int64_t run, int64_t launch, bool trust,
				 struct store **out)
{
	struct points_replay p = { .trace = trace, .launch = launch };
	enum status status;
	int64_t runs;

	*out = NULL;
	/* As many runs are made as the trace has, which the size of the file must bound. */
	TRY(store_run_count(trace, &runs));
	TRY(store_run_read(trace, run, &p.run));
	status = read_launch(&p, trust);
	if (status == STATUS_OK)
		status = scratch_trace_make(&p.scratch);
	if (status == STATUS_OK)
		status = replay_windows(&p, out);
	scratch_trace_remove(&p.scratch);
	store_run_free(&p.run);
	return status;
}
