// nested.cu - launches by device code: their order, their arguments, and how they can fail.
#include <cstdio>
#include <cstring>

__device__ void say(const char *what, int n)
{
	if (threadIdx.x == 0)
		printf("%s %d\n", what, n);
}

// Static shared memory of its own, and launches of itself.
__global__ void sum(int depth, int unused)
{
	__shared__ int total;

	if (threadIdx.x == 0)
		total = 0;
	__syncthreads();
	atomicAdd(&total, (int)threadIdx.x);
	__syncthreads();
	say("sum", total);
	if (depth < 2 && threadIdx.x == 0)
		sum<<<1, blockDim.x / 2>>>(depth + 1, unused);
}

template <class T> __global__ void fill(T *p, T value) { p[threadIdx.x] = value; }
__global__ void last(const int *p, int n) { say("last", p[n - 1]); }
__global__ void free_of_all(int, float) { say("free", 0); }     // parameters without names

__global__ void parent(int *p, int n)
{
	cudaStream_t stream;

	if (threadIdx.x != 0)
		return;
	last<<<1, 1, 0, cudaStreamTailLaunch>>>(p, n);
	sum<<<1, 8>>>(0, 0);
	fill<<<1, n>>>(p, 7);
	if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
		__trap();
	free_of_all<<<1, 1, 0, cudaStreamFireAndForget>>>(1, 2.0f);
	fill<<<1, n / 2, 0, stream>>>(p + n, 8);
	fill<<<1, n / 4, 0, stream>>>(p + n, 9);
	cudaStreamDestroy(stream);
	say("parent", cudaGetLastError());
}

__global__ void many(int threads) { free_of_all<<<1, threads>>>(1, 2.0f); }
__global__ void deep() { deep<<<1, 1>>>(); }
__global__ void wrong(int *p) { fill<<<1, 32>>>(p + 1, 1); }

__global__ void store(int *p) { p[threadIdx.x] = 3; }
__global__ void allocate(int **p)
{
	cudaMalloc(p, 16 * sizeof **p);
	store<<<1, 16>>>(*p);
}
__global__ void release(int **p, int *sum)
{
	for (int i = 0; i < 16; i++)
		*sum += (*p)[i];
	cudaFree(*p);
}

static void order(int *p, int n)
{
	int h[64];

	parent<<<1, 32>>>(p, n);
	cudaMemcpy(h, p, 2 * n * sizeof h[0], cudaMemcpyDeviceToHost);
	printf("%d %d, %d %d\n", h[0], h[n - 1], h[n], h[n + n / 4]);
}

static void heap(int *p)
{
	int **place, sum = 0;

	cudaMalloc(&place, sizeof *place);
	cudaMemset(p, 0, sizeof *p);
	allocate<<<1, 1>>>(place);
	release<<<1, 1>>>(place, p);
	cudaMemcpy(&sum, p, sizeof sum, cudaMemcpyDeviceToHost);
	printf("heap %d\n", sum);
	cudaFree(place);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "order";
	int *p;

	cudaMalloc(&p, 64 * sizeof *p);
	if (strcmp(what, "order") == 0)
		order(p, 32);
	if (strcmp(what, "heap") == 0)
		heap(p);
	if (strcmp(what, "many") == 0)
		many<<<1, 1>>>(2048);
	if (strcmp(what, "deep") == 0)
		deep<<<1, 1>>>();
	if (strcmp(what, "wrong") == 0)
		wrong<<<1, 1>>>(p + 32);
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
	cudaFree(p);
}
