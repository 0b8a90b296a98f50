/* kv_scatter_rows.cu - writes all K or V rows of a prompt into a cache in one launch.
 *
 * Grid (Hkv, rows), block D. Rows are [rows, Hkv, D], the layout of a prompt's projections. They go
 * to positions start, start + 1, ... of the cache [Hkv, max_len, D]. The host checks that they fit.
 */
#include "kernels/kernel.h"

KERNEL kv_scatter_rows(const float *rows, float *cache, int D, int max_len, int start)
{
	int head = blockIdx.x, heads = gridDim.x;
	int row = blockIdx.y;
	int d = threadIdx.x;

	cache[((long long)head * max_len + start + row) * D + d]
		= rows[((long long)row * heads + head) * D + d];
}
