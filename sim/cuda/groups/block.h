/* block.h - the group of a block's threads, and what all groups share; see cooperative_groups.h. */
#ifndef SIM_GROUPS_BLOCK_H
#define SIM_GROUPS_BLOCK_H

#include "sim/cuda/libcu/call.h"

#define FT_GROUP_VOTE(name, kind, mask, p) \
	ft_collective(FT_CALL_SITE(name), kind, mask, !!(p), 0)

namespace cooperative_groups {

/* Shuffles a value of any size in pieces of 8 bytes; also for CUB. */
template <class T> static inline T ft_shuffle_pieces(const struct ft_site *site,
						     enum ft_collective kind, unsigned mask,
						     T value, unsigned by, unsigned width)
{
	uint64_t pieces[(sizeof(T) + 7) / 8] = { };

	memcpy(pieces, (const void *)&value, sizeof value);
	for (uint64_t &piece : pieces)
		piece = ft_collective(site, kind, mask, piece, (by & 0xffffu) | width << 16);
	memcpy((void *)&value, pieces, sizeof value);
	return value;
}

/* CUDA's groups shuffle values of up to 32 bytes. */
template <class T> static inline T ft_group_shuffle(const struct ft_site *site,
						    enum ft_collective kind, unsigned mask, T value,
						    unsigned by, unsigned width)
{
	static_assert(sizeof(T) <= 32, "groups shuffle values of up to 32 bytes");
	return ft_shuffle_pieces(site, kind, mask, value, by, width);
}

static inline unsigned ft_thread_linear()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

class thread_block {
public:
	struct arrival_token { };

	static void sync(FT_CALL)
		{ ft_block_barrier(FT_CALL_SITE("thread_block::sync"), FT_BLOCK_SYNC, 0); }
	/* CUDA's arrival does not wait either: all of the barrier is in the wait. */
	arrival_token barrier_arrive() const { return {}; }
	void barrier_wait(arrival_token &&, FT_CALL) const
		{ ft_block_barrier(FT_CALL_SITE("thread_block::barrier_wait"), FT_BLOCK_SYNC, 0); }
	static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
	static unsigned num_threads() { return size(); }
	static unsigned thread_rank() { return ft_thread_linear(); }
	static struct dim3 group_index() { return blockIdx; }
	static struct dim3 thread_index() { return threadIdx; }
	static struct dim3 dim_threads() { return blockDim; }
	static struct dim3 group_dim() { return blockDim; }
};

static inline thread_block this_thread_block() { return {}; }

/* Memory for tiles of several warps. GPUs of compute capability 8.0 and later have their own for
 * it, and so has the simulator. */
template <unsigned MaxThreads = 1024> struct alignas(8) block_tile_memory { };
template <unsigned MaxThreads>
static inline thread_block this_thread_block(block_tile_memory<MaxThreads> &) { return {}; }

}

#endif
