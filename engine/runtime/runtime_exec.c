/* runtime_exec.c - executable graphs: instantiated, launched, updated.
 *
 * The device's executable graph comes from a capture: the program's own, or one that the runtime
 * makes of the nodes (runtime_build.c). A graph with work that no device can do (host functions,
 * child graphs, events) runs node by node on the stream instead.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/runtime/runtime_node.h"

struct CUgraphExec_st {
	struct CUgraphExec_st *next;
	struct runtime_device *device;
	struct CUgraph_st *graph;       /* a copy; `origin` of its nodes are the program's */
	struct graph_exec *exec;        /* NULL: not built yet, or it runs node by node */
	unsigned long long flags;
};

static struct CUgraphExec_st *execs;

static cudaError_t exec_of(cudaGraphExec_t handle, struct CUgraphExec_st **out)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	for (struct CUgraphExec_st *x = execs; handle && x; x = x->next)
		if (x == handle) {
			*out = x;
			return cudaSuccess;
		}
	return cudaErrorInvalidValue;
}

/* --- instantiating --- */

static bool node_by_node(const struct CUgraph_st *graph)
{
	for (size_t i = 0; i < graph->count; i++)
		if (work_is_hosted(&graph->nodes[i]->work))
			return true;
	return false;
}

static cudaError_t exec_build(struct CUgraphExec_st *x)
{
	if (x->exec || node_by_node(x->graph))
		return cudaSuccess;
	return runtime_graph_build(x->graph, &x->exec);
}

static void exec_free(struct CUgraphExec_st *x)
{
	struct error_record record;

	error_save(&record);
	if (x->exec)
		device_graph_exec_destroy(x->device->device, x->exec);
	error_restore(&record);
	runtime_graph_free(x->graph);
	free(x);
}

static cudaError_t make(cudaGraphExec_t *out, cudaGraph_t handle, unsigned long long flags)
{
	struct CUgraph_st *graph;
	struct CUgraphExec_st *x;
	cudaError_t error;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!out || flags > 15 || runtime_graph_circle(graph) || !conditions_fit(graph, false))
		return cudaErrorInvalidValue;
	if (flags & cudaGraphInstantiateFlagDeviceLaunch)
		return cudaErrorNotSupported;
	x = xcalloc(1, sizeof *x);
	x->device = graph->device;
	x->graph = runtime_graph_copy(graph);
	x->flags = flags & ~(unsigned long long)cudaGraphInstantiateFlagUpload;
	if (graph->captured)
		error = runtime_graph_instantiate(x->device, graph->captured, &x->exec);
	else
		error = exec_build(x);
	if (error != cudaSuccess) {
		exec_free(x);
		return error;
	}
	x->next = execs;
	execs = x;
	*out = x;
	return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pExec, cudaGraph_t graph,
				 unsigned long long flags)
{
	return API(make(pExec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pExec, cudaGraph_t graph,
					  unsigned long long flags)
{
	return API(make(pExec, graph, flags));
}

static cudaError_t make_with_params(cudaGraphExec_t *out, cudaGraph_t graph,
				    cudaGraphInstantiateParams *params)
{
	struct CUgraph_st *found;
	cudaError_t error;

	if (!params)
		return cudaErrorInvalidValue;
	error = make(out, graph, params->flags);
	params->errNode_out = error != cudaSuccess && runtime_graph_of(graph, &found) == cudaSuccess
		? runtime_graph_circle(found) : NULL;
	params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess
		: params->errNode_out ? cudaGraphInstantiateInvalidStructure
		: cudaGraphInstantiateError;
	return error;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pExec, cudaGraph_t graph,
					   cudaGraphInstantiateParams *params)
{
	return API(make_with_params(pExec, graph, params));
}

static cudaError_t get_flags(cudaGraphExec_t handle, unsigned long long *out)
{
	struct CUgraphExec_st *x;

	TRY_CUDA(exec_of(handle, &x));
	if (!out)
		return cudaErrorInvalidValue;
	*out = x->flags;
	return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
	return API(get_flags(exec, flags));
}

static cudaError_t destroy(cudaGraphExec_t handle)
{
	struct CUgraphExec_st *x, **link = &execs;

	TRY_CUDA(exec_of(handle, &x));
	while (*link != x)
		link = &(*link)->next;
	*link = x->next;
	exec_free(x);
	return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	return API(destroy(exec));
}

void runtime_execs_close(void)
{
	while (execs) {
		struct CUgraphExec_st *next = execs->next;

		exec_free(execs);
		execs = next;
	}
}

/* --- launching --- */

/* A launch in a capture adds the nodes one after the other. */
static cudaError_t capture_launch(struct CUstream_st *s, const struct CUgraph_st *graph)
{
	struct CUgraphNode_st **order = runtime_graph_sort(graph);
	cudaError_t error = cudaSuccess;

	conditions_copy(s->capture->graph, graph);
	for (size_t i = 0; error == cudaSuccess && i < graph->count; i++)
		error = work_submit(s, &order[i]->work);
	free(order);
	return error;
}

static cudaError_t launch_exec(struct CUgraphExec_st *x, struct CUstream_st *s)
{
	struct runtime_device *d = x->device;

	TRY_CUDA(exec_build(x));
	graph_memory_launched(x->graph, s);
	TRY_CUDA(conditions_begin(d, s->stream, x->graph));
	if (!x->exec)
		return runtime_graph_run(d, s->stream, x->graph);
	for (size_t i = 0; d->watched && i < x->graph->count; i++)
		if (x->graph->nodes[i]->work.kind == WORK_LAUNCH)
			TRY_CUDA(launch_show(d, s->stream, &x->graph->nodes[i]->work.launch));
	return runtime_launch_error(d, device_graph_launch(d->device, x->exec, s->stream));
}

static cudaError_t launch(cudaGraphExec_t handle, cudaStream_t stream)
{
	struct CUgraphExec_st *x;
	struct CUstream_st *s;

	TRY_CUDA(exec_of(handle, &x));
	TRY_CUDA(runtime_stream(stream, &s));
	if (s->device != x->device)
		return cudaErrorInvalidValue;
	TRY_CUDA(order_before(s, false));
	return s->capture ? capture_launch(s, x->graph) : launch_exec(x, s);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	return API(launch(exec, stream));
}

static cudaError_t upload(cudaGraphExec_t handle, cudaStream_t stream)
{
	struct CUgraphExec_st *x;
	struct CUstream_st *s;

	TRY_CUDA(exec_of(handle, &x));
	return runtime_stream(stream, &s);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	return API(upload(exec, stream));
}

/* --- changing: the device's graph is built again at the next launch --- */

static void exec_changed(struct CUgraphExec_st *x)
{
	struct error_record record;

	if (!x->exec)
		return;
	error_save(&record);
	device_graph_exec_destroy(x->device->device, x->exec);
	error_restore(&record);
	x->exec = NULL;
}

/* An instance's copy can only be replaced by one of its shape: of bytes in a row. */
static bool is_fixed(const struct work *work)
{
	return work->kind == WORK_COPY
		&& (work->copy.width == 0 || work->copy.height != 1 || work->copy.depth != 1);
}

cudaError_t node_set_in(cudaGraphExec_t handle, cudaGraphNode_t node, cudaError_t checked,
			const struct work *work)
{
	struct CUgraphExec_st *x;

	TRY_CUDA(exec_of(handle, &x));
	TRY_CUDA(checked);
	for (size_t i = 0; i < x->graph->count; i++) {
		if (x->graph->nodes[i]->origin != node)
			continue;
		if (x->graph->nodes[i]->work.kind != work->kind || is_fixed(work)
		    || is_fixed(&x->graph->nodes[i]->work))
			return cudaErrorInvalidValue;
		exec_changed(x);
		node_set_work(x->graph->nodes[i], work);
		return cudaSuccess;
	}
	return cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					     const struct cudaKernelNodeParams *params)
{
	struct work work;

	return API(node_set_in(exec, node, node_launch(params, &work), &work));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					     const struct cudaMemcpy3DParms *params)
{
	struct work work;

	return API(node_set_in(exec, node, node_copy(params, &work), &work));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
					       void *dst, const void *src, size_t bytes,
					       enum cudaMemcpyKind kind)
{
	struct work work;

	return API(node_set_in(exec, node, node_copy_linear(dst, src, bytes, kind, &work), &work));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					     const struct cudaMemsetParams *params)
{
	struct work work;

	return API(node_set_in(exec, node, node_fill(params, &work), &work));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					   const struct cudaHostNodeParams *params)
{
	struct work work;

	return API(node_set_in(exec, node, node_host(params, &work), &work));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
						 cudaEvent_t event)
{
	struct work work;

	return API(node_set_in(exec, node, node_event(WORK_RECORD, event, &work), &work));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
					       cudaEvent_t event)
{
	struct work work;

	return API(node_set_in(exec, node, node_event(WORK_WAIT, event, &work), &work));
}

/* Whether the graphs have the same nodes and edges, except parameters; *node: the first that
 * differs. Nodes of two captures correspond by their order. */
static enum cudaGraphExecUpdateResult compare(const struct CUgraph_st *a,
					      const struct CUgraph_st *b,
					      struct CUgraphNode_st **node)
{
	*node = NULL;
	if (a->count != b->count)
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (size_t i = 0; i < a->count; i++) {
		a->nodes[i]->mark = i;
		b->nodes[i]->mark = i;
	}
	for (size_t i = 0; i < a->count; i++) {
		*node = b->nodes[i];
		if (a->nodes[i]->work.kind != b->nodes[i]->work.kind)
			return cudaGraphExecUpdateErrorNodeTypeChanged;
		if (a->nodes[i]->after_count != b->nodes[i]->after_count)
			return cudaGraphExecUpdateErrorTopologyChanged;
		for (size_t e = 0; e < a->nodes[i]->after_count; e++)
			if (a->nodes[i]->after[e]->mark != b->nodes[i]->after[e]->mark)
				return cudaGraphExecUpdateErrorTopologyChanged;
	}
	*node = NULL;
	return cudaGraphExecUpdateSuccess;
}

static cudaError_t update(cudaGraphExec_t handle, cudaGraph_t graph_handle,
			  cudaGraphExecUpdateResultInfo *result)
{
	struct CUgraphNode_st *differs;
	struct CUgraphExec_st *x;
	struct CUgraph_st *graph;
	enum cudaGraphExecUpdateResult found;

	TRY_CUDA(exec_of(handle, &x));
	TRY_CUDA(runtime_graph_of(graph_handle, &graph));
	if (!result)
		return cudaErrorInvalidValue;
	found = compare(x->graph, graph, &differs);
	*result = (cudaGraphExecUpdateResultInfo){ .result = found, .errorNode = differs };
	if (found != cudaGraphExecUpdateSuccess)
		return cudaErrorGraphExecUpdateFailure;
	exec_changed(x);
	for (size_t i = 0; i < graph->count; i++)
		node_set_work(x->graph->nodes[i], &graph->nodes[i]->work);
	if (!graph->captured)
		return cudaSuccess;
	return runtime_graph_instantiate(x->device, graph->captured, &x->exec);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
				cudaGraphExecUpdateResultInfo *result)
{
	return API(update(exec, graph, result));
}
