/* cuda_stream.c - streams, events, capture and graphs on the GPU: the driver's own, by other names.
 *
 * Everything made here is owned by its device and released by device_close() at the latest. What
 * CUDA forbids during a capture it forbids here too, with its own codes (900 to 908); the one thing
 * added is that kernels are loaded before a capture begins, because loading is among the forbidden.
 */
#include "config.h"

#include "engine/device_cuda.h"

#include <stdlib.h>

#include "traces/xalloc.h"

struct event {
	struct owned owned;
	CUevent handle;
};

struct graph {
	struct owned owned;
	CUgraph handle;
	CUgraphNode *nodes;             /* [count] added by hand, by node number */
	int count;
};

struct graph_exec {
	struct owned owned;
	CUgraphExec handle;
};

static enum status destroy(struct cuda_device *d, struct owned *object, const char *what)
{
	TRY(cuda_enter(d));
	return cuda_check(d, cuda_disown(d, object), "destroying %s", what);
}

/* --- streams --- */

static CUresult stream_release(const struct cuda_driver *cu, struct owned *owned)
{
	return cu->StreamDestroy(((struct stream *)owned)->handle);
}

enum status cuda_stream(struct cuda_device *d, struct stream *stream, CUstream *out)
{
	*out = stream ? stream->handle : d->default_stream.handle;
	if (stream && stream->device != d)
		return fail(STATUS_USAGE, "a stream of cuda:%d was used on cuda:%d",
			    stream->device->base.ordinal, d->base.ordinal);
	return STATUS_OK;
}

enum status cuda_stream_create(struct device *device, struct stream **out)
{
	struct cuda_device *d = cuda_device(device);
	struct stream *stream;
	CUstream handle;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->StreamCreate(&handle, CU_STREAM_NON_BLOCKING),
		       "creating a stream"));
	stream = xcalloc(1, sizeof *stream);
	stream->device = d;
	stream->handle = handle;
	cuda_own(d, &stream->owned, stream_release);
	*out = stream;
	return STATUS_OK;
}

enum status cuda_stream_destroy(struct device *device, struct stream *stream)
{
	return destroy(cuda_device(device), &stream->owned, "a stream");
}

enum status cuda_sync(struct device *device, struct stream *stream)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	if (!stream)
		return cuda_check(d, d->cu->CtxSynchronize(), "waiting for the device");
	return cuda_check(d, d->cu->StreamSynchronize(on), "waiting for a stream");
}

/* --- events --- */

static CUresult event_release(const struct cuda_driver *cu, struct owned *owned)
{
	return cu->EventDestroy(((struct event *)owned)->handle);
}

enum status cuda_event_create(struct device *device, struct event **out)
{
	struct cuda_device *d = cuda_device(device);
	struct event *event;
	CUevent handle;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->EventCreate(&handle, CU_EVENT_DEFAULT), "creating an event"));
	event = xcalloc(1, sizeof *event);
	event->handle = handle;
	cuda_own(d, &event->owned, event_release);
	*out = event;
	return STATUS_OK;
}

enum status cuda_event_destroy(struct device *device, struct event *event)
{
	return destroy(cuda_device(device), &event->owned, "an event");
}

enum status cuda_event_record(struct device *device, struct event *event, struct stream *stream)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->EventRecord(event->handle, on), "recording an event");
}

enum status cuda_event_wait(struct device *device, struct stream *stream, struct event *event)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->StreamWaitEvent(on, event->handle, CU_EVENT_WAIT_DEFAULT),
			  "making a stream wait for an event");
}

enum status cuda_event_elapsed(struct device *device, struct event *from, struct event *to,
			       double *us)
{
	struct cuda_device *d = cuda_device(device);
	float ms;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->EventElapsedTime(&ms, from->handle, to->handle),
		       "measuring between two events"));
	*us = 1e3 * (double)ms;
	return STATUS_OK;
}

/* --- graphs --- */

static CUresult graph_release(const struct cuda_driver *cu, struct owned *owned)
{
	struct graph *graph = (struct graph *)owned;

	free(graph->nodes);
	return cu->GraphDestroy(graph->handle);
}

static CUresult graph_exec_release(const struct cuda_driver *cu, struct owned *owned)
{
	return cu->GraphExecDestroy(((struct graph_exec *)owned)->handle);
}

static struct graph *graph_new(struct cuda_device *d, CUgraph handle)
{
	struct graph *graph = xcalloc(1, sizeof *graph);

	graph->handle = handle;
	cuda_own(d, &graph->owned, graph_release);
	return graph;
}

enum status cuda_capture_begin(struct device *device, struct stream *stream, enum capture_mode mode)
{
	static const CUstreamCaptureMode modes[] = {
		[CAPTURE_GLOBAL] = CU_STREAM_CAPTURE_MODE_GLOBAL,
		[CAPTURE_THREAD_LOCAL] = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
		[CAPTURE_RELAXED] = CU_STREAM_CAPTURE_MODE_RELAXED,
	};
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	TRY(cuda_load_all(d));
	return cuda_check(d, d->cu->StreamBeginCapture(on, modes[mode]), "beginning a capture");
}

enum status cuda_capture_end(struct device *device, struct stream *stream, struct graph **out)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;
	CUgraph handle;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->StreamEndCapture(on, &handle), "ending a capture"));
	*out = graph_new(d, handle);
	return STATUS_OK;
}

enum status cuda_graph_create(struct device *device, struct graph **out)
{
	struct cuda_device *d = cuda_device(device);
	CUgraph handle;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->GraphCreate(&handle, 0), "creating a graph"));
	*out = graph_new(d, handle);
	return STATUS_OK;
}

/* A node takes the attributes of a launch one by one. */
static enum status add_node(struct cuda_device *d, struct graph *graph, struct cuda_call *call,
			    const CUgraphNode *after, int after_count, CUgraphNode *node)
{
	const CUlaunchConfig *config = &call->config;
	CUDA_KERNEL_NODE_PARAMS params = {
		.func = call->build->function,
		.gridDimX = config->gridDimX, .gridDimY = config->gridDimY,
		.gridDimZ = config->gridDimZ, .blockDimX = config->blockDimX,
		.blockDimY = config->blockDimY, .blockDimZ = config->blockDimZ,
		.sharedMemBytes = config->sharedMemBytes, .kernelParams = call->params,
	};

	TRY(cuda_check(d, d->cu->GraphAddKernelNode(node, graph->handle, after,
						    (size_t)after_count, &params),
		       "adding a launch to a graph"));
	for (unsigned i = 0; i < config->numAttrs; i++)
		TRY(cuda_check(d, d->cu->GraphKernelNodeSetAttribute(*node, config->attrs[i].id,
								     &config->attrs[i].value),
			       "giving a graph node its attributes"));
	return STATUS_OK;
}

static enum status find_nodes(const struct graph *graph, const int *numbers, int count,
			      CUgraphNode *out)
{
	for (int i = 0; i < count; i++) {
		if (numbers[i] < 0 || numbers[i] >= graph->count)
			return fail(STATUS_USAGE, "graph_add_launch: after node %d of a graph that "
				    "has %d", numbers[i], graph->count);
		out[i] = graph->nodes[numbers[i]];
	}
	return STATUS_OK;
}

enum status cuda_graph_add_launch(struct device *device, struct graph *graph,
				  const struct launch *launch, const int *after, int after_count,
				  int *node)
{
	struct cuda_device *d = cuda_device(device);
	CUgraphNode *before = xcalloc((size_t)after_count + 1, sizeof *before);
	struct cuda_call call = { 0 };
	enum status status = find_nodes(graph, after, after_count, before);
	CUgraphNode added;

	if (status == STATUS_OK)
		status = cuda_enter(d);
	if (status == STATUS_OK)
		status = cuda_call_prepare(d, launch, &call);
	if (status == STATUS_OK)
		status = add_node(d, graph, &call, before, after_count, &added);
	if (status == STATUS_OK) {
		graph->nodes = xreallocarray(graph->nodes, (size_t)graph->count + 1, sizeof added);
		graph->nodes[graph->count] = added;
		*node = graph->count++;
	}
	cuda_call_free(&call);
	free(before);
	return status;
}

enum status cuda_graph_instantiate(struct device *device, struct graph *graph,
				   struct graph_exec **out)
{
	struct cuda_device *d = cuda_device(device);
	struct graph_exec *exec;
	CUgraphExec handle;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->GraphInstantiate(&handle, graph->handle, 0),
		       "instantiating a graph"));
	exec = xcalloc(1, sizeof *exec);
	exec->handle = handle;
	cuda_own(d, &exec->owned, graph_exec_release);
	*out = exec;
	return STATUS_OK;
}

enum status cuda_graph_launch(struct device *device, struct graph_exec *exec, struct stream *stream)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	d->launch_timed = false;
	d->last_kernel = "a graph";
	return cuda_check(d, d->cu->GraphLaunch(exec->handle, on), "launching a graph");
}

enum status cuda_graph_destroy(struct device *device, struct graph *graph)
{
	return destroy(cuda_device(device), &graph->owned, "a graph");
}

enum status cuda_graph_exec_destroy(struct device *device, struct graph_exec *exec)
{
	return destroy(cuda_device(device), &exec->owned, "an executable graph");
}
