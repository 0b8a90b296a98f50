/* small_float_type.h - a 16-bit float type of CUDA and its pair type, with all their functions.
 *
 * Included once per type, with FT_NAME (half), FT_T (__half), FT_RAW, FT_T2 (__half2), FT_EXPONENT
 * and FT_FRACTION defined; undefines them. Rounding is in small_float.h.
 */
#define FT_PASTE_(a, b, c) a##b##c
#define FT_PASTE(a, b, c) FT_PASTE_(a, b, c)
#define FT_BITS_OF(...) ft_small_bits<FT_EXPONENT, FT_FRACTION>(__VA_ARGS__)
#define FT_VALUE_OF(bits) ft_small_value<FT_EXPONENT, FT_FRACTION>(bits)
#define FT_FN static inline

struct FT_RAW { unsigned short x; };

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
	FT_T(long v) : ft_x(FT_BITS_OF((double)v)) { }
	FT_T(unsigned long v) : ft_x(FT_BITS_OF((double)v)) { }
	FT_T(long long v) : ft_x(FT_BITS_OF((double)v)) { }
	FT_T(unsigned long long v) : ft_x(FT_BITS_OF((double)v)) { }
	operator float() const { return FT_VALUE_OF(ft_x); }
	operator FT_RAW() const { return { ft_x }; }
};

struct __attribute__((aligned(4))) FT_T2 {
	FT_T x, y;

	FT_T2() = default;
	FT_T2(const FT_T &a, const FT_T &b) : x(a), y(b) { }
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
FT_CONVERT_ALL(int)
FT_CONVERT_ALL(short)
#undef FT_CONVERT_ALL
FT_CONVERT(FT_PASTE(__float2, FT_NAME, ), float, FT_NEAREST)
FT_CONVERT(FT_PASTE(__double2, FT_NAME, ), double, FT_NEAREST)
FT_CONVERT(FT_PASTE(__uint2, FT_NAME, _rn), unsigned, FT_NEAREST)
FT_CONVERT(FT_PASTE(__ushort2, FT_NAME, _rn), unsigned short, FT_NEAREST)
#undef FT_CONVERT
FT_FN float FT_PASTE(__, FT_NAME, 2float)(FT_T a) { return (float)a; }
FT_FN int FT_PASTE(__, FT_NAME, 2int_rn)(FT_T a) { return __float2int_rn((float)a); }
FT_FN int FT_PASTE(__, FT_NAME, 2int_rz)(FT_T a) { return __float2int_rz((float)a); }
FT_FN int FT_PASTE(__, FT_NAME, 2int_rd)(FT_T a) { return __float2int_rd((float)a); }
FT_FN int FT_PASTE(__, FT_NAME, 2int_ru)(FT_T a) { return __float2int_ru((float)a); }
FT_FN unsigned FT_PASTE(__, FT_NAME, 2uint_rn)(FT_T a) { return __float2uint_rn((float)a); }
FT_FN unsigned FT_PASTE(__, FT_NAME, 2uint_rz)(FT_T a) { return __float2uint_rz((float)a); }
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
FT_FN FT_T __hneg(FT_T a)
	{ return FT_PASTE(__ushort_as_, FT_NAME, )(a != a ? 0x7fff : a.ft_x ^ 0x8000); }
FT_FN FT_T __habs(FT_T a)
{
	return FT_PASTE(__ushort_as_, FT_NAME, )((float)a != (float)a ? 0x7fff : a.ft_x & 0x7fff);
}
FT_FN FT_T operator-(const FT_T &a) { return __hneg(a); }
FT_FN FT_T operator+(const FT_T &a) { return a; }
FT_FN FT_T &operator++(FT_T &a) { return a = a + FT_T(1); }
FT_FN FT_T &operator--(FT_T &a) { return a = a - FT_T(1); }
FT_FN FT_T2 operator-(const FT_T2 &a) { return FT_T2(-a.x, -a.y); }
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

/* Functions without a bit-exact model: calling one is a compile error. */
#define FT_NO_MODEL(name, instead) \
	FT_T name(FT_T) __attribute__((error(#name " has no bit-exact model in the simulator: " \
					     "convert to float and use " instead)));
FT_NO_MODEL(hexp, "expf")
FT_NO_MODEL(hexp2, "exp2f")
FT_NO_MODEL(hexp10, "exp10f")
FT_NO_MODEL(hlog, "logf")
FT_NO_MODEL(hlog2, "log2f")
FT_NO_MODEL(hlog10, "log10f")
FT_NO_MODEL(hsin, "sinf")
FT_NO_MODEL(hcos, "cosf")
FT_NO_MODEL(htanh, "tanhf")
FT_NO_MODEL(hrcp, "1.0f / x")
FT_NO_MODEL(hrsqrt, "rsqrtf")
#undef FT_NO_MODEL

/* --- comparison --- */

FT_FN bool __hisnan(FT_T a) { return (float)a != (float)a; }
FT_FN int __hisinf(FT_T a) { return (float)a == INFINITY ? 1 : (float)a == -INFINITY ? -1 : 0; }
/* The functions with u at the end are true for a NaN too. */
#define FT_COMPARE(op, name) \
	FT_FN bool operator op(const FT_T &a, const FT_T &b) { return (float)a op (float)b; } \
	FT_FN bool __h##name(FT_T a, FT_T b) { return a op b; } \
	FT_FN bool __h##name##u(FT_T a, FT_T b) \
		{ return __hisnan(a) || __hisnan(b) || a op b; } \
	FT_FN FT_T2 __h##name##2(FT_T2 a, FT_T2 b) \
		{ return FT_T2(FT_T((int)__h##name(a.x, b.x)), FT_T((int)__h##name(a.y, b.y))); } \
	FT_FN bool __hb##name##2(FT_T2 a, FT_T2 b) \
		{ return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
FT_COMPARE(==, eq)
FT_COMPARE(<, lt)
FT_COMPARE(>, gt)
FT_COMPARE(<=, le)
FT_COMPARE(>=, ge)
#undef FT_COMPARE
FT_FN bool operator!=(const FT_T &a, const FT_T &b) { return (float)a != (float)b; }
FT_FN bool __hneu(FT_T a, FT_T b) { return a != b; }
FT_FN bool __hne(FT_T a, FT_T b) { return !__hisnan(a) && !__hisnan(b) && a != b; }

/* These return the number if the other operand is a NaN, and +0 is greater than -0. The functions
 * with _nan at the end return the NaN. */
FT_FN FT_T __hmax(FT_T a, FT_T b) { return FT_T(ft_fmaxf((float)a, (float)b)); }
FT_FN FT_T __hmin(FT_T a, FT_T b) { return FT_T(ft_fminf((float)a, (float)b)); }
FT_FN FT_T __hmax_nan(FT_T a, FT_T b)
	{ return __hisnan(a) || __hisnan(b) ? FT_T(NAN) : __hmax(a, b); }
FT_FN FT_T __hmin_nan(FT_T a, FT_T b)
	{ return __hisnan(a) || __hisnan(b) ? FT_T(NAN) : __hmin(a, b); }
FT_FN FT_T2 __hmax2(FT_T2 a, FT_T2 b) { return FT_T2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
FT_FN FT_T2 __hmin2(FT_T2 a, FT_T2 b) { return FT_T2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

#undef FT_FN
#undef FT_VALUE_OF
#undef FT_BITS_OF
#undef FT_PASTE
#undef FT_PASTE_
#undef FT_NAME
#undef FT_T
#undef FT_RAW
#undef FT_T2
#undef FT_EXPONENT
#undef FT_FRACTION
