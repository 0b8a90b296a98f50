// vectorAdd.cu - adds two vectors and checks every sum.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *sum, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		sum[i] = a[i] + b[i];
}

int main()
{
	const int n = 1000, block = 256;
	const size_t bytes = n * sizeof(float);
	float *host = (float *)malloc(3 * bytes), *a, *b, *sum;
	int wrong = 0;

	for (int i = 0; i < 2 * n; i++)
		host[i] = i;
	cudaMalloc(&a, bytes);
	cudaMalloc(&b, bytes);
	cudaMalloc(&sum, bytes);
	cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
	cudaMemcpy(b, host + n, bytes, cudaMemcpyHostToDevice);
	add<<<(n + block - 1) / block, block>>>(a, b, sum, n);
	cudaMemcpy(host + 2 * n, sum, bytes, cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		wrong += host[2 * n + i] != (float)(2 * i + n);
	printf("%d of %d sums are wrong\n", wrong, n);
	cudaFree(a);
	cudaFree(b);
	cudaFree(sum);
	free(host);
	return wrong != 0;
}
