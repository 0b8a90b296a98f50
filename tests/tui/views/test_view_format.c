/* test_view_format.c - formats of numbers and distances, and scales of charts. */
#include "config.h"

#include "tests/support.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_display.h"

static void assert_number(enum view_number number, uint32_t bits, const char *wanted)
{
	char text[VIEW_FORMAT_NUMBER];

	view_format_number(number, bits, text);
	ck_assert_str_eq(text, wanted);
}

START_TEST(numbers_are_written_in_the_chosen_base)
{
	assert_number(NUMBER_DEC, 0x3f800000, "1");
	assert_number(NUMBER_DEC, 0x3dcccccd, "0.1");
	assert_number(NUMBER_DEC, 0x3dccccce, "0.10000001");
	assert_number(NUMBER_FULL, 0x3dccccce, "0.10000001");
	assert_number(NUMBER_DEC, 0xff800000, "-inf");
	assert_number(NUMBER_DEC, 0xffc00001, "nan");
	assert_number(NUMBER_HEX, 0x0000000f, "0x0000000f");
	assert_number(NUMBER_BITS, 0xbf800001, "1 01111111 00000000000000000000001");
}
END_TEST

START_TEST(bytes_are_written_as_in_c_even_out_of_range)
{
	view_cell cell;

	ck_assert_str_eq(view_byte_cell('R', cell), "'R'");
	ck_assert_str_eq(view_byte_cell('\n', cell), "'\\n'");
	ck_assert_str_eq(view_byte_cell(0xe4, cell), "0xe4");
	ck_assert_str_eq(view_byte_cell(INT_MIN, cell), "0x00");
	ck_assert_str_eq(view_byte_cell(-600000, cell), "0x40");
}
END_TEST

static void assert_measured(enum view_distance distance, float a, float b, const char *wanted)
{
	char text[VIEW_FORMAT_NUMBER];

	view_format_measured(distance, view_format_measure(distance, a, b), text);
	ck_assert_str_eq(text, wanted);
}

START_TEST(distances_are_measured_as_chosen)
{
	assert_measured(DISTANCE_ULP, 1.0f, nextafterf(1.0f, 2.0f), "1");
	assert_measured(DISTANCE_ULP, -0.0f, 0.0f, "0");
	assert_measured(DISTANCE_ULP, -1e-45f, 1e-45f, "2");
	assert_measured(DISTANCE_ABS, 3.0f, 2.0f, "1");
	assert_measured(DISTANCE_REL, 3.0f, 2.0f, "0.5");
	assert_measured(DISTANCE_REL, -0.0f, 0.0f, "0");
	for (int distance = 0; distance < DISTANCE_COUNT; distance++) {
		assert_measured(distance, NAN, NAN, "0");
		assert_measured(distance, INFINITY, INFINITY, "0");
		assert_measured(distance, INFINITY, 1.0f, "-");
		assert_measured(distance, 1.0f, NAN, "-");
	}
}
END_TEST

START_TEST(a_log_scale_shows_what_a_linear_one_leaves_blank)
{
	ck_assert_int_eq(view_format_mark(SCALE_LINEAR, 1e-3), ' ');
	ck_assert_int_eq(view_format_mark(SCALE_LINEAR, 0.5), '@');
	ck_assert_int_eq(view_format_mark(SCALE_LOG, 1e-6), ' ');
	ck_assert_int_eq(view_format_mark(SCALE_LOG, 1e-4), '.');
	ck_assert_int_eq(view_format_mark(SCALE_LOG, 1e-2), ':');
	ck_assert_int_eq(view_format_mark(SCALE_LOG, NAN), '?');
}
END_TEST

START_TEST(heat_has_levels_for_every_weight)
{
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, 0.0009), 0);
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, 0.0011), 1);
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, 0.011), 3);
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, 0.11), 5);
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, 1.0), HEAT_LEVELS);
	ck_assert_int_eq(view_format_heat(SCALE_LOG, 1.1e-4), 3);
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, NAN), 0);
	/* Of damaged traces. */
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, INFINITY), HEAT_LEVELS);
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, 1e300), HEAT_LEVELS);
	ck_assert_int_eq(view_format_heat(SCALE_LINEAR, -INFINITY), 0);
}
END_TEST

START_TEST(options_match_the_chosen_formats)
{
	struct view_format looks = { 0 };
	char text[VIEW_FORMAT_OPTIONS];

	view_format_options(&looks, text);
	ck_assert_str_eq(text, "");
	looks = (struct view_format){ NUMBER_BITS, DISTANCE_REL, SCALE_LOG };
	view_format_options(&looks, text);
	ck_assert_str_eq(text, " --number bits --distance rel --scale log");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_format");

	tcase_add_test(tests, numbers_are_written_in_the_chosen_base);
	tcase_add_test(tests, bytes_are_written_as_in_c_even_out_of_range);
	tcase_add_test(tests, distances_are_measured_as_chosen);
	tcase_add_test(tests, a_log_scale_shows_what_a_linear_one_leaves_blank);
	tcase_add_test(tests, heat_has_levels_for_every_weight);
	tcase_add_test(tests, options_match_the_chosen_formats);
	return run_suite("view_format", tests);
}
