/* kv_scatter_indirect.cu - kv_scatter with its position in device memory, for graphs.
 *
 * Grid (Hkv), block D. New rows are [Hkv, D]; the cache of one layer is [Hkv, max_len, D]. A
 * negative position marks a sequence that has finished: nothing is written.
 */
#include "kernels/kernel.h"

KERNEL kv_scatter_indirect(const float *rows, float *cache, const int *position, int D, int max_len)
{
	int head = blockIdx.x;
	int d = threadIdx.x;

	if (position[0] < 0)
		return;
	cache[((long long)head * max_len + position[0]) * D + d] = rows[(long long)head * D + d];
}
