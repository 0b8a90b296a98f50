/* replay.c - walks a recorded run and repeats each operation on another device.
 *
 * Tables map the numbers of objects in the trace to objects of the target. The recorder records the
 * replay, and traces/diff/diff.h compares the two runs. Used by `flashtwin replay` and the tests.
 */
#include "config.h"

#include "engine/replay/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/replay/replay_graph.h"
#include "engine/replay/replay_host.h"
#include "engine/replay/replay_launch.h"
#include "engine/replay/replay_memory.h"
#include "engine/replay/replay_state.h"

/* --- the walk --- */

static enum status replay_sync(struct replay *r, const struct row_op *op)
{
	return device_sync(r->target, stream_of(r, op));
}

static enum status replay_op(struct replay *r, const struct row_op *op)
{
	if (op->kind != OP_DOWNLOAD && op->kind != OP_HOST_SOFTMAX)
		replay_host_forget(r);
	switch (op->kind) {
	case OP_ALLOC:           return replay_alloc(r, op);
	case OP_VARIABLE:        return replay_variable(r, op);
	case OP_FREE:            return replay_free(r, op);
	case OP_HEAP:            return replay_heap(r, op);
	case OP_UPLOAD:
	case OP_UPLOAD_ASYNC:    return replay_upload(r, op);
	case OP_RESTORE:         return op->pointers ? replay_upload_pointers(r, op)
						     : replay_upload(r, op);
	case OP_UPLOAD_POINTERS: return replay_upload_pointers(r, op);
	case OP_DOWNLOAD:
	case OP_DOWNLOAD_ASYNC:  return replay_download(r, op);
	case OP_COPY:            return replay_copy(r, op);
	case OP_FILL:            return replay_fill(r, op);
	case OP_LAUNCH:          return replay_launch(r, op);
	case OP_SYNC:            return replay_sync(r, op);
	case OP_HOST_SOFTMAX:    return replay_host_softmax(r, op);
	default:                 return replay_object(r, op);
	}
}

/* Whether the target itself creates this operation: launches made by a graph, and the recorder's
 * own copies. */
static bool is_implied(const struct row_op *op)
{
	return (op->kind == OP_LAUNCH && op->object >= 0) || (op->node && op->node->own);
}

enum status replay_refused(struct store *trace, const struct store_run *run)
{
	if (strcmp(run->version, PACKAGE_VERSION) != 0)
		return STATUS_USAGE;
	return fail_context(STATUS_DAMAGED, "%s is damaged", store_shown_path(trace));
}

/* Whether this build has the operation's kernel. A missing kernel does not mean that the trace is
 * damaged. */
static bool has_kernel(const struct row_op *op)
{
	return !op->launch || kernel_find(op->launch->kernel);
}

/* An operation that failed when it was recorded may fail again. */
static enum status replay_checked(struct replay *r, const struct row_op *op)
{
	enum status status = is_implied(op) ? STATUS_OK : replay_op(r, op);

	/* An operation that failed may name objects that no longer exist. */
	if (status == STATUS_USAGE && op->code)
		return STATUS_OK;
	if (status == STATUS_USAGE && has_kernel(op))
		return replay_refused(r->trace, &r->run);
	if (status != STATUS_DEVICE)
		return status;
	r->stopped = op->code == 0;
	return STATUS_OK;
}

static enum status replay_in_step(struct replay *r, const struct row_op *op, int64_t number)
{
	const struct step *step = r->next_step < r->step_count ? &r->steps[r->next_step] : NULL;
	bool begins = step && step->first_op == number;
	bool ends = step && step->last_op == number;

	if (begins)
		TRY(device_step_begin(r->target, step->step));
	TRY(replay_checked(r, op));
	r->operations += op->kind != OP_RESTORE && !is_implied(op);
	if (!ends || r->stopped)
		return STATUS_OK;
	r->next_step++;
	return device_step_end(r->target);
}

static enum status replay_walk(struct replay *r, struct store_cursor *cursor)
{
	struct row_op op;
	int64_t number;
	bool end;

	while (!r->stopped) {
		enum status status;

		TRY(store_ops_next(cursor, &op, &number, &end));
		if (end)
			return STATUS_OK;
		status = replay_in_step(r, &op, number);
		if (status != STATUS_OK)
			return fail_context(status, "operation %" PRId64, number);
	}
	return STATUS_OK;
}

/* A step must begin after the end of the previous one. */
static enum status add_step(struct replay *r, struct step step)
{
	const struct step *before = r->step_count ? &r->steps[r->step_count - 1] : NULL;

	if (step.first_op < 0 || (before && before->last_op < 0)
	    || (before && step.first_op <= before->last_op)
	    || (step.last_op >= 0 && step.last_op < step.first_op))
		return fail(STATUS_DAMAGED, "%s: step %" PRId64 " is out of order",
			    store_shown_path(r->trace), step.step);
	r->steps = xreallocarray(r->steps, r->step_count + 1, sizeof *r->steps);
	r->steps[r->step_count++] = step;
	return STATUS_OK;
}

static enum status read_steps(struct replay *r)
{
	sqlite3 *db = store_db(r->trace);
	enum status status = STATUS_OK;
	sqlite3_stmt *rows = NULL;
	int code;

	if (sqlite3_prepare_v2(db, "SELECT step, first_op, coalesce(last_op, -1) FROM v_step"
			       " WHERE run = ?1 AND first_op <= coalesce(last_op, first_op)"
			       " ORDER BY first_op", -1,
			       &rows, NULL) != SQLITE_OK)
		return store_read_failed(r->trace);
	sqlite3_bind_int64(rows, 1, r->run.run);
	while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
		status = add_step(r, (struct step){
			sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1),
			sqlite3_column_int64(rows, 2),
		});
		if (status != STATUS_OK)
			break;
	}
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(r->trace);
	sqlite3_finalize(rows);
	return status;
}

/* Waits for work that may still use the replay's memory. Ignores device errors: a comparison shows
 * them. */
static enum status wait_for_all(const struct replay *r)
{
	struct device *device = r->recording ? r->target->inner : r->target;
	enum status status = r->captures ? STATUS_OK : device_sync(device, NULL);

	return status == STATUS_DEVICE ? STATUS_OK : status;
}

enum status replay_run(struct store *trace, int64_t run, struct device *target, int64_t *operations,
		       bool *stopped)
{
	struct replay r = {
		.target = target, .recording = target->inner != NULL, .trace = trace,
	};
	struct store_cursor *cursor = NULL;
	enum status status;

	TRY(store_run_read(trace, run, &r.run));
	status = read_steps(&r);
	if (status == STATUS_OK)
		status = store_ops_open(trace, run, &cursor);
	if (status == STATUS_OK)
		status = replay_walk(&r, cursor);
	store_ops_close(cursor);
	if (status == STATUS_OK && !r.stopped)
		status = wait_for_all(&r);
	store_run_free(&r.run);
	replay_release(&r);
	*operations = r.operations;
	*stopped = r.stopped;
	return status;
}
