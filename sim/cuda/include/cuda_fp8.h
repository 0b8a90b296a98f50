/* cuda_fp8.h - 8-bit floats for C++ files on the simulator: __nv_fp8_e4m3 and __nv_fp8_e5m2, their
 * vectors, and conversions. Of e8m0 only the conversions to bfloat16 are there. */
#ifndef FLASHTWIN_CUDA_FP8_H
#define FLASHTWIN_CUDA_FP8_H

#ifndef __cplusplus
#error "cuda_fp8.h needs C++"
#endif

#include "sim/cuda/include/cuda_bf16.h"
#include "sim/cuda/include/cuda_fp16.h"

#include "sim/cuda/float8/fp8_convert.h"

#define FT_T __nv_fp8_e4m3
#define FT_T2 __nv_fp8x2_e4m3
#define FT_T4 __nv_fp8x4_e4m3
#define FT_KIND __NV_E4M3
#include "sim/cuda/float8/fp8_type.h"

#define FT_T __nv_fp8_e5m2
#define FT_T2 __nv_fp8x2_e5m2
#define FT_T4 __nv_fp8x4_e5m2
#define FT_KIND __NV_E5M2
#include "sim/cuda/float8/fp8_type.h"

#endif
