// reset.cu - variables of device code after cudaDeviceReset().
#include <cstdio>

#include <cuda_runtime.h>

__device__ int counter = 3;
__device__ int *place = &counter;
__device__ float zeros[5];
__constant__ int factor = 7;
__device__ int unnamed = 11;            // only kernels use it

__global__ void change(int by)
{
	*place += by * factor;
	zeros[4] += by;
	unnamed++;
}

__global__ void ask(int *out)
{
	out[0] = counter;
	out[1] = factor;
	out[2] = (int)zeros[4];
	out[3] = unnamed;
}

static void print(const char *when)
{
	int found[4], *out;

	cudaMalloc(&out, sizeof found);
	ask<<<1, 1>>>(out);
	cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
	printf("%s: %d %d %d %d\n", when, found[0], found[1], found[2], found[3]);
	cudaFree(out);
}

int main()
{
	int other = 100;

	print("first");
	cudaMemcpyToSymbol(factor, &other, sizeof other);
	change<<<1, 1>>>(2);
	print("changed");
	cudaDeviceReset();
	print("reset");
	change<<<1, 1>>>(1);
	cudaDeviceReset();
	print("again");
	cudaMemcpyToSymbol(counter, &other, sizeof other);
	print("set");
	printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
