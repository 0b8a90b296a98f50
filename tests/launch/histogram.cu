/* histogram.cu - privatised histogram of bytes: shared atomics, then global ones. */
#include <stdint.h>
constexpr int kBins = 64;

__global__ void histogram(const uint8_t *__restrict__ data, size_t n, unsigned int *__restrict__ hist)
{
	__shared__ unsigned int local[kBins];

	for (int i = threadIdx.x; i < kBins; i += blockDim.x)
		local[i] = 0u;
	__syncthreads();
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)
		atomicAdd(&local[data[i] % kBins], 1);
	__syncthreads();
	for (int i = threadIdx.x; i < kBins; i += blockDim.x)
		atomicAdd(hist + i, local[i]);
}
