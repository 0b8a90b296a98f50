/* split.cuh - what a block knows about its split, how it begins, and how it publishes the result.
 *
 * Used by the rungs of the ladder from 5 up, with split_attend.cuh or split_tensor.cuh in between.
 */
#ifndef SPLIT_CUH
#define SPLIT_CUH

#include "kernels/online_softmax.cuh"
#include "kernels/split_element.cuh"
#include "kernels/split_rule.h"
#include "sim/cuda/cache_hint.h"

#define SPLIT_ROWS AT_ONCE(8)   /* values loaded at once */
#define SPLIT_THREADS (WARP * SPLIT_WARPS)

struct split {
	const float *q;                 /* of the KV head's first query head */
	const split_element *k, *v;     /* of the KV head, key 0 */
	long long cache;                /* where they are in the caches: split_cache() */
	float scale;
#ifdef SPLIT_E4M3
	float v_scale;                  /* of the KV head */
#endif
#ifdef SPLIT_OPTIONS
	float softcap;                  /* 0: none */
	int sequence;
	int sinks, gap;                 /* keys from `sinks` on are `gap` rows further on */
#endif
	long long row;                  /* of its first query head, slot * H + head */
	int index;                      /* of the split in its sequence */
	bool same;                      /* its queries are those of the split before */
	int begin, end;                 /* keys; no keys: begin = end */
	int D, G;                       /* elements of a row; query heads of the KV head */
	int heads;                      /* room for these, SPLIT_HEADS(G) */
	float *tiles;                   /* of the block */
	float *query;                   /* [heads, D], times the scale; unless SPLIT_KEPT */
	float *maxima, *sums;           /* [SPLIT_WARPS, heads] */
#ifndef SPLIT_TENSOR
	float *weights;                 /* [SPLIT_TILE, heads], of the warp */
	float *rescale;                 /* [heads], of the warp */
#endif
	float *merged;                  /* [SPLIT_WARPS, heads, D] */
};

/* What a launch attends to, and where its results go; a kernel sets what it has. */
struct split_launch {
	const float *q;
	const split_element *k, *v;
	float *partials, *out;
#ifdef SPLIT_E4M3
	const float *k_scale, *v_scale; /* [Hkv] */
#endif
#ifdef SPLIT_OPTIONS
	float softcap;                  /* 0: none */
	int window, sinks;              /* window 0: none */
#endif
	const int *seq_lens, *plan;
#ifdef SPLIT_OPTIONS
	/* [sequences, pages] which page of `page` rows has each part of one; NULL: no pages */
	const int *page_table;
	int page, pages;
	int queries;                    /* slots of a sequence, which share its keys */
	float *lse;
#endif
	unsigned *tickets;
	int H, Hkv, D, max_len;
	long long stride;               /* of a slot or page in the caches, in elements */
	float scale;
};

struct split_source;            /* a warp's loads: see split_kernel.cuh */

/* The function of a shape that attends to a split, with a warp's source of tiles, and leaves the
 * states of the warps in s->merged. All threads of the block must call it. */
typedef void split_attend_fn(const struct split *s, struct split_source *source);

/* Lays out the block's shared memory, whose first `tiles` floats are for tiles. `heads` is
 * SPLIT_HEADS of the group; the head size is in->D. Returns the end of what is laid out. */
static __device__ float *split_place(struct split *s, const struct split_launch *in, int heads,
				     float *shared, int tiles)
{
	s->D = in->D;
	s->G = in->H / in->Hkv;
	s->heads = heads;
	s->scale = in->scale;
	s->tiles = shared;
	s->merged = shared + tiles;
	s->maxima = s->merged + SPLIT_MERGE_FLOATS(heads, s->D);
	s->sums = s->maxima + SPLIT_WARPS * heads;
	s->query = s->sums + SPLIT_WARPS * heads;
	s->same = false;
	shared = s->query + (SPLIT_KEPT(heads) ? 0 : heads * s->D);
#ifndef SPLIT_TENSOR
	s->rescale = shared + threadIdx.y * heads;
	shared += SPLIT_WARPS * heads;
	s->weights = shared + threadIdx.y * SPLIT_TILE(s->D) * heads;
	shared += SPLIT_WARPS * SPLIT_TILE(s->D) * heads;
#endif
	return shared;
}

/* Where key 0 of a KV head of a slot is in the caches; with pages, row 0 of page 0. */
static __device__ long long split_cache(const struct split_launch *in, int slot, int kv_head)
{
#ifdef SPLIT_OPTIONS
	if (in->page_table)
		return (long long)kv_head * in->page * in->D;
	slot /= in->queries;
#endif
	return slot * in->stride + (long long)kv_head * in->max_len * in->D;
}

/* Sets the split: keys [begin, end) of a KV head of a sequence. */
static __device__ void split_set(struct split *s, const struct split_launch *in, int slot,
				 int kv_head, int index, int begin, int end)
{
	s->cache = split_cache(in, slot, kv_head);
	s->k = in->k + s->cache;
	s->v = in->v + s->cache;
	s->row = (long long)slot * in->H + kv_head * s->G;
	s->q = in->q + s->row * in->D;
#ifdef SPLIT_E4M3
	s->scale = in->scale * in->k_scale[kv_head];
	s->v_scale = in->v_scale[kv_head];
#endif
#ifdef SPLIT_OPTIONS
	s->sequence = slot / in->queries;
	s->softcap = in->softcap;
	s->gap = SPLIT_GAP(in->seq_lens[slot], in->window, in->sinks);
	s->sinks = s->gap > 0 ? in->sinks : 0;
#endif
	s->index = index;
	s->begin = begin;
	s->end = end;
}

#ifdef SPLIT_OPTIONS
/* How many rows from split_cache() on a row of a sequence is. A pool of pages has fewer than 2^31
 * rows. */
static __device__ int split_place_of_row(const struct split_launch *in, int sequence, int row)
{
	const int *table = in->page_table + (long long)sequence * in->pages;
	int page;

	if (!in->page_table)
		return row;
	page = (int)((unsigned)row / (unsigned)in->page);
	return table[page] * (in->Hkv * in->page) + (row - page * in->page);
}
#endif

/* Keys that a slot attends to. */
static __device__ int split_keys(const struct split_launch *in, int slot)
{
	int keys = in->seq_lens[slot];

#ifdef SPLIT_OPTIONS
	keys -= SPLIT_GAP(keys, in->window, in->sinks);
#endif
	return keys;
}

/* Sets the split of this block of a grid (Hkv, M, splits). */
static __device__ void split_of_block(struct split *s, const struct split_launch *in)
{
	int keys = split_keys(in, blockIdx.y);
	long long begin = blockIdx.z * SPLIT_KEYS(keys);

	split_set(s, in, blockIdx.y, blockIdx.x, blockIdx.z,
		  (int)min(begin, (long long)max(keys, 0)),
		  (int)min(begin + SPLIT_KEYS(keys), (long long)max(keys, 0)));
}

/* No split yet. */
static __device__ void split_none(struct split *s)
{
	s->k = s->v = NULL;
	s->cache = 0;
	s->index = SPLITS;              /* no split has it: none is the next one */
	s->begin = s->end = 0;
#ifdef SPLIT_OPTIONS
	s->sequence = s->sinks = s->gap = 0;
#endif
}

/* A vector of a query head of the KV head, times the scale; zero for heads without a query. */
static __device__ float4 split_query(const struct split *s, int head, int vector)
{
	float4 q = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

	if (head < s->G && vector < s->D / 4) {
		q = ((const float4 *)s->q)[head * (s->D / 4) + vector];
		q.x *= s->scale;
		q.y *= s->scale;
		q.z *= s->scale;
		q.w *= s->scale;
	}
	return q;
}

/* A score, capped. */
static __device__ float split_cap(const struct split *s, float score)
{
#ifdef SPLIT_OPTIONS
	if (s->softcap != 0.0f)
		return s->softcap * tanhf(score / s->softcap);
#endif
	(void)s;
	return score;
}

/* Copies the queries of the KV head to shared memory, times the scale. */
static __device__ void split_load_query(const struct split *s)
{
	int vectors = s->D / 4;

	for (int i = threadIdx.x + WARP * threadIdx.y; i < s->heads * vectors; i += SPLIT_THREADS)
		((float4 *)s->query)[i] = split_query(s, i / vectors, i % vectors);
}

/* The partial of the split for a query head, in partials [M, H, SPLITS, D + 2]. */
static __device__ float *split_partial(const struct split *s, float *partials, int head)
{
	return partials + ((s->row + head) * SPLITS + s->index) * (s->D + 2);
}

/* A vector of a partial, and what all vectors of a query head share. */
struct split_part {
	float4 acc;
	float max, sum;
};

/* Where the states of warps have vector `at` of a row of D elements. Rows begin in the same bank of
 * shared memory, and the lanes of a warp leave four rows at once: each row has its vectors in an
 * order of its own, so that these are in different banks. */
#ifdef SPLIT_TENSOR
#define SPLIT_LEFT(row, at, D) ((D) % 32 == 0 ? (at) ^ (((row) & 1) | ((row) & 2) << 1) : (at))
#else
#define SPLIT_LEFT(row, at, D) (at)
#endif

/* Four neighbours have vectors of the same query head, because head sizes are multiples of 16: lane
 * i of them finds the weights of warps i and i + 4. Returns the maximum of all warps. */
static __device__ float split_weigh_warps(const struct split *s, int head, float weights[2])
{
	float theirs[2], max;

#pragma unroll
	for (int i = 0; i < 2; i++)
		theirs[i] = s->maxima[(threadIdx.x % 4 + 4 * i) * s->heads + head];
	max = fmaxf(theirs[0], theirs[1]);
	max = fmaxf(max, __shfl_xor_sync(FULL_WARP, max, 1));
	max = fmaxf(max, __shfl_xor_sync(FULL_WARP, max, 2));
	/* Equal maxima give 1, even -inf: keys with NaN scores must stay NaN. */
#pragma unroll
	for (int i = 0; i < 2; i++)
		weights[i] = theirs[i] == max ? 1.0f : expf(theirs[i] - max);
	return max;
}

/* Merges what the warps have found, in their order, for one vector of a query head. All lanes must
 * call it. */
static __device__ struct split_part split_merge_warps(const struct split *s, int head, int vector)
{
	struct split_part part = { .acc = { 0.0f, 0.0f, 0.0f, 0.0f }, .sum = 0.0f };
	float weights[2];

	part.max = split_weigh_warps(s, head, weights);
#pragma unroll
	for (int w = 0; w < SPLIT_WARPS; w++) {
		float weight = __shfl_sync(FULL_WARP, weights[w / 4], w % 4, 4);
		float4 from = ((const float4 *)s->merged)[(w * s->heads + head) * (s->D / 4)
							  + SPLIT_LEFT(head, vector, s->D)];

		part.sum = fmaf(weight, s->sums[w * s->heads + head], part.sum);
		part.acc.x = fmaf(weight, from.x, part.acc.x);
		part.acc.y = fmaf(weight, from.y, part.acc.y);
		part.acc.z = fmaf(weight, from.z, part.acc.z);
		part.acc.w = fmaf(weight, from.w, part.acc.w);
	}
#ifdef SPLIT_E4M3
	part.acc.x *= s->v_scale;
	part.acc.y *= s->v_scale;
	part.acc.z *= s->v_scale;
	part.acc.w *= s->v_scale;
#endif
	return part;
}

/* Writes a vector of a query head's partial: D accumulators, the maximum and the sum. Partials stay
 * in the L2 until a merge reads them, although a launch reads more keys and values than the L2
 * holds. Those of a cluster are only for traces. */
static __device__ void split_write(const struct split *s, float *partials, int head, int vector,
				   const struct split_part *part)
{
	/* Partials are D + 2 floats: aligned to 8 bytes. */
	float2 *out = (float2 *)split_partial(s, partials, head);

	store_kept2(out + 2 * vector, make_float2(part->acc.x, part->acc.y));
	store_kept2(out + 2 * vector + 1, make_float2(part->acc.z, part->acc.w));
	if (vector == 0)
		store_kept2(out + s->D / 2, make_float2(part->max, part->sum));
}

/* Merges the warps and writes a partial for each query head. */
static __device__ void split_publish(const struct split *s, float *partials)
{
	int vectors = s->D / 4, all = s->G * vectors;

	for (int first = WARP * threadIdx.y; first < all; first += SPLIT_THREADS) {
		int i = first + threadIdx.x, head = min(i / vectors, s->G - 1);
		struct split_part part = split_merge_warps(s, head, i % vectors);

		if (i < all)
			split_write(s, partials, head, i % vectors, &part);
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
