/* arrays.cu - arrays, surfaces and textures of a program, checked by itself. Arguments select what
 * ends a kernel: outside, cube, volume; and fresh reads an array that nothing has written.
 */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { W = 5, H = 3 };

__global__ void raise(cudaSurfaceObject_t s, int beyond)
{
	int x = threadIdx.x, y = threadIdx.y;

	surf2Dwrite(surf2Dread<float>(s, x * 4, y) + 1, s, x * 4, y + beyond);
}

__global__ void copy(cudaTextureObject_t t, float *to)
{
	to[threadIdx.y * W + threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

__global__ void deep(cudaTextureObject_t t, float *to)
{
	to[0] = tex3D<float>(t, 0.5f, 0.5f, 0.5f);
}

__global__ void around(cudaTextureObject_t t, float *to)
{
	to[0] = texCubemap<float>(t, 0, 0, 0);
}

static cudaTextureObject_t texture(cudaArray_t array, cudaTextureFilterMode filter)
{
	cudaResourceDesc resource = {};
	cudaTextureDesc desc = {};
	cudaTextureObject_t t = 0;

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	desc.filterMode = filter;
	desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
	if (cudaCreateTextureObject(&t, &resource, &desc, nullptr) != cudaSuccess)
		printf("no texture\n");
	return t;
}

static int refused(const char *what, float *to)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	bool cube = strcmp(what, "cube") == 0;
	cudaArray_t array;

	cudaMalloc3DArray(&array, &format, cube ? make_cudaExtent(2, 2, 6) : make_cudaExtent(2, 2, 2),
			  cube ? cudaArrayCubemap : cudaArrayDefault);
	if (cube)
		around<<<1, 1>>>(texture(array, cudaFilterModePoint), to);
	else
		deep<<<1, 1>>>(texture(array, cudaFilterModeLinear), to);
	printf("%d\n", cudaDeviceSynchronize());
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaResourceDesc resource = {};
	cudaSurfaceObject_t surface;
	cudaArray_t array;
	float in[W * H], out[W * H], read[W * H], *to;

	for (int i = 0; i < W * H; i++)
		in[i] = i * 1.5f;
	cudaMalloc(&to, sizeof in);
	if (strcmp(what, "cube") == 0 || strcmp(what, "volume") == 0)
		return refused(what, to);
	if (cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore) != cudaSuccess)
		return 1;
	if (strcmp(what, "fresh") != 0) {
		cudaMemcpy2DToArray(array, 0, 0, in, W * 4, W * 4, H, cudaMemcpyHostToDevice);
		resource.resType = cudaResourceTypeArray;
		resource.res.array.array = array;
		if (cudaCreateSurfaceObject(&surface, &resource) != cudaSuccess)
			return 1;
		raise<<<1, dim3(W, H)>>>(surface, strcmp(what, "outside") == 0);
	}
	copy<<<1, dim3(W, H)>>>(texture(array, cudaFilterModePoint), to);
	if (cudaDeviceSynchronize() != cudaSuccess) {
		printf("%d\n", cudaGetLastError());
		return 0;
	}
	cudaMemcpy(read, to, sizeof read, cudaMemcpyDeviceToHost);
	cudaMemcpy2DFromArray(out, W * 4, array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost);
	for (int i = 0; i < W * H; i++)
		if (strcmp(what, "fresh") != 0 && (out[i] != in[i] + 1 || read[i] != out[i]))
			printf("%d: %g, %g, not %g\n", i, out[i], read[i], in[i] + 1);
	printf("done %d\n", cudaFreeArray(array));
	return 0;
}
