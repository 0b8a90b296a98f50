/* cuda_runtime_12.h - C++ overloads with the parameters that calls had before CUDA 13.
 *
 * Many programs still have them. Only cuda_runtime.h includes this file.
 */
#ifndef FLASHTWIN_CUDA_RUNTIME_12_H
#define FLASHTWIN_CUDA_RUNTIME_12_H

static inline struct cudaMemLocation ft_location(int device)
{
	struct cudaMemLocation location;

	location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost
		: cudaMemLocationTypeDevice;
	location.id = device == cudaCpuDeviceId ? 0 : device;
	return location;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice,
					       cudaStream_t stream = 0)
{
	return ::cudaMemPrefetchAsync(devPtr, count, ft_location(dstDevice), 0, stream);
}

static inline cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
					enum cudaMemoryAdvise advice, int device)
{
	return ::cudaMemAdvise(devPtr, count, advice, ft_location(device));
}

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
						   const cudaGraphNode_t *to, size_t count)
{
	return ::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *pNode, cudaGraph_t graph,
					   const cudaGraphNode_t *dependencies, size_t count,
					   struct cudaGraphNodeParams *params)
{
	return ::cudaGraphAddNode(pNode, graph, dependencies, nullptr, count, params);
}

static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
						      const cudaGraphNode_t *from,
						      const cudaGraphNode_t *to, size_t count)
{
	return ::cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}

static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
					    cudaGraphNode_t *to, size_t *count)
{
	return ::cudaGraphGetEdges(graph, from, to, nullptr, count);
}

static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
						       cudaGraphNode_t *dependencies,
						       size_t *count)
{
	return ::cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}

static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
							 cudaGraphNode_t *dependents,
							 size_t *count)
{
	return ::cudaGraphNodeGetDependentNodes(node, dependents, nullptr, count);
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
					      cudaGraphNode_t *errorNode,
					      enum cudaGraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo info;
	cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);

	if (errorNode)
		*errorNode = info.errorNode;
	if (result)
		*result = info.result;
	return error;
}

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pExec, cudaGraph_t graph,
					       cudaGraphNode_t *pErrorNode, char *, size_t)
{
	if (pErrorNode)
		*pErrorNode = nullptr;
	return ::cudaGraphInstantiate(pExec, graph, 0);
}

#endif
