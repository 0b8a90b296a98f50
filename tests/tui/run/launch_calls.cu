// launch_calls.cu - attributes of streams, modes of captures, launches with a configuration, names of
// kernels, and copies from symbols: the errors that CUDA documents, and the effects seen by other
// calls.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstring>

#include "counted.h"

enum { N = 256 };

__global__ void fill(int *out, int value)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

extern "C" __global__ void plain_name(int *out)
{
	*out = 1;
}

namespace outer {
template <class T> __global__ void of_type(T *out)
{
	*out = 2;
}
}

/* --- attributes of streams --- */

static void attributes(void)
{
	cudaLaunchAttributeValue value;
	cudaStream_t a, b;
	char *memory;

	cudaMalloc(&memory, 4096);
	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	memset(&value, 0, sizeof value);
	value.accessPolicyWindow.base_ptr = memory;
	value.accessPolicyWindow.num_bytes = 2048;
	value.accessPolicyWindow.hitRatio = 0.5f;
	value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
	OK(cudaStreamSetAttribute(a, cudaLaunchAttributeAccessPolicyWindow, &value));
	memset(&value, 0, sizeof value);
	value.syncPolicy = cudaSyncPolicyYield;
	OK(cudaStreamSetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &value));

	OK(cudaStreamCopyAttributes(b, a));
	memset(&value, 0, sizeof value);
	OK(cudaStreamGetAttribute(b, cudaLaunchAttributeAccessPolicyWindow, &value));
	CHECK(value.accessPolicyWindow.base_ptr == memory);
	CHECK(value.accessPolicyWindow.num_bytes == 2048);
	CHECK(value.accessPolicyWindow.hitRatio == 0.5f);
	CHECK(value.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting);
	CHECK(value.accessPolicyWindow.missProp == cudaAccessPropertyStreaming);
	OK(cudaStreamGetAttribute(b, cudaLaunchAttributeSynchronizationPolicy, &value));
	CHECK(value.syncPolicy == cudaSyncPolicyYield);
	/* A copy: what changes in one later does not in the other. */
	memset(&value, 0, sizeof value);
	value.syncPolicy = cudaSyncPolicySpin;
	OK(cudaStreamSetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &value));
	OK(cudaStreamGetAttribute(b, cudaLaunchAttributeSynchronizationPolicy, &value));
	CHECK(value.syncPolicy == cudaSyncPolicyYield);
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
	cudaFree(memory);
}

/* --- what a capture forbids the thread --- */

static void capture_modes(void)
{
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	cudaGraph_t graph;
	cudaStream_t s;
	void *memory = NULL;

	cudaStreamCreate(&s);
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == cudaStreamCaptureModeGlobal);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaMalloc(&memory, 64));
	mode = cudaStreamCaptureModeThreadLocal;
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == cudaStreamCaptureModeRelaxed);
	mode = cudaStreamCaptureModeGlobal;
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == cudaStreamCaptureModeThreadLocal);
	OK(cudaStreamEndCapture(s, &graph));
	cudaGraphDestroy(graph);
	cudaFree(memory);

	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	GIVES(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 64));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
	CHECK(graph == NULL);
	GIVES(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(NULL));
	mode = (cudaStreamCaptureMode)3;
	GIVES(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(&mode));
	cudaStreamDestroy(s);
}

/* --- launches with a configuration --- */

/* Where the launch has clusters, each block writes how many it has. */
__global__ void cluster_sizes(int *out)
{
	if (threadIdx.x == 0)
		out[blockIdx.x] = (int)cooperative_groups::this_cluster().num_blocks();
}

/* More than 8 blocks only if the kernel allows it; also in a graph. */
static void wide_clusters(cudaLaunchConfig_t config, cudaLaunchAttribute attribute, void **args,
			  int *memory)
{
	const void *kernel = (const void *)cluster_sizes;
	cudaFuncAttributes attributes;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	config.gridDim = dim3(32);
	config.attrs = &attribute;
	config.numAttrs = 1;
	attribute.val.clusterDim.x = 16;
	GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&config, kernel, args));
	OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	OK(cudaFuncGetAttributes(&attributes, kernel));
	CHECK(attributes.nonPortableClusterSizeAllowed == 1);
	OK(cudaLaunchKernelExC(&config, kernel, args));
	OK(cudaStreamSynchronize(config.stream));
	CHECK(all_are(memory, 32, 16));
	attribute.val.clusterDim.x = 2;
	OK(cudaStreamBeginCapture(config.stream, cudaStreamCaptureModeRelaxed));
	OK(cudaLaunchKernelExC(&config, kernel, args));
	OK(cudaStreamEndCapture(config.stream, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, config.stream));
	OK(cudaStreamSynchronize(config.stream));
	CHECK(all_are(memory, 32, 2));
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
}

static void launches(void)
{
	int *memory, value = 21;
	cudaLaunchConfig_t config;
	cudaLaunchAttribute attribute;
	cudaStream_t s;

	cudaMalloc(&memory, N * sizeof *memory);
	cudaMemset(memory, 0, N * sizeof *memory);
	cudaDeviceSynchronize();
	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	void *args[] = { &memory, &value };
	memset((void *)&config, 0, sizeof config);
	config.gridDim = dim3(4);
	config.blockDim = dim3(32);
	config.stream = s;
	OK(cudaLaunchKernelExC(&config, (const void *)fill, args));
	value = 22;                             /* the arguments were copied */
	OK(cudaStreamSynchronize(s));
	CHECK(all_are(memory, 128, 21));
	CHECK(all_are(memory + 128, 128, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, (const void *)fill, args));
	GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernelExC(&config, NULL, args));
	config.blockDim = dim3(2048);
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC(&config, (const void *)fill, args));

	config.blockDim = dim3(32);
	memset((void *)&attribute, 0, sizeof attribute);
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = 4;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.attrs = &attribute;
	config.numAttrs = 1;
	config.gridDim = dim3(8);
	OK(cudaLaunchKernelExC(&config, (const void *)cluster_sizes, args));
	OK(cudaStreamSynchronize(s));
	CHECK(all_are(memory, 8, 4));
	CHECK(all_are(memory + 8, 4, 21));
	config.numAttrs = 0;                    /* without them a cluster is one block */
	OK(cudaLaunchKernelExC(&config, (const void *)cluster_sizes, args));
	OK(cudaStreamSynchronize(s));
	CHECK(all_are(memory, 8, 1));
	wide_clusters(config, attribute, args, memory);
	cudaStreamDestroy(s);
	cudaFree(memory);
}

static void names(void)
{
	const char *name = NULL;

	OK(cudaFuncGetName(&name, (const void *)plain_name));
	CHECK(strcmp(name, "plain_name") == 0);
	/* Mangled by the rules of the host's C++ ABI. */
	OK(cudaFuncGetName(&name, (const void *)fill));
	CHECK(strcmp(name, "_Z4fillPii") == 0);
	OK(cudaFuncGetName(&name, (const void *)outer::of_type<float>));
	CHECK(strcmp(name, "_ZN5outer7of_typeIfEEvPT_") == 0);
	GIVES(cudaErrorInvalidValue, cudaFuncGetName(NULL, (const void *)fill));
}

/* --- symbols --- */

__device__ int numbers[8] = { 10, 11, 12, 13, 14, 15, 16, 17 };
__constant__ int constants[3] = { 1, 2, 3 };

__global__ void add_to_numbers(int value)
{
	numbers[threadIdx.x] += value;
}

static void symbols(void)
{
	int host[8] = { 0 }, *memory, back[8];
	cudaStream_t s;

	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	cudaMalloc(&memory, sizeof host);
	cudaMemset(memory, 0, sizeof host);
	cudaDeviceSynchronize();
	add_to_numbers<<<1, 8, 0, s>>>(100);
	OK(cudaMemcpyFromSymbolAsync(host, numbers, 3 * sizeof(int), 2 * sizeof(int),
				     cudaMemcpyDeviceToHost, s));
	OK(cudaMemcpyFromSymbolAsync(memory + 1, numbers, 8 * sizeof(int) - 4, 4,
				     cudaMemcpyDeviceToDevice, s));
	OK(cudaStreamSynchronize(s));
	CHECK(host[0] == 112 && host[1] == 113 && host[2] == 114 && host[3] == 0);
	cudaMemcpy(back, memory, sizeof back, cudaMemcpyDeviceToHost);
	CHECK(back[0] == 0 && back[1] == 111 && back[7] == 117);
	OK(cudaMemcpyFromSymbolAsync(host + 5, constants, sizeof constants, 0, cudaMemcpyDefault,
				     s));
	OK(cudaStreamSynchronize(s));
	CHECK(host[4] == 0 && host[5] == 1 && host[6] == 2 && host[7] == 3);
	GIVES(cudaErrorInvalidValue, cudaMemcpyFromSymbolAsync(
		host, numbers, sizeof numbers, 4, cudaMemcpyDeviceToHost, s));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbolAsync(
		host, numbers, 4, 0, cudaMemcpyHostToDevice, s));
	GIVES(cudaErrorInvalidSymbol, cudaMemcpyFromSymbolAsync(
		host, (const void *)back, 4, 0, cudaMemcpyDeviceToHost, s));
	cudaFree(memory);
	cudaStreamDestroy(s);
}
int main()
{
	attributes();
	capture_modes();
	launches();
	names();
	symbols();
	return counted();
}
