/* recorder_capture.c - creates the nodes of graphs: captures, and graphs built by hand.
 *
 * Keeps track of which stream captures into which graph: a stream joins a capture when it waits for
 * an event that was recorded there. Each node is a row of the trace. Rows of a hand-built graph
 * list the earlier nodes that they depend on; rows of a capture are in the order of their streams.
 * When a kernel node is created, its probe is prepared and recorder_graph.c saves what it
 * overwrites. Used by the operations that can be captured, and the table of operations.
 */
#include "engine/record/recorder_capture.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/launch_copy.h"
#include "engine/record/graph_shadow.h"
#include "engine/record/probe.h"
#include "engine/record/recorder_describe.h"
#include "engine/record/recorder_graph.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recorder_wait.h"
#include "engine/record/recording.h"
#include "engine/record/shadow.h"

/* --- streams and events of captures --- */

static struct graph_shadow *members_find(const struct members *members, const void *object)
{
	for (int i = 0; i < members->count; i++)
		if (members->items[i].object == object)
			return members->items[i].graph;
	return NULL;
}

static void members_add(struct members *members, const void *object, struct graph_shadow *graph)
{
	members->items = xreallocarray(members->items, (size_t)members->count + 1,
				       sizeof *members->items);
	members->items[members->count++] = (struct member){ object, graph };
}

/* Removes all members of a graph, or, if that is NULL, those of an object. */
static void members_remove(struct members *members, const void *object,
			   const struct graph_shadow *graph)
{
	int kept = 0;

	for (int i = 0; i < members->count; i++)
		if (graph ? members->items[i].graph != graph : members->items[i].object != object)
			members->items[kept++] = members->items[i];
	members->count = kept;
}

struct graph_shadow *recorder_capture_of(const struct recorder *r, const struct stream *stream)
{
	return members_find(&r->capturing, stream);
}

void recorder_event_moved(struct recorder *r, const struct event *event,
			  struct graph_shadow *capture)
{
	members_remove(&r->captured, event, NULL);
	if (capture)
		members_add(&r->captured, event, capture);
}

void recorder_stream_joins(struct recorder *r, const struct stream *stream,
			   const struct event *event)
{
	struct graph_shadow *capture = members_find(&r->captured, event);

	if (capture && !recorder_capture_of(r, stream))
		members_add(&r->capturing, stream, capture);
}

void recorder_stream_leaves(struct recorder *r, const struct stream *stream)
{
	members_remove(&r->capturing, stream, NULL);
}

/* --- captures --- */

enum status recorder_capture_begin(struct device *device, struct stream *stream,
				   enum capture_mode mode)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_capture_begin(device->inner, stream, mode);
	struct graph_shadow *g = NULL;

	if (done == STATUS_OK) {
		g = graph_shadow_add(r, NULL);
		members_add(&r->capturing, stream, g);
	}
	return recorder_add(r, OP_ON(OP_CAPTURE_BEGIN, g ? g->number : -1,
				     .stream = numbers_find(&r->streams, stream),
				     .pattern = (uint32_t)mode), done);
}

/* Whether the stream is no longer in capture although ending the capture failed. */
static bool is_over(struct device *inner, struct stream *stream)
{
	enum capture_state state = CAPTURE_NONE;
	struct error_record error;

	error_save(&error);
	device_capture_state(inner, stream, &state);
	error_restore(&error);
	return state == CAPTURE_NONE;
}

enum status recorder_capture_end(struct device *device, struct stream *stream, struct graph **out)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *g = recorder_capture_of(r, stream);
	enum status done = device_capture_end(device->inner, stream, out);
	bool over = g && (done == STATUS_OK || is_over(device->inner, stream));
	int number = over ? g->number : -1;

	if (over) {
		members_remove(&r->capturing, NULL, g);
		members_remove(&r->captured, NULL, g);
	}
	if (over && done == STATUS_OK)
		g->graph = *out;
	else if (over)
		graph_shadow_drop(r, g);
	return recorder_add(r, OP_ON(OP_CAPTURE_END, number,
				     .stream = numbers_find(&r->streams, stream)), done);
}

/* Only a query: has no row. */
enum status recorder_capture_state(struct device *device, struct stream *stream,
				   enum capture_state *out)
{
	return device_capture_state(device->inner, stream, out);
}

enum status recorder_capture_relax(struct device *device, bool relaxed)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_capture_relax(device->inner, relaxed);

	if (done == STATUS_OK)
		r->relaxed = relaxed;
	return recorder_add(r, OP(OP_CAPTURE_RELAX, .pattern = relaxed), done);
}

/* --- nodes --- */

enum status recorder_note_node(struct recorder *r, struct graph_shadow *g, struct row_op op,
			       struct node *node, enum status done)
{
	static const int none;
	const struct row_node event = {
		.graph = g->number, .node = node->number, .work = node->work, .launch = -1,
		.after = node->after && !node->after_count ? &none : node->after,
		.after_count = node->after_count,
	};
	int64_t number;

	op.kind = OP_GRAPH_NODE;
	op.node = &event;
	if (done == STATUS_OK)
		node_keep(r, node);
	done = node->work == OP_LAUNCH
		? recorder_note_launch(r, &node->ticket.launch, -1, &op, done, &number)
		: recorder_add(r, op, done);
	if (node->number >= g->count || g->nodes[node->number] != node)
		node_free(node);
	return done;
}

/* An invalidated capture takes no nodes: operations on it only fail. */
static bool takes_nodes(struct recorder *r, struct stream *stream)
{
	enum capture_state state;

	return device_capture_state(r->device.inner, stream, &state) == STATUS_OK
	       && state == CAPTURE_ACTIVE;
}

static void copy_launch(struct recorder *r, struct node *node, const struct launch *launch)
{
	node->ticket.launch = launch_copy(launch);
	node->ticket.launch.ticket = &node->ticket;
	node->ticket.recorder = r;
}

/* Prepares the node's probe, if points are recorded. */
static enum status prepare_launch(struct recorder *r, struct node *node,
				  const struct launch *launch)
{
	struct recording rec;
	enum status status;
	bool active;

	if (!r->probe)
		return STATUS_OK;
	node_recording(r, node, &rec);
	TRY(probe_check(launch->kernel, &rec.call, &active));
	if (!active)
		return STATUS_OK;
	node->probe = probe_new(r->device.inner);
	node->ticket.launch.probed = true;
	TRY(recorder_own_begin(r));
	status = probe_prepare(node->probe, launch->kernel, &rec.call, &active);
	recorder_own_end(r);
	return status;
}

enum status recorder_capture_launch(struct recorder *r, struct graph_shadow *g,
				    const struct launch *launch)
{
	struct node *node = node_new(g, OP_LAUNCH);
	enum status status = recorder_store_kernel(r, launch->kernel);
	int *copies, copy_count;

	copy_launch(r, node, launch);
	if (status == STATUS_OK && takes_nodes(r, launch->stream)) {
		status = prepare_launch(r, node, launch);
		if (status == STATUS_OK)
			status = graph_save(r, node, launch->stream, false, &copies, &copy_count);
	}
	if (status != STATUS_OK) {
		node_free(node);
		return status;
	}
	return recorder_note_node(r, g, OP(OP_GRAPH_NODE,
					   .stream = numbers_find(&r->streams, launch->stream)),
				  node, device_launch(r->device.inner, &node->ticket.launch));
}

enum status recorder_capture_move(struct recorder *r, struct graph_shadow *g, enum op_kind work,
				  struct stream *stream, const struct buffer *buffer,
				  uint64_t offset, uint64_t bytes, struct node **out)
{
	struct shadow *shadow = shadow_find(r, buffer);
	struct node *node = node_new(g, work);
	int *copies, copy_count;
	enum status status = STATUS_OK;

	node->buffer = shadow ? shadow->buffer : NULL;
	node->offset = offset;
	node->bytes = bytes;
	if (takes_nodes(r, stream))
		status = graph_save(r, node, stream, false, &copies, &copy_count);
	if (status != STATUS_OK)
		node_free(node);
	*out = status == STATUS_OK ? node : NULL;
	return status;
}

/* --- graphs built by hand --- */

enum status recorder_graph_create(struct device *device, struct graph **out)
{
	struct recorder *r = recorder_of(device);
	enum status done = device_graph_create(device->inner, out);
	struct graph_shadow *g = done == STATUS_OK ? graph_shadow_add(r, *out) : NULL;

	return recorder_add(r, OP_ON(OP_GRAPH_CREATE, g ? g->number : -1), done);
}

static enum status set_after(struct node *node, const int *after, int count, const char *what)
{
	node->after = xcalloc((size_t)count + 1, sizeof *node->after);
	for (int i = 0; i < count; i++) {
		if (after[i] < 0 || after[i] >= node->graph->count)
			return fail(STATUS_USAGE, "%s: unknown node %d of a graph of %d", what,
				    after[i], node->graph->count);
		node->after[node->after_count++] = after[i];
	}
	return STATUS_OK;
}

/* Sets *after to the device's numbers of the nodes that the node depends on, including the
 * recorder's copies. The caller frees it. */
static enum status device_after(struct recorder *r, struct node *node, int **after, int *count)
{
	int *copies, copy_count;
	enum status status = graph_save(r, node, NULL, true, &copies, &copy_count);

	*after = xcalloc((size_t)(node->after_count + copy_count) + 1, sizeof **after);
	*count = 0;
	for (int i = 0; i < node->after_count; i++)
		(*after)[(*count)++] = node->graph->nodes[node->after[i]]->device_node;
	for (int i = 0; i < copy_count; i++)
		(*after)[(*count)++] = copies[i];
	free(copies);
	return status;
}

static enum status discard(struct node *node, int *before, enum status status)
{
	free(before);
	node_free(node);
	return status;
}

enum status recorder_graph_add_launch(struct device *device, struct graph *graph,
				      const struct launch *launch, const int *after,
				      int after_count, int *out)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *g = graph_shadow_find(r, graph);
	struct node *node = node_new(g, OP_LAUNCH);
	enum status done = set_after(node, after, after_count, "graph_add_launch");
	int *before = NULL, count = 0, number = node->number;

	copy_launch(r, node, launch);
	if (done == STATUS_OK)
		done = recorder_store_kernel(r, launch->kernel);
	if (done == STATUS_OK)
		done = prepare_launch(r, node, launch);
	if (done == STATUS_OK)
		done = device_after(r, node, &before, &count);
	if (done != STATUS_OK)
		return discard(node, before, done);
	done = device_graph_add_launch(device->inner, graph, &node->ticket.launch, before, count,
				       &node->device_node);
	free(before);
	TRY(recorder_note_node(r, g, OP(OP_GRAPH_NODE), node, done));
	*out = number;
	return STATUS_OK;
}

enum status recorder_graph_add_copy(struct device *device, struct graph *graph, struct buffer *to,
				    uint64_t to_offset, const struct buffer *from,
				    uint64_t from_offset, size_t bytes, const int *after,
				    int after_count, int *out)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *g = graph_shadow_find(r, graph);
	struct node *node = node_new(g, OP_COPY);
	enum status done = set_after(node, after, after_count, "graph_add_copy");
	int *before = NULL, count = 0, number = node->number;

	node->buffer = to;
	node->offset = to_offset;
	node->bytes = bytes;
	if (done == STATUS_OK)
		done = device_after(r, node, &before, &count);
	if (done != STATUS_OK)
		return discard(node, before, done);
	done = device_graph_add_copy(device->inner, graph, to, to_offset, from, from_offset, bytes,
				     before, count, &node->device_node);
	free(before);
	TRY(recorder_note_node(r, g, OP(OP_GRAPH_NODE, .buffer = shadow_id(r, to),
					.offset = to_offset, .bytes = bytes,
					.from_buffer = shadow_id(r, from),
					.from_offset = from_offset), node, done));
	*out = number;
	return STATUS_OK;
}
