/* split_cluster.cuh - the blocks of a cluster attend to the splits of a KV head and merge
 * them: rung 10.
 *
 * Included only by flash_decode_cluster.cu and its versions for other types of keys and values,
 * after they say which (kernels/split_element.cuh).
 */
#ifndef SPLIT_CLUSTER_CUH
#define SPLIT_CLUSTER_CUH

#define MERGES_IN_PLACE
#include "kernels/split.cuh"
#include "kernels/split_ring.cuh"
#include "kernels/split_kernel.cuh"
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
	int vectors = s->D / 4;

	for (int i = cluster_thread(); i < s->G * vectors; i += SPLIT_THREADS) {
		int head = i / vectors, vector = i % vectors;
		struct split_part part = split_merge_warps(s, head, vector);

		kept[(number * s->heads + head) * vectors + vector] = part.acc;
		if (vector == 0)
			cluster_states(s, kept)[number * s->heads + head]
				= make_float2(part.max, part.sum);
	}
}

/* Merges one vector of a query head, over `used` splits in the blocks of the cluster. All partials
 * are loaded before the first is used. */
INLINE_PIECE float4 cluster_merge(const struct split *s, float4 *kept, int used, int head,
				  int vector)
{
	struct split_parts parts;
	int rank = 0;

	if (used == 0)
		return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
	for (int i = 0; i < SPLITS; i++) {
		/* Past the last one, that one is loaded again. */
		int split = min(i, used - 1), at;
		const float4 *theirs;
		float4 acc;

		if (split == CLUSTER_FIRST(rank + 1, used))
			rank++;
		theirs = cluster_map(kept, rank);
		at = (split - CLUSTER_FIRST(rank, used)) * s->heads + head;
		parts.state[i] = cluster_states(s, theirs)[at];
		acc = theirs[at * (s->D / 4) + vector];
		parts.low[i] = make_float2(acc.x, acc.y);
		parts.high[i] = make_float2(acc.z, acc.w);
	}
	return split_merge_parts(&parts, used, vector);
}

/* Writes the partials of the block's splits, of which the first is split `first`. */
static __device__ void cluster_publish(struct split *s, const float4 *kept, int first, int count,
				       float *partials)
{
	int vectors = s->D / 4, each = s->G * vectors;

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
	int vectors = s->D / 4, share = CLUSTER_SHARE(s->G, s->D);
	int mine = rank * share + cluster_thread();
	bool merges = cluster_thread() < share && mine < s->G * vectors;
	float4 merged = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

	cluster_sync();                 /* all partials are there */
	if (merges)
		merged = cluster_merge(s, kept, used, mine / vectors, mine % vectors);
	cluster_arrive();
	grid_wait();
	if (merges)
		((float4 *)(in->out + s->row * s->D))[mine] = merged;
	cluster_publish(s, kept, first, count, in->partials);
	cluster_wait();                 /* the others have read what this block keeps */
}

INLINE_PIECE void cluster_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			      float *shared)
{
	__shared__ uint64_t landed[SPLIT_WARPS * RING_PLACES];
	int slot = blockIdx.y, kv_head = blockIdx.x, rank = (int)cluster_rank();
	int keys = max(in->seq_lens[slot], 0), each = (int)SPLIT_KEYS(keys);
	int used = SPLITS_USED(keys), first = CLUSTER_FIRST(rank, used);
	int end = CLUSTER_FIRST(rank + 1, used);
	struct split_source source;
	struct split s;
	float4 *kept;

	split_place(&s, in, heads, shared, CLUSTER_RING_FLOATS(heads, in->D));
	kept = (float4 *)(shared + CLUSTER_RING_FLOATS(heads, in->D)
			  + SPLIT_MERGE_FLOATS(heads, in->D) + SPLIT_FLOATS(heads, in->D));
	/* The splits of a block follow each other, and a warp's tiles in them too: all but the last
	 * one have whole steps. */
	split_set(&s, in, slot, kv_head, first, min(first * each, keys), min(end * each, keys));
	source_begin(&source, &s, in, NULL, CLUSTER_STAGES(heads, in->D), landed, true,
		     s.end == keys);
	for (int i = first; i < end; i++) {
		split_set(&s, in, slot, kv_head, i, i * each, min((i + 1) * each, keys));
		attend(&s, &source);
		cluster_keep(&s, kept, i - first);
	}
	cluster_finish(&s, in, kept, rank, used);
}

#endif
