/* cluster.h - the group of a cluster's threads; see cooperative_groups.h. */
#ifndef SIM_GROUPS_CLUSTER_H
#define SIM_GROUPS_CLUSTER_H

#include "sim/cuda/groups/block.h"

namespace cooperative_groups {

class cluster_group {
public:
	struct arrival_token { };

	static void sync(FT_CALL) { ft_cluster_sync(FT_CALL_SITE("cluster_group::sync")); }
	static arrival_token barrier_arrive(FT_CALL)
	{
		ft_cluster_arrive(FT_CALL_SITE("cluster_group::barrier_arrive"), 1);
		return {};
	}
	static void barrier_wait(FT_CALL)
		{ ft_cluster_wait(FT_CALL_SITE("cluster_group::barrier_wait")); }
	static void barrier_wait(arrival_token &&, FT_CALL)
		{ ft_cluster_wait(FT_CALL_SITE("cluster_group::barrier_wait")); }
	static unsigned query_shared_rank(const void *p) { return __cluster_query_shared_rank(p); }
	template <class T> static T *map_shared_rank(T *p, int rank)
		{ return (T *)ft_cluster_map((const void *)p, (unsigned)rank); }
	static struct dim3 block_index() { return __clusterRelativeBlockIdx(); }
	static unsigned block_rank() { return ft_cluster_rank(); }
	static struct dim3 dim_blocks() { return ft_cluster_dim(); }
	static unsigned num_blocks() { return ft_cluster_size(); }
	static struct dim3 thread_index()
	{
		const struct dim3 at = block_index();

		return dim3(at.x * blockDim.x + threadIdx.x, at.y * blockDim.y + threadIdx.y,
			    at.z * blockDim.z + threadIdx.z);
	}
	static unsigned thread_rank()
		{ return block_rank() * thread_block::size() + ft_thread_linear(); }
	static struct dim3 dim_threads()
	{
		const struct dim3 of = dim_blocks();

		return dim3(of.x * blockDim.x, of.y * blockDim.y, of.z * blockDim.z);
	}
	static unsigned num_threads() { return num_blocks() * thread_block::size(); }
	static unsigned size() { return num_threads(); }
};

static inline cluster_group this_cluster() { return {}; }

}

#endif
