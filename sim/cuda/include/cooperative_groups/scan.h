/* scan.h - inclusive and exclusive scans of tiles and coalesced groups on the simulator. */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_SCAN_H
#define FLASHTWIN_COOPERATIVE_GROUPS_SCAN_H

#include "sim/cuda/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

/* The inclusive and the exclusive scan of a group. The first thread's exclusive one is T(). */
template <class T> struct ft_scans { T inclusive, exclusive; };

template <class Group, class T, class F>
static inline ft_scans<T> ft_scan_both(const Group &group, T value, F operation, FT_CALL)
{
	ft_scans<T> scans;

	scans.inclusive = ft_scan(group, value, operation, FT_CALLER);
	scans.exclusive = group.shfl_up(scans.inclusive, 1, FT_CALLER);
	if (group.thread_rank() == 0)
		scans.exclusive = T();
	return scans;
}

/* The scans within each warp of a tile, and those of what the warps have. */
template <class T> struct ft_wide_scans {
	ft_scans<T> own;
	T before, total;                /* of the warps before this one: T() for the first */
};

template <unsigned N, class T, class F>
static inline ft_wide_scans<T> ft_scan_warps(const ft_wide_tile<N> &tile, T value, F operation,
					     FT_CALL)
{
	ft_wide_scans<T> scans;
	T sums[N / 32], last[N / 32];

	scans.own = ft_scan_both(ft_lane_tile<32>(), value, operation, FT_CALLER);
	tile.exchange(FT_CALL_SITE("scan"), ft_thread_linear() % 32 == 31, scans.own.inclusive,
		      sums);
	for (unsigned distance = 1; distance < N / 32; distance *= 2) {
		memcpy((void *)last, sums, sizeof last);
		for (unsigned i = distance; i < N / 32; i++)
			sums[i] = operation(last[i], last[i - distance]);
	}
	scans.before = tile.warp_rank() ? sums[tile.warp_rank() - 1] : T();
	scans.total = sums[N / 32 - 1];
	return scans;
}

/* Combines the warp's scans with what stands before them. */
template <class T, class F>
static inline ft_scans<T> ft_scan_after(T before, const ft_scans<T> &own, F operation)
{
	return { operation(own.inclusive, before),
		 ft_thread_linear() % 32 ? operation(own.exclusive, before) : before };
}

template <unsigned N, class T, class F>
static inline ft_scans<T> ft_scan_both(const ft_wide_tile<N> &tile, T value, F operation, FT_CALL)
{
	ft_wide_scans<T> scans = ft_scan_warps(tile, value, operation, FT_CALLER);

	return tile.warp_rank() ? ft_scan_after(scans.before, scans.own, operation) : scans.own;
}

template <unsigned N, class Parent, class T, class F>
static inline ft_scans<T> ft_scan_both(const thread_block_tile<N, Parent> &tile, T value,
				       F operation, FT_CALL)
{
	return ft_scan_both(static_cast<const ft_tile<N> &>(tile), value, operation, FT_CALLER);
}

template <class Group, class T, class F>
static inline T inclusive_scan(const Group &group, T value, F operation, FT_CALL)
{
	return ft_scan_both(group, value, operation, FT_CALLER).inclusive;
}

template <class Group, class T>
static inline T inclusive_scan(const Group &group, T value, FT_CALL)
{
	return inclusive_scan(group, value, plus<T>(), FT_CALLER);
}

template <class Group, class T, class F>
static inline T exclusive_scan(const Group &group, T value, F operation, FT_CALL)
{
	return ft_scan_both(group, value, operation, FT_CALLER).exclusive;
}

template <class Group, class T>
static inline T exclusive_scan(const Group &group, T value, FT_CALL)
{
	return exclusive_scan(group, value, plus<T>(), FT_CALLER);
}

/* --- scans that also update an atomic, whose old value stands before all --- */

template <class Group, class Atomic, class T, class F>
static inline ft_scans<T> ft_scan_update(const Group &group, Atomic &to, T value, F operation,
					 FT_CALL)
{
	ft_scans<T> scans = ft_scan_both(group, value, operation, FT_CALLER);
	T old = T();

	if (group.thread_rank() + 1 == group.size())
		old = ft_update(to, scans.inclusive, operation);
	old = group.shfl(old, group.size() - 1, FT_CALLER);
	return { operation(old, scans.inclusive), operation(old, scans.exclusive) };
}

template <unsigned N, class Atomic, class T, class F>
static inline ft_scans<T> ft_scan_update(const ft_wide_tile<N> &tile, Atomic &to, T value,
					 F operation, FT_CALL)
{
	ft_wide_scans<T> scans = ft_scan_warps(tile, value, operation, FT_CALLER);
	T old = T();

	if (tile.thread_rank() + 1 == N)
		old = ft_update(to, scans.total, operation);
	old = tile.shfl(old, N - 1, FT_CALLER);
	return ft_scan_after(tile.warp_rank() ? operation(scans.before, old) : old, scans.own,
			     operation);
}

template <unsigned N, class Parent, class Atomic, class T, class F>
static inline ft_scans<T> ft_scan_update(const thread_block_tile<N, Parent> &tile, Atomic &to,
					 T value, F operation, FT_CALL)
{
	return ft_scan_update(static_cast<const ft_tile<N> &>(tile), to, value, operation,
			      FT_CALLER);
}

#define FT_SCAN_UPDATE(kind) \
	template <class Group, class Atomic, class T, class F> \
	static inline T kind##_scan_update(const Group &group, Atomic &&to, T value, F operation, \
					   FT_CALL) \
	{ \
		return ft_scan_update(group, to, value, operation, FT_CALLER).kind; \
	} \
	template <class Group, class Atomic, class T> \
	static inline T kind##_scan_update(const Group &group, Atomic &&to, T value, FT_CALL) \
	{ \
		return ft_scan_update(group, to, value, plus<T>(), FT_CALLER).kind; \
	}
FT_SCAN_UPDATE(inclusive)
FT_SCAN_UPDATE(exclusive)
#undef FT_SCAN_UPDATE
}

#endif
