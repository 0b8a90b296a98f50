/* cuda_fp4.h - 4-bit floats for C++ files on the simulator: __nv_fp4_e2m1, its vectors, and
 * conversions from half, bfloat16, float and double, and to half and float. */
#ifndef FLASHTWIN_CUDA_FP4_H
#define FLASHTWIN_CUDA_FP4_H

#include "sim/cuda/include/cuda_fp8.h"

#include "sim/cuda/float8/fp4_convert.h"

struct __nv_fp4_e2m1 {
	__nv_fp4_storage_t __x;

	__nv_fp4_e2m1() = default;
	explicit __nv_fp4_e2m1(__half v) : __nv_fp4_e2m1((float)v) { }
	explicit __nv_fp4_e2m1(__nv_bfloat16 v) : __nv_fp4_e2m1((float)v) { }
	explicit __nv_fp4_e2m1(float v)
		: __x(__nv_cvt_float_to_fp4(v, __NV_E2M1, cudaRoundNearest)) { }
	explicit __nv_fp4_e2m1(double v)
		: __x(__nv_cvt_double_to_fp4(v, __NV_E2M1, cudaRoundNearest)) { }
	explicit operator __half() const { return __nv_cvt_fp4_to_halfraw(__x, __NV_E2M1); }
	explicit operator float() const { return (float)(__half)*this; }
	explicit operator double() const { return (float)*this; }
	explicit operator bool() const { return (__x & 7) != 0; }
};

struct __nv_fp4x2_e2m1 {
	__nv_fp4x2_storage_t __x;

	__nv_fp4x2_e2m1() = default;
	explicit __nv_fp4x2_e2m1(__half2 v) : __nv_fp4x2_e2m1(__half22float2(v)) { }
	explicit __nv_fp4x2_e2m1(__nv_bfloat162 v) : __nv_fp4x2_e2m1(__bfloat1622float2(v)) { }
	explicit __nv_fp4x2_e2m1(float2 v)
		: __x(__nv_cvt_float2_to_fp4x2(v, __NV_E2M1, cudaRoundNearest)) { }
	explicit __nv_fp4x2_e2m1(double2 v)
		: __x(__nv_cvt_double2_to_fp4x2(v, __NV_E2M1, cudaRoundNearest)) { }
	explicit operator __half2() const { return __nv_cvt_fp4x2_to_halfraw2(__x, __NV_E2M1); }
	explicit operator float2() const { return __half22float2((__half2)*this); }
};

struct __attribute__((aligned(2))) __nv_fp4x4_e2m1 {
	__nv_fp4x4_storage_t __x;

	__nv_fp4x4_e2m1() = default;
	explicit __nv_fp4x4_e2m1(__half2 low, __half2 high)
		: __nv_fp4x4_e2m1(__nv_fp4x2_e2m1(low), __nv_fp4x2_e2m1(high)) { }
	explicit __nv_fp4x4_e2m1(__nv_bfloat162 low, __nv_bfloat162 high)
		: __nv_fp4x4_e2m1(__nv_fp4x2_e2m1(low), __nv_fp4x2_e2m1(high)) { }
	explicit __nv_fp4x4_e2m1(float4 v)
		: __nv_fp4x4_e2m1(__nv_fp4x2_e2m1(make_float2(v.x, v.y)),
				  __nv_fp4x2_e2m1(make_float2(v.z, v.w))) { }
	explicit operator float4() const
	{
		float2 low = __half22float2(__nv_cvt_fp4x2_to_halfraw2((__nv_fp4x2_storage_t)__x,
								       __NV_E2M1));
		float2 high = __half22float2(__nv_cvt_fp4x2_to_halfraw2(
			(__nv_fp4x2_storage_t)(__x >> 8), __NV_E2M1));

		return make_float4(low.x, low.y, high.x, high.y);
	}
private:
	__nv_fp4x4_e2m1(__nv_fp4x2_e2m1 low, __nv_fp4x2_e2m1 high)
		: __x((__nv_fp4x4_storage_t)(low.__x | high.__x << 8)) { }
};

#endif
