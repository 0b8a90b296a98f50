/* flash_decode_planned.cu - rung 9 of the ladder: as many blocks as a GPU holds, each of which
 * attends to a run of splits that a plan on the device gives it.
 *
 * Grid (blocks), block (32, SPLIT_WARPS), shared memory as flash_decode_stream, and the same bits.
 * The plan (kernels/split_plan.cuh) is that of flash_decode_plan for the same number of blocks.
 * Copies of the next split begin while warps work on the last one, so that memory is busy from the
 * first split of a run to its last, and blocks end at about the same time whatever the lengths are.
 * Partials of splits without keys are left as they were. flash_decode_merge merges. Needs sm_90.
 *
 * Attends to all but the last keys of each sequence before the launch before has ended
 * (sim/cuda/programmatic.h), which may be writing those. The queries, the plan and all other keys
 * must be complete before it begins.
 */
#include "kernels/split_planned.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_planned(const float *q, const float *k, const float *v, float *partials,
		     const int *plan, int H, int Hkv, int D, int max_len, long long stride,
		     float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .plan = plan,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	grid_let_next();
	SPLIT_DISPATCH(planned_run, &in);
}
