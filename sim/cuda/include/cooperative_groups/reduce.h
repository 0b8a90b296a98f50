/* reduce.h - cooperative_groups::reduce() of tiles and coalesced groups on the simulator.
 *
 * Every thread gets the result. In floating point the order matters; it is that of CUDA 13: in a
 * tile, and in a coalesced group of a whole warp, each step combines values of threads whose ranks
 * differ in one bit, the highest bit first; in another coalesced group the result is the last
 * thread's inclusive scan.
 */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_REDUCE_H
#define FLASHTWIN_COOPERATIVE_GROUPS_REDUCE_H

#include "sim/cuda/include/cooperative_groups.h"

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

template <unsigned N, class Parent, class T, class F>
static inline T reduce(const thread_block_tile<N, Parent> &tile, T value, F operation,
		       FT_CALL)
{
	for (unsigned bit = N / 2; bit > 0; bit /= 2)
		value = operation(value, tile.shfl_xor(value, bit, FT_CALLER));
	return value;
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
		return reduce(thread_block_tile<32>(), value, operation, FT_CALLER);
	return group.shfl(ft_scan(group, value, operation, FT_CALLER), group.size() - 1, FT_CALLER);
}

}

#endif
