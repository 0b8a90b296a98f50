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

#include "sim/cuda/float_rounded.h"

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

FT_INLINE void ft_sincospif(float x, float *s, float *c)
{
	*s = FT_MODEL(cuda_sinpif, x);
	*c = FT_MODEL(cuda_cospif, x);
}

FT_INLINE float ft_scalblnf(float x, long n)
{
	return scalbnf(x, n < -1000 ? -1000 : n > 1000 ? 1000 : (int)n);
}

/* Saturates; a NaN gives the lowest number. */
FT_INLINE long long ft_float_to_llong(float x)
{
	if (x >= 0x1p63f)
		return LLONG_MAX;
	return x > -0x1p63f ? (long long)x : LLONG_MIN;
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

#define fdividef(x, y)       ((float)(x) / (float)(y))
#define scalblnf(x, n)       ft_scalblnf((x), (n))
#define lrintf(x)            ((long)ft_float_to_llong(rintf(x)))
#define llrintf(x)           ft_float_to_llong(rintf(x))
#define lroundf(x)           ((long)ft_float_to_llong(roundf(x)))
#define llroundf(x)          ft_float_to_llong(roundf(x))

/* --- models of base/math/float_model.c --- */

#define sinhf(x) FT_MODEL(cuda_sinhf, x)
#define coshf(x) FT_MODEL(cuda_coshf, x)
#define tanf(x) FT_MODEL(cuda_tanf, x)
#define sinpif(x) FT_MODEL(cuda_sinpif, x)
#define cospif(x) FT_MODEL(cuda_cospif, x)
#define asinf(x) FT_MODEL(cuda_asinf, x)
#define acosf(x) FT_MODEL(cuda_acosf, x)
#define atanf(x) FT_MODEL(cuda_atanf, x)
#define asinhf(x) FT_MODEL(cuda_asinhf, x)
#define acoshf(x) FT_MODEL(cuda_acoshf, x)
#define atanhf(x) FT_MODEL(cuda_atanhf, x)
#define cbrtf(x) FT_MODEL(cuda_cbrtf, x)
#define rcbrtf(x) FT_MODEL(cuda_rcbrtf, x)
#define erfcf(x) FT_MODEL(cuda_erfcf, x)
#define erfinvf(x) FT_MODEL(cuda_erfinvf, x)
#define erfcinvf(x) FT_MODEL(cuda_erfcinvf, x)
#define normcdff(x) FT_MODEL(cuda_normcdff, x)
#define normcdfinvf(x) FT_MODEL(cuda_normcdfinvf, x)
#define atan2f(x, y) FT_MODEL(cuda_atan2f, (x), (y))
#define hypotf(x, y) FT_MODEL(cuda_hypotf, (x), (y))
#define rhypotf(x, y) FT_MODEL(cuda_rhypotf, (x), (y))
#define norm3df(x, y, z)     FT_MODEL(cuda_norm3df, (x), (y), (z))
#define rnorm3df(x, y, z)    FT_MODEL(cuda_rnorm3df, (x), (y), (z))
#define norm4df(x, y, z, t)  FT_MODEL(cuda_norm4df, (x), (y), (z), (t))
#define rnorm4df(x, y, z, t) FT_MODEL(cuda_rnorm4df, (x), (y), (z), (t))
#define sincospif(x, s, c)   ft_sincospif((x), (s), (c))

/* --- functions without a model --- */

#define cyl_bessel_i0f(...) FT_ABSENT("cyl_bessel_i0f", "a polynomial in fmaf")
#define cyl_bessel_i1f(...) FT_ABSENT("cyl_bessel_i1f", "a polynomial in fmaf")
#define erfcxf(...) FT_ABSENT("erfcxf", "expf(x * x) * (1.0f - erff(x))")
#define j0f(...) FT_ABSENT("j0f", "a polynomial in fmaf")
#define j1f(...) FT_ABSENT("j1f", "a polynomial in fmaf")
#define jnf(...) FT_ABSENT("jnf", "a polynomial in fmaf")
#define lgammaf(...) FT_ABSENT("lgammaf", "a polynomial in fmaf")
#define normf(...) FT_ABSENT("normf", "a loop of fmaf, then sqrtf")
#define remquof(...) FT_ABSENT("remquof", "remainderf(x, y)")
#define rnormf(...) FT_ABSENT("rnormf", "a loop of fmaf, then rsqrtf")
#define tgammaf(...) FT_ABSENT("tgammaf", "a polynomial in fmaf")
#define y0f(...) FT_ABSENT("y0f", "a polynomial in fmaf")
#define y1f(...) FT_ABSENT("y1f", "a polynomial in fmaf")
#define ynf(...) FT_ABSENT("ynf", "a polynomial in fmaf")

#endif
