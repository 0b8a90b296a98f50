/* split_rule.h - where the keys of a sequence are split in the rungs of the ladder from 5 up.
 *
 * The boundaries depend on the length of the sequence only: a sequence has the same bits alone and
 * in any batch, whatever blocks its splits run in. Included by kernels and by the host.
 */
#ifndef SPLIT_RULE_H
#define SPLIT_RULE_H

#define SPLITS 16               /* most splits of a sequence */
#define SPLIT_UNIT 64           /* keys: one tile of SPLIT_TILE keys for each warp of a block */
#define SPLIT_TILE 8
#define SPLIT_WARPS 8
#define SPLIT_MAX_GROUP 16      /* query heads of a KV head */
#define SPLIT_MAX_DIM 256       /* head sizes are multiples of SPLIT_DIM_UNIT up to this */
#define SPLIT_DIM_UNIT 16

/* Keys per split of a sequence of `n` keys: even splits, rounded up to whole units. */
#define SPLIT_KEYS(n) \
	((n) <= SPLITS * SPLIT_UNIT ? (long long)SPLIT_UNIT \
	 : ((long long)(n) + SPLITS * SPLIT_UNIT - 1) / (SPLITS * SPLIT_UNIT) * SPLIT_UNIT)
/* How many splits have keys. */
#define SPLITS_USED(n) ((int)(((n) + SPLIT_KEYS(n) - 1) / SPLIT_KEYS(n)))

/* The query heads that a kernel has room for: 1, 2, 4, 8 or 16 for `G` query heads of a KV head. */
#define SPLIT_HEADS(G) ((G) <= 2 ? (G) : (G) <= 4 ? 4 : (G) <= 8 ? 8 : 16)

/* Floats of a block's shared memory: what comes before the tiles; the states of the warps, which
 * are merged where the tiles were; and the tiles of keys and values that the warps have in flight
 * if they copy them to shared memory. The tiles begin at a multiple of 128 bytes: bulk copies to
 * other places are slower. */
#define SPLIT_FLOATS(G, D) \
	((SPLIT_HEADS(G) * ((D) + SPLIT_WARPS * (3 + SPLIT_TILE)) + 31) / 32 * 32)
#define SPLIT_MERGE_FLOATS(G, D) (SPLIT_WARPS * SPLIT_HEADS(G) * (D))
#define SPLIT_STAGES(D) ((D) <= 128 ? 6 : 3)
#define SPLIT_RING_FLOATS(D) (SPLIT_WARPS * SPLIT_STAGES(D) * SPLIT_TILE * (D))

#endif
