/* attention_incremental.cu - decode attention, one warp per query head over all keys.
 *
 * Grid (H), block 32, no dynamic shared memory. q and out are [H, D]; k and v are the cache of one
 * layer, [Hkv, max_len, D], in which n keys are valid. Simple, but slow on a GPU: H warps leave
 * most multiprocessors idle.
 */
#include "kernels/attention_incremental.cuh"

KERNEL attention_incremental(const float *q, const float *k, const float *v, float *out,
			     int Hkv, int D, int max_len, int n, float scale)
{
	__shared__ __align__(16) float query[D_MAX];
	__shared__ float weights[WARP];
	int head = blockIdx.x;
	long long cache = (long long)head * Hkv / gridDim.x * max_len * D;

	attend_row(q + head * D, k + cache, v + cache, out + head * D, n, D, scale, query, weights);
}
