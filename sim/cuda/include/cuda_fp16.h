/* cuda_fp16.h - half precision for C++ files on the simulator: __half and
 * __half2, their conversions, arithmetic and comparison. */
#ifndef FLASHTWIN_CUDA_FP16_H
#define FLASHTWIN_CUDA_FP16_H

#ifndef __cplusplus
#error "cuda_fp16.h needs C++"
#endif

#include "sim/cuda/float16/small_float.h"

#define FT_NAME half
#define FT_T __half
#define FT_RAW __half_raw
#define FT_T2 __half2
#define FT_RAW2 __half2_raw
#define FT_EXPONENT 5
#define FT_FRACTION 10
#include "sim/cuda/float16/small_float_type.h"
#include "sim/cuda/float16/half_math.h"
#define FT_PAIR __half2
#include "sim/cuda/float16/small_float_pair.h"

#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)

FT_ELEMENT_IS(__half, "f16")
FT_ELEMENT_IS(__half2, "f16")

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#endif
