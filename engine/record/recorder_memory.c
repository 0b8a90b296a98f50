/* recorder_memory.c - records operations on memory.
 *
 * Each function runs the operation on the inner device, stores its row with the status, and keeps
 * track of the bytes written. Copies and fills in a capture become nodes. The inner device rejects
 * operations that it does not have. Used by the table of operations and replays.
 */
#include "engine/record/recorder_memory.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/record/graph_shadow.h"
#include "engine/record/recorder_capture.h"
#include "engine/record/recorder_digest.h"
#include "engine/record/recorder_kv.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_state.h"
#include "engine/record/shadow.h"

static int stream_number(const struct recorder *r, const struct stream *stream)
{
	return numbers_find(&r->streams, stream);
}

static enum status new_buffer(struct device *inner, enum op_kind kind, bool managed,
			      const struct buffer_spec *spec,
			      const struct kernel_variable *variable, struct buffer **out)
{
	if (kind == OP_VARIABLE)
		return device_alloc_variable(inner, spec, variable, out);
	return managed ? device_alloc_managed(inner, spec, out) : device_alloc(inner, spec, out);
}

static enum status record_alloc(struct device *device, enum op_kind kind, bool managed,
				const struct buffer_spec *spec,
				const struct kernel_variable *variable, struct buffer **out)
{
	struct recorder *r = recorder_of(device);
	/* Not the device's number, which depends on probe buffers. */
	struct row_buffer alloc = {
		.id = r->last_id + 1, .name = spec->name, .dtype = spec->dtype, .rank = spec->rank,
		.shape = spec->shape, .bytes = buffer_spec_bytes(spec), .ordinal = device->ordinal,
	};
	enum status done = new_buffer(device->inner, kind, managed, spec, variable, out);

	/* Numbers have no gaps; a rejected allocation has no number and no row. */
	if (!recorder_refused(done))
		r->last_id = alloc.id;
	if (done == STATUS_OK)
		shadow_add(r, *out, alloc.id);
	/* The host writes it without a call. */
	r->unlisted = r->unlisted || managed || kind == OP_VARIABLE;
	return recorder_add(r, OP(kind, .buffer = alloc.id, .bytes = alloc.bytes,
				  .alloc = &alloc), done);
}

enum status recorder_alloc(struct device *device, const struct buffer_spec *spec,
			   struct buffer **out)
{
	return record_alloc(device, OP_ALLOC, false, spec, NULL, out);
}

/* Recorded as any other: a replay needs no host to write it. */
enum status recorder_alloc_managed(struct device *device, const struct buffer_spec *spec,
				   struct buffer **out)
{
	return record_alloc(device, OP_ALLOC, true, spec, NULL, out);
}

enum status recorder_alloc_variable(struct device *device, const struct buffer_spec *spec,
				    const struct kernel_variable *variable, struct buffer **out)
{
	return record_alloc(device, OP_VARIABLE, false, spec, variable, out);
}

enum status recorder_free(struct device *device, struct buffer *buffer)
{
	struct recorder *r = recorder_of(device);
	struct shadow *shadow = buffer ? shadow_find(r, buffer) : NULL;
	uint32_t id = shadow ? shadow->id : 0;
	enum status done = device_free(device->inner, buffer);

	if (!buffer)
		return done;
	if (done == STATUS_OK && shadow) {
		graphs_forget_buffer(r, buffer);
		shadow_remove(r, shadow);
	}
	return recorder_add(r, OP(OP_FREE, .buffer = id), done);
}

enum status recorder_upload_as(struct device *device, enum op_kind kind, struct stream *stream,
			       struct buffer *buffer, uint64_t offset, const void *source,
			       size_t bytes)
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
	return kind == OP_UPLOAD ? recorder_kv_upload(r, number, buffer, offset, bytes) : STATUS_OK;
}

enum status recorder_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			    uint64_t offset, const void *source, size_t bytes)
{
	return recorder_upload_as(device, OP_UPLOAD, stream, buffer, offset, source, bytes);
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

enum status recorder_upload_pointers_as(struct device *device, enum op_kind kind,
					struct stream *stream, struct buffer *buffer,
					uint64_t offset, const struct pointer_entry *entries,
					size_t count)
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
	if (done == STATUS_OK && shadow)
		shadow_written(r, shadow, offset, count * sizeof(uint64_t));
	if (done == STATUS_OK && shadow && !recorder_is_plain(buffer))
		shadow_set_pointers(shadow, offset, pointers, count);
	done = recorder_add(r, OP(kind, .stream = stream_number(r, stream),
				  .buffer = shadow_id(r, buffer), .offset = offset,
				  .bytes = count * sizeof(uint64_t), .pointers = pointers,
				  .pointer_count = (int)count), done);
	free(pointers);
	return done;
}

enum status recorder_upload_pointers(struct device *device, struct stream *stream,
				     struct buffer *buffer, uint64_t offset,
				     const struct pointer_entry *entries, size_t count)
{
	return recorder_upload_pointers_as(device, OP_UPLOAD_POINTERS, stream, buffer, offset,
					   entries, count);
}

enum status recorder_download(struct device *device, struct stream *stream,
			      const struct buffer *buffer, uint64_t offset, void *destination,
			      size_t bytes)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_download(device->inner, stream, buffer, offset, destination,
					   bytes);
	bool keep = r->level >= LEVEL_PARTIALS && done == STATUS_OK;

	return recorder_add(r, OP(OP_DOWNLOAD, .stream = stream_number(r, stream),
				  .buffer = shadow_id(r, buffer), .offset = offset, .bytes = bytes,
				  .data = keep ? destination : NULL), done);
}

enum status recorder_copy(struct device *device, struct stream *stream, struct buffer *to,
			  uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			  size_t bytes)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *capture = recorder_capture_of(r, stream);
	struct row_op op = OP(OP_COPY, .stream = stream_number(r, stream),
				.buffer = shadow_id(r, to), .offset = to_offset, .bytes = bytes,
				.from_buffer = shadow_id(r, from), .from_offset = from_offset);
	struct node *node;
	enum status done;
	int64_t number;

	if (capture)
		TRY(recorder_capture_move(r, capture, OP_COPY, stream, to, to_offset, bytes,
					  &node));
	done = device_copy(device->inner, stream, to, to_offset, from, from_offset, bytes);
	if (capture)
		return recorder_note_node(r, capture, op, node, done);
	if (done == STATUS_OK)
		shadow_written(r, shadow_find(r, to), to_offset, bytes);
	TRY(recorder_note(r, &op, done, &number));
	return recorder_kv_copy(r, number, to, to_offset, from, from_offset, bytes);
}

enum status recorder_set_heap(struct device *device, size_t bytes, bool reset)
{
	enum status done = device_set_heap(device->inner, bytes, reset);

	return recorder_add(recorder_of(device), OP(OP_HEAP, .bytes = bytes, .pattern = reset),
			    done);
}

enum status recorder_fill(struct device *device, struct stream *stream, struct buffer *buffer,
			  uint64_t offset, uint32_t pattern, size_t words)
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
