/* test_lab_cases.c - what the generators of labs 5 to 7 promise about the cases of their labs. */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "tui/lab/case/lab_case.h"

typedef void check_fn(const struct lab_case *);

static double at(const struct lab_case *c, const char *array, size_t i)
{
	const struct case_array *a = case_array_get(c, array);

	ck_assert(a && a->data && i < a->count);
	return case_value(a, a->data, i);
}

static size_t size_of(const struct lab_case *c, const char *name)
{
	double value = NAN;

	ck_assert(names_get(&c->names, name, &value));
	return (size_t)value;
}

/* Checks public and secret cases of each family, for a few seeds. */
static void check_lab(int number, check_fn *check)
{
	char *folder = xasprintf("%s/labs", getenv("abs_srcdir"));
	struct lab *lab;

	OK(lab_find(folder, number, &lab));
	for (int f = 0; f < lab->family_count; f++) {
		for (int i = 0; i < 6; i++) {
			struct lab_case c;

			OK(lab_case_make(lab, &lab->families[f], i ? PART_SECRET : PART_PUBLIC, 0,
					 (uint64_t)i, &c));
			check(&c);
			lab_case_free(&c);
		}
	}
	lab_free(lab);
	free(folder);
}

/* Accumulators are sum times values; there are none of empty splits, and none in the padding. */
static void check_partials(const struct lab_case *c)
{
	size_t rows = size_of(c, "rows"), splits = size_of(c, "splits"), d = size_of(c, "d");
	size_t pitch = size_of(c, "pitch"), major = size_of(c, "split_major");

	for (size_t i = 0; i < rows * splits; i++) {
		size_t row = i / splits, s = i % splits, place = major ? s * rows + row : i;
		double l = at(c, "part_l", place), m = at(c, "part_m", place);

		ck_assert(l == 0 ? m == -INFINITY : l >= 1 && isfinite(m));
		for (size_t j = 0; j < pitch; j++) {
			double o = at(c, "part_o", place * pitch + j);

			if (l == 0 || j >= d)
				ck_assert(isnan(o));
			else
				ck_assert_double_eq_tol(o, l * at(c, "values", i * d + j), 1e-4);
		}
	}
}

/* The integer part of a value is its head; what is beyond the length was never written. */
static void check_heads(const struct lab_case *c)
{
	size_t heads = size_of(c, "kv_heads"), n = size_of(c, "n"), d = size_of(c, "d");

	for (size_t i = 0; i < case_array_get(c, "v")->count; i++) {
		size_t row = i / d;
		bool written = row % n < (size_t)at(c, "lengths", row / n / heads);
		double v = at(c, "v", i);

		ck_assert(written == !isnan(v) && written == !isnan(at(c, "k", i)));
		ck_assert(!written || (size_t)floor(v) == row / n % heads);
	}
}

/* The number of tables that have a page. */
static size_t users(const struct lab_case *c, double page)
{
	size_t count = 0;

	for (size_t i = 0; i < case_array_get(c, "table")->count; i++)
		count += at(c, "table", i) == page;
	return count;
}

/* Each position before the first append has a page and numbers; a page of several tables is
 * shared, and has them all in refs. */
static void check_pages(const struct lab_case *c)
{
	size_t page = size_of(c, "page"), max_pages = size_of(c, "max_pages");
	size_t row = size_of(c, "heads") * size_of(c, "d"), pages = size_of(c, "pages");

	for (size_t slot = 0; slot < size_of(c, "slots"); slot++) {
		double start = at(c, "start", slot);

		for (size_t i = 0; start > 0 && i < (size_t)start; i++) {
			double p = at(c, "table", slot * max_pages + i / page);

			ck_assert(p >= 0 && p < (double)pages);
			ck_assert(!isnan(at(c, "k_pool", ((size_t)p * page + i % page) * row)));
			ck_assert(at(c, "refs", (size_t)p) >= (double)users(c, p));
		}
		for (size_t i = 0; start < 0 && i < max_pages; i++)
			ck_assert_double_eq(at(c, "table", slot * max_pages + i), -1);
	}
}

START_TEST(partials)
{
	check_lab(5, check_partials);
}
END_TEST

START_TEST(numbered_heads)
{
	check_lab(6, check_heads);
}
END_TEST

START_TEST(paged_cache)
{
	check_lab(7, check_pages);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("cases");

	tcase_add_test(tests, partials);
	tcase_add_test(tests, numbered_heads);
	tcase_add_test(tests, paged_cache);
	return run_suite("cases", tests);
}
