/* flash_decode_cluster.cu - rung 10 of the ladder for one sequence or few short ones: one launch
 * and no plan. The blocks of a cluster attend to the splits of a KV head and merge them through
 * shared memory.
 *
 * Grid (Hkv, M, CLUSTER_BLOCKS) in clusters of (1, 1, CLUSTER_BLOCKS), block (32, SPLIT_WARPS),
 * dynamic shared memory CLUSTER_RING_FLOATS + SPLIT_MERGE_FLOATS + SPLIT_FLOATS + CLUSTER_FLOATS.
 * Each block of a cluster attends to consecutive splits (kernels/split_rule.h), as
 * flash_decode_stream does, and keeps their partials. Then each gathers its share of all partials
 * in its own shared memory, and merges it in index order; so all bits are those of
 * flash_decode_merge. Needs sm_90.
 *
 * Writes out [M, H, D], and partials [M, H, SPLITS, D + 2] of splits with keys, which no kernel
 * reads: they are for traces, and are written while nothing waits for them.
 *
 * Attends to all but the last keys of each sequence before the launch before has ended
 * (sim/cuda/programmatic.h), which may be writing those. The queries, the lengths and all other
 * keys must be complete before it begins.
 */
#include "kernels/split_cluster.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_cluster(const float *q, const float *k, const float *v, float *partials, float *out,
		     const int *seq_lens, int H, int Hkv, int D, int max_len, long long stride,
		     float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .out = out, .seq_lens = seq_lens,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	grid_let_next();
	SPLIT_DISPATCH(cluster_run, &in);
}
