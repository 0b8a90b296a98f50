/* attention_incremental_multiwarp_indirect.cu - attention_incremental_multiwarp with its length in
 * device memory, for graphs.
 *
 * Grid (H), block 128, dynamic shared memory 4 * (D + 2) * 4 bytes. q and out are [H, D]; k and v
 * are the cache of one layer, [Hkv, max_len, D].
 */
#include "kernels/attention_incremental_multiwarp.cuh"

KERNEL attention_incremental_multiwarp_indirect(const float *q, const float *k, const float *v,
	float *out, const int *seq_len, int Hkv, int D, int max_len, float scale)
{
	extern __shared__ float merged[];
	__shared__ __align__(16) float query[D_MAX];
	__shared__ float weights[SLICES * WARP];
	int head = blockIdx.x;
	long long cache = (long long)head * Hkv / gridDim.x * max_len * D;

	attend_slices(q + head * D, k + cache, v + cache, out + head * D, seq_len[0], D, scale,
		      query, merged, weights);
}
