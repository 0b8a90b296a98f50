/* tile.h - thread_block_tile: 1 to 1,024 consecutive threads of a block; see cooperative_groups.h.
 *
 * Tiles of up to 32 threads are lanes of a warp. Larger ones are whole warps, which have a barrier
 * with a number of their own and exchange values of up to 8 bytes; CUDA has fewer members for them.
 */
#ifndef SIM_GROUPS_TILE_H
#define SIM_GROUPS_TILE_H

#include "sim/cuda/groups/block.h"

namespace cooperative_groups {

template <unsigned N, class Parent = void> class thread_block_tile;

/* N lanes of a warp. */
template <unsigned N> class ft_lane_tile {
public:
	static unsigned mask()          /* of its lanes in the warp; not in CUDA */
	{
		unsigned lane = ft_thread_linear() % 32;

		return (N == 32 ? 0xffffffffu : (1u << N % 32) - 1) << lane / N * N;
	}
	static void sync(FT_CALL)
		{ ft_collective(FT_CALL_SITE("thread_block_tile::sync"), FT_SYNC, mask(), 0, 0); }
	static constexpr unsigned size() { return N; }
	static constexpr unsigned num_threads() { return N; }
	static unsigned thread_rank() { return ft_thread_linear() % N; }
	template <class T> T shfl(T v, int lane, FT_CALL) const
	{
		return ft_group_shuffle(FT_CALL_SITE("thread_block_tile::shfl"),
					FT_SHUFFLE_IDX, mask(), v, lane, N);
	}
	template <class T> T shfl_up(T v, unsigned d, FT_CALL) const
	{
		return ft_group_shuffle(FT_CALL_SITE("thread_block_tile::shfl_up"),
					FT_SHUFFLE_UP, mask(), v, d, N);
	}
	template <class T> T shfl_down(T v, unsigned d, FT_CALL) const
	{
		return ft_group_shuffle(FT_CALL_SITE("thread_block_tile::shfl_down"),
					FT_SHUFFLE_DOWN, mask(), v, d, N);
	}
	template <class T> T shfl_xor(T v, unsigned m, FT_CALL) const
	{
		return ft_group_shuffle(FT_CALL_SITE("thread_block_tile::shfl_xor"),
					FT_SHUFFLE_XOR, mask(), v, m, N);
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
	template <class T> unsigned match_all(T v, int &same, FT_CALL) const
	{
		unsigned found = (unsigned)ft_collective(
			FT_CALL_SITE("thread_block_tile::match_all"), FT_MATCH_ALL, mask(),
			FT_BITS(v), 0);

		same = found != 0;
		return found >> ft_thread_linear() % 32 / N * N;
	}
	unsigned ballot(int p, FT_CALL) const
	{
		return (unsigned)FT_GROUP_VOTE("thread_block_tile::ballot", FT_BALLOT, mask(), p)
			>> ft_thread_linear() % 32 / N * N;
	}
};

/* N / 32 warps. */
template <unsigned N> class ft_wide_tile {
	/* Tiles of 64 threads have the first 16 of these barriers, those of 128 the next 8, and so
	 * on. */
	static unsigned barrier()
		{ return FT_TILE_BARRIERS + 32 - 2048 / N + ft_thread_linear() / N; }
	static unsigned first_warp() { return ft_thread_linear() / N * (N / 32); }
	static void meet(const struct ft_site *site)
		{ ft_named_barrier(site, barrier(), N, FT_BLOCK_SYNC, 0); }
public:
	static constexpr unsigned warps = N / 32;       /* not in CUDA, like the next two */
	static unsigned warp_rank() { return ft_thread_linear() % N / 32; }
	/* Each warp gives the value of the thread for which `gives`; fills values[warps]. */
	template <class T>
	static void exchange(const struct ft_site *site, bool gives, T value, T *values)
	{
		static_assert(sizeof(T) <= 8, "tiles of more than 32 threads exchange values of "
			      "up to 8 bytes");
		uint64_t bits = 0;

		memcpy(&bits, &value, sizeof value);
		if (gives)
			ft_tile_put(ft_thread_linear() / 32, bits);
		meet(site);
		for (unsigned i = 0; i < warps; i++) {
			bits = ft_tile_get(first_warp() + i);
			memcpy((void *)&values[i], &bits, sizeof value);
		}
		meet(site);
	}

	static void sync(FT_CALL) { meet(FT_CALL_SITE("thread_block_tile::sync")); }
	static constexpr unsigned size() { return N; }
	static constexpr unsigned num_threads() { return N; }
	static unsigned thread_rank() { return ft_thread_linear() % N; }
	template <class T> T shfl(T v, unsigned rank, FT_CALL) const
	{
		T values[warps];

		exchange(FT_CALL_SITE("thread_block_tile::shfl"), thread_rank() == rank, v, values);
		return values[rank / 32];
	}
	int any(int p, FT_CALL) const
	{
		return ft_named_barrier(FT_CALL_SITE("thread_block_tile::any"), barrier(), N,
					FT_BLOCK_OR, p);
	}
	int all(int p, FT_CALL) const
	{
		return ft_named_barrier(FT_CALL_SITE("thread_block_tile::all"), barrier(), N,
					FT_BLOCK_AND, p);
	}
};

template <unsigned N> using ft_tile = typename std::conditional<
	(N > 32), ft_wide_tile<N>, ft_lane_tile<N>>::type;

/* The parent is a type: its tiles are counted within it. */
template <unsigned N, class Parent> class thread_block_tile : public ft_tile<N> {
	static_assert(N >= 1 && N <= 1024 && (N & (N - 1)) == 0,
		      "a tile has 1, 2, 4, ... or 1024 threads");
public:
	static unsigned meta_group_rank() { return Parent::thread_rank() / N; }
	static unsigned meta_group_size() { return (Parent::size() + N - 1) / N; }
};

/* Of any parent, of which it keeps the counts. */
template <unsigned N> class thread_block_tile<N, void> : public ft_tile<N> {
	unsigned rank_, count_;
public:
	template <class Parent> thread_block_tile(const thread_block_tile<N, Parent> &tile)
		: rank_(tile.meta_group_rank()), count_(tile.meta_group_size()) { }
	unsigned meta_group_rank() const { return rank_; }
	unsigned meta_group_size() const { return count_; }
};

template <unsigned N, class Parent> static inline thread_block_tile<N, Parent>
tiled_partition(const Parent &)
{
	return {};
}

static inline thread_block_tile<1> this_thread()
{
	return thread_block_tile<1, thread_block_tile<1, thread_block>>();
}

}

#endif
