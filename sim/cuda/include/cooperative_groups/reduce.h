/* reduce.h - cooperative_groups::reduce() of tiles on the simulator.
 *
 * Every thread gets the result. Each step combines values of threads whose ranks differ in one bit,
 * the highest bit first: in floating point the order matters.
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

}

#endif
