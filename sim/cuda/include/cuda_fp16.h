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
#define FT_EXPONENT 5
#define FT_FRACTION 10
#include "sim/cuda/float16/small_float_type.h"

FT_ELEMENT_IS(__half, "f16")
FT_ELEMENT_IS(__half2, "f16")

typedef __half half;
typedef __half2 half2;

#endif
