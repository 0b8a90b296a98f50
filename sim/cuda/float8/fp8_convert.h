/* fp8_convert.h - CUDA's conversions to and from 8-bit floats, for cuda_fp8.h.
 *
 * E4M3 has no infinity: its largest code is NaN, the result of an overflow unless it saturates.
 * Formats and results are those of CUDA 13 (cuda_fp8.hpp). Every half was converted on an H200, by
 * way of float and of double: the bits are the same, with a NaN as in small_float.h. An integer is
 * first rounded to float, as there. base/math/narrow_float.h converts E4M3 for the project's own
 * kernels, in C and in integers; tests/tui/launch/test_launch_fp8.sh compares the two.
 */
#ifndef SIM_FP8_CONVERT_H
#define SIM_FP8_CONVERT_H

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* --- to 8 bits, rounding to nearest even --- */

/* A NaN of double keeps its sign and, in E5M2, two bits of its fraction. */
static inline __nv_fp8_storage_t ft_fp8_nan(double x, __nv_fp8_interpretation_t kind)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (__nv_fp8_storage_t)(bits >> 63 << 7
				    | (kind == __NV_E4M3 ? 0x7f : 0x7e | (bits >> 50 & 3)));
}

static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
							__nv_fp8_interpretation_t kind)
{
	const int fraction = kind == __NV_E4M3 ? 3 : 2;
	const int min = kind == __NV_E4M3 ? -6 : -14;   /* exponent of the smallest normal number */
	const unsigned highest = kind == __NV_E4M3 ? 0x7e : 0x7b;
	const unsigned sign = std::signbit(x) ? 0x80 : 0;
	unsigned bits = 0x7f;
	int exponent;
	double a = fabs(x);

	if (x != x)
		return ft_fp8_nan(x, kind);
	if (a < 0x1p17) {
		frexp(a, &exponent);            /* a is in [2^(exponent - 1), 2^exponent) */
		exponent = a == 0.0 || exponent - 1 < min ? min : exponent - 1;
		/* A carry out of the fraction correctly increments the exponent. */
		bits = ((unsigned)(exponent - min) << fraction)
			+ (unsigned)rint(ldexp(a, fraction - exponent));
	}
	if (bits > highest)
		bits = saturate == __NV_SATFINITE ? highest : highest + 1;
	return (__nv_fp8_storage_t)(sign | bits);
}

static inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
						       __nv_fp8_interpretation_t kind)
{
	return x != x ? 0x7f : __nv_cvt_double_to_fp8(x, saturate, kind);
}

static inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
							 __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8((float)__half(x), saturate, kind);
}

static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
							     __nv_saturation_t saturate,
							     __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8((float)__nv_bfloat16(x), saturate, kind);
}

static inline __nv_fp8x2_storage_t ft_fp8_pair(__nv_fp8_storage_t low, __nv_fp8_storage_t high)
{
	return (__nv_fp8x2_storage_t)(low | high << 8);
}

static inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
							     __nv_fp8_interpretation_t kind)
{
	return ft_fp8_pair(__nv_cvt_double_to_fp8(x.x, saturate, kind),
			   __nv_cvt_double_to_fp8(x.y, saturate, kind));
}

static inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
							    __nv_fp8_interpretation_t kind)
{
	return ft_fp8_pair(__nv_cvt_float_to_fp8(x.x, saturate, kind),
			   __nv_cvt_float_to_fp8(x.y, saturate, kind));
}

static inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x,
							      __nv_saturation_t saturate,
							      __nv_fp8_interpretation_t kind)
{
	return ft_fp8_pair(__nv_cvt_halfraw_to_fp8(__half_raw{ x.x }, saturate, kind),
			   __nv_cvt_halfraw_to_fp8(__half_raw{ x.y }, saturate, kind));
}

static inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
								  __nv_saturation_t saturate,
								  __nv_fp8_interpretation_t kind)
{
	return ft_fp8_pair(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{ x.x }, saturate, kind),
			   __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{ x.y }, saturate, kind));
}

/* --- from 8 bits, exactly --- */

/* E5M2 is the high byte of a half. */
static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
						 __nv_fp8_interpretation_t kind)
{
	const unsigned highest = kind == __NV_E4M3 ? 0x7e : 0x7c;
	__half_raw half = { 0x7fff };

	if ((x & 0x7fu) > highest)
		return half;
	half.x = (unsigned short)(x << 8);
	if (kind == __NV_E4M3)
		half = __half((x & 0x80 ? -0x1p-9f : 0x1p-9f)
			      * (x & 0x78 ? (float)((8 | (x & 7)) << ((x >> 3 & 15) - 1))
				 : (float)(x & 7)));
	return half;
}

static inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
						     __nv_fp8_interpretation_t kind)
{
	return { __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
		 __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x };
}

/* A power of two without sign: 2^(x - 127), of which 2^-127 is subnormal in bfloat16. */
static inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
	return { (unsigned short)(x == 0xff ? 0x7fff : x == 0 ? 0x40 : x << 7) };
}

static inline __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
	return { __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
		 __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x };
}

#endif
