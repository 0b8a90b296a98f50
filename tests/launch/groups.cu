/* groups.cu - cooperative groups: tiles, shuffles, reductions, coalesced groups, ranks. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
using namespace cooperative_groups;
namespace cg = cooperative_groups;

template <typename group_t> __device__ int reduce_sum(group_t g, int *temp, int val)
{
	int lane = g.thread_rank();

	for (int i = g.size() / 2; i > 0; i /= 2) {
		temp[lane] = val;
		g.sync();
		if (lane < i)
			val += temp[lane + i];
		g.sync();
	}
	return val;
}

template <typename tile_t> __device__ int tile_sum(tile_t g, int v)
{
	for (int i = g.size() / 2; i > 0; i /= 2)
		v += g.shfl_down(v, i);
	return v;
}

__global__ void all(const int *in, int *out)
{
	extern __shared__ int temp[];
	auto block = this_thread_block();
	auto tile8 = tiled_partition<8>(block);
	thread_block_tile<16> tile16 = tiled_partition<16>(this_thread_block());
	int v = in[block.thread_rank()];
	int total = reduce_sum(block, temp, v);
	int i = block.thread_rank();

	block.sync();
	out[i] = block.thread_rank() == 0 ? total : -1;
	out[64 + i] = tile_sum(tile16, v);
	out[128 + i] = cg::reduce(tile8, v, cg::plus<int>());
	out[192 + i] = cg::reduce(tile8, v, cg::less<int>()) + tile8.shfl(v, 0) + tile8.shfl_xor(v, 1);
	out[256 + i] = cg::inclusive_scan(tile8, v) + cg::exclusive_scan(tile8, v, cg::plus<int>());
	out[320 + i] = tile8.meta_group_rank() * 100 + tile8.meta_group_size() + tile8.any(v == 3);
	if (i % 2 == 0) {
		coalesced_group active = coalesced_threads();
		out[384 + i] = active.size() > 0 && active.thread_rank() < active.num_threads();
	} else {
		out[384 + i] = 2;
	}
	cg::sync(block);
	out[448 + i] = block.group_index().x + block.dim_threads().x + thread_rank(block);
}
