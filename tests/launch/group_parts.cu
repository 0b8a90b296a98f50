/* group_parts.cu - cooperative groups whose threads are chosen at run time, and wide shuffles. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__device__ int sum(cg::thread_group g, int *temp, int v)
{
	int rank = g.thread_rank();

	for (int i = g.size() / 2; i > 0; i /= 2) {
		temp[rank] = v;
		g.sync();
		if (rank < i)
			v += temp[rank + i];
		g.sync();
	}
	return rank == 0 ? v : -1;
}

__global__ void parts(const int *in, int *out)
{
	__shared__ int temp[64];
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	int i = block.thread_rank(), v = in[i];

	out[i] = sum(block, temp, v);
	block.sync();
	cg::thread_group four = cg::tiled_partition(block, 4);
	out[64 + i] = sum(four, temp + i / 4 * 4, v) + four.size() * 1000;

	cg::coalesced_group odd = cg::binary_partition(warp, v % 2);
	out[128 + i] = odd.size() * 100 + odd.thread_rank() + odd.meta_group_rank() * 10000;
	out[192 + i] = odd.shfl(v, 0) + odd.shfl_up(v, 1) + odd.shfl_down(v, 2);
	out[256 + i] = odd.ballot(v > 30) ^ (odd.any(v == 3) << 16) ^ (odd.all(v >= 0) << 17);
	cg::coalesced_group label = cg::labeled_partition(warp, v % 3);
	out[320 + i] = label.size() * 100 + label.meta_group_size() * 10 + label.thread_rank();
	cg::coalesced_group two = cg::tiled_partition(label, 2);
	out[384 + i] = two.size() * 100 + two.meta_group_rank() * 10 + two.thread_rank();
	double4 wide = { (double)v, 1, 2, i * 0.5 };
	wide = warp.shfl(wide, (i + 1) % 32);
	out[448 + i] = (int)(wide.x + 2 * wide.w);
	int same;
	out[576 + i] = cg::reduce(odd, v, cg::plus<int>()) + cg::inclusive_scan(odd, v) * 100
		+ cg::exclusive_scan(label, v, cg::plus<int>()) * 10000;
	out[512 + i] = warp.match_all(v / 64, same) == 0xffffffffu && same;
}
