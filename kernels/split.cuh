/* split.cuh - what a block knows about its split, how it begins, and how it publishes the result.
 *
 * Used by the rungs of the ladder from 5 up, with split_attend.cuh in between.
 */
#ifndef SPLIT_CUH
#define SPLIT_CUH

#include "kernels/online_softmax.cuh"
#include "kernels/split_rule.h"

#define SPLIT_LANES 4           /* that share a key */
#define SPLIT_LOADS AT_ONCE(8)  /* vectors of a key loaded at once */
#define SPLIT_ROWS AT_ONCE(8)   /* values loaded at once */
/* Rows of a multiple of 32 floats begin at the same bank of shared memory: odd keys then swap
 * neighbouring vectors, so that the lanes of two keys read different banks. */
#define SPLIT_SWAP(D, key) ((D) % 32 == 0 ? (key) & 1 : 0)
#define SPLIT_THREADS (WARP * SPLIT_WARPS)

struct split {
	const float *q;                 /* of the KV head's first query head */
	const float *k, *v;             /* of the KV head, key 0 */
	float scale;
	long long row;                  /* of its first query head, slot * H + head */
	int begin, end;                 /* keys; no keys: begin = end */
	int D, G;                       /* elements of a row; query heads of the KV head */
	int heads;                      /* room for these, SPLIT_HEADS(G) */
	float *query;                   /* [heads, D], times the scale; zeros for heads from G on */
	float *weights;                 /* [SPLIT_TILE, heads], of the warp */
	float *rescale;                 /* [heads], of the warp */
	float *maxima, *sums;           /* [SPLIT_WARPS, heads] */
	float *merged;                  /* [SPLIT_WARPS, heads, D], and tiles before */
};

/* The split of this block of a grid (Hkv, M, SPLITS). */
static __device__ void split_begin(struct split *s, const float *q, const float *k,
				   const float *v, const int *seq_lens, int H, int Hkv, int D,
				   int max_len, long long stride, float scale)
{
	int kv_head = blockIdx.x, slot = blockIdx.y, keys = seq_lens[slot];
	long long begin = blockIdx.z * SPLIT_KEYS(keys);
	long long cache = slot * stride + (long long)kv_head * max_len * D;

	s->k = k + cache;
	s->v = v + cache;
	s->D = D;
	s->G = H / Hkv;
	s->row = (long long)slot * H + kv_head * s->G;
	s->q = q + s->row * D;
	s->scale = scale;
	s->begin = (int)min(begin, (long long)max(keys, 0));
	s->end = (int)min(begin + SPLIT_KEYS(keys), (long long)max(keys, 0));
}

/* Lays out the block's shared memory. */
static __device__ void split_place(struct split *s, float *shared)
{
	s->heads = SPLIT_HEADS(s->G);
	s->query = shared;
	s->maxima = s->query + s->heads * s->D;
	s->sums = s->maxima + SPLIT_WARPS * s->heads;
	s->rescale = s->sums + SPLIT_WARPS * s->heads;
	s->weights = s->rescale + SPLIT_WARPS * s->heads;
	s->merged = shared + SPLIT_FLOATS(s->G, s->D);
	s->rescale += threadIdx.y * s->heads;
	s->weights += threadIdx.y * SPLIT_TILE * s->heads;
}

/* Copies the queries of the KV head, times the scale. */
static __device__ void split_load_query(const struct split *s)
{
	for (int i = threadIdx.x + WARP * threadIdx.y; i < s->heads * s->D; i += SPLIT_THREADS)
		s->query[i] = i < s->G * s->D ? s->q[i] * s->scale : 0.0f;
}

/* The partial of the split for a query head, in partials [M, H, SPLITS, D + 2]. */
static __device__ float *split_partial(const struct split *s, float *partials, int head)
{
	return partials + ((s->row + head) * SPLITS + blockIdx.z) * (s->D + 2);
}

/* Merges the warps, in their order, and writes a partial for each query head: D accumulators, the
 * maximum and the sum. */
static __device__ void split_publish(const struct split *s, float *partials)
{
	int vectors = s->D / 4;

	for (int i = threadIdx.x + WARP * threadIdx.y; i < s->G * vectors; i += SPLIT_THREADS) {
		int head = i / vectors, vector = i % vectors;
		float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
		float max = -INFINITY, sum = 0.0f;
		float *out = split_partial(s, partials, head);

#pragma unroll
		for (int w = 0; w < SPLIT_WARPS; w++)
			max = fmaxf(max, s->maxima[w * s->heads + head]);
#pragma unroll
		for (int w = 0; w < SPLIT_WARPS; w++) {
			float theirs = s->maxima[w * s->heads + head];
			/* Equal maxima give 1, even -inf: keys with NaN scores must stay NaN. */
			float weight = theirs == max ? 1.0f : expf(theirs - max);
			float4 from = ((const float4 *)s->merged)[(w * s->heads + head) * vectors
								  + vector];

			sum = fmaf(weight, s->sums[w * s->heads + head], sum);
			acc.x = fmaf(weight, from.x, acc.x);
			acc.y = fmaf(weight, from.y, acc.y);
			acc.z = fmaf(weight, from.z, acc.z);
			acc.w = fmaf(weight, from.w, acc.w);
		}
		/* Partials are D + 2 floats: aligned to 8 bytes. */
		((float2 *)out)[2 * vector] = make_float2(acc.x, acc.y);
		((float2 *)out)[2 * vector + 1] = make_float2(acc.z, acc.w);
		if (vector == 0)
			((float2 *)out)[2 * vectors] = make_float2(max, sum);
	}
}

/* What a split without keys publishes: the accumulators stay as they were. */
static __device__ void split_publish_empty(const struct split *s, float *partials)
{
	int head = threadIdx.x + WARP * threadIdx.y;

	if (head < s->G)
		((float2 *)split_partial(s, partials, head))[s->D / 2] =
			make_float2(-INFINITY, 0.0f);
}

#endif
