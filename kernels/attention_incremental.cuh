/* attention_incremental.cuh - one warp attends to all keys of one query head and divides at the end.
 *
 * What attention_incremental and its relatives share. The arithmetic is that of flash decoding with a
 * single chunk, bit for bit: the reduction of one partial weighs it by 1 and adds it to zero.
 */
#ifndef ATTENTION_INCREMENTAL_CUH
#define ATTENTION_INCREMENTAL_CUH

#include "kernels/online_softmax.cuh"

/* Writes out [D] of one row. No keys, or no weight at all: zeros. acc + 0 makes a -0 a +0, as the
 * reduction of flash decoding does. */
static __device__ void write_row(const struct softmax_state *state, float *out, int D)
{
	int lane = threadIdx.x % WARP;

#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		if (lane + WARP * i < D)
			out[lane + WARP * i] = state->sum == 0.0f ? 0.0f : (state->acc[i] + 0.0f) / state->sum;
}

/* A state that has seen no key. */
static __device__ void clear_state(struct softmax_state *state)
{
	state->max = -INFINITY;
	state->sum = 0.0f;
#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		state->acc[i] = 0.0f;
}

/* Block 32: attends to n keys of one KV head, k and v at its key 0. Shared memory as attend_keys(). */
static __device__ void attend_row(const float *q, const float *k, const float *v, float *out, int n, int D,
				  float scale, float *query, float *weights)
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
