// points.cu - named points in kernels of a program, one of them a template.
#include <cstdio>

#include "kernels/points.h"

__global__ void twice(float *x)
{
	POINT(before, x[threadIdx.x]);
	x[threadIdx.x] *= 2;
	POINT(after, x[threadIdx.x], threadIdx.x);
}

template <class T> __global__ void first(const T *x)
{
	POINT(first_of_all, x[0]);
}

int main()
{
	float host[4] = { 1, 2, 3, 4 }, *x;

	cudaMalloc(&x, sizeof host);
	cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
	twice<<<1, 4>>>(x);
	first<float><<<2, 1>>>(x);
	cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
	printf("%g\n", host[3]);
	cudaFree(x);
}
