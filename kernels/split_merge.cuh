/* split_merge.cuh - merges the partials of a sequence's splits, in index order.
 *
 * The arithmetic is that of flash_decode_reduce. Used by flash_decode_merge and by the kernel whose
 * last block merges.
 */
#ifndef SPLIT_MERGE_CUH
#define SPLIT_MERGE_CUH

#include "kernels/online_softmax.cuh"
#include "kernels/split_rule.h"

/* Merges one vector of 4 elements of a row: partials [SPLITS, D + 2], of which `used` have keys.
 * All of them are loaded before the first is used. */
static __device__ void split_merge(const float *partials, int used, int D, int vector, float *out)
{
	float2 state[SPLITS], low[SPLITS], high[SPLITS];        /* state: maximum and sum */
	float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	float max = -INFINITY, sum = 0.0f;

#pragma unroll
	for (int i = 0; i < SPLITS; i++) {
		/* Past the last one, that one is loaded again. */
		const float2 *partial = (const float2 *)(partials + min(i, used - 1) * (D + 2));

		state[i] = __ldcg(partial + D / 2);
		low[i] = __ldcg(partial + 2 * vector);
		high[i] = __ldcg(partial + 2 * vector + 1);
	}
#pragma unroll
	for (int i = 0; i < SPLITS; i++)
		if (i < used)
			max = fmaxf(max, state[i].x);
#pragma unroll
	for (int i = 0; i < SPLITS; i++) {
		/* Equal maxima give 1, even -inf: a split of NaN scores must stay NaN. */
		float weight = state[i].x == max ? 1.0f : expf(state[i].x - max);

		if (i >= used)
			continue;
		sum = fmaf(weight, state[i].y, sum);
		acc.x = fmaf(weight, low[i].x, acc.x);
		acc.y = fmaf(weight, low[i].y, acc.y);
		acc.z = fmaf(weight, high[i].x, acc.z);
		acc.w = fmaf(weight, high[i].y, acc.w);
#ifdef MERGES_IN_PLACE  /* where the same threads merge in every run */
		if (vector == 0)
			POINT(reduce, weight, sum, acc.x);
#endif
	}
	((float4 *)out)[vector] = sum == 0.0f
		? make_float4(0.0f, 0.0f, 0.0f, 0.0f)
		: make_float4(acc.x / sum, acc.y / sum, acc.z / sum, acc.w / sum);
}

/* The output of a sequence without keys. */
static __device__ void split_merge_none(int vector, float *out)
{
	((float4 *)out)[vector] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

#endif
