/* recorder_ops.c - memory: each operation is done on the inner device, then noted.
 *
 * Each function has the same shape: do it, note it with what it returned, remember what it wrote.
 * Copies and fills in a stream that captures become nodes. An operation the inner device does not
 * have is refused there. The table is last.
 */
#include "config.h"

#include "engine/record/recorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder_internal.h"

static int stream_number(const struct recorder *r, const struct stream *stream)
{
	return numbers_find(&r->streams, stream);
}

/* --- memory --- */

static enum status recorder_info(struct device *device, struct device_info *out)
{
	return device_info(device->inner, out);
}

static enum status recorder_alloc(struct device *device, const struct buffer_spec *spec,
				  struct buffer **out)
{
	struct recorder *r = recorder_of(device);
	/* Numbered here, not by the device: its numbers depend on probe buffers in between. */
	struct row_buffer alloc = {
		.id = r->last_id + 1, .name = spec->name, .dtype = spec->dtype, .rank = spec->rank,
		.shape = spec->shape, .bytes = buffer_spec_bytes(spec), .ordinal = device->ordinal,
	};
	enum status done = device_alloc(device->inner, spec, out);

	/* Numbers have no gaps, and one that was refused leaves no row. */
	if (!recorder_refused(done))
		r->last_id = alloc.id;
	if (done == STATUS_OK)
		shadow_add(r, *out, alloc.id);
	return recorder_add(r, OP(OP_ALLOC, .buffer = alloc.id, .bytes = alloc.bytes,
				  .alloc = &alloc), done);
}

static enum status recorder_free(struct device *device, struct buffer *buffer)
{
	struct recorder *r = recorder_of(device);
	struct shadow *shadow = shadow_find(r, buffer);
	uint32_t id = shadow ? shadow->id : 0;
	enum status done = device_free(device->inner, buffer);

	if (done == STATUS_OK && shadow) {
		graphs_forget_buffer(r, buffer);
		shadow_remove(r, shadow);
	}
	return recorder_add(r, OP(OP_FREE, .buffer = id), done);
}

static enum status upload(struct device *device, enum op_kind kind, struct stream *stream,
			  struct buffer *buffer, uint64_t offset, const void *source, size_t bytes)
{
	struct recorder *r = recorder_of(device);
	struct shadow *shadow = shadow_find(r, buffer);
	struct row_op op = OP(kind, .stream = stream_number(r, stream),
				.buffer = shadow_id(r, buffer), .offset = offset, .bytes = bytes,
				.data = source);
	int64_t number;
	enum status done = device_upload(device->inner, stream, buffer, offset, source, bytes);

	if (done == STATUS_OK)
		shadow_written(r, shadow, offset, bytes);
	TRY(recorder_note(r, &op, done, &number));
	if (shadow && kind == OP_UPLOAD) {
		shadow->upload_op = number;
		shadow->upload_offset = offset;
		shadow->upload_bytes = bytes;
	}
	return STATUS_OK;
}

static enum status recorder_upload(struct device *device, struct stream *stream,
				   struct buffer *buffer, uint64_t offset, const void *source,
				   size_t bytes)
{
	return upload(device, OP_UPLOAD, stream, buffer, offset, source, bytes);
}

enum status recorder_restore(struct device *device, struct buffer *buffer, uint64_t offset,
			     const void *source, size_t bytes)
{
	TRY(recorder_wait(recorder_of(device)));
	return upload(device, OP_RESTORE, NULL, buffer, offset, source, bytes);
}

static void shadow_set_pointers(struct shadow *shadow, uint64_t offset,
				const struct row_pointer *pointers, size_t count)
{
	uint64_t (*entry)[2];

	if (!shadow->pointers)
		shadow->pointers = xcalloc(shadow->buffer->bytes / sizeof(uint64_t),
					   sizeof *shadow->pointers);
	entry = shadow->pointers + offset / sizeof(uint64_t);
	for (size_t i = 0; i < count; i++) {
		entry[i][0] = pointers[i].buffer;
		entry[i][1] = pointers[i].offset;
	}
}

static enum status upload_pointers(struct device *device, enum op_kind kind, struct stream *stream,
				   struct buffer *buffer, uint64_t offset,
				   const struct pointer_entry *entries, size_t count)
{
	struct recorder *r = recorder_of(device);
	struct shadow *shadow = shadow_find(r, buffer);
	struct row_pointer *pointers = xcalloc(count, sizeof *pointers);
	enum status done = device_upload_pointers(device->inner, stream, buffer, offset, entries,
						  count);

	for (size_t i = 0; i < count; i++)
		pointers[i] = (struct row_pointer){
			.at = i * sizeof(uint64_t),
			.buffer = shadow_id(r, entries[i].buffer),
			.offset = entries[i].buffer ? entries[i].offset : 0,
		};
	if (done == STATUS_OK && shadow) {
		shadow_written(r, shadow, offset, count * sizeof(uint64_t));
		shadow_set_pointers(shadow, offset, pointers, count);
	}
	done = recorder_add(r, OP(kind, .stream = stream_number(r, stream),
				  .buffer = shadow_id(r, buffer), .offset = offset,
				  .bytes = count * sizeof(uint64_t), .pointers = pointers,
				  .pointer_count = (int)count), done);
	free(pointers);
	return done;
}

static enum status recorder_upload_pointers(struct device *device, struct stream *stream,
					    struct buffer *buffer, uint64_t offset,
					    const struct pointer_entry *entries, size_t count)
{
	return upload_pointers(device, OP_UPLOAD_POINTERS, stream, buffer, offset, entries, count);
}

enum status recorder_restore_pointers(struct device *device, struct buffer *buffer,
				      uint64_t offset, const struct pointer_entry *entries,
				      size_t count)
{
	TRY(recorder_wait(recorder_of(device)));
	return upload_pointers(device, OP_RESTORE, NULL, buffer, offset, entries, count);
}

static enum status recorder_download(struct device *device, struct stream *stream,
				     const struct buffer *buffer, uint64_t offset,
				     void *destination, size_t bytes)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_download(device->inner, stream, buffer, offset, destination,
					   bytes);
	bool keep = r->level >= LEVEL_PARTIALS && done == STATUS_OK;

	return recorder_add(r, OP(OP_DOWNLOAD, .stream = stream_number(r, stream),
				  .buffer = shadow_id(r, buffer), .offset = offset, .bytes = bytes,
				  .data = keep ? destination : NULL), done);
}

static enum status recorder_copy(struct device *device, struct stream *stream, struct buffer *to,
				 uint64_t to_offset, const struct buffer *from,
				 uint64_t from_offset, size_t bytes)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *capture = recorder_capture_of(r, stream);
	struct row_op op = OP(OP_COPY, .stream = stream_number(r, stream),
				.buffer = shadow_id(r, to), .offset = to_offset, .bytes = bytes,
				.from_buffer = shadow_id(r, from), .from_offset = from_offset);
	struct node *node;
	enum status done;

	if (capture)
		TRY(recorder_capture_move(r, capture, OP_COPY, stream, to, to_offset, bytes,
					  &node));
	done = device_copy(device->inner, stream, to, to_offset, from, from_offset, bytes);
	if (capture)
		return recorder_note_node(r, capture, op, node, done);
	if (done == STATUS_OK)
		shadow_written(r, shadow_find(r, to), to_offset, bytes);
	return recorder_add(r, op, done);
}

static enum status recorder_fill(struct device *device, struct stream *stream,
				 struct buffer *buffer, uint64_t offset, uint32_t pattern,
				 size_t words)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *capture = recorder_capture_of(r, stream);
	uint64_t bytes = words * sizeof pattern;
	struct row_op op = OP(OP_FILL, .stream = stream_number(r, stream),
				.buffer = shadow_id(r, buffer), .offset = offset, .bytes = bytes,
				.pattern = pattern);
	struct node *node;
	enum status done;

	if (capture)
		TRY(recorder_capture_move(r, capture, OP_FILL, stream, buffer, offset, bytes,
					  &node));
	done = device_fill(device->inner, stream, buffer, offset, pattern, words);
	if (capture)
		return recorder_note_node(r, capture, op, node, done);
	if (done == STATUS_OK)
		shadow_written(r, shadow_find(r, buffer), offset, bytes);
	return recorder_add(r, op, done);
}

/* The recorder's own buffers are no leaks of the caller's; they are made again when needed. */
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

static const struct recorder_ops steps = {
	.step_begin = recorder_step_begin, .step_end = recorder_step_end,
};

static const struct checker_ops checker = {
	.findings = recorder_findings, .counters = recorder_counters,
};

const struct device_ops device_recorder = {
	.name = "recorder",
	.close = recorder_close,
	.info = recorder_info,
	.alloc = recorder_alloc,
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
