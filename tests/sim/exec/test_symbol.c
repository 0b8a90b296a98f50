/* test_symbol.c - the functions and lines of code addresses in this program, and addresses that are
 * not code. */
#include "config.h"

#include "tests/support.h"

#include <stdint.h>

#include "sim/exec/symbol.h"

#ifdef HAVE_LIBDW

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Looks up the line of its caller. */
__attribute__((noinline)) static bool find_caller(struct symbol *out)
{
	return symbol_find((const char *)__builtin_return_address(0) - 1, out);
}

START_TEST(a_call_has_a_line)
{
	struct symbol symbol;
	bool found = find_caller(&symbol);      /* the next line holds its number */
	int line = __LINE__ - 1;

	ck_assert(found);
	ck_assert_str_eq(symbol.function, __func__);
	ck_assert_ptr_nonnull(symbol.file);
	ck_assert_str_eq(file_name(symbol.file), file_name(__FILE__));
	ck_assert_int_eq(symbol.line, line);
}
END_TEST

/* The inlined function is named, not the one that it is inlined into. */
__attribute__((always_inline)) static inline bool find_inlined(struct symbol *out)
{
	return find_caller(out);
}

START_TEST(an_inlined_function_is_the_innermost)
{
	struct symbol symbol;

	ck_assert(find_inlined(&symbol));
	ck_assert_str_eq(symbol.function, "find_inlined");
}
END_TEST

START_TEST(library_functions_have_names)
{
	struct symbol symbol;

	ck_assert(symbol_find((const void *)(uintptr_t)strtod, &symbol));
	ck_assert_ptr_nonnull(strstr(symbol.function, "strtod"));
}
END_TEST

START_TEST(data_has_no_function)
{
	struct symbol symbol;
	int local = 0;

	ck_assert(!symbol_find(&local, &symbol));
	ck_assert(!symbol_find(NULL, &symbol));
	ck_assert_ptr_null(symbol.file);
}
END_TEST

static void add_tests(TCase *tests)
{
	tcase_add_test(tests, a_call_has_a_line);
	tcase_add_test(tests, an_inlined_function_is_the_innermost);
	tcase_add_test(tests, library_functions_have_names);
	tcase_add_test(tests, data_has_no_function);
}

#else

START_TEST(nothing_is_found_without_libdw)
{
	struct symbol symbol;

	ck_assert(!symbol_find((const void *)(uintptr_t)symbol_find, &symbol));
	ck_assert_ptr_null(symbol.function);
}
END_TEST

static void add_tests(TCase *tests)
{
	tcase_add_test(tests, nothing_is_found_without_libdw);
}

#endif

int main(void)
{
	TCase *tests = tcase_create("symbol");

	tcase_set_timeout(tests, 60);
	add_tests(tests);
	return run_suite("symbol", tests);
}
