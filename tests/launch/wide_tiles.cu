/* wide_tiles.cu - tiles of more than 32 threads, barriers with numbers, and members of groups. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

template <unsigned N> __device__ void tile_of(const int *in, int *out)
{
	__shared__ cg::block_tile_memory<256> memory;
	cg::thread_block block = cg::this_thread_block(memory);
	auto tile = cg::tiled_partition<N>(block);
	int i = block.thread_rank(), v = in[i];

	out[i] = tile.thread_rank() + 1000 * tile.size() + 1000000 * tile.meta_group_rank();
	out[256 + i] = tile.shfl(v, N - 3) + tile.any(v == in[5]) * 1000 + tile.all(v > 0) * 10000;
	out[512 + i] = cg::reduce(tile, v, cg::plus<int>());
	out[768 + i] = cg::reduce(tile, v, cg::less<int>());
	out[1024 + i] = cg::inclusive_scan(tile, v);
	out[1280 + i] = cg::exclusive_scan(tile, v, cg::plus<int>());
	auto four = cg::tiled_partition<4>(cg::tiled_partition<32>(tile));
	cg::thread_block_tile<4> any_parent = four;
	out[1536 + i] = four.meta_group_rank() + 100 * four.meta_group_size()
		+ 10000 * any_parent.meta_group_rank();
	out[1792 + i] = cg::invoke_one_broadcast(tile, [&] { return 7 * i; });
}

__global__ void tiles(const int *in, int *out)
{
	tile_of<64>(in, out);
	tile_of<128>(in, out + 2048);
	tile_of<256>(in, out + 4096);
}

/* Half of the tiles are late: a tile's barrier must not wait for the others. */
__global__ void tile_sync(int *out)
{
	__shared__ volatile int values[256];
	auto tile = cg::tiled_partition<64>(cg::this_thread_block());
	int i = threadIdx.x;

	for (int turn = 0; turn < (tile.meta_group_rank() % 2 ? 3 : 1); turn++) {
		values[i] = i + turn;
		tile.sync();
		out[i] = values[i ^ 32];
		tile.sync();
	}
}

/* Floating point: the order of the operations. */
__global__ void tile_floats(const float *in, float *out)
{
	auto tile = cg::tiled_partition<128>(cg::this_thread_block());
	int i = threadIdx.x;

	out[i] = cg::reduce(tile, in[i], cg::plus<float>());
	out[256 + i] = cg::inclusive_scan(tile, in[i]);
	out[512 + i] = cg::exclusive_scan(tile, in[i]);
}

__global__ void updates(const int *in, int *out)
{
	__shared__ cuda::atomic<int, cuda::thread_scope_block> sum, scanned, wide[2];
	cg::thread_block block = cg::this_thread_block();
	auto warp = cg::tiled_partition<32>(block);
	int i = threadIdx.x, same;

	if (i == 0) {
		sum.store(0);
		scanned.store(100);
		wide[0].store(1000);
		wide[1].store(1000);
	}
	block.sync();
	cg::reduce_update_async(warp, sum, in[i], cg::plus<int>());
	cg::reduce_store_async(warp, &out[256 + i / 32], in[i], cg::greater<int>());
	if (i < 32)
		out[288 + i] = cg::inclusive_scan_update(warp, scanned, in[i]);
	same = cg::exclusive_scan_update(cg::tiled_partition<64>(block), wide[i / 64], in[i]);
	if (i >= 64)
		out[320 + i - 64] = same;
	auto token = block.barrier_arrive();
	block.barrier_wait(std::move(token));
	out[i] = sum.load() + scanned.load() + wide[1].load();
	cg::coalesced_group all = cg::binary_partition(warp, true);
	out[384 + i] = all.meta_group_rank() * 10 + all.meta_group_size()
		+ 100 * (int)(all.match_all(7, same) == 0xffffffffu && same);
}

/* Warps 0 and 1 hand values over at barrier 1 and take them back at barrier 2; warps 2 and 3 vote
 * at barrier 3. */
__global__ void numbered(int *out)
{
	__shared__ int values[32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, votes = 0, all = 0, any = 0;

	if (warp == 0) {
		for (int turn = 0; turn < 3; turn++) {
			values[lane] = 10 * turn + lane;
			asm volatile("bar.arrive 1, 64;" ::: "memory");
			asm volatile("barrier.sync 2, 64;" ::: "memory");
		}
		out[lane] = values[lane];
	} else if (warp == 1) {
		for (int turn = 0; turn < 3; turn++) {
			asm volatile("bar.sync %0, %1;" :: "r"(1), "r"(64) : "memory");
			votes += values[31 - lane];
			values[31 - lane] = votes;
			__barrier_sync_count(2, 64);
		}
		out[32 + lane] = votes;
	} else {
		asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 4; "
			     "barrier.red.popc.u32 %0, 3, 64, p; }" : "=r"(votes) : "r"(lane));
		asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 40; "
			     "bar.red.or.pred q, 3, 64, p; selp.s32 %0, 1, 0, q; }"
			     : "=r"(any) : "r"((int)threadIdx.x));
		asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 64; "
			     "bar.red.and.pred q, 3, 64, p; selp.s32 %0, 1, 0, q; }"
			     : "=r"(all) : "r"((int)threadIdx.x));
		out[threadIdx.x] = votes * 100 + any * 10 + all;
	}
	__barrier_sync(4);
	out[128 + threadIdx.x] = values[lane];
}

/* The barrier has no effect on the thread that reads too early. */
__global__ void numbered_race(int *out)
{
	__shared__ int values[64];

	values[threadIdx.x] = threadIdx.x;
	if (threadIdx.x < 32)
		asm volatile("bar.sync 1, 32;" ::: "memory");
	out[threadIdx.x] = values[threadIdx.x ^ 32];
}
