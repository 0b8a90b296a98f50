/* kv_scatter_batched.cu - writes the new K or V rows of M sequences in one launch.
 *
 * Grid (Hkv, M), block D. New rows are [M, Hkv, D]. The cache of slot m is [Hkv, max_len, D]
 * and starts at element m * stride. positions[m] is in device memory, so that a captured graph can
 * be replayed; a negative position marks a slot that has finished, and nothing is written for it.
 * With a stride of 0 positions are rows of the whole cache, of KV head 0: so slots that are queries
 * of one sequence, or have their rows in pages of max_len rows, share it.
 */
#include "kernels/kernel.h"

KERNEL kv_scatter_batched(const float *rows, float *cache, const int *positions,
			  int D, int max_len, long long stride)
{
	int head = blockIdx.x, heads = gridDim.x;
	int slot = blockIdx.y;
	int d = threadIdx.x;
	int position = positions[slot];

	if (position < 0)
		return;
	cache[slot * stride + ((long long)head * max_len + position) * D + d]
		= rows[((long long)slot * heads + head) * D + d];
}
