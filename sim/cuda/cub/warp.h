/* warp.h - cub::WarpReduce and cub::WarpScan, by shuffles; see types.h. */
#ifndef SIM_CUB_WARP_H
#define SIM_CUB_WARP_H

#include "sim/cuda/cub/types.h"

namespace cub {

/* N lanes of a warp. */
template <int N> struct ft_cub_warp {
	typedef cooperative_groups::ft_lane_tile<N> lanes;
	static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0,
		      "cub: a logical warp has 1, 2, 4, 8, 16 or 32 threads here");
	static unsigned lane() { return lanes::thread_rank(); }
	template <class T>
	static T shuffle(const struct ft_site *site, enum ft_collective kind, T value, unsigned by)
	{
		return cooperative_groups::ft_shuffle_pieces(site, kind, lanes::mask(), value, by,
							     N);
	}
};

/* The result is that of the first lane; `valid` lanes have a value. */
template <class T, int N = 32> class WarpReduce {
	typedef ft_cub_warp<N> warp;
public:
	typedef NullType TempStorage;

	explicit WarpReduce(TempStorage &) { }
	template <class F> T Reduce(T value, F operation, int valid, FT_CALL)
	{
		for (int by = 1; by < N; by *= 2) {
			T other = warp::shuffle(FT_CALL_SITE("cub::WarpReduce"), FT_SHUFFLE_DOWN,
						value, (unsigned)by);

			if ((int)warp::lane() + by < valid)
				value = operation(value, other);
		}
		return value;
	}
	template <class F> T Reduce(T value, F operation, FT_CALL)
		{ return Reduce(value, operation, N, FT_CALLER); }
	T Sum(T value, FT_CALL) { return Reduce(value, cub::Sum(), N, FT_CALLER); }
	T Sum(T value, int valid, FT_CALL) { return Reduce(value, cub::Sum(), valid, FT_CALLER); }
	T Max(T value, FT_CALL) { return Reduce(value, cub::Max(), N, FT_CALLER); }
	T Min(T value, FT_CALL) { return Reduce(value, cub::Min(), N, FT_CALLER); }
};

template <class T, int N = 32> class WarpScan {
	typedef ft_cub_warp<N> warp;

	/* The lane before has the scan that excludes this one's value. */
	static T before(const struct ft_site *site, T inclusive, T first)
	{
		T exclusive = warp::shuffle(site, FT_SHUFFLE_UP, inclusive, 1);

		return warp::lane() == 0 ? first : exclusive;
	}
public:
	typedef NullType TempStorage;

	explicit WarpScan(TempStorage &) { }
	T Broadcast(T value, unsigned lane, FT_CALL)
	{
		return warp::shuffle(FT_CALL_SITE("cub::WarpScan::Broadcast"), FT_SHUFFLE_IDX,
				     value, lane);
	}
	template <class F> void InclusiveScan(T value, T &out, F operation, FT_CALL)
	{
		for (int by = 1; by < N; by *= 2) {
			T other = warp::shuffle(FT_CALL_SITE("cub::WarpScan"), FT_SHUFFLE_UP, value,
						(unsigned)by);

			if ((int)warp::lane() >= by)
				value = operation(other, value);
		}
		out = value;
	}
	template <class F> void InclusiveScan(T value, T &out, F operation, T &aggregate, FT_CALL)
	{
		InclusiveScan(value, out, operation, FT_CALLER);
		aggregate = Broadcast(out, N - 1, FT_CALLER);
	}
	/* Without an initial value, the first lane's is not defined: T() here. */
	template <class F> void ExclusiveScan(T value, T &out, F operation, FT_CALL)
	{
		T inclusive;

		Scan(value, inclusive, out, operation, FT_CALLER);
	}
	template <class F> void ExclusiveScan(T value, T &out, T initial, F operation, FT_CALL)
	{
		T inclusive;

		Scan(value, inclusive, out, initial, operation, FT_CALLER);
	}
	template <class F>
	void ExclusiveScan(T value, T &out, T initial, F operation, T &aggregate, FT_CALL)
	{
		T inclusive;

		InclusiveScan(value, inclusive, operation, aggregate, FT_CALLER);
		out = before(FT_CALL_SITE("cub::WarpScan"), operation(initial, inclusive), initial);
	}
	template <class F> void Scan(T value, T &inclusive, T &exclusive, F operation, FT_CALL)
	{
		InclusiveScan(value, inclusive, operation, FT_CALLER);
		exclusive = before(FT_CALL_SITE("cub::WarpScan"), inclusive, T());
	}
	template <class F>
	void Scan(T value, T &inclusive, T &exclusive, T initial, F operation, FT_CALL)
	{
		InclusiveScan(value, inclusive, operation, FT_CALLER);
		inclusive = operation(initial, inclusive);
		exclusive = before(FT_CALL_SITE("cub::WarpScan"), inclusive, initial);
	}
	void InclusiveSum(T value, T &out, FT_CALL)
		{ InclusiveScan(value, out, cub::Sum(), FT_CALLER); }
	void InclusiveSum(T value, T &out, T &aggregate, FT_CALL)
		{ InclusiveScan(value, out, cub::Sum(), aggregate, FT_CALLER); }
	void ExclusiveSum(T value, T &out, FT_CALL)
		{ ExclusiveScan(value, out, T(), cub::Sum(), FT_CALLER); }
	void ExclusiveSum(T value, T &out, T &aggregate, FT_CALL)
		{ ExclusiveScan(value, out, T(), cub::Sum(), aggregate, FT_CALLER); }
};

}

#endif
