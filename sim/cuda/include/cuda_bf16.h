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
#define FT_RAW2 __nv_bfloat162_raw
#define FT_EXPONENT 8
#define FT_FRACTION 7
#include "sim/cuda/float16/small_float_type.h"
#include "sim/cuda/float16/bfloat16_math.h"
#define FT_PAIR __nv_bfloat162
#include "sim/cuda/float16/small_float_pair.h"

#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)

FT_ELEMENT_IS(__nv_bfloat16, "bf16")
FT_ELEMENT_IS(__nv_bfloat162, "bf16")

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif
