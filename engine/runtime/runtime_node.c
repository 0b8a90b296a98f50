/* runtime_node.c - adding nodes to a graph, and the parameters of a node. */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include "engine/runtime/runtime_node.h"

/* --- adding --- */

static cudaError_t check_after(const struct CUgraph_st *graph, const cudaGraphNode_t *after,
			       size_t count)
{
	if (count > 0 && !after)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++) {
		struct CUgraphNode_st *node;

		TRY_CUDA(runtime_graph_node_of(after[i], &node));
		if (node->graph != graph)
			return cudaErrorInvalidValue;
		for (size_t j = 0; j < i; j++)
			if (after[i] == after[j])
				return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

cudaError_t node_add(cudaGraphNode_t *out, cudaGraph_t handle, const cudaGraphNode_t *after,
		     size_t count, cudaError_t checked, const struct work *work)
{
	struct CUgraph_st *graph;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(check_after(graph, after, count));
	TRY_CUDA(checked);
	runtime_graph_changed(graph);
	*out = runtime_graph_add(graph, work, after, count);
	return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				   const cudaGraphNode_t *dependencies, size_t count,
				   const struct cudaKernelNodeParams *params)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count, node_launch(params, &work), &work));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				   const cudaGraphNode_t *dependencies, size_t count,
				   const struct cudaMemcpy3DParms *params)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count, node_copy(params, &work), &work));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pNode, cudaGraph_t graph,
				     const cudaGraphNode_t *dependencies, size_t count, void *dst,
				     const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count,
			    node_copy_linear(dst, src, bytes, kind, &work), &work));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				   const cudaGraphNode_t *dependencies, size_t count,
				   const struct cudaMemsetParams *params)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count, node_fill(params, &work), &work));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				 const cudaGraphNode_t *dependencies, size_t count,
				 const struct cudaHostNodeParams *params)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count, node_host(params, &work), &work));
}

cudaError_t node_child(cudaGraph_t child, struct work *out)
{
	*out = (struct work){ .kind = WORK_GRAPH };
	return runtime_graph_of(child, &out->graph);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				       const cudaGraphNode_t *dependencies, size_t count,
				       cudaGraph_t child)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count, node_child(child, &work), &work));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				  const cudaGraphNode_t *dependencies, size_t count)
{
	const struct work work = { .kind = WORK_EMPTY };

	return API(node_add(pNode, graph, dependencies, count, cudaSuccess, &work));
}

cudaError_t node_event(enum work_kind kind, cudaEvent_t event, struct work *out)
{
	*out = (struct work){ .kind = kind };
	return runtime_event(event, &out->event);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
					const cudaGraphNode_t *dependencies, size_t count,
					cudaEvent_t event)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count,
			    node_event(WORK_RECORD, event, &work), &work));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				      const cudaGraphNode_t *dependencies, size_t count,
				      cudaEvent_t event)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count,
			    node_event(WORK_WAIT, event, &work), &work));
}

cudaError_t node_add_allocation(cudaGraphNode_t *out, cudaGraph_t handle,
				const cudaGraphNode_t *after, size_t count,
				struct cudaMemAllocNodeParams *params)
{
	struct work work = { .kind = WORK_ALLOC };
	struct CUgraph_st *graph;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!out || !params || params->bytesize == 0
	    || params->poolProps.allocType != cudaMemAllocationTypePinned
	    || params->poolProps.location.type != cudaMemLocationTypeDevice
	    || params->poolProps.location.id != graph->device->ordinal)
		return cudaErrorInvalidValue;
	TRY_CUDA(check_after(graph, after, count));
	params->dptr = graph_memory_reuse(graph, after, count, params->bytesize);
	if (!params->dptr)
		TRY_CUDA(memory_new_lasting(graph->device, params->bytesize, &params->dptr));
	work.memory = (struct memory_work){ params->dptr, params->bytesize };
	return node_add(out, handle, after, count, cudaSuccess, &work);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				     const cudaGraphNode_t *dependencies, size_t count,
				     struct cudaMemAllocNodeParams *params)
{
	return API(node_add_allocation(pNode, graph, dependencies, count, params));
}

cudaError_t node_unuse(void *pointer, struct work *out)
{
	const struct allocation *a = address_find(pointer);

	if (!a || !a->lasting || a->address != (uint64_t)(uintptr_t)pointer)
		return cudaErrorInvalidValue;
	*out = (struct work){ .kind = WORK_FREE, .memory = { pointer, a->bytes } };
	return cudaSuccess;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
				    const cudaGraphNode_t *dependencies, size_t count, void *dptr)
{
	struct work work;

	return API(node_add(pNode, graph, dependencies, count, node_unuse(dptr, &work), &work));
}

/* --- the work that parameters describe --- */

cudaError_t node_launch(const struct cudaKernelNodeParams *p, struct work *out)
{
	*out = (struct work){ .kind = WORK_LAUNCH };
	return launch_from_params(p, &out->launch);
}

cudaError_t node_copy(const struct cudaMemcpy3DParms *p, struct work *out)
{
	*out = (struct work){ .kind = WORK_COPY };
	return copy_from_params(p, &out->copy);
}

cudaError_t node_copy_linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
			     struct work *out)
{
	*out = (struct work){ .kind = WORK_COPY };
	return copy_linear(to, from, bytes, kind, &out->copy);
}

cudaError_t node_fill(const struct cudaMemsetParams *p, struct work *out)
{
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
	    || (uintptr_t)p->dst % p->elementSize != 0)
		return cudaErrorInvalidValue;
	*out = (struct work){ .kind = WORK_FILL, .fill = {
		.to = p->dst, .pitch = p->height > 1 ? p->pitch : p->width * p->elementSize,
		.value = p->value, .element = p->elementSize, .width = p->width,
		.height = p->height, .depth = 1 } };
	return fill_check(&out->fill);
}

cudaError_t node_host(const struct cudaHostNodeParams *p, struct work *out)
{
	if (!p || !p->fn)
		return cudaErrorInvalidValue;
	*out = (struct work){ .kind = WORK_HOST, .host = *p };
	return cudaSuccess;
}

/* --- parameters of a node --- */

static cudaError_t node_of_kind(cudaGraphNode_t handle, enum work_kind kind, const void *params,
				struct CUgraphNode_st **out)
{
	TRY_CUDA(runtime_graph_node_of(handle, out));
	return (*out)->work.kind != kind || !params ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t node_set(cudaGraphNode_t handle, cudaError_t checked, const struct work *work)
{
	struct CUgraphNode_st *node;

	TRY_CUDA(runtime_graph_node_of(handle, &node));
	TRY_CUDA(checked);
	if (node->work.kind != work->kind)
		return cudaErrorInvalidValue;
	runtime_graph_changed(node->graph);
	node_set_work(node, work);
	return cudaSuccess;
}

/* The new work may use the arguments of the old. */
void node_set_work(struct CUgraphNode_st *node, const struct work *work)
{
	struct work old = node->work;

	node->work = work_copy(work);
	work_free(&old);
}

static cudaError_t get_launch(cudaGraphNode_t handle, struct cudaKernelNodeParams *out)
{
	struct CUgraphNode_st *node;
	const struct launch_work *w;

	TRY_CUDA(node_of_kind(handle, WORK_LAUNCH, out, &node));
	w = &node->work.launch;
	*out = (struct cudaKernelNodeParams){
		.func = (void *)(uintptr_t)w->func, .gridDim = w->grid, .blockDim = w->block,
		.sharedMemBytes = (unsigned)w->shared, .kernelParams = w->args };
	return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
	return API(get_launch(node, params));
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
					 const struct cudaKernelNodeParams *params)
{
	struct work work;

	return API(node_set(node, node_launch(params, &work), &work));
}

static cudaError_t get_copy(cudaGraphNode_t handle, struct cudaMemcpy3DParms *out)
{
	struct CUgraphNode_st *node;
	const struct copy_work *w;

	TRY_CUDA(node_of_kind(handle, WORK_COPY, out, &node));
	w = &node->work.copy;
	*out = w->is_box ? w->params : (struct cudaMemcpy3DParms){
		.srcPtr = { (void *)(uintptr_t)w->from, w->from_pitch, w->width,
			    w->from_pitch ? w->from_slice / w->from_pitch : 0 },
		.dstPtr = { w->to, w->to_pitch, w->width,
			    w->to_pitch ? w->to_slice / w->to_pitch : 0 },
		.extent = { w->width, w->height, w->depth }, .kind = w->kind };
	return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
	return API(get_copy(node, params));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
					 const struct cudaMemcpy3DParms *params)
{
	struct work work;

	return API(node_set(node, node_copy(params, &work), &work));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
					   size_t bytes, enum cudaMemcpyKind kind)
{
	struct work work;

	return API(node_set(node, node_copy_linear(dst, src, bytes, kind, &work), &work));
}

static cudaError_t get_fill(cudaGraphNode_t handle, struct cudaMemsetParams *out)
{
	struct CUgraphNode_st *node;
	const struct fill_work *w;

	TRY_CUDA(node_of_kind(handle, WORK_FILL, out, &node));
	w = &node->work.fill;
	*out = (struct cudaMemsetParams){
		.dst = w->to, .pitch = w->pitch, .value = w->value, .elementSize = w->element,
		.width = w->width, .height = w->height };
	return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params)
{
	return API(get_fill(node, params));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
					 const struct cudaMemsetParams *params)
{
	struct work work;

	return API(node_set(node, node_fill(params, &work), &work));
}

static cudaError_t get_host(cudaGraphNode_t handle, struct cudaHostNodeParams *out)
{
	struct CUgraphNode_st *node;

	TRY_CUDA(node_of_kind(handle, WORK_HOST, out, &node));
	*out = node->work.host;
	return cudaSuccess;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params)
{
	return API(get_host(node, params));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
				       const struct cudaHostNodeParams *params)
{
	struct work work;

	return API(node_set(node, node_host(params, &work), &work));
}

/* The graph itself, which the program may change. */
static cudaError_t get_child(cudaGraphNode_t handle, cudaGraph_t *out)
{
	struct CUgraphNode_st *node;

	TRY_CUDA(node_of_kind(handle, WORK_GRAPH, out, &node));
	*out = node->work.graph;
	if (!(*out)->inside) {
		(*out)->inside = true;
		runtime_graph_publish(*out);
	}
	return cudaSuccess;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph)
{
	return API(get_child(node, pGraph));
}

static cudaError_t get_type(cudaGraphNode_t handle, enum cudaGraphNodeType *out)
{
	static const enum cudaGraphNodeType types[] = {
		[WORK_EMPTY] = cudaGraphNodeTypeEmpty, [WORK_LAUNCH] = cudaGraphNodeTypeKernel,
		[WORK_COPY] = cudaGraphNodeTypeMemcpy, [WORK_FILL] = cudaGraphNodeTypeMemset,
		[WORK_HOST] = cudaGraphNodeTypeHost, [WORK_GRAPH] = cudaGraphNodeTypeGraph,
		[WORK_RECORD] = cudaGraphNodeTypeEventRecord,
		[WORK_WAIT] = cudaGraphNodeTypeWaitEvent,
		[WORK_ALLOC] = cudaGraphNodeTypeMemAlloc,
		[WORK_FREE] = cudaGraphNodeTypeMemFree,
		[WORK_CONDITION] = cudaGraphNodeTypeConditional,
	};
	struct CUgraphNode_st *node;

	TRY_CUDA(runtime_graph_node_of(handle, &node));
	if (!out)
		return cudaErrorInvalidValue;
	*out = types[node->work.kind];
	return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
	return API(get_type(node, pType));
}
