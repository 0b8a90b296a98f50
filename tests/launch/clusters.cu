// sim/cuda/cluster.h and cooperative groups: ranks, distributed shared memory, arrivals apart from
// waits, asynchronous stores and copies between blocks, and multicast.
#include <cooperative_groups.h>
#include "sim/cuda/cluster.h"

namespace cg = cooperative_groups;

// Each block adds what all blocks of its cluster have, in the order of their ranks. 64 threads.
__global__ void sums(const float *x, float *out)
{
	__shared__ float mine[64];
	int t = threadIdx.x;
	float sum = 0.0f;

	mine[t] = x[blockIdx.x * 64 + t];
	cluster_sync();
	for (unsigned rank = 0; rank < cluster_size(); rank++)
		sum += cluster_map(mine, rank)[63 - t];
	out[blockIdx.x * 64 + t] = sum + 1000.0f * cluster_rank();
	cluster_sync();
}

// A histogram whose bins are spread over the cluster: 16 bins in each block.
__global__ void histogram(const int *x, int *out, int n)
{
	__shared__ int bins[16];

	if (threadIdx.x < 16)
		bins[threadIdx.x] = 0;
	cluster_sync();
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		int bin = x[blockIdx.x * n + i];

		atomicAdd(cluster_map(bins, bin / 16) + bin % 16, 1);
	}
	cluster_sync();
	if (threadIdx.x < 16)
		out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

// Arrives, works on its own memory, and waits then. 32 threads.
__global__ void split(const int *x, int *out)
{
	__shared__ int given[32], own[32];
	int t = threadIdx.x, next = (cluster_rank() + 1) % cluster_size();

	given[t] = x[blockIdx.x * 32 + t];
	cluster_arrive();
	own[t] = 3 * x[blockIdx.x * 32 + t];
	cluster_wait();
	out[blockIdx.x * 32 + t] = own[t] + cluster_map(given, next)[t];
	cluster_arrive();
	cluster_wait();
}

// Each block sends a row to the next one in four ways, and all load a row together. 32 threads,
// clusters of at least 2 blocks.
__global__ void rows(const float *x, float *out)
{
	__shared__ __align__(16) float mine[32], small[32], sent[32], shared_row[32];
	__shared__ __align__(16) float4 wide[8];
	__shared__ __align__(16) double pairs[16];
	__shared__ uint64_t full, filled, done;
	unsigned rank = cluster_rank(), size = cluster_size(), next = (rank + 1) % size;
	int t = threadIdx.x;
	uint64_t *next_full;

	if (t == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init(&filled, 1);
		mbarrier_init(&done, size);
		mbarrier_init_fence();
		mbarrier_expect(&full, 4 * 32 * 4);
		mbarrier_expect(&filled, 32 * 4);
	}
	mine[t] = x[blockIdx.x * 32 + t];
	async_bulk_fence();
	cluster_sync();
	next_full = cluster_map(&full, next);
	async_store(cluster_map(&small[31 - t], next), mine[t], next_full);
	if (t < 16)
		async_store(cluster_map(&pairs[t], next), 2.0 * mine[t], next_full);
	if (t < 8)
		async_store(cluster_map(&wide[t], next),
			    make_float4(mine[4 * t], mine[4 * t + 1], mine[4 * t + 2],
					mine[4 * t + 3]), next_full);
	if (t == 0)
		async_bulk_send(cluster_map(sent, next), mine, sizeof mine, next_full);
	if (t == 0 && rank == 0)
		async_bulk_load_to(shared_row, x, sizeof shared_row, &filled, (1u << size) - 1);
	mbarrier_wait(&full, 0);
	mbarrier_wait(&filled, 0);
	out[blockIdx.x * 32 + t] = small[t] + 10.0f * sent[t] + 100.0f * ((float *)wide)[t]
		+ 1000.0f * (float)pairs[t / 2] + shared_row[t];
	__syncthreads();
	// A thread of each block tells every block that it is done.
	if (t == 0)
		for (unsigned i = 0; i < size; i++)
			cluster_mbarrier_arrive(cluster_map(&done, i));
	cluster_mbarrier_wait(&done, 0);
	cluster_sync();
}

// What cooperative groups say, for the thread with the highest rank of its block. 4 x 2 threads.
__global__ void __cluster_dims__(2, 2, 1) groups(int *out)
{
	__shared__ int word;
	cg::cluster_group cluster = cg::this_cluster();
	cg::grid_group grid = cg::this_grid();
	unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
	unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
	int *row = out + 24 * block;

	word = 0;
	cluster.sync();
	if (threadIdx.x == 3 && threadIdx.y == 1)
		*cluster.map_shared_rank(&word, next) = 7 + (int)cluster.block_rank();
	cg::cluster_group::arrival_token token = cluster.barrier_arrive();
	row[0] = (int)cluster.num_threads();
	cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
	if (threadIdx.x == 3 && threadIdx.y == 1) {
		row[1] = word;
		row[2] = (int)cluster.thread_rank();
		row[3] = (int)cluster.block_rank();
		row[4] = (int)cluster.num_blocks();
		row[5] = (int)cluster.size();
		row[6] = (int)cluster.block_index().x;
		row[7] = (int)cluster.block_index().y;
		row[8] = (int)cluster.thread_index().x;
		row[9] = (int)cluster.thread_index().y;
		row[10] = (int)cluster.dim_blocks().x;
		row[11] = (int)cluster.dim_blocks().y;
		row[12] = (int)cluster.dim_threads().x;
		row[13] = (int)cluster.dim_threads().y;
		row[14] = (int)cluster.query_shared_rank(cluster.map_shared_rank(&word, (int)next));
		row[15] = (int)cluster.query_shared_rank(&word);
		row[16] = (int)grid.num_clusters();
		row[17] = (int)grid.cluster_rank();
		row[18] = (int)grid.cluster_index().x;
		row[19] = (int)grid.dim_clusters().x;
		row[20] = (int)__isClusterShared(cluster.map_shared_rank(&word, (int)next));
		row[21] = (int)__isClusterShared(out);
		row[22] = (int)__clusterDimIsSpecified();
		row[23] = (int)__clusterSizeInBlocks();
	}
	cluster.sync();
}

// The first block returns while others use its shared memory.
__global__ void returns_early(const int *x, int *out)
{
	__shared__ int word;

	word = x[blockIdx.x];
	cluster_sync();
	if (cluster_rank() == 0)
		return;
	for (int i = 0; i < 100; i++)
		__nanosleep(1000);
	out[blockIdx.x] = *cluster_map(&word, 0);
}
