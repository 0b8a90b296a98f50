/* user.h - included before a user's .cu file when it is compiled for the simulator.
 *
 * Leaves CUDA's execution-space and inlining qualifiers in the text: the rewriter removes host
 * functions by the former, and replaces the latter. The C library's headers come first, because
 * CUDA's macros would break their declarations. This is a system header, so that warnings and
 * errors are about the user's own text.
 */
#ifndef SIM_USER_H
#define SIM_USER_H

#pragma GCC system_header

#define FLASHTWIN_USER

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __cplusplus
#include <ctime>                /* it undefines clock */
#endif

/* Before the built-ins, whose names are those of fields and parameters there. */
#include "sim/cuda/include/cuda_runtime.h"

#ifdef __cplusplus
#include "sim/cuda/cuda_cpp.h"
#ifndef FLASHTWIN_HOST
#include "sim/cuda/ptx.h"
#endif
#else
#include "sim/cuda/cuda_c.h"
#endif

#undef __device__
#undef __host__
#undef __constant__
/* Headers of the C++ library use these names in attributes. */
#undef __forceinline__
#undef __noinline__

#endif
