/* flash_decode_chunk.cu - the first half of flash decoding: attends to each chunk on its own.
 *
 * Grid (H, M, max_chunks), block 32, no dynamic shared memory. Chunk c of sequence m covers keys
 * c * C to min((c + 1) * C, seq_lens[m]) - 1. Each block writes one partial (D accumulators, not
 * normalised, then the maximum score and the sum of weights) to partials [M, H, max_chunks, D + 2].
 * The grid does not depend on the length, so one captured graph works for every length: a chunk
 * past the last key writes max = -inf and sum = 0, and its accumulators are never read.
 * The host checks 1 <= D <= 256, H a multiple of Hkv, and grid.z <= 65535.
 */
#include "kernels/online_softmax.cuh"

KERNEL flash_decode_chunk(const float *q, const float *k, const float *v, float *partials,
			  const int *seq_lens, int Hkv, int D, int max_len, long long stride,
			  int C, float scale)
{
	__shared__ __align__(16) float query[D_MAX];
	__shared__ float weights[WARP];

	int H = gridDim.x, max_chunks = gridDim.z;
	int head = blockIdx.x, slot = blockIdx.y, chunk = blockIdx.z;
	int lane = threadIdx.x;
	int kv_head = (int)((long long)head * Hkv / H);
	long long row = (long long)slot * H + head;
	long long begin = (long long)chunk * C;
	float *partial = partials + (row * max_chunks + chunk) * (D + 2);
	struct softmax_state state;

	if (begin >= seq_lens[slot]) {
		if (lane == 0) {
			partial[D] = -INFINITY;
			partial[D + 1] = 0.0f;
		}
		return;
	}

	for (int d = lane; d < D; d += WARP)
		query[d] = q[row * D + d];

	long long cache = slot * stride + (long long)kv_head * max_len * D;
	int end = (int)min(begin + C, (long long)seq_lens[slot]);
	attend_keys(&state, k + cache, v + cache, (int)begin, end, D, scale, query, weights);

#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		if (ROW_ELEMENT(lane, i, D) < D)
			partial[ROW_ELEMENT(lane, i, D)] = state.acc[i];
	if (lane == 0) {
		partial[D] = state.max;
		partial[D + 1] = state.sum;
	}
}
