/* simd_api.h - CUDA's functions on the two halves or the four bytes of a word: __vadd2() and so on.
 *
 * Part of sim/cuda/cuda_cpp.h. Left out: __vavgs2, __vavgs4.
 */
#ifndef SIM_SIMD_API_H
#define SIM_SIMD_API_H

/* Part i of a word of N parts. */
template <int N> static inline int ft_signed_part(unsigned v, int i)
{
	return (int)(v << (32 - 32 / N * (i + 1))) >> (32 - 32 / N);
}
template <int N> static inline int ft_unsigned_part(unsigned v, int i)
{
	return (int)(v << (32 - 32 / N * (i + 1)) >> (32 - 32 / N));
}

/* Applies `f` to all parts; results lose the bits that a part does not have. */
template <int N, class F> static inline unsigned ft_each_part(F f)
{
	unsigned result = 0;

	for (int i = 0; i < N; i++)
		result |= ((unsigned)f(i) & ((1u << 32 / N) - 1)) << 32 / N * i;
	return result;
}
static inline int ft_clamp_part(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

#define FT_SIMD_BINARY(name, N, part, result) \
	static inline unsigned name##N(unsigned x, unsigned y) \
	{ \
		return ft_each_part<N>([=](int i) { \
			const int a = ft_##part##_part<N>(x, i), b = ft_##part##_part<N>(y, i); \
	\
			return (result); \
		}); \
	}
#define FT_SIMD_UNARY(name, N, result) \
	static inline unsigned name##N(unsigned x) \
	{ \
		return ft_each_part<N>([=](int i) { \
			const int a = ft_signed_part<N>(x, i); \
	\
			return (result); \
		}); \
	}
/* The sum over all parts. */
#define FT_SIMD_SUM(name, N, part) \
	static inline unsigned name##N(unsigned x, unsigned y) \
	{ \
		unsigned sum = 0; \
	\
		for (int i = 0; i < N; i++) { \
			const int a = ft_##part##_part<N>(x, i), b = ft_##part##_part<N>(y, i); \
	\
			sum += (unsigned)(a > b ? a - b : b - a); \
		} \
		return sum; \
	}
/* All bits of the part, and 1. */
#define FT_SIMD_COMPARE(name, N, part, condition) \
	FT_SIMD_BINARY(__vcmp##name, N, part, (condition) ? -1 : 0) \
	FT_SIMD_BINARY(__vset##name, N, part, (condition) ? 1 : 0)
#define FT_SIMD_OF(N, LOW, HIGH) \
	FT_SIMD_UNARY(__vabs, N, a < 0 ? -a : a) \
	FT_SIMD_UNARY(__vabsss, N, a < 0 ? ft_clamp_part(-a, LOW, HIGH) : a) \
	FT_SIMD_UNARY(__vneg, N, -a) \
	FT_SIMD_UNARY(__vnegss, N, ft_clamp_part(-a, LOW, HIGH)) \
	FT_SIMD_BINARY(__vaddss, N, signed, ft_clamp_part(a + b, LOW, HIGH)) \
	FT_SIMD_BINARY(__vaddus, N, unsigned, ft_clamp_part(a + b, 0, HIGH - (LOW))) \
	FT_SIMD_BINARY(__vsub, N, unsigned, a - b) \
	FT_SIMD_BINARY(__vsubss, N, signed, ft_clamp_part(a - b, LOW, HIGH)) \
	FT_SIMD_BINARY(__vsubus, N, unsigned, ft_clamp_part(a - b, 0, HIGH - (LOW))) \
	FT_SIMD_BINARY(__vabsdiffs, N, signed, a > b ? a - b : b - a) \
	FT_SIMD_BINARY(__vabsdiffu, N, unsigned, a > b ? a - b : b - a) \
	FT_SIMD_BINARY(__vavgu, N, unsigned, (a + b + 1) >> 1) \
	FT_SIMD_BINARY(__vhaddu, N, unsigned, (a + b) >> 1) \
	FT_SIMD_BINARY(__vmaxs, N, signed, a > b ? a : b) \
	FT_SIMD_BINARY(__vmaxu, N, unsigned, a > b ? a : b) \
	FT_SIMD_BINARY(__vmins, N, signed, a < b ? a : b) \
	FT_SIMD_BINARY(__vminu, N, unsigned, a < b ? a : b) \
	FT_SIMD_SUM(__vsads, N, signed) \
	FT_SIMD_SUM(__vsadu, N, unsigned) \
	FT_SIMD_COMPARE(eq, N, signed, a == b) \
	FT_SIMD_COMPARE(ne, N, signed, a != b) \
	FT_SIMD_COMPARE(ges, N, signed, a >= b) \
	FT_SIMD_COMPARE(geu, N, unsigned, a >= b) \
	FT_SIMD_COMPARE(gts, N, signed, a > b) \
	FT_SIMD_COMPARE(gtu, N, unsigned, a > b) \
	FT_SIMD_COMPARE(les, N, signed, a <= b) \
	FT_SIMD_COMPARE(leu, N, unsigned, a <= b) \
	FT_SIMD_COMPARE(lts, N, signed, a < b) \
	FT_SIMD_COMPARE(ltu, N, unsigned, a < b)
FT_SIMD_OF(2, -32768, 32767)
FT_SIMD_OF(4, -128, 127)
FT_SIMD_BINARY(__vadd, 2, unsigned, a + b)
#undef FT_SIMD_OF
#undef FT_SIMD_COMPARE
#undef FT_SIMD_SUM
#undef FT_SIMD_UNARY
#undef FT_SIMD_BINARY

#endif
