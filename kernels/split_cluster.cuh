/* split_cluster.cuh - the blocks of a cluster attend to the splits of a KV head and merge
 * them: rung 10.
 *
 * Included only by flash_decode_cluster.cu and its versions for other types of keys and values,
 * after they say which (kernels/split_element.cuh).
 */
#ifndef SPLIT_CLUSTER_CUH
#define SPLIT_CLUSTER_CUH

#define MERGES_IN_PLACE
#define SPLIT_CLUSTERED
#include "kernels/split.cuh"
#include "kernels/split_source.cuh"
#include "kernels/split_merge.cuh"
#include "sim/cuda/cluster.h"
#include "sim/cuda/programmatic.h"

/* What a block keeps is at the same place in all of them: at `kept` the accumulators
 * [CLUSTER_SPLITS, heads, D / 4], and then these, maxima and sums [CLUSTER_SPLITS, heads]. */
static __device__ float2 *cluster_states(const struct split *s, const float4 *kept)
{
	return (float2 *)(kept + CLUSTER_SPLITS * s->heads * (s->D / 4));
}

static __device__ int cluster_thread(void)
{
	return threadIdx.x + WARP * threadIdx.y;
}

/* Merges the warps and keeps the partial of each query head, as split `number` of the block. */
static __device__ void cluster_keep(const struct split *s, float4 *kept, int number)
{
	int vectors = s->D / 4, all = s->G * vectors;

#pragma unroll 1
	for (int first = WARP * threadIdx.y; first < all; first += SPLIT_THREADS) {
		int i = first + threadIdx.x, head = min(i / vectors, s->G - 1);
		int vector = i % vectors;
		struct split_part part = split_merge_warps(s, head, vector);

		if (i >= all)
			continue;
		kept[(number * s->heads + head) * vectors + vector] = part.acc;
		if (vector == 0)
			cluster_states(s, kept)[number * s->heads + head]
				= make_float2(part.max, part.sum);
	}
}

/* Of the vectors that the block merges, [used, CLUSTER_SHARE] of all splits, and the states of all
 * query heads, [used, heads], which come after them: where they are gathered. */
INLINE_PIECE float4 *cluster_gathered(const struct split *s)
{
	return (float4 *)s->tiles;
}

static __device__ float2 *cluster_gathered_states(const struct split *s, int used)
{
	return (float2 *)(cluster_gathered(s) + used * CLUSTER_SHARE(s->G, s->D));
}

/* Gathers them from the blocks of the cluster, in the block's own shared memory: its tiles have
 * been read. `mine` is the first of the block's vectors. */
static __device__ void cluster_gather(const struct split *s, float4 *kept, int used, int mine)
{
	int share = CLUSTER_SHARE(s->G, s->D), vectors = s->D / 4;

#pragma unroll 1
	for (int i = cluster_thread(); i < used * share; i += SPLIT_THREADS) {
		int split = i / share, rank = CLUSTER_RANK(split, used), vector = mine + i % share;
		const float4 *theirs = cluster_map(kept, rank)
			+ (split - CLUSTER_FIRST(rank, used)) * s->heads * vectors;

		if (vector < s->G * vectors)
			cluster_gathered(s)[i] = theirs[vector];
	}
#pragma unroll 1
	for (int i = cluster_thread(); i < used * s->heads; i += SPLIT_THREADS) {
		int split = i / s->heads, rank = CLUSTER_RANK(split, used);
		const float2 *theirs = cluster_states(s, cluster_map(kept, rank))
			+ (split - CLUSTER_FIRST(rank, used)) * s->heads;

		cluster_gathered_states(s, used)[i] = theirs[i % s->heads];
	}
}

/* Merges the thread's vector, the block's `own`-th, of a query head. In loops, because a warp comes
 * here once, and would wait for the instructions of longer code. */
static __device__ float4 cluster_merge(const struct split *s, int used, int head, int vector,
				       int own)
{
	const float4 *parts = cluster_gathered(s) + own;
	const float2 *states = cluster_gathered_states(s, used) + head;
	struct split_merged merged = { .acc = { 0.0f, 0.0f, 0.0f, 0.0f }, .max = -INFINITY };

#pragma unroll 4
	for (int i = 0; i < used; i++)
		merged.max = fmaxf(merged.max, states[i * s->heads].x);
#pragma unroll 2
	for (int i = 0; i < used; i++)
		split_merge_add(&merged, states[i * s->heads],
				parts[i * CLUSTER_SHARE(s->G, s->D)], vector == 0);
	return split_merge_end(&merged);
}

/* Writes the partials of the block's splits, of which the first is split `first`. */
static __device__ void cluster_publish(struct split *s, const float4 *kept, int first, int count,
				       float *partials)
{
	int vectors = s->D / 4, each = s->G * vectors;

#pragma unroll 1
	for (int i = cluster_thread(); i < count * each; i += SPLIT_THREADS) {
		int number = i / each, head = i % each / vectors, vector = i % vectors;
		int at = number * s->heads + head;
		float2 state = cluster_states(s, kept)[at];
		struct split_part part = {
			.acc = kept[at * vectors + vector], .max = state.x, .sum = state.y,
		};

		s->index = first + number;
		split_write(s, partials, head, vector, &part);
	}
}

/* Merges what all blocks have kept, each block its share of the vectors of the KV head, and writes
 * out and partials. */
INLINE_PIECE void cluster_finish(struct split *s, const struct split_launch *in, float4 *kept,
				 int rank, int used)
{
	int first = CLUSTER_FIRST(rank, used), count = CLUSTER_FIRST(rank + 1, used) - first;
	int vectors = s->D / 4, share = CLUSTER_SHARE(s->G, s->D), own = cluster_thread();
	int mine = rank * share;
	float4 merged = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	bool merges;

	cluster_sync();                 /* all partials are there */
	cluster_gather(s, kept, used, mine);
	cluster_arrive();
	__syncthreads();                /* all is gathered */
	mine += own;
	merges = own < share && mine < s->G * vectors;
	if (merges)
		merged = cluster_merge(s, used, mine / vectors, mine % vectors, own);
	grid_wait();
	if (merges)
		((float4 *)(in->out + s->row * s->D))[mine] = merged;
	cluster_publish(s, kept, first, count, in->partials);
	cluster_wait();                 /* the others have read what this block keeps */
}

INLINE_PIECE void cluster_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			      float *shared)
{
	int slot = blockIdx.y, kv_head = blockIdx.x, rank = (int)cluster_rank();
	int keys = max(in->seq_lens[slot], 0), each = (int)SPLIT_KEYS(keys);
	int used = SPLITS_USED(keys), first = CLUSTER_FIRST(rank, used);
	int end = CLUSTER_FIRST(rank + 1, used);
	struct split_source source;
	struct split s;
	float4 *kept;

	kept = (float4 *)split_place(&s, in, heads, shared, SOURCE_FLOATS(heads, in->D));
	/* The splits of a block follow each other, and a warp's tiles in them too: all but the last
	 * one have whole steps. */
	split_set(&s, in, slot, kv_head, first, min(first * each, keys), min(end * each, keys));
	source_begin(&source, &s, in, NULL, SOURCE_PLACES(heads, in->D), true, s.end == keys);
	for (int i = first; i < end; i++) {
		split_set(&s, in, slot, kv_head, i, i * each, min((i + 1) * each, keys));
		s.same = i > first;
		attend(&s, &source);
		cluster_keep(&s, kept, i - first);
	}
	cluster_finish(&s, in, kept, rank, used);
}

#endif
