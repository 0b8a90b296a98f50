/* cluster_api.h - CUDA's own functions for clusters of blocks, for C++ files on the simulator.
 *
 * Cooperative groups and sim/cuda/ptx/ use them too. What kernels of both devices use is in
 * sim/cuda/cluster.h.
 */
#ifndef SIM_CLUSTER_API_H
#define SIM_CLUSTER_API_H

/* Inlined, so that a finding names the line of the call. */
#define FT_CLUSTER static inline __attribute__((always_inline, unused))

/* --- where the block is --- */

/* Of the block in its cluster, of the cluster in the grid, and the clusters of the grid. */
FT_CLUSTER struct dim3 ft_cluster_index_in()
{
	const struct dim3 at = ft_block_index(), of = ft_cluster_dim();

	return dim3(at.x % of.x, at.y % of.y, at.z % of.z);
}
FT_CLUSTER struct dim3 ft_cluster_index()
{
	const struct dim3 at = ft_block_index(), of = ft_cluster_dim();

	return dim3(at.x / of.x, at.y / of.y, at.z / of.z);
}
FT_CLUSTER struct dim3 ft_cluster_grid()
{
	const struct dim3 grid = ft_grid_dim(), of = ft_cluster_dim();

	return dim3(grid.x / of.x, grid.y / of.y, grid.z / of.z);
}

/* --- CUDA's functions --- */

#define __cluster_barrier_arrive() ft_cluster_arrive(FT_SITE("__cluster_barrier_arrive"), 1)
#define __cluster_barrier_arrive_relaxed() \
	ft_cluster_arrive(FT_SITE("__cluster_barrier_arrive_relaxed"), 0)
#define __cluster_barrier_wait() ft_cluster_wait(FT_SITE("__cluster_barrier_wait"))
#define __threadfence_cluster() ft_fence(1)
FT_CLUSTER struct dim3 __clusterDim() { return ft_cluster_dim(); }
FT_CLUSTER struct dim3 __clusterIdx() { return ft_cluster_index(); }
FT_CLUSTER struct dim3 __clusterRelativeBlockIdx() { return ft_cluster_index_in(); }
FT_CLUSTER struct dim3 __clusterGridDimInClusters() { return ft_cluster_grid(); }
FT_CLUSTER unsigned __clusterRelativeBlockRank() { return ft_cluster_rank(); }
FT_CLUSTER unsigned __clusterSizeInBlocks() { return ft_cluster_size(); }
FT_CLUSTER unsigned __clusterDimIsSpecified() { return ft_cluster_size() > 1; }
FT_CLUSTER unsigned __isCtaShared(const void *p)
{
	return ft_cluster_rank_of(p) == (int)ft_cluster_rank();
}
FT_CLUSTER unsigned __isClusterShared(const void *p) { return ft_cluster_rank_of(p) >= 0; }
FT_CLUSTER unsigned __cluster_query_shared_rank(const void *p)
{
	return (unsigned)ft_cluster_rank_of(p);
}
FT_CLUSTER void *__cluster_map_shared_rank(const void *p, unsigned rank)
{
	return ft_cluster_map(p, rank);
}

#endif
