/* flash_decode_planned.cu - rung 9 of the ladder: as many blocks as a GPU holds, each of which
 * attends to a run of splits that a plan on the device gives it.
 *
 * Grid (blocks), block (32, SPLIT_WARPS), shared memory as flash_decode_stream, and the same bits.
 * The plan (kernels/split_plan.cuh) is that of flash_decode_plan for the same number of blocks.
 * Copies of the next split begin while warps work on the last one, so that memory is busy from the
 * first split of a run to its last, and blocks end at about the same time whatever the lengths are.
 * Partials of splits without keys are left as they were. flash_decode_merge merges. Needs sm_90.
 */
#include "kernels/split.cuh"
#include "kernels/split_ring.cuh"
#include "kernels/split_kernel.cuh"

INLINE_PIECE void planned_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			      float *shared)
{
	__shared__ uint64_t landed[SPLIT_WARPS * SPLIT_MAX_STAGES];
	struct plan_run run = plan_run_of_block(in->plan, gridDim.x);
	struct split_source source;
	struct split s;

	split_place(&s, in, heads, shared, SPLIT_RING_FLOATS(heads, in->D));
	split_none(&s);
	source_begin(&source, &s, in, &run, landed);
	source_fill(&source, 0, true, in->D);
	__syncwarp();
	while (run.count > 0) {
		struct plan_unit unit = plan_next(&run);

		split_of_unit(&s, in, &unit);
		attend(&s, &source);
		split_publish(&s, in->partials);
	}
}

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

	SPLIT_DISPATCH(planned_run, &in);
}
