/* overloads.h - names without f for C++: the float function for a float, the double function for a
 * double; a compile error without an exact model.
 *
 * Part of sim/cuda/cuda_cpp.h; C has macros in sim/cuda/double_api.h. Functions without a model are
 * declared, but not defined: calling one is an error, in a program only if a kernel can reach the
 * call.
 */
#ifndef OVERLOADS_H
#define OVERLOADS_H

#define FT_INTEGRAL(T) typename std::enable_if<std::is_integral<T>::value, double>::type

#ifdef FLASHTWIN_PROGRAM
#define FT_NO_MODEL(text)
#define FT_NO_FLOAT(name, instead) \
	static inline float ft_over_##name(float) { return FT_ABSENT(#name "f", instead); }
#else
#define FT_NO_MODEL(text) \
	__attribute__((error(text)))
#define FT_NO_FLOAT(name, instead) \
	float ft_over_##name(float) \
		FT_NO_MODEL(#name "f has no bit-exact model in the simulator: use " instead);
#endif
#define FT_NO_DOUBLE(name) \
	FT_NO_MODEL(#name " of double has no bit-exact model in the simulator: use " #name "f")
#define FT_ABSENT_OVERLOAD(name, instead) \
	template <class... T> double ft_over_##name(T...) \
		FT_NO_MODEL(#name " has no bit-exact model in the simulator: use " instead);

#define FT_DOUBLE(name) \
	static inline double ft_over_##name(double x) { return FT_MODEL(ft_double_##name, x); } \
	long double ft_over_##name(long double) \
		FT_NO_MODEL(#name " of long double has no bit-exact model in the simulator"); \
	template <class T> static inline FT_INTEGRAL(T) ft_over_##name(T x) \
		{ return FT_MODEL(ft_double_##name, (double)x); }
#define FT_BOTH(name) \
	static inline float ft_over_##name(float x) { return name##f(x); } \
	FT_DOUBLE(name)
#define FT_DOUBLE_ONLY(name, instead) \
	FT_NO_FLOAT(name, instead) \
	FT_DOUBLE(name)
#define FT_DOUBLE2(name) \
	template <class X, class Y> static inline double ft_over_##name(X x, Y y) \
		{ return FT_MODEL(ft_double_##name, (double)x, (double)y); }
#define FT_BOTH2(name) \
	static inline float ft_over_##name(float x, float y) { return name##f(x, y); } \
	FT_DOUBLE2(name)

FT_BOTH(exp)
FT_BOTH(exp2)
FT_BOTH(exp10)
FT_BOTH(expm1)
FT_BOTH(log)
FT_BOTH(log2)
FT_BOTH(log10)
FT_BOTH(log1p)
FT_BOTH(sin)
FT_BOTH(cos)
FT_BOTH(tanh)
FT_BOTH(erf)
FT_BOTH(rsqrt)
FT_BOTH2(pow)
static inline void ft_over_sincos(float x, float *s, float *c) { sincosf(x, s, c); }
void ft_over_sincos(double, double *, double *) FT_NO_DOUBLE(sincos);
static inline float ft_over_fmin(float x, float y) { return ft_fminf(x, y); }
static inline float ft_over_fmax(float x, float y) { return ft_fmaxf(x, y); }
template <class X, class Y> static inline double ft_over_fmin(X x, Y y)
	{ return fmin((double)x, (double)y); }
template <class X, class Y> static inline double ft_over_fmax(X x, Y y)
	{ return fmax((double)x, (double)y); }
FT_BOTH(tan)
FT_BOTH(sinpi)
FT_BOTH(cospi)
FT_BOTH(asin)
FT_BOTH(acos)
FT_BOTH(atan)
FT_BOTH(sinh)
FT_BOTH(cosh)
FT_BOTH(asinh)
FT_BOTH(acosh)
FT_BOTH(atanh)
FT_BOTH(cbrt)
FT_BOTH(rcbrt)
FT_BOTH(erfc)
FT_DOUBLE_ONLY(erfcx, "expf(x * x) * (1.0f - erff(x))")
FT_BOTH(normcdf)
FT_BOTH(erfinv)
FT_BOTH(erfcinv)
FT_BOTH(normcdfinv)
FT_BOTH2(atan2)
FT_BOTH2(hypot)
FT_BOTH2(rhypot)
FT_ABSENT_OVERLOAD(lgamma, "a polynomial in fmaf")
FT_ABSENT_OVERLOAD(tgamma, "a polynomial in fmaf")
#undef FT_ABSENT_OVERLOAD
#undef FT_BOTH
#undef FT_DOUBLE
#undef FT_DOUBLE2
#undef FT_DOUBLE_ONLY
#undef FT_BOTH2
#undef FT_NO_FLOAT
#undef FT_NO_DOUBLE
#undef FT_NO_MODEL
#undef FT_INTEGRAL
namespace std {             /* std::exp becomes std::ft_over_exp */
using ::ft_over_exp;
using ::ft_over_exp2;
using ::ft_over_exp10;
using ::ft_over_expm1;
using ::ft_over_log;
using ::ft_over_log2;
using ::ft_over_log10;
using ::ft_over_log1p;
using ::ft_over_sin;
using ::ft_over_cos;
using ::ft_over_tanh;
using ::ft_over_erf;
using ::ft_over_rsqrt;
using ::ft_over_pow;
using ::ft_over_sincos;
using ::ft_over_fmin;
using ::ft_over_fmax;
using ::ft_over_tan;
using ::ft_over_sinpi;
using ::ft_over_cospi;
using ::ft_over_asin;
using ::ft_over_acos;
using ::ft_over_atan;
using ::ft_over_sinh;
using ::ft_over_cosh;
using ::ft_over_asinh;
using ::ft_over_acosh;
using ::ft_over_atanh;
using ::ft_over_cbrt;
using ::ft_over_rcbrt;
using ::ft_over_erfc;
using ::ft_over_erfcx;
using ::ft_over_normcdf;
using ::ft_over_erfinv;
using ::ft_over_erfcinv;
using ::ft_over_normcdfinv;
using ::ft_over_atan2;
using ::ft_over_hypot;
using ::ft_over_rhypot;
using ::ft_over_lgamma;
using ::ft_over_tgamma;
}
#define exp(...) ft_over_exp(__VA_ARGS__)
#define exp2(...) ft_over_exp2(__VA_ARGS__)
#define exp10(...) ft_over_exp10(__VA_ARGS__)
#define expm1(...) ft_over_expm1(__VA_ARGS__)
#define log(...) ft_over_log(__VA_ARGS__)
#define log2(...) ft_over_log2(__VA_ARGS__)
#define log10(...) ft_over_log10(__VA_ARGS__)
#define log1p(...) ft_over_log1p(__VA_ARGS__)
#define sin(...) ft_over_sin(__VA_ARGS__)
#define cos(...) ft_over_cos(__VA_ARGS__)
#define tanh(...) ft_over_tanh(__VA_ARGS__)
#define erf(...) ft_over_erf(__VA_ARGS__)
#define rsqrt(...) ft_over_rsqrt(__VA_ARGS__)
#define pow(...) ft_over_pow(__VA_ARGS__)
#define sincos(...) ft_over_sincos(__VA_ARGS__)
#define fmin(...) ft_over_fmin(__VA_ARGS__)
#define fmax(...) ft_over_fmax(__VA_ARGS__)
#define tan(...) ft_over_tan(__VA_ARGS__)
#define sinpi(...) ft_over_sinpi(__VA_ARGS__)
#define cospi(...) ft_over_cospi(__VA_ARGS__)
#define asin(...) ft_over_asin(__VA_ARGS__)
#define acos(...) ft_over_acos(__VA_ARGS__)
#define atan(...) ft_over_atan(__VA_ARGS__)
#define sinh(...) ft_over_sinh(__VA_ARGS__)
#define cosh(...) ft_over_cosh(__VA_ARGS__)
#define asinh(...) ft_over_asinh(__VA_ARGS__)
#define acosh(...) ft_over_acosh(__VA_ARGS__)
#define atanh(...) ft_over_atanh(__VA_ARGS__)
#define cbrt(...) ft_over_cbrt(__VA_ARGS__)
#define rcbrt(...) ft_over_rcbrt(__VA_ARGS__)
#define erfc(...) ft_over_erfc(__VA_ARGS__)
#define erfcx(...) ft_over_erfcx(__VA_ARGS__)
#define normcdf(...) ft_over_normcdf(__VA_ARGS__)
#define erfinv(...) ft_over_erfinv(__VA_ARGS__)
#define erfcinv(...) ft_over_erfcinv(__VA_ARGS__)
#define normcdfinv(...) ft_over_normcdfinv(__VA_ARGS__)
#define atan2(...) ft_over_atan2(__VA_ARGS__)
#define hypot(...) ft_over_hypot(__VA_ARGS__)
#define rhypot(...) ft_over_rhypot(__VA_ARGS__)
#define lgamma(...) ft_over_lgamma(__VA_ARGS__)
#define tgamma(...) ft_over_tgamma(__VA_ARGS__)

#endif
