// latch.cu - a kernel polls a value that the host changes only after it, and so never ends.
#include <cstdio>

__global__ void fill(int *p)
{
	__syncthreads();
	p[threadIdx.x] = 0;
	__syncthreads();
}

__global__ void spin(volatile int *latch)
{
	while (latch[0] < 1)
		;
}

int main()
{
	int *latch;

	cudaMallocManaged(&latch, 32 * sizeof *latch);
	fill<<<1, 32>>>(latch);
	cudaDeviceSynchronize();
	spin<<<1, 1>>>(latch);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
