/* split_tensor_kernel.cuh - a block attends to one split of the keys of a sequence and one KV head,
 * on tensor cores, for all query heads of that KV head, with eight warps.
 *
 * The arithmetic of the rungs of the ladder from 7 up, with keys and values of f16, bf16 or e4m3:
 * takes the place of split_kernel.cuh, which says what the kernel must include first.
 */
#ifndef SPLIT_TENSOR_KERNEL_CUH
#define SPLIT_TENSOR_KERNEL_CUH

#include "kernels/tensor_element.cuh"

#define CONCAT_(name, passes, size) split_##name##_##passes##_##size
#define CONCAT(name, passes, size) CONCAT_(name, passes, size)
#define SPLIT_FN(name) CONCAT(name, PASSES, DIM)

#define PASSES 1
#include "kernels/split_tensor_sizes.cuh"
#define PASSES 2
#include "kernels/split_tensor_sizes.cuh"
#define PASSES 4
#include "kernels/split_tensor_sizes.cuh"

/* Calls run(in, heads, attend, shared) with the query heads that there is memory for, and the
 * function of the shape in *in, as in split_kernel.cuh. */
#define SPLIT_SHAPE(in) \
	(5 * (((in)->H > 4 * (in)->Hkv) + ((in)->H > 8 * (in)->Hkv)) \
	 + ((in)->D > 64) + ((in)->D > 80) + ((in)->D > 96) + ((in)->D > 128))
#define SPLIT_CASE(run, in, number, passes, size) \
	case (number): \
		(in)->D = size; \
		run((in), 4 * (passes), split_attend_##passes##_##size, shared); \
		break
#define SPLIT_SIZES(run, in, first, passes) \
	SPLIT_CASE(run, in, (first), passes, 64); \
	SPLIT_CASE(run, in, (first) + 1, passes, 80); \
	SPLIT_CASE(run, in, (first) + 2, passes, 96); \
	SPLIT_CASE(run, in, (first) + 3, passes, 128); \
	SPLIT_CASE(run, in, (first) + 4, passes, 256)
#define SPLIT_DISPATCH(run, in) do { \
	switch (SPLIT_SHAPE(in)) { \
	SPLIT_SIZES(run, in, 0, 1); \
	SPLIT_SIZES(run, in, 5, 2); \
	SPLIT_SIZES(run, in, 10, 4); \
	} \
} while (0)

#endif
