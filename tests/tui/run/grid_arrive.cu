// grid_arrive.cu - BLOCKS [late|early]: arrivals at the barrier of a grid apart from the waits.
// late: a part is stored after the arrival; early: parts are read before the wait.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
namespace cg = cooperative_groups;

#define ROUNDS 3

__global__ void rounds(int *part, int *own, int *sums, bool late, bool early)
{
	cg::grid_group grid = cg::this_grid();

	for (int round = 0; round < ROUNDS; round++) {
		int *now = part + round * gridDim.x, sum = 0;

		if (threadIdx.x == 33 && !late)
			now[blockIdx.x] = blockIdx.x + round;
		auto token = grid.barrier_arrive();
		// What no other block reads needs no order.
		own[grid.thread_rank()] += round;
		if (threadIdx.x == 33 && late)
			now[blockIdx.x] = blockIdx.x + round;
		if (!early)
			grid.barrier_wait(std::move(token));
		if (threadIdx.x == 0) {
			for (int i = 0; i < gridDim.x; i++)
				sum += now[i];
			sums[round * gridDim.x + blockIdx.x] = sum;
		}
		if (early)
			grid.barrier_wait(std::move(token));
	}
}

int main(int argc, char **argv)
{
	int blocks = atoi(argv[1]), threads = 64, wrong = 0, *part, *own, *sums;
	bool late = argc > 2 && strcmp(argv[2], "late") == 0;
	bool early = argc > 2 && strcmp(argv[2], "early") == 0;

	cudaMallocManaged(&part, ROUNDS * blocks * sizeof(int));
	cudaMallocManaged(&own, blocks * threads * sizeof(int));
	cudaMallocManaged(&sums, ROUNDS * blocks * sizeof(int));
	memset(part, 0, ROUNDS * blocks * sizeof(int));
	memset(own, 0, blocks * threads * sizeof(int));
	void *args[] = { &part, &own, &sums, &late, &early };
	cudaLaunchCooperativeKernel(rounds, dim3(blocks), dim3(threads), args, 0, 0);
	cudaError_t error = cudaDeviceSynchronize();
	for (int i = 0; error == cudaSuccess && i < ROUNDS * blocks; i++)
		wrong += sums[i] != blocks * (blocks - 1) / 2 + i / blocks * blocks;
	for (int i = 0; error == cudaSuccess && i < blocks * threads; i++)
		wrong += own[i] != ROUNDS * (ROUNDS - 1) / 2;
	printf("%s %d wrong\n", cudaGetErrorName(error), wrong);
	cudaFree(part);
	cudaFree(own);
	cudaFree(sums);
	return 0;
}
