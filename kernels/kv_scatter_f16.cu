/* kv_scatter_f16.cu - kv_scatter_batched into caches of f16: new rows are rounded.
 *
 * Grid (Hkv, M), block D, as kv_scatter_batched; also for one sequence.
 */
#include "kernels/kernel.h"
#include "sim/cuda/narrow.h"

KERNEL kv_scatter_f16(const float *rows, unsigned short *cache, const int *positions,
		      int D, int max_len, long long stride)
{
	int head = blockIdx.x, heads = gridDim.x;
	int slot = blockIdx.y;
	int d = threadIdx.x;
	int position = positions[slot];

	if (position < 0)
		return;
	cache[slot * stride + ((long long)head * max_len + position) * D + d]
		= f16_of_float(rows[((long long)slot * heads + head) * D + d]);
}
