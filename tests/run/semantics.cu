/* semantics.cu - what CUDA's runtime API answers, as lines NAME VALUE; no times, no addresses.
 *
 * tests/h200/semantics.txt has the answers of a GPU; test_run_semantics.sh compares those of the
 * simulator with it, and tests/gpu/semantics.sh those of a GPU. A value is mostly an error code. The
 * last error is cleared before each question. Without an argument: all questions that leave the
 * device usable; with the name of a group: only those. With one of `fault`, `trap`, `assert`: the
 * questions after such an end of a kernel. With `list`: the names of the groups. Names that begin
 * with "gpu." depend on the machine or on how long work takes, and are not compared. What crashes
 * CUDA is not asked. Build: nvcc -std=c++17 -arch=sm_90 -o semantics semantics.cu
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#define N 1024

__global__ void set_value(int *out, int value)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void copy_one(const int *from, int *to)
{
	*to = *from;
}

/* Takes some milliseconds on a GPU. */
__global__ void set_late(int *out, int value, int rounds)
{
	volatile float x = 1.0f;

	for (int i = 0; i < rounds; i++)
		x = x * 0.5f + 1.0f;
	*out = value + (x < 0.0f);
}

__global__ void __launch_bounds__(64) bounded(int *out)
{
	out[threadIdx.x] = 1;
}

__global__ void static_shared(int *out)
{
	__shared__ int words[10240];

	words[threadIdx.x] = (int)threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

__global__ void dynamic_shared(int *out)
{
	extern __shared__ int words[];

	words[threadIdx.x] = (int)threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

__global__ void store_at(int *out, long long index)
{
	out[index] = 1;
}

__global__ void trap_now(int *out)
{
	*out = 1;
	__trap();
}

__global__ void assert_zero(int value)
{
	assert(value == 0);
}

__device__ int variable[4] = { 1, 2, 3, 4 };
__constant__ int constants[4] = { 5, 6, 7, 8 };
static int host_variable;

__global__ void read_constants(int *out)
{
	out[threadIdx.x] = constants[threadIdx.x % 4] + variable[threadIdx.x % 4];
}

static void say(const char *name, long long value)
{
	printf("%s %lld\n", name, value);
	cudaGetLastError();
}

#define E(name, call) say(name, (long long)(call))

static void host_nothing(void *data)
{
	++*(int *)data;
}

static void host_calls(void *data)
{
	*(int *)data = (int)cudaDeviceSynchronize();
}

static void stream_callback(cudaStream_t, cudaError_t status, void *data)
{
	*(int *)data = 100 + (int)status;
}

/* --- errors --- */

static void errors(void)
{
	void *p = NULL;
	cudaError_t e;

	E("errors.malloc_null", cudaMalloc((void **)NULL, 4));
	e = cudaMalloc(&p, (size_t)1 << 60);
	E("errors.malloc_huge", e);
	e = cudaMalloc(&p, SIZE_MAX);
	E("errors.malloc_max", e);
	cudaMalloc(&p, (size_t)1 << 60);
	printf("errors.peek %d\n", cudaPeekAtLastError());
	printf("errors.get %d\n", cudaGetLastError());
	printf("errors.get_again %d\n", cudaGetLastError());
	cudaMalloc(&p, (size_t)1 << 60);
	cudaSetDevice(0);
	printf("errors.get_after_success %d\n", cudaGetLastError());
	cudaMalloc(&p, (size_t)1 << 60);
	cudaMemcpy(NULL, NULL, 4, (cudaMemcpyKind)9);
	printf("errors.get_last_of_two %d\n", cudaGetLastError());
	cudaGetDevice(NULL);
	printf("errors.get_after_null %d\n", cudaGetLastError());
	printf("errors.name_unknown %s\n", cudaGetErrorName((cudaError_t)12345));
	printf("errors.string_unknown %s\n", cudaGetErrorString((cudaError_t)12345));
	printf("errors.name_700 %s\n", cudaGetErrorName(cudaErrorIllegalAddress));
	printf("errors.string_9 %s\n", cudaGetErrorString(cudaErrorInvalidConfiguration));
}

/* --- memory --- */

static void allocations(void)
{
	char *a, *b, *pinned, *managed, *empty = (char *)1, *unset = (char *)1;
	int host = 0;
	char *heap = (char *)malloc(4096);
	size_t pitch;
	cudaPitchedPtr box;

	E("memory.malloc_zero", cudaMalloc(&empty, 0));
	E("memory.malloc_zero_is_null", empty == NULL);
	cudaMalloc(&unset, (size_t)1 << 60);
	E("memory.malloc_failed_pointer_kept", unset == (char *)1);
	cudaMalloc(&a, 4096);
	cudaMalloc(&b, 1);
	E("memory.aligned_256", ((size_t)a | (size_t)b) % 256);
	E("memory.free_null", cudaFree(NULL));
	E("memory.free_interior", cudaFree(a + 256));
	E("memory.free_interior_odd", cudaFree(a + 1));
	E("memory.free_heap", cudaFree(heap));
	E("memory.free_stack", cudaFree(&host));
	E("memory.free", cudaFree(b));
	E("memory.free_twice", cudaFree(b));
	E("memory.host_alloc", cudaHostAlloc(&pinned, 4096, cudaHostAllocDefault));
	E("memory.host_alloc_flags_8", cudaHostAlloc(&empty, 4096, 8));
	E("memory.host_alloc_flags_16", cudaHostAlloc(&empty, 4096, 16));
	empty = (char *)1;
	E("memory.host_alloc_zero", cudaHostAlloc(&empty, 0, 0));
	E("memory.host_alloc_zero_is_null", empty == NULL);
	E("memory.free_pinned", cudaFree(pinned));
	cudaHostAlloc(&pinned, 4096, cudaHostAllocDefault);
	E("memory.free_host_device", cudaFreeHost(a));
	E("memory.free_host_heap", cudaFreeHost(heap));
	E("memory.free_host_null", cudaFreeHost(NULL));
	E("memory.free_host_interior", cudaFreeHost(pinned + 256));
	E("memory.free_host", cudaFreeHost(pinned));
	E("memory.free_host_twice", cudaFreeHost(pinned));
	E("memory.managed", cudaMallocManaged(&managed, 4096));
	E("memory.managed_flags_0", cudaMallocManaged(&empty, 64, 0));
	E("memory.managed_flags_host", cudaMallocManaged(&empty, 64, cudaMemAttachHost));
	E("memory.managed_flags_4", cudaMallocManaged(&empty, 64, 4));
	E("memory.managed_zero", cudaMallocManaged(&empty, 0));
	E("memory.managed_first_value", managed[17]);
	E("memory.free_managed", cudaFree(managed));
	for (size_t width : { 0, 1, 100, 512, 513, 1000, 4096 }) {
		char name[64];
		char *rows = NULL;

		pitch = 12345;
		snprintf(name, sizeof name, "memory.pitch_%zu", width);
		int error = cudaMallocPitch(&rows, &pitch, width, 3);
		printf("%s %d %zu\n", name, error, pitch);
		cudaGetLastError();
		cudaFree(rows);
	}
	E("memory.pitch_null", cudaMallocPitch(&empty, NULL, 16, 16));
	E("memory.malloc3d", cudaMalloc3D(&box, make_cudaExtent(100, 3, 2)));
	printf("memory.malloc3d_values %zu %zu %zu\n", box.pitch, box.xsize, box.ysize);
	cudaFree(box.ptr);
	E("memory.get_info_null", cudaMemGetInfo(NULL, NULL));
	E("memory.prefetch_device", cudaMemPrefetchAsync(a, 64, cudaMemLocation{
		cudaMemLocationTypeDevice, 0 }, 0, 0));
	cudaFree(a);
	free(heap);
}

static const char *which(const void *pointer, const void *expected)
{
	return pointer == expected ? "same" : pointer ? "other" : "null";
}

static void pointers(void)
{
	cudaPointerAttributes is;
	char *a, *pinned, *managed, *heap = (char *)aligned_alloc(4096, 8192), *seen = NULL;
	int stack;
	unsigned flags = 77;

	cudaMalloc(&a, 4096);
	cudaHostAlloc(&pinned, 4096, cudaHostAllocPortable);
	cudaMallocManaged(&managed, 4096);
	const struct {
		const char *name;
		const void *pointer;
	} all[] = {
		{ "device", a }, { "device_interior", a + 100 }, { "pinned", pinned },
		{ "pinned_interior", pinned + 100 }, { "managed", managed }, { "heap", heap },
		{ "stack", &stack }, { "null", NULL }, { "device_end", a + 4096 + (1 << 21) },
	};

	for (auto &one : all) {
		memset(&is, 0x55, sizeof is);
		int error = cudaPointerGetAttributes(&is, one.pointer);

		printf("pointers.%s %d type %d device %d device_pointer %s host_pointer %s\n",
		       one.name, error, (int)is.type, is.device,
		       which(is.devicePointer, one.pointer), which(is.hostPointer, one.pointer));
		cudaGetLastError();
	}
	E("pointers.attributes_null", cudaPointerGetAttributes(NULL, a));
	E("pointers.host_flags", cudaHostGetFlags(&flags, pinned));
	E("pointers.host_flags_value", flags);
	E("pointers.host_flags_heap", cudaHostGetFlags(&flags, heap));
	E("pointers.host_flags_device", cudaHostGetFlags(&flags, a));
	E("pointers.device_pointer", cudaHostGetDevicePointer(&seen, pinned, 0));
	E("pointers.device_pointer_same", seen == pinned);
	E("pointers.device_pointer_interior", cudaHostGetDevicePointer(&seen, pinned + 8, 0));
	E("gpu.pointers.device_pointer_heap", cudaHostGetDevicePointer(&seen, heap, 0));
	E("pointers.device_pointer_flags", cudaHostGetDevicePointer(&seen, pinned, 1));
	E("pointers.device_pointer_null", cudaHostGetDevicePointer(&seen, NULL, 0));
	E("pointers.register", cudaHostRegister(heap, 8192, 0));
	E("pointers.register_twice", cudaHostRegister(heap, 8192, 0));
	E("pointers.register_null", cudaHostRegister(NULL, 64, 0));
	E("pointers.register_zero", cudaHostRegister(heap, 0, 0));
	E("pointers.register_flags", cudaHostRegister(heap, 64, 64));
	memset(&is, 0, sizeof is);
	cudaPointerGetAttributes(&is, heap);
	E("pointers.registered_type", is.type);
	E("pointers.registered_flags", cudaHostGetFlags(&flags, heap));
	E("pointers.registered_flags_value", flags);
	E("pointers.unregister_interior", cudaHostUnregister(heap + 4096));
	E("pointers.unregister", cudaHostUnregister(heap));
	E("pointers.unregister_twice", cudaHostUnregister(heap));
	E("pointers.unregister_null", cudaHostUnregister(NULL));
	E("pointers.unregister_pinned", cudaHostUnregister(pinned));
	cudaFree(a);
	memset(&is, 0x55, sizeof is);
	E("pointers.freed", cudaPointerGetAttributes(&is, a));
	E("pointers.freed_type", is.type);
	cudaFreeHost(pinned);
	cudaFree(managed);
	free(heap);
}

/* --- copies --- */

static void copies(void)
{
	const size_t big = 16 << 20;
	char *a, *b, *pinned, *managed, *host = (char *)malloc(big);
	cudaMemcpy3DParms box;

	memset(host, 1, big);
	cudaMalloc(&a, big);
	cudaMalloc(&b, big);
	cudaMallocHost(&pinned, 4096);
	cudaMallocManaged(&managed, 4096);
	E("copy.zero_null", cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
	E("copy.zero_bad_kind", cudaMemcpy(NULL, NULL, 0, (cudaMemcpyKind)7));
	E("copy.async_zero_bad_kind", cudaMemcpyAsync(NULL, NULL, 0, (cudaMemcpyKind)7, 0));
	E("copy.null_to", cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice));
	E("copy.null_from", cudaMemcpy(a, NULL, 4, cudaMemcpyHostToDevice));
	E("copy.kind_5", cudaMemcpy(a, host, 4, (cudaMemcpyKind)5));
	E("copy.kind_minus_1", cudaMemcpy(a, host, 4, (cudaMemcpyKind)-1));
	E("copy.h2d", cudaMemcpy(a, host, big, cudaMemcpyHostToDevice));
	E("copy.h2d_swapped", cudaMemcpy(host, a, 4, cudaMemcpyHostToDevice));
	E("copy.d2h_swapped", cudaMemcpy(a, host, 4, cudaMemcpyDeviceToHost));
	E("copy.h2d_both_device", cudaMemcpy(b, a, 4, cudaMemcpyHostToDevice));
	E("copy.h2d_both_host", cudaMemcpy(host + 8, host, 4, cudaMemcpyHostToDevice));
	E("copy.d2h_both_device", cudaMemcpy(b, a, 4, cudaMemcpyDeviceToHost));
	E("copy.d2h_both_host", cudaMemcpy(host + 8, host, 4, cudaMemcpyDeviceToHost));
	E("copy.d2d_from_host", cudaMemcpy(b, host, 4, cudaMemcpyDeviceToDevice));
	E("copy.d2d_to_host", cudaMemcpy(host, b, 4, cudaMemcpyDeviceToDevice));
	E("copy.h2h_device", cudaMemcpy(b, a, 4, cudaMemcpyHostToHost));
	E("copy.h2h", cudaMemcpy(host + 8, host, 4, cudaMemcpyHostToHost));
	E("copy.default_h2d", cudaMemcpy(a, host, 4, cudaMemcpyDefault));
	E("copy.default_h2h", cudaMemcpy(host + 8, host, 4, cudaMemcpyDefault));
	E("copy.pinned_as_device", cudaMemcpy(pinned, host, 4, cudaMemcpyHostToDevice));
	E("copy.pinned_d2d", cudaMemcpy(pinned, a, 4, cudaMemcpyDeviceToDevice));
	E("copy.managed_h2d", cudaMemcpy(managed, host, 4, cudaMemcpyHostToDevice));
	E("copy.managed_d2h", cudaMemcpy(host, managed, 4, cudaMemcpyDeviceToHost));
	E("copy.managed_h2h", cudaMemcpy(host, managed, 4, cudaMemcpyHostToHost));
	E("copy.beyond_to", cudaMemcpy(a + 4, host, big, cudaMemcpyHostToDevice));
	E("copy.beyond_from", cudaMemcpy(host, a + 4, big, cudaMemcpyDeviceToHost));
	E("copy.beyond_d2d", cudaMemcpy(b, a + 4, big, cudaMemcpyDeviceToDevice));
	E("copy.beyond_pinned", cudaMemcpy(a, pinned, 1 << 23, cudaMemcpyDefault));
	E("copy.same", cudaMemcpy(a, a, 64, cudaMemcpyDeviceToDevice));
	E("copy.async_default_stream", cudaMemcpyAsync(a, host, 64, cudaMemcpyHostToDevice));
	E("copy.async_swapped", cudaMemcpyAsync(host, a, 4, cudaMemcpyHostToDevice, 0));
	E("copy.2d_pitch_to", cudaMemcpy2D(a, 8, host, 16, 10, 2, cudaMemcpyHostToDevice));
	E("copy.2d_pitch_from", cudaMemcpy2D(a, 16, host, 8, 10, 2, cudaMemcpyHostToDevice));
	E("copy.2d_pitch_one_row", cudaMemcpy2D(a, 8, host, 8, 10, 1, cudaMemcpyHostToDevice));
	E("copy.2d_zero_width", cudaMemcpy2D(a, 8, host, 8, 0, 2, cudaMemcpyHostToDevice));
	E("copy.2d_zero_height", cudaMemcpy2D(a, 8, host, 8, 4, 0, cudaMemcpyHostToDevice));
	E("copy.2d_kind", cudaMemcpy2D(a, 8, host, 8, 4, 2, (cudaMemcpyKind)5));
	E("copy.2d_beyond", cudaMemcpy2D(a, big / 2, host, 8, 8, 4, cudaMemcpyHostToDevice));
	E("copy.2d_huge_pitch", cudaMemcpy2D(a, (size_t)1 << 32, host, 8, 8, 1,
					     cudaMemcpyHostToDevice));
	E("copy.3d_null", cudaMemcpy3D(NULL));
	memset(&box, 0, sizeof box);
	E("copy.3d_empty", cudaMemcpy3D(&box));
	box.srcPtr = make_cudaPitchedPtr(host, 64, 64, 4);
	box.dstPtr = make_cudaPitchedPtr(a, 64, 64, 4);
	box.extent = make_cudaExtent(64, 4, 2);
	box.kind = cudaMemcpyHostToDevice;
	E("copy.3d", cudaMemcpy3D(&box));
	box.extent = make_cudaExtent(65, 4, 2);
	E("copy.3d_wide", cudaMemcpy3D(&box));
	box.extent = make_cudaExtent(64, 5, 2);
	E("copy.3d_high", cudaMemcpy3D(&box));
	box.extent = make_cudaExtent(64, 5, 1);
	E("copy.3d_high_one_slice", cudaMemcpy3D(&box));
	box.extent = make_cudaExtent(0, 4, 2);
	E("copy.3d_zero_width", cudaMemcpy3D(&box));
	box.extent = make_cudaExtent(32, 2, 1);
	box.srcPos = make_cudaPos(40, 0, 0);
	E("copy.3d_pos", cudaMemcpy3D(&box));
	E("copy.peer_bad_device", cudaMemcpyPeer(b, 99, a, 0, 4));
	E("copy.peer_same_device", cudaMemcpyPeer(b, 0, a, 0, 4));
	E("memset.zero_null", cudaMemset(NULL, 0, 0));
	E("memset.null", cudaMemset(NULL, 0, 4));
	E("memset.host", cudaMemset(host, 0, 4));
	E("memset.pinned", cudaMemset(pinned, 0, 4));
	E("memset.managed", cudaMemset(managed, 0, 4));
	E("memset.beyond", cudaMemset(a + 4, 0, big));
	cudaMemset(a, 0x1234, 8);
	cudaMemcpy(host, a, 8, cudaMemcpyDeviceToHost);
	E("memset.value", (unsigned char)host[7]);
	E("memset.2d_pitch", cudaMemset2D(a, 4, 0, 8, 2));
	E("memset.2d_pitch_one_row", cudaMemset2D(a, 4, 0, 8, 1));
	E("memset.2d_zero", cudaMemset2D(a, 4, 0, 0, 2));
	E("memset.2d", cudaMemset2D(a, 64, 0, 8, 2));
	cudaFree(a);
	cudaFree(b);
	cudaFreeHost(pinned);
	cudaFree(managed);
	free(host);
}

static void symbols(void)
{
	int values[8] = { 0 };
	void *address = NULL;
	size_t size = 0;
	int *out;

	E("symbol.to", cudaMemcpyToSymbol(variable, values, sizeof variable));
	E("symbol.to_beyond", cudaMemcpyToSymbol(variable, values, 20));
	E("symbol.to_offset", cudaMemcpyToSymbol(variable, values, 8, 8));
	E("symbol.to_offset_beyond", cudaMemcpyToSymbol(variable, values, 8, 12));
	E("symbol.to_offset_wrap", cudaMemcpyToSymbol(variable, values, 8, SIZE_MAX - 3));
	E("symbol.to_kind_d2h", cudaMemcpyToSymbol(variable, values, 4, 0, cudaMemcpyDeviceToHost));
	E("symbol.to_kind_h2h", cudaMemcpyToSymbol(variable, values, 4, 0, cudaMemcpyHostToHost));
	E("symbol.to_kind_d2d_host", cudaMemcpyToSymbol(variable, values, 4, 0,
							cudaMemcpyDeviceToDevice));
	E("symbol.to_kind_default", cudaMemcpyToSymbol(variable, values, 4, 0, cudaMemcpyDefault));
	E("symbol.to_null", cudaMemcpyToSymbol(variable, NULL, 4));
	E("symbol.to_zero", cudaMemcpyToSymbol(variable, NULL, 0));
	E("symbol.to_host_variable", cudaMemcpyToSymbol(host_variable, values, 4));
	E("symbol.from", cudaMemcpyFromSymbol(values, constants, sizeof constants));
	E("symbol.from_value", values[2]);
	E("symbol.from_kind_h2d", cudaMemcpyFromSymbol(values, variable, 4, 0,
						       cudaMemcpyHostToDevice));
	E("symbol.from_beyond", cudaMemcpyFromSymbol(values, constants, 32));
	E("symbol.from_host_variable", cudaMemcpyFromSymbol(values, host_variable, 4));
	E("symbol.size", cudaGetSymbolSize(&size, variable));
	E("symbol.size_value", size);
	E("symbol.size_host_variable", cudaGetSymbolSize(&size, host_variable));
	E("symbol.address", cudaGetSymbolAddress(&address, variable));
	E("symbol.address_host_variable", cudaGetSymbolAddress(&address, host_variable));
	cudaGetSymbolAddress(&address, variable);
	E("symbol.address_memset", cudaMemset(address, 0, 16));
	E("symbol.address_free", cudaFree(address));
	cudaPointerAttributes is;
	cudaPointerGetAttributes(&is, address);
	E("symbol.address_type", is.type);
	values[1] = 50;
	cudaMemcpyToSymbol(constants, values, 16);
	cudaMalloc(&out, 64);
	read_constants<<<1, 4>>>(out);
	cudaMemcpy(values, out, 16, cudaMemcpyDeviceToHost);
	E("symbol.kernel_sees", values[1]);
	cudaFree(out);
}

static void pools(void)
{
	cudaMemPool_t pool, own = NULL;
	cudaMemPoolProps props;
	unsigned long long value = 0;
	int reuse = 0;
	char *a = NULL, *b = NULL, *plain;

	E("pool.default", cudaDeviceGetDefaultMemPool(&pool, 0));
	E("pool.default_bad_device", cudaDeviceGetDefaultMemPool(&own, 99));
	E("pool.threshold", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
	E("pool.threshold_value", value);
	E("pool.reuse", cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies,
						&reuse));
	E("pool.reuse_value", reuse);
	E("pool.set_used_current", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent,
							   &value));
	E("pool.set_high", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
	value = 1;
	E("pool.set_high_nonzero", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh,
							   &value));
	E("pool.attribute_99", cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &value));
	E("pool.malloc", cudaMallocAsync(&a, 1000, 0));
	cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value);
	E("pool.used", value);
	E("pool.malloc_zero", cudaMallocAsync(&b, 0, 0));
	E("pool.malloc_zero_is_null", b == NULL);
	E("pool.malloc_null", cudaMallocAsync((char **)NULL, 64, 0));
	E("pool.free_null", cudaFreeAsync(NULL, 0));
	cudaMalloc(&plain, 256);
	E("pool.free_plain", cudaFreeAsync(plain, 0));
	E("pool.free", cudaFreeAsync(a, 0));
	cudaDeviceSynchronize();
	E("pool.free_twice", cudaFreeAsync(a, 0));
	cudaMallocAsync(&a, 1000, 0);
	E("pool.free_by_cudaFree", cudaFree(a));
	memset(&props, 0, sizeof props);
	E("pool.create_bad", cudaMemPoolCreate(&own, &props));
	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	props.location.id = 99;
	E("pool.create_bad_device", cudaMemPoolCreate(&own, &props));
	props.location.id = 0;
	E("pool.create", cudaMemPoolCreate(&own, &props));
	E("pool.malloc_from", cudaMallocFromPoolAsync(&a, 64, own, 0));
	E("pool.destroy_used", cudaMemPoolDestroy(own));
	E("pool.free_after_destroy", cudaFreeAsync(a, 0));
	E("pool.destroy_default", cudaMemPoolDestroy(pool));
	E("pool.trim", cudaMemPoolTrimTo(pool, 0));
}

#include "semantics_work.h"
#include "semantics_graph.h"

static const struct group {
	const char *name;
	void (*ask)(void);
} groups[] = {
	{ "errors", errors }, { "memory", allocations }, { "pointers", pointers },
	{ "copies", copies }, { "symbols", symbols }, { "pools", pools },
	{ "launches", launches }, { "functions", functions }, { "streams", streams },
	{ "events", events }, { "captures", captures }, { "graphs", graphs },
	{ "graph_memory", graph_memory }, { "conditions", conditions },
	{ "devices", devices }, { "order", order },
};
static const char *const ends[] = { "fault", "trap", "assert" };

static int list_groups(void)
{
	for (const struct group &group : groups)
		printf("%s\n", group.name);
	for (const char *end : ends)
		printf("%s\n", end);
	return 0;
}

int main(int argc, char **argv)
{
	bool known = argc < 2;

	if (argc > 1 && strcmp(argv[1], "list") == 0)
		return list_groups();
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);  /* a question may crash */
	for (const struct group &group : groups) {
		if (argc > 1 && strcmp(argv[1], group.name) != 0)
			continue;
		known = true;
		group.ask();
	}
	if (!known)
		sticky(argv[1]);
	return 0;
}
