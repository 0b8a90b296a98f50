/* flash_decode_merge_options.cu - flash_decode_merge for kernels with a window, with log-sum-exps.
 *
 * Grid (H, M), block 32 or 64, as flash_decode_merge, with the bits of its arithmetic: reads the
 * partials of the splits of those keys that a query sees (SPLIT_GAP in kernels/split_rule.h), and
 * writes out [M, H, D], and lse [M, H]: max + log(sum of exp(score - max)), -inf without keys.
 */
#define MERGES_IN_PLACE
#include "kernels/split_merge.cuh"
#include "sim/cuda/programmatic.h"

KERNEL flash_decode_merge_options(const float *partials, float *out, float *lse,
				  const int *seq_lens, int D, int window, int sinks)
{
	int H = gridDim.x, head = blockIdx.x, slot = blockIdx.y, vector = threadIdx.x;
	long long row = (long long)slot * H + head;
	int keys = seq_lens[slot];

	keys -= SPLIT_GAP(keys, window, sinks);
	grid_let_next();
	grid_wait();
	if (vector >= D / 4)
		return;
	partials += row * SPLITS * (D + 2);
	if (keys <= 0)
		split_merge_none(vector, out + row * D);
	else
		split_merge(partials, SPLITS_USED(keys), D, vector, out + row * D);
	if (vector == 0)
		lse[row] = keys <= 0 ? -INFINITY
			: split_merge_lse(partials, SPLITS_USED(keys), D);
}
