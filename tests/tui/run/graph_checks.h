/* graph_checks.h - what graph_edges.cu and graph_params.cu have in common: a stream, a kernel, and
 * launches of graphs whose effects are seen in memory. */
#ifndef GRAPH_CHECKS_H
#define GRAPH_CHECKS_H

#include <cuda_runtime.h>

#include "counted.h"

static cudaStream_t stream;

__global__ void add(int *out, int value, int scale)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] += value * scale;
}

static int at(const int *memory, int i)
{
	int value;

	cudaMemcpy(&value, memory + i, sizeof value, cudaMemcpyDeviceToHost);
	return value;
}

static void zero(int *memory, int count)
{
	cudaMemset(memory, 0, (size_t)count * sizeof *memory);
	cudaDeviceSynchronize();
}

static void launch(cudaGraphExec_t exec)
{
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
}

static cudaGraphExec_t instance(cudaGraph_t graph)
{
	cudaGraphExec_t exec = NULL;

	OK(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

#endif
