/* kv_scatter.cu - writes the new K or V row of one sequence into its cache.
 *
 * Grid (Hkv), block D. New rows are [Hkv, D]; the cache of one layer is [Hkv, max_len, D]. The host
 * checks 0 <= position < max_len and D <= 1024 before the launch.
 */
#include "kernels/kernel.h"

KERNEL kv_scatter(const float *rows, float *cache, int D, int max_len, int position)
{
	int head = blockIdx.x;
	int d = threadIdx.x;

	/* 64 bits, because heads * max_len * D can exceed 4 Gi elements. */
	cache[((long long)head * max_len + position) * D + d] = rows[(long long)head * D + d];
}
