/* merge_warps.cuh - merges the softmax states of a block's warps, in warp order.
 *
 * The arithmetic is that of flash_decode_reduce, with warps instead of chunks, and so are its named
 * points: lane 0 of warp 0 passes one for each warp, in warp order, after the points of its own
 * keys. Used by kernels whose warps attend to different keys of the same row.
 */
#ifndef MERGE_WARPS_CUH
#define MERGE_WARPS_CUH

#include "kernels/online_softmax.cuh"

/* How many floats of shared memory `warps` states of D elements need. */
#define MERGE_FLOATS(warps, D) ((warps) * ((D) + 2))

/* All threads of the block must call it; warp 0 gets the merged state. A warp without keys passes
 * sum 0 and max -inf. `shared` holds MERGE_FLOATS(warps, D) floats, which a warp must no longer use
 * when it calls. */
static __device__ void merge_warps(struct softmax_state *state, int warp, int warps, int D,
				   float *shared)
{
	int lane = threadIdx.x % WARP;
	float *mine = shared + warp * (D + 2);
	float row_max = -INFINITY;

	__syncthreads();
#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		if (ROW_ELEMENT(lane, i, D) < D)
			mine[ROW_ELEMENT(lane, i, D)] = state->acc[i];
	if (lane == 0) {
		mine[D] = state->max;
		mine[D + 1] = state->sum;
	}
	__syncthreads();
	if (warp != 0)
		return;

	for (int w = 0; w < warps; w++)
		row_max = fmaxf(row_max, shared[w * (D + 2) + D]);
	state->max = row_max;
	state->sum = 0.0f;
#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		state->acc[i] = 0.0f;
	for (int w = 0; w < warps; w++) {
		const float *theirs = shared + w * (D + 2);
		/* Equal maxima give 1, even -inf: a slice of NaN scores must stay NaN. */
		float weight = theirs[D] == row_max ? 1.0f : expf(theirs[D] - row_max);

		state->sum = fmaf(weight, theirs[D + 1], state->sum);
#pragma unroll
		for (int i = 0; i < OWNED_MAX; i++)
			if (ROW_ELEMENT(lane, i, D) < D)
				state->acc[i] = fmaf(weight, theirs[ROW_ELEMENT(lane, i, D)],
						     state->acc[i]);
		if (lane == 0)
			POINT(reduce, weight, state->sum, state->acc[0]);
	}
}

#endif
