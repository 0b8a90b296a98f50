// groups_20.cu - cooperative groups, barriers, atomics and CUB in C++20, whose library has a
// std::source_location of its own. Prints the sums of a tile and of the block, a count and a line.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>

#include <cstdio>
#include <source_location>

namespace cg = cooperative_groups;

__global__ void add_up(int *out)
{
	__shared__ cub::BlockReduce<int, 64>::TempStorage storage;
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	cg::thread_block block = cg::this_thread_block();

	if (threadIdx.x == 0)
		init(&barrier, 64);
	block.sync();
	auto tile = cg::tiled_partition<32>(block);
	int part = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
	barrier.arrive_and_wait();
	int all = cub::BlockReduce<int, 64>(storage).Sum(threadIdx.x);
	cuda::atomic_ref<int, cuda::thread_scope_device>(out[2]).fetch_add(1);
	if (threadIdx.x == 0) {
		out[0] = part;
		out[1] = all;
	}
}

int main()
{
	int *d, h[3] = {};

	cudaMalloc(&d, sizeof h);
	cudaMemset(d, 0, sizeof h);
	add_up<<<1, 64>>>(d);
	cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
	cudaFree(d);
	printf("%d %d %d %d\n", h[0], h[1], h[2], (int)std::source_location::current().line());
}
