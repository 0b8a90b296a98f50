/* cuda_graph.c - capture and graphs on the GPU, which wrap those of the driver.
 *
 * Operations that CUDA forbids during a capture fail with CUDA's codes (900 to 908). Loading a
 * kernel is one of them, so all kernels are loaded before a capture begins. Streams and events are
 * in cuda_stream.c. Used by the table in device_cuda.c.
 */
#include "config.h"

#include "engine/cuda/device_cuda.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct graph {
	struct owned owned;
	CUgraph handle;
	CUgraphNode *nodes;             /* [count] added by hand, by node number */
	const struct cuda_module **modules;     /* [count] of probed kernels, else NULL */
	int count;
};

struct graph_exec {
	struct owned owned;
	CUgraphExec handle;
};

static CUresult graph_release(const struct cuda_driver *cu, struct owned *owned)
{
	struct graph *graph = (struct graph *)owned;

	free(graph->nodes);
	free(graph->modules);
	graph->nodes = NULL;
	graph->modules = NULL;
	graph->count = 0;
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

/* --- capture --- */

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

enum status cuda_capture_state(struct device *device, struct stream *stream,
			       enum capture_state *out)
{
	static const enum capture_state states[] = {
		[CU_STREAM_CAPTURE_STATUS_NONE] = CAPTURE_NONE,
		[CU_STREAM_CAPTURE_STATUS_ACTIVE] = CAPTURE_ACTIVE,
		[CU_STREAM_CAPTURE_STATUS_INVALIDATED] = CAPTURE_INVALIDATED,
	};
	struct cuda_device *d = cuda_device(device);
	CUstreamCaptureStatus status;
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->StreamIsCapturing(on, &status), "querying a capture"));
	*out = states[status];
	return STATUS_OK;
}

/* The default mode of a thread is global. */
enum status cuda_capture_relax(struct device *device, bool relaxed)
{
	struct cuda_device *d = cuda_device(device);
	CUstreamCaptureMode mode = relaxed ? CU_STREAM_CAPTURE_MODE_RELAXED
					   : CU_STREAM_CAPTURE_MODE_GLOBAL;

	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->ThreadExchangeStreamCaptureMode(&mode),
			  "changing this thread's capture mode");
}

/* --- graphs --- */

enum status cuda_graph_create(struct device *device, struct graph **out)
{
	struct cuda_device *d = cuda_device(device);
	CUgraph handle;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->GraphCreate(&handle, 0), "creating a graph"));
	*out = graph_new(d, handle);
	return STATUS_OK;
}

/* Adds a kernel node and sets the attributes of the launch on it one by one. */
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
			       "setting the attributes of a graph node"));
	return STATUS_OK;
}

/* Looks up nodes by number. The caller frees *out, also after an error. */
static enum status find_nodes(const struct graph *graph, const int *numbers, int count,
			      const char *what, CUgraphNode **out)
{
	*out = xcalloc((size_t)count + 1, sizeof **out);       /* one more for points */
	for (int i = 0; i < count; i++) {
		if (numbers[i] < 0 || numbers[i] >= graph->count)
			return fail(STATUS_USAGE, "%s: unknown node %d of a graph of %d", what,
				    numbers[i], graph->count);
		(*out)[i] = graph->nodes[numbers[i]];
	}
	return STATUS_OK;
}

static int number_node(struct graph *graph, CUgraphNode node, const struct cuda_module *module)
{
	size_t count = (size_t)graph->count + 1;

	graph->nodes = xreallocarray(graph->nodes, count, sizeof node);
	graph->modules = xreallocarray(graph->modules, count, sizeof *graph->modules);
	graph->nodes[graph->count] = node;
	graph->modules[graph->count] = module;
	return graph->count++;
}

/* If the kernel is probed, adds a node before it that sets where its points go. This node waits for
 * the previous probed kernel of the same module. *points is the module, or NULL if the kernel is
 * not probed. */
static enum status add_points(struct cuda_device *d, struct graph *graph,
			      struct cuda_module *module, CUgraphNode *before, int *before_count,
			      const struct cuda_module **points)
{
	const CUgraphNode *earlier = NULL;

	*points = NULL;
	if (!module->points)
		return STATUS_OK;
	for (int i = graph->count - 1; i >= 0 && !earlier; i--)
		if (graph->modules[i] == module)
			earlier = &graph->nodes[i];
	TRY(cuda_add_points(d, graph->handle, module, earlier, &before[*before_count]));
	(*before_count)++;
	*points = module;
	return STATUS_OK;
}

enum status cuda_graph_add_launch(struct device *device, struct graph *graph,
				  const struct launch *launch, const int *after, int after_count,
				  int *node)
{
	struct cuda_device *d = cuda_device(device);
	struct cuda_call call = { 0 };
	const struct cuda_module *points = NULL;
	CUgraphNode *before, added;
	enum status status = find_nodes(graph, after, after_count, "graph_add_launch", &before);

	if (status == STATUS_OK)
		status = cuda_enter(d);
	if (status == STATUS_OK)
		status = cuda_call_prepare(d, launch, &call);
	if (status == STATUS_OK)
		status = add_points(d, graph, call.build->module, before, &after_count, &points);
	if (status == STATUS_OK)
		status = add_node(d, graph, &call, before, after_count, &added);
	if (status == STATUS_OK)
		*node = number_node(graph, added, points);
	cuda_call_free(&call);
	free(before);
	return status;
}

/* Copies of 0 bytes are legal here but not in CUDA: they become an empty node. */
static CUresult add_copy(struct cuda_device *d, struct graph *graph, const CUDA_MEMCPY3D *copy,
			 const CUgraphNode *after, size_t after_count, CUgraphNode *node)
{
	if (copy->WidthInBytes == 0)
		return d->cu->GraphAddEmptyNode(node, graph->handle, after, after_count);
	return d->cu->GraphAddMemcpyNode(node, graph->handle, after, after_count, copy, d->context);
}

enum status cuda_graph_add_copy(struct device *device, struct graph *graph, struct buffer *to,
				uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
				size_t bytes, const int *after, int after_count, int *node)
{
	struct cuda_device *d = cuda_device(device);
	const CUDA_MEMCPY3D copy = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = from->address + from_offset,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = to->address + to_offset,
		.WidthInBytes = bytes, .Height = 1, .Depth = 1,
	};
	CUgraphNode *before, added;
	enum status status = find_nodes(graph, after, after_count, "graph_add_copy", &before);

	if (status == STATUS_OK)
		status = cuda_enter(d);
	if (status == STATUS_OK)
		status = cuda_check(d, add_copy(d, graph, &copy, before, (size_t)after_count,
						&added),
				    "adding a copy of %zu bytes from %s to %s to a graph", bytes,
				    from->name, to->name);
	if (status == STATUS_OK)
		*node = number_node(graph, added, NULL);
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
	cuda_forget_points(d);
	d->launch_timed = false;
	d->last_kernel = "a graph";
	return cuda_check(d, d->cu->GraphLaunch(exec->handle, on), "launching a graph");
}

enum status cuda_graph_destroy(struct device *device, struct graph *graph)
{
	return cuda_destroy(cuda_device(device), &graph->owned, "a graph");
}

enum status cuda_graph_exec_destroy(struct device *device, struct graph_exec *exec)
{
	return cuda_destroy(cuda_device(device), &exec->owned, "an executable graph");
}
