/* cooperative_groups.h - the groups of one block, for C++ files on the simulator.
 *
 * thread_block, tiles of 1 to 1,024 threads, coalesced groups and thread_group: their sizes, ranks
 * and sync, shuffles and votes; what sim/cuda/groups/ has is only included here. A call of a member
 * is a site of its own: its last parameter, which callers leave out, says where it is.
 */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_H
#define FLASHTWIN_COOPERATIVE_GROUPS_H

#ifndef __cplusplus
#error "cooperative_groups.h needs C++"
#endif

#include "sim/cuda/groups/cluster.h"
#include "sim/cuda/groups/invoke.h"
#include "sim/cuda/groups/tile.h"

namespace cooperative_groups {

/* Some lanes of a warp, numbered without gaps. */
class coalesced_group {
	unsigned mask_, rank_of_group_, groups_;

	/* Lanes of the warp as lanes of the group. */
	unsigned packed(unsigned lanes) const
	{
		unsigned out = 0, rank = 0;

		for (unsigned left = mask_; left; left &= left - 1, rank++)
			out |= (lanes >> __builtin_ctz(left) & 1u) << rank;
		return out;
	}
	/* The lane with this rank; beyond the last one that of the calling thread. */
	unsigned lane_of(unsigned rank) const
	{
		unsigned left = mask_;

		while (rank-- > 0 && left)
			left &= left - 1;
		return left ? (unsigned)__builtin_ctz(left) : ft_thread_linear() % 32;
	}
	template <class T> T take(const struct ft_site *site, T v, unsigned lane) const
	{
		return ft_group_shuffle(site, FT_SHUFFLE_IDX, mask_, v, lane, 32);
	}
public:
	explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned groups = 1)
		: mask_(mask), rank_of_group_(rank), groups_(groups) { }
	unsigned mask() const { return mask_; }         /* not in CUDA */
	void sync(FT_CALL) const
		{ ft_collective(FT_CALL_SITE("coalesced_group::sync"), FT_SYNC, mask_, 0, 0); }
	unsigned size() const { return (unsigned)__popc(mask_); }
	unsigned num_threads() const { return size(); }
	unsigned thread_rank() const
	{
		return (unsigned)__popc(mask_ & ((1u << ft_thread_linear() % 32) - 1));
	}
	unsigned meta_group_rank() const { return rank_of_group_; }
	unsigned meta_group_size() const { return groups_; }
	template <class T> T shfl(T v, unsigned rank, FT_CALL) const
	{
		return take(FT_CALL_SITE("coalesced_group::shfl"), v, lane_of(rank % size()));
	}
	template <class T> T shfl_up(T v, unsigned d, FT_CALL) const
	{
		unsigned rank = thread_rank();

		return take(FT_CALL_SITE("coalesced_group::shfl_up"), v,
			    lane_of(rank < d ? rank : rank - d));
	}
	template <class T> T shfl_down(T v, unsigned d, FT_CALL) const
	{
		unsigned rank = thread_rank();

		return take(FT_CALL_SITE("coalesced_group::shfl_down"), v,
			    lane_of(d < size() - rank ? rank + d : rank));
	}
	int any(int p, FT_CALL) const
		{ return (int)FT_GROUP_VOTE("coalesced_group::any", FT_ANY, mask_, p); }
	int all(int p, FT_CALL) const
		{ return (int)FT_GROUP_VOTE("coalesced_group::all", FT_ALL, mask_, p); }
	unsigned ballot(int p, FT_CALL) const
	{
		return packed((unsigned)FT_GROUP_VOTE("coalesced_group::ballot", FT_BALLOT, mask_,
						      p));
	}
	template <class T> unsigned match_any(T v, FT_CALL) const
	{
		return packed((unsigned)ft_collective(FT_CALL_SITE("coalesced_group::match_any"),
						      FT_MATCH_ANY, mask_, FT_BITS(v), 0));
	}
	template <class T> unsigned match_all(T v, int &same, FT_CALL) const
	{
		unsigned found = (unsigned)ft_collective(FT_CALL_SITE("coalesced_group::match_all"),
							 FT_MATCH_ALL, mask_, FT_BITS(v), 0);

		same = found != 0;
		return packed(found);
	}
};

static inline coalesced_group coalesced_threads(FT_CALL)
{
	return coalesced_group(ft_active_mask(FT_CALL_SITE("coalesced_threads")));
}

/* --- groups made at run time --- */

/* A block, or lanes of a warp: what any of the groups above converts to. */
class thread_group {
	unsigned mask_;                 /* of a warp; 0: the block */
public:
	thread_group(const thread_block &) : mask_(0) { }
	thread_group(const coalesced_group &group) : mask_(group.mask()) { }
	template <unsigned N, class Parent>
	thread_group(const thread_block_tile<N, Parent> &tile) : mask_(tile.mask()) { }
	unsigned mask() const { return mask_; }         /* not in CUDA */
	unsigned size() const
		{ return mask_ ? (unsigned)__popc(mask_) : thread_block().size(); }
	unsigned num_threads() const { return size(); }
	unsigned thread_rank() const
	{
		return mask_ ? coalesced_group(mask_).thread_rank() : thread_block().thread_rank();
	}
	void sync(FT_CALL) const
	{
		if (mask_)
			ft_collective(FT_CALL_SITE("thread_group::sync"), FT_SYNC, mask_, 0, 0);
		else
			ft_block_barrier(FT_CALL_SITE("thread_group::sync"), FT_BLOCK_SYNC, 0);
	}
};

/* The lanes of `all` whose rank in it, divided by `size`, is that of the calling thread. */
static inline unsigned ft_part_of(unsigned all, unsigned size)
{
	unsigned own = coalesced_group(all).thread_rank() / size, rank = 0, mask = 0;

	for (unsigned left = all; left; left &= left - 1, rank++)
		if (rank / size == own)
			mask |= left & -left;
	return mask;
}

/* Of a block or a tile: consecutive threads, 1 to 32 and a power of two. */
static inline thread_group tiled_partition(const thread_group &parent, unsigned size)
{
	unsigned threads = parent.size(), warp = ft_thread_linear() / 32 * 32;
	unsigned all = parent.mask() ? parent.mask() : threads - warp >= 32 ? 0xffffffffu
		: (1u << (threads - warp)) - 1;

	return coalesced_group(ft_part_of(all, size));
}
static inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
	return coalesced_group(ft_part_of(parent.mask(), size), parent.thread_rank() / size,
			       (parent.size() + size - 1) / size);
}

/* The threads of the group for which p has the same truth value; group 0 has those with false. If
 * that is all of them, there is one group. */
template <class Group>
static inline coalesced_group binary_partition(const Group &group, bool p, FT_CALL)
{
	unsigned yes = (unsigned)FT_GROUP_VOTE("binary_partition", FT_BALLOT, group.mask(), p);

	if (yes == group.mask() || yes == 0)
		return coalesced_group(group.mask());
	return coalesced_group(p ? yes : group.mask() & ~yes, p, 2);
}

/* The threads of the group with the same label. */
template <class Group, class Label>
static inline coalesced_group labeled_partition(const Group &group, Label label, FT_CALL)
{
	const struct ft_site *site = FT_CALL_SITE("labeled_partition");
	unsigned own = (unsigned)ft_collective(site, FT_MATCH_ANY, group.mask(), FT_BITS(label), 0);
	unsigned leader = (unsigned)FT_GROUP_VOTE("labeled_partition", FT_BALLOT, group.mask(),
						  ft_thread_linear() % 32
						  == (unsigned)__builtin_ctz(own));

	return coalesced_group(own, (unsigned)__popc(leader & ((1u << __builtin_ctz(own)) - 1)),
			       (unsigned)__popc(leader));
}

template <class Group> static inline void sync(const Group &group, FT_CALL)
{
	group.sync(FT_CALLER);
}
template <class Group> static inline unsigned thread_rank(const Group &group)
{
	return group.thread_rank();
}
template <class Group> static inline unsigned group_size(const Group &group)
{
	return group.size();
}

/* All blocks of the launch, which is cooperative if they may wait for each other. */
class grid_group {
public:
	using arrival_token = unsigned;

#ifdef FLASHTWIN_PROGRAM
	void sync(FT_CALL) const { ft_grid_barrier(FT_CALL_SITE("grid_group::sync")); }
	/* As in CUDA, the threads of a block meet in both, and one of them does the rest. */
	arrival_token barrier_arrive(FT_CALL) const
	{
		const struct ft_site *site = FT_CALL_SITE("grid_group::barrier_arrive");

		ft_block_barrier(site, FT_BLOCK_SYNC, 0);
		return ft_thread_linear() == 0 ? ft_grid_barrier_arrive(site) : 0;
	}
	void barrier_wait(arrival_token &&token, FT_CALL) const
	{
		const struct ft_site *site = FT_CALL_SITE("grid_group::barrier_wait");

		if (ft_thread_linear() == 0)
			ft_grid_barrier_wait(site, token);
		ft_block_barrier(site, FT_BLOCK_SYNC, 0);
	}
	bool is_valid() const { return ft_grid_is_cooperative(); }
#else
	void sync(const void * = nullptr) const
		__attribute__((error("sync() of a grid needs a program that launches it "
				     "cooperatively: use flashtwin run")));
	bool is_valid() const { return false; }
#endif
	unsigned long long num_blocks() const
		{ return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
	unsigned long long block_rank() const
	{
		return blockIdx.x + (unsigned long long)gridDim.x
			* (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	}
	struct dim3 dim_blocks() const { return gridDim; }
	struct dim3 dim_clusters() const { return __clusterGridDimInClusters(); }
	struct dim3 cluster_index() const { return __clusterIdx(); }
	unsigned long long num_clusters() const
	{
		const struct dim3 of = dim_clusters();

		return (unsigned long long)of.x * of.y * of.z;
	}
	unsigned long long cluster_rank() const
	{
		const struct dim3 of = dim_clusters(), at = cluster_index();

		return at.x + (unsigned long long)of.x * (at.y + (unsigned long long)of.y * at.z);
	}
	struct dim3 group_dim() const { return gridDim; }
	struct dim3 block_index() const { return blockIdx; }
	unsigned long long num_threads() const { return num_blocks() * thread_block().size(); }
	unsigned long long size() const { return num_threads(); }
	unsigned long long thread_rank() const
		{ return block_rank() * thread_block().size() + ft_thread_linear(); }
};

static inline grid_group this_grid() { return {}; }

}

#endif
