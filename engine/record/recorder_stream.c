/* recorder_stream.c - records operations on streams and events, asynchronous uploads and downloads.
 *
 * Work on a stream in capture becomes nodes (recorder_capture.c); events carry a capture from
 * stream to stream. Outside of a capture, an asynchronous upload uses a copy of the bytes made at
 * the call, so that trace and device agree even if the caller changes the bytes too early. A
 * captured upload reads the caller's memory, whose bytes are recorded at each launch of the graph.
 * Used by the table of operations.
 */
#include "engine/record/recorder_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/graph_shadow.h"
#include "engine/record/recorder_capture.h"
#include "engine/record/recorder_kv.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recorder_wait.h"
#include "engine/record/shadow.h"

static int stream_number(const struct recorder *r, const struct stream *stream)
{
	return numbers_find(&r->streams, stream);
}

/* --- bytes --- */

/* Returns a copy that is kept until all work has ended. */
static void *stage(struct recorder *r, const void *source, size_t bytes)
{
	void *copy = xmalloc(bytes);

	memcpy(copy, source, bytes);
	r->staged = xreallocarray(r->staged, r->staged_count + 1, sizeof *r->staged);
	r->staged[r->staged_count++] = copy;
	return copy;
}

static enum status capture_upload(struct recorder *r, struct graph_shadow *capture,
				  struct stream *stream, struct buffer *buffer, uint64_t offset,
				  const void *source, size_t bytes)
{
	struct node *node;
	enum status done;

	TRY(recorder_capture_move(r, capture, OP_UPLOAD_ASYNC, stream, buffer, offset, bytes,
				  &node));
	node->source = source;
	done = device_upload_async(r->device.inner, stream, buffer, offset, source, bytes);
	return recorder_note_node(r, capture, OP(OP_UPLOAD_ASYNC,
						 .stream = stream_number(r, stream),
						 .buffer = shadow_id(r, buffer),
						 .offset = offset, .bytes = bytes), node, done);
}

enum status recorder_upload_async(struct device *device, struct stream *stream,
				  struct buffer *buffer, uint64_t offset, const void *source,
				  size_t bytes)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *capture = recorder_capture_of(r, stream);
	enum status done;
	int64_t number;

	if (capture)
		return capture_upload(r, capture, stream, buffer, offset, source, bytes);
	source = stage(r, source, bytes);
	done = device_upload_async(device->inner, stream, buffer, offset, source, bytes);
	if (done == STATUS_OK)
		shadow_written(r, shadow_find(r, buffer), offset, bytes);
	TRY(recorder_note(r, &OP(OP_UPLOAD_ASYNC, .stream = stream_number(r, stream),
				 .buffer = shadow_id(r, buffer), .offset = offset, .bytes = bytes,
				 .data = source), done, &number));
	return recorder_kv_upload(r, number, buffer, offset, bytes);
}

/* The bytes arrive at an unknown time: the trace does not have them at any level. */
enum status recorder_download_async(struct device *device, struct stream *stream,
				    const struct buffer *buffer, uint64_t offset,
				    void *destination, size_t bytes)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *capture = recorder_capture_of(r, stream);
	struct row_op op = OP(OP_DOWNLOAD_ASYNC, .stream = stream_number(r, stream),
				.buffer = shadow_id(r, buffer), .offset = offset, .bytes = bytes);
	struct node *node;
	enum status done;

	if (capture)
		TRY(recorder_capture_move(r, capture, OP_DOWNLOAD_ASYNC, stream, buffer, offset,
					  bytes, &node));
	done = device_download_async(device->inner, stream, buffer, offset, destination, bytes);
	return capture ? recorder_note_node(r, capture, op, node, done) : recorder_add(r, op, done);
}

/* --- streams --- */

/* Stream 0 means the whole device here, like NULL in device_sync(). */
enum status recorder_sync(struct device *device, struct stream *stream)
{
	struct recorder *r = recorder_of(device);
	enum status done = stream ? device_sync(device->inner, stream) : recorder_wait(r);

	return recorder_add(r, OP(OP_SYNC, .stream = stream_number(r, stream)), done);
}

enum status recorder_stream_create(struct device *device, struct stream **out)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_stream_create(device->inner, out);

	if (done == STATUS_OK)
		numbers_add(&r->streams, *out);
	return recorder_add(r, OP(OP_STREAM_CREATE,
				  .stream = done == STATUS_OK ? r->streams.count : 0), done);
}

enum status recorder_stream_destroy(struct device *device, struct stream *stream)
{
	struct recorder *r = recorder_of(device);
	int number = stream_number(r, stream);
	enum status done = device_stream_destroy(device->inner, stream);

	if (done == STATUS_OK) {
		recorder_stream_leaves(r, stream);
		numbers_remove(&r->streams, stream);
	}
	return recorder_add(r, OP(OP_STREAM_DESTROY, .stream = number), done);
}

/* --- events --- */

enum status recorder_event_create(struct device *device, struct event **out)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_event_create(device->inner, out);

	if (done == STATUS_OK)
		numbers_add(&r->events, *out);
	return recorder_add(r, OP_ON(OP_EVENT_CREATE,
				     done == STATUS_OK ? r->events.count : -1), done);
}

enum status recorder_event_destroy(struct device *device, struct event *event)
{
	struct recorder *r = recorder_of(device);
	int number = numbers_find(&r->events, event);
	enum status done = device_event_destroy(device->inner, event);

	if (done == STATUS_OK) {
		recorder_event_moved(r, event, NULL);
		numbers_remove(&r->events, event);
	}
	return recorder_add(r, OP_ON(OP_EVENT_DESTROY, number), done);
}

/* Stores the row of an operation on an event. In a capture, the row has the graph. */
static enum status note_event(struct recorder *r, enum op_kind kind, struct stream *stream,
			      const struct event *event, enum status done)
{
	const struct graph_shadow *capture = recorder_capture_of(r, stream);
	struct row_node node = { .node = -1, .launch = -1 };
	struct row_op op = OP_ON(kind, numbers_find(&r->events, event),
				   .stream = stream_number(r, stream));

	if (capture) {
		node.graph = capture->number;
		op.node = &node;
	}
	return recorder_add(r, op, done);
}

enum status recorder_event_record(struct device *device, struct event *event,
				  struct stream *stream)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_event_record(device->inner, event, stream);

	if (done == STATUS_OK)
		recorder_event_moved(r, event, recorder_capture_of(r, stream));
	return note_event(r, OP_EVENT_RECORD, stream, event, done);
}

enum status recorder_event_wait(struct device *device, struct stream *stream,
				struct event *event)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_event_wait(device->inner, stream, event);

	if (done == STATUS_OK)
		recorder_stream_joins(r, stream, event);
	return note_event(r, OP_EVENT_WAIT, stream, event, done);
}

enum status recorder_event_sync(struct device *device, struct event *event)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_event_sync(device->inner, event);

	return recorder_add(r, OP_ON(OP_EVENT_SYNC, numbers_find(&r->events, event)), done);
}

/* Only a query: has no row. */
enum status recorder_event_elapsed(struct device *device, struct event *from, struct event *to,
				   double *us)
{
	return device_event_elapsed(device->inner, from, to, us);
}
