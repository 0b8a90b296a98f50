/* bench_markdown.c - prints JSON as Markdown; see bench_markdown.h. */
#include "config.h"

#include "tui/bench/bench_markdown.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 256 };

static int decimals(double number)
{
	double size = fabs(number);

	return size < 10 ? 2 : size < 1000 && number != floor(number) ? 1 : 0;
}

static void format_cell(const json_t *value, char out[CELL])
{
	double number = json_number_value(value);

	if (json_is_string(value))
		snprintf(out, CELL, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(out, CELL, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(out, CELL, "%.*f", decimals(number), number);
	else
		snprintf(out, CELL, "-");
}

/* The widest cell of a column, its name included. */
static int column_width(const json_t *rows, const char *column)
{
	size_t widest = strlen(column), i;
	char cell[CELL];
	json_t *row;

	json_array_foreach(rows, i, row) {
		format_cell(json_object_get(row, column), cell);
		if (strlen(cell) > widest)
			widest = strlen(cell);
	}
	return (int)widest;
}

static void print_line(int width, const char *cell, bool text)
{
	printf(text ? " %-*s |" : " %*s |", width, cell);
}

static void print_rule(int width, bool text)
{
	putchar(text ? ' ' : '-');
	for (int i = 0; i < width; i++)
		putchar('-');
	printf(text ? " |" : ":|");
}

void markdown_table(const json_t *rows)
{
	json_t *first = json_array_get(rows, 0), *row, *value;
	const char *column;
	char cell[CELL];
	size_t i;

	putchar('|');
	json_object_foreach(first, column, value)
		print_line(column_width(rows, column), column, json_is_string(value));
	printf("\n|");
	json_object_foreach(first, column, value)
		print_rule(column_width(rows, column), json_is_string(value));
	json_array_foreach(rows, i, row) {
		printf("\n|");
		json_object_foreach(first, column, value) {
			format_cell(json_object_get(row, column), cell);
			print_line(column_width(rows, column), cell, json_is_string(value));
		}
	}
	printf("\n\n");
}

void markdown_list(const json_t *about)
{
	const char *key;
	char cell[CELL];
	json_t *value;

	json_object_foreach((json_t *)about, key, value) {
		format_cell(value, cell);
		printf("- %s: %s\n", key, cell);
	}
	putchar('\n');
}
