/* test_options.c - the table of options: its names are those of the tables that own them. */
#include "config.h"

#include "tests/support.h"

#include <getopt.h>

#include "engine/attention/path.h"
#include "traces/level.h"
#include "tui/options.h"
#include "tui/views/view_format.h"
#include "tui/views/view_list.h"

/* Appends a name to a list of up to 512 bytes. */
static void append(char *list, const char *name)
{
	size_t used = strlen(list);

	snprintf(list + used, 512 - used, "%s%s", used ? " " : "", name);
}

START_TEST(names_are_those_of_other_tables)
{
	char paths[512] = "", screens[512] = "", graphs[512] = "", levels[512] = "";
	char numbers[512] = "", distances[512] = "", scales[512] = "";

	for (int i = 0; path_table[i]; i++)
		append(paths, path_table[i]->name);
	for (int i = 0; view_table[i]; i++)
		append(screens, view_table[i]->name);
	for (int i = 0; i < GRAPH_MODES; i++)
		append(graphs, graph_mode_name((enum graph_mode)i));
	for (int i = 0; i < LEVEL_ACCESS; i++)
		append(levels, log_level_name((enum log_level)i));
	ck_assert_str_eq(option_table[OPTION_REPLAY_LOG].names, levels);
	append(levels, log_level_name(LEVEL_ACCESS));
	for (int i = 0; i < NUMBER_COUNT; i++)
		append(numbers, view_number_names[i]);
	for (int i = 0; i < DISTANCE_COUNT; i++)
		append(distances, view_distance_names[i]);
	for (int i = 0; i < SCALE_COUNT; i++)
		append(scales, view_scale_names[i]);
	ck_assert_str_eq(option_table[OPTION_PATH].names, paths);
	ck_assert_str_eq(option_table[OPTION_SCREEN].names, screens);
	ck_assert_str_eq(option_table[OPTION_GRAPH].names, graphs);
	ck_assert_str_eq(option_table[OPTION_LOG].names, levels);
	ck_assert_str_eq(option_table[OPTION_NUMBER].names, numbers);
	ck_assert_str_eq(option_table[OPTION_DISTANCE].names, distances);
	ck_assert_str_eq(option_table[OPTION_CHART_SCALE].names, scales);
}
END_TEST

/* One command never takes two options of one name, of which getopt would find the first. */
START_TEST(names_of_a_command_differ)
{
	for (int a = 0; a < OPTION_COUNT; a++)
		for (int b = 0; b < a; b++) {
			const struct option_row *x = &option_table[a], *y = &option_table[b];

			if (!(x->commands & y->commands))
				continue;
			ck_assert_msg(!x->name || !y->name || strcmp(x->name, y->name) != 0,
				      "--%s twice", x->name);
			ck_assert_msg(!x->letter || x->letter != y->letter, "-%c twice", x->letter);
		}
}
END_TEST

static enum status keep(void *context, const struct option_value *value)
{
	*(struct option_value *)context = *value;
	return STATUS_OK;
}

/* Parses `decode WORD` and returns the option. */
static enum status parse(char *word, struct option_value *out, int *rest)
{
	char command[] = "decode", *argv[] = { command, word, NULL };

	optind = 1;
	return options_parse(COMMAND_DECODE, 2, argv, keep, out, rest);
}

START_TEST(values_come_in_their_types)
{
	char chunk[] = "--chunk=16", seed[] = "--seed=18446744073709551615";
	char graph[] = "--graph=manual";
	char file[] = "t.twin", below[] = "--chunk=-1", more[] = "--seed=18446744073709551616";
	struct option_value value;
	int rest;

	OK(parse(chunk, &value, &rest));
	ck_assert_int_eq(value.id, OPTION_CHUNK);
	ck_assert_int_eq(value.integer, 16);
	ck_assert_int_eq(rest, 2);
	OK(parse(seed, &value, &rest));
	ck_assert_uint_eq(value.u64, UINT64_MAX);
	OK(parse(graph, &value, &rest));
	ck_assert_int_eq(value.choice, GRAPH_MANUAL);
	OK(parse(file, &value, &rest));
	ck_assert_int_eq(rest, 1);
	FAILS(parse(below, &value, &rest), STATUS_USAGE,
	      "--chunk: expected an integer from 0 to 1048576, got -1");
	FAILS(parse(more, &value, &rest), STATUS_USAGE, "--seed: expected an integer from 0 to "
	      "18446744073709551615, got 18446744073709551616");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("options");

	tcase_add_test(tests, names_are_those_of_other_tables);
	tcase_add_test(tests, names_of_a_command_differ);
	tcase_add_test(tests, values_come_in_their_types);
	return run_suite("options", tests);
}
