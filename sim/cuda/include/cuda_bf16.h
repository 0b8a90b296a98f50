/* cuda_bf16.h - bfloat16 for C++ files on the simulator: __nv_bfloat16 and
 * __nv_bfloat162, their conversions, arithmetic and comparison. */
#ifndef FLASHTWIN_CUDA_BF16_H
#define FLASHTWIN_CUDA_BF16_H

#ifndef __cplusplus
#error "cuda_bf16.h needs C++"
#endif

#include "sim/cuda/float16/small_float.h"

#define FT_NAME bfloat16
#define FT_T __nv_bfloat16
#define FT_RAW __nv_bfloat16_raw
#define FT_T2 __nv_bfloat162
#define FT_EXPONENT 8
#define FT_FRACTION 7
#include "sim/cuda/float16/small_float_type.h"

FT_ELEMENT_IS(__nv_bfloat16, "bf16")
FT_ELEMENT_IS(__nv_bfloat162, "bf16")

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif
