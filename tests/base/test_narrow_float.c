/* test_narrow_float.c - conversions of base/math/narrow_float.h against the values of all codes.
 *
 * base/value.c knows the value of a code in another way, with ldexp(). Rounding is checked where it
 * can go wrong: at each number, halfway to its neighbour, and at the floats next to that; and that
 * it never decreases in between, for every 61st float, or for all of them with the argument `all`
 * (a minute).
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>

#include "base/math/narrow_float.h"
#include "base/value.h"

static unsigned f16_of(float x) { return narrow_to_f16(x); }
static unsigned bf16_of(float x) { return narrow_to_bf16(x); }
static unsigned e4m3_of(float x) { return narrow_to_e4m3(x); }
static float f16_value(unsigned bits) { return narrow_from_f16((uint16_t)bits); }
static float bf16_value(unsigned bits) { return narrow_from_bf16((uint16_t)bits); }
static float e4m3_value(unsigned bits) { return narrow_from_e4m3((uint8_t)bits); }

static const struct format {
	enum dtype type;
	unsigned (*of)(float);
	float (*value)(unsigned);
	unsigned sign, nan;
	unsigned largest;               /* number; what overflows becomes `over` */
	unsigned over;
	float next;                     /* the number after the largest, if there were one */
} formats[] = {
	{ DTYPE_F16, f16_of, f16_value, 0x8000, 0x7fff, 0x7bff, 0x7c00, 0x1p16f },
	{ DTYPE_BF16, bf16_of, bf16_value, 0x8000, 0x7fff, 0x7f7f, 0x7f80, INFINITY },
	{ DTYPE_E4M3, e4m3_of, e4m3_value, 0x80, 0x7f, 0x7e, 0x7e, 480.0f },
};
#define FORMATS ((int)(sizeof formats / sizeof formats[0]))

static unsigned step = 61;

/* The bits that x is rounded to, and those of -x. */
static void rounds(const struct format *f, float x, unsigned expected)
{
	ck_assert_msg(f->of(x) == expected, "%s: %a becomes 0x%x, not 0x%x", dtype_name(f->type),
		      x, f->of(x), expected);
	ck_assert_msg(f->of(-x) == (expected | f->sign), "%s: %a becomes 0x%x, not 0x%x",
		      dtype_name(f->type), -x, f->of(-x), expected | f->sign);
}

START_TEST(every_code_has_its_value)
{
	const struct format *f = &formats[_i];

	for (unsigned code = 0; code < 2 * f->sign; code++) {
		double expected = value_real(f->type, code);
		float value = f->value(code);

		if (isnan(expected)) {
			ck_assert_msg(isnan(value), "%s 0x%x is %a", dtype_name(f->type), code,
				      value);
			continue;
		}
		ck_assert_msg((double)value == expected && !signbit(value) == !(code & f->sign),
			      "%s 0x%x is %a, not %a", dtype_name(f->type), code, value, expected);
		ck_assert_msg(f->of(value) == code, "%s: %a becomes 0x%x, not 0x%x",
			      dtype_name(f->type), value, f->of(value), code);
	}
}
END_TEST

START_TEST(rounds_to_nearest_even)
{
	const struct format *f = &formats[_i];

	for (unsigned code = 0; code < f->largest; code++) {
		float half = (float)((value_real(f->type, code) + value_real(f->type, code + 1))
				     / 2.0);

		rounds(f, half, code + (code & 1));
		rounds(f, nextafterf(half, 0.0f), code);
		rounds(f, nextafterf(half, INFINITY), code + 1);
	}
}
END_TEST

START_TEST(overflows)
{
	const struct format *f = &formats[_i];
	double largest = value_real(f->type, f->largest);
	float half = isinf(f->next) ? 0x1.ffp127f : (float)((largest + (double)f->next) / 2.0);
	/* The largest number of E4M3 is even; of the others, the next code is, infinity. */
	unsigned at_half = f->largest & 1 ? f->over : f->largest;

	rounds(f, nextafterf(half, 0.0f), f->largest);
	rounds(f, half, at_half);
	rounds(f, nextafterf(half, INFINITY), f->over);
	rounds(f, 0x1.fffffep127f, f->over);
	rounds(f, INFINITY, f->over);
}
END_TEST

START_TEST(any_nan_is_one)
{
	const struct format *f = &formats[_i];
	static const uint32_t nans[] = { 0x7f800001, 0x7fc00000, 0x7fffffff, 0xff800001,
		0xffc00000, 0xffffffff };

	for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++)
		ck_assert_uint_eq(f->of(narrow_float_of(nans[i])), f->nan);
	ck_assert(isnan(f->value(f->nan)) && isnan(f->value(f->nan | f->sign)));
}
END_TEST

/* What diff and the views say about elements. */
START_TEST(codes_are_compared)
{
	const struct format *f = &formats[_i];
	bool infinite = f->type != DTYPE_E4M3;
	char text[32];

	ck_assert(value_is_float(f->type) && value_is_nan(f->type, f->nan));
	ck_assert(!value_is_nan(f->type, f->over) && !value_is_nan(f->type, f->largest));
	ck_assert(value_is_infinite(f->type, f->over) == infinite);
	ck_assert(value_equal(f->type, f->nan, f->nan | f->sign));
	ck_assert(!value_equal(f->type, f->largest, f->largest | f->sign));
	ck_assert_int_eq(value_distance(f->type, f->largest, f->largest - 2), 2);
	ck_assert_int_eq(value_distance(f->type, f->sign | 1, 1), 2);
	ck_assert_int_eq(value_distance(f->type, f->nan, 1), -1);
	ck_assert_int_eq(value_distance(f->type, f->over, 1), infinite ? -1 : (int)f->over - 1);
	value_text(text, sizeof text, f->type, f->largest);
	ck_assert_msg(strtof(text, NULL) == f->value(f->largest), "%s", text);
}
END_TEST

START_TEST(never_decreases)
{
	const struct format *f = &formats[_i];
	unsigned before = 0;

	for (uint32_t bits = 0; bits <= 0x7f800000; bits += step) {
		float x = narrow_float_of(bits);
		unsigned code = f->of(x);

		if (code < before || code > f->over || f->of(-x) != (code | f->sign))
			ck_abort_msg("%s: %a becomes 0x%x, a smaller float 0x%x",
				     dtype_name(f->type), x, code, before);
		before = code;
	}
}
END_TEST

int main(int argc, char **argv)
{
	TCase *tests = tcase_create("narrow floats");

	if (argc > 1 && strcmp(argv[1], "all") == 0)
		step = 1;
	tcase_set_timeout(tests, 600);
	tcase_add_loop_test(tests, every_code_has_its_value, 0, FORMATS);
	tcase_add_loop_test(tests, rounds_to_nearest_even, 0, FORMATS);
	tcase_add_loop_test(tests, overflows, 0, FORMATS);
	tcase_add_loop_test(tests, any_nan_is_one, 0, FORMATS);
	tcase_add_loop_test(tests, codes_are_compared, 0, FORMATS);
	tcase_add_loop_test(tests, never_decreases, 0, FORMATS);
	return run_suite("narrow floats", tests);
}
