/* attention_incremental_multiwarp.cu - decode attention, four warps per query head.
 *
 * The length is passed by value. Grid (H), block 128, dynamic shared memory 4 * (D + 2) * 4 bytes.
 * q and out are [H, D]; k and v are the cache of one layer, [Hkv, max_len, D].
 */
#include "kernels/attention_incremental_multiwarp.cuh"

KERNEL attention_incremental_multiwarp(const float *q, const float *k, const float *v, float *out,
	int Hkv, int D, int max_len, int n, float scale)
{
	extern __shared__ float merged[];
	__shared__ __align__(16) float query[D_MAX];
	__shared__ float weights[SLICES * WARP];
	int head = blockIdx.x;
	long long cache = (long long)head * Hkv / gridDim.x * max_len * D;

	attend_slices(q + head * D, k + cache, v + cache, out + head * D, n, D, scale,
		      query, merged, weights);
}
