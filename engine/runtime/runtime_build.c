/* runtime_build.c - makes a device's executable graph of nodes, by a capture of its own.
 *
 * Each branch of the graph is a stream of the capture, and each edge an event. Used for graphs that
 * a program made of nodes or changed.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* A lane is a stream of the capture; each node has one, and an event after it. */
struct build {
	struct runtime_device *device;
	struct CUgraphNode_st **order;
	size_t count;
	size_t *lane;                   /* of each node, by its place in the order */
	struct stream **streams;
	size_t lanes;
	struct event **events, *begin;
};

/* Where the node stands in the order, which runtime_graph_sort() left in its mark. */
static size_t place(const struct CUgraphNode_st *node)
{
	return node->mark - 1;
}

/* A node continues the lane of one that it waits for, if that is the lane's last. */
static void choose_lanes(struct build *b)
{
	size_t *last = xcalloc(b->count + 1, sizeof *last);

	for (size_t i = 0; i < b->count; i++) {
		const struct CUgraphNode_st *node = b->order[i];

		b->lane[i] = SIZE_MAX;
		for (size_t a = 0; a < node->after_count && b->lane[i] == SIZE_MAX; a++)
			if (last[b->lane[place(node->after[a])]] == place(node->after[a]))
				b->lane[i] = b->lane[place(node->after[a])];
		if (b->lane[i] == SIZE_MAX)
			b->lane[i] = b->lanes++;
		last[b->lane[i]] = i;
	}
	free(last);
}

static enum status make_objects(struct build *b)
{
	struct device *device = b->device->device;

	b->streams = xcalloc(b->lanes + 1, sizeof *b->streams);
	b->events = xcalloc(b->count + 1, sizeof *b->events);
	for (size_t i = 0; i <= b->lanes; i++)
		TRY(device_stream_create(device, &b->streams[i]));
	for (size_t i = 0; i < b->count; i++)
		TRY(device_event_create(device, &b->events[i]));
	return device_event_create(device, &b->begin);
}

static void free_objects(struct build *b)
{
	struct device *device = b->device->device;
	struct error_record record;

	error_save(&record);
	for (size_t i = 0; b->streams && i <= b->lanes && b->streams[i]; i++)
		device_stream_destroy(device, b->streams[i]);
	for (size_t i = 0; b->events && i < b->count && b->events[i]; i++)
		device_event_destroy(device, b->events[i]);
	if (b->begin)
		device_event_destroy(device, b->begin);
	error_restore(&record);
	free(b->streams);
	free(b->events);
	free(b->lane);
	free(b->order);
}

static cudaError_t capture_node(struct build *b, size_t i)
{
	struct runtime_device *d = b->device;
	const struct CUgraphNode_st *node = b->order[i];
	struct stream *stream = b->streams[b->lane[i]];

	if (node->after_count == 0)
		TRY_DEVICE(d, device_event_wait(d->device, stream, b->begin));
	for (size_t a = 0; a < node->after_count; a++)
		TRY_DEVICE(d, device_event_wait(d->device, stream,
						b->events[place(node->after[a])]));
	TRY_CUDA(work_run(d, stream, &node->work, true));
	TRY_DEVICE(d, device_event_record(d->device, b->events[i], stream));
	return cudaSuccess;
}

/* The last stream is the origin, which waits for all. */
static cudaError_t capture_nodes(struct build *b)
{
	struct runtime_device *d = b->device;

	TRY_DEVICE(d, device_event_record(d->device, b->begin, b->streams[b->lanes]));
	for (size_t i = 0; i < b->count; i++)
		TRY_CUDA(capture_node(b, i));
	for (size_t i = 0; i < b->count; i++)
		TRY_DEVICE(d, device_event_wait(d->device, b->streams[b->lanes], b->events[i]));
	return cudaSuccess;
}

static cudaError_t capture_all(struct build *b, struct graph **out)
{
	struct runtime_device *d = b->device;
	struct stream *origin;
	cudaError_t error;
	enum status status;

	TRY_DEVICE(d, make_objects(b));
	origin = b->streams[b->lanes];
	TRY_DEVICE(d, device_capture_begin(d->device, origin, CAPTURE_RELAXED));
	error = capture_nodes(b);
	status = device_capture_end(d->device, origin, out);
	if (error == cudaSuccess)
		return runtime_error(d, status);
	if (status == STATUS_OK)
		device_graph_destroy(d->device, *out);
	return error;
}

cudaError_t runtime_graph_instantiate(struct runtime_device *d, struct graph *graph,
				      struct graph_exec **out)
{
	TRY_DEVICE(d, device_graph_instantiate(d->device, graph, out));
	return cudaSuccess;
}

cudaError_t runtime_graph_build(const struct CUgraph_st *from, struct graph_exec **out)
{
	struct build b = {
		.device = from->device, .order = runtime_graph_sort(from), .count = from->count,
		.lane = xcalloc(from->count + 1, sizeof *b.lane),
	};
	struct graph *graph = NULL;
	cudaError_t error;

	choose_lanes(&b);
	error = capture_all(&b, &graph);
	if (error == cudaSuccess) {
		error = runtime_graph_instantiate(from->device, graph, out);
		device_graph_destroy(from->device->device, graph);
	}
	free_objects(&b);
	return error;
}
