/* reduce.h - cooperative_groups::reduce() of tiles and coalesced groups on the simulator.
 *
 * Every thread gets the result. In floating point the order matters; it is that of CUDA 13: in a
 * tile, and in a coalesced group of a whole warp, each step combines values of threads whose ranks
 * differ in one bit, the highest bit first; in another coalesced group the result is the last
 * thread's inclusive scan. In a tile of several warps each warp combines its values so, and then
 * the results of the warps are combined as those of a tile with one thread for each.
 */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_REDUCE_H
#define FLASHTWIN_COOPERATIVE_GROUPS_REDUCE_H

#include "sim/cuda/include/cooperative_groups.h"
#include "sim/cuda/libcu/scope.h"

namespace cooperative_groups {

#define FT_GROUP_OPERATION(name, combined) \
	template <class T> struct name { T operator()(T a, T b) const { return combined; } };
FT_GROUP_OPERATION(plus, a + b)
FT_GROUP_OPERATION(less, b < a ? b : a)
FT_GROUP_OPERATION(greater, a < b ? b : a)
FT_GROUP_OPERATION(bit_and, a & b)
FT_GROUP_OPERATION(bit_or, a | b)
FT_GROUP_OPERATION(bit_xor, a ^ b)
#undef FT_GROUP_OPERATION

template <unsigned N, class T, class F>
static inline T ft_reduce(const ft_lane_tile<N> &tile, T value, F operation, FT_CALL)
{
	for (unsigned bit = N / 2; bit > 0; bit /= 2)
		value = operation(value, tile.shfl_xor(value, bit, FT_CALLER));
	return value;
}

template <unsigned N, class T, class F>
static inline T ft_reduce(const ft_wide_tile<N> &tile, T value, F operation, FT_CALL)
{
	T values[N / 32], last[N / 32];

	value = ft_reduce(ft_lane_tile<32>(), value, operation, FT_CALLER);
	tile.exchange(FT_CALL_SITE("reduce"), ft_thread_linear() % 32 == 0, value, values);
	for (unsigned bit = N / 64; bit > 0; bit /= 2) {
		memcpy((void *)last, values, sizeof last);
		for (unsigned i = 0; i < N / 32; i++)
			values[i] = operation(last[i], last[i ^ bit]);
	}
	return values[tile.warp_rank()];
}

template <unsigned N, class Parent, class T, class F>
static inline T reduce(const thread_block_tile<N, Parent> &tile, T value, F operation, FT_CALL)
{
	return ft_reduce(static_cast<const ft_tile<N> &>(tile), value, operation, FT_CALLER);
}

/* Each step combines with the value of the thread whose rank is less by a power of two. */
template <class Group, class T, class F>
static inline T ft_scan(const Group &group, T value, F operation, FT_CALL)
{
	for (unsigned distance = 1; distance < group.size(); distance *= 2) {
		T before = group.shfl_up(value, distance, FT_CALLER);

		if (group.thread_rank() >= distance)
			value = operation(value, before);
	}
	return value;
}

template <class T, class F>
static inline T reduce(const coalesced_group &group, T value, F operation, FT_CALL)
{
	if (group.size() == 32)
		return ft_reduce(ft_lane_tile<32>(), value, operation, FT_CALLER);
	return group.shfl(ft_scan(group, value, operation, FT_CALLER), group.size() - 1, FT_CALLER);
}

/* --- the result goes to memory --- */

template <class Group, class T, class Value, class F>
static inline void reduce_store_async(const Group &group, T *to, Value value, F operation, FT_CALL)
{
	T result = reduce(group, (T)value, operation, FT_CALLER);

	if (group.thread_rank() == 0)
		*to = result;
}

/* To an atomic of <cuda/atomic>, whose old value ft_update() returns. */
template <class Atomic, class T, class F>
static inline T ft_update(Atomic &to, T value, F operation)
{
	T old = to.load(cuda::memory_order_relaxed);

	while (!to.compare_exchange_weak(old, operation(old, value), cuda::memory_order_relaxed))
		;
	return old;
}

template <class Group, class Atomic, class Value, class F>
static inline auto reduce_store_async(const Group &group, Atomic &&to, Value value, F operation,
				      FT_CALL) -> decltype(to.store(value))
{
	Value result = reduce(group, value, operation, FT_CALLER);

	if (group.thread_rank() == 0)
		to.store(result, cuda::memory_order_relaxed);
}

template <class Group, class Atomic, class Value, class F>
static inline void reduce_update_async(const Group &group, Atomic &&to, Value value, F operation,
				       FT_CALL)
{
	Value result = reduce(group, value, operation, FT_CALLER);

	if (group.thread_rank() == 0)
		(void)ft_update(to, result, operation);
}

}

#endif
