/* curand_kernel.h - cuRAND's device interface for C++ files on the simulator: XORWOW and
 * Philox4_32_10 with uniform, normal, log-normal and Poisson numbers. Files without
 * kernels (.cpp) get the generators and their integers. */
#ifndef FLASHTWIN_CURAND_KERNEL_H
#define FLASHTWIN_CURAND_KERNEL_H
#define CURAND_KERNEL_H_        /* programs test it */

#ifndef __cplusplus
#error "curand_kernel.h needs C++"
#endif

#ifdef SIM_USER_H
#include "sim/cuda/random/poisson.h"
#else
#include "sim/cuda/include/cuda_runtime.h"
#include "sim/cuda/random/generators.h"
#endif

#endif
