/* test_visible.c - control characters become visible, and nothing else changes. */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

static const struct {
	const char *text, *shown;
} cases[] = {
	{ "", "" },
	{ "plain \\ text", "plain \\ text" },
	{ "\033[2J", "\\x1b[2J" },
	{ "a\nb\tc\r", "a\\nb\\tc\\x0d" },
	{ "\x01\x1f\x7f", "\\x01\\x1f\\x7f" },
	{ "\302\200\302\233\302\237\302\240", "\\u0080\\u009b\\u009f\302\240" },
	{ "\303\251 \342\202\254 \360\237\230\200", "\303\251 \342\202\254 \360\237\230\200" },
	/* Not UTF-8: a byte alone, cut off, too long, a surrogate, beyond the last. */
	{ "\233", "\\x9b" },
	{ "\342\202", "\\xe2\\x82" },
	{ "\300\233", "\\xc0\\x9b" },
	{ "\340\202\233", "\\xe0\\x82\\x9b" },
	{ "\355\240\200", "\\xed\\xa0\\x80" },
	{ "\364\220\200\200", "\\xf4\\x90\\x80\\x80" },
	{ "\377\376", "\\xff\\xfe" },
};

START_TEST(texts)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *shown = visible_text(cases[i].text);

		ck_assert_str_eq(shown, cases[i].shown);
		free(shown);
	}
}
END_TEST

START_TEST(a_copy_ends_between_characters)
{
	char out[8];

	visible_copy(out, sizeof out, "12345\302\233");
	ck_assert_str_eq(out, "12345");
	visible_copy(out, sizeof out, "1234567890");
	ck_assert_str_eq(out, "1234567");
	visible_copy(out, sizeof out, "123456\303\251");
	ck_assert_str_eq(out, "123456");
	visible_copy(out, 1, "x");
	ck_assert_str_eq(out, "");
}
END_TEST

static void assert_printed(void (*print)(FILE *, const char *), const char *text,
			   const char *wanted)
{
	char *printed = NULL;
	size_t bytes;
	FILE *out = open_memstream(&printed, &bytes);

	print(out, text);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(printed, wanted);
	free(printed);
}

START_TEST(printing)
{
	assert_printed(visible_print, "a\n\tb\033\302\233c", "a\n\tb\\x1b\\u009bc");
	assert_printed(visible_print_json, "{\"a\": \"\\u001b\302\233\177\303\251\"}\n",
		       "{\"a\": \"\\u001b\\u009b\\u007f\303\251\"}\n");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("visible");

	tcase_add_test(tests, texts);
	tcase_add_test(tests, a_copy_ends_between_characters);
	tcase_add_test(tests, printing);
	return run_suite("visible", tests);
}
