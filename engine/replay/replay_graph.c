/* replay_graph.c - replays operations on streams, events, captures and graphs.
 *
 * A captured graph is captured again and one built by hand is built again, from the rows of its
 * nodes. traces/store/store_track.c has checked these rows when reading them. Copies added by the
 * recorder are left out, because a recorder adds them again. Used by replay.c.
 */
#include "engine/replay/replay_graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder.h"
#include "engine/replay/replay_launch.h"
#include "engine/replay/replay_memory.h"
#include "engine/replay/replay_state.h"

static struct event *event_of(const struct replay *r, const struct row_op *op)
{
	return table_get(&r->events, (uint64_t)op->object);
}

static struct graph_exec *exec_of(const struct replay *r, const struct row_op *op)
{
	return table_get(&r->execs, (uint64_t)op->object);
}

/* Sets an object by its number. Operations that failed when they were recorded have no number. */
static void set_object(struct table *table, const struct row_op *op, int64_t number, void *object)
{
	if (!op->code)
		table_set(table, (size_t)number, object);
}

/* --- streams and events --- */

static enum status replay_stream(struct replay *r, const struct row_op *op)
{
	struct stream *stream = stream_of(r, op);

	if (op->kind == OP_STREAM_CREATE) {
		TRY(device_stream_create(r->target, &stream));
		set_object(&r->streams, op, op->stream, stream);
		return STATUS_OK;
	}
	TRY(device_stream_destroy(r->target, stream));
	set_object(&r->streams, op, op->stream, NULL);
	return STATUS_OK;
}

static enum status replay_event(struct replay *r, const struct row_op *op)
{
	struct event *event = event_of(r, op);

	switch (op->kind) {
	case OP_EVENT_CREATE:
		TRY(device_event_create(r->target, &event));
		set_object(&r->events, op, op->object, event);
		return STATUS_OK;
	case OP_EVENT_DESTROY:
		TRY(device_event_destroy(r->target, event));
		set_object(&r->events, op, op->object, NULL);
		return STATUS_OK;
	case OP_EVENT_RECORD:
		return device_event_record(r->target, event, stream_of(r, op));
	case OP_EVENT_SYNC:
		return device_event_sync(r->target, event);
	default:
		return device_event_wait(r->target, stream_of(r, op), event);
	}
}

/* --- captures --- */

static enum status replay_capture(struct replay *r, const struct row_op *op)
{
	struct stream *stream = stream_of(r, op);
	struct graph *graph = NULL;

	if (op->kind == OP_CAPTURE_BEGIN) {
		if (op->pattern > CAPTURE_RELAXED)
			return fail(STATUS_DAMAGED, "unknown capture mode %" PRIu32, op->pattern);
		TRY(device_capture_begin(r->target, stream, (enum capture_mode)op->pattern));
		r->captures++;
		return STATUS_OK;
	}
	r->captures -= op->object >= 0 && r->captures > 0;
	TRY(device_capture_end(r->target, stream, &graph));
	set_object(&r->graphs, op, op->object, graph);
	return STATUS_OK;
}

/* --- nodes --- */

static enum status add_launch(struct replay *r, const struct row_op *op,
			      const struct launch *launch)
{
	struct graph *graph = table_get(&r->graphs, (uint64_t)op->node->graph);
	int node;

	if (!op->node->after)
		return device_launch(r->target, launch);
	return device_graph_add_launch(r->target, graph, launch, op->node->after,
				       op->node->after_count, &node);
}

static enum status add_copy(struct replay *r, const struct row_op *op)
{
	struct graph *graph = table_get(&r->graphs, (uint64_t)op->node->graph);
	int node;

	if (!op->node->after)
		return replay_copy(r, op);
	return device_graph_add_copy(r->target, graph, buffer_of(r, op->buffer), op->offset,
				     buffer_of(r, op->from_buffer), op->from_offset, op->bytes,
				     op->node->after, op->node->after_count, &node);
}

static enum status add_upload(struct replay *r, const struct row_op *op)
{
	struct graph_upload upload = {
		.graph = op->node->graph, .node = op->node->node, .bytes = op->bytes,
		.memory = replay_keep(r, NULL, op->bytes),
	};

	r->uploads = xreallocarray(r->uploads, (size_t)r->upload_count + 1, sizeof upload);
	r->uploads[r->upload_count++] = upload;
	return device_upload_async(r->target, stream_of(r, op), buffer_of(r, op->buffer),
				   op->offset, upload.memory, op->bytes);
}

static enum status replay_node(struct replay *r, const struct row_op *op)
{
	if (!op->node)
		return STATUS_OK;
	switch (op->node->work) {
	case OP_LAUNCH:
		return op->launch ? replay_build_launch(r, op, add_launch) : STATUS_OK;
	case OP_COPY:
		return add_copy(r, op);
	case OP_FILL:
		return replay_fill(r, op);
	case OP_UPLOAD_ASYNC:
		return add_upload(r, op);
	default:
		return device_download_async(r->target, stream_of(r, op),
					     buffer_of(r, op->buffer), op->offset,
					     replay_keep(r, NULL, op->bytes), op->bytes);
	}
}

/* --- graphs --- */

/* Sets the bytes that an upload of the graph reads at its next launch, after waiting for the
 * previous one. */
static enum status set_upload_bytes(struct replay *r, const struct row_op *op)
{
	for (int i = 0; i < r->upload_count; i++) {
		struct graph_upload *upload = &r->uploads[i];

		if (upload->graph != op->node->graph || upload->node != op->node->node
		    || upload->bytes != op->bytes)
			continue;
		if (!op->data || memcmp(upload->memory, op->data, op->bytes) == 0)
			return STATUS_OK;
		TRY(device_sync(r->recording ? r->target->inner : r->target, NULL));
		memcpy(upload->memory, op->data, op->bytes);
		return STATUS_OK;
	}
	return fail(STATUS_DAMAGED, "node %d of graph %d is not an upload of %" PRIu64 " bytes",
		    op->node->node, op->node->graph, op->bytes);
}

static enum status replay_graph_launch(struct replay *r, const struct row_op *op)
{
	if (r->recording && op->node && op->node->launch >= 0)
		TRY(recorder_next_launch(r->target, op->node->launch));
	return device_graph_launch(r->target, exec_of(r, op), stream_of(r, op));
}

static enum status replay_graph(struct replay *r, const struct row_op *op)
{
	struct graph *graph = table_get(&r->graphs, (uint64_t)op->object);
	struct graph_exec *exec = NULL;

	switch (op->kind) {
	case OP_GRAPH_CREATE:
		TRY(device_graph_create(r->target, &graph));
		set_object(&r->graphs, op, op->object, graph);
		return STATUS_OK;
	case OP_GRAPH_DESTROY:
		TRY(device_graph_destroy(r->target, graph));
		set_object(&r->graphs, op, op->object, NULL);
		return STATUS_OK;
	case OP_GRAPH_EXEC_DESTROY:
		TRY(device_graph_exec_destroy(r->target, exec_of(r, op)));
		set_object(&r->execs, op, op->object, NULL);
		return STATUS_OK;
	default:
		graph = op->node ? table_get(&r->graphs, (uint64_t)op->node->graph) : NULL;
		TRY(device_graph_instantiate(r->target, graph, &exec));
		set_object(&r->execs, op, op->object, exec);
		return STATUS_OK;
	}
}

enum status replay_object(struct replay *r, const struct row_op *op)
{
	switch (op->kind) {
	case OP_STREAM_CREATE:
	case OP_STREAM_DESTROY:  return replay_stream(r, op);
	case OP_EVENT_CREATE:
	case OP_EVENT_DESTROY:
	case OP_EVENT_RECORD:
	case OP_EVENT_WAIT:
	case OP_EVENT_SYNC:      return replay_event(r, op);
	case OP_CAPTURE_BEGIN:
	case OP_CAPTURE_END:     return replay_capture(r, op);
	case OP_CAPTURE_RELAX:   return device_capture_relax(r->target, op->pattern != 0);
	case OP_GRAPH_NODE:      return replay_node(r, op);
	case OP_GRAPH_UPLOAD:    return set_upload_bytes(r, op);
	case OP_GRAPH_LAUNCH:    return replay_graph_launch(r, op);
	default:                 return replay_graph(r, op);
	}
}
