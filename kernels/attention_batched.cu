/* attention_batched.cu - decode attention of M sequences of different lengths in one launch.
 *
 * Grid (H, M), block 32, no dynamic shared memory. q and out are [M, H, D]. Each slot has its own
 * cache [Hkv, max_len, D] and length: k_ptrs[M], v_ptrs[M] and seq_lens[M] are in device memory. A
 * slot of length 0 has finished: its row becomes zeros, and its pointers are not dereferenced.
 */
#include "kernels/attention_incremental.cuh"

KERNEL attention_batched(const float *q, const float *const *k_ptrs, const float *const *v_ptrs,
			 float *out, const int *seq_lens, int Hkv, int D, int max_len, float scale)
{
	__shared__ __align__(16) float query[D_MAX];
	__shared__ float weights[WARP];
	int head = blockIdx.x, slot = blockIdx.y;
	long long row = ((long long)slot * gridDim.x + head) * D;
	long long cache = (long long)head * Hkv / gridDim.x * max_len * D;

	attend_row(q + row, k_ptrs[slot] + cache, v_ptrs[slot] + cache, out + row, seq_lens[slot],
		   D, scale, query, weights);
}
