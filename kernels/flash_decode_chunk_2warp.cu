/* flash_decode_chunk_2warp.cu - flash_decode_chunk with two warps per chunk.
 *
 * Grid (H, M, max_chunks), block (32, 2), dynamic shared memory 2 * (D + 2) * 4 bytes. Each warp
 * attends to one half of the chunk's keys; the halves are merged in shared memory. Partials have
 * the layout of flash_decode_chunk.
 */
#include "kernels/attention_incremental.cuh"
#include "kernels/merge_warps.cuh"

KERNEL flash_decode_chunk_2warp(const float *q, const float *k, const float *v, float *partials,
				const int *seq_lens, int Hkv, int D, int max_len, long long stride,
				int C, float scale)
{
	extern __shared__ float merged[];
	__shared__ __align__(16) float query[D_MAX];
	__shared__ float weights[2 * WARP];

	int H = gridDim.x, max_chunks = gridDim.z;
	int head = blockIdx.x, slot = blockIdx.y, chunk = blockIdx.z;
	int lane = threadIdx.x, warp = threadIdx.y;
	int kv_head = (int)((long long)head * Hkv / H);
	long long row = (long long)slot * H + head;
	long long begin = (long long)chunk * C;
	float *partial = partials + (row * max_chunks + chunk) * (D + 2);
	struct softmax_state state;

	if (begin >= seq_lens[slot]) {
		if (lane == 0 && warp == 0) {
			partial[D] = -INFINITY;
			partial[D + 1] = 0.0f;
		}
		return;
	}

	for (int d = lane + WARP * warp; d < D; d += 2 * WARP)
		query[d] = q[row * D + d];
	__syncthreads();

	long long cache = slot * stride + (long long)kv_head * max_len * D;
	int end = (int)min(begin + C, (long long)seq_lens[slot]);
	int middle = (int)begin + (end - (int)begin + 1) / 2;
	int from = warp == 0 ? (int)begin : middle, to = warp == 0 ? middle : end;
	if (from < to)
		attend_keys(&state, k + cache, v + cache, from, to, D, scale, query,
			    weights + warp * WARP);
	else
		clear_state(&state);
	merge_warps(&state, warp, 2, D, merged);
	if (warp != 0)
		return;

#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		if (ROW_ELEMENT(lane, i, D) < D)
			partial[ROW_ELEMENT(lane, i, D)] = state.acc[i];
	if (lane == 0) {
		partial[D] = state.max;
		partial[D + 1] = state.sum;
	}
}
