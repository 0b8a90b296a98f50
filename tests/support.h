/* support.h - for every libcheck program: calls that must succeed or fail, and running a suite.
 *
 * Programs print TAP, because the makefile sets Check's environment variables for it.
 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail     /* an old macro of Check; base/status.h has a function of that name */

#include "base/status.h"

#define OK(call) \
	do { \
		enum status ok_status_ = (call); \
		ck_assert_msg(ok_status_ == STATUS_OK, "%s: %s", #call, error_text()); \
	} while (0)

/* The call must fail with this status and a message that contains `text`. */
#define FAILS(call, expected, text) \
	do { \
		enum status fails_status_ = (call); \
		ck_assert_msg(fails_status_ == (expected) && strstr(error_text(), text), \
			      "%s: status %d: %s", #call, (int)fails_status_, error_text()); \
	} while (0)

/* The call must fail with this error code of the device. */
#define CODE(call, code) \
	do { \
		ck_assert_int_eq(call, STATUS_DEVICE); \
		ck_assert_msg(error_code() == (code), "%s: error %d: %s", #call, error_code(), \
			      error_text()); \
	} while (0)

static inline void write_file(const char *path, const void *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
	ck_assert_int_eq(fclose(file), 0);
}

/* Runs all cases as one suite; returns the exit status for main(). */
static inline int run_suites(const char *name, TCase *const *tests, int count)
{
	Suite *suite = suite_create(name);
	SRunner *runner;
	int failed;

	for (int i = 0; i < count; i++)
		suite_add_tcase(suite, tests[i]);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int run_suite(const char *name, TCase *tests)
{
	return run_suites(name, &tests, 1);
}

#endif
