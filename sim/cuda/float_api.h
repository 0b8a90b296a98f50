/* float_api.h - CUDA's other float functions: exact ones, and errors for those without a model.
 *
 * Part of sim/cuda/cuda_c.h, which maps the functions that have a model; names without f are in
 * double_api.h. Each of CUDA's single
 * precision functions and intrinsics is either mapped there or here; or left to <math.h> because
 * arithmetic alone determines its bits (floorf, ceilf, truncf, rintf, nearbyintf, roundf, fabsf,
 * copysignf, fdimf, fmodf, remainderf, nextafterf, ldexpf, scalbnf, logbf, ilogbf, frexpf, modff,
 * sqrtf, fmaf); or a compile-time error that names an alternative. Those that compile are verified:
 * they are in kernels/math_list.h.
 */
#ifndef FLOAT_API_H
#define FLOAT_API_H

/* --- exact --- */

/* Rounding the double result to float gives the correct result: all 2^32 inputs were compared. */
FT_INLINE float ft_frsqrt_rn(float x)
{
	return (float)(1.0 / sqrt((double)x));
}

static inline float ft_saturatef(float x)
{
	return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

FT_INLINE void ft_sincosf(float x, float *s, float *c)
{
	*s = FT_MODEL(cuda_sinf, x);
	*c = FT_MODEL(cuda_cosf, x);
}

FT_INLINE void ft_fast_sincosf(float x, float *s, float *c)
{
	*s = FT_MODEL(sin_approx, x);
	*c = FT_MODEL(cos_approx, x);
}

FT_INLINE float ft_fast_tanf(float x)
{
	return FT_MODEL(div_approx_noftz, FT_MODEL(sin_approx, x), FT_MODEL(cos_approx, x));
}

#define __frcp_rn(x)         (1.0f / (float)(x))
#define __frsqrt_rn(x)       ft_frsqrt_rn(x)
#define __saturatef(x)       ft_saturatef(x)
#define sincosf(x, s, c)     ft_sincosf((x), (s), (c))
#define __sincosf(x, s, c)   ft_fast_sincosf((x), (s), (c))
#define __tanf(x)            ft_fast_tanf(x)
#define __tanhf(x)           FT_MODEL(tanh_approx, x)
#define __exp10f(x)          FT_MODEL(ex2_approx_noftz, (float)(x) * 0x1.a934fp+1f)
#define __float2uint_rd(x)   ft_float_to_uint(floorf(x))
#define __float2uint_ru(x)   ft_float_to_uint(ceilf(x))

/* --- functions without a model --- */

#define acosf(...) FT_ABSENT("acosf", "a polynomial in fmaf")
#define acoshf(...) FT_ABSENT("acoshf", "logf(x + sqrtf(fmaf(x, x, -1.0f)))")
#define asinf(...) FT_ABSENT("asinf", "a polynomial in fmaf")
#define asinhf(...) FT_ABSENT("asinhf", "logf(x + sqrtf(fmaf(x, x, 1.0f)))")
#define atan2f(...) FT_ABSENT("atan2f", "a polynomial in fmaf")
#define atanf(...) FT_ABSENT("atanf", "a polynomial in fmaf")
#define atanhf(...) FT_ABSENT("atanhf", "0.5f * logf((1.0f + x) / (1.0f - x))")
#define cbrtf(...) FT_ABSENT("cbrtf", "powf(x, 1.0f / 3.0f)")
#define coshf(...) FT_ABSENT("coshf", "(expf(x) + expf(-x)) * 0.5f")
#define cospif(...) FT_ABSENT("cospif", "cosf(x * 3.14159274f)")
#define cyl_bessel_i0f(...) FT_ABSENT("cyl_bessel_i0f", "a polynomial in fmaf")
#define cyl_bessel_i1f(...) FT_ABSENT("cyl_bessel_i1f", "a polynomial in fmaf")
#define erfcf(...) FT_ABSENT("erfcf", "1.0f - erff(x)")
#define erfcinvf(...) FT_ABSENT("erfcinvf", "a polynomial in fmaf")
#define erfcxf(...) FT_ABSENT("erfcxf", "expf(x * x) * (1.0f - erff(x))")
#define erfinvf(...) FT_ABSENT("erfinvf", "a polynomial in fmaf")
#define hypotf(...) FT_ABSENT("hypotf", "sqrtf(fmaf(x, x, y * y))")
#define j0f(...) FT_ABSENT("j0f", "a polynomial in fmaf")
#define j1f(...) FT_ABSENT("j1f", "a polynomial in fmaf")
#define jnf(...) FT_ABSENT("jnf", "a polynomial in fmaf")
#define lgammaf(...) FT_ABSENT("lgammaf", "a polynomial in fmaf")
#define norm3df(...) FT_ABSENT("norm3df", "sqrtf(fmaf(x, x, fmaf(y, y, z * z)))")
#define norm4df(...) FT_ABSENT("norm4df", "sqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, t * t))))")
#define normf(...) FT_ABSENT("normf", "a loop of fmaf, then sqrtf")
#define normcdff(...) FT_ABSENT("normcdff", "fmaf(0.5f, erff(x * 0.707106769f), 0.5f)")
#define normcdfinvf(...) FT_ABSENT("normcdfinvf", "a polynomial in fmaf")
#define rcbrtf(...) FT_ABSENT("rcbrtf", "powf(x, -1.0f / 3.0f)")
#define remquof(...) FT_ABSENT("remquof", "remainderf(x, y)")
#define rhypotf(...) FT_ABSENT("rhypotf", "rsqrtf(fmaf(x, x, y * y))")
#define rnorm3df(...) FT_ABSENT("rnorm3df", "rsqrtf(fmaf(x, x, fmaf(y, y, z * z)))")
#define rnorm4df(...) FT_ABSENT("rnorm4df", "rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, t * t))))")
#define rnormf(...) FT_ABSENT("rnormf", "a loop of fmaf, then rsqrtf")
#define scalblnf(...) FT_ABSENT("scalblnf", "scalbnf(x, n)")
#define sincospif(...) FT_ABSENT("sincospif", "sincosf(x * 3.14159274f, s, c)")
#define sinhf(...) FT_ABSENT("sinhf", "(expf(x) - expf(-x)) * 0.5f")
#define sinpif(...) FT_ABSENT("sinpif", "sinf(x * 3.14159274f)")
#define tanf(...) FT_ABSENT("tanf", "sinf(x) / cosf(x)")
#define tgammaf(...) FT_ABSENT("tgammaf", "a polynomial in fmaf")
#define y0f(...) FT_ABSENT("y0f", "a polynomial in fmaf")
#define y1f(...) FT_ABSENT("y1f", "a polynomial in fmaf")
#define ynf(...) FT_ABSENT("ynf", "a polynomial in fmaf")
#define fdividef(...) FT_ABSENT("fdividef", "x / y")
#define lrintf(...) FT_ABSENT("lrintf", "__float2int_rn(x)")
#define llrintf(...) FT_ABSENT("llrintf", "__float2int_rn(x)")
#define lroundf(...) FT_ABSENT("lroundf", "__float2int_rz(roundf(x))")
#define llroundf(...) FT_ABSENT("llroundf", "__float2int_rz(roundf(x))")

/* Other rounding directions. */
#define __fadd_rd(...) FT_ABSENT("__fadd_rd", "__fadd_rn")
#define __fadd_ru(...) FT_ABSENT("__fadd_ru", "__fadd_rn")
#define __fadd_rz(...) FT_ABSENT("__fadd_rz", "__fadd_rn")
#define __fsub_rd(...) FT_ABSENT("__fsub_rd", "__fsub_rn")
#define __fsub_ru(...) FT_ABSENT("__fsub_ru", "__fsub_rn")
#define __fsub_rz(...) FT_ABSENT("__fsub_rz", "__fsub_rn")
#define __fmul_rd(...) FT_ABSENT("__fmul_rd", "__fmul_rn")
#define __fmul_ru(...) FT_ABSENT("__fmul_ru", "__fmul_rn")
#define __fmul_rz(...) FT_ABSENT("__fmul_rz", "__fmul_rn")
#define __fdiv_rd(...) FT_ABSENT("__fdiv_rd", "__fdiv_rn")
#define __fdiv_ru(...) FT_ABSENT("__fdiv_ru", "__fdiv_rn")
#define __fdiv_rz(...) FT_ABSENT("__fdiv_rz", "__fdiv_rn")
#define __frcp_rd(...) FT_ABSENT("__frcp_rd", "__frcp_rn")
#define __frcp_ru(...) FT_ABSENT("__frcp_ru", "__frcp_rn")
#define __frcp_rz(...) FT_ABSENT("__frcp_rz", "__frcp_rn")
#define __fsqrt_rd(...) FT_ABSENT("__fsqrt_rd", "__fsqrt_rn")
#define __fsqrt_ru(...) FT_ABSENT("__fsqrt_ru", "__fsqrt_rn")
#define __fsqrt_rz(...) FT_ABSENT("__fsqrt_rz", "__fsqrt_rn")
#define __fmaf_rd(...) FT_ABSENT("__fmaf_rd", "__fmaf_rn")
#define __fmaf_ru(...) FT_ABSENT("__fmaf_ru", "__fmaf_rn")
#define __fmaf_rz(...) FT_ABSENT("__fmaf_rz", "__fmaf_rn")
#define __int2float_rd(...) FT_ABSENT("__int2float_rd", "__int2float_rn")
#define __int2float_ru(...) FT_ABSENT("__int2float_ru", "__int2float_rn")
#define __int2float_rz(...) FT_ABSENT("__int2float_rz", "__int2float_rn")
#define __uint2float_rd(...) FT_ABSENT("__uint2float_rd", "__uint2float_rn")
#define __uint2float_ru(...) FT_ABSENT("__uint2float_ru", "__uint2float_rn")
#define __uint2float_rz(...) FT_ABSENT("__uint2float_rz", "__uint2float_rn")

#endif
