/* recorder_ops.c - every operation but launches: done on the inner device, then noted.
 *
 * Each function has the same shape: do it, note it with what it returned, remember what it wrote.
 * An operation the inner device does not have is refused there. The table is last.
 */
#include "config.h"

#include "engine/recorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/recorder_internal.h"
#include "traces/xalloc.h"

#define OP(kind_, ...) \
	((struct event_op){ .kind = (kind_), .start_us = NAN, .duration_us = NAN, .object = -1, \
			    __VA_ARGS__ })

/* recorder_note() for callers that need no number. */
static enum status note(struct recorder *r, struct event_op op, enum status done)
{
	int64_t number;

	return recorder_note(r, &op, done, &number);
}

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
	struct event_buffer alloc = {
		.id = r->last_id + 1, .name = spec->name, .dtype = spec->dtype, .rank = spec->rank,
		.shape = spec->shape, .bytes = buffer_spec_bytes(spec), .ordinal = device->ordinal,
	};
	enum status done = device_alloc(device->inner, spec, out);

	/* Numbers have no gaps, and one that was refused leaves no row. */
	if (!recorder_refused(done))
		r->last_id = alloc.id;
	if (done == STATUS_OK)
		shadow_add(r, *out, alloc.id);
	return note(r, OP(OP_ALLOC, .buffer = alloc.id, .bytes = alloc.bytes, .alloc = &alloc),
		    done);
}

static enum status recorder_free(struct device *device, struct buffer *buffer)
{
	struct recorder *r = recorder_of(device);
	struct shadow *shadow = shadow_find(r, buffer);
	uint32_t id = shadow ? shadow->id : 0;
	enum status done = device_free(device->inner, buffer);

	if (done == STATUS_OK && shadow)
		shadow_remove(r, shadow);
	return note(r, OP(OP_FREE, .buffer = id), done);
}

static enum status upload(struct device *device, enum op_kind kind, struct stream *stream,
			  struct buffer *buffer, uint64_t offset, const void *source, size_t bytes)
{
	struct recorder *r = recorder_of(device);
	struct shadow *shadow = shadow_find(r, buffer);
	struct event_op op = OP(kind, .stream = stream_number(r, stream),
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
	return upload(device, OP_RESTORE, NULL, buffer, offset, source, bytes);
}

static void shadow_set_pointers(struct shadow *shadow, uint64_t offset,
				const struct event_pointer *pointers, size_t count)
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
	struct event_pointer *pointers = xcalloc(count, sizeof *pointers);
	enum status done = device_upload_pointers(device->inner, stream, buffer, offset, entries,
						  count);

	for (size_t i = 0; i < count; i++)
		pointers[i] = (struct event_pointer){
			.at = i * sizeof(uint64_t),
			.buffer = shadow_id(r, entries[i].buffer),
			.offset = entries[i].buffer ? entries[i].offset : 0,
		};
	if (done == STATUS_OK && shadow) {
		shadow_written(r, shadow, offset, count * sizeof(uint64_t));
		shadow_set_pointers(shadow, offset, pointers, count);
	}
	done = note(r, OP(kind, .stream = stream_number(r, stream),
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

	return note(r, OP(OP_DOWNLOAD, .stream = stream_number(r, stream),
			  .buffer = shadow_id(r, buffer), .offset = offset, .bytes = bytes,
			  .data = keep ? destination : NULL), done);
}

static enum status recorder_copy(struct device *device, struct stream *stream, struct buffer *to,
				 uint64_t to_offset, const struct buffer *from,
				 uint64_t from_offset, size_t bytes)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_copy(device->inner, stream, to, to_offset, from, from_offset,
				       bytes);

	if (done == STATUS_OK)
		shadow_written(r, shadow_find(r, to), to_offset, bytes);
	return note(r, OP(OP_COPY, .stream = stream_number(r, stream), .buffer = shadow_id(r, to),
			  .offset = to_offset, .bytes = bytes, .from_buffer = shadow_id(r, from),
			  .from_offset = from_offset), done);
}

static enum status recorder_fill(struct device *device, struct stream *stream,
				 struct buffer *buffer, uint64_t offset, uint32_t pattern,
				 size_t words)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_fill(device->inner, stream, buffer, offset, pattern, words);
	uint64_t bytes = words * sizeof pattern;

	if (done == STATUS_OK)
		shadow_written(r, shadow_find(r, buffer), offset, bytes);
	return note(r, OP(OP_FILL, .stream = stream_number(r, stream),
			  .buffer = shadow_id(r, buffer),
			  .offset = offset, .bytes = bytes, .pattern = pattern), done);
}

static enum status recorder_sync(struct device *device, struct stream *stream)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_sync(device->inner, stream);

	/* Stream 0 is the whole device here, as NULL is for device_sync(). */
	return note(r, OP(OP_SYNC, .stream = stream_number(r, stream)), done);
}

/* --- streams and events --- */

static struct event_op event_op(enum op_kind kind, int stream, int64_t event)
{
	return (struct event_op){
		.kind = kind, .stream = stream, .start_us = NAN, .duration_us = NAN,
		.object = event,
	};
}

static enum status recorder_stream_create(struct device *device, struct stream **out)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_stream_create(device->inner, out);

	if (done == STATUS_OK)
		numbers_add(&r->streams, *out);
	return note(r, OP(OP_STREAM_CREATE, .stream = done == STATUS_OK ? r->streams.count : 0),
		    done);
}

static enum status recorder_stream_destroy(struct device *device, struct stream *stream)
{
	struct recorder *r = recorder_of(device);
	int number = stream_number(r, stream);
	enum status done = device_stream_destroy(device->inner, stream);

	if (done == STATUS_OK)
		numbers_remove(&r->streams, stream);
	return note(r, OP(OP_STREAM_DESTROY, .stream = number), done);
}

static enum status recorder_event_create(struct device *device, struct event **out)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_event_create(device->inner, out);

	if (done == STATUS_OK)
		numbers_add(&r->events, *out);
	return note(r, event_op(OP_EVENT_CREATE, 0, done == STATUS_OK ? r->events.count : -1),
		    done);
}

static enum status recorder_event_destroy(struct device *device, struct event *event)
{
	struct recorder *r = recorder_of(device);
	int number = numbers_find(&r->events, event);
	enum status done = device_event_destroy(device->inner, event);

	if (done == STATUS_OK)
		numbers_remove(&r->events, event);
	return note(r, event_op(OP_EVENT_DESTROY, 0, number), done);
}

static enum status recorder_event_record(struct device *device, struct event *event,
					 struct stream *stream)
{
	struct recorder *r = recorder_of(device);
	struct event_op op = event_op(OP_EVENT_RECORD, stream_number(r, stream),
				      numbers_find(&r->events, event));

	return note(r, op, device_event_record(device->inner, event, stream));
}

static enum status recorder_event_wait(struct device *device, struct stream *stream,
				       struct event *event)
{
	struct recorder *r = recorder_of(device);
	struct event_op op = event_op(OP_EVENT_WAIT, stream_number(r, stream),
				      numbers_find(&r->events, event));

	return note(r, op, device_event_wait(device->inner, stream, event));
}

/* A question, not work of the device: no row. */
static enum status recorder_event_elapsed(struct device *device, struct event *from,
					  struct event *to, double *us)
{
	return device_event_elapsed(device->inner, from, to, us);
}

/* The recorder's own buffers are no leaks of the caller's; they are made again when needed. */
static size_t recorder_findings(struct device *device, const struct event_finding **out)
{
	struct recorder *r = recorder_of(device);

	if (r->probe) {
		probe_free(r->probe);
		r->probe = probe_new(device->inner);
	}
	return device_findings(device->inner, out);
}

static double recorder_last_launch_us(struct device *device)
{
	return device_last_launch_us(device->inner);
}

const struct device_ops device_recorder = {
	.name = "recorder",
	.close = recorder_close,
	.info = recorder_info,
	.alloc = recorder_alloc,
	.free = recorder_free,
	.upload = recorder_upload,
	.upload_pointers = recorder_upload_pointers,
	.download = recorder_download,
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
	.event_elapsed = recorder_event_elapsed,
	.last_launch_us = recorder_last_launch_us,
	.findings = recorder_findings,
	.step_begin = recorder_step_begin,
	.step_end = recorder_step_end,
};
