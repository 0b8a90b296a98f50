/* runtime_node_any.c - nodes of any type, whose parameters are one struct.
 *
 * Each type has the work that its own call makes (runtime_node.c, runtime_condition.c).
 * Semaphores of other APIs are not there.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include "engine/runtime/runtime_node.h"

static cudaError_t launch_of(const struct cudaKernelNodeParamsV2 *p, struct work *out)
{
	const struct cudaKernelNodeParams params = {
		p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams, p->extra,
	};

	return node_launch(&params, out);
}

static cudaError_t fill_of(const struct cudaMemsetParamsV2 *p, struct work *out)
{
	const struct cudaMemsetParams params = {
		p->dst, p->pitch, p->value, p->elementSize, p->width, p->height,
	};

	return node_fill(&params, out);
}

static cudaError_t host_of(const struct cudaHostNodeParamsV2 *p, struct work *out)
{
	const struct cudaHostNodeParams params = { p->fn, p->userData };

	return node_host(&params, out);
}

/* The work of any node but an allocation. */
static cudaError_t work_of(const struct cudaGraphNodeParams *p, struct work *out)
{
	if (!p)
		return cudaErrorInvalidValue;
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		return launch_of(&p->kernel, out);
	case cudaGraphNodeTypeMemcpy:
		return node_copy(&p->memcpy.copyParams, out);
	case cudaGraphNodeTypeMemset:
		return fill_of(&p->memset, out);
	case cudaGraphNodeTypeHost:
		return host_of(&p->host, out);
	case cudaGraphNodeTypeGraph:
		return node_child(p->graph.graph, out);
	case cudaGraphNodeTypeEmpty:
		*out = (struct work){ .kind = WORK_EMPTY };
		return cudaSuccess;
	case cudaGraphNodeTypeWaitEvent:
		return node_event(WORK_WAIT, p->eventWait.event, out);
	case cudaGraphNodeTypeEventRecord:
		return node_event(WORK_RECORD, p->eventRecord.event, out);
	case cudaGraphNodeTypeMemFree:
		return node_unuse(p->free.dptr, out);
	default:
		return cudaErrorInvalidValue;
	}
}

static cudaError_t add_allocation(cudaGraphNode_t *out, cudaGraph_t graph,
				  const cudaGraphNode_t *after, size_t count,
				  struct cudaMemAllocNodeParamsV2 *p)
{
	struct cudaMemAllocNodeParams params = {
		p->poolProps, p->accessDescs, p->accessDescCount, p->bytesize, NULL,
	};

	TRY_CUDA(node_add_allocation(out, graph, after, count, &params));
	p->dptr = params.dptr;
	return cudaSuccess;
}

static cudaError_t add_any(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
			   size_t count, struct cudaGraphNodeParams *p)
{
	struct work work;

	if (p && p->type == cudaGraphNodeTypeMemAlloc)
		return add_allocation(out, graph, after, count, &p->alloc);
	if (p && p->type == cudaGraphNodeTypeConditional)
		return node_add_condition(out, graph, after, count, &p->conditional);
	return node_add(out, graph, after, count, work_of(p, &work), &work);
}

/* An edge of any type orders all of both nodes. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
			     const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
			     size_t count, struct cudaGraphNodeParams *params)
{
	(void)edges;
	return API(add_any(pNode, graph, dependencies, count, params));
}

/* The work that a node may get: memory and graphs in it stay. */
static cudaError_t new_work(const struct cudaGraphNodeParams *p, struct work *out)
{
	if (p && (p->type == cudaGraphNodeTypeGraph || p->type == cudaGraphNodeTypeMemFree))
		return cudaErrorInvalidValue;
	return work_of(p, out);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
	struct work work;

	return API(node_set(node, new_work(params, &work), &work));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
				       struct cudaGraphNodeParams *params)
{
	struct work work;

	return API(node_set_in(exec, node, new_work(params, &work), &work));
}
