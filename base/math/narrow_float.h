/* narrow_float.h - conversions between float and narrower floats: f16, bf16, e4m3, e5m2, tf32.
 *
 * In integers, so that host and simulator have the bits of CUDA's cvt.rn.f16.f32, cvt.rn.bf16.f32
 * and cvt.rn.satfinite.e4m3x2.f32: rounded to nearest even, and any NaN becomes one with all bits
 * set but the sign. E4M3 has no infinity: what is larger than its largest number, 448, becomes
 * that; so does E5M2 with 57344, although it has one. Widening is exact; a NaN becomes 0x7fffffff,
 * but one of bf16 keeps its bits. tf32 has the bits of a float, of which the low 13 are 0 if it is
 * not a NaN. Used for files of models, KV caches and inline PTX; C++ kernels of users have
 * templates with the same bits, whose arithmetic needs more roundings (sim/cuda/float16,
 * sim/cuda/float8); test_launch_fp8.sh compares those of E4M3.
 */
#ifndef NARROW_FLOAT_H
#define NARROW_FLOAT_H

#include <stdint.h>
#include <string.h>

static inline uint32_t narrow_bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline float narrow_float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* --- to fewer bits --- */

/* Divides by 2^shift and rounds to nearest even. 1 <= shift <= 25. */
static inline uint32_t narrow_shift(uint32_t value, int shift)
{
	return (value + (1u << (shift - 1)) - 1 + (value >> shift & 1)) >> shift;
}

/* Rounds a magnitude that is not NaN to a format with fewer bits, as if its exponent had no
 * limit: the caller cuts what is above its largest code. */
static inline uint32_t narrow_round(uint32_t magnitude, int exponent, int fraction)
{
	const int drop = 23 - fraction, rebias = 127 - ((1 << (exponent - 1)) - 1);
	const int e = (int)(magnitude >> 23);
	int shift;

	/* A carry out of the fraction correctly increments the exponent. */
	if (e > rebias)
		return narrow_shift(magnitude - ((uint32_t)rebias << 23), drop);
	if (e == 0)             /* zero or subnormal */
		return narrow_shift(magnitude, rebias == 0 ? drop : 25);
	shift = drop + rebias + 1 - e;
	return shift > 25 ? 0 : narrow_shift((magnitude & 0x7fffff) | 0x800000, shift);
}

static inline uint16_t narrow_to_16(float value, int exponent, int fraction)
{
	const uint32_t bits = narrow_bits_of(value), magnitude = bits & 0x7fffffff;
	const uint32_t infinity = ((1u << exponent) - 1) << fraction;
	uint32_t rounded;

	if (magnitude > 0x7f800000)
		return 0x7fff;
	rounded = narrow_round(magnitude, exponent, fraction);
	return (uint16_t)((bits >> 16 & 0x8000) | (rounded < infinity ? rounded : infinity));
}

static inline uint16_t narrow_to_f16(float value)
{
	return narrow_to_16(value, 5, 10);
}

static inline uint16_t narrow_to_bf16(float value)
{
	return narrow_to_16(value, 8, 7);
}

static inline uint8_t narrow_to_e4m3(float value)
{
	const uint32_t bits = narrow_bits_of(value), magnitude = bits & 0x7fffffff;
	uint32_t rounded;

	if (magnitude > 0x7f800000)
		return 0x7f;
	rounded = narrow_round(magnitude, 4, 3);
	return (uint8_t)((bits >> 24 & 0x80) | (rounded < 0x7e ? rounded : 0x7e));
}

static inline uint8_t narrow_to_e5m2(float value)
{
	const uint32_t bits = narrow_bits_of(value), magnitude = bits & 0x7fffffff;
	uint32_t rounded;

	if (magnitude > 0x7f800000)
		return 0x7f;
	rounded = narrow_round(magnitude, 5, 2);
	return (uint8_t)((bits >> 24 & 0x80) | (rounded < 0x7b ? rounded : 0x7b));
}

/* As cvt.rna.tf32.f32, cvt.rn.tf32.f32 and cvt.rz.tf32.f32: what is added to the magnitude before
 * the low bits are cut is half of the last bit kept for ties away from zero, and up to that for
 * ties to even. A NaN loses its low bits by the first of them, so that 0x7f800001 becomes an
 * infinity, and becomes 0x7fffe000 by the others: all NaNs were measured on an H200. */
static inline uint32_t narrow_cut_tf32(float value, uint32_t added, int keeps_nan)
{
	const uint32_t bits = narrow_bits_of(value);
	const int nan = (bits & 0x7fffffff) > 0x7f800000;

	if (nan && !keeps_nan)
		return 0x7fffe000;
	return (bits + (nan ? 0 : added)) & ~0x1fffu;
}

static inline uint32_t narrow_to_tf32_away(float value)
{
	return narrow_cut_tf32(value, 0x1000, 1);
}

static inline uint32_t narrow_to_tf32_even(float value)
{
	return narrow_cut_tf32(value, 0xfff + (narrow_bits_of(value) >> 13 & 1), 0);
}

static inline uint32_t narrow_to_tf32_zero(float value)
{
	return narrow_cut_tf32(value, 0, 0);
}

/* --- to float --- */

static inline float narrow_from_bf16(uint16_t bits)
{
	return narrow_float_of((uint32_t)bits << 16);
}

static inline float narrow_from_f16(uint16_t bits)
{
	const uint32_t magnitude = bits & 0x7fff;
	float value;

	if (magnitude > 0x7c00)
		return narrow_float_of(0x7fffffff);
	if (magnitude < 0x400)          /* zero or subnormal */
		value = (float)magnitude * 0x1p-24f;
	else
		value = narrow_float_of((magnitude << 13)
					+ (magnitude < 0x7c00 ? 112u << 23 : 224u << 23));
	return bits & 0x8000 ? -value : value;
}

/* e5m2 is the high byte of f16. */
static inline float narrow_from_e5m2(uint8_t bits)
{
	return narrow_from_f16((uint16_t)(bits << 8));
}

static inline float narrow_from_e4m3(uint8_t bits)
{
	const uint32_t magnitude = bits & 0x7f;
	float value;

	if (magnitude == 0x7f)
		return narrow_float_of(0x7fffffff);
	if (magnitude < 0x08)           /* zero or subnormal */
		value = (float)magnitude * 0x1p-9f;
	else
		value = narrow_float_of((magnitude << 20) + (120u << 23));
	return bits & 0x80 ? -value : value;
}

#endif
