/* small_float_type.h - a 16-bit float type of CUDA and its pair type, with all their functions.
 *
 * Included once per type, with FT_NAME (half), FT_T (__half), FT_RAW, FT_T2 (__half2), FT_RAW2,
 * FT_EXPONENT and FT_FRACTION defined; undefines them. Rounding is in small_float.h, conversions to
 * integers are in small_float_integer.h, comparisons in small_float_compare.h.
 */
#define FT_PASTE_(a, b, c) a##b##c
#define FT_PASTE(a, b, c) FT_PASTE_(a, b, c)
#define FT_BITS_OF(...) ft_small_bits<FT_EXPONENT, FT_FRACTION>(__VA_ARGS__)
#define FT_VALUE_OF(bits) ft_small_value<FT_EXPONENT, FT_FRACTION>(bits)
#define FT_FN static inline

struct FT_RAW { unsigned short x; };
struct __attribute__((aligned(4))) FT_RAW2 { unsigned short x, y; };

struct FT_T {
	unsigned short ft_x;

	FT_T() = default;
	FT_T(const FT_RAW &raw) : ft_x(raw.x) { }
	FT_T(float v) : ft_x(FT_BITS_OF(v)) { }
	FT_T(double v) : ft_x(FT_BITS_OF(v)) { }
	FT_T(short v) : ft_x(FT_BITS_OF(v)) { }
	FT_T(unsigned short v) : ft_x(FT_BITS_OF(v)) { }
	FT_T(int v) : ft_x(FT_BITS_OF(v)) { }
	FT_T(unsigned v) : ft_x(FT_BITS_OF(v)) { }
	FT_T(long v) : ft_x(FT_BITS_OF(ft_sticky(v))) { }
	FT_T(unsigned long v) : ft_x(FT_BITS_OF(ft_sticky(v))) { }
	FT_T(long long v) : ft_x(FT_BITS_OF(ft_sticky(v))) { }
	FT_T(unsigned long long v) : ft_x(FT_BITS_OF(ft_sticky(v))) { }
	operator float() const { return FT_VALUE_OF(ft_x); }
	operator FT_RAW() const { return { ft_x }; }
	operator bool() const { return (ft_x & 0x7fff) != 0; }
	operator char() const { return ft_to_integer<char>(*this, truncf); }
	operator signed char() const { return ft_to_integer<signed char>(*this, truncf); }
	operator unsigned char() const { return ft_to_integer<unsigned char>(*this, truncf); }
	operator short() const { return ft_to_integer<short>(*this, truncf); }
	operator unsigned short() const { return ft_to_integer<unsigned short>(*this, truncf); }
	operator int() const { return ft_to_integer<int>(*this, truncf); }
	operator unsigned() const { return ft_to_integer<unsigned>(*this, truncf); }
	operator long() const { return ft_to_integer<long>(*this, truncf); }
	operator unsigned long() const { return ft_to_integer<unsigned long>(*this, truncf); }
	operator long long() const { return ft_to_integer<long long>(*this, truncf); }
	operator unsigned long long() const
		{ return ft_to_integer<unsigned long long>(*this, truncf); }
};

struct __attribute__((aligned(4))) FT_T2 {
	FT_T x, y;

	FT_T2() = default;
	FT_T2(const FT_T &a, const FT_T &b) : x(a), y(b) { }
	FT_T2(const FT_RAW2 &raw) : x(FT_RAW{ raw.x }), y(FT_RAW{ raw.y }) { }
	operator FT_RAW2() const { return { x.ft_x, y.ft_x }; }
};

/* --- conversions --- */

#define FT_CONVERT(name, from, rounding) \
	FT_FN FT_T name(from v) { FT_T t; t.ft_x = FT_BITS_OF(v, rounding); return t; }
#define FT_CONVERT_ALL(from) \
	FT_CONVERT(FT_PASTE(__##from##2, FT_NAME, _rn), from, FT_NEAREST) \
	FT_CONVERT(FT_PASTE(__##from##2, FT_NAME, _rz), from, FT_TO_ZERO) \
	FT_CONVERT(FT_PASTE(__##from##2, FT_NAME, _rd), from, FT_DOWN) \
	FT_CONVERT(FT_PASTE(__##from##2, FT_NAME, _ru), from, FT_UP)
FT_CONVERT_ALL(float)
#undef FT_CONVERT_ALL
FT_CONVERT(FT_PASTE(__float2, FT_NAME, ), float, FT_NEAREST)
FT_CONVERT(FT_PASTE(__double2, FT_NAME, ), double, FT_NEAREST)
#undef FT_CONVERT
FT_FN float FT_PASTE(__, FT_NAME, 2float)(FT_T a) { return (float)a; }
FT_FN unsigned short FT_PASTE(__, FT_NAME, _as_ushort)(FT_T a) { return a.ft_x; }
FT_FN short FT_PASTE(__, FT_NAME, _as_short)(FT_T a) { return (short)a.ft_x; }
FT_FN FT_T FT_PASTE(__ushort_as_, FT_NAME, )(unsigned short v)
	{ FT_T t; t.ft_x = v; return t; }
FT_FN FT_T FT_PASTE(__short_as_, FT_NAME, )(short v)
	{ FT_T t; t.ft_x = (unsigned short)v; return t; }

/* --- pairs: construction and access --- */

FT_FN FT_T2 FT_PASTE(make_, FT_NAME, 2)(FT_T a, FT_T b) { return FT_T2(a, b); }
FT_FN FT_T2 FT_PASTE(__halves2, FT_NAME, 2)(FT_T a, FT_T b) { return FT_T2(a, b); }
FT_FN FT_T2 FT_PASTE(FT_PASTE(__, FT_NAME, 2), FT_NAME, 2)(FT_T a) { return FT_T2(a, a); }
FT_FN FT_T2 FT_PASTE(__float2, FT_NAME, 2_rn)(float v) { return FT_T2(FT_T(v), FT_T(v)); }
FT_FN FT_T2 FT_PASTE(__floats2, FT_NAME, 2_rn)(float a, float b)
	{ return FT_T2(FT_T(a), FT_T(b)); }
FT_FN FT_T2 FT_PASTE(__float22, FT_NAME, 2_rn)(float2 v) { return FT_T2(FT_T(v.x), FT_T(v.y)); }
FT_FN float2 FT_PASTE(__, FT_NAME, 22float2)(FT_T2 v)
	{ return make_float2((float)v.x, (float)v.y); }
FT_FN float __low2float(FT_T2 v) { return (float)v.x; }
FT_FN float __high2float(FT_T2 v) { return (float)v.y; }
FT_FN FT_T FT_PASTE(__low2, FT_NAME, )(FT_T2 v) { return v.x; }
FT_FN FT_T FT_PASTE(__high2, FT_NAME, )(FT_T2 v) { return v.y; }
FT_FN FT_T2 FT_PASTE(__low2, FT_NAME, 2)(FT_T2 v) { return FT_T2(v.x, v.x); }
FT_FN FT_T2 FT_PASTE(__high2, FT_NAME, 2)(FT_T2 v) { return FT_T2(v.y, v.y); }
FT_FN FT_T2 FT_PASTE(__lows2, FT_NAME, 2)(FT_T2 a, FT_T2 b) { return FT_T2(a.x, b.x); }
FT_FN FT_T2 FT_PASTE(__highs2, FT_NAME, 2)(FT_T2 a, FT_T2 b) { return FT_T2(a.y, b.y); }
FT_FN FT_T2 __lowhigh2highlow(FT_T2 v) { return FT_T2(v.y, v.x); }

/* --- arithmetic --- */

/* [0, 1]; a NaN becomes 0 */
FT_FN FT_T ft_saturate(FT_T a)
	{ return (float)a > 0.0f ? ((float)a < 1.0f ? a : FT_T(1)) : FT_T(0); }

#define FT_OPERATOR(op, name) \
	FT_FN FT_T operator op(const FT_T &a, const FT_T &b) \
		{ return FT_T((float)a op (float)b); } \
	FT_FN FT_T &operator op##=(FT_T &a, const FT_T &b) { return a = a op b; } \
	FT_FN FT_T name(FT_T a, FT_T b) { return a op b; } \
	FT_FN FT_T2 operator op(const FT_T2 &a, const FT_T2 &b) \
		{ return FT_T2(a.x op b.x, a.y op b.y); } \
	FT_FN FT_T2 &operator op##=(FT_T2 &a, const FT_T2 &b) { return a = a op b; } \
	FT_FN FT_T2 FT_PASTE(name, 2, )(FT_T2 a, FT_T2 b) { return a op b; }
#define FT_VARIANTS(op, name) \
	FT_FN FT_T name##_rn(FT_T a, FT_T b) { return a op b; } \
	FT_FN FT_T name##_sat(FT_T a, FT_T b) { return ft_saturate(a op b); } \
	FT_FN FT_T2 name##2_rn(FT_T2 a, FT_T2 b) { return a op b; } \
	FT_FN FT_T2 name##2_sat(FT_T2 a, FT_T2 b) \
		{ return FT_T2(ft_saturate(a.x op b.x), ft_saturate(a.y op b.y)); }
FT_OPERATOR(+, __hadd)
FT_OPERATOR(-, __hsub)
FT_OPERATOR(*, __hmul)
FT_OPERATOR(/, __hdiv)
FT_FN FT_T2 __h2div(FT_T2 a, FT_T2 b) { return a / b; }
FT_VARIANTS(+, __hadd)
FT_VARIANTS(-, __hsub)
FT_VARIANTS(*, __hmul)
#undef FT_OPERATOR
#undef FT_VARIANTS
FT_FN FT_T __hfma(FT_T a, FT_T b, FT_T c) { return FT_T(ft_fma_odd((float)a, (float)b, (float)c)); }
FT_FN FT_T __hfma_sat(FT_T a, FT_T b, FT_T c) { return ft_saturate(__hfma(a, b, c)); }
FT_FN FT_T2 __hfma2(FT_T2 a, FT_T2 b, FT_T2 c)
	{ return FT_T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
FT_FN FT_T2 __hfma2_sat(FT_T2 a, FT_T2 b, FT_T2 c)
	{ return FT_T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
/* max(result, +0); a NaN stays one */
FT_FN FT_T ft_relu(FT_T a) { return (float)a <= 0.0f ? FT_T(0) : a; }
FT_FN FT_T __hfma_relu(FT_T a, FT_T b, FT_T c) { return ft_relu(__hfma(a, b, c)); }
FT_FN FT_T2 __hfma2_relu(FT_T2 a, FT_T2 b, FT_T2 c)
	{ return FT_T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
FT_FN FT_T __hneg(FT_T a)
{
	return FT_PASTE(__ushort_as_, FT_NAME, )((float)a != (float)a ? 0x7fff : a.ft_x ^ 0x8000);
}
FT_FN FT_T __habs(FT_T a)
{
	return FT_PASTE(__ushort_as_, FT_NAME, )((float)a != (float)a ? 0x7fff : a.ft_x & 0x7fff);
}
FT_FN FT_T operator-(const FT_T &a) { return __hneg(a); }
FT_FN FT_T operator+(const FT_T &a) { return a; }
FT_FN FT_T &operator++(FT_T &a) { return a = a + FT_T(1); }
FT_FN FT_T &operator--(FT_T &a) { return a = a - FT_T(1); }
FT_FN FT_T operator++(FT_T &a, int) { FT_T old = a; ++a; return old; }
FT_FN FT_T operator--(FT_T &a, int) { FT_T old = a; --a; return old; }
FT_FN FT_T2 operator-(const FT_T2 &a) { return FT_T2(-a.x, -a.y); }
FT_FN FT_T2 operator+(const FT_T2 &a) { return a; }
FT_FN FT_T2 &operator++(FT_T2 &a) { return a = a + FT_T2(FT_T(1), FT_T(1)); }
FT_FN FT_T2 &operator--(FT_T2 &a) { return a = a - FT_T2(FT_T(1), FT_T(1)); }
FT_FN FT_T2 operator++(FT_T2 &a, int) { FT_T2 old = a; ++a; return old; }
FT_FN FT_T2 operator--(FT_T2 &a, int) { FT_T2 old = a; --a; return old; }
/* a * b + c of complex numbers, with the real part in x */
FT_FN FT_T2 __hcmadd(FT_T2 a, FT_T2 b, FT_T2 c)
{
	return FT_T2(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)),
		     __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
FT_FN FT_T hsqrt(FT_T a) { return FT_T(sqrtf((float)a)); }

#define FT_UNARY(name, call) \
	FT_FN FT_T name(FT_T a) { return FT_T(call((float)a)); }
FT_UNARY(hceil, ceilf)
FT_UNARY(hfloor, floorf)
FT_UNARY(htrunc, truncf)
FT_UNARY(hrint, rintf)
#undef FT_UNARY
#define FT_ON_PAIR(name, one) \
	FT_FN FT_T2 name(FT_T2 a) { return FT_T2(one(a.x), one(a.y)); }
FT_ON_PAIR(__hneg2, __hneg)
FT_ON_PAIR(__habs2, __habs)
FT_ON_PAIR(h2sqrt, hsqrt)
FT_ON_PAIR(h2ceil, hceil)
FT_ON_PAIR(h2floor, hfloor)
FT_ON_PAIR(h2trunc, htrunc)
FT_ON_PAIR(h2rint, hrint)
#undef FT_ON_PAIR

/* Calling these is a compile error. */
#define FT_NO_MODEL(type, name) \
	type name(type) __attribute__((error(#name " has no bit-exact model in the simulator: " \
					     "convert to float and use tanhf")));
FT_NO_MODEL(FT_T, htanh_approx)
FT_NO_MODEL(FT_T2, h2tanh_approx)
#undef FT_NO_MODEL

#include "sim/cuda/float16/small_float_integer.h"
#include "sim/cuda/float16/small_float_compare.h"

#undef FT_FN
#undef FT_VALUE_OF
#undef FT_BITS_OF
#undef FT_PASTE
#undef FT_PASTE_
#undef FT_NAME
#undef FT_T
#undef FT_RAW
#undef FT_RAW2
#undef FT_T2
#undef FT_EXPONENT
#undef FT_FRACTION
