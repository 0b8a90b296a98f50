/* curand_kernel.h - cuRAND's device interface for C++ files on the simulator: XORWOW and
 * Philox4_32_10 with uniform, normal, log-normal and Poisson numbers (Poisson numbers and
 * normal numbers of double are not measured on a GPU). */
#ifndef FLASHTWIN_CURAND_KERNEL_H
#define FLASHTWIN_CURAND_KERNEL_H
#define CURAND_KERNEL_H_        /* programs test it */

#ifndef __cplusplus
#error "curand_kernel.h needs C++"
#endif

#include "sim/cuda/random/poisson.h"

#endif
