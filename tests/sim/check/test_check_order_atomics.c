/* test_check_order_atomics.c - races with atomics, fences and flags in random programs, against a
 * model.
 */
#include "config.h"

#include "tests/check_order.h"

START_TEST(atomics_and_other_accesses)
{
	static const int kinds[] = {
		RANDOM_READ_4, RANDOM_ATOMIC, RANDOM_ATOMIC, RANDOM_READ_1, RANDOM_WRITE_4,
	};
	for (int partial = 0; partial < 2; partial++) {
		const struct operation_mix mix = { kinds, 5, partial };

		compare(&mix, 6);
		compare(&mix, 14);
	}
}
END_TEST

/* The atomics change nothing, so they release nothing; but a fence confirms what they saw. */
START_TEST(atomics_and_fences)
{
	static const int kinds[] = {
		RANDOM_READ_4, RANDOM_READ_4, RANDOM_ATOMIC, RANDOM_ATOMIC, RANDOM_ATOMIC,
		RANDOM_WRITE_4, RANDOM_FENCE, RANDOM_FENCE,
	};
	const struct operation_mix mix = { kinds, 8, true };

	compare(&mix, 6);
	compare(&mix, 14);
}
END_TEST

START_TEST(volatile_accesses)
{
	static const int kinds[] = {
		RANDOM_READ_4, RANDOM_WRITE_4, RANDOM_ATOMIC, RANDOM_ATOMIC, RANDOM_VOLATILE_READ,
		RANDOM_VOLATILE_READ, RANDOM_VOLATILE_TEST, RANDOM_VOLATILE_TEST,
		RANDOM_VOLATILE_WRITE, RANDOM_VOLATILE_WRITE,
	};
	for (int partial = 0; partial < 2; partial++) {
		const struct operation_mix mix = { kinds, 10, partial };

		compare(&mix, 6);
		compare(&mix, 14);
	}
}
END_TEST

START_TEST(fences_and_flags)
{
	static const int kinds[] = {
		RANDOM_READ_4, RANDOM_WRITE_4, RANDOM_FENCE, RANDOM_FENCE, RANDOM_FENCE,
		RANDOM_FLAG, RANDOM_FLAG, RANDOM_FLAG, RANDOM_FLAG,
	};
	const struct operation_mix mix = { kinds, 9, true };

	compare(&mix, 12);
	compare(&mix, 30);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("check order, atomics");

	tcase_set_timeout(tests, 1000);
	tcase_add_test(tests, atomics_and_other_accesses);
	tcase_add_test(tests, atomics_and_fences);
	tcase_add_test(tests, volatile_accesses);
	tcase_add_test(tests, fences_and_flags);
	return run_suite("check order, atomics", tests);
}
