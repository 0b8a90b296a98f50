/* double_api.h - CUDA's functions of double, and names without f: as in C++, CUDA picks the float
 * function for a float.
 *
 * Part of sim/cuda/cuda_c.h; C++ has sim/cuda/overloads.h instead. Functions that compile for a
 * double are verified: they are in kernels/double_list.h, or IEEE 754 determines their bits.
 */
#ifndef DOUBLE_API_H
#define DOUBLE_API_H

#ifndef __cplusplus

/* With a model for float and one for double. */
#define FT_BOTH(name, x) \
	_Generic((x), float: name##f(x), default: FT_MODEL(ft_double_##name, x))

/* With a model for double only. */
#define FT_DOUBLE_ONLY(name, is_float, call) ({ \
	_Static_assert(!(is_float), name "f has no bit-exact model in the simulator: " \
		       "use " name " of a double"); \
	call; })
#define FT_IS_FLOAT(x) _Generic((x), float: 1, default: 0)
#define FT_DOUBLE(name, x) \
	FT_DOUBLE_ONLY(#name, FT_IS_FLOAT(x), FT_MODEL(ft_double_##name, x))
#define FT_BOTH2(name, x, y) _Generic((x), \
	float: _Generic((y), float: name##f((x), (y)), default: FT_MODEL(ft_double_##name, x, y)), \
	default: FT_MODEL(ft_double_##name, x, y))

/* With a model for float only. */
#define FT_FLOAT_ONLY(name, call, x) ({ \
	_Static_assert(FT_IS_FLOAT(x), \
		       name " of double has no bit-exact model in the simulator: use " name "f"); \
	call; })

/* Exact in both. */
#define FT_EITHER(name, x) _Generic((x), float: name##f(x), default: __builtin_##name(x))
#define FT_EITHER2(name, x, y) \
	_Generic((x) + (y), float: name##f((x), (y)), default: __builtin_##name((x), (y)))

#define exp(x) FT_BOTH(exp, x)
#define exp2(x) FT_BOTH(exp2, x)
#define exp10(x) FT_BOTH(exp10, x)
#define expm1(x) FT_BOTH(expm1, x)
#define log(x) FT_BOTH(log, x)
#define log2(x) FT_BOTH(log2, x)
#define log10(x) FT_BOTH(log10, x)
#define log1p(x) FT_BOTH(log1p, x)
#define sin(x) FT_BOTH(sin, x)
#define cos(x) FT_BOTH(cos, x)
#define tanh(x) FT_BOTH(tanh, x)
#define erf(x) FT_BOTH(erf, x)
#define rsqrt(x) FT_BOTH(rsqrt, x)
#define pow(x, y) FT_BOTH2(pow, x, y)
#define sincos(x, s, c) FT_FLOAT_ONLY("sincos", sincosf((x), (s), (c)), x)
#define tan(x) FT_BOTH(tan, x)
#define sinpi(x) FT_BOTH(sinpi, x)
#define cospi(x) FT_BOTH(cospi, x)
#define asin(x) FT_BOTH(asin, x)
#define acos(x) FT_BOTH(acos, x)
#define atan(x) FT_BOTH(atan, x)
#define sinh(x) FT_BOTH(sinh, x)
#define cosh(x) FT_BOTH(cosh, x)
#define asinh(x) FT_BOTH(asinh, x)
#define acosh(x) FT_BOTH(acosh, x)
#define atanh(x) FT_BOTH(atanh, x)
#define cbrt(x) FT_BOTH(cbrt, x)
#define rcbrt(x) FT_BOTH(rcbrt, x)
#define erfc(x) FT_BOTH(erfc, x)
#define erfcx(x) FT_DOUBLE(erfcx, x)
#define normcdf(x) FT_BOTH(normcdf, x)
#define erfinv(x) FT_BOTH(erfinv, x)
#define erfcinv(x) FT_BOTH(erfcinv, x)
#define normcdfinv(x) FT_BOTH(normcdfinv, x)
#define atan2(x, y) FT_BOTH2(atan2, x, y)
#define hypot(x, y) FT_BOTH2(hypot, x, y)
#define rhypot(x, y) FT_BOTH2(rhypot, x, y)
#define sqrt(x) FT_EITHER(sqrt, x)
#define fabs(x) FT_EITHER(fabs, x)
#define floor(x) FT_EITHER(floor, x)
#define ceil(x) FT_EITHER(ceil, x)
#define trunc(x) FT_EITHER(trunc, x)
#define rint(x) FT_EITHER(rint, x)
#define nearbyint(x) FT_EITHER(nearbyint, x)
#define round(x) FT_EITHER(round, x)
#define fmin(x, y) FT_EITHER2(fmin, x, y)
#define fmax(x, y) FT_EITHER2(fmax, x, y)
#define fmod(x, y) FT_EITHER2(fmod, x, y)
#define remainder(x, y) FT_EITHER2(remainder, x, y)
#define fdim(x, y) FT_EITHER2(fdim, x, y)
#define copysign(x, y) FT_EITHER2(copysign, x, y)
#define fma(x, y, z) _Generic((x) + (y) + (z), \
	float: fmaf((x), (y), (z)), default: __builtin_fma((x), (y), (z)))
#define abs(x) _Generic((x), float: fabsf(x), double: __builtin_fabs(x), \
	long: __builtin_labs(x), long long: __builtin_llabs(x), \
	default: __builtin_abs(x))

#define lgamma(...) lgammaf(__VA_ARGS__)
#define tgamma(...) tgammaf(__VA_ARGS__)

#endif

#endif
