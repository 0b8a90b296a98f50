/* split_kernel.cuh - a block attends to one split of the keys of a sequence and one KV head, for
 * all query heads of that KV head, with eight warps.
 *
 * The arithmetic of the rungs of the ladder from 5 up: they have the same bits and differ in how
 * keys and values reach the warps, and in which blocks attend to which splits. The kernel that
 * includes this file defines first, after kernels/split.cuh:
 *   struct split_source    the state of a warp's loads
 *   split_tile             where a tile is
 *   source_wait(source, rows, key, D)   the tile at `key` of s->k or s->v; keys and values are
 *                          asked for in turn
 *   split_row(tile, i, D)  row `i` of a tile, as vectors
 *   source_release(source, D)           after a __syncwarp(): the tile asked for last is not needed
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

/* The function of a shape that attends to a split, with a warp's source of tiles, and leaves the
 * states of the warps in s->merged. All threads of the block must call it. */
typedef void split_attend_fn(const struct split *s, struct split_source *source);

/* Calls run(in, heads, attend, shared) with the room for query heads and the function of the shape
 * in *in. A GPU's compiler needs both and the head size as constants, for loops without branches;
 * the simulator's gets the same bits with fewer functions. */
#define SPLIT_RUN(run, in, group, heads, size, dim) do { \
	(in)->D = dim; \
	run((in), heads, split_attend_##group##_##size, shared); \
} while (0)
#ifdef __CUDACC__
#define SPLIT_SIZES(run, in, group, heads) do { \
	if ((in)->D == 64) \
		SPLIT_RUN(run, in, group, heads, 64, 64); \
	else if ((in)->D == 80) \
		SPLIT_RUN(run, in, group, heads, 80, 80); \
	else if ((in)->D == 96) \
		SPLIT_RUN(run, in, group, heads, 96, 96); \
	else if ((in)->D == 128) \
		SPLIT_RUN(run, in, group, heads, 128, 128); \
	else \
		SPLIT_RUN(run, in, group, heads, 256, 256); \
} while (0)
#else
#define SPLIT_SIZES(run, in, group, heads) do { \
	if ((in)->D == 64) \
		SPLIT_RUN(run, in, group, heads, small, 64); \
	else if ((in)->D <= 128) \
		SPLIT_RUN(run, in, group, heads, medium, (in)->D); \
	else \
		SPLIT_RUN(run, in, group, heads, large, 256); \
} while (0)
#endif
#define SPLIT_DISPATCH(run, in) do { \
	if ((in)->H <= (in)->Hkv) \
		SPLIT_SIZES(run, in, 1x1, 1); \
	else if ((in)->H <= 2 * (in)->Hkv) \
		SPLIT_SIZES(run, in, 2x1, 2); \
	else if ((in)->H <= 4 * (in)->Hkv) \
		SPLIT_SIZES(run, in, 4x1, 4); \
	else if ((in)->H <= 8 * (in)->Hkv) \
		SPLIT_SIZES(run, in, 4x2, 8); \
	else \
		SPLIT_SIZES(run, in, 4x4, 16); \
} while (0)

#endif
