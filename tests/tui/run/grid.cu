// grid.cu - BLOCKS [race|plain]: a sum in two phases, with a barrier of the grid between them.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
namespace cg = cooperative_groups;

__global__ void sum(const int *in, int *part, long long *out, int n, bool wait)
{
	cg::grid_group grid = cg::this_grid();
	__shared__ int total;

	if (threadIdx.x == 0)
		total = 0;
	__syncthreads();
	for (int i = grid.thread_rank(); i < n; i += grid.size())
		atomicAdd(&total, in[i]);
	__syncthreads();
	if (threadIdx.x == 0)
		part[blockIdx.x] = total;
	if (wait)
		cg::sync(grid);
	else
		__syncthreads();
	if (grid.thread_rank() == 0) {
		*out = 0;
		for (int i = 0; i < gridDim.x; i++)
			*out += part[i];
	}
	if (wait)
		grid.sync();
	if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
		*out += grid.is_valid();
}

int main(int argc, char **argv)
{
	int blocks = atoi(argv[1]), n = 10000, *in, *part;
	bool wait = argc < 3 || strcmp(argv[2], "race") != 0;
	long long *out;

	cudaMallocManaged(&in, n * sizeof *in);
	cudaMallocManaged(&part, blocks * sizeof *part);
	cudaMallocManaged(&out, sizeof *out);
	for (int i = 0; i < n; i++)
		in[i] = i % 7;
	void *args[] = { &in, &part, &out, &n, &wait };
	cudaError_t error = cudaSuccess;
	if (argc > 2 && strcmp(argv[2], "plain") == 0)
		sum<<<blocks, 64>>>(in, part, out, n, wait);
	else
		error = cudaLaunchCooperativeKernel(sum, dim3(blocks), dim3(64), args, 0, 0);
	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	printf("%s %lld\n", cudaGetErrorName(error), *out);
	cudaFree(in);
	cudaFree(part);
	cudaFree(out);
}
