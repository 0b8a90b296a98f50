/* flash_decode_plan.cu - rung 9 of the ladder: plans which block attends to which splits.
 *
 * Grid (M), block (PLAN_THREADS), no dynamic shared memory. Reads seq_lens [M], and writes the plan
 * (kernels/split_plan.cuh) for a grid of `blocks` blocks, as kernels/split_batch.cuh says. A plan
 * depends on lengths only: one serves all layers of a step.
 */
#include "kernels/split_batch.cuh"

KERNEL __launch_bounds__(PLAN_THREADS)
flash_decode_plan(const int *seq_lens, int *plan, int Hkv, int blocks)
{
	struct batch b = { .seq_lens = seq_lens, .Hkv = Hkv };

	batch_plan(&b, plan, blocks);
}
