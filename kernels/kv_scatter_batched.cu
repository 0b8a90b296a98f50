/* kv_scatter_batched.cu - writes the new K or V rows of M sequences, one launch whatever M is.
 *
 * Grid (Hkv, M), block D. New rows are [M, Hkv, D]; slot m's cache starts at m * stride elements and is
 * [Hkv, max_len, D]. positions[m] lies in device memory, so that a captured graph can be replayed; a
 * negative position marks a slot that is done, for which nothing is written.
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
