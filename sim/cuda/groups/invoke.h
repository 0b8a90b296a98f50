/* invoke.h - invoke_one(): one thread of a group calls a function; see cooperative_groups.h.
 *
 * CUDA leaves open which thread that is. Here it is the one with rank 0.
 */
#ifndef SIM_GROUPS_INVOKE_H
#define SIM_GROUPS_INVOKE_H

#include "sim/cuda/groups/tile.h"

namespace cooperative_groups {

template <class Group, class F, class... Args>
static inline void invoke_one(const Group &group, F &&f, Args &&...args)
{
	if (group.thread_rank() == 0)
		std::forward<F>(f)(std::forward<Args>(args)...);
}

/* Every thread gets the result. */
template <class Group, class F, class... Args>
static inline auto invoke_one_broadcast(const Group &group, F &&f, Args &&...args)
	-> typename std::decay<decltype(std::forward<F>(f)(std::forward<Args>(args)...))>::type
{
	typename std::decay<decltype(std::forward<F>(f)(std::forward<Args>(args)...))>::type
		result { };

	if (group.thread_rank() == 0)
		result = std::forward<F>(f)(std::forward<Args>(args)...);
	return group.shfl(result, 0);
}

}

#endif
