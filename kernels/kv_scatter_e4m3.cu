/* kv_scatter_e4m3.cu - kv_scatter_batched into caches of e4m3: new rows are rounded.
 *
 * Grid (Hkv, M), block D, as kv_scatter_batched; also for one sequence. Rows are in units of the
 * caches' scales: what is larger than 448 becomes that. Needs sm_90.
 */
#include "kernels/kernel.h"
#include "sim/cuda/narrow.h"

KERNEL kv_scatter_e4m3(const float *rows, unsigned char *cache, const int *positions,
		       int D, int max_len, long long stride)
{
	int head = blockIdx.x, heads = gridDim.x;
	int slot = blockIdx.y;
	int d = threadIdx.x;
	int position = positions[slot];

	if (position < 0)
		return;
	cache[slot * stride + ((long long)head * max_len + position) * D + d]
		= e4m3_of_float(rows[((long long)slot * heads + head) * D + d]);
}
