/* split_tensor_kernel.cuh - a block attends to one split of the keys of a sequence and one KV head,
 * on tensor cores, for all query heads of that KV head, with eight warps.
 *
 * The arithmetic of the rungs of the ladder from 7 up, with keys and values of f16, bf16 or e4m3:
 * takes the place of split_kernel.cuh. The kernel defines SPLIT_TENSOR and includes first what
 * includes split_lanes.cuh, which brings the tiles. Dynamic shared memory is SOURCE_FLOATS and
 * TENSOR_FLOATS, and in clusters CLUSTER_FLOATS. With SPLIT_PAIR two blocks run on a
 * multiprocessor: for more than 8 query heads of a KV head and a head size of 256, half of its
 * registers are too few.
 */
#ifndef SPLIT_TENSOR_KERNEL_CUH
#define SPLIT_TENSOR_KERNEL_CUH

#include "kernels/tensor_element.cuh"

#define CONCAT_(name, passes, size) split_##name##_##passes##_##size
#define CONCAT(name, passes, size) CONCAT_(name, passes, size)
#define SPLIT_FN(name) CONCAT(name, PASSES, SIZE)

#define PASSES 1
#include "kernels/split_tensor_sizes.cuh"
#define PASSES 2
#include "kernels/split_tensor_sizes.cuh"
#ifndef SPLIT_PAIR
#define PASSES 4
#include "kernels/split_tensor_sizes.cuh"
#endif

/* Calls run(in, heads, attend, shared) with the query heads that there is memory for, and the
 * function of the shape in *in, as in split_kernel.cuh. */
#define SPLIT_SHAPE(in) \
	(5 * (((in)->H > 4 * (in)->Hkv) + ((in)->H > 8 * (in)->Hkv)) \
	 + ((in)->D > 64) + ((in)->D > 80) + ((in)->D > 96) + ((in)->D > 128))
#define SPLIT_RUN(run, in, passes, size, dim) \
		(in)->D = dim; \
		run((in), 4 * (passes), split_attend_##passes##_##size, shared); \
		break
#if defined(__CUDACC__) && !defined(FLASHTWIN_SIM)
#define SPLIT_SIZES(run, in, first, passes) \
	case (first): \
		SPLIT_RUN(run, in, passes, 64, 64); \
	case (first) + 1: \
		SPLIT_RUN(run, in, passes, 80, 80); \
	case (first) + 2: \
		SPLIT_RUN(run, in, passes, 96, 96); \
	case (first) + 3: \
		SPLIT_RUN(run, in, passes, 128, 128)
#else
#define SPLIT_SIZES(run, in, first, passes) \
	case (first): \
	case (first) + 1: \
	case (first) + 2: \
	case (first) + 3: \
		SPLIT_RUN(run, in, passes, medium, (in)->D)
#endif
#ifdef SPLIT_PAIR
#define SPLIT_DISPATCH(run, in) do { \
	switch (SPLIT_SHAPE(in)) { \
	SPLIT_SIZES(run, in, 0, 1); \
	SPLIT_SIZES(run, in, 5, 2); \
	} \
} while (0)
#else
#define SPLIT_LARGE(run, in, first, passes) \
	case (first) + 4: \
		SPLIT_RUN(run, in, passes, 256, 256)
#define SPLIT_DISPATCH(run, in) do { \
	switch (SPLIT_SHAPE(in)) { \
	SPLIT_SIZES(run, in, 0, 1); \
	SPLIT_LARGE(run, in, 0, 1); \
	SPLIT_SIZES(run, in, 5, 2); \
	SPLIT_LARGE(run, in, 5, 2); \
	SPLIT_SIZES(run, in, 10, 4); \
	SPLIT_LARGE(run, in, 10, 4); \
	} \
} while (0)
#endif

#endif
