/* recorder_step.c - steps and windows; see recorder_step.h.
 *
 * When a window opens after a gap, the bytes that changed in the gap are stored first.
 */
#include "engine/record/recorder_step.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/record/recorder_digest.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recorder_wait.h"
#include "engine/record/shadow.h"
#include "traces/store/store.h"

/* --- steps --- */

static enum status step_open(struct recorder *r)
{
	if (!r->storing || r->step_stored)
		return STATUS_OK;
	TRY(store_step_begin(r->store, r->run, r->step));
	r->step_stored = true;
	r->step_first = r->last_op + 1;
	return STATUS_OK;
}

enum status recorder_step_close(struct recorder *r)
{
	if (!r->step_stored)
		return STATUS_OK;
	r->step_stored = false;
	/* A capture forbids waiting for the device: a later step stores the digests. */
	if (r->last_op >= r->step_first && !r->capturing.count)
		TRY(recorder_digest_state(r));
	TRY(store_step_end(r->store, r->run, r->step));
	r->uncommitted = 0;
	return store_commit(r->store);
}

enum status recorder_step_begin(struct device *device, int64_t step)
{
	struct recorder *r = recorder_of(device);

	if (r->in_step)
		return fail(STATUS_USAGE, "step %lld begins before step %lld has ended",
			    (long long)step, (long long)r->step);
	TRY(recorder_window(r, 's', step, 1));
	r->in_step = true;
	r->step = step;
	return step_open(r);
}

enum status recorder_step_end(struct device *device)
{
	struct recorder *r = recorder_of(device);

	if (!r->in_step)
		return fail(STATUS_USAGE, "step_end without step_begin");
	r->in_step = false;
	return recorder_step_close(r);
}

/* --- windows --- */

static enum status restore_range(struct recorder *r, struct shadow *shadow, struct range range)
{
	uint64_t bytes = range.end - range.begin;
	void *data = xmalloc(bytes);
	struct row_op op = {
		.kind = OP_RESTORE, .start_us = NAN, .duration_us = NAN, .object = -1,
		.buffer = shadow->id, .offset = range.begin, .bytes = bytes, .data = data,
	};
	enum status status;
	int64_t number;

	status = device_download(r->device.inner, NULL, shadow->buffer, range.begin, data, bytes);
	if (status == STATUS_OK)
		status = recorder_note(r, &op, STATUS_OK, &number);
	free(data);
	return status;
}

static enum status restore_pointers(struct recorder *r, struct shadow *shadow)
{
	size_t count = shadow->buffer->bytes / sizeof(uint64_t);
	struct row_pointer *pointers = xcalloc(count, sizeof *pointers);
	struct row_op op = {
		.kind = OP_RESTORE, .start_us = NAN, .duration_us = NAN, .object = -1,
		.buffer = shadow->id, .bytes = count * sizeof(uint64_t),
		.pointers = pointers, .pointer_count = (int)count,
	};
	enum status status;
	int64_t number;

	for (size_t i = 0; i < count; i++)
		pointers[i] = (struct row_pointer){
			.at = i * sizeof(uint64_t),
			.buffer = (uint32_t)shadow->pointers[i][0],
			.offset = shadow->pointers[i][1],
		};
	status = recorder_note(r, &op, STATUS_OK, &number);
	free(pointers);
	return status;
}

/* Stores the bytes that changed while nothing was recorded. */
static enum status restore_unsaved(struct recorder *r)
{
	for (int i = 0; i < r->shadow_count; i++) {
		struct shadow *shadow = &r->shadows[i];

		if (shadow->unsaved.count && shadow->pointers)
			TRY(restore_pointers(r, shadow));
		for (size_t k = 0; k < shadow->unsaved.count && !shadow->pointers; k++)
			TRY(restore_range(r, shadow, shadow->unsaved.items[k]));
		ranges_clear(&shadow->unsaved);
	}
	return STATUS_OK;
}

/* Waits first, because unfinished work belongs to the window, or gap, that ends. */
enum status recorder_window(struct recorder *r, char unit, int64_t number, int64_t count)
{
	bool inside = false;
	enum status status;

	if (r->log_at.unit != unit || count == 0)
		return STATUS_OK;
	for (int64_t i = 0; i < count && !inside; i++)
		inside = log_at_holds(&r->log_at, number + i);
	if (inside == r->storing)
		return STATUS_OK;
	status = recorder_step_aside(r);
	if (status == STATUS_OK && inside) {
		r->storing = true;
		status = restore_unsaved(r);
	}
	recorder_step_back(r);
	TRY(status);
	if (inside)
		return r->in_step ? step_open(r) : STATUS_OK;
	TRY(recorder_step_close(r));
	r->storing = false;
	return store_commit(r->store);
}
