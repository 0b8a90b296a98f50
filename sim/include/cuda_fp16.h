/* cuda_fp16.h - half precision for C++ files on the simulator: __half, its conversions and
 * arithmetic.
 *
 * Every operation is done in float, or double for a fused one, and rounded once to nearest even:
 * both are wide enough that this is what a GPU gives. NaNs become 0x7fff. No packed __half2
 * arithmetic.
 */
#ifndef FLASHTWIN_CUDA_FP16_H
#define FLASHTWIN_CUDA_FP16_H

#ifndef __cplusplus
#error "cuda_fp16.h needs C++"
#endif

/* Rounds to half, to nearest even. Scaling by a power of two is exact in double. */
static inline unsigned short ft_half_bits(double x)
{
	unsigned short sign = std::signbit(x) ? 0x8000 : 0;
	double a = fabs(x), ulp;
	int exponent;

	if (x != x)
		return 0x7fff;
	if (a >= 65520.0)
		return (unsigned short)(sign | 0x7c00);
	if (a == 0.0)
		return sign;
	frexp(a, &exponent);            /* a is in [2^(exponent - 1), 2^exponent) */
	exponent = exponent < -13 ? -13 : exponent;
	ulp = ldexp(1.0, exponent - 11);
	/* The carry out of the fraction is the next exponent, as it should be. */
	return (unsigned short)(sign
				| ((unsigned)(exponent + 13) * 1024 + (unsigned)rint(a / ulp)));
}

static inline float ft_half_value(unsigned short bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	float a = exponent == 31 ? (fraction ? NAN : INFINITY)
		: exponent ? (float)ldexp(1024 + fraction, exponent - 25)
		: (float)ldexp(fraction, -24);

	return bits & 0x8000 ? -a : a;
}

struct __half {
	unsigned short ft_x;

	__half() = default;
	__half(float v) : ft_x(ft_half_bits(v)) { }
	__half(double v) : ft_x(ft_half_bits(v)) { }
	__half(int v) : ft_x(ft_half_bits(v)) { }
	__half(unsigned v) : ft_x(ft_half_bits(v)) { }
	operator float() const { return ft_half_value(ft_x); }
};
typedef __half half;

static inline float __half2float(__half h) { return ft_half_value(h.ft_x); }
static inline __half __float2half(float f) { return __half(f); }
static inline __half __float2half_rn(float f) { return __half(f); }
static inline unsigned short __half_as_ushort(__half h) { return h.ft_x; }
static inline __half __ushort_as_half(unsigned short bits) { __half h; h.ft_x = bits; return h; }

#define FT_HALF_OPERATOR(op, name) \
	static inline __half operator op(__half a, __half b) \
		{ return __half((float)a op (float)b); } \
	static inline __half &operator op##=(__half &a, __half b) { return a = a op b; } \
	static inline __half name(__half a, __half b) { return a op b; }
FT_HALF_OPERATOR(+, __hadd)
FT_HALF_OPERATOR(-, __hsub)
FT_HALF_OPERATOR(*, __hmul)
FT_HALF_OPERATOR(/, __hdiv)
#undef FT_HALF_OPERATOR
#define FT_HALF_COMPARE(op, name) \
	static inline bool operator op(__half a, __half b) { return (float)a op (float)b; } \
	static inline bool name(__half a, __half b) { return a op b; }
FT_HALF_COMPARE(<, __hlt)
FT_HALF_COMPARE(>, __hgt)
FT_HALF_COMPARE(<=, __hle)
FT_HALF_COMPARE(>=, __hge)
FT_HALF_COMPARE(==, __heq)
FT_HALF_COMPARE(!=, __hne)
#undef FT_HALF_COMPARE

/* The product is exact in double, and so is the sum wherever half's rounding could see it. */
static inline __half __hfma(__half a, __half b, __half c)
{
	return __half((double)(float)a * (double)(float)b + (double)(float)c);
}
static inline __half operator-(__half a) { return __ushort_as_half(a.ft_x ^ 0x8000); }
static inline __half __hneg(__half a) { return -a; }
static inline __half hsqrt(__half a) { return __half(sqrtf((float)a)); }

#endif
