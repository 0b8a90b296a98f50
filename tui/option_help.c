/* option_help.c - prints a command's options for --help; see options.h. */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/options.h"

#define HELP_COLUMN 21                  /* where an option's text begins */
#define HELP_WIDTH 90

static const char *const headings[GROUP_COUNT] = {
	[GROUP_RUN] = "Running:", [GROUP_RECORD] = "Recording a trace:",
};

/* "N", or "sim|cuda|both"; the caller frees. */
static char *argument_text(const struct option_row *row)
{
	char *text;

	if (row->argument)
		return xstrdup(row->argument);
	text = xstrdup(row->names);
	for (char *space = text; (space = strchr(space, ' ')) != NULL;)
		*space = '|';
	return text;
}

/* Prints "  --device sim|cuda" and returns how long that is. */
static int print_head(FILE *out, const struct option_row *row)
{
	int length = row->name ? fprintf(out, "  --%s", row->name)
			       : fprintf(out, "  -%c", row->letter);
	char *argument;

	if (row->kind == KIND_NONE)
		return length;
	argument = argument_text(row);
	length += fprintf(out, row->optional ? "[=%s]" : " %s", argument);
	free(argument);
	return length;
}

/* The part of one line of text that fits between HELP_COLUMN and HELP_WIDTH. */
static size_t fitting(const char *text, size_t length)
{
	size_t fits = HELP_WIDTH - HELP_COLUMN;

	if (length <= fits)
		return length;
	while (fits > 0 && text[fits] != ' ')
		fits--;
	return fits > 0 ? fits : length;
}

/* Prints text at HELP_COLUMN, where the line has `column` characters so far; on the next line where
 * two spaces do not fit between them. */
static void print_text(FILE *out, const char *text, int column)
{
	if (column > HELP_COLUMN - 2) {
		putc('\n', out);
		column = 0;
	}
	while (*text) {
		size_t length = fitting(text, strcspn(text, "\n"));

		fprintf(out, "%*s%.*s\n", HELP_COLUMN - column, "", (int)length, text);
		text += length;
		text += *text == ' ' || *text == '\n';
		column = 0;
	}
}

/* The row's help, with the names where only a metavariable stands for them; the caller frees. */
static char *help_text(const struct option_row *row)
{
	char *names, *text;

	if (!row->names || !row->argument)
		return xstrdup(row->help);
	names = option_list_names(row->names);
	text = xasprintf("%s: %s", row->help, names);
	free(names);
	return text;
}

static void print_row(FILE *out, const struct option_row *row)
{
	char *text = help_text(row);
	int column = print_head(out, row);

	print_text(out, text, column);
	free(text);
}

void options_print(FILE *out, enum command_id command)
{
	for (int group = 0; group < GROUP_COUNT; group++) {
		bool first = true;

		for (int id = 0; id < OPTION_COUNT; id++) {
			const struct option_row *row = &option_table[id];

			if (row->group != (enum option_group)group
			    || !(row->commands >> command & 1))
				continue;
			if (first && headings[group])
				fprintf(out, "\n%s\n", headings[group]);
			first = false;
			print_row(out, row);
		}
	}
}
