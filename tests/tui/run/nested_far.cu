// nested_far.cu - launches in device code of kernels that nested_far_other.cu defines, and copies.
#include <cstdio>
#include <cstring>

__global__ void sum(const int *values, int n, int *out);
__global__ void again(int *out, int depth);
template <class T> __global__ void fill(T *p, T value);

__global__ void parent(int *p, int n, int past)
{
	cudaStream_t stream;

	if (threadIdx.x != 0)
		return;
	for (int i = 0; i < n; i++)
		p[i] = i;
	if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
		__trap();
	cudaMemcpyAsync(p + n, p, n * sizeof *p, cudaMemcpyDeviceToDevice, stream);
	sum<<<1, 32, 0, stream>>>(p + n, n + past, p + 2 * n);
	again<<<1, 1, 0, stream>>>(p + 2 * n, 0);
	fill<<<1, 1, 0, stream>>>(p + 2 * n + 1, 5);
	cudaStreamDestroy(stream);
	printf("parent: %s, %s\n", cudaGetErrorString(cudaGetLastError()),
	       cudaGetErrorName(cudaPeekAtLastError()));
	printf("errors: %s, %s\n", cudaGetErrorName((cudaError_t)700),
	       cudaGetErrorString((cudaError_t)98));
}

// Launched by the other file.
__global__ void twice(int *out, int depth)
{
	*out *= 2;
	again<<<1, 1>>>(out, depth + 1);
}

int main(int argc, char **argv)
{
	const int n = 48;
	int h[3 * n], *p;

	cudaMalloc(&p, sizeof h);
	parent<<<1, 32>>>(p, n, argc > 1 ? 1000 : 0);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("sum %d, filled %d, last %d\n", h[2 * n], h[2 * n + 1], h[2 * n - 1]);
	sum<<<1, 32>>>(p, n, p);                // by the host too
	cudaMemcpy(h, p, sizeof h[0], cudaMemcpyDeviceToHost);
	printf("sum %d, %s\n", h[0], cudaGetErrorString(cudaDeviceSynchronize()));
	cudaFree(p);
}
