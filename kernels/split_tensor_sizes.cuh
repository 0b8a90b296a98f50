/* split_tensor_sizes.cuh - split_tensor.cuh for each head size; see split_tensor_kernel.cuh.
 *
 * Included only by split_tensor_kernel.cuh, which defines PASSES. The simulator gets the same bits
 * with fewer functions.
 */
#if defined(__CUDACC__) && !defined(FLASHTWIN_SIM)
#define SIZE 64
#define DIM 64
#define DIM_MAX 64
#include "kernels/split_tensor.cuh"
#define SIZE 80
#define DIM 80
#define DIM_MAX 80
#include "kernels/split_tensor.cuh"
#define SIZE 96
#define DIM 96
#define DIM_MAX 96
#include "kernels/split_tensor.cuh"
#define SIZE 128
#define DIM 128
#define DIM_MAX 128
#include "kernels/split_tensor.cuh"
#else
#define SIZE medium
#define DIM s->D
#define DIM_MAX 128
#include "kernels/split_tensor.cuh"
#endif
#ifndef SPLIT_PAIR
#define SIZE 256
#define DIM 256
#define DIM_MAX 256
#include "kernels/split_tensor.cuh"
#endif
#undef PASSES
