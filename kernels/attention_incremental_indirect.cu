/* attention_incremental_indirect.cu - attention_incremental with its length in device memory.
 *
 * For graphs: a captured launch keeps its arguments, but reads the length again at every replay.
 */
#include "kernels/attention_incremental.cuh"

KERNEL attention_incremental_indirect(const float *q, const float *k, const float *v, float *out,
				      const int *seq_len, int Hkv, int D, int max_len, float scale)
{
	__shared__ __align__(16) float query[D_MAX];
	__shared__ float weights[WARP];
	int head = blockIdx.x;
	long long cache = (long long)head * Hkv / gridDim.x * max_len * D;

	attend_row(q + head * D, k + cache, v + cache, out + head * D, seq_len[0], D, scale,
		   query, weights);
}
