/* reduce_shuffle.cu - sum of an array: warps by shuffle, blocks by shared memory, grid by atomics. */
#include <cuda_runtime.h>
#define WARP_SIZE 32
#define FULL_MASK 0xffffffff

template <typename T>
__inline__ __device__ T warpReduceSum(T val)
{
#pragma unroll
	for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2)
		val += __shfl_down_sync(FULL_MASK, val, offset);
	return val;
}

template <typename T>
__inline__ __device__ T blockReduceSum(T val)
{
	static __shared__ T shared[32];
	int lane = threadIdx.x % WARP_SIZE;
	int wid = threadIdx.x / WARP_SIZE;

	val = warpReduceSum(val);
	if (lane == 0)
		shared[wid] = val;
	__syncthreads();
	val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : T(0);
	if (wid == 0)
		val = warpReduceSum(val);
	return val;
}

__global__ void reduceKernel(const int *in, int *out, size_t N)
{
	int sum = 0;

	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
		sum += in[i];
	sum = blockReduceSum<int>(sum);
	if (threadIdx.x == 0)
		atomicAdd(out, sum);
}
