/* memcpy_async.h - asynchronous copies by a group of threads on the simulator, and their wait. */
#ifndef FLASHTWIN_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define FLASHTWIN_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "sim/cuda/include/cooperative_groups.h"
#include "sim/cuda/libcu/copy.h"

#ifndef FLASHTWIN_HOST
namespace cooperative_groups {

/* Each call is a group of copies of its own. */
template <class Group>
static inline void memcpy_async(const Group &group, void *to, const void *from, size_t bytes)
{
	cuda::ft_copy_pieces(to, from, bytes, group.thread_rank(), group.size());
	ft_async_commit();
}

/* Counts of elements. */
template <class Group, class T>
static inline void memcpy_async(const Group &group, T *to, size_t to_count, const T *from,
				size_t from_count)
{
	size_t count = to_count < from_count ? to_count : from_count;

	memcpy_async(group, (void *)to, (const void *)from, count * sizeof(T));
}

template <unsigned Open, class Group> static inline void wait_prior(const Group &group, FT_CALL)
{
	ft_async_wait(Open);
	group.sync(FT_CALLER);
}

template <class Group> static inline void wait(const Group &group, FT_CALL)
{
	wait_prior<0>(group, FT_CALLER);
}

}
#endif

#endif
