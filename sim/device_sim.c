/* device_sim.c - the simulator behind engine/device.h.
 *
 * Launches run to their end before the call returns; a kernel that faults leaves the device with a sticky
 * error, as CUDA does. Streams, events and graphs are not here yet: their entries are NULL.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device.h"
#include "kernels/points.h"
#include "sim/grid.h"
#include "sim/limits.h"
#include "sim/memory.h"
#include "sim/schedule.h"
#include "traces/xalloc.h"

struct sim_buffer {
	struct buffer base;             /* first */
	struct sim_buffer *next;
};

struct granted {                        /* ATTRIBUTE_MAX_DYNAMIC_SHARED of a kernel: stays, as on CUDA */
	const struct kernel *kernel;
	size_t bytes;
	struct granted *next;
};

struct device_simulated {
	struct device base;             /* first */
	const struct profile *profile;
	struct grid_runner *runner;
	uint64_t seed, launches;
	uint32_t next_id;
	size_t allocated;               /* bytes of all buffers */
	struct sim_buffer *buffers;
	struct granted *granted;
	int sticky;                     /* CUDA error code of the launch that faulted */
	char sticky_text[600];
	struct point_sink points;       /* records NULL: off */
};

static struct device_simulated *simulated(struct device *device)
{
	return (struct device_simulated *)device;
}

static unsigned char *host(const struct buffer *buffer, uint64_t offset)
{
	return (unsigned char *)(uintptr_t)(buffer->address + offset);
}

static enum status check_sticky(const struct device_simulated *sim)
{
	if (sim->sticky)
		return fail_device(sim->sticky, "an earlier launch failed: %s", sim->sticky_text);
	return STATUS_OK;
}

/* --- opening --- */

static enum status sim_open(const struct device_options *options, struct device **out)
{
	const struct profile *profile;
	struct device_simulated *sim;

	TRY(profile_find(options->profile, &profile));
	sim = xcalloc(1, sizeof *sim);
	sim->base.ops = &device_sim;
	sim->base.ordinal = options->ordinal;
	sim->profile = profile;
	sim->seed = options->seed;
	sim->runner = grid_runner_create(options->jobs);
	*out = &sim->base;
	return STATUS_OK;
}

static void sim_close(struct device *device)
{
	struct device_simulated *sim = simulated(device);

	while (sim->buffers) {
		struct sim_buffer *next = sim->buffers->next;

		memory_unmap(host(&sim->buffers->base, 0), sim->buffers->base.bytes);
		free(sim->buffers);
		sim->buffers = next;
	}
	while (sim->granted) {
		struct granted *next = sim->granted->next;

		free(sim->granted);
		sim->granted = next;
	}
	grid_runner_destroy(sim->runner);
	free(sim);
}

static enum status sim_info(struct device *device, struct device_info *out)
{
	*out = simulated(device)->profile->info;
	return STATUS_OK;
}

/* --- memory --- */

static enum status sim_alloc(struct device *device, const struct buffer_spec *spec, struct buffer **out)
{
	struct device_simulated *sim = simulated(device);
	size_t bytes = buffer_spec_bytes(spec);
	struct sim_buffer *buffer;
	void *memory;

	TRY(check_sticky(sim));
	if (bytes > sim->profile->info.memory_bytes - sim->allocated)
		return fail_device(2, "out of memory: %zu bytes for %s, the %s has %zu left", bytes, spec->name,
				   sim->profile->name, sim->profile->info.memory_bytes - sim->allocated);
	TRY(memory_map(bytes, &memory));
	sim->allocated += bytes;
	buffer = xcalloc(1, sizeof *buffer);
	buffer->base = (struct buffer){
		.device = device, .id = ++sim->next_id, .dtype = spec->dtype, .rank = spec->rank,
		.bytes = bytes, .address = (uint64_t)(uintptr_t)memory,
	};
	snprintf(buffer->base.name, sizeof buffer->base.name, "%s", spec->name);
	memcpy(buffer->base.shape, spec->shape, sizeof buffer->base.shape);
	buffer->next = sim->buffers;
	sim->buffers = buffer;
	*out = &buffer->base;
	return STATUS_OK;
}

static enum status sim_free(struct device *device, struct buffer *buffer)
{
	struct sim_buffer **link = &simulated(device)->buffers;

	while (*link && &(*link)->base != buffer)
		link = &(*link)->next;
	if (!*link)
		return fail_device(1, "free of a buffer that is not allocated");
	*link = (*link)->next;
	simulated(device)->allocated -= buffer->bytes;
	memory_unmap(host(buffer, 0), buffer->bytes);
	free(buffer);
	return STATUS_OK;
}

static enum status sim_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			      uint64_t offset, const void *source, size_t bytes)
{
	(void)stream;
	TRY(check_sticky(simulated(device)));
	if (bytes)
		memcpy(host(buffer, offset), source, bytes);
	return STATUS_OK;
}

static enum status sim_upload_pointers(struct device *device, struct stream *stream, struct buffer *buffer,
				       uint64_t offset, const struct pointer_entry *entries, size_t count)
{
	(void)stream;
	TRY(check_sticky(simulated(device)));
	for (size_t i = 0; i < count; i++) {
		uint64_t address = entries[i].buffer ? entries[i].buffer->address + entries[i].offset : 0;

		memcpy(host(buffer, offset + 8 * i), &address, 8);
	}
	return STATUS_OK;
}

static enum status sim_download(struct device *device, struct stream *stream, const struct buffer *buffer,
				uint64_t offset, void *destination, size_t bytes)
{
	(void)stream;
	TRY(check_sticky(simulated(device)));
	if (bytes)
		memcpy(destination, host(buffer, offset), bytes);
	return STATUS_OK;
}

static enum status sim_copy(struct device *device, struct stream *stream, struct buffer *to,
			    uint64_t to_offset, const struct buffer *from, uint64_t from_offset, size_t bytes)
{
	(void)stream;
	TRY(check_sticky(simulated(device)));
	memmove(host(to, to_offset), host(from, from_offset), bytes);
	return STATUS_OK;
}

static enum status sim_fill(struct device *device, struct stream *stream, struct buffer *buffer,
			    uint64_t offset, uint32_t pattern, size_t words)
{
	(void)stream;
	TRY(check_sticky(simulated(device)));
	memory_fill(host(buffer, offset), pattern, words);
	return STATUS_OK;
}

/* --- launches --- */

static struct granted *granted_find(struct device_simulated *sim, const struct kernel *kernel)
{
	for (struct granted *g = sim->granted; g; g = g->next)
		if (g->kernel == kernel)
			return g;
	return NULL;
}

static enum status apply_attributes(struct device_simulated *sim, const struct launch *launch,
				    size_t static_bytes)
{
	for (int i = 0; i < launch->attribute_count; i++) {
		const struct launch_attribute *attribute = &launch->attributes[i];
		struct granted *granted;

		if (attribute->id != ATTRIBUTE_MAX_DYNAMIC_SHARED)
			continue;
		TRY(limits_check_shared_attribute(sim->profile, static_bytes, attribute->value));
		granted = granted_find(sim, launch->kernel);
		if (!granted) {
			granted = xcalloc(1, sizeof *granted);
			granted->kernel = launch->kernel;
			granted->next = sim->granted;
			sim->granted = granted;
		}
		granted->bytes = (size_t)attribute->value;
	}
	return STATUS_OK;
}

/* The pointer the kernel's wrapper reads the argument through. Blobs with pointer fields are copied. */
static void *argument_place(const struct arg *arg, uint64_t *address, void **blob)
{
	switch (arg->kind) {
	case PARAM_POINTER:
		*address = arg->buffer ? arg->buffer->address + arg->offset : 0;
		return address;
	case PARAM_BLOB:
		*blob = aligned_alloc(128, (arg->bytes + 127) / 128 * 128);
		if (!*blob)
			abort();
		memcpy(*blob, arg->value.blob, arg->bytes);
		for (int i = 0; i < arg->field_count; i++) {
			const struct pointer_field *field = &arg->fields[i];
			uint64_t value = field->buffer ? field->buffer->address + field->offset : 0;

			memcpy((unsigned char *)*blob + field->at, &value, sizeof value);
		}
		return *blob;
	default:
		return (void *)(uintptr_t)&arg->value;
	}
}

static enum status run(struct device_simulated *sim, const struct launch *launch, const struct sim_code *code)
{
	uint64_t addresses[MAX_ARGS];
	void *blobs[MAX_ARGS] = { NULL };
	void *args[MAX_ARGS];
	struct grid_launch grid = {
		.code = code, .args = args, .grid = launch->grid, .block = launch->block,
		.dynamic_bytes = launch->shared_bytes, .independent = launch->kernel->independent,
		.points = launch->probed ? &sim->points : NULL,
		.seed = sim->seed ? schedule_mix(sim->seed, sim->launches) | 1 : 0,
	};
	enum status status;

	for (int i = 0; i < launch->arg_count; i++)
		args[i] = argument_place(&launch->args[i], &addresses[i], &blobs[i]);
	sim->launches++;
	status = grid_run(sim->runner, &grid);
	for (int i = 0; i < launch->arg_count; i++)
		free(blobs[i]);
	return status;
}

static enum status sim_launch(struct device *device, const struct launch *launch)
{
	struct device_simulated *sim = simulated(device);
	const struct sim_code *code = kernel_sim_code(launch->kernel, launch->probed);
	size_t static_bytes = grid_static_shared(code);
	struct granted *granted;
	enum status status;

	TRY(check_sticky(sim));
	TRY(apply_attributes(sim, launch, static_bytes));
	granted = granted_find(sim, launch->kernel);
	TRY(limits_check(sim->profile, launch, code, static_bytes, granted ? granted->bytes : 0));
	status = run(sim, launch, code);
	if (status == STATUS_DEVICE && error_code() != 2) {
		sim->sticky = error_code();
		snprintf(sim->sticky_text, sizeof sim->sticky_text, "%s", error_text());
	}
	return status;
}

static enum status sim_sync(struct device *device, struct stream *stream)
{
	(void)stream;
	return check_sticky(simulated(device));
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

const struct device_ops device_sim = {
	.name = "sim",
	.open = sim_open, .close = sim_close, .info = sim_info,
	.alloc = sim_alloc, .free = sim_free,
	.upload = sim_upload, .upload_pointers = sim_upload_pointers, .download = sim_download,
	.copy = sim_copy, .fill = sim_fill,
	.launch = sim_launch, .sync = sim_sync,
	.set_points = sim_set_points,
};
