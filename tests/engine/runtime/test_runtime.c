/* test_runtime.c - CUDA's runtime API on the simulator: memory, launches, errors, devices. */
#include "config.h"

#include <float.h>

#include "tests/engine/runtime/program.h"

enum { N = 64, BYTES = 4 * N };

static void fill(int *values, int first)
{
	for (int i = 0; i < N; i++)
		values[i] = first + i;
}

static int *device_ints(const int *values)
{
	void *memory;

	CUDA(cudaMalloc(&memory, BYTES));
	if (values)
		CUDA(cudaMemcpy(memory, values, BYTES, cudaMemcpyHostToDevice));
	return memory;
}

static void check_ints(const int *device, int first, int count)
{
	int values[N];

	CUDA(cudaMemcpy(values, device, 4 * (size_t)count, cudaMemcpyDeviceToHost));
	for (int i = 0; i < count; i++)
		ck_assert_int_eq(values[i], first + i);
}

/* --- memory --- */

START_TEST(copies_go_every_way)
{
	int in[N], out[N], *a, *b;

	program_begin(1, 0);
	fill(in, 100);
	a = device_ints(in);
	b = device_ints(NULL);
	CUDA(cudaMemcpy(b, a, BYTES, cudaMemcpyDeviceToDevice));
	check_ints(b, 100, N);
	CUDA(cudaMemcpy(b + 3, in, 4, cudaMemcpyDefault));
	CUDA(cudaMemcpy(out, b, BYTES, cudaMemcpyDefault));
	ck_assert_int_eq(out[3], 100);
	CUDA(cudaMemcpy(out, in, BYTES, cudaMemcpyHostToHost));
	ck_assert_mem_eq(out, in, BYTES);
	/* ranges that overlap, which CUDA leaves undefined, are copied as by memmove() */
	CUDA(cudaMemcpy(a + 1, a, BYTES - 4, cudaMemcpyDeviceToDevice));
	check_ints(a + 1, 100, N - 1);
	CUDA(cudaFree(a));
	CUDA(cudaFree(b));
	OK(program_end());
}
END_TEST

START_TEST(wrong_copies_are_refused)
{
	int in[N], *a;

	program_begin(1, 0);
	fill(in, 0);
	a = device_ints(in);
	CUDA(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
	CUDA_IS(cudaMemcpy(NULL, in, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	CUDA_IS(cudaMemcpy(in, a, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	CUDA_IS(cudaMemcpy(a, in, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
	CUDA_IS(cudaMemcpy(a, in, BYTES + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	CUDA_IS(cudaMemcpy(a, in, 4, (enum cudaMemcpyKind)5), cudaErrorInvalidMemcpyDirection);
	CUDA(cudaMemcpy(NULL, NULL, 0, (enum cudaMemcpyKind)5));
	CUDA_IS(cudaMemcpy2D(a, 8, in, 4, 6, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	CUDA_IS(cudaMemcpy2D(a, 8, in, 4, 6, 2, cudaMemcpyHostToDevice),
		cudaErrorInvalidPitchValue);
	ck_assert_int_eq(cudaPeekAtLastError(), cudaErrorInvalidPitchValue);
	ck_assert_int_eq(cudaGetLastError(), cudaErrorInvalidPitchValue);
	ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
	OK(program_end());
}
END_TEST

START_TEST(rows_and_boxes)
{
	struct cudaPitchedPtr box;
	struct cudaMemcpy3DParms p = { .kind = cudaMemcpyHostToDevice };
	unsigned char in[6][10], out[6][10];
	size_t pitch;
	void *rows;

	program_begin(1, 0);
	for (int i = 0; i < 60; i++)
		in[i / 10][i % 10] = (unsigned char)i;
	CUDA(cudaMallocPitch(&rows, &pitch, 10, 6));
	ck_assert_uint_eq(pitch, 512);
	CUDA(cudaMemcpy2D(rows, pitch, in, 10, 10, 6, cudaMemcpyHostToDevice));
	CUDA(cudaMemset2D((char *)rows + pitch + 1, pitch, 0xab, 3, 2));
	CUDA(cudaMemcpy2D(out, 10, rows, pitch, 10, 6, cudaMemcpyDeviceToHost));
	ck_assert_int_eq(out[0][1], 1);
	ck_assert_int_eq(out[1][0], 10);
	ck_assert_int_eq(out[1][1], 0xab);
	ck_assert_int_eq(out[2][3], 0xab);
	ck_assert_int_eq(out[2][4], 24);
	ck_assert_int_eq(out[5][9], 59);
	CUDA(cudaMalloc3D(&box, (struct cudaExtent){ 5, 3, 2 }));
	ck_assert_uint_eq(box.pitch, 512);
	p.srcPtr = (struct cudaPitchedPtr){ in, 10, 10, 3 };
	p.dstPtr = box;
	p.extent = (struct cudaExtent){ 5, 3, 2 };
	CUDA(cudaMemcpy3D(&p));
	p = (struct cudaMemcpy3DParms){
		.srcPtr = box, .srcPos = { 1, 1, 1 }, .dstPtr = { out, 10, 10, 3 },
		.extent = { 4, 2, 1 }, .kind = cudaMemcpyDeviceToHost };
	CUDA(cudaMemcpy3D(&p));
	ck_assert_int_eq(out[0][0], in[4][1]);
	ck_assert_int_eq(out[1][3], in[5][4]);
	p.extent.height = 3;                    /* beyond the slice, then beyond the slices */
	CUDA_IS(cudaMemcpy3D(&p), cudaErrorInvalidValue);
	p.extent = (struct cudaExtent){ 4, 4, 2 };
	CUDA_IS(cudaMemcpy3D(&p), cudaErrorInvalidPitchValue);
	OK(program_end());
}
END_TEST

START_TEST(memsets_write_bytes)
{
	unsigned char out[32];
	char *memory;

	program_begin(1, 0);
	CUDA(cudaMalloc((void **)&memory, sizeof out));
	CUDA(cudaMemset(memory, 0, sizeof out));
	CUDA(cudaMemset(memory + 1, 0x1ff, 2));
	CUDA(cudaMemset(memory + 5, 7, 13));
	CUDA(cudaMemset(memory + 31, 9, 1));
	CUDA_IS(cudaMemset(memory + 31, 9, 2), cudaErrorInvalidValue);
	CUDA_IS(cudaMemset(out, 0, 1), cudaErrorInvalidValue);
	CUDA(cudaMemcpy(out, memory, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		ck_assert_int_eq(out[i], i == 1 || i == 2 ? 0xff : i >= 5 && i < 18 ? 7
				 : i == 31 ? 9 : 0);
	OK(program_end());
}
END_TEST

START_TEST(memory_is_freed_once)
{
	void *a, *pinned, *managed, *empty = &a;
	size_t left, less, total;
	int host;

	program_begin(1, 0);
	CUDA(cudaMemGetInfo(&left, &total));
	CUDA(cudaMalloc(&a, 1 << 20));
	CUDA(cudaMemGetInfo(&less, &total));
	ck_assert_uint_eq(left - less, 1 << 20);
	CUDA(cudaMallocHost(&pinned, 100));
	CUDA(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal));
	CUDA(cudaMalloc(&empty, 0));
	ck_assert_ptr_null(empty);
	CUDA(cudaFree(NULL));
	CUDA_IS(cudaFree((char *)a + 1), cudaErrorInvalidValue);
	CUDA_IS(cudaFree(&host), cudaErrorInvalidValue);
	CUDA_IS(cudaFree(pinned), cudaErrorInvalidValue);
	CUDA_IS(cudaFreeHost(a), cudaErrorInvalidValue);
	CUDA(cudaFree(a));
	CUDA_IS(cudaFree(a), cudaErrorInvalidValue);
	CUDA(cudaFree(managed));
	CUDA(cudaFreeHost(pinned));
	CUDA(cudaMemGetInfo(&less, &total));
	ck_assert_uint_eq(left, less);
	CUDA_IS(cudaMalloc(&a, (size_t)1 << 50), cudaErrorMemoryAllocation);
	CUDA_IS(cudaMalloc(NULL, 1), cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

START_TEST(pointers_say_what_they_are)
{
	struct cudaPointerAttributes is;
	int registered[4], host;
	char *a, *pinned, *managed;
	unsigned flags;
	void *seen;

	program_begin(1, 0);
	CUDA(cudaMalloc((void **)&a, 100));
	CUDA(cudaHostAlloc((void **)&pinned, 100, cudaHostAllocPortable));
	CUDA(cudaMallocManaged((void **)&managed, 100, cudaMemAttachGlobal));
	CUDA(cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault));
	CUDA(cudaPointerGetAttributes(&is, a + 50));
	ck_assert_int_eq(is.type, cudaMemoryTypeDevice);
	ck_assert_ptr_eq(is.devicePointer, a + 50);
	ck_assert_ptr_null(is.hostPointer);
	CUDA(cudaPointerGetAttributes(&is, pinned));
	ck_assert_int_eq(is.type, cudaMemoryTypeHost);
	CUDA(cudaPointerGetAttributes(&is, managed));
	ck_assert_int_eq(is.type, cudaMemoryTypeManaged);
	CUDA(cudaPointerGetAttributes(&is, registered + 1));
	ck_assert_int_eq(is.type, cudaMemoryTypeHost);
	CUDA(cudaPointerGetAttributes(&is, &host));
	ck_assert_int_eq(is.type, cudaMemoryTypeUnregistered);
	CUDA(cudaHostGetFlags(&flags, pinned));
	ck_assert_uint_eq(flags, cudaHostAllocPortable | cudaHostAllocMapped);
	CUDA(cudaHostGetDevicePointer(&seen, pinned, 0));
	ck_assert_ptr_eq(seen, pinned);
	CUDA_IS(cudaHostGetDevicePointer(&seen, &host, 0), cudaErrorInvalidValue);
	CUDA_IS(cudaHostRegister(registered, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
	CUDA(cudaHostUnregister(registered));
	CUDA_IS(cudaHostUnregister(registered), cudaErrorHostMemoryNotRegistered);
	CUDA_IS(cudaHostUnregister(pinned), cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

START_TEST(pools_give_and_take)
{
	struct cudaMemPoolProps props = {
		.allocType = cudaMemAllocationTypePinned,
		.location = { cudaMemLocationTypeDevice, 0 } };
	cudaMemPool_t pool, own;
	uint64_t used, threshold = 1234;
	void *a, *b;
	int in[N];

	program_begin(1, 0);
	fill(in, 5);
	CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
	CUDA(cudaMallocAsync(&a, BYTES, NULL));
	CUDA(cudaMemcpyAsync(a, in, BYTES, cudaMemcpyHostToDevice, NULL));
	check_ints(a, 5, N);
	CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	ck_assert_uint_eq(used, BYTES);
	CUDA(cudaMemPoolCreate(&own, &props));
	CUDA(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
	CUDA(cudaMallocFromPoolAsync(&b, 64, own, NULL));
	CUDA(cudaFreeAsync(a, NULL));
	CUDA_IS(cudaFreeAsync(a, NULL), cudaErrorInvalidValue);
	CUDA(cudaFreeAsync(b, NULL));
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	ck_assert_uint_eq(used, 0);
	CUDA(cudaMemPoolDestroy(own));
	CUDA_IS(cudaMemPoolTrimTo(own, 0), cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

START_TEST(variables_are_named_by_shadows)
{
	const int in[4] = { 1, 2, 3, 4 };
	int out[4], *address;
	size_t bytes;

	program_begin(1, 0);
	CUDA(cudaMemcpyToSymbol(&shadow_variable, in, sizeof in, 0, cudaMemcpyHostToDevice));
	CUDA(cudaMemcpyFromSymbol(out, &shadow_variable, 8, 4, cudaMemcpyDeviceToHost));
	ck_assert_int_eq(out[0], 2);
	ck_assert_int_eq(out[1], 3);
	CUDA(cudaGetSymbolSize(&bytes, &shadow_variable));
	ck_assert_uint_eq(bytes, sizeof in);
	CUDA(cudaGetSymbolAddress((void **)&address, &shadow_variable));
	CUDA(cudaMemset(address + 1, 0, 4));
	CUDA(cudaMemcpy(out, address, sizeof out, cudaMemcpyDeviceToHost));
	ck_assert_int_eq(out[0], 1);
	ck_assert_int_eq(out[1], 0);
	CUDA_IS(cudaMemcpyToSymbol(&bytes, in, 4, 0, cudaMemcpyHostToDevice),
		cudaErrorInvalidSymbol);
	CUDA_IS(cudaMemcpyToSymbol(&shadow_variable, in, 12, 8, cudaMemcpyHostToDevice),
		cudaErrorInvalidValue);
	CUDA_IS(cudaMemcpyToSymbol(&shadow_variable, in, 4, 0, cudaMemcpyDeviceToHost),
		cudaErrorInvalidMemcpyDirection);
	OK(program_end());
}
END_TEST

/* --- launches --- */

START_TEST(launches_take_pointers_into_allocations)
{
	int in[N], *a, *b;

	program_begin(1, 0);
	fill(in, 10);
	a = device_ints(in);
	b = device_ints(in);
	CUDA(copy_words(a + 8, b + 4, 16, NULL));
	check_ints(b + 4, 18, 16);
	ck_assert_int_eq(stub_words(a, b, 8, NULL), 0);
	CUDA(cudaGetLastError());
	check_ints(b, 10, 8);
	OK(program_end());
}
END_TEST

START_TEST(launches_reach_host_memory_that_is_pinned_managed_or_registered)
{
	int in[N], *pinned, *managed, registered[N];

	program_begin(1, 0);
	fill(in, 1);
	CUDA(cudaMallocHost((void **)&pinned, BYTES));
	CUDA(cudaMallocManaged((void **)&managed, BYTES, cudaMemAttachGlobal));
	CUDA(cudaHostRegister(registered, sizeof registered, 0));
	memcpy(pinned, in, BYTES);
	CUDA(copy_words(pinned, managed, N, NULL));
	CUDA(copy_words(managed, registered, N, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_mem_eq(managed, in, BYTES);
	ck_assert_mem_eq(registered, in, BYTES);
	CUDA(cudaMemset(managed, 0, BYTES));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(managed[5], 0);
	CUDA(cudaMemcpy(managed, in, BYTES, cudaMemcpyDefault));
	ck_assert_int_eq(managed[5], 6);
	OK(program_end());
}
END_TEST

START_TEST(structs_carry_pointers)
{
	int in[N], *a, *b;
	const int *rows[4];
	void *table, *args[2];

	program_begin(1, 0);
	fill(in, 30);
	a = device_ints(in);
	b = device_ints(NULL);
	for (int i = 0; i < 4; i++)
		rows[i] = i == 2 ? NULL : a + i;
	CUDA(cudaMalloc(&table, sizeof rows));
	CUDA(cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice));
	args[0] = &table;
	args[1] = &b;
	CUDA(cudaLaunchKernel(&tag_table, (struct dim3){ 1, 1, 1 }, (struct dim3){ 4, 1, 1 }, args,
			      0, NULL));
	CUDA(cudaMemcpy(in, b, 16, cudaMemcpyDeviceToHost));
	ck_assert_int_eq(in[0], 30);
	ck_assert_int_eq(in[2], -1);
	ck_assert_int_eq(in[3], 33);
	OK(program_end());
}
END_TEST

static cudaError_t launch_sizes(const void *func, struct dim3 grid, struct dim3 block,
				size_t shared)
{
	static int *out;
	void *args[] = { &out };
	cudaError_t error;

	CUDA(cudaMalloc((void **)&out, 1 << 16));
	error = cudaLaunchKernel(func, grid, block, args, shared, NULL);
	ck_assert_int_eq(cudaGetLastError(), error);
	CUDA(cudaFree(out));
	return error;
}

START_TEST(launches_beyond_the_limits_are_refused)
{
	const struct dim3 one = { 1, 1, 1 };

	program_begin(1, 0);
	CUDA(launch_sizes(&tag_indices, one, one, 0));
	CUDA_IS(launch_sizes(&tag_indices, (struct dim3){ 0, 1, 1 }, one, 0),
		cudaErrorInvalidValue);
	CUDA_IS(launch_sizes(&tag_indices, one, (struct dim3){ 1025, 1, 1 }, 0),
		cudaErrorInvalidValue);
	CUDA_IS(launch_sizes(&tag_indices, one, one, 49153), cudaErrorInvalidValue);
	CUDA(cudaFuncSetAttribute(&tag_indices, cudaFuncAttributeMaxDynamicSharedMemorySize,
				  100000));
	CUDA(launch_sizes(&tag_indices, one, one, 100000));
	CUDA(cudaFuncSetAttribute(&tag_indices, cudaFuncAttributeMaxDynamicSharedMemorySize, 10));
	CUDA_IS(launch_sizes(&tag_indices, one, one, 11), cudaErrorInvalidValue);
	CUDA_IS(cudaFuncSetAttribute(&tag_indices, cudaFuncAttributeMaxDynamicSharedMemorySize,
				     232449), cudaErrorInvalidValue);
	CUDA_IS(launch_sizes(&tag_bounded, one, (struct dim3){ 65, 1, 1 }, 0),
		cudaErrorInvalidValue);
	CUDA_IS(cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), cudaErrorInvalidDeviceFunction);
	CUDA_IS(cudaLaunchKernel(&one, one, one, NULL, 0, NULL), cudaErrorInvalidResourceHandle);
	cudaGetLastError();
	OK(program_end());
}
END_TEST

START_TEST(kernels_have_attributes)
{
	struct cudaFuncAttributes is;
	int blocks;
	size_t bytes;

	program_begin(1, 0);
	CUDA(cudaFuncGetAttributes(&is, &tag_bounded));
	ck_assert_int_eq(is.maxThreadsPerBlock, 64);
	ck_assert_int_eq(is.binaryVersion, 90);
	ck_assert_int_eq(is.maxDynamicSharedSizeBytes, 49152);
	CUDA(cudaFuncGetAttributes(&is, &tag_static));
	ck_assert_uint_gt(is.sharedSizeBytes, 0);
	CUDA_IS(cudaFuncGetAttributes(&is, &is), cudaErrorInvalidResourceHandle);
	CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &tag_indices, 256, 0));
	ck_assert_int_eq(blocks, 8);
	CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &tag_indices, 32, 0));
	ck_assert_int_eq(blocks, 32);
	CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &tag_indices, 32, 40000));
	ck_assert_int_eq(blocks, 5);
	CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &tag_indices, 1025, 0));
	ck_assert_int_eq(blocks, 0);
	CUDA_IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &tag_indices, 0, 0),
		cudaErrorInvalidValue);
	CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &tag_indices, 2, 128));
	ck_assert_uint_eq(bytes, 49152);        /* the limit of a block */
	CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &tag_indices, 8, 128));
	ck_assert_uint_eq(bytes, 233472 / 8 - 1024);
	OK(program_end());
}
END_TEST

/* --- errors --- */

START_TEST(a_fault_is_returned_by_every_later_call)
{
	int *a, index = 1 << 20;
	void *args[] = { &a, &index }, *memory;

	program_begin(1, 0);
	a = device_ints(NULL);
	CUDA(cudaLaunchKernel(&tag_store, (struct dim3){ 3, 1, 1 }, (struct dim3){ 32, 1, 1 }, args,
			      0, NULL));
	CUDA(cudaGetLastError());
	CUDA_IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	CUDA_IS(cudaMalloc(&memory, 4), cudaErrorIllegalAddress);
	CUDA_IS(cudaFree(a), cudaErrorIllegalAddress);
	CUDA_IS(cudaGetLastError(), cudaErrorIllegalAddress);
	CUDA(cudaGetLastError());
	CUDA(cudaMemcpy(&index, a, 0, cudaMemcpyDeviceToHost));
	CUDA(cudaSetDevice(0));
	CUDA_IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	CUDA(cudaDeviceReset());
	CUDA_IS(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
	CUDA_IS(cudaMalloc(&memory, 4), cudaErrorDevicesUnavailable);
	FAILS(program_end(), STATUS_DEVICE, "fail_store");
	ck_assert_int_eq(error_code(), 700);
	CUDA_IS(cudaMalloc(&memory, 4), cudaErrorCudartUnloading);
}
END_TEST

/* A GPU that cannot read the host's memory faults. */
START_TEST(a_kernel_faults_on_memory_of_the_host)
{
	int host[N] = { 0 }, *a;

	program_begin(1, 0);
	a = device_ints(NULL);
	CUDA(copy_words(host, a, 4, NULL));
	CUDA_IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	FAILS(program_end(), STATUS_DEVICE, "kv_scatter");
}
END_TEST

START_TEST(a_trap_is_an_error_of_the_launch)
{
	int *a;
	void *args[] = { &a };

	program_begin(1, 0);
	a = device_ints(NULL);
	CUDA(cudaLaunchKernel(&tag_trap, (struct dim3){ 1, 1, 1 }, (struct dim3){ 32, 1, 1 }, args,
			      0, NULL));
	CUDA_IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
	FAILS(program_end(), STATUS_DEVICE, "fail_trap");
}
END_TEST

START_TEST(errors_have_names)
{
	ck_assert_str_eq(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
	ck_assert_str_eq(cudaGetErrorString(cudaErrorIllegalAddress),
			 "an illegal memory access was encountered");
	ck_assert_str_eq(cudaGetErrorString(cudaSuccess), "no error");
	ck_assert_str_eq(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
}
END_TEST

/* --- devices --- */

START_TEST(devices_have_properties)
{
	struct cudaDeviceProp prop;
	int value;
	size_t limit;

	program_begin(1, 0);
	CUDA(cudaGetDeviceCount(&value));
	ck_assert_int_eq(value, 1);
	CUDA(cudaGetDeviceProperties(&prop, 0));
	ck_assert_int_eq(prop.major, 9);
	ck_assert_int_eq(prop.multiProcessorCount, 132);
	ck_assert_int_eq(prop.maxThreadsDim[2], 64);
	ck_assert_uint_eq(prop.sharedMemPerBlockOptin, 232448);
	ck_assert_uint_eq(prop.totalGlobalMem, 150109880320);
	CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
	ck_assert_int_eq(value, 32);
	CUDA_IS(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0),
		cudaErrorInvalidValue);
	CUDA_IS(cudaGetDeviceProperties(&prop, 1), cudaErrorInvalidDevice);
	CUDA_IS(cudaSetDevice(1), cudaErrorInvalidDevice);
	CUDA(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
	ck_assert_uint_eq(limit, 1024);
	CUDA_IS(cudaDeviceGetLimit(&limit, (enum cudaLimit)77), cudaErrorUnsupportedLimit);
	CUDA(cudaRuntimeGetVersion(&value));
	ck_assert_int_eq(value, 13000);
	CUDA(cudaDeviceReset());
	OK(program_end());
}
END_TEST

START_TEST(what_another_device_lacks_is_refused)
{
	struct cudaChannelFormatDesc desc = { .x = 32, .f = cudaChannelFormatKindFloat };
	cudaArray_t array;

	program_begin(1, 0);
	CUDA(cudaMallocArray(&array, &desc, 4, 0, 0));
	CUDA(cudaFreeArray(array));
	runtime_repeats_on("cuda");
	ck_assert_int_ne(cudaMallocArray(&array, &desc, 4, 0, 0), cudaSuccess);
	ck_assert_int_eq(program_end(), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "cudaMallocArray: arrays, textures and surfaces are on the "
			 "simulator only, not on device cuda");
}
END_TEST

START_TEST(peers_copy_and_read)
{
	int in[N], *a, *b, can;

	program_begin(2, 0);
	fill(in, 70);
	a = device_ints(in);
	CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
	ck_assert_int_eq(can, 1);
	CUDA_IS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
	CUDA(cudaSetDevice(1));
	b = device_ints(NULL);
	CUDA(cudaMemcpyPeer(b, 1, a, 0, BYTES));
	check_ints(b, 70, N);
	CUDA(cudaMemset(b, 0, BYTES));
	CUDA(cudaDeviceEnablePeerAccess(0, 0));
	CUDA_IS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
	CUDA(copy_words(a, b, N, NULL));
	check_ints(b, 70, N);
	CUDA(cudaDeviceDisablePeerAccess(0));
	CUDA_IS(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
	CUDA(cudaSetDevice(0));
	CUDA(copy_words(a, b, 4, NULL));
	CUDA_IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	CUDA(cudaSetDevice(1));
	CUDA(cudaDeviceSynchronize());
	FAILS(program_end(), STATUS_DEVICE, "kv_scatter");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("runtime");

	tcase_add_test(tests, copies_go_every_way);
	tcase_add_test(tests, wrong_copies_are_refused);
	tcase_add_test(tests, rows_and_boxes);
	tcase_add_test(tests, memsets_write_bytes);
	tcase_add_test(tests, memory_is_freed_once);
	tcase_add_test(tests, pointers_say_what_they_are);
	tcase_add_test(tests, pools_give_and_take);
	tcase_add_test(tests, variables_are_named_by_shadows);
	tcase_add_test(tests, launches_take_pointers_into_allocations);
	tcase_add_test(tests, launches_reach_host_memory_that_is_pinned_managed_or_registered);
	tcase_add_test(tests, structs_carry_pointers);
	tcase_add_test(tests, launches_beyond_the_limits_are_refused);
	tcase_add_test(tests, kernels_have_attributes);
	tcase_add_test(tests, a_fault_is_returned_by_every_later_call);
	tcase_add_test(tests, a_kernel_faults_on_memory_of_the_host);
	tcase_add_test(tests, a_trap_is_an_error_of_the_launch);
	tcase_add_test(tests, errors_have_names);
	tcase_add_test(tests, devices_have_properties);
	tcase_add_test(tests, what_another_device_lacks_is_refused);
	tcase_add_test(tests, peers_copy_and_read);
	return run_suite("runtime", tests);
}
