/* read_sum.cuh - how the kernels that measure reads show that they have read everything: each warp
 * leaves the exclusive or of its words. */
#ifndef READ_SUM_CUH
#define READ_SUM_CUH

#include "kernels/kernel.h"
#include "kernels/read_rule.h"

#define READ_FULL_WARP 0xffffffffu

static __device__ unsigned read_fold(uint4 vector)
{
	return vector.x ^ vector.y ^ vector.z ^ vector.w;
}

/* Publishes the warp's sum; the block is (32, READ_WARPS). */
static __device__ void read_publish(unsigned *sums, unsigned sum)
{
#pragma unroll
	for (int step = 16; step > 0; step /= 2)
		sum ^= __shfl_xor_sync(READ_FULL_WARP, sum, step);
	if (threadIdx.x == 0)
		sums[blockIdx.x * READ_WARPS + threadIdx.y] = sum;
}

#endif
