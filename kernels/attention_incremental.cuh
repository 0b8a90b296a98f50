/* attention_incremental.cuh - one warp attends to all keys of one query head.
 *
 * Used by attention_incremental and its variants. The results are those of flash decoding with a
 * single chunk, bit for bit: reducing one partial multiplies it by 1 and adds it to zero.
 */
#ifndef ATTENTION_INCREMENTAL_CUH
#define ATTENTION_INCREMENTAL_CUH

#include "kernels/online_softmax.cuh"

/* Writes the output of one row, [D]: zeros if there are no keys or all weights are 0. acc + 0 turns
 * -0 into +0, as the reduction of flash decoding does. */
static __device__ void write_row(const struct softmax_state *state, float *out, int D)
{
	int lane = threadIdx.x % WARP;

#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		if (ROW_ELEMENT(lane, i, D) < D)
			out[ROW_ELEMENT(lane, i, D)] =
				state->sum == 0.0f ? 0.0f : (state->acc[i] + 0.0f) / state->sum;
}

/* The state before the first key. */
static __device__ void clear_state(struct softmax_state *state)
{
	state->max = -INFINITY;
	state->sum = 0.0f;
#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		state->acc[i] = 0.0f;
}

/* Block 32: attends to n keys of one KV head; k and v point at its key 0. query and weights are in
 * shared memory, as for attend_keys(). */
static __device__ void attend_row(const float *q, const float *k, const float *v, float *out, int n,
				  int D, float scale, float *query, float *weights)
{
	struct softmax_state state;

	for (int d = threadIdx.x % WARP; d < D; d += WARP)
		query[d] = q[d];
	if (n > 0)
		attend_keys(&state, k, v, 0, n, D, scale, query, weights);
	else
		clear_state(&state);
	write_row(&state, out, D);
}

#endif
