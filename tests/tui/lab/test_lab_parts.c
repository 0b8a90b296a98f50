/* test_lab_parts.c - expressions, random numbers, fills and derived cases of labs. */
#include "config.h"

#include "tests/support.h"

#include <math.h>

#include "tui/lab/case/expression.h"
#include "tui/lab/case/fills.h"
#include "tui/lab/case/lab_case.h"
#include "tui/lab/case/lab_random.h"

static double value_of(const char *text)
{
	struct names names = { .name = { "n", "rows" }, .value = { 203, 3 }, .count = 2 };
	json_t *json = json_string(text);
	double value = NAN;

	OK(expression_value(json, &names, "test", &value));
	json_decref(json);
	return value;
}

START_TEST(expressions)
{
	ck_assert_double_eq(value_of("2 + 3 * 4 - 1"), 13);
	ck_assert_double_eq(value_of("(2 + 3) * -4"), -20);
	ck_assert_double_eq(value_of("rows * ceil(n / 64)"), 12);
	ck_assert_double_eq(value_of("max(n, 300) % 7 + floor(7.9)"), 13);
	ck_assert_double_eq(value_of("1 / sqrt(64)"), 0.125);
}
END_TEST

START_TEST(wrong_expressions)
{
	static const char *const wrong[] = {
		"", "2 +", "(2", "m", "n n", "foo(2)", "min(1)", "1 / 0", "2 ** 3", "n(1)",
	};
	struct names names = { .name = { "n" }, .value = { 203 }, .count = 1 };

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		json_t *json = json_string(wrong[i]);
		double value;

		ck_assert_msg(expression_value(json, &names, "test", &value) == STATUS_INTERNAL,
			      "\"%s\" is accepted", wrong[i]);
		json_decref(json);
	}
}
END_TEST

/* Results of other machines depend on these values: they must not change. */
START_TEST(random_numbers_are_fixed)
{
	struct lab_random r = { 1 };

	ck_assert_uint_eq(random_bits(&r), 0x910a2dec89025cc1u);
	ck_assert_uint_eq(seed_of_case("secret", "late", 1, 7), seed_from("secret/late/1", 7));
	ck_assert_uint_eq(seed_from("", 0), 0xef46db3751d8e999u);
}
END_TEST

static void fill(const char *text, size_t count, size_t row, double *out)
{
	struct names names = { 0 };
	json_t *json = json_loads(text, 0, NULL);

	OK(fill_array(json, &names, "test", 5, count, row, false, out));
	json_decref(json);
}

START_TEST(late_has_its_maximum_late)
{
	double x[3 * 50];

	fill("[\"late\", 1, 8, 5]", 150, 50, x);
	for (int row = 0; row < 3; row++) {
		double first = -INFINITY, last = -INFINITY;

		for (int i = 0; i < 50; i++)
			if (i < 42)
				first = fmax(first, x[row * 50 + i]);
			else
				last = fmax(last, x[row * 50 + i]);
		ck_assert_msg(last >= first + 4, "row %d: %g, then %g", row, first, last);
	}
}
END_TEST

START_TEST(permutation_has_each_number_once)
{
	double x[40];
	bool seen[40] = { false };

	fill("[\"permutation\"]", 40, 40, x);
	for (int i = 0; i < 40; i++) {
		ck_assert(x[i] >= 0 && x[i] < 40 && !seen[(int)x[i]]);
		seen[(int)x[i]] = true;
	}
}
END_TEST

START_TEST(integers_have_no_fraction)
{
	double x[200], low = INFINITY, high = -INFINITY;

	fill("[\"integers\", -2, 1]", 200, 20, x);
	for (int i = 0; i < 200; i++) {
		ck_assert_double_eq(x[i], rint(x[i]));
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	ck_assert_double_eq(low, -2);
	ck_assert_double_eq(high, 1);
}
END_TEST

/* A case of one array x[rows, n] with elements 0, 1, 2... */
static void make_case(struct lab *lab, struct lab_case *c)
{
	*lab = (struct lab){ .array_count = 1 };
	lab->arrays[0] = (struct lab_array){
		.name = "x", .dtype = DTYPE_F32, .use = USE_INOUT,
		.shape = json_loads("[\"rows\", \"n\"]", 0, NULL),
	};
	*c = (struct lab_case){ .lab = lab, .array_count = 1 };
	OK(names_set(&c->names, "rows", 3));
	OK(names_set(&c->names, "n", 4));
	c->arrays[0] = (struct case_array){
		.lab = &lab->arrays[0], .rank = 2, .shape = { 3, 4 }, .count = 12, .bytes = 48,
		.data = calloc(12, 4), .result = case_share(48),
	};
	for (size_t i = 0; i < 12; i++)
		case_value_set(&c->arrays[0], c->arrays[0].data, i, (double)i);
}

static void expect_values(const struct lab_case *c, const double *wanted, size_t count)
{
	ck_assert_uint_eq(c->arrays[0].count, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_double_eq(case_value(&c->arrays[0], c->arrays[0].data, i), wanted[i]);
}

START_TEST(derived_cases)
{
	static const int64_t order[] = { 2, 0, 3, 1 };
	struct lab lab;
	struct lab_case c, other;

	make_case(&lab, &c);
	OK(lab_case_solo(&c, "rows", 2, &other));
	expect_values(&other, (double[]){ 8, 9, 10, 11 }, 4);
	lab_case_free(&other);
	OK(lab_case_solo(&c, "n", 1, &other));
	expect_values(&other, (double[]){ 1, 5, 9 }, 3);
	lab_case_free(&other);
	OK(lab_case_permute(&c, "n", order, &other));
	expect_values(&other, (double[]){ 2, 0, 3, 1, 6, 4, 7, 5, 10, 8, 11, 9 }, 12);
	ck_assert_uint_eq(case_origin(&c.arrays[0], &other.arrays[0], "n", order, 6), 7);
	lab_case_free(&other);
	json_decref((json_t *)(uintptr_t)lab.arrays[0].shape);
	lab_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("parts");

	tcase_add_test(tests, expressions);
	tcase_add_test(tests, wrong_expressions);
	tcase_add_test(tests, random_numbers_are_fixed);
	tcase_add_test(tests, late_has_its_maximum_late);
	tcase_add_test(tests, permutation_has_each_number_once);
	tcase_add_test(tests, integers_have_no_fraction);
	tcase_add_test(tests, derived_cases);
	return run_suite("parts", tests);
}
