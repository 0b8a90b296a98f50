/* fp4_convert.h - CUDA's conversions to and from 4-bit floats (E2M1), for cuda_fp4.h.
 *
 * The format has neither infinity nor NaN: 0, 0.5, 1, 1.5, 2, 3, 4, 6, and a sign. What is larger
 * becomes 6, and a NaN +6. Results are those of CUDA 13 (cuda_fp4.hpp) on the host;
 * test_fp8_toolkit.sh compares them.
 */
#ifndef SIM_FP4_CONVERT_H
#define SIM_FP4_CONVERT_H

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;

typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

/* Ties go to the even code. */
static inline __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t,
							enum cudaRoundMode rounding)
{
	const double values[] = { 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0 };
	const double a = fabs(x);
	unsigned code = 0;

	if (x != x)
		return 7;
	for (unsigned i = 1; i < 8; i++) {
		const double tie = (values[i - 1] + values[i]) / 2;

		if (rounding == cudaRoundNearest ? (i & 1 ? a > tie : a >= tie) : a >= values[i])
			code = i;
	}
	return (__nv_fp4_storage_t)(code | (std::signbit(x) ? 8 : 0));
}

static inline __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t kind,
						       enum cudaRoundMode rounding)
{
	return __nv_cvt_double_to_fp4(x, kind, rounding);
}

static inline __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x,
							 __nv_fp4_interpretation_t kind,
							 enum cudaRoundMode rounding)
{
	return __nv_cvt_float_to_fp4((float)__half(x), kind, rounding);
}

static inline __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x,
							     __nv_fp4_interpretation_t kind,
							     enum cudaRoundMode rounding)
{
	return __nv_cvt_float_to_fp4((float)__nv_bfloat16(x), kind, rounding);
}

#define FT_FP4_PAIR(name, T, convert, first, second) \
	static inline __nv_fp4x2_storage_t name(T x, __nv_fp4_interpretation_t kind, \
						enum cudaRoundMode rounding) \
	{ \
		return (__nv_fp4x2_storage_t)(convert(first, kind, rounding) \
					      | convert(second, kind, rounding) << 4); \
	}
FT_FP4_PAIR(__nv_cvt_double2_to_fp4x2, double2, __nv_cvt_double_to_fp4, x.x, x.y)
FT_FP4_PAIR(__nv_cvt_float2_to_fp4x2, float2, __nv_cvt_float_to_fp4, x.x, x.y)
FT_FP4_PAIR(__nv_cvt_halfraw2_to_fp4x2, __half2_raw, __nv_cvt_halfraw_to_fp4,
	    (__half_raw{ x.x }), (__half_raw{ x.y }))
FT_FP4_PAIR(__nv_cvt_bfloat16raw2_to_fp4x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp4,
	    (__nv_bfloat16_raw{ x.x }), (__nv_bfloat16_raw{ x.y }))
#undef FT_FP4_PAIR

static inline __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t)
{
	const unsigned short magnitudes[] = { 0, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4200, 0x4400,
					      0x4600 };

	return { (unsigned short)(magnitudes[x & 7] | (x & 8) << 12) };
}

static inline __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x,
						     __nv_fp4_interpretation_t kind)
{
	return { __nv_cvt_fp4_to_halfraw(x, kind).x,
		 __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x >> 4), kind).x };
}

#endif
