/* prefill_rule.h - the tiles of attention_prefill_tiled for each head size (head_sizes.h).
 *
 * The order of a row's arithmetic depends on the head size only: key tiles begin at multiples of
 * PREFILL_KEYS, whatever the row and the launch. Included by the kernel and by the host.
 */
#ifndef PREFILL_RULE_H
#define PREFILL_RULE_H

/* A warp has 8 query rows in each of 1, 2 or 4 groups of lanes; the lanes of a group share its
 * keys and the elements of its output. */
#define PREFILL_GROUPS(D) ((D) > 128 ? 1 : (D) > 96 ? 2 : 4)
#define PREFILL_LANES(D) (32 / PREFILL_GROUPS(D))
#define PREFILL_WARPS(D) ((D) > 128 ? 8 : 4)
#define PREFILL_THREADS(D) (32 * PREFILL_WARPS(D))
/* The keys of a tile that one lane owns. */
#define PREFILL_OWN(D) ((D) > 128 ? 2 : 4)

/* Query rows of a block, and keys of a tile. */
#define PREFILL_ROWS(D) (8 * PREFILL_GROUPS(D) * PREFILL_WARPS(D))
#define PREFILL_KEYS(D) (PREFILL_LANES(D) * PREFILL_OWN(D))

/* Floats of a row in shared memory, and of all of it: queries, keys, values, weights. */
#define PREFILL_PADDED(D) (((D) + 31) / 32 * 32)
#define PREFILL_FLOATS(D) \
	((PREFILL_ROWS(D) + 2 * PREFILL_KEYS(D)) * PREFILL_PADDED(D) \
	 + PREFILL_ROWS(D) * PREFILL_KEYS(D))

#endif
