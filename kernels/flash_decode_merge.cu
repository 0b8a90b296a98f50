/* flash_decode_merge.cu - merges the partials of each row of flash_decode_split and its like.
 *
 * Grid (H, M), block 32 or 64: a thread for each 4 elements. Reads partials [M, H, SPLITS, D + 2]
 * of the splits that have keys (kernels/split_rule.h), and writes out [M, H, D]. The arithmetic is
 * that of flash_decode_reduce, but all partials are loaded at once. Begins while the launch that
 * writes the partials ends (sim/cuda/programmatic.h); the lengths must be complete before that one
 * begins.
 */
#define MERGES_IN_PLACE
#include "kernels/split_merge.cuh"
#include "sim/cuda/programmatic.h"

KERNEL flash_decode_merge(const float *partials, float *out, const int *seq_lens, int D)
{
	int H = gridDim.x, head = blockIdx.x, slot = blockIdx.y, vector = threadIdx.x;
	long long row = (long long)slot * H + head;
	int keys = seq_lens[slot];

	grid_let_next();
	grid_wait();
	if (vector >= D / 4)
		return;
	if (keys <= 0)
		split_merge_none(vector, out + row * D);
	else
		split_merge(partials + row * SPLITS * (D + 2), SPLITS_USED(keys), D, vector,
			    out + row * D);
}
