/* kernel.h - the few words a kernel source needs beside CUDA C itself.
 *
 * A kernel is plain CUDA C. nvcc builds it for the GPU; the simulator's compiler builds the same text
 * (see sim/cuda/cuda_c.h for the CUDA words it understands). This header adds only KERNEL and POINT.
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
