/* scan.h - inclusive and exclusive scans of tiles on the simulator. */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_SCAN_H
#define FLASHTWIN_COOPERATIVE_GROUPS_SCAN_H

#include "sim/cuda/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

template <unsigned N, class Parent, class T, class F>
static inline T inclusive_scan(const thread_block_tile<N, Parent> &tile, T value, F operation)
{
	for (unsigned distance = 1; distance < N; distance *= 2) {
		T before = tile.shfl_up(value, distance);

		if (tile.thread_rank() >= distance)
			value = operation(before, value);
	}
	return value;
}

template <unsigned N, class Parent, class T>
static inline T inclusive_scan(const thread_block_tile<N, Parent> &tile, T value)
{
	return inclusive_scan(tile, value, plus<T>());
}

/* The first thread gets T(). */
template <unsigned N, class Parent, class T, class F>
static inline T exclusive_scan(const thread_block_tile<N, Parent> &tile, T value, F operation)
{
	T before = tile.shfl_up(inclusive_scan(tile, value, operation), 1);

	return tile.thread_rank() ? before : T();
}

template <unsigned N, class Parent, class T>
static inline T exclusive_scan(const thread_block_tile<N, Parent> &tile, T value)
{
	return exclusive_scan(tile, value, plus<T>());
}

}

#endif
