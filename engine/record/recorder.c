/* recorder.c - opens and closes a recorder, marks steps and windows, keeps track of buffers.
 *
 * A shadow per live buffer says what the trace knows of it: which bytes changed since they were
 * last stored or digested, and which upload they came from. The operations themselves are in the
 * files that recorder_internal.h lists. Serves every command that records, and replay.
 */
#include "config.h"

#include "engine/record/recorder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "engine/record/recorder_internal.h"

/* Outside steps a commit comes after this many operations. */
#define COMMIT_EVERY 64

/* --- buffers and numbered objects --- */

struct shadow *shadow_find(struct recorder *r, const struct buffer *buffer)
{
	for (int i = 0; i < r->shadow_count; i++)
		if (r->shadows[i].buffer == buffer)
			return &r->shadows[i];
	return NULL;
}

struct shadow *shadow_add(struct recorder *r, struct buffer *buffer, uint32_t id)
{
	struct shadow *shadow;

	r->shadows = xreallocarray(r->shadows, (size_t)r->shadow_count + 1, sizeof *r->shadows);
	shadow = &r->shadows[r->shadow_count++];
	*shadow = (struct shadow){ .buffer = buffer, .id = id, .upload_op = -1 };
	return shadow;
}

static void shadow_release(struct shadow *shadow)
{
	ranges_clear(&shadow->unsaved);
	free(shadow->pointers);
}

void shadow_remove(struct recorder *r, struct shadow *shadow)
{
	size_t after = (size_t)(r->shadows + r->shadow_count - (shadow + 1));

	shadow_release(shadow);
	memmove(shadow, shadow + 1, after * sizeof *shadow);
	r->shadow_count--;
}

uint32_t shadow_id(struct recorder *r, const struct buffer *buffer)
{
	struct shadow *shadow = buffer ? shadow_find(r, buffer) : NULL;

	return shadow ? shadow->id : 0;
}

void shadow_written(struct recorder *r, struct shadow *shadow, uint64_t offset, uint64_t bytes)
{
	if (!shadow || bytes == 0)
		return;
	shadow->written = true;
	shadow->upload_op = -1;
	if (!r->storing)
		ranges_add(&shadow->unsaved, offset, bytes);
}

void numbers_add(struct numbers *numbers, const void *object)
{
	numbers->items = xreallocarray(numbers->items, (size_t)numbers->count + 1,
				       sizeof *numbers->items);
	numbers->items[numbers->count++] = object;
}

void numbers_remove(struct numbers *numbers, const void *object)
{
	int number = numbers_find(numbers, object);

	if (number)
		numbers->items[number - 1] = NULL;
}

int numbers_find(const struct numbers *numbers, const void *object)
{
	for (int i = 0; object && i < numbers->count; i++)
		if (numbers->items[i] == object)
			return i + 1;
	return 0;
}

/* --- storing --- */

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

/* What failed while the device ran work that was asked for before; it is told once. */
static enum status late_error(struct recorder *r)
{
	enum status status = r->late;

	r->late = STATUS_OK;
	if (status != STATUS_OK)
		error_restore(&r->late_error);
	return status;
}

enum status recorder_note(struct recorder *r, struct row_op *op, enum status done,
			  int64_t *op_number)
{
	*op_number = -1;
	if (recorder_refused(done))
		return done;
	if (!r->storing && !log_at_keeps(op))
		return done != STATUS_OK ? done : late_error(r);
	op->ordinal = r->device.ordinal;
	op->code = code_of(done);
	TRY(store_op(r->store, r->run, op, op_number));
	r->last_op = *op_number;
	if (!r->step_stored && ++r->uncommitted >= COMMIT_EVERY) {
		r->uncommitted = 0;
		TRY(store_commit(r->store));
	}
	return done != STATUS_OK ? done : late_error(r);
}

enum status recorder_add(struct recorder *r, struct row_op op, enum status done)
{
	int64_t number;

	return recorder_note(r, &op, done, &number);
}

static void free_staged(struct recorder *r)
{
	while (r->staged_count)
		free(r->staged[--r->staged_count]);
}

enum status recorder_wait(struct recorder *r)
{
	TRY(device_sync(r->device.inner, NULL));
	free_staged(r);
	return late_error(r);
}

/* To a checker the program has not waited: memory that its copies read must not be anyone's yet. */
enum status recorder_step_aside(struct recorder *r)
{
	TRY(device_step_aside(r->device.inner, true));
	if (!device_can_step_aside(r->device.inner))
		free_staged(r);
	return late_error(r);
}

void recorder_step_back(struct recorder *r)
{
	/* Only stepping aside can fail. */
	(void)device_step_aside(r->device.inner, false);
}

static enum status run_all(struct recorder *r)
{
	enum status status = recorder_step_aside(r);

	recorder_step_back(r);
	return status;
}

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

static enum status step_close(struct recorder *r)
{
	if (!r->step_stored)
		return STATUS_OK;
	r->step_stored = false;
	/* A capture forbids to wait for the device: what the step wrote comes after a later one. */
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
		return fail(STATUS_USAGE, "a step ends that has not begun");
	r->in_step = false;
	return step_close(r);
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

/* Brings the trace up to date with what changed while nothing was recorded. */
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

/* Work that goes on belongs to what is left. */
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
	TRY(step_close(r));
	r->storing = false;
	return store_commit(r->store);
}

/* --- opening and closing --- */

static void now_text(char *text, size_t size)
{
	time_t now = time(NULL);
	struct tm utc;

	strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

static enum status run_begin(struct recorder *r, const struct recorder_options *options)
{
	struct device_info info;
	struct row_run run = {
		.device = r->device.inner->ops->name,
		.ordinal = r->device.ordinal,
		.seed = options->seed,
		.command = options->command,
		.path = options->path ? options->path : "",
		.options = options->options_json ? options->options_json : "{}",
		.level = options->level,
		.log_at = options->recorded_at ? options->recorded_at : options->log_at,
		.version = PACKAGE_VERSION,
	};
	char started[32], compute[32];

	TRY(device_info(r->device.inner, &info));
	now_text(started, sizeof started);
	snprintf(compute, sizeof compute, "%d.%d", info.compute_major, info.compute_minor);
	run.device_name = info.name;
	run.profile = info.profile;
	run.driver = info.driver;
	run.started = started;
	run.compute = compute;
	return store_run_begin(r->store, &run, &r->run);
}

static enum status recorder_set_up(struct recorder *r, const struct recorder_options *options)
{
	if (options->level > LEVEL_POINTS)
		return fail(STATUS_USAGE, "--log access is not built yet");
	TRY(log_at_parse(options->log_at, &r->log_at));
	/* Before the first step all is stored, before the first launch only with that launch. */
	r->storing = r->log_at.unit != 'L' || log_at_holds(&r->log_at, 0);
	TRY(probe_check_filter(options->points));
	r->points = options->points ? xstrdup(options->points) : NULL;
	r->observer = recorder_observer;
	r->observer.context = r;
	r->observed = r->device.inner->ops->observe != NULL;
	if (r->observed)
		TRY(device_observe(r->device.inner, &r->observer));
	if (r->level >= LEVEL_POINTS)
		r->probe = probe_new(r->device.inner);
	return run_begin(r, options);
}

enum status recorder_open(struct device *inner, const struct recorder_options *options,
			  struct device **out)
{
	struct recorder *r = xcalloc(1, sizeof *r);
	enum status status;

	r->device = (struct device){
		.ops = &device_recorder, .inner = inner, .ordinal = inner->ordinal,
	};
	r->store = options->store;
	r->level = options->level;
	r->last_op = -1;
	status = recorder_set_up(r, options);
	if (status != STATUS_OK) {
		device_close(&r->device);
		return status;
	}
	*out = &r->device;
	return STATUS_OK;
}

/* The run stays incomplete unless recorder_finish() was here first. */
void recorder_close(struct device *device)
{
	struct recorder *r = recorder_of(device);

	/* Waits for what goes on; after an error the device may answer nothing any more. */
	if (r->observed)
		device_observe(device->inner, NULL);
	graphs_free(r);
	probe_free(r->probe);
	device_close(device->inner);
	tickets_free(r);
	for (int i = 0; i < r->shadow_count; i++)
		shadow_release(&r->shadows[i]);
	free(r->shadows);
	free(r->streams.items);
	free(r->events.items);
	free(r->execs);
	free(r->capturing.items);
	free(r->captured.items);
	while (r->staged_count)
		free(r->staged[--r->staged_count]);
	free(r->staged);
	free(r->kernels);
	free(r->points);
	log_at_free(&r->log_at);
	free(r);
}

enum status recorder_finish(struct device *device, enum status ended)
{
	struct recorder *r = recorder_of(device);
	char *message = ended == STATUS_OK ? NULL : xstrdup(error_text());
	enum status status = STATUS_OK;

	/* After an error the device may answer nothing any more: its step stays without an end. */
	if (ended == STATUS_OK && !r->capturing.count)
		status = run_all(r);
	if (status == STATUS_DEVICE) {
		ended = status;
		message = xstrdup(error_text());
		status = STATUS_OK;
	}
	if (ended == STATUS_OK && status == STATUS_OK)
		status = step_close(r);
	if (status == STATUS_OK)
		status = store_run_end(r->store, r->run, status_name(ended), message);
	if (status == STATUS_OK)
		status = store_commit(r->store);
	recorder_close(device);
	free(message);
	return status;
}

/* --- what only a recorder is told --- */

int64_t recorder_run(struct device *device)
{
	return recorder_of(device)->run;
}

enum status recorder_model(struct device *device, const struct row_model *model)
{
	struct recorder *r = recorder_of(device);

	return store_model(r->store, r->run, model);
}

enum status recorder_token(struct device *device, const struct row_token *token)
{
	struct recorder *r = recorder_of(device);

	return store_token(r->store, r->run, token);
}
