/* recorder.c - opens and closes a recorder; the table of its operations.
 *
 * The operations themselves are in the files that recorder_state.h lists. Used by every command
 * that records, and by replay.
 */
#include "config.h"

#include "engine/record/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/xalloc.h"
#include "engine/record/graph_shadow.h"
#include "engine/record/probe.h"
#include "engine/record/recorder_accesses.h"
#include "engine/record/recorder_attention.h"
#include "engine/record/recorder_capture.h"
#include "engine/record/recorder_graph.h"
#include "engine/record/recorder_host.h"
#include "engine/record/recorder_launch.h"
#include "engine/record/recorder_memory.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_run.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recorder_step.h"
#include "engine/record/recorder_stream.h"
#include "engine/record/recorder_wait.h"
#include "engine/record/shadow.h"
#include "traces/store/store.h"

/* --- closing --- */

/* The run stays incomplete unless recorder_finish() was called before. */
static void recorder_close(struct device *device)
{
	struct recorder *r = recorder_of(device);

	/* Waits for unfinished work. After an error the device may no longer work. */
	if (r->observed)
		device_observe(device->inner, NULL);
	graphs_free(r);
	probe_free(r->probe);
	device_close(device->inner);
	recorder_launch_free(r);
	shadows_free(r);
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
	log_at_free(&r->blocks);
	free(r);
}

/* --- operations passed to the inner device --- */

static enum status recorder_info(struct device *device, struct device_info *out)
{
	return device_info(device->inner, out);
}

static enum status recorder_attribute(struct device *device, int attribute, int *out)
{
	return device_attribute(device->inner, attribute, out);
}

static enum status recorder_function(struct device *device, const struct kernel *kernel,
				     struct function_info *out)
{
	return device_function(device->inner, kernel, out);
}

/* Frees the recorder's own buffers first, so that they are not reported as leaks. They are
 * allocated again when needed. */
static size_t recorder_findings(struct device *device, const struct row_finding **out)
{
	struct recorder *r = recorder_of(device);

	if (r->probe) {
		probe_free(r->probe);
		r->probe = probe_new(device->inner);
	}
	return device_findings(device->inner, out);
}

static size_t recorder_counters(struct device *device, const struct row_counters **out)
{
	return device_counters(device->inner, out);
}

static double recorder_last_launch_us(struct device *device)
{
	return device_last_launch_us(device->inner);
}

/* --- the table --- */

static const struct recorder_ops steps = {
	.step_begin = recorder_step_begin, .step_end = recorder_step_end,
	.host_softmax = recorder_host_softmax, .attends = recorder_attends,
};

static const struct checker_ops checker = {
	.findings = recorder_findings, .counters = recorder_counters,
};

static const struct device_ops device_recorder = {
	.name = "recorder",
	.close = recorder_close,
	.info = recorder_info,
	.attribute = recorder_attribute,
	.set_heap = recorder_set_heap,
	.function = recorder_function,
	.alloc = recorder_alloc,
	.alloc_managed = recorder_alloc_managed,
	.alloc_variable = recorder_alloc_variable,
	.free = recorder_free,
	.upload = recorder_upload,
	.upload_pointers = recorder_upload_pointers,
	.download = recorder_download,
	.upload_async = recorder_upload_async,
	.download_async = recorder_download_async,
	.copy = recorder_copy,
	.fill = recorder_fill,
	.launch = recorder_launch,
	.sync = recorder_sync,
	.stream_create = recorder_stream_create,
	.stream_destroy = recorder_stream_destroy,
	.event_create = recorder_event_create,
	.event_destroy = recorder_event_destroy,
	.event_record = recorder_event_record,
	.event_wait = recorder_event_wait,
	.event_sync = recorder_event_sync,
	.event_elapsed = recorder_event_elapsed,
	.capture_begin = recorder_capture_begin,
	.capture_end = recorder_capture_end,
	.capture_state = recorder_capture_state,
	.capture_relax = recorder_capture_relax,
	.graph_create = recorder_graph_create,
	.graph_add_launch = recorder_graph_add_launch,
	.graph_add_copy = recorder_graph_add_copy,
	.graph_instantiate = recorder_graph_instantiate,
	.graph_launch = recorder_graph_launch,
	.graph_destroy = recorder_graph_destroy,
	.graph_exec_destroy = recorder_graph_exec_destroy,
	.last_launch_us = recorder_last_launch_us,
	.recorder = &steps,
	.checker = &checker,
};

/* --- opening --- */

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
		.level = r->level,
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
	TRY(recorder_accesses_open(r, options));
	TRY(log_at_parse(options->log_at, &r->log_at));
	/* With windows of steps, operations before the first step are stored. With windows of
	 * launches, those before the first launch are stored only if that launch is. */
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

/* --- the end of the run --- */

static enum status wait_for_all(struct recorder *r)
{
	enum status status = recorder_step_aside(r);

	recorder_step_back(r);
	return status;
}

enum status recorder_finish(struct device *device, enum status ended)
{
	struct recorder *r = recorder_of(device);
	char *message = ended == STATUS_OK ? NULL : xstrdup(error_text());
	enum status status = STATUS_OK;

	/* After an error the device may no longer work: the step stays without an end. */
	if (ended == STATUS_OK && !r->capturing.count)
		status = wait_for_all(r);
	if (status == STATUS_DEVICE) {
		ended = status;
		message = xstrdup(error_text());
		status = STATUS_OK;
	}
	if (ended == STATUS_OK && status == STATUS_OK)
		status = recorder_step_close(r);
	if (status == STATUS_OK)
		status = store_run_end(r->store, r->run, status_name(ended), message);
	if (status == STATUS_OK)
		status = store_commit(r->store);
	recorder_close(device);
	free(message);
	return status;
}

/* --- calls of recorders only --- */

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

enum status recorder_restore(struct device *device, struct buffer *buffer, uint64_t offset,
			     const void *source, size_t bytes)
{
	TRY(recorder_wait(recorder_of(device)));
	return recorder_upload_as(device, OP_RESTORE, NULL, buffer, offset, source, bytes);
}

enum status recorder_restore_pointers(struct device *device, struct buffer *buffer,
				      uint64_t offset, const struct pointer_entry *entries,
				      size_t count)
{
	TRY(recorder_wait(recorder_of(device)));
	return recorder_upload_pointers_as(device, OP_RESTORE, NULL, buffer, offset, entries,
					   count);
}

enum status recorder_next_launch(struct device *device, int64_t number)
{
	struct recorder *r = recorder_of(device);

	if (number < r->launches)
		return fail(STATUS_DAMAGED, "launch %lld comes after launch %lld",
			    (long long)number, (long long)r->launches - 1);
	r->launches = number;
	return STATUS_OK;
}
