/* user.h - what is put in front of anyone's .cu file when it is compiled for the simulator.
 *
 * CUDA's words for where code runs and for inlining stay in the text: sim/cu2c/rewrite.h takes host
 * functions out by the first, and replaces the others. The headers of the C library come first, since their declarations must not meet CUDA's
 * macros of the same names. All of it counts as a system header, so that only the user's own
 * text is judged.
 */
#ifndef SIM_USER_H
#define SIM_USER_H

#pragma GCC system_header

#define FLASHTWIN_USER

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __cplusplus
#include "sim/cuda/cuda_cpp.h"
#else
#include "sim/cuda/cuda_c.h"
#endif
#include "sim/cuda/include/cuda_runtime.h"

#undef __device__
#undef __host__
#undef __constant__
/* Headers of the C++ library have words of these names in attributes. */
#undef __forceinline__
#undef __noinline__

#endif
