/* block_reduce.h - cub::BlockReduce: each warp reduces its values, then thread 0 what they have, in
 * their order; see types.h. */
#ifndef SIM_CUB_BLOCK_REDUCE_H
#define SIM_CUB_BLOCK_REDUCE_H

#include "sim/cuda/cub/warp.h"

namespace cub {

enum BlockReduceAlgorithm {
	BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS
};

/* The result is that of thread 0. */
template <class T, int X, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1,
	  int Z = 1, int = 0>
class BlockReduce {
	static_assert(Algorithm == BLOCK_REDUCE_WARP_REDUCTIONS
		      || !std::is_floating_point<T>::value,
		      "cub::BlockReduce: floats are reduced by BLOCK_REDUCE_WARP_REDUCTIONS only");
	enum { threads = X * Y * Z, warps = (threads + 31) / 32 };
	/* Fewer threads than a warp has are one logical warp. */
	enum { width = threads >= 32 ? 32 : threads };
	static_assert(width == 32 || (width & (width - 1)) == 0,
		      "cub::BlockReduce: 1, 2, 4, 8, 16 or from 32 threads up");
public:
	struct TempStorage { T of_warp[warps]; };

	explicit BlockReduce(TempStorage &temp) : temp(temp) { }
	template <class F> T Reduce(T value, F operation, int valid, FT_CALL)
	{
		int first = (int)(thread() / 32 * 32), left = valid - first;
		NullType none;

		value = WarpReduce<T, width>(none).Reduce(value, operation,
							  left < width ? left : width, FT_CALLER);
		if (thread() % 32 == 0)
			temp.of_warp[thread() / 32] = value;
		FT_CUB_SYNC();
		if (thread() == 0)
			for (int i = 1; i < warps && i * 32 < valid; i++)
				value = operation(value, temp.of_warp[i]);
		return value;
	}
	template <class F> T Reduce(T value, F operation, FT_CALL)
		{ return Reduce(value, operation, threads, FT_CALLER); }
	template <int N, class F> T Reduce(T (&items)[N], F operation, FT_CALL)
	{
		return Reduce(ft_reduce_items(items, operation), operation, threads, FT_CALLER);
	}
	T Sum(T value, FT_CALL) { return Reduce(value, cub::Sum(), threads, FT_CALLER); }
	T Sum(T value, int valid, FT_CALL) { return Reduce(value, cub::Sum(), valid, FT_CALLER); }
	template <int N> T Sum(T (&items)[N], FT_CALL)
		{ return Reduce(items, cub::Sum(), FT_CALLER); }
private:
	TempStorage &temp;
	static unsigned thread() { return cooperative_groups::ft_thread_linear(); }
};

}

#endif
