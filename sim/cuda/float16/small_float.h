/* small_float.h - rounding of the 16-bit floats, for the stubs of cuda_fp16.h and cuda_bf16.h.
 *
 * Sums, products and quotients are computed in float, fused multiply-adds in double. Both are wide
 * enough that rounding the result again gives what a GPU gives. The exception is a fused
 * multiply-add of bfloat16 values of very different magnitude, so the double is rounded to odd
 * first. Every NaN becomes 0x7fff. As a float, a half's NaN is 0x7fffffff, whatever its sign: so
 * measured on an H200, where a conversion of the float to an 8-bit one can show it.
 */
#ifndef SIM_SMALL_FLOAT_H
#define SIM_SMALL_FLOAT_H

#include <limits>

#include "sim/cuda/float16/host_only.h"

enum ft_rounding { FT_NEAREST, FT_TO_ZERO, FT_DOWN, FT_UP };

/* Rounds x to a 16-bit float with EXPONENT exponent bits and FRACTION fraction bits. Scaling by a
 * power of two is exact in double. */
template <int EXPONENT, int FRACTION>
static inline unsigned short ft_small_bits(double x, enum ft_rounding rounding = FT_NEAREST)
{
	const int min = 2 - (1 << (EXPONENT - 1));      /* exponent of the smallest normal number */
	const unsigned infinity = ((1u << EXPONENT) - 1) << FRACTION;
	const unsigned sign = std::signbit(x) ? 0x8000 : 0;
	double a = fabs(x), units;
	bool away = rounding == (sign ? FT_DOWN : FT_UP);
	unsigned bits;
	int exponent;

	if (x != x)
		return 0x7fff;
	if (a == 0.0 || a > 1e300)
		return (unsigned short)(sign | (a == 0.0 ? 0
				: a == INFINITY || rounding == FT_NEAREST || away ? infinity
				: infinity - 1));
	frexp(a, &exponent);            /* a is in [2^(exponent - 1), 2^exponent) */
	exponent = exponent - 1 < min ? min + 1 : exponent;
	units = ldexp(a, FRACTION + 1 - exponent);
	units = rounding == FT_NEAREST ? rint(units) : away ? ceil(units) : floor(units);
	/* A carry out of the fraction correctly increments the exponent. */
	if (exponent - 1 - min > (1 << EXPONENT))
		bits = infinity;
	else
		bits = ((unsigned)(exponent - 1 - min) << FRACTION) + (unsigned)units;
	if (bits >= infinity)
		bits = rounding == FT_NEAREST || away ? infinity : infinity - 1;
	return (unsigned short)(sign | bits);
}

template <int EXPONENT, int FRACTION> static inline float ft_small_value(unsigned short bits)
{
	const int exponent = bits >> FRACTION & ((1 << EXPONENT) - 1);
	const int fraction = bits & ((1 << FRACTION) - 1);
	const int scale = 2 - (1 << (EXPONENT - 1)) - FRACTION;
	const unsigned canonical = 0x7fffffff;
	float a;

	if (EXPONENT == 5 && exponent == 31 && fraction) {
		memcpy(&a, &canonical, sizeof a);
		return a;
	}
	a = exponent == (1 << EXPONENT) - 1 ? (fraction ? NAN : INFINITY)
		: exponent ? (float)ldexp((1 << FRACTION) + fraction, exponent - 1 + scale)
		: (float)ldexp(fraction, scale);

	return bits & 0x8000 ? -a : a;
}

/* An integer as a double that rounds to a 16-bit float as the integer does: where a double has too
 * few bits, the last one is set if any of those dropped is. */
static inline double ft_sticky_magnitude(unsigned long long v)
{
	return v >> 53 ? 2048.0 * (double)(v >> 11 | ((v & 2047) != 0)) : (double)v;
}
template <class T> static inline double ft_sticky(T v)
{
	return v < 0 ? -ft_sticky_magnitude(0 - (unsigned long long)v)
		: ft_sticky_magnitude((unsigned long long)v);
}

/* The integer that `round` makes of a. */
template <class T> static inline T ft_to_integer(float a, float (*round)(float))
{
	const T highest = std::numeric_limits<T>::max(), lowest = std::numeric_limits<T>::min();
	float rounded = round(a);

	if (a != a)
		return sizeof(T) == 8 ? (T)(1ull << 63) : (T)0;
	return rounded >= (float)highest ? highest : rounded <= (float)lowest ? lowest : (T)rounded;
}

/* a * b + c in double, rounded to odd: rounding that again equals rounding the exact sum. */
static inline double ft_fma_odd(double a, double b, double c)
{
	double product = a * b, sum = product + c;      /* the product of two floats is exact */
	double back = sum - product, error = (product - (sum - back)) + (c - back);
	uint64_t bits;

	memcpy(&bits, &sum, sizeof bits);
	if (error == 0.0 || error != error || (bits & 1))
		return sum;
	return nextafter(sum, error > 0.0 ? INFINITY : -INFINITY);
}

#endif
