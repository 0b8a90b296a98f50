// variables.cu - device variables, managed memory and overloads; with an argument the result depends
// on the order of threads, or a launch is refused.
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

#include "scale.h"

__constant__ float factors[4];
__device__ int counter = 3;
static __device__ float last = 2;
namespace {
__device__ int hidden;
}

__global__ void apply(float *x)
{
	x[threadIdx.x] *= SCALE * factors[threadIdx.x];
	hidden = 7;
	atomicAdd(&counter, 1);
	if (threadIdx.x == 0)
		printf("in a kernel\n");
}

__global__ void apply(int *x)
{
	x[threadIdx.x] = counter;
}

template <class T> __global__ void race(T *x)
{
	last = threadIdx.x;
	x[0] = counter;
}

int main(int argc, char **argv)
{
	float host[4] = { 1, 2, 3, 4 }, *managed, end = -1;
	int *memory, numbers[4], inside = -1;

	cudaMemcpyToSymbol(factors, host, sizeof host);
	cudaMallocManaged(&managed, sizeof host);
	cudaMalloc(&memory, sizeof numbers);
	memcpy(managed, host, sizeof host);
	apply<<<1, 4>>>(managed);
	apply<<<1, 4>>>(memory);
	cudaDeviceSynchronize();
	managed[0] += 1;
	apply<<<1, 4>>>(managed);
	if (argc > 1 && argv[1][0] == 'r')
		race<<<1, 4>>>(memory);
	if (argc > 1 && (argv[1][0] == 't' || argv[1][0] == 'a'))
		apply<<<1, 2000>>>(managed);
	if (argc > 1 && argv[1][0] == 's')
		apply<<<1, 32, 100 << 20>>>(managed);
	if (argc > 1 && argv[1][0] == 'g')
		apply<<<0, 32>>>(managed);
	if (argc > 1 && argv[1][0] == 'a')
		printf("%s\n", cudaGetErrorName(cudaGetLastError()));
	cudaMemcpyFromSymbol(&inside, hidden, sizeof inside);
	cudaMemcpyFromSymbol(&end, last, sizeof end);
	cudaMemcpy(numbers, memory, sizeof numbers, cudaMemcpyDeviceToHost);
	printf("%g %g, %d, %d, %g\n", managed[0], managed[3], numbers[3], inside, end);
	cudaFree(managed);
	cudaFree(memory);
}
