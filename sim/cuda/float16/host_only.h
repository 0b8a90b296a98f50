/* host_only.h - what the 16-bit floats need in a .cpp file of a program, which has no kernels.
 *
 * Such a file is compiled without sim/cuda/program.h. CUDA's qualifiers mean nothing there.
 */
#ifndef SIM_HOST_ONLY_H
#define SIM_HOST_ONLY_H

#ifndef CUDA_C_H
#include "sim/cuda/user.h"
#undef __global__
#define __host__
#define __device__
#define __global__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#endif

#endif
