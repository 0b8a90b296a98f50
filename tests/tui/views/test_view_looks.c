/* test_view_looks.c - how screens mark things: heat, digits of two runs, what was left out, and the
 * looks and glyphs of the terminal. */
#include "config.h"

#include "tests/support.h"

#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/viewer/viewer_compare.h"
#include "tui/viewer/viewer_term.h"
#include "tui/views/view_digits.h"
#include "tui/views/view_heat.h"
#include "tui/views/view_print.h"

static struct display *display_of(const char *text)
{
	struct display *d = display_create(NULL, &address_none);

	display_text(d, text);
	display_finish(d);
	return d;
}

/* The characters of a line that have a style; a '_' for any other. */
static void styled(const struct display *d, size_t line, enum view_style style, char out[100])
{
	const char *text = display_line(d, line)->text;
	size_t i = 0;

	for (; text[i]; i++)
		out[i] = display_style_at(d, line, i) == style ? text[i] : '_';
	out[i] = '\0';
}

START_TEST(digits_differ_from_the_first_on)
{
	ck_assert_uint_eq(view_digits_apart("1.2345", "1.2399"), 4);
	ck_assert_uint_eq(view_digits_apart("1.2345", "1.2345"), 6);
	ck_assert_uint_eq(view_digits_apart("12.345", "1.2345"), 0);
	ck_assert_uint_eq(view_digits_apart("-1.5", "1.5"), 0);
	ck_assert_uint_eq(view_digits_apart("nan", "nan"), 3);
}
END_TEST

START_TEST(digits_are_lit_in_both_numbers)
{
	const struct view_context c = { .out = display_create(NULL, &address_none) };
	char lit[100];

	view_digits(&c, 8, "1.2345", "1.2399");
	view_print(&c, "\n");
	styled(c.out, 0, STYLE_DIFFERS, lit);
	ck_assert_str_eq(display_line(c.out, 0)->text, "  1.2345");
	ck_assert_str_eq(lit, "______45");
	display_free(c.out);
}
END_TEST

/* Fault 11: differing digits are marked in panes side by side. */
START_TEST(sides_are_compared_word_by_word)
{
	struct display *a = display_of(" r2.L1.b1  max 8.6218  ##  same\n one word more\n");
	struct display *b = display_of(" L1.b1  max 8.6000  ####  same\n one word\n");
	char lit[100];

	viewer_compare(a, b);
	styled(a, 0, STYLE_DIFFERS, lit);
	ck_assert_str_eq(lit, "__________________218__________");
	styled(b, 0, STYLE_DIFFERS, lit);
	ck_assert_ptr_nonnull(strstr(lit, "_000_"));
	styled(a, 1, STYLE_DIFFERS, lit);
	ck_assert_uint_eq(strspn(lit, "_"), strlen(lit));
	display_free(a);
	display_free(b);
}
END_TEST

START_TEST(heat_and_notes_keep_their_look)
{
	struct display *d[2];
	char lit[100];

	for (int i = 0; i < 2; i++) {
		d[i] = display_create(NULL, &address_none);
		display_style(d[i], STYLE_HEAT + 3);
		display_text(d[i], i ? "ROMEA" : "ROMEO");
		display_style(d[i], STYLE_NOTE);
		display_text(d[i], i ? " 12\n" : " 13\n");
	}
	viewer_compare(d[0], d[1]);
	styled(d[0], 0, STYLE_HEAT + 3, lit);
	ck_assert_str_eq(lit, "ROMEO___");
	for (int i = 0; i < 2; i++)
		display_free(d[i]);
}
END_TEST

START_TEST(restyling_a_line_twice_changes_nothing)
{
	struct display *d = display_of("0123456789\n");
	char lit[100];

	for (int i = 0; i < 3; i++)
		display_restyle(d, 0, 2, 5, STYLE_DIFFERS);
	display_restyle(d, 0, 8, 10, STYLE_NEW);
	styled(d, 0, STYLE_DIFFERS, lit);
	ck_assert_str_eq(lit, "__234_____");
	ck_assert_uint_eq(display_line(d, 0)->span_count, 4);
	display_free(d);
}
END_TEST

START_TEST(the_width_is_that_of_the_text)
{
	struct display *d = display_of("12345   \n\303\274ber\n");

	ck_assert_int_eq(display_width(d), 5);
	display_style(d, STYLE_NOTE);
	display_text(d, "a note may be cut\n");
	ck_assert_int_eq(display_width(d), 5);
	display_free(d);
}
END_TEST

static void assert_legend(struct view_context c, const char *wanted)
{
	c.out = display_create(NULL, &address_none);
	view_heat_key(&c, 'x', 0.5);
	view_heat_key(&c, 'y', 0.0);
	view_print(&c, "\n");
	view_heat_legend(&c, "more");
	ck_assert_str_eq(display_line(c.out, 0)->text, c.heat ? "xy" : "@ ");
	ck_assert_ptr_nonnull(strstr(display_line(c.out, 1)->text, wanted));
	ck_assert_int_eq(display_style_at(c.out, 0, 0), c.heat ? STYLE_HEAT + 6 : STYLE_CHART);
	display_free(c.out);
}

START_TEST(heat_is_on_the_text_and_has_a_legend)
{
	assert_legend((struct view_context){ .heat = true },
		      " weight 0.1      1      10      100 %; more");
	assert_legend((struct view_context){ 0 }, "@ more; more");
}
END_TEST

/* Fault 7: what was left out can be shown wherever it is said. */
START_TEST(what_was_left_out_can_be_shown)
{
	ck_assert_str_eq(view_all_hint(&(struct view_context){ 0 }), ": --all shows them");
	ck_assert_str_eq(view_all_hint(&(struct view_context){ .output = OUTPUT_VIEWER }),
			 ": + shows them");
	ck_assert_str_eq(view_all_hint(&(struct view_context){ .output = OUTPUT_PAGE }), "");
}
END_TEST

/* Fault 12: two classes of a chart never have the same glyph. */
START_TEST(every_mark_has_its_own_glyph)
{
	static const char marks[] = "#=+.:@";

	for (int set = 0; set < GLYPHS_COUNT; set++)
		for (const char *a = marks; *a; a++)
			for (const char *b = a + 1; *b; b++)
				ck_assert_msg(term_glyph(set, *a) != term_glyph(set, *b),
					      "%c and %c in set %d", *a, *b, set);
}
END_TEST

/* Without colours, too. */
START_TEST(the_four_looks_differ)
{
	const int looks[] = {
		term_attributes(STYLE_WRONG), term_attributes(STYLE_DIFFERS),
		term_attributes(STYLE_NEW), term_attributes(STYLE_PLAIN),
	};
	const int count = sizeof looks / sizeof looks[0];

	for (int i = 0; i < count; i++)
		for (int j = i + 1; j < count; j++)
			ck_assert_int_ne(looks[i], looks[j]);
	ck_assert_int_eq(term_attributes(STYLE_HEAT_NEW), looks[2]);
}
END_TEST

/* Fault 2: heat is never reversed. */
START_TEST(selection_does_not_reverse)
{
	for (int style = 0; style < STYLE_COUNT; style++) {
		int plain = term_attributes(style), chosen = term_selected(plain);

		ck_assert_int_eq(chosen & (int)A_REVERSE, plain & (int)A_REVERSE);
		ck_assert_int_ne(chosen & (int)A_BOLD, 0);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_looks");

	tcase_add_test(tests, digits_differ_from_the_first_on);
	tcase_add_test(tests, digits_are_lit_in_both_numbers);
	tcase_add_test(tests, sides_are_compared_word_by_word);
	tcase_add_test(tests, heat_and_notes_keep_their_look);
	tcase_add_test(tests, restyling_a_line_twice_changes_nothing);
	tcase_add_test(tests, the_width_is_that_of_the_text);
	tcase_add_test(tests, heat_is_on_the_text_and_has_a_legend);
	tcase_add_test(tests, what_was_left_out_can_be_shown);
	tcase_add_test(tests, every_mark_has_its_own_glyph);
	tcase_add_test(tests, the_four_looks_differ);
	tcase_add_test(tests, selection_does_not_reverse);
	return run_suite("view_looks", tests);
}
