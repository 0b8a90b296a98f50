/* real.h - PTX's floating point instructions and conversions. Part of sim/cuda/ptx.h. */
#ifndef SIM_PTX_REAL_H
#define SIM_PTX_REAL_H

/* --- 32 and 64 bits --- */

template <class T> FT_PTX T ft_ptx_mul(T a, T b) { return a * b; }
FT_PTX float ft_ptx_fma_of(float a, float b, float c) { return fmaf(a, b, c); }
FT_PTX double ft_ptx_fma_of(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T> FT_PTX T ft_ptx_fma(T a, T b, T c) { return ft_ptx_fma_of(a, b, c); }
template <class T> FT_PTX T ft_ptx_fma_rn(T a, T b, T c) { return ft_ptx_fma_of(a, b, c); }
FT_PTX float ft_ptx_add_sat_f32(float a, float b) { return ft_saturatef(a + b); }
FT_PTX float ft_ptx_sub_sat_f32(float a, float b) { return ft_saturatef(a - b); }
FT_PTX float ft_ptx_mul_sat_f32(float a, float b) { return ft_saturatef(a * b); }
FT_PTX float ft_ptx_fma_rn_sat_f32(float a, float b, float c)
	{ return ft_saturatef(fmaf(a, b, c)); }
/* Other directions than to nearest. */
#define FT_PTX_DIRECTED(name, to) \
	FT_PTX float ft_ptx_add_##name##_f32(float a, float b) \
		{ return mufu_canon(ft_rounded_add(a, b, to)); } \
	FT_PTX float ft_ptx_sub_##name##_f32(float a, float b) \
		{ return mufu_canon(ft_rounded_sub(a, b, to)); } \
	FT_PTX float ft_ptx_mul_##name##_f32(float a, float b) \
		{ return mufu_canon(ft_rounded_mul(a, b, to)); } \
	FT_PTX float ft_ptx_fma_##name##_f32(float a, float b, float c) \
		{ return mufu_canon(ft_rounded_fma(a, b, c, to)); } \
	FT_PTX float ft_ptx_rcp_##name##_f32(float a) \
		{ return mufu_canon(ft_divide_float(1.0, a, to)); } \
	FT_PTX float ft_ptx_sqrt_##name##_f32(float a) \
		{ return mufu_canon(ft_root_float(a, to)); }
FT_PTX_DIRECTED(rz, FT_ROUND_ZERO)
FT_PTX_DIRECTED(rm, FT_ROUND_DOWN)
FT_PTX_DIRECTED(rp, FT_ROUND_UP)
#undef FT_PTX_DIRECTED

/* --- subnormal operands and results as zeros --- */

/* Sums that are too small to be normal are exact, so it does not matter when they are flushed. */
FT_PTX float ft_ptx_add_ftz_f32(float a, float b)
	{ return mufu_canon(mufu_flush(mufu_flush(a) + mufu_flush(b))); }
FT_PTX float ft_ptx_sub_ftz_f32(float a, float b)
	{ return mufu_canon(mufu_flush(mufu_flush(a) - mufu_flush(b))); }
FT_PTX float ft_ptx_mul_ftz_f32(float a, float b) { return mul_ftz(a, b); }
/* Flushed as products are: rounded as if exponents had no limit, then too small to be normal. */
FT_PTX float ft_ptx_fma_rn_ftz_f32(float a, float b, float c)
{
	const double sum = ft_fma_odd(mufu_flush(a), mufu_flush(b), mufu_flush(c));

	if (sum > -0x1.ffffffp-127 && sum < 0x1.ffffffp-127)
		return (float)__builtin_copysign(0.0, sum);
	return mufu_canon((float)sum);
}
FT_PTX float ft_ptx_fma_rz_ftz_f32(float a, float b, float c)
	{ return mufu_flush(ft_ptx_fma_rz_f32(mufu_flush(a), mufu_flush(b), mufu_flush(c))); }
#define FT_PTX_TO_ZERO(name) \
	FT_PTX float ft_ptx_##name##_rz_ftz_f32(float a, float b) \
		{ return mufu_flush(ft_ptx_##name##_rz_f32(mufu_flush(a), mufu_flush(b))); }
FT_PTX_TO_ZERO(add)
FT_PTX_TO_ZERO(sub)
FT_PTX_TO_ZERO(mul)
#undef FT_PTX_TO_ZERO

/* --- division, roots and approximations --- */

template <class T> FT_PTX T ft_ptx_div_rn(T a, T b) { return a / b; }
template <class T> FT_PTX T ft_ptx_rcp_rn(T a) { return (T)1 / a; }
FT_PTX float ft_ptx_sqrt_of(float a) { return __builtin_sqrtf(a); }
FT_PTX double ft_ptx_sqrt_of(double a) { return __builtin_sqrt(a); }
template <class T> FT_PTX T ft_ptx_sqrt_rn(T a) { return ft_ptx_sqrt_of(a); }
/* No number has a reciprocal so close to 2^-126 that it matters when it is flushed. */
FT_PTX float ft_ptx_rcp_rn_ftz_f32(float a)
	{ return mufu_canon(mufu_flush(1.0f / mufu_flush(a))); }
FT_PTX float ft_ptx_sqrt_rn_ftz_f32(float a)
	{ return mufu_canon(ft_ptx_sqrt_of(mufu_flush(a))); }

FT_PTX float ft_ptx_div_approx_f32(float a, float b) { return FT_MODEL(div_approx_noftz, a, b); }
FT_PTX float ft_ptx_div_approx_ftz_f32(float a, float b) { return div_approx(a, b); }
FT_PTX float ft_ptx_div_full_f32(float a, float b) { return div_full_noftz(a, b); }
FT_PTX float ft_ptx_div_full_ftz_f32(float a, float b) { return div_full(a, b); }
FT_PTX float ft_ptx_rcp_approx_f32(float a) { return rcp_approx_noftz(a); }
FT_PTX float ft_ptx_rcp_approx_ftz_f32(float a) { return rcp_approx(a); }
FT_PTX float ft_ptx_sqrt_approx_f32(float a) { return sqrt_approx_noftz(a); }
FT_PTX float ft_ptx_sqrt_approx_ftz_f32(float a) { return sqrt_approx(a); }
FT_PTX float ft_ptx_rsqrt_approx_f32(float a) { return FT_MODEL(rsqrt_approx_noftz, a); }
FT_PTX float ft_ptx_rsqrt_approx_ftz_f32(float a) { return rsqrt_approx(a); }
FT_PTX float ft_ptx_lg2_approx_f32(float a) { return FT_MODEL(lg2_approx_noftz, a); }
FT_PTX float ft_ptx_lg2_approx_ftz_f32(float a) { return lg2_approx(a); }
FT_PTX float ft_ptx_ex2_approx_f32(float a) { return FT_MODEL(ex2_approx_noftz, a); }
FT_PTX float ft_ptx_ex2_approx_ftz_f32(float a) { return ex2_approx(a); }
FT_PTX float ft_ptx_sin_approx_f32(float a) { return FT_MODEL(sin_approx, a); }
FT_PTX float ft_ptx_cos_approx_f32(float a) { return FT_MODEL(cos_approx, a); }
FT_PTX float ft_ptx_tanh_approx_f32(float a) { return FT_MODEL(tanh_approx, a); }

/* --- the smaller and the larger of two --- */

FT_PTX float ft_ptx_nan_of(float a) { return mufu_canon(a); }
FT_PTX double ft_ptx_nan_of(double a) { return a; }

/* These return the number if the other operand is a NaN, and +0 is greater than -0. */
#define FT_PTX_MINIMUM(T) \
	template <> inline __attribute__((always_inline)) T ft_ptx_min(T a, T b) \
	{ \
		return a != a ? ft_ptx_nan_of(b) \
			: a == b ? (__builtin_signbit(a) ? a : b) : b < a ? b : a; \
	} \
	template <> inline __attribute__((always_inline)) T ft_ptx_max(T a, T b) \
	{ \
		return a != a ? ft_ptx_nan_of(b) \
			: a == b ? (__builtin_signbit(a) ? b : a) : a < b ? b : a; \
	} \
	template <> inline __attribute__((always_inline)) T ft_ptx_abs(T a) \
		{ return __builtin_signbit(a) ? -a : a; }
FT_PTX_MINIMUM(float)
FT_PTX_MINIMUM(double)
#undef FT_PTX_MINIMUM
template <class T> FT_PTX T ft_ptx_min_NaN(T a, T b)
	{ return a != a ? ft_ptx_nan_of(a) : b != b ? ft_ptx_nan_of(b) : ft_ptx_min(a, b); }
template <class T> FT_PTX T ft_ptx_max_NaN(T a, T b)
	{ return a != a ? ft_ptx_nan_of(a) : b != b ? ft_ptx_nan_of(b) : ft_ptx_max(a, b); }
#define FT_PTX_FLUSHED(name) \
	FT_PTX float ft_ptx_##name##_ftz_f32(float a, float b) \
		{ return ft_ptx_##name(mufu_flush(a), mufu_flush(b)); } \
	FT_PTX float ft_ptx_##name##_ftz_NaN_f32(float a, float b) \
		{ return ft_ptx_##name##_NaN(mufu_flush(a), mufu_flush(b)); }
FT_PTX_FLUSHED(min)
FT_PTX_FLUSHED(max)
#undef FT_PTX_FLUSHED
/* The sign is that of the first operand. */
template <class T> FT_PTX T ft_ptx_copysign(T a, T b)
{
	return (T)(sizeof(T) == 4 ? __builtin_copysignf((float)b, (float)a)
		   : __builtin_copysign((double)b, (double)a));
}
template <class T> FT_PTX bool ft_ptx_testp_finite(T a) { return __builtin_isfinite(a); }
template <class T> FT_PTX bool ft_ptx_testp_infinite(T a) { return __builtin_isinf(a) != 0; }
template <class T> FT_PTX bool ft_ptx_testp_number(T a) { return a == a; }
template <class T> FT_PTX bool ft_ptx_testp_notanumber(T a) { return a != a; }
template <class T> FT_PTX bool ft_ptx_testp_normal(T a) { return __builtin_isnormal(a); }
template <class T> FT_PTX bool ft_ptx_testp_subnormal(T a)
	{ return __builtin_isfinite(a) && !__builtin_isnormal(a) && a != 0; }

/* --- 16 bits, and pairs of them --- */

template <int EXPONENT, int FRACTION> struct ft_ptx_small {
	unsigned short x;

	static ft_ptx_small of(double v, enum ft_rounding rounding = FT_NEAREST)
		{ return { ft_small_bits<EXPONENT, FRACTION>(v, rounding) }; }
	float value() const { return ft_small_value<EXPONENT, FRACTION>(x); }
};
template <class T> struct ft_ptx_pair { T low, high; };

typedef ft_ptx_small<5, 10> ft_ptx_f16;
typedef ft_ptx_small<8, 7> ft_ptx_bf16;
typedef ft_ptx_pair<ft_ptx_f16> ft_ptx_f16x2;
typedef ft_ptx_pair<ft_ptx_bf16> ft_ptx_bf16x2;

#define FT_PTX_SMALL template <int E, int F> FT_PTX ft_ptx_small<E, F>
#define FT_PTX_PAIR template <class S> FT_PTX ft_ptx_pair<S>
#define FT_PTX_BINARY(name, result) \
	FT_PTX_SMALL ft_ptx_of_##name(ft_ptx_small<E, F> x, ft_ptx_small<E, F> y) \
		{ float a = x.value(), b = y.value(); return ft_ptx_small<E, F>::of(result); } \
	FT_PTX_PAIR ft_ptx_of_##name(ft_ptx_pair<S> x, ft_ptx_pair<S> y) \
	{ \
		return { ft_ptx_of_##name(x.low, y.low), ft_ptx_of_##name(x.high, y.high) }; \
	} \
	template <class T> FT_PTX T ft_ptx_small_##name(T a, T b) \
		{ return ft_ptx_of_##name(a, b); }
#define FT_PTX_UNARY(name, bits) \
	FT_PTX_SMALL ft_ptx_of_##name(ft_ptx_small<E, F> a) \
		{ return { (unsigned short)(a.value() != a.value() ? 0x7fff : bits) }; } \
	FT_PTX_PAIR ft_ptx_of_##name(ft_ptx_pair<S> a) \
		{ return { ft_ptx_of_##name(a.low), ft_ptx_of_##name(a.high) }; } \
	template <class T> FT_PTX T ft_ptx_small_##name(T a) { return ft_ptx_of_##name(a); }
FT_PTX_BINARY(add, a + b)
FT_PTX_BINARY(sub, a - b)
FT_PTX_BINARY(mul, a * b)
FT_PTX_BINARY(min, ft_fminf(a, b))
FT_PTX_BINARY(max, ft_fmaxf(a, b))
FT_PTX_BINARY(min_NaN, ft_ptx_min_NaN(a, b))
FT_PTX_BINARY(max_NaN, ft_ptx_max_NaN(a, b))
FT_PTX_UNARY(abs, a.x & 0x7fff)
FT_PTX_UNARY(neg, a.x ^ 0x8000)
FT_PTX_SMALL ft_ptx_of_fma(ft_ptx_small<E, F> a, ft_ptx_small<E, F> b, ft_ptx_small<E, F> c)
	{ return ft_ptx_small<E, F>::of(ft_fma_odd(a.value(), b.value(), c.value())); }
FT_PTX_PAIR ft_ptx_of_fma(ft_ptx_pair<S> a, ft_ptx_pair<S> b, ft_ptx_pair<S> c)
	{ return { ft_ptx_of_fma(a.low, b.low, c.low), ft_ptx_of_fma(a.high, b.high, c.high) }; }
template <class T> FT_PTX T ft_ptx_small_fma_rn(T a, T b, T c) { return ft_ptx_of_fma(a, b, c); }
/* Neither a negative result nor -0. */
FT_PTX_SMALL ft_ptx_of_relu(ft_ptx_small<E, F> a)
	{ return { (unsigned short)(a.value() <= 0.0f ? 0 : a.x) }; }
FT_PTX_PAIR ft_ptx_of_relu(ft_ptx_pair<S> a)
	{ return { ft_ptx_of_relu(a.low), ft_ptx_of_relu(a.high) }; }
template <class T> FT_PTX T ft_ptx_small_fma_relu(T a, T b, T c)
	{ return ft_ptx_of_relu(ft_ptx_of_fma(a, b, c)); }
#undef FT_PTX_UNARY
#undef FT_PTX_BINARY
#undef FT_PTX_PAIR
#undef FT_PTX_SMALL

/* --- conversions --- */

template <class To, class From> FT_PTX To ft_ptx_cvt(From v) { return (To)v; }
template <class To, class From> FT_PTX To ft_ptx_cvt_sat(From v)
{
	const __int128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();

	return (To)(v < low ? low : v > high ? high : (__int128)v);
}
template <class To, class From> FT_PTX To ft_ptx_cvt_real(From v) { return (To)v; }

/* A NaN becomes 0, but from or to 64 bits only the highest bit. */
template <class To, class From> FT_PTX To ft_ptx_cvt_whole(From v)
{
	typedef typename std::make_unsigned<To>::type Bits;
	const From end = (From)((Bits)1 << (ft_ptx_width<To>() - 1))
		* (std::is_signed<To>::value ? 1 : 2);

	if (v != v)
		return sizeof(From) == 8 || sizeof(To) == 8
			? (To)((Bits)1 << (ft_ptx_width<To>() - 1)) : (To)0;
	if (v >= end)
		return std::numeric_limits<To>::max();
	if (v < (std::is_signed<To>::value ? -end : (From)0))
		return std::numeric_limits<To>::min();
	return (To)v;
}
#define FT_PTX_ROUND(name, round) \
	FT_PTX float ft_ptx_round_##name(float v) { return __builtin_##round##f(v); } \
	FT_PTX double ft_ptx_round_##name(double v) { return __builtin_##round(v); } \
	template <class To, class From> FT_PTX To ft_ptx_cvt_##name(From v) \
		{ return ft_ptx_cvt_whole<To>(ft_ptx_round_##name(v)); } \
	template <class To> FT_PTX To ft_ptx_cvt_##name##_f16(ft_ptx_f16 v) \
		{ return ft_ptx_cvt_##name<To>(v.value()); } \
	FT_PTX float ft_ptx_cvt_##name##_f32_f32(float v) { return ft_ptx_round_##name(v); } \
	FT_PTX double ft_ptx_cvt_##name##_f64_f64(double v) { return ft_ptx_round_##name(v); }
FT_PTX_ROUND(rni, rint)
FT_PTX_ROUND(rzi, trunc)
FT_PTX_ROUND(rmi, floor)
FT_PTX_ROUND(rpi, ceil)
#undef FT_PTX_ROUND

FT_PTX float ft_ptx_cvt_sat_f32_f32(float v) { return ft_saturatef(v); }
FT_PTX float ft_ptx_cvt_rn_f32_f64(double v) { return (float)v; }
FT_PTX double ft_ptx_cvt_f64_f32(float v) { return v; }
template <class S> FT_PTX S ft_ptx_cvt_rn_f32(float v) { return S::of(v); }
template <class S> FT_PTX S ft_ptx_cvt_rz_f32(float v) { return S::of(v, FT_TO_ZERO); }
/* The first operand is the high half. */
template <class P> FT_PTX P ft_ptx_cvt_rn_f32(float high, float low)
	{ return { decltype(P::low)::of(low), decltype(P::low)::of(high) }; }
template <class P> FT_PTX P ft_ptx_cvt_rz_f32(float high, float low)
{
	return { decltype(P::low)::of(low, FT_TO_ZERO), decltype(P::low)::of(high, FT_TO_ZERO) };
}
template <class S> FT_PTX float ft_ptx_cvt_widen(S v) { return v.value(); }
template <class S, class From> FT_PTX S ft_ptx_cvt_small(From v) { return S::of(ft_sticky(v)); }

#endif
