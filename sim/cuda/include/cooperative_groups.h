/* cooperative_groups.h - the groups of one block, for C++ files on the simulator.
 *
 * thread_block, tiles of 1 to 32 threads and coalesced groups: their sizes, ranks and sync, and
 * within a warp shuffles and votes. Groups of several blocks are not supported. A call of a member
 * is a site of its own: its last parameter, which callers leave out, says where it is.
 */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_H
#define FLASHTWIN_COOPERATIVE_GROUPS_H

#ifndef __cplusplus
#error "cooperative_groups.h needs C++"
#endif

/* FT_CALL declares that parameter, FT_CALLER is its value, FT_CALL_SITE the site. */
#if defined(__has_builtin) && __has_builtin(__builtin_source_location)
#if __cplusplus > 201703L
#include <source_location>
#else
namespace std {
struct source_location {
	struct __impl {
		const char *_M_file_name, *_M_function_name;
		unsigned _M_line, _M_column;
	};
};
}
#endif
typedef std::source_location::__impl ft_call;
#define FT_CALL const void *ft_caller_ = __builtin_source_location()
#define FT_CALLER ft_caller_
#define FT_CALL_SITE(name) ft_group_site(name, (const ft_call *)ft_caller_)
static inline const struct ft_site *ft_group_site(const char *name, const ft_call *call)
{
	return ft_site_at(name, FT_OWN(const char *, call->_M_file_name),
			  (int)FT_OWN(unsigned, call->_M_line),
			  (int)FT_OWN(unsigned, call->_M_column));
}
#else                   /* calls on one line are one */
struct ft_call { const char *file; int line; };
#define FT_CALL ft_call ft_caller_ = ft_call{ __builtin_FILE(), __builtin_LINE() }
#define FT_CALLER ft_caller_
#define FT_CALL_SITE(name) ft_site_at(name, ft_caller_.file, ft_caller_.line, 0)
#endif

#define FT_GROUP_VOTE(name, kind, mask, p) \
	ft_collective(FT_CALL_SITE(name), kind, mask, !!(p), 0)
#define FT_GROUP_SHUFFLE(name, kind, mask, v, by, width) \
	FT_SHUFFLE_AT(FT_CALL_SITE(name), kind, mask, v, by, width)

namespace cooperative_groups {

static inline unsigned ft_thread_linear()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

class thread_block {
public:
	void sync(FT_CALL) const
		{ ft_block_barrier(FT_CALL_SITE("thread_block::sync"), FT_BLOCK_SYNC, 0); }
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
	void sync(FT_CALL) const
		{ ft_collective(FT_CALL_SITE("thread_block_tile::sync"), FT_SYNC, mask(), 0, 0); }
	static constexpr unsigned size() { return N; }
	static constexpr unsigned num_threads() { return N; }
	unsigned thread_rank() const { return ft_thread_linear() % N; }
	unsigned meta_group_rank() const { return ft_thread_linear() / N; }
	unsigned meta_group_size() const { return (thread_block().size() + N - 1) / N; }
	template <class T> T shfl(T v, int lane, FT_CALL) const
	{
		return FT_GROUP_SHUFFLE("thread_block_tile::shfl", FT_SHUFFLE_IDX, mask(), v, lane,
					N);
	}
	template <class T> T shfl_up(T v, unsigned d, FT_CALL) const
	{
		return FT_GROUP_SHUFFLE("thread_block_tile::shfl_up", FT_SHUFFLE_UP, mask(), v, d,
					N);
	}
	template <class T> T shfl_down(T v, unsigned d, FT_CALL) const
	{
		return FT_GROUP_SHUFFLE("thread_block_tile::shfl_down", FT_SHUFFLE_DOWN, mask(), v,
					d, N);
	}
	template <class T> T shfl_xor(T v, unsigned m, FT_CALL) const
	{
		return FT_GROUP_SHUFFLE("thread_block_tile::shfl_xor", FT_SHUFFLE_XOR, mask(), v,
					m, N);
	}
	int any(int p, FT_CALL) const
		{ return (int)FT_GROUP_VOTE("thread_block_tile::any", FT_ANY, mask(), p); }
	int all(int p, FT_CALL) const
		{ return (int)FT_GROUP_VOTE("thread_block_tile::all", FT_ALL, mask(), p); }
	template <class T> unsigned match_any(T v, FT_CALL) const
	{
		return (unsigned)ft_collective(FT_CALL_SITE("thread_block_tile::match_any"),
					       FT_MATCH_ANY, mask(), FT_BITS(v), 0)
			>> ft_thread_linear() % 32 / N * N;
	}
	unsigned ballot(int p, FT_CALL) const
	{
		return (unsigned)FT_GROUP_VOTE("thread_block_tile::ballot", FT_BALLOT, mask(), p)
			>> ft_thread_linear() % 32 / N * N;
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
	void sync(FT_CALL) const
		{ ft_collective(FT_CALL_SITE("coalesced_group::sync"), FT_SYNC, mask_, 0, 0); }
	unsigned size() const { return (unsigned)__popc(mask_); }
	unsigned num_threads() const { return size(); }
	unsigned thread_rank() const
	{
		return (unsigned)__popc(mask_ & ((1u << ft_thread_linear() % 32) - 1));
	}
	int any(int p, FT_CALL) const
		{ return (int)FT_GROUP_VOTE("coalesced_group::any", FT_ANY, mask_, p); }
	int all(int p, FT_CALL) const
		{ return (int)FT_GROUP_VOTE("coalesced_group::all", FT_ALL, mask_, p); }
};

static inline coalesced_group coalesced_threads(FT_CALL)
{
	return coalesced_group(ft_active_mask(FT_CALL_SITE("coalesced_threads")));
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
