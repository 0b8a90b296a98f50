/* recorder_note.c - stores rows of operations, and keeps errors of work that ends after its call;
 * see recorder_note.h.
 */
#include "engine/record/recorder_note.h"

#include "engine/record/recorder_state.h"
#include "traces/store/store.h"

/* Outside of steps, commits after this many operations, and after each of the first ones: a short
 * program that crashes leaves a trace too. */
#define COMMIT_EVERY 64

/* A device that fails without a code of its own (a step budget, say) is recorded as
 * CUDA_ERROR_UNKNOWN, so that no failed operation looks like a successful one. */
static int code_of(enum status done)
{
	if (done == STATUS_OK)
		return 0;
	return error_code() ? error_code() : 999;
}

bool recorder_refused(enum status done)
{
	return done == STATUS_USAGE && error_code() == 0;
}

enum status recorder_late_error(struct recorder *r)
{
	enum status status = r->late;

	r->late = STATUS_OK;
	if (status != STATUS_OK)
		error_restore(&r->late_error);
	return status;
}

void recorder_keep_error(struct recorder *r, enum status status)
{
	if (status == STATUS_OK || r->late != STATUS_OK)
		return;
	r->late = status;
	error_save(&r->late_error);
}

enum status recorder_note(struct recorder *r, struct row_op *op, enum status done,
			  int64_t *op_number)
{
	*op_number = -1;
	if (recorder_refused(done))
		return done;
	if (!r->storing && !log_at_keeps(op))
		return done != STATUS_OK ? done : recorder_late_error(r);
	op->ordinal = r->device.ordinal;
	op->code = code_of(done);
	TRY(store_op(r->store, r->run, op, op_number));
	r->last_op = *op_number;
	if (!r->step_stored && (++r->uncommitted >= COMMIT_EVERY || *op_number < COMMIT_EVERY)) {
		r->uncommitted = 0;
		TRY(store_commit(r->store));
	}
	return done != STATUS_OK ? done : recorder_late_error(r);
}

enum status recorder_add(struct recorder *r, struct row_op op, enum status done)
{
	int64_t number;

	return recorder_note(r, &op, done, &number);
}
