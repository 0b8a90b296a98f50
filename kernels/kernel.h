/* kernel.h - the macros that kernel sources use in addition to CUDA C: KERNEL, INLINE_PIECE, POINT,
 * and, in the simulator's unchecked kernels, FOUR_FMAF and BUTTERFLY.
 *
 * A kernel is plain CUDA C. nvcc builds it for the GPU, and the system's compiler builds the same
 * source for the simulator, with the CUDA built-ins of sim/cuda/cuda_c.h.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "kernels/points.h"

#ifdef __cplusplus
#define KERNEL extern "C" __global__ void
#else
#define KERNEL __global__ void
#endif

/* A piece of a kernel; on a GPU inlined, or its arrays would not stay in registers. */
#if defined(__CUDACC__) && !defined(FLASHTWIN_SIM)
#define INLINE_PIECE static __device__ __forceinline__
#elif defined(__CUDACC__)
#define INLINE_PIECE static __device__ __attribute__((noinline, unused))
#else
#define INLINE_PIECE static __attribute__((noinline, unused))
#endif

/* fmaf() of four floats each; not defined everywhere. The checker follows single floats. */
#if defined(FLASHTWIN_SIM) && !defined(FLASHTWIN_CHECK) && !defined(__clang__)
#if defined(__x86_64__) && defined(__FMA__)
#define FOUR_FMAF(a, b, c) __builtin_ia32_vfmaddps((a), (b), (c))
#elif defined(__aarch64__)
#define FOUR_FMAF(a, b, c) __builtin_aarch64_fmav4sf((a), (b), (c))
#endif
typedef float four_floats __attribute__((vector_size(16), may_alias));
#endif

/* The maximum or the sum of a float of each lane, as five shuffles give it, at one meeting of the
 * warp. The checker sees the shuffles. */
#if defined(FLASHTWIN_SIM) && !defined(FLASHTWIN_CHECK)
#define BUTTERFLY(kind, x) ft_butterfly(FT_SITE("__shfl_xor_sync"), FT_BUTTERFLY_##kind, (x))
#endif

#endif
