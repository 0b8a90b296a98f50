/* completions.c - a program of the build: prints what bash completes, from the table of options.
 *
 * Prints three shell functions, which doc/completions/flashtwin.bash.in calls: the commands, the
 * options of a command, and the values of one of its options. Links nothing but the table.
 */
#include <stdio.h>

#include "tui/option_table.h"

/* "--chunk" or "-n", then `after`. */
static void print_option(const struct option_row *row, const char *after)
{
	if (row->name)
		printf("--%s%s", row->name, after);
	else
		printf("-%c%s", row->letter, after);
}

static void print_commands(void)
{
	printf("_flashtwin_commands='");
	for (int command = 0; command < COMMAND_COUNT; command++)
		printf("%s ", command_names[command]);
	printf("help'\n\n");
}

static void print_options(void)
{
	printf("_flashtwin_options() {\n\tcase $1 in\n");
	for (int command = 0; command < COMMAND_COUNT; command++) {
		printf("\t%s) echo '", command_names[command]);
		for (int id = 0; id < OPTION_COUNT; id++)
			if (option_table[id].commands >> command & 1)
				print_option(&option_table[id], " ");
		printf("--help' ;;\n");
	}
	printf("\thelp) echo \"$_flashtwin_commands\" ;;\n\tesac\n}\n\n");
}

/* The pattern of a case, for every command that takes the option: 'diff --ulp'|'find --ulp'. */
static void print_pattern(const struct option_row *row)
{
	const char *before = "\t";

	for (int command = 0; command < COMMAND_COUNT; command++) {
		if (!(row->commands >> command & 1))
			continue;
		printf("%s'%s ", before, command_names[command]);
		print_option(row, "'");
		before = "|";
	}
}

/* Names, or -d or -f for directories and files, as compgen calls them. */
static void print_values(void)
{
	printf("_flashtwin_values() {\n\tcase \"$1 $2\" in\n");
	for (int id = 0; id < OPTION_COUNT; id++) {
		const struct option_row *row = &option_table[id];
		const char *value = row->names ? row->names : row->kind == KIND_FILE ? "-f"
			: row->kind == KIND_DIRECTORY ? "-d" : NULL;

		if (!value)
			continue;
		print_pattern(row);
		printf(") echo '%s' ;;\n", value);
	}
	printf("\tesac\n}\n");
}

int main(void)
{
	printf("# flashtwin.bash - completion of flashtwin's commands and options for bash.\n\n");
	print_commands();
	print_options();
	print_values();
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
