/* split_kernel.cuh - a block attends to one split of the keys of a sequence and one KV head, for
 * all query heads of that KV head, with eight warps.
 *
 * The arithmetic of the rungs of the ladder from 5 up, unless they use tensor cores
 * (split_tensor_kernel.cuh): they have the same bits and differ in how keys and values reach the
 * warps, and in which blocks attend to which splits. The kernel includes first what defines, after
 * kernels/split.cuh:
 *   struct split_source    the state of a warp's loads
 *   split_tile             where a tile is
 *   source_wait(source, rows, key, D)   the tile at `key` of s->k or s->v; keys and values are
 *                          asked for in turn
 *   split_row(tile, i, D)  row `i` of a tile, as vectors
 *   source_release(source)              after a __syncwarp(): the tile asked for last is not needed
 *   source_fill(source, D)              after the warp's last tile of a split
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

/* Calls run(in, heads, attend, shared) with the room for query heads and the function of the shape
 * in *in. A GPU's compiler needs both and the head size as constants, for loops without branches;
 * the simulator's gets the same bits with fewer functions. The shapes are cases of one switch: the
 * code of each is so long that a branch past it waits for instructions. */
#define SPLIT_RUN(run, in, group, heads, size, dim) do { \
	(in)->D = dim; \
	run((in), heads, split_attend_##group##_##size, shared); \
} while (0)
#define SPLIT_SHAPE(in) \
	(5 * (((in)->H > (in)->Hkv) + ((in)->H > 2 * (in)->Hkv) + ((in)->H > 4 * (in)->Hkv) \
	      + ((in)->H > 8 * (in)->Hkv)) \
	 + ((in)->D > 64) + ((in)->D > 80) + ((in)->D > 96) + ((in)->D > 128))
#if defined(__CUDACC__) && !defined(FLASHTWIN_SIM)
#define SPLIT_SIZES(run, in, first, group, heads) \
	case (first): \
		SPLIT_RUN(run, in, group, heads, 64, 64); \
		break; \
	case (first) + 1: \
		SPLIT_RUN(run, in, group, heads, 80, 80); \
		break; \
	case (first) + 2: \
		SPLIT_RUN(run, in, group, heads, 96, 96); \
		break; \
	case (first) + 3: \
		SPLIT_RUN(run, in, group, heads, 128, 128); \
		break; \
	case (first) + 4: \
		SPLIT_RUN(run, in, group, heads, 256, 256); \
		break
#else
#define SPLIT_SIZES(run, in, first, group, heads) \
	case (first): \
		SPLIT_RUN(run, in, group, heads, small, 64); \
		break; \
	case (first) + 1: \
	case (first) + 2: \
	case (first) + 3: \
		SPLIT_RUN(run, in, group, heads, medium, (in)->D); \
		break; \
	case (first) + 4: \
		SPLIT_RUN(run, in, group, heads, large, 256); \
		break
#endif
#define SPLIT_DISPATCH(run, in) do { \
	switch (SPLIT_SHAPE(in)) { \
	SPLIT_SIZES(run, in, 0, 1x1, 1); \
	SPLIT_SIZES(run, in, 5, 2x1, 2); \
	SPLIT_SIZES(run, in, 10, 4x1, 4); \
	SPLIT_SIZES(run, in, 15, 4x2, 8); \
	SPLIT_SIZES(run, in, 20, 4x4, 16); \
	} \
} while (0)

#endif
