// graph_edges.cu - graphs as a whole: graphs in graphs, edges in both directions, instances and their
// flags, and nodes that record events and wait for them. Each effect is seen in memory, or by an
// event, after a launch.
#include <cuda_runtime.h>

#include <cstring>

#include "graph_checks.h"

enum { N = 64 };

/* Takes a while: on a GPU some milliseconds. */
__global__ void store_late(int *out, int value, int rounds)
{
	volatile float x = 1.0f;

	for (int i = 0; i < rounds; i++)
		x = x * 0.5f + 1.0f;
	*out = value + (x < 0.0f);
}

static void count_one(void *data) { *(int *)data += 1; }
static void count_ten(void *data) { *(int *)data += 10; }

/* --- graphs in graphs, and edges --- */

static void children(void)
{
	cudaGraphNode_t node, inner, nodes[4];
	cudaGraph_t graph, child, inside = NULL;
	cudaHostNodeParams p, got;
	cudaGraphExec_t exec;
	size_t count = 4;
	int calls = 0;

	p.fn = count_one;
	p.userData = &calls;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphCreate(&child, 0));
	OK(cudaGraphAddHostNode(&inner, child, NULL, 0, &p));
	OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
	/* The node has a copy of the graph, which it gives without another copy. */
	OK(cudaGraphDestroy(child));
	OK(cudaGraphChildGraphNodeGetGraph(node, &inside));
	CHECK(inside != NULL && inside != child && inside != graph);
	OK(cudaGraphGetNodes(inside, nodes, &count));
	CHECK(count == 1);
	OK(cudaGraphHostNodeGetParams(nodes[0], &got));
	CHECK(got.fn == count_one && got.userData == &calls);
	got.fn = count_ten;
	OK(cudaGraphHostNodeSetParams(nodes[0], &got));
	exec = instance(graph);
	launch(exec);
	CHECK(calls == 10);
	GIVES(cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(node, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(nodes[0], &inside));
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
}

static bool is_zero(const cudaGraphEdgeData &edge)
{
	static const cudaGraphEdgeData none = {};

	return memcmp(&edge, &none, sizeof none) == 0;
}

static void edges(void)
{
	cudaGraphNode_t a, b, c, d, found[5];
	cudaGraphEdgeData data[5];
	cudaGraph_t graph;
	size_t count = 0;

	/* a before b and c, both before d. */
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
	OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
	OK(cudaGraphAddEmptyNode(&c, graph, &a, 1));
	cudaGraphNode_t both[2] = { b, c };
	OK(cudaGraphAddEmptyNode(&d, graph, both, 2));
	OK(cudaGraphNodeGetDependentNodes(a, NULL, NULL, &count));
	CHECK(count == 2);
	count = 5;
	memset(found, 0xff, sizeof found);
	memset(data, 0xff, sizeof data);
	OK(cudaGraphNodeGetDependentNodes(a, found, data, &count));
	CHECK(count == 2);
	CHECK((found[0] == b && found[1] == c) || (found[0] == c && found[1] == b));
	CHECK(found[2] == NULL && found[4] == NULL);
	CHECK(is_zero(data[0]) && is_zero(data[1]));    /* full dependencies */
	count = 1;
	memset(found, 0xff, sizeof found);
	OK(cudaGraphNodeGetDependentNodes(a, found, NULL, &count));
	CHECK(count == 1 && (found[0] == b || found[0] == c));
	CHECK(found[1] != b && found[1] != c);
	count = 5;
	OK(cudaGraphNodeGetDependentNodes(d, found, NULL, &count));
	CHECK(count == 0);
	OK(cudaGraphNodeGetDependentNodes(b, NULL, NULL, &count));
	CHECK(count == 1);
	OK(cudaGraphRemoveDependencies(graph, &b, &d, NULL, 1));
	OK(cudaGraphNodeGetDependentNodes(b, NULL, NULL, &count));
	CHECK(count == 0);
	count = 5;
	memset(data, 0xff, sizeof data);
	OK(cudaGraphNodeGetDependencies(d, found, data, &count));
	CHECK(count == 1 && found[0] == c && is_zero(data[0]));
	cudaGraphNode_t ends[5];
	count = 5;
	memset(data, 0xff, sizeof data);
	OK(cudaGraphGetEdges(graph, found, ends, data, &count));
	CHECK(count == 3 && is_zero(data[0]) && is_zero(data[2]));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetDependentNodes(a, found, NULL, NULL));
	cudaGraphDestroy(graph);
}

/* --- instances --- */

static void instances(void)
{
	unsigned long long flags = 99;
	cudaGraphInstantiateParams params;
	int *memory, value = 2, scale = 1;
	cudaGraphNode_t node, next;
	cudaKernelNodeParams p;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	cudaMalloc(&memory, N * sizeof *memory);
	zero(memory, N);
	void *args[] = { &memory, &value, &scale };
	memset((void *)&p, 0, sizeof p);
	p.func = (void *)add;
	p.gridDim = dim3(1);
	p.blockDim = dim3(N);
	p.kernelParams = args;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
	OK(cudaGraphAddKernelNode(&next, graph, &node, 1, &p));

	OK(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
	OK(cudaGraphExecGetFlags(exec, &flags));
	CHECK(flags == cudaGraphInstantiateFlagUseNodePriority);
	OK(cudaGraphUpload(exec, stream));      /* runs nothing */
	OK(cudaStreamSynchronize(stream));
	CHECK(at(memory, 0) == 0);
	launch(exec);
	CHECK(at(memory, 0) == 4 && at(memory, N - 1) == 4);
	GIVES(cudaErrorInvalidValue, cudaGraphExecGetFlags(exec, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphExecGetFlags(NULL, &flags));
	GIVES(cudaErrorInvalidValue, cudaGraphUpload(NULL, stream));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cudaGraphExecGetFlags(exec, &flags));
	CHECK(flags == 0);
	OK(cudaGraphExecDestroy(exec));
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(NULL, graph, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&exec, graph, 1 << 20));

	/* That of the upload is not among the flags of the instance. */
	memset((void *)&params, 0xff, sizeof params);
	params.flags = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagAutoFreeOnLaunch;
	params.uploadStream = stream;
	OK(cudaGraphInstantiateWithParams(&exec, graph, &params));
	CHECK(params.result_out == cudaGraphInstantiateSuccess);
	OK(cudaGraphExecGetFlags(exec, &flags));
	CHECK(flags == cudaGraphInstantiateFlagAutoFreeOnLaunch);
	launch(exec);
	CHECK(at(memory, 5) == 8);
	OK(cudaGraphExecDestroy(exec));
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, NULL));
	/* In a circle. */
	OK(cudaGraphAddDependencies(graph, &next, &node, NULL, 1));
	memset((void *)&params, 0xff, sizeof params);
	params.flags = 0;
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &params));
	CHECK(params.result_out == cudaGraphInstantiateInvalidStructure);
	CHECK(params.errNode_out == node || params.errNode_out == next);
	cudaGraphDestroy(graph);
	cudaFree(memory);
}

/* --- events --- */

/* An event that was never recorded has no time. */
static bool recorded(cudaEvent_t first, cudaEvent_t event)
{
	float ms;
	cudaError_t error = cudaEventElapsedTime(&ms, first, event);

	cudaGetLastError();
	return error == cudaSuccess;
}

static void records(void)
{
	cudaGraphNode_t node, wait;
	cudaEvent_t first, a, b;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	OK(cudaEventCreate(&first));
	OK(cudaEventCreate(&a));
	OK(cudaEventCreate(&b));
	OK(cudaEventRecord(first, stream));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, a));
	OK(cudaGraphAddEventWaitNode(&wait, graph, &node, 1, first));
	exec = instance(graph);
	CHECK(!recorded(first, a));             /* only a launch does it */
	OK(cudaGraphExecEventRecordNodeSetEvent(exec, node, b));
	launch(exec);
	CHECK(recorded(first, b) && !recorded(first, a));
	OK(cudaGraphExecEventRecordNodeSetEvent(exec, node, a));
	launch(exec);
	CHECK(recorded(first, a));
	GIVES(cudaErrorInvalidValue, cudaGraphExecEventRecordNodeSetEvent(exec, wait, a));
	GIVES(cudaErrorInvalidValue, cudaGraphExecEventWaitNodeSetEvent(exec, node, a));
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
	cudaEventDestroy(first);
	cudaEventDestroy(a);
	cudaEventDestroy(b);
}

/* A graph that copies what another stream stores late, after the event there. */
static void waits(void)
{
	cudaStream_t slow[2];
	cudaEvent_t ready[2];
	cudaGraphNode_t wait, copy;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	int *memory;

	cudaMalloc(&memory, 3 * sizeof *memory);
	zero(memory, 3);
	for (int i = 0; i < 2; i++) {
		cudaStreamCreateWithFlags(&slow[i], cudaStreamNonBlocking);
		cudaEventCreateWithFlags(&ready[i], cudaEventDisableTiming);
	}
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEventWaitNode(&wait, graph, NULL, 0, ready[0]));
	OK(cudaGraphAddMemcpyNode1D(&copy, graph, &wait, 1, memory + 2, memory, sizeof *memory,
				    cudaMemcpyDeviceToDevice));
	exec = instance(graph);
	store_late<<<1, 1, 0, slow[0]>>>(memory, 5, 100000);
	OK(cudaEventRecord(ready[0], slow[0]));
	launch(exec);
	CHECK(at(memory, 2) == 5);
	OK(cudaGraphExecEventWaitNodeSetEvent(exec, wait, ready[1]));
	OK(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, memory + 2, memory + 1, sizeof *memory,
					      cudaMemcpyDeviceToDevice));
	store_late<<<1, 1, 0, slow[1]>>>(memory + 1, 6, 100000);
	OK(cudaEventRecord(ready[1], slow[1]));
	launch(exec);
	CHECK(at(memory, 2) == 6);
	for (int i = 0; i < 2; i++) {
		cudaStreamDestroy(slow[i]);
		cudaEventDestroy(ready[i]);
	}
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
	cudaFree(memory);
}

int main()
{
	OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	children();
	edges();
	instances();
	records();
	waits();
	OK(cudaStreamDestroy(stream));
	return counted();
}
