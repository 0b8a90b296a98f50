// array_calls.cu - copies to, from and between arrays, offsets in bytes and rows, each compared byte
// for byte with loops of the host; and what arrays, textures and surfaces were made of, read back.
#include <cuda_runtime.h>

#include <cstring>

#include "counted.h"

/* Rows of 6 texels of 8 bytes. */
enum { WIDTH = 6, ROW = WIDTH * 8, HEIGHT = 5, BYTES = ROW * HEIGHT };

static cudaStream_t stream;

static void pattern(unsigned char *bytes, int count, int seed)
{
	for (int i = 0; i < count; i++)
		bytes[i] = (unsigned char)((i * 73 + seed) % 251);
}

static cudaArray_t filled(int seed)
{
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float2>();
	unsigned char bytes[BYTES];
	cudaArray_t array = NULL;

	pattern(bytes, BYTES, seed);
	OK(cudaMallocArray(&array, &desc, WIDTH, HEIGHT));
	OK(cudaMemcpy2DToArray(array, 0, 0, bytes, ROW, ROW, HEIGHT, cudaMemcpyHostToDevice));
	return array;
}

static bool has(cudaArray_t array, const unsigned char *wanted)
{
	unsigned char found[BYTES];

	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy2DFromArray(found, ROW, array, 0, 0, ROW, HEIGHT, cudaMemcpyDeviceToHost));
	return memcmp(found, wanted, BYTES) == 0;
}

/* --- bytes that go on in the next row --- */

static void lines(void)
{
	unsigned char a[BYTES], b[BYTES], host[BYTES], back[BYTES];
	cudaArray_t first = filled(1), second = filled(2);

	pattern(a, BYTES, 1);
	pattern(b, BYTES, 2);
	pattern(host, BYTES, 3);
	OK(cudaMemcpyToArray(first, 16, 1, host, 100, cudaMemcpyHostToDevice));
	memcpy(a + ROW + 16, host, 100);
	CHECK(has(first, a));
	OK(cudaMemcpyToArrayAsync(first, 0, 3, host + 7, 48, cudaMemcpyHostToDevice, stream));
	OK(cudaStreamSynchronize(stream));
	memcpy(a + 3 * ROW, host + 7, 48);
	CHECK(has(first, a));

	memset(back, 0xee, sizeof back);
	OK(cudaMemcpyFromArray(back + 1, first, 40, 0, 90, cudaMemcpyDeviceToHost));
	CHECK(back[0] == 0xee && memcmp(back + 1, a + 40, 90) == 0 && back[91] == 0xee);
	memset(back, 0xee, sizeof back);
	OK(cudaMemcpyFromArrayAsync(back, first, 8, 4, 40, cudaMemcpyDeviceToHost, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(memcmp(back, a + 4 * ROW + 8, 40) == 0 && back[40] == 0xee);

	OK(cudaMemcpyArrayToArray(second, 8, 2, first, 24, 1, 64, cudaMemcpyDeviceToDevice));
	memcpy(b + 2 * ROW + 8, a + ROW + 24, 64);
	CHECK(has(second, b));
	CHECK(has(first, a));
	GIVES(cudaErrorInvalidValue,
	      cudaMemcpyToArray(first, 8, 4, host, 48, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue,
	      cudaMemcpyToArrayAsync(first, 0, HEIGHT, host, 8, cudaMemcpyHostToDevice, stream));
	GIVES(cudaErrorInvalidValue,
	      cudaMemcpyFromArray(back, first, 8, 4, 48, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue,
	      cudaMemcpyFromArrayAsync(back, first, 0, 5, 8, cudaMemcpyDeviceToHost, stream));
	GIVES(cudaErrorInvalidValue,
	      cudaMemcpyArrayToArray(second, 0, 0, first, 8, 0, BYTES, cudaMemcpyDeviceToDevice));
	CHECK(has(first, a));
	OK(cudaFreeArray(first));
	OK(cudaFreeArray(second));
}

/* --- rectangles --- */

static void put(unsigned char *to, int to_pitch, const unsigned char *from, int from_pitch,
		int width, int height)
{
	for (int y = 0; y < height; y++)
		memcpy(to + y * to_pitch, from + y * from_pitch, (size_t)width);
}

static void rectangles(void)
{
	enum { PITCH = 60 };
	unsigned char a[BYTES], b[BYTES], host[PITCH * HEIGHT], back[PITCH * HEIGHT];
	unsigned char wanted[PITCH * HEIGHT];
	cudaArray_t first = filled(4), second = filled(5);

	pattern(a, BYTES, 4);
	pattern(b, BYTES, 5);
	pattern(host, sizeof host, 6);
	OK(cudaMemcpy2DToArrayAsync(first, 8, 1, host + 3, PITCH, 32, 4, cudaMemcpyHostToDevice,
				    stream));
	OK(cudaStreamSynchronize(stream));
	put(a + ROW + 8, ROW, host + 3, PITCH, 32, 4);
	CHECK(has(first, a));
	memset(back, 0xee, sizeof back);
	memset(wanted, 0xee, sizeof wanted);
	OK(cudaMemcpy2DFromArrayAsync(back + 5, PITCH, first, 16, 0, 24, 3, cudaMemcpyDeviceToHost,
				      stream));
	OK(cudaStreamSynchronize(stream));
	put(wanted + 5, PITCH, a + 16, ROW, 24, 3);
	CHECK(memcmp(back, wanted, sizeof back) == 0);
	OK(cudaMemcpy2DArrayToArray(second, 16, 0, first, 0, 2, 32, 3, cudaMemcpyDeviceToDevice));
	put(b + 16, ROW, a + 2 * ROW, ROW, 32, 3);
	CHECK(has(second, b));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArrayAsync(
		first, 24, 0, host, PITCH, 32, 1, cudaMemcpyHostToDevice, stream));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DFromArrayAsync(
		back, PITCH, first, 0, 3, 32, 3, cudaMemcpyDeviceToHost, stream));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(
		second, 0, 0, first, 0, 3, 32, 3, cudaMemcpyDeviceToDevice));
	CHECK(has(first, a));
	CHECK(has(second, b));
	OK(cudaFreeArray(first));
	OK(cudaFreeArray(second));
}

/* --- what they were made of --- */

static bool same_desc(cudaChannelFormatDesc a, cudaChannelFormatDesc b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w && a.f == b.f;
}

static void infos(void)
{
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<ushort4>(), got;
	cudaExtent extent = make_cudaExtent(9, 9, 9);
	cudaArray_t plane, layers;
	unsigned flags = 99;

	CHECK(same_desc(desc, cudaCreateChannelDesc(16, 16, 16, 16,
						    cudaChannelFormatKindUnsigned)));
	OK(cudaMallocArray(&plane, &desc, 7, 3, cudaArraySurfaceLoadStore));
	OK(cudaMalloc3DArray(&layers, &desc, make_cudaExtent(4, 2, 5), cudaArrayLayered));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaArrayGetInfo(&got, &extent, &flags, plane));
	CHECK(same_desc(got, desc));
	CHECK(extent.width == 7 && extent.height == 3 && extent.depth == 0);
	CHECK(flags == cudaArraySurfaceLoadStore);
	OK(cudaArrayGetInfo(NULL, &extent, NULL, layers));
	CHECK(extent.width == 4 && extent.height == 2 && extent.depth == 5);
	OK(cudaArrayGetInfo(NULL, NULL, &flags, layers));
	CHECK(flags == cudaArrayLayered);
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGetChannelDesc(&got, layers));
	CHECK(same_desc(got, desc));
	GIVES(cudaErrorInvalidValue, cudaGetChannelDesc(NULL, layers));
	OK(cudaFreeArray(plane));
	OK(cudaFreeArray(layers));
}

__global__ void increase(cudaSurfaceObject_t surface)
{
	float x = surf2Dread<float>(surface, (int)threadIdx.x * 4, (int)threadIdx.y);

	surf2Dwrite(x + 1.0f, surface, (int)threadIdx.x * 4, (int)threadIdx.y);
}

static void objects(void)
{
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	cudaResourceDesc resource, got;
	cudaTextureDesc how, got_how;
	cudaTextureObject_t texture;
	cudaSurfaceObject_t surface;
	float zeros[8] = { 0 }, back[8], *memory;
	cudaArray_t array;

	OK(cudaMallocArray(&array, &desc, 4, 2, cudaArraySurfaceLoadStore));
	OK(cudaMemcpyToArray(array, 0, 0, zeros, sizeof zeros, cudaMemcpyHostToDevice));
	cudaMalloc(&memory, 1024);
	memset((void *)&resource, 0, sizeof resource);
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = memory;
	resource.res.linear.desc = desc;
	resource.res.linear.sizeInBytes = 512;
	memset((void *)&how, 0, sizeof how);
	how.addressMode[0] = cudaAddressModeBorder;
	how.addressMode[1] = cudaAddressModeClamp;
	how.filterMode = cudaFilterModePoint;
	how.readMode = cudaReadModeElementType;
	how.borderColor[2] = 0.25f;
	OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGetTextureObjectResourceDesc(&got, texture));
	CHECK(got.resType == cudaResourceTypeLinear && got.res.linear.devPtr == memory);
	CHECK(got.res.linear.sizeInBytes == 512 && same_desc(got.res.linear.desc, desc));
	memset((void *)&got_how, 0xff, sizeof got_how);
	OK(cudaGetTextureObjectTextureDesc(&got_how, texture));
	CHECK(got_how.addressMode[0] == cudaAddressModeBorder);
	CHECK(got_how.addressMode[1] == cudaAddressModeClamp);
	CHECK(got_how.filterMode == cudaFilterModePoint && got_how.normalizedCoords == 0);
	CHECK(got_how.readMode == cudaReadModeElementType && got_how.borderColor[2] == 0.25f);
	GIVES(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(NULL, texture));
	GIVES(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(NULL, texture));
	OK(cudaDestroyTextureObject(texture));

	memset((void *)&resource, 0, sizeof resource);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	OK(cudaCreateSurfaceObject(&surface, &resource));
	memset((void *)&got, 0xff, sizeof got);
	OK(cudaGetSurfaceObjectResourceDesc(&got, surface));
	CHECK(got.resType == cudaResourceTypeArray && got.res.array.array == array);
	GIVES(cudaErrorInvalidValue, cudaGetSurfaceObjectResourceDesc(NULL, surface));
	increase<<<1, dim3(4, 2)>>>(surface);
	OK(cudaDeviceSynchronize());
	/* The array stays when its surface is gone. */
	OK(cudaDestroySurfaceObject(surface));
	OK(cudaMemcpyFromArray(back, array, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
	CHECK(back[0] == 1.0f && back[7] == 1.0f);
	OK(cudaFreeArray(array));
	cudaFree(memory);
}

int main()
{
	OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	lines();
	rectangles();
	infos();
	objects();
	OK(cudaStreamDestroy(stream));
	return counted();
}
