/* split_rule.h - where the keys of a sequence are split in the rungs of the ladder from 5 up, and
 * how a block lays out its shared memory.
 *
 * The boundaries depend on the length of the sequence only: a sequence has the same bits alone and
 * in any batch, whatever blocks its splits run in. Included by kernels and by the host.
 */
#ifndef SPLIT_RULE_H
#define SPLIT_RULE_H

#define SPLITS 16               /* most splits of a sequence */
#define SPLIT_UNIT 128          /* keys; splits are multiples of it */
#define SPLIT_WARPS 8
#define SPLIT_KEYS_AT_ONCE 8    /* keys that a warp scores at once */
#define SPLIT_MAX_GROUP 16      /* query heads of a KV head */

/* Keys of a tile: what a warp attends to between two updates of its softmax. */
#define SPLIT_TILE(D) ((D) <= 128 ? 2 * SPLIT_KEYS_AT_ONCE : SPLIT_KEYS_AT_ONCE)
/* Keys from a warp's tile to its next: one tile for each warp. */
#define SPLIT_STEP(D) (SPLIT_WARPS * SPLIT_TILE(D))

/* Keys per split of a sequence of `n` keys: even splits, rounded up to whole units. */
#define SPLIT_KEYS(n) \
	((n) <= SPLITS * SPLIT_UNIT ? (long long)SPLIT_UNIT \
	 : ((long long)(n) + SPLITS * SPLIT_UNIT - 1) / (SPLITS * SPLIT_UNIT) * SPLIT_UNIT)
/* How many splits have keys. */
#define SPLITS_USED(n) ((int)(((n) + SPLIT_KEYS(n) - 1) / SPLIT_KEYS(n)))
/* With a window, a query sees the first `sinks` of `n` keys and the last `window`: how many keys in
 * between it does not see. Splits are those of the keys that it sees. No window: 0. */
#define SPLIT_GAP(n, window, sinks) \
	((window) > 0 && (n) - (window) > (sinks) ? (n) - (window) - (sinks) : 0)
/* The query heads that a kernel has room for: 1, 2, 4, 8 or 16 for `G` query heads of a KV head. */
#define SPLIT_HEADS(G) ((G) <= 2 ? (G) : (G) <= 4 ? 4 : (G) <= 8 ? 8 : 16)
/* Kernels with tensor cores have room for at least 4: below, their G. */
#define TENSOR_GROUP(G) ((G) < 4 ? 4 : (G))
/* The query head of a row of the scores' product and of a column of the sums': that of 2 * c and
 * 2 * c + 1 is c and c + 4, and so on from each 8th. The other way round, the row of a head. */
#define TENSOR_HEAD(row) ((row) / 8 * 8 + (row) % 2 * 4 + (row) % 8 / 2)
#define TENSOR_ROW(head) ((head) / 8 * 8 + (head) % 4 * 2 + (head) % 8 / 4)
/* Whether a warp keeps its part of the queries in registers. */
#define SPLIT_KEPT(G) (SPLIT_HEADS(G) <= 8)

/* Below, G may also be SPLIT_HEADS(G).
 *
 * Floats of a block's dynamic shared memory: what warps keep besides tiles, the states in which
 * they leave their parts of a split, and the tiles that they have in flight if they copy them to
 * shared memory. Tiles come first: they begin at multiples of 128 bytes, because bulk copies to
 * other places are slower. */
#define SPLIT_FLOATS(G, D) \
	(SPLIT_WARPS * SPLIT_HEADS(G) * (3 + SPLIT_TILE(D)) \
	 + (SPLIT_KEPT(G) ? 0 : SPLIT_HEADS(G) * (D)))
#define SPLIT_MERGE_FLOATS(G, D) (SPLIT_WARPS * SPLIT_HEADS(G) * (D))
#define SPLIT_STAGE_FLOATS(D) (SPLIT_WARPS * SPLIT_TILE(D) * (D))
#define SPLIT_RING_FLOATS(G, D) (SPLIT_STAGES(G, D) * SPLIT_STAGE_FLOATS(D))

/* Tiles that each warp has in flight: what fits into a block's shared memory of 227 KiB, less 1 KiB
 * for static variables and `more` floats, at most 6. The memory of one has room for 2 or 4 tiles
 * of smaller elements, of which there are at most 16: a warp has a barrier for each, which are
 * static. */
#define SPLIT_MAX_STAGES 6
#define SPLIT_MAX_PLACES 16
#define BLOCK_BYTES (226 << 10)
#define SPLIT_STAGES_THAT_FIT(G, D, more) \
	((BLOCK_BYTES / 4 - SPLIT_FLOATS(G, D) - SPLIT_MERGE_FLOATS(G, D) - (more)) \
	 / SPLIT_STAGE_FLOATS(D))
#define SPLIT_STAGES_BESIDE(G, D, more) \
	(SPLIT_STAGES_THAT_FIT(G, D, more) < SPLIT_MAX_STAGES ? SPLIT_STAGES_THAT_FIT(G, D, more) \
	 : SPLIT_MAX_STAGES)
#define SPLIT_STAGES(G, D) SPLIT_STAGES_BESIDE(G, D, 0)

/* Tiles of elements of `size` bytes that a warp has in flight on tensor cores: what fits into
 * `bytes` of a block's shared memory beside what warps keep and leave, an even number of
 * at most 16. At least 2, in clusters where CLUSTER_STAGES is at least 2. */
#define TENSOR_FLOATS(G, D) \
	(SPLIT_WARPS * SPLIT_HEADS(G) * 2 + (SPLIT_KEPT(G) ? 0 : SPLIT_HEADS(G) * (D)) \
	 + SPLIT_MERGE_FLOATS(G, D))
#define TENSOR_PLACE(D, size) (SPLIT_STAGE_FLOATS(D) * (size))  /* bytes, for all warps */
#define TENSOR_PLACES_THAT_FIT(G, D, size, bytes) \
	(((bytes) - 4 * TENSOR_FLOATS(G, D)) / TENSOR_PLACE(D, size) / 2 * 2)
#define TENSOR_PLACES(G, D, size, bytes) \
	(TENSOR_PLACES_THAT_FIT(G, D, size, bytes) < SPLIT_MAX_PLACES \
	 ? TENSOR_PLACES_THAT_FIT(G, D, size, bytes) : SPLIT_MAX_PLACES)

/* Where two blocks run on a multiprocessor, for head sizes up to PAIR_MAX_D and SPLIT_KEPT groups,
 * each has half of its 228 KiB, less 1 KiB and what is for static variables. */
#define PAIR_MAX_D 128
#define PAIR_BYTES ((113 << 10) - 256)

/* How the blocks of a cluster share the splits of a sequence and KV head: the first split of block
 * `rank`, of `used` that have keys. The block has those before the first one of the next block, and
 * keeps their partials, D + 2 floats for each query head, in its shared memory. */
#define CLUSTER_BLOCKS 8
#define CLUSTER_FIRST(rank, used) \
	((used) > CLUSTER_BLOCKS ? (rank) * (used) / CLUSTER_BLOCKS \
	 : (rank) < (used) ? (rank) : (used))
/* Which block has a split. */
#define CLUSTER_RANK(split, used) \
	((used) > CLUSTER_BLOCKS ? ((split) * CLUSTER_BLOCKS + CLUSTER_BLOCKS - 1) / (used) \
	 : (split))
#define CLUSTER_SPLITS (SPLITS / CLUSTER_BLOCKS)        /* most splits of a block */
/* Vectors of 4 elements of the KV head's output that each block merges, in order, a thread each. */
#define CLUSTER_SHARE(G, D) (((G) * ((D) / 4) + CLUSTER_BLOCKS - 1) / CLUSTER_BLOCKS)
#define CLUSTER_FLOATS(G, D) (CLUSTER_SPLITS * SPLIT_HEADS(G) * ((D) + 2))
#define CLUSTER_STAGES(G, D) SPLIT_STAGES_BESIDE(G, D, CLUSTER_FLOATS(G, D))
#define CLUSTER_RING_FLOATS(G, D) (CLUSTER_STAGES(G, D) * SPLIT_STAGE_FLOATS(D))

#endif
