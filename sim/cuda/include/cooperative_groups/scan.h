/* scan.h - inclusive and exclusive scans of tiles on the simulator. */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_SCAN_H
#define FLASHTWIN_COOPERATIVE_GROUPS_SCAN_H

#include "sim/cuda/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

template <unsigned N, class Parent, class T, class F>
static inline T inclusive_scan(const thread_block_tile<N, Parent> &tile, T value, F operation,
			       FT_CALL)
{
	for (unsigned distance = 1; distance < N; distance *= 2) {
		T before = tile.shfl_up(value, distance, FT_CALLER);

		if (tile.thread_rank() >= distance)
			value = operation(before, value);
	}
	return value;
}

template <unsigned N, class Parent, class T>
static inline T inclusive_scan(const thread_block_tile<N, Parent> &tile, T value, FT_CALL)
{
	return inclusive_scan(tile, value, plus<T>(), FT_CALLER);
}

/* The first thread gets T(). */
template <unsigned N, class Parent, class T, class F>
static inline T exclusive_scan(const thread_block_tile<N, Parent> &tile, T value, F operation,
			       FT_CALL)
{
	T before = tile.shfl_up(inclusive_scan(tile, value, operation, FT_CALLER), 1, FT_CALLER);

	return tile.thread_rank() ? before : T();
}

template <unsigned N, class Parent, class T>
static inline T exclusive_scan(const thread_block_tile<N, Parent> &tile, T value, FT_CALL)
{
	return exclusive_scan(tile, value, plus<T>(), FT_CALLER);
}

}

#endif
