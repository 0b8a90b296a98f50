/* flash_decode_group.cu - rung 4 of the ladder: a block for each KV head, so that its query heads
 * share what they read.
 *
 * Grid (Hkv, M, max_chunks), block (32, H / Hkv), no dynamic shared memory. Warp g attends to the
 * chunk for query head kv_head * H / Hkv + g, in the way of flash_decode_chunk and with its bits:
 * a key that one warp has loaded is in the L1 cache for the others. Partials have the layout of
 * flash_decode_chunk.
 * The host checks 1 <= D <= 256, that H is a multiple of Hkv, at most 16 times it, and grid.z.
 */
#include "kernels/online_softmax.cuh"

#define GROUP_MAX 16

KERNEL __launch_bounds__(WARP * GROUP_MAX)
flash_decode_group(const float *q, const float *k, const float *v, float *partials,
		   const int *seq_lens, int H, int Hkv, int D, int max_len, long long stride,
		   int C, float scale)
{
	__shared__ __align__(16) float query[GROUP_MAX * D_MAX];
	__shared__ float weights[GROUP_MAX * WARP];

	int kv_head = blockIdx.x, slot = blockIdx.y, chunk = blockIdx.z, max_chunks = gridDim.z;
	int lane = threadIdx.x, warp = threadIdx.y, head = kv_head * (H / Hkv) + warp;
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
		query[warp * D_MAX + d] = q[row * D + d];

	long long cache = slot * stride + (long long)kv_head * max_len * D;
	int end = (int)min(begin + C, (long long)seq_lens[slot]);
	attend_keys(&state, k + cache, v + cache, (int)begin, end, D, scale,
		    query + warp * D_MAX, weights + warp * WARP);

#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		if (ROW_ELEMENT(lane, i, D) < D)
			partial[ROW_ELEMENT(lane, i, D)] = state.acc[i];
	if (lane == 0) {
		partial[D] = state.max;
		partial[D + 1] = state.sum;
	}
}
