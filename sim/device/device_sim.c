/* device_sim.c - the simulator's implementation of engine/device.h: opening, memory, operations.
 *
 * Work is queued in streams (queue.c) or becomes graph nodes during a capture (capture.c); task.c
 * runs it. A kernel that faults leaves the device with a sticky error, as in CUDA.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "kernels/variant.h"
#include "sim/check/check.h"
#include "sim/device/attributes.h"
#include "sim/device/capture.h"
#include "sim/device/graph.h"
#include "sim/device/graph_ops.h"
#include "sim/device/memory.h"
#include "sim/device/prepare.h"
#include "sim/device/queue.h"
#include "sim/device/queued.h"
#include "sim/device/stream_ops.h"
#include "sim/device/task.h"
#include "sim/exec/grid.h"

static unsigned char *host(const struct buffer *buffer, uint64_t offset)
{
	return (unsigned char *)(uintptr_t)(buffer->address + offset);
}

static void unmap(struct device_simulated *sim, const struct sim_buffer *buffer)
{
	if (buffer->base.variable)
		return;
	sim->allocated -= buffer->base.bytes;
	if (sim->check)
		check_unmap(sim->check, host(&buffer->base, 0));
	else
		memory_unmap(host(&buffer->base, 0), buffer->base.bytes);
}

/* --- opening --- */

static void sim_close(struct device *device)
{
	struct device_simulated *sim = simulated(device);

	queue_drain(sim, NULL);
	captures_close(sim);
	streams_close(sim);
	graphs_close(sim);
	while (sim->buffers) {
		struct sim_buffer *next = sim->buffers->next;

		unmap(sim, sim->buffers);
		free(sim->buffers);
		sim->buffers = next;
	}
	prepare_close(sim);
	grid_runner_destroy(sim->runner);
	check_destroy(sim->check);
	queued_close(sim);
	device_heap_close(&sim->heap);
	free(sim);
}

static enum status sim_open(const struct device_options *options, struct device **out)
{
	const struct profile *profile;
	enum sim_variant variant;
	struct device_simulated *sim;

	TRY(profile_find(options->profile, &profile));
	TRY(variant_choose(&variant));
	sim = xcalloc(1, sizeof *sim);
	sim->base.ops = &device_sim;
	sim->base.ordinal = options->ordinal;
	sim->profile = profile;
	sim->variant = variant;
	sim->seed = options->seed;
	sim->steps = options->steps;
	sim->other_clock = options->other_clock;
	sim->check_orders = options->check ? options->check_orders : 0;
	sim->heap.bytes = HEAP_BYTES;
	sim->runner = grid_runner_create(options->steps ? 1 : options->jobs);
	streams_open(sim);
	if (options->check && check_create(&sim->check) != STATUS_OK) {
		sim_close(&sim->base);
		return STATUS_DEVICE;
	}
	if (sim->check && options->leaks_are_lints)
		check_leaks_are_lints(sim->check);
	if (sim->check && options->count)
		check_count(sim->check);
	*out = &sim->base;
	return STATUS_OK;
}

static enum status sim_info(struct device *device, struct device_info *out)
{
	*out = simulated(device)->profile->info;
	return STATUS_OK;
}

/* --- memory --- */

static struct sim_buffer *add_buffer(struct device_simulated *sim, const struct buffer_spec *spec,
				     void *memory)
{
	struct sim_buffer *buffer = xcalloc(1, sizeof *buffer);

	buffer->base = (struct buffer){
		.device = &sim->base, .id = ++sim->next_id, .dtype = spec->dtype,
		.rank = spec->rank, .bytes = buffer_spec_bytes(spec),
		.address = (uint64_t)(uintptr_t)memory,
	};
	snprintf(buffer->base.name, sizeof buffer->base.name, "%s", spec->name);
	memcpy(buffer->base.shape, spec->shape, sizeof buffer->base.shape);
	buffer->next = sim->buffers;
	sim->buffers = buffer;
	return buffer;
}

static enum status sim_alloc(struct device *device, const struct buffer_spec *spec,
			     struct buffer **out)
{
	struct device_simulated *sim = simulated(device);
	size_t bytes = buffer_spec_bytes(spec);
	void *memory;

	TRY(capture_check(sim, OPERATION_alloc, NULL));
	if (bytes > sim->profile->info.memory_bytes - sim->allocated)
		return fail_device(2, "out of memory: %zu bytes for %s, the %s has %zu left", bytes,
				   spec->name, sim->profile->name,
				   sim->profile->info.memory_bytes - sim->allocated);
	TRY(memory_check(bytes));
	TRY(sim->check ? check_map(sim->check, sim->next_id + 1, spec->name, bytes, &memory)
		       : memory_map(bytes, &memory));
	memory_fill(memory, DEVICE_POISON, memory_size(bytes) / 4);
	sim->allocated += bytes;
	*out = &add_buffer(sim, spec, memory)->base;
	return STATUS_OK;
}

/* All its memory is the host's. */
static enum status sim_alloc_managed(struct device *device, const struct buffer_spec *spec,
				     struct buffer **out)
{
	TRY(sim_alloc(device, spec, out));
	((struct sim_buffer *)*out)->managed = true;
	return STATUS_OK;
}

static enum status sim_alloc_variable(struct device *device, const struct buffer_spec *spec,
				      const struct kernel_variable *variable, struct buffer **out)
{
	struct sim_buffer *buffer = add_buffer(simulated(device), spec, variable->address);

	buffer->base.variable = variable->address;
	*out = &buffer->base;
	return STATUS_OK;
}

/* Waits for the whole device, as CUDA does. Returns an error of that work, but frees the memory. */
static enum status sim_free(struct device *device, struct buffer *buffer)
{
	struct device_simulated *sim = simulated(device);
	struct sim_buffer **link = &sim->buffers;
	enum status status;

	if (!sim->sticky)
		TRY(capture_check(sim, OPERATION_free, NULL));
	if (!buffer)
		return STATUS_OK;
	status = sim->sticky ? STATUS_OK : queue_drain(sim, NULL);
	while (*link && &(*link)->base != buffer)
		link = &(*link)->next;
	if (!*link)
		return fail_device(1, "free of a buffer that is not allocated");
	*link = (*link)->next;
	unmap(sim, (struct sim_buffer *)buffer);
	free(buffer);
	return status;
}

/* --- work --- */

/* Checks that the operation is allowed; *on is the stream to use. */
static enum status enter(struct device_simulated *sim, enum operation operation,
			 struct stream *stream, struct stream **on)
{
	TRY(stream_find(sim, stream, on));
	return capture_check(sim, operation, *on);
}

/* Queues or captures a task. Takes the task's reference. */
static enum status give(struct stream *stream, struct task *task)
{
	if (!stream->capture || stream->sim->observing)
		return queue_task(stream, task);
	capture_add(stream, task);
	return STATUS_OK;
}

/* The same for calls that return when the work is done. */
static enum status give_and_wait(struct stream *stream, struct task *task)
{
	TRY(give(stream, task));
	return queue_drain(stream->sim, stream);
}

/* If a capture on another stream refuses the operation, it refuses only the wait: the copy is
 * already queued. Takes the task's reference. */
static enum status copy_and_wait(struct device_simulated *sim, enum operation operation,
				 struct stream *stream, struct task *task)
{
	struct error_record refused;
	enum status status = stream_find(sim, stream, &stream);

	if (status == STATUS_OK)
		status = capture_check(sim, operation, stream);
	if (status == STATUS_OK)
		return give_and_wait(stream, task);
	error_save(&refused);
	if (status != STATUS_DEVICE || sim->sticky || stream->capture)
		task_drop(task);
	else if (give_and_wait(stream, task) != STATUS_OK)
		return STATUS_DEVICE;
	error_restore(&refused);
	return status;
}

/* What the host wrote into memory that kernels use too: the bytes are there already. */
static enum status show(struct device_simulated *sim, struct stream *stream, struct task *task)
{
	enum status status = enter(sim, OPERATION_upload, stream, &stream);

	if (status != STATUS_OK) {
		task_drop(task);
		return status;
	}
	TRY(give(stream, task));
	if (!sim->observing)
		queue_settle(sim, stream);
	return simulated_check_alive(sim);
}

static enum status sim_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			      uint64_t offset, const void *source, size_t bytes)
{
	struct task *task = task_upload(buffer, offset, source, bytes);

	if (source == host(buffer, offset))
		return show(simulated(device), stream, task);
	return copy_and_wait(simulated(device), OPERATION_upload, stream, task);
}

static enum status sim_upload_pointers(struct device *device, struct stream *stream,
				       struct buffer *buffer, uint64_t offset,
				       const struct pointer_entry *entries, size_t count)
{
	uint64_t *addresses = pointer_addresses(entries, count);
	enum status status = copy_and_wait(simulated(device), OPERATION_upload_pointers, stream,
					   task_upload(buffer, offset, addresses,
						       count * sizeof *addresses));

	free(addresses);
	return status;
}

static enum status sim_download(struct device *device, struct stream *stream,
				const struct buffer *buffer, uint64_t offset, void *destination,
				size_t bytes)
{
	return copy_and_wait(simulated(device), OPERATION_download, stream,
			     task_download(buffer, offset, destination, bytes));
}

static enum status sim_upload_async(struct device *device, struct stream *stream,
				    struct buffer *buffer, uint64_t offset, const void *source,
				    size_t bytes)
{
	TRY(enter(simulated(device), OPERATION_upload_async, stream, &stream));
	return give(stream, task_upload(buffer, offset, source, bytes));
}

static enum status sim_download_async(struct device *device, struct stream *stream,
				      const struct buffer *buffer, uint64_t offset,
				      void *destination, size_t bytes)
{
	TRY(enter(simulated(device), OPERATION_download_async, stream, &stream));
	return give(stream, task_download(buffer, offset, destination, bytes));
}

static enum status sim_copy(struct device *device, struct stream *stream, struct buffer *to,
			    uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			    size_t bytes)
{
	TRY(enter(simulated(device), OPERATION_copy, stream, &stream));
	return give(stream, task_copy(to, to_offset, from, from_offset, bytes));
}

static enum status sim_fill(struct device *device, struct stream *stream, struct buffer *buffer,
			    uint64_t offset, uint32_t pattern, size_t words)
{
	TRY(enter(simulated(device), OPERATION_fill, stream, &stream));
	return give(stream, task_fill(buffer, offset, pattern, words));
}

/* --- launches --- */

static enum status sim_launch(struct device *device, const struct launch *launch)
{
	struct device_simulated *sim = simulated(device);
	struct stream *stream;
	struct task *task;
	enum status status;

	TRY(enter(sim, OPERATION_launch, launch->stream, &stream));
	status = prepare_launch(sim, launch, &task);
	if (status != STATUS_OK) {
		capture_note_failure(stream, OPERATION_launch_refused);
		return status;
	}
	return give(stream, task);
}

/* What was launched before may allocate. */
static enum status sim_set_heap(struct device *device, size_t bytes, bool reset)
{
	struct device_simulated *sim = simulated(device);
	size_t memory = sim->profile->info.memory_bytes;

	TRY(queue_drain(sim, NULL));
	if (reset) {
		device_heap_close(&sim->heap);
		if (sim->check)
			check_free_heap(sim->check);
		sim->heap.used = false;
	}
	if (sim->heap.used)
		return fail_device(1, "the size of the heap can only be set before a kernel "
				   "allocates");
	/* As on an H200, more than the device's memory is no error; the heap then is that large. */
	if (bytes > memory)
		bytes = memory;
	sim->heap.bytes = (bytes + HEAP_ALIGNMENT - 1) / HEAP_ALIGNMENT * HEAP_ALIGNMENT;
	return STATUS_OK;
}

static enum status sim_observe(struct device *device, const struct device_observer *observer)
{
	struct device_simulated *sim = simulated(device);

	TRY(queue_drain(sim, NULL));
	sim->observer = observer ? *observer : (struct device_observer){ 0 };
	return STATUS_OK;
}

static enum status sim_step_aside(struct device *device, bool aside)
{
	struct device_simulated *sim = simulated(device);

	if (aside)
		queue_run_all(sim);
	sim->observing = aside;
	return aside ? simulated_check_alive(sim) : STATUS_OK;
}

static const void *sim_peek(struct device *device, const struct buffer *buffer)
{
	(void)device;
	return host(buffer, 0);
}

static enum status sim_set_points(struct device *device, const struct buffer *records,
				  const struct buffer *counts, unsigned capacity)
{
	struct device_simulated *sim = simulated(device);

	sim->points = (struct point_sink){ 0 };
	if (records)
		sim->points = (struct point_sink){
			.records = (struct point_record *)(void *)host(records, 0),
			.counts = (unsigned *)(void *)host(counts, 0),
			.capacity = capacity,
		};
	return STATUS_OK;
}

static size_t sim_findings(struct device *device, const struct row_finding **out)
{
	struct device_simulated *sim = simulated(device);

	*out = NULL;
	if (!sim->check)
		return 0;
	check_leaks(sim->check);
	return check_findings(sim->check, out);
}

static size_t sim_counters(struct device *device, const struct row_counters **out)
{
	struct device_simulated *sim = simulated(device);

	return sim->check ? check_counters(sim->check, out) : 0;
}

static enum status sim_watch(struct device *device, const struct block_range *blocks, size_t count)
{
	struct check *check = simulated(device)->check;

	if (!check)
		return fail(STATUS_USAGE, "loads and stores are recorded in checked runs only");
	check_watch(check, blocks, count);
	return STATUS_OK;
}

static void sim_memory(struct device *device, struct row_memory *out)
{
	check_memory(simulated(device)->check, out);
}

static const char *sim_spacing(struct device *device)
{
	struct device_simulated *sim = simulated(device);

	return sim->check ? check_spacing(sim->check) : NULL;
}

static const struct checker_ops checker = {
	.findings = sim_findings, .counters = sim_counters, .step_aside = sim_step_aside,
	.spacing = sim_spacing, .watch = sim_watch, .memory = sim_memory,
};

const struct device_ops device_sim = {
	.name = "sim",
	.open = sim_open,
	.close = sim_close,
	.info = sim_info,
	.attribute = sim_attribute,
	.function = sim_function,
	.alloc = sim_alloc,
	.alloc_managed = sim_alloc_managed,
	.alloc_variable = sim_alloc_variable,
	.free = sim_free,
	.upload = sim_upload,
	.upload_pointers = sim_upload_pointers,
	.download = sim_download,
	.upload_async = sim_upload_async,
	.download_async = sim_download_async,
	.copy = sim_copy,
	.fill = sim_fill,
	.launch = sim_launch,
	.set_heap = sim_set_heap,
	.sync = sim_sync,
	.stream_create = sim_stream_create,
	.stream_destroy = sim_stream_destroy,
	.event_create = sim_event_create,
	.event_destroy = sim_event_destroy,
	.event_record = sim_event_record,
	.event_wait = sim_event_wait,
	.event_sync = sim_event_sync,
	.event_elapsed = sim_event_elapsed,
	.capture_begin = sim_capture_begin,
	.capture_end = sim_capture_end,
	.capture_state = sim_capture_state,
	.capture_relax = sim_capture_relax,
	.graph_create = sim_graph_create,
	.graph_add_launch = sim_graph_add_launch,
	.graph_add_copy = sim_graph_add_copy,
	.graph_instantiate = sim_graph_instantiate,
	.graph_launch = sim_graph_launch,
	.graph_destroy = sim_graph_destroy,
	.graph_exec_destroy = sim_graph_exec_destroy,
	.observe = sim_observe,
	.set_points = sim_set_points,
	.peek = sim_peek,
	.checker = &checker,
};
