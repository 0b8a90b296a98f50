/* flash_decode_fused.cu - rung 10 of the ladder: one launch, in which the last block of a KV head
 * merges its splits, and which begins while the launch before it ends.
 *
 * As flash_decode_planned, and then flash_decode_merge, with the same bits: whichever block is the
 * last one, it merges in index order. A block that has published all of its splits takes tickets
 * [M, Hkv] of its first and its last KV head, one for each of its splits, unless it has all splits
 * of that KV head. The block that takes the last one sees all partials, merges them, and sets the
 * tickets to 0 again, for the next launch or replay of a graph. Writes partials
 * [M, H, SPLITS, D + 2] and out [M, H, D]. The merge has no named points, because they would be
 * those of another block in each run.
 *
 * Attends to all but the last keys of each sequence before the launch before has ended
 * (sim/cuda/programmatic.h), which may be writing those. The queries, the plan and all other keys
 * must be complete before it begins.
 */
#include "kernels/split_fused.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_fused(const float *q, const float *k, const float *v, float *partials, float *out,
		   unsigned *tickets, const int *plan, int H, int Hkv, int D, int max_len,
		   long long stride, float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .out = out, .plan = plan,
		.tickets = tickets,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	grid_let_next();
	SPLIT_DISPATCH(fused_run, &in);
}
