/* kernel.h - the macros that kernel sources use in addition to CUDA C: KERNEL and POINT.
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

#endif
