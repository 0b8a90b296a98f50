/* test_check_order.c - races of plain accesses in random programs, against a model. */
#include "config.h"

#include "tests/check_order.h"

START_TEST(words_between_barriers)
{
	static const int kinds[] = { RANDOM_READ_4, RANDOM_READ_4, RANDOM_READ_16, RANDOM_WRITE_4 };
	for (int partial = 0; partial < 2; partial++) {
		const struct operation_mix mix = { kinds, 4, partial };

		compare(&mix, 4);
		compare(&mix, 12);
	}
}
END_TEST

START_TEST(parts_of_words)
{
	static const int kinds[] = {
		RANDOM_READ_1, RANDOM_READ_2, RANDOM_READ_4, RANDOM_WRITE_1, RANDOM_WRITE_2,
		RANDOM_WRITE_4, RANDOM_READ_16,
	};
	for (int partial = 0; partial < 2; partial++) {
		const struct operation_mix mix = { kinds, 7, partial };

		compare(&mix, 6);
		compare(&mix, 14);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("check order");

	tcase_set_timeout(tests, 1000);
	tcase_add_test(tests, words_between_barriers);
	tcase_add_test(tests, parts_of_words);
	return run_suite("check order", tests);
}
