/* merge_warps.cuh - merges the softmax states of the warps of a block in shared memory, in warp order.
 *
 * The arithmetic of flash_decode_reduce, with warps for chunks. Serves kernels whose warps attend to
 * different keys of the same row.
 */
#ifndef MERGE_WARPS_CUH
#define MERGE_WARPS_CUH

#include "kernels/online_softmax.cuh"

/* Floats of shared memory that `warps` states of D elements take. */
#define MERGE_FLOATS(warps, D) ((warps) * ((D) + 2))

/* All threads of the block call it; warp 0 gets the merged state. shared: MERGE_FLOATS(warps, D) floats
 * that no warp uses any more when it comes here. A warp without keys has sum 0 and max -inf. */
static __device__ void merge_warps(struct softmax_state *state, int warp, int warps, int D, float *shared)
{
	int lane = threadIdx.x % WARP;
	float *mine = shared + warp * (D + 2);
	float greatest = -INFINITY;

	__syncthreads();
#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		if (lane + WARP * i < D)
			mine[lane + WARP * i] = state->acc[i];
	if (lane == 0) {
		mine[D] = state->max;
		mine[D + 1] = state->sum;
	}
	__syncthreads();
	if (warp != 0)
		return;

	for (int w = 0; w < warps; w++)
		greatest = fmaxf(greatest, shared[w * (D + 2) + D]);
	state->max = greatest;
	state->sum = 0.0f;
#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		state->acc[i] = 0.0f;
	for (int w = 0; w < warps; w++) {
		const float *theirs = shared + w * (D + 2);
		/* Equal maxima, -inf and -inf too, weigh 1: a slice of NaN scores must stay NaN. */
		float weight = theirs[D] == greatest ? 1.0f : expf(theirs[D] - greatest);

		state->sum = fmaf(weight, theirs[D + 1], state->sum);
#pragma unroll
		for (int i = 0; i < OWNED_MAX; i++)
			if (lane + WARP * i < D)
				state->acc[i] = fmaf(weight, theirs[lane + WARP * i], state->acc[i]);
	}
}

#endif
