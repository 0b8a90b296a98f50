/* diff_value.c - compares arrays of bytes as values: bits, NaNs, distance in the last place.
 *
 * Two values are the same if their bits are, or if both are a NaN. Distance counts representable
 * numbers between two floats; it matters only if a tolerance was given. Used by diff_ops.c,
 * diff_rows.c and diff_points.c.
 */
#include "traces/diff/diff_value.h"

#include <inttypes.h>
#include <string.h>

#include "base/value.h"

static void describe(char *out, size_t size, enum dtype type, uint64_t bits)
{
	char text[40];

	value_text(text, sizeof text, type, bits);
	if (value_is_float(type))
		snprintf(out, size, "%s (0x%0*" PRIx64 ")", text, 2 * (int)dtype_bytes(type), bits);
	else
		snprintf(out, size, "%s", text);
}

/* --- arrays --- */

/* The differing values of an array, counted while it is compared. */
struct tally {
	const struct diff_place *place;
	const char *name;
	int64_t from;                   /* index of the array's first value in all of it; -1 */
	uint64_t bits;
	int64_t count;                  /* differences */
	int64_t first;                  /* index of the first */
	uint64_t a, b;                  /* its values */
};

/* What varies is a whole word, also where its bytes are compared one by one. */
static int64_t place_of(enum dtype type, int64_t index)
{
	return dtype_bytes(type) == 1 ? index / 4 : index;
}

static void tally_value(struct diff *d, enum dtype type, int64_t index, uint64_t a, uint64_t b,
			struct tally *tally)
{
	int64_t ulp = value_distance(type, a, b);

	if (value_equal(type, a, b))
		return;
	if (diff_varies(d, tally->place, tally->name, place_of(type, tally->from + index))) {
		d->report->varying++;
		return;
	}
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

	item.ulp = value_distance(type, tally->a, tally->b);
	if (tally->count > 1)
		snprintf(more, sizeof more, " and %" PRId64 " more", tally->count - 1);
	if (first < 0)
		snprintf(item.what, sizeof item.what, "%.60s", name);
	else
		snprintf(item.what, sizeof item.what, "%.40s[%" PRId64 "]%s", name,
			 first + tally->first, more);
	describe(item.a, sizeof item.a, type, tally->a);
	describe(item.b, sizeof item.b, type, tally->b);
	diff_add_known(d, place, &item);
	d->report->differences += tally->count - 1;
	d->report->bits += tally->bits;
}

bool diff_values(struct diff *d, const struct diff_place *place, const char *name, enum dtype type,
		 const void *a, const void *b, size_t bytes, int64_t first)
{
	size_t size = dtype_bytes(type);
	const uint8_t *from_a = a, *from_b = b;
	struct tally tally = { .place = place, .name = name };

	if (bytes == 0 || memcmp(a, b, bytes) == 0)
		return true;
	if (bytes % size) {             /* not a multiple of the element size */
		first *= (int64_t)size;
		type = DTYPE_U8;
		size = 1;
	}
	tally.from = first;
	for (size_t i = 0; i < bytes / size; i++) {
		uint64_t value_a = value_load(type, from_a + i * size);
		uint64_t value_b = value_load(type, from_b + i * size);

		if (value_a != value_b)
			tally_value(d, type, (int64_t)i, value_a, value_b, &tally);
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
