/* vectors.cu - vector loads and stores, grid-stride loops in three dimensions, pitch and stencil. */
#include <cuda_runtime.h>
#include <vector_types.h>
#include <device_launch_parameters.h>
#define RADIUS 2
#define BLOCK_SIZE 32
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void copy4(float *in, float *out, int n)
{
	int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
	if (i + 3 < n) {
		float4 v = FETCH_FLOAT4(in[i]);
		v.x = -v.x;
		FETCH_FLOAT4(out[i]) = v;
	}
}

__global__ void stencil_1d(const int *in, int *out, int n)
{
	__shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
	int gindex = threadIdx.x + blockIdx.x * blockDim.x;
	int lindex = threadIdx.x + RADIUS;

	temp[lindex] = gindex < n ? in[gindex] : 0;
	if (threadIdx.x < RADIUS) {
		temp[lindex - RADIUS] = gindex >= RADIUS ? in[gindex - RADIUS] : 0;
		temp[lindex + BLOCK_SIZE] = gindex + BLOCK_SIZE < n ? in[gindex + BLOCK_SIZE] : 0;
	}
	__syncthreads();
	int result = 0;
	for (int offset = -RADIUS; offset <= RADIUS; offset++)
		result += temp[lindex + offset];
	if (gindex < n)
		out[gindex] = result;
}

__global__ void volume(int3 size, uchar4 *out)
{
	const uint3 t = threadIdx;
	int x = blockIdx.x * blockDim.x + t.x;
	int y = blockIdx.y * blockDim.y + t.y;
	int z = blockIdx.z * blockDim.z + threadIdx.z;
	dim3 d(2, 3);

	if (x >= size.x || y >= size.y || z >= size.z)
		return;
	uint3 u = make_uint3(x, y, z);
	out[(z * size.y + y) * size.x + x] = make_uchar4(u.x, u.y, u.z, d.x * 10 + d.y + d.z);
}
