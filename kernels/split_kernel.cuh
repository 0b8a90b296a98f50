/* split_kernel.cuh - a block attends to one split of the keys of a sequence and one KV head, for
 * all query heads of that KV head, with eight warps.
 *
 * The arithmetic of the rungs of the ladder from 5 up: they have the same bits and differ in how
 * keys and values reach the warps. The kernel that includes this file defines that first, after
 * kernels/split.cuh:
 *   struct split_source    the state of a warp's loads
 *   source_begin(source, split, D)      before the first tile
 *   source_wait(source, rows, key, D)   the tile at `key` of s->k or s->v, as vectors; keys and
 *                          values are asked for in turn
 *   source_release(source, split, D)    after a __syncwarp(): the tile asked for last is not needed
 */
#ifndef SPLIT_KERNEL_CUH
#define SPLIT_KERNEL_CUH

#define CONCAT_(name, heads, passes, size) split_##name##_##heads##x##passes##_##size
#define CONCAT(name, heads, passes, size) CONCAT_(name, heads, passes, size)
#define SPLIT_FN(name) CONCAT(name, HEADS, PASSES, SIZE)

#define HEADS 1
#define PASSES 1
#include "kernels/split_sizes.cuh"
#define HEADS 2
#define PASSES 1
#include "kernels/split_sizes.cuh"
#define HEADS 4
#define PASSES 1
#include "kernels/split_sizes.cuh"
#define HEADS 4
#define PASSES 2
#include "kernels/split_sizes.cuh"
#define HEADS 4
#define PASSES 4
#include "kernels/split_sizes.cuh"

/* A GPU's compiler needs head sizes as constants, for loops without branches. The simulator's gets
 * the same bits with fewer functions. */
#ifdef __CUDACC__
#define SPLIT_SHAPE(group) do { \
	if (s->D == 64) \
		split_attend_##group##_64(s); \
	else if (s->D == 80) \
		split_attend_##group##_80(s); \
	else if (s->D == 96) \
		split_attend_##group##_96(s); \
	else if (s->D == 128) \
		split_attend_##group##_128(s); \
	else \
		split_attend_##group##_256(s); \
} while (0)
#else
#define SPLIT_SHAPE(group) do { \
	if (s->D <= 128) \
		split_attend_##group##_small(s); \
	else \
		split_attend_##group##_large(s); \
} while (0)
#endif

/* Attends to the split with the functions for its shape. All threads of the block must call it. */
INLINE_PIECE void split_attend(const struct split *s)
{
	switch (s->heads) {
	case 1:
		SPLIT_SHAPE(1x1);
		break;
	case 2:
		SPLIT_SHAPE(2x1);
		break;
	case 4:
		SPLIT_SHAPE(4x1);
		break;
	case 8:
		SPLIT_SHAPE(4x2);
		break;
	default:
		SPLIT_SHAPE(4x4);
	}
}

/* Attends to the block's split and publishes its partials. False if it has no keys. All threads of
 * the block must call it; `shared` is 16-byte aligned, and has room as split_rule.h says. */
INLINE_PIECE bool split_run(struct split *s, float *shared, float *partials)
{
	if (s->begin >= s->end) {
		split_publish_empty(s, partials);
		return false;
	}
	split_place(s, shared);
	split_attend(s);
	split_publish(s, partials);
	return true;
}

#endif
