/* block_scan.h - cub::BlockScan; see types.h.
 *
 * By default up to 32 threads of the first warp take a segment of the values each: they sum it up,
 * scan their sums, and scan their segments; of up to 32 threads, the scan of their values is the
 * result. With BLOCK_SCAN_WARP_SCANS each warp scans its values, and adds the sums of the warps
 * before it, in their order.
 */
#ifndef SIM_CUB_BLOCK_SCAN_H
#define SIM_CUB_BLOCK_SCAN_H

#include "sim/cuda/cub/warp.h"

namespace cub {

enum BlockScanAlgorithm {
	BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS
};

template <class T, int X, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1,
	  int = 0>
class BlockScan {
	enum { threads = X * Y * Z, warps = (threads + 31) / 32 };
	enum { most = threads < 32 ? threads : 32, segment = (threads + most - 1) / most,
	       rakers = (threads + segment - 1) / segment };
	/* CUB scans by warps only where all of them are whole. */
	static constexpr bool by_warps = Algorithm == BLOCK_SCAN_WARP_SCANS && threads % 32 == 0;
public:
	struct TempStorage { T value[threads], aggregate; };

	explicit BlockScan(TempStorage &temp) : temp(temp) { }

	template <class F> void InclusiveScan(T value, T &out, F operation, FT_CALL)
	{
		T aggregate;

		scan(value, out, operation, true, false, T(), aggregate, FT_CALLER);
	}
	template <class F> void InclusiveScan(T value, T &out, F operation, T &aggregate, FT_CALL)
		{ scan(value, out, operation, true, false, T(), aggregate, FT_CALLER); }
	template <class F> void ExclusiveScan(T value, T &out, F operation, FT_CALL)
	{
		T aggregate;

		scan(value, out, operation, false, false, T(), aggregate, FT_CALLER);
	}
	template <class F> void ExclusiveScan(T value, T &out, T initial, F operation, FT_CALL)
	{
		T aggregate;

		scan(value, out, operation, false, true, initial, aggregate, FT_CALLER);
	}
	template <class F>
	void ExclusiveScan(T value, T &out, T initial, F operation, T &aggregate, FT_CALL)
		{ scan(value, out, operation, false, true, initial, aggregate, FT_CALLER); }
	void InclusiveSum(T value, T &out, FT_CALL)
		{ InclusiveScan(value, out, cub::Sum(), FT_CALLER); }
	void InclusiveSum(T value, T &out, T &aggregate, FT_CALL)
		{ InclusiveScan(value, out, cub::Sum(), aggregate, FT_CALLER); }
	void ExclusiveSum(T value, T &out, FT_CALL)
		{ ExclusiveScan(value, out, T(), cub::Sum(), FT_CALLER); }
	void ExclusiveSum(T value, T &out, T &aggregate, FT_CALL)
		{ ExclusiveScan(value, out, T(), cub::Sum(), aggregate, FT_CALLER); }

	/* Of several items of each thread, one after the other. */
	template <int N, class F>
	void InclusiveScan(T (&items)[N], T (&out)[N], F operation, FT_CALL)
	{
		T aggregate;

		InclusiveScan(items, out, operation, aggregate, FT_CALLER);
	}
	template <int N, class F>
	void InclusiveScan(T (&items)[N], T (&out)[N], F operation, T &aggregate, FT_CALL)
		{ scan_items(items, out, operation, true, false, T(), aggregate, FT_CALLER); }
	template <int N, class F>
	void ExclusiveScan(T (&items)[N], T (&out)[N], T initial, F operation, FT_CALL)
	{
		T aggregate;

		ExclusiveScan(items, out, initial, operation, aggregate, FT_CALLER);
	}
	template <int N, class F>
	void ExclusiveScan(T (&items)[N], T (&out)[N], T initial, F operation, T &aggregate,
			   FT_CALL)
		{ scan_items(items, out, operation, false, true, initial, aggregate, FT_CALLER); }
	template <int N> void InclusiveSum(T (&items)[N], T (&out)[N], FT_CALL)
	{
		T aggregate;

		InclusiveSum(items, out, aggregate, FT_CALLER);
	}
	template <int N> void InclusiveSum(T (&items)[N], T (&out)[N], T &aggregate, FT_CALL)
		{ scan_items(items, out, cub::Sum(), true, true, T(), aggregate, FT_CALLER); }
	template <int N> void ExclusiveSum(T (&items)[N], T (&out)[N], FT_CALL)
	{
		T aggregate;

		ExclusiveSum(items, out, aggregate, FT_CALLER);
	}
	template <int N> void ExclusiveSum(T (&items)[N], T (&out)[N], T &aggregate, FT_CALL)
		{ scan_items(items, out, cub::Sum(), false, true, T(), aggregate, FT_CALLER); }
private:
	TempStorage &temp;
	static unsigned thread() { return cooperative_groups::ft_thread_linear(); }

	template <class F>
	void scan(T value, T &out, F operation, bool inclusive, bool has_initial, T initial,
		  T &aggregate, FT_CALL)
	{
		if (by_warps)
			scan_warps(value, out, operation, inclusive, has_initial, initial,
				   aggregate, FT_CALLER);
		else
			rake(value, out, operation, inclusive, has_initial, initial, aggregate,
			     FT_CALLER);
	}

	template <class F>
	void scan_warps(T value, T &out, F operation, bool inclusive, bool has_initial, T initial,
			T &aggregate, FT_CALL)
	{
		unsigned warp = thread() / 32;
		bool has_prefix = has_initial || warp > 0;
		NullType none;
		T with, without, prefix = initial;

		WarpScan<T>(none).Scan(value, with, without, operation, FT_CALLER);
		if (thread() % 32 == 31)
			temp.value[warp] = with;
		FT_CUB_SYNC();
		aggregate = temp.value[0];
		for (unsigned i = 1; i < warps; i++) {
			if (i == warp)
				prefix = has_initial ? operation(initial, aggregate) : aggregate;
			aggregate = operation(aggregate, temp.value[i]);
		}
		if (inclusive)
			out = has_prefix ? operation(prefix, with) : with;
		else
			out = thread() % 32 == 0 ? prefix
				: has_prefix ? operation(prefix, without) : without;
	}

	template <class F>
	void rake(T value, T &out, F operation, bool inclusive, bool has_initial, T initial,
		  T &aggregate, FT_CALL)
	{
		temp.value[thread()] = value;
		FT_CUB_SYNC();
		if (thread() < rakers)
			rake_segment(operation, inclusive, has_initial, initial, FT_CALLER);
		FT_CUB_SYNC();
		out = temp.value[thread()];
		aggregate = temp.aggregate;
	}

	/* A warp collective of the rakers, which are the first lanes of the block. */
	template <class F>
	void rake_segment(F operation, bool inclusive, bool has_initial, T initial, FT_CALL)
	{
		int first = (int)thread() * segment, last = first + segment;
		T sum = temp.value[first], with, prefix, before;

		last = last < threads ? last : threads;
		for (int i = first + 1; i < last; i++)
			sum = operation(sum, temp.value[i]);
		with = sum;
		for (int by = 1; by < rakers; by *= 2) {
			T other = from_raker(FT_CALL_SITE("cub::BlockScan"), with, by);

			if ((int)thread() >= by)
				with = operation(other, with);
		}
		if (thread() == rakers - 1)
			temp.aggregate = with;
		if (has_initial)
			with = operation(initial, with);
		prefix = from_raker(FT_CALL_SITE("cub::BlockScan"), with, 1);
		prefix = thread() == 0 ? initial : prefix;
		if (threads <= 32) {
			temp.value[first] = inclusive ? with : prefix;
			return;
		}
		for (int i = first; i < last; i++) {
			T own = temp.value[i];

			before = prefix;
			prefix = i > 0 || has_initial ? operation(prefix, own) : own;
			temp.value[i] = inclusive ? prefix : before;
		}
	}

	static T from_raker(const struct ft_site *site, T value, int by)
	{
		unsigned mask = rakers == 32 ? 0xffffffffu : (1u << rakers % 32) - 1;

		return cooperative_groups::ft_shuffle_pieces(site, FT_SHUFFLE_UP, mask, value,
							     (unsigned)by, 32);
	}

	template <int N, class F>
	void scan_items(T (&items)[N], T (&out)[N], F operation, bool inclusive, bool has_initial,
			T initial, T &aggregate, FT_CALL)
	{
		bool first = thread() == 0;
		T sum = ft_reduce_items(items, operation), prefix;

		if (N == 1) {
			scan(items[0], out[0], operation, inclusive, has_initial && !inclusive,
			     initial, aggregate, FT_CALLER);
			return;
		}
		scan(sum, prefix, operation, false, has_initial, initial, aggregate, FT_CALLER);
		ft_scan_items(items, out, operation, inclusive,
			      !first || (has_initial && !inclusive), prefix);
	}
};

}

#endif
