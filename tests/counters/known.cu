// known.cu - kernels whose counters can be worked out by hand, for tests/tui/test_counters.sh.
// Each is launched with one block of 64 threads: two warps.
#include <cuda_pipeline.h>
__global__ void copy(const float *in, float *out)
{
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void stride2(const float *in, float *out)
{
	out[2 * threadIdx.x] = in[2 * threadIdx.x];
}

__global__ void stride32(const float *in, float *out)
{
	out[threadIdx.x] = in[32 * threadIdx.x];
}

__global__ void copy4(const float4 *in, float4 *out)
{
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void broadcast(const float *in, float *out)
{
	out[threadIdx.x] = in[0];
}

template <int PITCH> __global__ void transpose(const float *in, float *out)
{
	__shared__ float tile[32 * PITCH];
	int x = threadIdx.x % 32, y = threadIdx.x / 32;

	for (int row = y; row < 32; row += 2)
		tile[row * PITCH + x] = in[row * 32 + x];
	__syncthreads();
	for (int row = y; row < 32; row += 2)
		out[row * 32 + x] = tile[x * PITCH + row];
}

__global__ void shared4(const float4 *in, float4 *out)
{
	__shared__ float4 tile[64];

	tile[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void branch(const float *in, float *out)
{
	if (threadIdx.x % 2)
		out[threadIdx.x] = 1;
	else
		out[64 + threadIdx.x] = in[threadIdx.x];
}

__global__ void uniform(const float *in, float *out)
{
	if (threadIdx.x < 32)
		out[threadIdx.x] = 1;
	else
		out[64 + threadIdx.x] = in[threadIdx.x];
}

__global__ void meet(const float *in, float *out)
{
	float v = in[threadIdx.x];

	for (int i = 16; i > 0; i /= 2) {
		v += __shfl_xor_sync(~0u, v, i);
		__syncthreads();
	}
	out[threadIdx.x] = v;
	__syncthreads();
	atomicAdd(&out[0], v);
}

__global__ void early(const float *in, float *out, int n)
{
	if (threadIdx.x >= n)
		return;
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void endless(const float *in, float *out)
{
	if (threadIdx.x == 3)
		while (1)
			;
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void wait_plain(const float *in, float *out)
{
	while (in[threadIdx.x] != 7)
		;
	out[threadIdx.x] = 1;
}

__global__ void looping(const float *in, float *out)
{
	float sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += in[i % 8];
	out[threadIdx.x] = sum;
}

// Even lanes leave the inner loop after one iteration, odd lanes after two.
__global__ void staggered(const float *in, float *out)
{
	float sum = 0;

	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 1 + threadIdx.x % 2; j++)
			sum += in[32 * i + 8 * j];
	out[threadIdx.x] = sum;
}

struct triple {
	float x, y, z;
};

__global__ void structs(const triple *in, triple *out)
{
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void copies(const float *in, float *out)
{
	memcpy(out + 4 * threadIdx.x, in + 4 * threadIdx.x, 16);
}

__global__ void asynchronous(const float *in, float *out)
{
	__shared__ float4 tile[64];

	__pipeline_memcpy_async(&tile[threadIdx.x], in + 4 * threadIdx.x, 16);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[threadIdx.x] = tile[threadIdx.x].x;
}

__global__ void atomics(const float *in, float *out)
{
	__shared__ int count;

	if (threadIdx.x == 0)
		count = 0;
	if (threadIdx.x < 8)
		out[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&count, 1);
	atomicAdd(&out[threadIdx.x % 8], in[threadIdx.x]);
}

// Neighbouring lanes read the same 8 bytes, so one pass serves the warp; pairs are 64 bytes apart.
__global__ void pairs(const float2 *in, float *out)
{
	__shared__ float2 tile[256];

	for (int i = threadIdx.x; i < 256; i += 64)
		tile[i] = in[i];
	__syncthreads();
	float2 value = tile[threadIdx.x % 32 / 2 * 8];
	out[threadIdx.x] = value.x + value.y;
}
