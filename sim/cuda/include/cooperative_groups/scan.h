/* scan.h - inclusive and exclusive scans of tiles and coalesced groups on the simulator. */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_SCAN_H
#define FLASHTWIN_COOPERATIVE_GROUPS_SCAN_H

#include "sim/cuda/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

template <class Group, class T, class F>
static inline T inclusive_scan(const Group &group, T value, F operation, FT_CALL)
{
	return ft_scan(group, value, operation, FT_CALLER);
}

template <class Group, class T>
static inline T inclusive_scan(const Group &group, T value, FT_CALL)
{
	return ft_scan(group, value, plus<T>(), FT_CALLER);
}

/* The first thread gets T(). */
template <class Group, class T, class F>
static inline T exclusive_scan(const Group &group, T value, F operation, FT_CALL)
{
	T before = group.shfl_up(ft_scan(group, value, operation, FT_CALLER), 1, FT_CALLER);

	return group.thread_rank() ? before : T();
}

template <class Group, class T>
static inline T exclusive_scan(const Group &group, T value, FT_CALL)
{
	return exclusive_scan(group, value, plus<T>(), FT_CALLER);
}

}

#endif
