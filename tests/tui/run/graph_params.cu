// graph_params.cu - parameters of nodes of graphs: what was set is read back, a change of a node
// concerns later instances only, and a change of an instance its later launches only. Each effect is
// seen in memory after a launch.
#include <cuda_runtime.h>

#include <cstring>

#include "graph_checks.h"

enum { N = 64 };

__global__ void times(int *out, int value)
{
	out[threadIdx.x] *= value;
}

/* --- kernels --- */

static void kernels(void)
{
	int *memory, value = 3, scale = 10;
	cudaKernelNodeParams p, got;
	cudaGraphNode_t node, empty;
	cudaGraphExec_t before, after;
	cudaGraph_t graph;

	cudaMalloc(&memory, 2 * N * sizeof *memory);
	void *args[] = { &memory, &value, &scale };
	memset((void *)&p, 0, sizeof p);
	p.func = (void *)add;
	p.gridDim = dim3(2);
	p.blockDim = dim3(32);
	p.sharedMemBytes = 128;
	p.kernelParams = args;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
	value = 1000;                           /* the node has a copy of the arguments */
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGraphKernelNodeGetParams(node, &got));
	CHECK(got.func == (void *)add);
	CHECK(got.gridDim.x == 2 && got.gridDim.y == 1 && got.gridDim.z == 1);
	CHECK(got.blockDim.x == 32 && got.blockDim.y == 1 && got.blockDim.z == 1);
	CHECK(got.sharedMemBytes == 128);
	CHECK(got.extra == NULL);
	CHECK(*(int **)got.kernelParams[0] == memory);
	CHECK(*(int *)got.kernelParams[1] == 3 && *(int *)got.kernelParams[2] == 10);
	before = instance(graph);

	/* Another kernel with fewer parameters, of what was read back. */
	value = 7;
	got.func = (void *)times;
	got.gridDim = dim3(1);
	got.blockDim = dim3(16);
	got.kernelParams = args;
	OK(cudaGraphKernelNodeSetParams(node, &got));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGraphKernelNodeGetParams(node, &got));
	CHECK(got.func == (void *)times && got.gridDim.x == 1 && got.blockDim.x == 16);
	CHECK(*(int *)got.kernelParams[1] == 7);
	after = instance(graph);
	zero(memory, 2 * N);
	launch(before);
	CHECK(at(memory, 0) == 30 && at(memory, 63) == 30 && at(memory, 64) == 0);
	launch(after);
	CHECK(at(memory, 0) == 210 && at(memory, 15) == 210 && at(memory, 16) == 30);
	/* Its own parameters, unchanged. */
	OK(cudaGraphKernelNodeSetParams(node, &got));
	OK(cudaGraphKernelNodeGetParams(node, &got));
	CHECK(*(int **)got.kernelParams[0] == memory && *(int *)got.kernelParams[1] == 7);

	OK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(empty, &got));
	GIVES(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(node, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(empty, &p));
	GIVES(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(node, NULL));
	cudaGraphExecDestroy(before);
	cudaGraphExecDestroy(after);
	cudaGraphDestroy(graph);
	cudaFree(memory);
}

/* --- copies --- */

enum { PITCH = 48, HEIGHT = 5, DEPTH = 3, BOX = PITCH * HEIGHT * DEPTH };

static bool same_copy(const cudaMemcpy3DParms &a, const cudaMemcpy3DParms &b)
{
	return a.srcArray == b.srcArray && a.dstArray == b.dstArray
		&& memcmp(&a.srcPos, &b.srcPos, sizeof a.srcPos) == 0
		&& memcmp(&a.dstPos, &b.dstPos, sizeof a.dstPos) == 0
		&& a.srcPtr.ptr == b.srcPtr.ptr && a.srcPtr.pitch == b.srcPtr.pitch
		&& a.srcPtr.ysize == b.srcPtr.ysize && a.dstPtr.ptr == b.dstPtr.ptr
		&& a.dstPtr.pitch == b.dstPtr.pitch && a.dstPtr.ysize == b.dstPtr.ysize
		&& memcmp(&a.extent, &b.extent, sizeof a.extent) == 0 && a.kind == b.kind;
}

/* Byte i of the source is i * 7; the box of p was copied into zeros. */
static bool has_box(const unsigned char *to, const cudaMemcpy3DParms &p)
{
	unsigned char wanted[BOX] = { 0 }, found[BOX];

	for (size_t z = 0; z < p.extent.depth; z++)
		for (size_t y = 0; y < p.extent.height; y++)
			for (size_t x = 0; x < p.extent.width; x++) {
				size_t from = p.srcPos.x + x + (p.srcPos.y + y) * PITCH
					+ (p.srcPos.z + z) * PITCH * HEIGHT;
				size_t into = p.dstPos.x + x + (p.dstPos.y + y) * PITCH
					+ (p.dstPos.z + z) * PITCH * HEIGHT;

				wanted[into] = (unsigned char)(from * 7);
			}
	cudaMemcpy(found, to, sizeof found, cudaMemcpyDeviceToHost);
	cudaMemset((void *)to, 0, sizeof found);
	cudaDeviceSynchronize();
	return memcmp(found, wanted, sizeof found) == 0;
}

static cudaMemcpy3DParms box_of(unsigned char *from, unsigned char *to)
{
	cudaMemcpy3DParms p;

	memset((void *)&p, 0, sizeof p);
	p.srcPtr = make_cudaPitchedPtr(from, PITCH, PITCH, HEIGHT);
	p.srcPos = make_cudaPos(3, 1, 0);
	p.dstPtr = make_cudaPitchedPtr(to, PITCH, PITCH, HEIGHT);
	p.dstPos = make_cudaPos(8, 0, 1);
	p.extent = make_cudaExtent(20, 4, 2);
	p.kind = cudaMemcpyDeviceToDevice;
	return p;
}

static void copies(void)
{
	unsigned char host[BOX], *from, *to;
	cudaMemcpy3DParms p, other, got;
	cudaGraphNode_t node, line, empty;
	cudaGraphExec_t exec, old;
	cudaGraph_t graph;

	for (int i = 0; i < BOX; i++)
		host[i] = (unsigned char)(i * 7);
	cudaMalloc(&from, BOX);
	cudaMalloc(&to, BOX);
	cudaMemcpy(from, host, BOX, cudaMemcpyHostToDevice);
	cudaMemset(to, 0, BOX);
	cudaDeviceSynchronize();
	p = box_of(from, to);
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGraphMemcpyNodeGetParams(node, &got));
	CHECK(same_copy(got, p));
	old = instance(graph);
	launch(old);
	CHECK(has_box(to, p));

	other = p;
	other.srcPos = make_cudaPos(0, 0, 1);
	other.dstPos = make_cudaPos(1, 2, 0);
	other.extent = make_cudaExtent(47, 3, 1);
	OK(cudaGraphMemcpyNodeSetParams(node, &other));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGraphMemcpyNodeGetParams(node, &got));
	CHECK(same_copy(got, other));
	launch(old);                            /* made before the change */
	CHECK(has_box(to, p));
	exec = instance(graph);
	launch(exec);
	CHECK(has_box(to, other));
	/* Setting what was read changes nothing. */
	OK(cudaGraphMemcpyNodeSetParams(node, &got));
	cudaGraphExecDestroy(exec);
	exec = instance(graph);
	launch(exec);
	CHECK(has_box(to, other));
	/* An instance's copy can be changed only if it is of one dimension, before and after. */
	other.extent = make_cudaExtent(10, 1, 1);
	GIVES(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, node, &other));
	launch(exec);
	CHECK(has_box(to, got));
	cudaGraphExecDestroy(exec);
	cudaGraphExecDestroy(old);

	OK(cudaGraphMemcpyNodeSetParams1D(node, to + 5, from + 9, 100, cudaMemcpyDeviceToDevice));
	OK(cudaGraphMemcpyNodeGetParams(node, &got));
	CHECK(got.extent.width == 100 && got.extent.height == 1 && got.extent.depth == 1);
	CHECK((unsigned char *)got.srcPtr.ptr + got.srcPos.x == from + 9);
	CHECK((unsigned char *)got.dstPtr.ptr + got.dstPos.x == to + 5);
	exec = instance(graph);
	launch(exec);
	cudaMemcpy(host, to, BOX, cudaMemcpyDeviceToHost);
	CHECK(host[4] == 0 && host[5] == (unsigned char)(9 * 7));
	CHECK(host[104] == (unsigned char)(108 * 7) && host[105] == 0);

	cudaMemset(to, 0, BOX);
	cudaDeviceSynchronize();
	OK(cudaGraphExecMemcpyNodeSetParams1D(exec, node, to + 50, from, 10,
					      cudaMemcpyDeviceToDevice));
	launch(exec);
	cudaMemcpy(host, to, BOX, cudaMemcpyDeviceToHost);
	CHECK(host[5] == 0 && host[49] == 0 && host[51] == 7 && host[59] == 63 && host[60] == 0);
	OK(cudaGraphMemcpyNodeGetParams(node, &got));
	CHECK(got.extent.width == 100);         /* that of the graph stays */

	p = box_of(from, to);
	p.srcPos = make_cudaPos(2, 0, 0);
	p.dstPos = make_cudaPos(0, 3, 2);
	p.extent = make_cudaExtent(30, 1, 1);
	cudaMemset(to, 0, BOX);
	cudaDeviceSynchronize();
	OK(cudaGraphExecMemcpyNodeSetParams(exec, node, &p));
	launch(exec);
	CHECK(has_box(to, p));
	other = box_of(from, to);
	GIVES(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, node, &other));

	OK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
	OK(cudaGraphAddMemcpyNode1D(&line, graph, NULL, 0, to, from, 4, cudaMemcpyDeviceToDevice));
	GIVES(cudaErrorInvalidValue, cudaGraphMemcpyNodeGetParams(empty, &got));
	GIVES(cudaErrorInvalidValue, cudaGraphMemcpyNodeGetParams(node, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams(empty, &p));
	GIVES(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams(node, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams1D(
		empty, to, from, 4, cudaMemcpyDeviceToDevice));
	/* No node of the graph that the instance was made of. */
	GIVES(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams1D(
		exec, line, to, from, 4, cudaMemcpyDeviceToDevice));
	GIVES(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, line, &p));
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&line, graph, NULL, 0, NULL));
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
	cudaFree(from);
	cudaFree(to);
}

/* One side is an array, which is read back as one. */
static void array_copies(void)
{
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	float host[12], back[6] = { 0 }, *memory;
	cudaMemcpy3DParms p, got;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaArray_t array;
	cudaGraph_t graph;

	for (int i = 0; i < 12; i++)
		host[i] = (float)i;
	cudaMalloc(&memory, 6 * sizeof *memory);
	cudaMallocArray(&array, &desc, 4, 3);
	cudaMemcpy2DToArray(array, 0, 0, host, 4 * sizeof *host, 4 * sizeof *host, 3,
			    cudaMemcpyHostToDevice);
	memset((void *)&p, 0, sizeof p);
	p.srcArray = array;
	p.srcPos = make_cudaPos(1, 1, 0);
	p.dstPtr = make_cudaPitchedPtr(memory, 3 * sizeof *memory, 3, 2);
	p.extent = make_cudaExtent(3, 2, 1);
	p.kind = cudaMemcpyDeviceToDevice;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGraphMemcpyNodeGetParams(node, &got));
	CHECK(same_copy(got, p));
	OK(cudaGraphMemcpyNodeSetParams(node, &got));
	exec = instance(graph);
	launch(exec);
	cudaMemcpy(back, memory, sizeof back, cudaMemcpyDeviceToHost);
	CHECK(back[0] == 5.0f && back[2] == 7.0f && back[3] == 9.0f && back[5] == 11.0f);
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
	cudaFreeArray(array);
	cudaFree(memory);
}

/* --- memsets and host functions --- */

static void fills(void)
{
	unsigned short *memory, back[40];
	cudaMemsetParams p, got;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	cudaMalloc(&memory, sizeof back);
	memset((void *)&p, 0, sizeof p);
	p.dst = memory + 1;
	p.pitch = 8 * sizeof *memory;
	p.value = 0xabcd;
	p.elementSize = 2;
	p.width = 5;
	p.height = 3;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &p));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGraphMemsetNodeGetParams(node, &got));
	CHECK(got.dst == p.dst && got.pitch == p.pitch && got.value == p.value);
	CHECK(got.elementSize == 2 && got.width == 5 && got.height == 3);
	got.value = 0x1234;
	got.width = 6;
	OK(cudaGraphMemsetNodeSetParams(node, &got));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGraphMemsetNodeGetParams(node, &got));
	CHECK(got.value == 0x1234 && got.width == 6 && got.dst == p.dst);
	exec = instance(graph);
	cudaMemset(memory, 0, sizeof back);
	cudaDeviceSynchronize();
	launch(exec);
	cudaMemcpy(back, memory, sizeof back, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 40; i++) {
		bool inside = i >= 1 && (i - 1) % 8 < 6 && (i - 1) / 8 < 3;

		CHECK(back[i] == (inside ? 0x1234 : 0));
	}
	GIVES(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(node, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(node, NULL));
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
	cudaFree(memory);
}

static void count_one(void *data) { *(int *)data += 1; }
static void count_ten(void *data) { *(int *)data += 10; }

static void hosts(void)
{
	cudaHostNodeParams p, got;
	cudaGraphNode_t node, empty;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	int a = 0, b = 0;

	p.fn = count_one;
	p.userData = &a;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddHostNode(&node, graph, NULL, 0, &p));
	OK(cudaGraphAddEmptyNode(&empty, graph, &node, 1));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGraphHostNodeGetParams(node, &got));
	CHECK(got.fn == count_one && got.userData == &a);
	exec = instance(graph);
	launch(exec);
	CHECK(a == 1);
	p.fn = count_ten;
	OK(cudaGraphHostNodeSetParams(node, &p));
	OK(cudaGraphHostNodeGetParams(node, &got));
	CHECK(got.fn == count_ten && got.userData == &a);
	launch(exec);
	CHECK(a == 2);                          /* as it was instantiated */
	p.userData = &b;
	OK(cudaGraphExecHostNodeSetParams(exec, node, &p));
	launch(exec);
	CHECK(a == 2 && b == 10);
	OK(cudaGraphHostNodeGetParams(node, &got));
	CHECK(got.userData == &a);
	GIVES(cudaErrorInvalidValue, cudaGraphHostNodeGetParams(empty, &got));
	GIVES(cudaErrorInvalidValue, cudaGraphHostNodeSetParams(empty, &p));
	GIVES(cudaErrorInvalidValue, cudaGraphExecHostNodeSetParams(exec, empty, &p));
	GIVES(cudaErrorInvalidValue, cudaGraphExecHostNodeSetParams(exec, node, NULL));
	p.fn = NULL;
	GIVES(cudaErrorInvalidValue, cudaGraphHostNodeSetParams(node, &p));
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
}

/* With an argument: without arrays, which only the simulator has. */
int main(int argc, char **)
{
	OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	kernels();
	copies();
	if (argc == 1)
		array_copies();
	fills();
	hosts();
	OK(cudaStreamDestroy(stream));
	return counted();
}
