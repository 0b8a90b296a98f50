/* value.c - interprets the bits of an element; see value.h. */
#include "base/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/math/narrow_float.h"

/* Exponent and fraction bits of a float type. The exponent has 0 bits for other types. With
 * `finite`, all exponents are of numbers: there is no infinity, and only the last code is NaN. */
struct format {
	int exponent, fraction;
	bool finite;
};

static struct format format_of(enum dtype type)
{
	switch (type) {
	case DTYPE_F64:  return (struct format){ 11, 52, false };
	case DTYPE_F32:  return (struct format){ 8, 23, false };
	case DTYPE_BF16: return (struct format){ 8, 7, false };
	case DTYPE_F16:  return (struct format){ 5, 10, false };
	case DTYPE_E4M3: return (struct format){ 4, 3, true };
	default:         return (struct format){ 0, 0, false };
	}
}

/* Bits of the number without its sign. */
static uint64_t magnitude(struct format f, uint64_t bits)
{
	return bits & ((UINT64_C(1) << (f.exponent + f.fraction)) - 1);
}

/* The magnitude of infinity, or, in a format without, of its largest number: a NaN's is larger. */
static uint64_t highest(struct format f)
{
	return f.finite ? (UINT64_C(1) << (f.exponent + f.fraction)) - 2
		: ((UINT64_C(1) << f.exponent) - 1) << f.fraction;
}

bool value_is_float(enum dtype type)
{
	return format_of(type).exponent > 0;
}

bool value_is_narrow(enum dtype type)
{
	return value_is_float(type) && dtype_bytes(type) < sizeof(float);
}

bool value_is_nan(enum dtype type, uint64_t bits)
{
	struct format f = format_of(type);

	return f.exponent && magnitude(f, bits) > highest(f);
}

bool value_is_infinite(enum dtype type, uint64_t bits)
{
	struct format f = format_of(type);

	return f.exponent && !f.finite && magnitude(f, bits) == highest(f);
}

bool value_equal(enum dtype type, uint64_t a, uint64_t b)
{
	return a == b || (value_is_nan(type, a) && value_is_nan(type, b));
}

/* Maps floats to integers in the same order: neighbours differ by 1, both zeros map to 0. */
static int64_t ordinal(struct format f, uint64_t bits)
{
	int64_t m = (int64_t)magnitude(f, bits);

	return bits >> (f.exponent + f.fraction) & 1 ? -m : m;
}

int64_t value_distance(enum dtype type, uint64_t a, uint64_t b)
{
	struct format f = format_of(type);
	int64_t d;

	if (!f.exponent || value_is_nan(type, a) || value_is_infinite(type, a)
	    || value_is_nan(type, b) || value_is_infinite(type, b))
		return -1;
	if (__builtin_sub_overflow(ordinal(f, a), ordinal(f, b), &d) || d == INT64_MIN)
		return INT64_MAX;
	return d < 0 ? -d : d;
}

uint64_t value_load(enum dtype type, const void *at)
{
	uint64_t bits = 0;

	memcpy(&bits, at, dtype_bytes(type)); /* assumes a little-endian host */
	return bits;
}

static double integer_of(enum dtype type, uint64_t bits)
{
	switch (type) {
	case DTYPE_I8: return (int8_t)bits;
	case DTYPE_I16: return (int16_t)bits;
	case DTYPE_I32: return (int32_t)bits;
	case DTYPE_I64: return (double)(int64_t)bits;
	default: return (double)bits;
	}
}

double value_real(enum dtype type, uint64_t bits)
{
	struct format f = format_of(type);
	double value, sign;
	uint64_t m = magnitude(f, bits), fraction = m & ((UINT64_C(1) << f.fraction) - 1);
	int bias, exponent = (int)(m >> f.fraction);

	if (!f.exponent)
		return integer_of(type, bits);
	if (type == DTYPE_F64) {
		memcpy(&value, &bits, sizeof value);
		return value;
	}
	sign = bits >> (f.exponent + f.fraction) & 1 ? -1.0 : 1.0;
	bias = (1 << (f.exponent - 1)) - 1;
	if (m > highest(f))
		return NAN;
	if (m == highest(f) && !f.finite)
		return sign * INFINITY;
	if (exponent == 0)
		return sign * ldexp((double)fraction, 1 - bias - f.fraction);
	return sign * ldexp((double)(fraction | UINT64_C(1) << f.fraction),
			    exponent - bias - f.fraction);
}

void value_round(enum dtype type, const void *from, size_t count, void *to)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;
		float x;

		memcpy(&x, (const char *)from + i * sizeof x, sizeof x);
		bits = type == DTYPE_F16 ? narrow_to_f16(x)
			: type == DTYPE_BF16 ? narrow_to_bf16(x) : narrow_to_e4m3(x);
		memcpy((char *)to + i * dtype_bytes(type), &bits, dtype_bytes(type));
	}
}

void value_widen(enum dtype type, const void *from, size_t count, float *to)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = value_load(type, (const char *)from + i * dtype_bytes(type));

		to[i] = type == DTYPE_F16 ? narrow_from_f16((uint16_t)bits)
			: narrow_from_bf16((uint16_t)bits);
	}
}

void value_text(char *out, size_t size, enum dtype type, uint64_t bits)
{
	if (value_is_float(type))
		snprintf(out, size, "%.*g", type == DTYPE_F64 ? 17 : 9, value_real(type, bits));
	else if (type == DTYPE_U64 || type == DTYPE_POINTER)
		snprintf(out, size, "%" PRIu64, bits);
	else if (type == DTYPE_I64)
		snprintf(out, size, "%" PRId64, (int64_t)bits);
	else
		snprintf(out, size, "%.0f", integer_of(type, bits));
}
