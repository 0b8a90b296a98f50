// vector_add.cu - adds two vectors; with r or b does something wrong after it, and with another
// argument crashes then.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

__global__ void race(float *x)
{
	x[0] = threadIdx.x;
}

__global__ void beyond(float *x)
{
	x[(size_t)1 << 40] = 1;
}

int main(int argc, char **argv)
{
	const int n = 1000;
	float *host = (float *)malloc(3 * n * sizeof(float)), *a, *b, *c;
	int wrong = 0;

	for (int i = 0; i < 2 * n; i++)
		host[i] = i;
	cudaMalloc(&a, n * sizeof(float));
	cudaMalloc(&b, n * sizeof(float));
	cudaMalloc(&c, n * sizeof(float));
	cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(b, host + n, n * sizeof(float), cudaMemcpyHostToDevice);
	add<<<(n + 255) / 256, 256>>>(a, b, c, n);
	cudaMemcpy(host + 2 * n, c, n * sizeof(float), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		wrong += host[2 * n + i] != (float)(2 * i + n);
	printf("%d wrong\n", wrong);
	if (argc > 1 && argv[1][0] == 'r')
		race<<<1, 32>>>(c);
	if (argc > 1 && argv[1][0] == 'b')
		beyond<<<1, 32>>>(c);
	if (argc > 1)
		printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	if (argc > 2)
		*(volatile int *)8 = 1;
	cudaFree(a);
	cudaFree(b);
	cudaFree(c);
	free(host);
	return wrong != 0;
}
