/* runtime_capture.c - captures: the device captures, the runtime keeps the nodes.
 *
 * The device decides what a capture forbids and with which error. The runtime follows which streams
 * take part and what their next node waits for, so that programs can see the nodes and change them.
 * Work that no device can do (host functions) is only in the runtime's list.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>

#include "base/xalloc.h"

static struct capture *captures;
static uint64_t captures_begun;

bool runtime_capture_active(const struct runtime_device *d)
{
	for (const struct capture *c = captures; c; c = c->next)
		if (c->device == d)
			return true;
	return false;
}

/* A call that every capture forbids on its own stream. */
void runtime_capture_invalidate(const struct capture *c)
{
	struct error_record record;

	error_save(&record);
	device_sync(c->device->device, c->origin->stream);
	error_restore(&record);
}

cudaError_t runtime_capture_check_legacy(struct runtime_device *d)
{
	bool found = false;

	for (struct CUstream_st *s = d->streams; s; s = s->next)
		if (s->capture && !(s->flags & cudaStreamNonBlocking)) {
			runtime_capture_invalidate(s->capture);
			found = true;
		}
	return found ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

static struct capture *capture_numbered(uint64_t number)
{
	struct capture *c = captures;

	while (c && c->number != number)
		c = c->next;
	return c;
}

cudaError_t runtime_capture_check_wait(const struct CUstream_st *s, const struct CUevent_st *e)
{
	struct capture *c = capture_numbered(e->capture);

	if (s != &s->device->legacy || !c)
		return cudaSuccess;
	runtime_capture_invalidate(c);
	return cudaErrorStreamCaptureImplicit;
}

struct CUgraph_st *runtime_capture_graph(const struct CUgraph_st *handle)
{
	for (const struct capture *c = captures; c; c = c->next)
		if (c->graph == handle)
			return c->graph;
	return NULL;
}

struct CUgraphNode_st *runtime_capture_node(cudaGraphNode_t handle)
{
	struct CUgraphNode_st *node = NULL;

	for (const struct capture *c = captures; c && !node; c = c->next)
		node = runtime_graph_node_in(c->graph, handle);
	return node;
}

/* --- nodes --- */

static void set_ends(struct CUgraphNode_st ***ends, size_t *count,
		     struct CUgraphNode_st *const *from, size_t from_count)
{
	*ends = xreallocarray(*ends, from_count + 1, sizeof **ends);
	for (size_t i = 0; i < from_count; i++)
		(*ends)[i] = from[i];
	*count = from_count;
}

static cudaError_t check_valid(const struct CUstream_st *s)
{
	struct runtime_device *d = s->device;
	enum capture_state state;

	TRY_DEVICE(d, device_capture_state(d->device, s->stream, &state));
	return state == CAPTURE_INVALIDATED ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

cudaError_t runtime_capture_add(struct CUstream_st *s, const struct work *work)
{
	struct CUgraphNode_st *node;

	if (work_is_hosted(work)) {
		TRY_CUDA(check_valid(s));
		s->capture->hosted = true;
	}
	node = runtime_graph_add(s->capture->graph, work, s->ends, s->end_count);
	set_ends(&s->ends, &s->end_count, &node, 1);
	return cudaSuccess;
}

void runtime_capture_record(const struct CUstream_st *s, struct CUevent_st *e)
{
	e->capture = s->capture ? s->capture->number : 0;
	if (s->capture)
		set_ends(&e->ends, &e->end_count, s->ends, s->end_count);
}

static void add_end(struct CUstream_st *s, struct CUgraphNode_st *node)
{
	for (size_t i = 0; i < s->end_count; i++)
		if (s->ends[i] == node)
			return;
	s->ends = xreallocarray(s->ends, s->end_count + 1, sizeof *s->ends);
	s->ends[s->end_count++] = node;
}

void runtime_capture_join(struct CUstream_st *s, const struct CUevent_st *e)
{
	struct capture *c = capture_numbered(e->capture);

	if (!c)
		return;
	s->capture = c;
	for (size_t i = 0; i < e->end_count; i++)
		add_end(s, e->ends[i]);
}

/* --- beginning and ending --- */

static void stream_leave(struct CUstream_st *s)
{
	free(s->ends);
	s->ends = NULL;
	s->end_count = 0;
	s->capture = NULL;
}

/* Forgets a capture that its device has ended; the caller gets the graph, or the program has it. */
static struct CUgraph_st *finish(struct capture *c)
{
	struct capture **link = &captures;
	struct CUgraph_st *graph = c->graph;

	for (struct CUstream_st *s = c->device->streams; s; s = s->next)
		if (s->capture == c)
			stream_leave(s);
	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	free(c);
	return graph;
}

static void drop(struct capture *c)
{
	bool into = c->into;
	struct CUgraph_st *graph = finish(c);

	if (!into)
		runtime_graph_free(graph);
}

/* Destroying the origin ends the capture. */
void runtime_capture_leave(struct CUstream_st *s)
{
	if (s->capture && s->capture->origin == s)
		drop(s->capture);
	else if (s->capture)
		stream_leave(s);
}

void runtime_captures_close(void)
{
	while (captures)
		drop(captures);
}

/* graph: the program's, which gets the nodes; NULL: a new one. */
static cudaError_t begin(cudaStream_t handle, struct CUgraph_st *graph,
			 enum cudaStreamCaptureMode mode)
{
	struct CUstream_st *s;
	struct capture *c;

	TRY_CUDA(runtime_stream(handle, &s));
	if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	if (s == &s->device->legacy)
		return cudaErrorStreamCaptureUnsupported;
	TRY_DEVICE(s->device, device_capture_begin(s->device->device, s->stream,
						   (enum capture_mode)mode));
	c = xcalloc(1, sizeof *c);
	c->number = ++captures_begun;
	c->device = s->device;
	c->origin = s;
	c->graph = graph ? graph : runtime_graph_new(s->device);
	c->into = graph != NULL;
	c->graph->edited = false;
	c->next = captures;
	captures = c;
	s->capture = c;
	return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	return API(begin(stream, NULL, mode));
}

static cudaError_t check_nodes(const struct CUgraph_st *graph, const cudaGraphNode_t *nodes,
			       size_t count)
{
	if (count > 0 && !nodes)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++) {
		struct CUgraphNode_st *node;

		TRY_CUDA(runtime_graph_node_of(nodes[i], &node));
		if (node->graph != graph)
			return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

static cudaError_t begin_into(cudaStream_t handle, cudaGraph_t graph_handle,
			      const cudaGraphNode_t *nodes, size_t count,
			      enum cudaStreamCaptureMode mode)
{
	struct CUgraph_st *graph;
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	TRY_CUDA(runtime_graph_of(graph_handle, &graph));
	if (graph->device != s->device || runtime_capture_graph(graph))
		return cudaErrorInvalidValue;
	TRY_CUDA(check_nodes(graph, nodes, count));
	TRY_CUDA(begin(handle, graph, mode));
	runtime_graph_changed(graph);           /* the device's capture has none of its nodes */
	set_ends(&s->ends, &s->end_count, nodes, count);
	return cudaSuccess;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
					  const cudaGraphNode_t *dependencies,
					  const cudaGraphEdgeData *edges, size_t count,
					  enum cudaStreamCaptureMode mode)
{
	(void)edges;
	return API(begin_into(stream, graph, dependencies, count, mode));
}

static cudaError_t update_ends(cudaStream_t handle, cudaGraphNode_t *nodes, size_t count,
			       unsigned flags)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (flags > cudaStreamSetCaptureDependencies)
		return cudaErrorInvalidValue;
	if (!s->capture)
		return cudaErrorIllegalState;
	TRY_CUDA(check_valid(s));
	TRY_CUDA(check_nodes(s->capture->graph, nodes, count));
	runtime_graph_changed(s->capture->graph);
	if (flags == cudaStreamSetCaptureDependencies) {
		set_ends(&s->ends, &s->end_count, nodes, count);
		return cudaSuccess;
	}
	for (size_t i = 0; i < count; i++)
		add_end(s, nodes[i]);
	return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
						const cudaGraphEdgeData *edges, size_t count,
						unsigned flags)
{
	(void)edges;
	return API(update_ends(stream, dependencies, count, flags));
}

/* After an error the device may have ended the capture or not. */
static void end_failed(struct capture *c)
{
	struct error_record record;
	enum capture_state state;

	error_save(&record);
	if (device_capture_state(c->device->device, c->origin->stream, &state) != STATUS_OK
	    || state == CAPTURE_NONE)
		drop(c);
	error_restore(&record);
}

static cudaError_t end(cudaStream_t handle, cudaGraph_t *out)
{
	struct CUgraph_st *graph;
	struct CUstream_st *s;
	struct graph *captured;
	bool hosted, into;
	enum status status;

	TRY_CUDA(runtime_stream(handle, &s));
	into = s->capture && s->capture->into;
	if (!out && !into)
		return cudaErrorInvalidValue;
	if (out)
		*out = NULL;
	if (s == &s->device->legacy)
		return cudaErrorIllegalState;
	status = device_capture_end(s->device->device, s->stream, &captured);
	if (status != STATUS_OK) {
		cudaError_t error = runtime_error(s->device, status);

		if (s->capture)
			end_failed(s->capture);
		return error;
	}
	hosted = s->capture->hosted || s->capture->graph->edited;
	graph = finish(s->capture);
	graph->captured = captured;
	if (hosted)
		runtime_graph_changed(graph);
	if (!into)
		runtime_graph_publish(graph);
	if (out)
		*out = graph;
	return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
	return API(end(stream, pGraph));
}

/* --- queries --- */

static cudaError_t status_of(struct CUstream_st *s, enum cudaStreamCaptureStatus *out)
{
	enum capture_state state = CAPTURE_NONE;

	if (s == &s->device->legacy)
		TRY_CUDA(runtime_capture_check_legacy(s->device));
	else
		TRY_DEVICE(s->device, device_capture_state(s->device->device, s->stream, &state));
	*out = state == CAPTURE_NONE ? cudaStreamCaptureStatusNone
		: state == CAPTURE_ACTIVE ? cudaStreamCaptureStatusActive
		: cudaStreamCaptureStatusInvalidated;
	return cudaSuccess;
}

static cudaError_t is_capturing(cudaStream_t handle, enum cudaStreamCaptureStatus *out)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (!out)
		return cudaErrorInvalidValue;
	return status_of(s, out);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pStatus)
{
	return API(is_capturing(stream, pStatus));
}

struct info {
	enum cudaStreamCaptureStatus *status;
	unsigned long long *id;
	cudaGraph_t *graph;
	const cudaGraphNode_t **ends;
	const cudaGraphEdgeData **edges;
	size_t *count;
};

static cudaError_t get_info(cudaStream_t handle, struct info out)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (!out.status)
		return cudaErrorInvalidValue;
	TRY_CUDA(status_of(s, out.status));
	if (!s->capture)
		return cudaSuccess;
	if (out.id)
		*out.id = s->capture->number;
	if (out.graph)
		*out.graph = s->capture->graph;
	if (out.ends)
		*out.ends = s->ends;
	if (out.edges)
		*out.edges = NULL;
	if (out.count)
		*out.count = s->end_count;
	return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
				     unsigned long long *id, cudaGraph_t *graph,
				     const cudaGraphNode_t **dependencies,
				     const cudaGraphEdgeData **edges, size_t *count)
{
	struct info info = { status, id, graph, dependencies, edges, count };

	return API(get_info(stream, info));
}

static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

bool runtime_capture_relaxed(void)
{
	return thread_mode == cudaStreamCaptureModeRelaxed;
}

/* The device knows two modes of a thread: what captures forbid applies, or does not. */
static cudaError_t exchange(enum cudaStreamCaptureMode *mode)
{
	enum cudaStreamCaptureMode old = thread_mode;

	if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	for (int i = 0; i < runtime.device_count; i++)
		TRY_DEVICE(&runtime.devices[i],
			   device_capture_relax(runtime.devices[i].device,
						*mode == cudaStreamCaptureModeRelaxed));
	thread_mode = *mode;
	*mode = old;
	return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	return API(exchange(mode));
}
