/* split_merge.cuh - merges the partials of a sequence's splits, in index order.
 *
 * The arithmetic is that of flash_decode_reduce. Used by flash_decode_merge and by the kernels of
 * which a last block or a cluster merges.
 */
#ifndef SPLIT_MERGE_CUH
#define SPLIT_MERGE_CUH

#include "kernels/online_softmax.cuh"
#include "kernels/split_rule.h"

/* One vector of 4 elements of all partials of a row. */
struct split_parts {
	float2 state[SPLITS];           /* maximum and sum */
	float2 low[SPLITS], high[SPLITS];
};

/* What the splits so far give for one vector; `max` is that of all splits. */
struct split_merged {
	float4 acc;
	float max, sum;
};

/* Adds a split's state and its vector; `first`: it is the first vector of the row. */
INLINE_PIECE void split_merge_add(struct split_merged *to, float2 state, float4 part, bool first)
{
	/* Equal maxima give 1, even -inf: a split of NaN scores must stay NaN. */
	float weight = state.x == to->max ? 1.0f : expf(state.x - to->max);

	to->sum = fmaf(weight, state.y, to->sum);
	to->acc.x = fmaf(weight, part.x, to->acc.x);
	to->acc.y = fmaf(weight, part.y, to->acc.y);
	to->acc.z = fmaf(weight, part.z, to->acc.z);
	to->acc.w = fmaf(weight, part.w, to->acc.w);
#ifdef MERGES_IN_PLACE  /* where the same threads merge in every run */
	if (first)
		POINT(reduce, weight, to->sum, to->acc.x);
#endif
	(void)first;
}

INLINE_PIECE float4 split_merge_end(const struct split_merged *from)
{
	float sum = from->sum;

	if (sum == 0.0f)
		return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	return make_float4(from->acc.x / sum, from->acc.y / sum, from->acc.z / sum,
			   from->acc.w / sum);
}

/* Merges the first `used` parts. */
INLINE_PIECE float4 split_merge_parts(const struct split_parts *parts, int used, int vector)
{
	struct split_merged merged = { .acc = { 0.0f, 0.0f, 0.0f, 0.0f }, .max = -INFINITY };

#pragma unroll
	for (int i = 0; i < SPLITS; i++)
		if (i < used)
			merged.max = fmaxf(merged.max, parts->state[i].x);
#pragma unroll
	for (int i = 0; i < SPLITS; i++)
		if (i < used)
			split_merge_add(&merged, parts->state[i],
					make_float4(parts->low[i].x, parts->low[i].y,
						    parts->high[i].x, parts->high[i].y),
					vector == 0);
	return split_merge_end(&merged);
}

/* Loads the states of a row's partials, and those of the last one again past the `used` that have
 * keys. Returns the maximum of all. */
static __device__ float split_merge_states(const float *partials, int used, int D,
					   float2 state[SPLITS])
{
	float max = -INFINITY;

#pragma unroll
	for (int i = 0; i < SPLITS; i++)
		state[i] = __ldcg((const float2 *)(partials + min(i, used - 1) * (D + 2)) + D / 2);
#pragma unroll
	for (int i = 0; i < SPLITS; i++)
		max = fmaxf(max, state[i].x);
	return max;
}

/* Merges one vector of a row: partials [SPLITS, D + 2], of which `used` have keys. All of them are
 * loaded before the first is used; with SPLIT_PAIR, which has half of the registers, all states and
 * then half of the vectors at once. */
static __device__ void split_merge(const float *partials, int used, int D, int vector, float *out)
{
#ifdef SPLIT_PAIR
	struct split_merged merged = { .acc = { 0.0f, 0.0f, 0.0f, 0.0f } };
	float2 state[SPLITS];

	merged.max = split_merge_states(partials, used, D, state);
#pragma unroll
	for (int half = 0; half < SPLITS; half += SPLITS / 2) {
		float2 low[SPLITS / 2], high[SPLITS / 2];

#pragma unroll
		for (int i = 0; i < SPLITS / 2; i++) {
			const float2 *partial = (const float2 *)(partials + min(half + i, used - 1)
								 * (D + 2)) + 2 * vector;

			low[i] = __ldcg(partial);
			high[i] = __ldcg(partial + 1);
		}
#pragma unroll
		for (int i = 0; i < SPLITS / 2; i++)
			if (half + i < used)
				split_merge_add(&merged, state[half + i],
						make_float4(low[i].x, low[i].y, high[i].x,
							    high[i].y), vector == 0);
	}
	((float4 *)out)[vector] = split_merge_end(&merged);
#else
	struct split_parts parts;

#pragma unroll
	for (int i = 0; i < SPLITS; i++) {
		/* Past the last one, that one is loaded again. */
		const float2 *partial = (const float2 *)(partials + min(i, used - 1) * (D + 2));

		parts.state[i] = __ldcg(partial + D / 2);
		parts.low[i] = __ldcg(partial + 2 * vector);
		parts.high[i] = __ldcg(partial + 2 * vector + 1);
	}
	((float4 *)out)[vector] = split_merge_parts(&parts, used, vector);
#endif
}

/* The logarithm of the sum of the weights of a row, of partials as in split_merge(): its maximum
 * and sum are those by which split_merge() divides. */
static __device__ float split_merge_lse(const float *partials, int used, int D)
{
	float2 state[SPLITS];
	float max = split_merge_states(partials, used, D, state), sum = 0.0f;

#pragma unroll
	for (int i = 0; i < SPLITS; i++)
		if (i < used)
			sum = fmaf(state[i].x == max ? 1.0f : expf(state[i].x - max), state[i].y,
				   sum);
	return max + logf(sum);
}

/* The output of a sequence without keys. */
static __device__ void split_merge_none(int vector, float *out)
{
	((float4 *)out)[vector] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

#endif
