/* diff_value.c - compares arrays of bytes as values: bits, NaNs, distance in the last place.
 *
 * Two values are the same when their bits are, or when both are a NaN. Distance counts
 * representable numbers between two floats; it decides only where a tolerance was asked for. Serves
 * diff_ops.c and diff_rows.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/diff_internal.h"

/* Exponent and fraction bits of a float type; exponent 0: not a float. */
struct format {
	int exponent, fraction;
};

static struct format format_of(enum dtype type)
{
	switch (type) {
	case DTYPE_F64:  return (struct format){ 11, 52 };
	case DTYPE_F32:  return (struct format){ 8, 23 };
	case DTYPE_BF16: return (struct format){ 8, 7 };
	case DTYPE_F16:  return (struct format){ 5, 10 };
	default:         return (struct format){ 0, 0 };
	}
}

/* Bits of the number without its sign. */
static uint64_t magnitude(struct format f, uint64_t bits)
{
	return bits & ((UINT64_C(1) << (f.exponent + f.fraction)) - 1);
}

static uint64_t infinity(struct format f)
{
	return ((UINT64_C(1) << f.exponent) - 1) << f.fraction;
}

static bool is_nan(struct format f, uint64_t bits)
{
	return f.exponent && magnitude(f, bits) > infinity(f);
}

static bool is_finite(struct format f, uint64_t bits)
{
	return magnitude(f, bits) < infinity(f);
}

/* Floats in order on a line of integers: neighbours differ by 1, the two zeros are one. */
static int64_t ordinal(struct format f, uint64_t bits)
{
	int64_t m = (int64_t)magnitude(f, bits);

	return bits >> (f.exponent + f.fraction) & 1 ? -m : m;
}

/* Numbers between them; -1 when that says nothing. */
static int64_t distance(struct format f, uint64_t a, uint64_t b)
{
	int64_t d;

	if (!f.exponent || !is_finite(f, a) || !is_finite(f, b))
		return -1;
	if (__builtin_sub_overflow(ordinal(f, a), ordinal(f, b), &d) || d == INT64_MIN)
		return INT64_MAX;
	return d < 0 ? -d : d;
}

int64_t diff_distance(enum dtype type, uint64_t a, uint64_t b)
{
	return distance(format_of(type), a, b);
}

static uint64_t load(const uint8_t *at, size_t bytes)
{
	uint64_t bits = 0;

	memcpy(&bits, at, bytes);       /* all our machines are little endian */
	return bits;
}

static double float_of(enum dtype type, struct format f, uint64_t bits)
{
	double value, sign = bits >> (f.exponent + f.fraction) & 1 ? -1.0 : 1.0;
	uint64_t m = magnitude(f, bits), fraction = m & ((UINT64_C(1) << f.fraction) - 1);
	int bias = (1 << (f.exponent - 1)) - 1, exponent = (int)(m >> f.fraction);

	if (type == DTYPE_F64) {
		memcpy(&value, &bits, sizeof value);
		return value;
	}
	if (is_nan(f, bits))
		return NAN;
	if (m == infinity(f))
		return sign * INFINITY;
	if (exponent == 0)
		return sign * ldexp((double)fraction, 1 - bias - f.fraction);
	return sign * ldexp((double)(fraction | UINT64_C(1) << f.fraction),
			    exponent - bias - f.fraction);
}

static void describe(char *out, size_t size, enum dtype type, uint64_t bits)
{
	struct format f = format_of(type);
	int digits = 2 * (int)dtype_bytes(type);

	if (f.exponent)
		snprintf(out, size, "%.*g (0x%0*" PRIx64 ")", type == DTYPE_F64 ? 17 : 9,
			 float_of(type, f, bits), digits, bits);
	else if (type == DTYPE_I32)
		snprintf(out, size, "%" PRId32, (int32_t)bits);
	else if (type == DTYPE_I64)
		snprintf(out, size, "%" PRId64, (int64_t)bits);
	else
		snprintf(out, size, "%" PRIu64, bits);
}

/* --- arrays --- */

/* A run of values that differ, while an array is walked. */
struct tally {
	uint64_t bits;
	int64_t count;                  /* differences */
	int64_t first;                  /* index of the first */
	uint64_t a, b;                  /* its values */
};

static void tally_value(struct diff *d, struct format f, int64_t index, uint64_t a, uint64_t b,
			struct tally *tally)
{
	int64_t ulp = distance(f, a, b);

	if (is_nan(f, a) && is_nan(f, b))
		return;
	if (ulp > d->report->max_ulp)
		d->report->max_ulp = ulp;
	if (d->options.ulp && ulp >= 0 && ulp <= (int64_t)d->options.ulp) {
		d->report->within_ulp++;
		return;
	}
	if (tally->count++ == 0) {
		tally->first = index;
		tally->a = a;
		tally->b = b;
	}
	tally->bits += (uint64_t)__builtin_popcountll(a ^ b);
}

static void report_tally(struct diff *d, const struct diff_place *place, const char *name,
			 enum dtype type, const struct tally *tally, int64_t first)
{
	struct diff_item item = { .bits = (uint64_t)__builtin_popcountll(tally->a ^ tally->b) };
	char more[32] = "";

	item.ulp = distance(format_of(type), tally->a, tally->b);
	if (tally->count > 1)
		snprintf(more, sizeof more, " and %" PRId64 " more", tally->count - 1);
	if (first < 0)
		snprintf(item.what, sizeof item.what, "%.60s", name);
	else
		snprintf(item.what, sizeof item.what, "%.40s[%" PRId64 "]%s", name,
			 first + tally->first, more);
	describe(item.a, sizeof item.a, type, tally->a);
	describe(item.b, sizeof item.b, type, tally->b);
	diff_add(d, place, &item);
	d->report->differences += tally->count - 1;
	d->report->bits += tally->bits;
}

bool diff_values(struct diff *d, const struct diff_place *place, const char *name, enum dtype type,
		 const void *a, const void *b, size_t bytes, int64_t first)
{
	size_t size = dtype_bytes(type);
	const uint8_t *from_a = a, *from_b = b;
	struct format f = format_of(type);
	struct tally tally = { 0 };

	if (bytes == 0 || memcmp(a, b, bytes) == 0)
		return true;
	if (bytes % size) {             /* no whole number of elements */
		first *= (int64_t)size;
		type = DTYPE_U8;
		f = format_of(type);
		size = 1;
	}
	for (size_t i = 0; i < bytes / size; i++) {
		uint64_t value_a = load(from_a + i * size, size);
		uint64_t value_b = load(from_b + i * size, size);

		if (value_a != value_b)
			tally_value(d, f, (int64_t)i, value_a, value_b, &tally);
	}
	if (tally.count)
		report_tally(d, place, name, type, &tally, first);
	return tally.count == 0;
}

bool diff_f32(struct diff *d, const struct diff_place *place, const char *name, uint32_t a,
	      uint32_t b)
{
	return a == b || diff_values(d, place, name, DTYPE_F32, &a, &b, sizeof a, -1);
}
