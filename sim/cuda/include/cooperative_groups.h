/* cooperative_groups.h - the groups of one block, for C++ files on the simulator.
 *
 * thread_block, tiles of 1 to 32 threads and coalesced groups: their sizes, ranks and sync, and
 * within a warp shuffles and votes. Groups of several blocks are not supported.
 */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_H
#define FLASHTWIN_COOPERATIVE_GROUPS_H

#ifndef __cplusplus
#error "cooperative_groups.h needs C++"
#endif

namespace cooperative_groups {

static inline unsigned ft_thread_linear()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

class thread_block {
public:
	void sync() const { __syncthreads(); }
	unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
	unsigned num_threads() const { return size(); }
	unsigned thread_rank() const { return ft_thread_linear(); }
	struct dim3 group_index() const { return blockIdx; }
	struct dim3 thread_index() const { return threadIdx; }
	struct dim3 dim_threads() const { return blockDim; }
	struct dim3 group_dim() const { return blockDim; }
};

static inline thread_block this_thread_block() { return {}; }

/* N consecutive threads of a warp. */
template <unsigned N, class Parent = thread_block> class thread_block_tile {
	static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0,
		      "a tile has 1, 2, 4, 8, 16 or 32 threads");
	unsigned mask() const
	{
		unsigned lane = ft_thread_linear() % 32;

		return (N == 32 ? 0xffffffffu : (1u << N % 32) - 1) << lane / N * N;
	}
public:
	void sync() const { __syncwarp(mask()); }
	static constexpr unsigned size() { return N; }
	static constexpr unsigned num_threads() { return N; }
	unsigned thread_rank() const { return ft_thread_linear() % N; }
	unsigned meta_group_rank() const { return ft_thread_linear() / N; }
	unsigned meta_group_size() const { return (thread_block().size() + N - 1) / N; }
	template <class T> T shfl(T v, int lane) const { return __shfl_sync(mask(), v, lane, N); }
	template <class T> T shfl_up(T v, unsigned d) const
		{ return __shfl_up_sync(mask(), v, d, N); }
	template <class T> T shfl_down(T v, unsigned d) const
		{ return __shfl_down_sync(mask(), v, d, N); }
	template <class T> T shfl_xor(T v, unsigned m) const
		{ return __shfl_xor_sync(mask(), v, m, N); }
	int any(int p) const { return __any_sync(mask(), p); }
	int all(int p) const { return __all_sync(mask(), p); }
	template <class T> unsigned match_any(T v) const
	{
		return __match_any_sync(mask(), v) >> ft_thread_linear() % 32 / N * N;
	}
	unsigned ballot(int p) const
	{
		return __ballot_sync(mask(), p) >> ft_thread_linear() % 32 / N * N;
	}
};

template <unsigned N, class Parent> static inline thread_block_tile<N, Parent>
tiled_partition(const Parent &)
{
	return {};
}

/* The lanes of the warp that arrive together. */
class coalesced_group {
	unsigned mask_;
public:
	explicit coalesced_group(unsigned mask) : mask_(mask) { }
	void sync() const { __syncwarp(mask_); }
	unsigned size() const { return (unsigned)__popc(mask_); }
	unsigned num_threads() const { return size(); }
	unsigned thread_rank() const
	{
		return (unsigned)__popc(mask_ & ((1u << ft_thread_linear() % 32) - 1));
	}
	int any(int p) const { return __any_sync(mask_, p); }
	int all(int p) const { return __all_sync(mask_, p); }
};

static inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group> static inline void sync(const Group &group) { group.sync(); }
template <class Group> static inline unsigned thread_rank(const Group &group)
{
	return group.thread_rank();
}
template <class Group> static inline unsigned group_size(const Group &group)
{
	return group.size();
}

/* Only declared: calling this_grid() is a compile error. */
class grid_group {
public:
	void sync() const;
	unsigned long long size() const;
	unsigned long long thread_rank() const;
};
grid_group this_grid() __attribute__((error("a grid group is not possible in the simulator: "
					    "launch does not start a cooperative grid")));

}

#endif
