/* conditions.cu - a while loop in a graph around an if, by cudaGraphSetConditional() of kernels.
 * Sums the odd numbers below n, if some value is set: 36 for 12. */
#include <cuda_runtime.h>
#include <cstdio>

/* All threads set the same value. */
__global__ void next(int *i, int n, cudaGraphConditionalHandle loop, cudaGraphConditionalHandle odd)
{
	int now = *i;

	__syncthreads();
	if (threadIdx.x == 0)
		*i = now + 1;
	cudaGraphSetConditional(odd, now % 2);
	cudaGraphSetConditional(loop, now + 1 < n);
}

__global__ void add(const int *i, int *sum)
{
	*sum += *i - 1;
}

static cudaGraph_t add_condition(cudaGraph_t graph, const cudaGraphNode_t *after,
				 cudaGraphConditionalHandle handle,
				 cudaGraphConditionalNodeType type)
{
	cudaGraphNodeParams params = { cudaGraphNodeTypeConditional };
	cudaGraphNode_t node;

	params.conditional.handle = handle;
	params.conditional.type = type;
	params.conditional.size = 1;
	cudaGraphAddNode(&node, graph, after, NULL, after != NULL, &params);
	return params.conditional.phGraph_out[0];
}

int main()
{
	cudaGraphConditionalHandle loop, odd;
	cudaGraph_t graph, body, inner;
	cudaGraphNodeParams params = { cudaGraphNodeTypeKernel };
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaStream_t s;
	int *words, n = 12, got;

	cudaMalloc(&words, 2 * sizeof(int));
	int *i = words, *sum = words + 1;
	void *args[] = { &i, &n, &loop, &odd };
	cudaGraphCreate(&graph, 0);
	cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault);
	body = add_condition(graph, NULL, loop, cudaGraphCondTypeWhile);
	cudaGraphConditionalHandleCreate(&odd, body);
	params.kernel.func = (void *)next;
	params.kernel.gridDim = dim3(1);
	params.kernel.blockDim = dim3(64);
	params.kernel.kernelParams = args;
	cudaGraphAddNode(&node, body, NULL, NULL, 0, &params);
	inner = add_condition(body, &node, odd, cudaGraphCondTypeIf);
	cudaStreamCreate(&s);
	cudaStreamBeginCaptureToGraph(s, inner, NULL, NULL, 0, cudaStreamCaptureModeGlobal);
	add<<<1, 1, 0, s>>>(i, sum);
	cudaStreamEndCapture(s, NULL);
	printf("instantiate %d\n", (int)cudaGraphInstantiate(&exec, graph, 0));
	for (int launch = 0; launch < 2; launch++) {
		cudaMemset(words, 0, 2 * sizeof(int));
		cudaGraphLaunch(exec, s);
		cudaStreamSynchronize(s);
		cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost);
		printf("sum %d\n", got);
	}
	printf("end %d\n", (int)cudaGetLastError());
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
	cudaFree(words);
	return 0;
}
