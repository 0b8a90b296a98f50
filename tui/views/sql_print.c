/* sql_print.c - prints the rows of a statement; see sql_print.h.
 *
 * Column widths of a table come from its first rows. The other rows are streamed, so any number of
 * rows can be printed. NULL is NULL in a table, null in JSON and empty elsewhere;
 * bytes are printed in hexadecimal.
 */
#include "config.h"

#include "tui/views/sql_print.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"
#include "base/xalloc.h"

#define MEASURED 500    /* rows that a table's column widths are taken from */

/* False at the end, when *rc is SQLite's result, and when `out` fails, when *rc is SQLITE_ROW. */
static bool next_row(sqlite3_stmt *rows, FILE *out, int *rc)
{
	*rc = SQLITE_ROW;
	return !ferror(out) && (*rc = sqlite3_step(rows)) == SQLITE_ROW;
}

/* --- values as text --- */

static char *hex_text(const unsigned char *bytes, int count)
{
	char *text = xmalloc(2 * (size_t)count + 1);

	text[0] = '\0';
	for (int i = 0; i < count; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return text;
}

/* The fewest digits that read back as x; SQLite itself prints 15 digits at most. */
static char *real_text(double x)
{
	char text[32];
	int digits = 15;

	do
		snprintf(text, sizeof text, "%.*g", digits, x);
	while (digits++ < 17 && strtod(text, NULL) != x);
	return xstrdup(text);
}

/* A column as text, or NULL; the caller frees. */
static char *value_text(sqlite3_stmt *row, int column)
{
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_NULL:
		return NULL;
	case SQLITE_BLOB:
		return hex_text(sqlite3_column_blob(row, column),
				sqlite3_column_bytes(row, column));
	case SQLITE_FLOAT:
		return real_text(sqlite3_column_double(row, column));
	default:
		return xstrdup((const char *)sqlite3_column_text(row, column));
	}
}

/* Escapes control characters, so that a row is one line, and backslashes. Frees `text`; the caller
 * frees the result. */
static char *escape(char *text)
{
	char *out = xmalloc(4 * strlen(text) + VISIBLE_BYTES), *to = out;

	for (const char *from = text; *from; to += strlen(to)) {
		if (*from == '\\') {
			strcpy(to, "\\\\");
			from++;
		} else {
			from += visible_next(from, to);
		}
	}
	*to = '\0';
	free(text);
	return out;
}

/* --- tables --- */

struct cell {
	char *text;
	bool number;
};

struct table {
	sqlite3_stmt *rows;
	FILE *out;
	int columns;
	size_t *width;
	struct cell *cells;     /* of the rows kept so far */
	size_t kept;
};

/* The caller frees it. */
static char *column_name(sqlite3_stmt *rows, int column)
{
	return escape(xstrdup(sqlite3_column_name(rows, column)));
}

static size_t name_width(sqlite3_stmt *rows, int column)
{
	char *name = column_name(rows, column);
	size_t width = visible_columns(name, strlen(name));

	free(name);
	return width;
}

static struct cell cell_of(sqlite3_stmt *row, int column)
{
	int type = sqlite3_column_type(row, column);
	char *text = value_text(row, column);

	return (struct cell){
		text ? escape(text) : xstrdup("NULL"),
		type == SQLITE_INTEGER || type == SQLITE_FLOAT,
	};
}

static void print_cell(struct table *t, const struct cell *cell, int column)
{
	size_t width = visible_columns(cell->text, strlen(cell->text));
	int pad = width < t->width[column] ? (int)(t->width[column] - width) : 0;
	bool last = column == t->columns - 1;

	if (cell->number)
		fprintf(t->out, "%*s%s", pad, "", cell->text);
	else
		fprintf(t->out, "%s%*s", cell->text, last ? 0 : pad, "");
	fputs(last ? "\n" : "  ", t->out);
}

static void keep_row(struct table *t)
{
	t->cells = xreallocarray(t->cells, (t->kept + 1) * (size_t)t->columns, sizeof *t->cells);
	for (int i = 0; i < t->columns; i++) {
		struct cell *cell = &t->cells[t->kept * (size_t)t->columns + (size_t)i];

		*cell = cell_of(t->rows, i);
		if (visible_columns(cell->text, strlen(cell->text)) > t->width[i])
			t->width[i] = visible_columns(cell->text, strlen(cell->text));
	}
	t->kept++;
}

static void print_kept(struct table *t)
{
	for (int i = 0; i < t->columns; i++) {
		struct cell name = { column_name(t->rows, i), false };

		print_cell(t, &name, i);
		free(name.text);
	}
	for (int i = 0; i < t->columns; i++) {
		for (size_t k = 0; k < t->width[i]; k++)
			putc('-', t->out);
		fputs(i == t->columns - 1 ? "\n" : "  ", t->out);
	}
	for (size_t k = 0; k < t->kept * (size_t)t->columns; k++) {
		print_cell(t, &t->cells[k], (int)(k % (size_t)t->columns));
		free(t->cells[k].text);
	}
}

static int print_table(sqlite3_stmt *rows, FILE *out)
{
	struct table t = { .rows = rows, .out = out, .columns = sqlite3_column_count(rows) };
	int rc;

	t.width = xcalloc((size_t)t.columns, sizeof *t.width);
	for (int i = 0; i < t.columns; i++)
		t.width[i] = name_width(rows, i);
	while (next_row(rows, out, &rc) && t.kept < MEASURED)
		keep_row(&t);
	print_kept(&t);
	for (bool more = rc == SQLITE_ROW; more; more = next_row(rows, out, &rc)) {
		for (int i = 0; i < t.columns; i++) {
			struct cell cell = cell_of(rows, i);

			print_cell(&t, &cell, i);
			free(cell.text);
		}
	}
	free(t.width);
	free(t.cells);
	return rc;
}

/* --- for programs --- */

static int print_plain(sqlite3_stmt *rows, FILE *out)
{
	int columns = sqlite3_column_count(rows), rc;

	while (next_row(rows, out, &rc)) {
		for (int i = 0; i < columns; i++) {
			char *text = value_text(rows, i);

			text = escape(text ? text : xstrdup(""));
			fprintf(out, "%s%s", i ? "\t" : "", text);
			free(text);
		}
		putc('\n', out);
	}
	return rc;
}

/* A file or a pipe gets the data as it is, a terminal what is safe to show. */
static void print_csv_text(FILE *out, const char *text)
{
	if (isatty(fileno(out)))
		visible_print(out, text);
	else
		fputs(text, out);
}

static void print_csv_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		print_csv_text(out, text);
		return;
	}
	putc('"', out);
	while (*text) {
		size_t length = strcspn(text, "\"");
		char *part = xasprintf("%.*s", (int)length, text);

		print_csv_text(out, part);
		free(part);
		text += length;
		if (*text == '"') {
			fputs("\"\"", out);
			text++;
		}
	}
	putc('"', out);
}

static int print_csv(sqlite3_stmt *rows, FILE *out)
{
	int columns = sqlite3_column_count(rows), rc;

	for (int i = 0; i < columns; i++) {
		fputs(i ? "," : "", out);
		print_csv_field(out, sqlite3_column_name(rows, i));
	}
	fputs("\r\n", out);
	while (next_row(rows, out, &rc)) {
		for (int i = 0; i < columns; i++) {
			char *text = value_text(rows, i);

			fputs(i ? "," : "", out);
			print_csv_field(out, text ? text : "");
			free(text);
		}
		fputs("\r\n", out);
	}
	return rc;
}

/* An infinity, which JSON does not have, and text that is not UTF-8 become null. */
static json_t *json_of(sqlite3_stmt *row, int column)
{
	json_t *value;
	char *text;

	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(row, column));
	case SQLITE_FLOAT:
		value = json_real(sqlite3_column_double(row, column));
		break;
	default:
		text = value_text(row, column);
		value = text ? json_string(text) : NULL;
		free(text);
	}
	return value ? value : json_null();
}

static int print_json(sqlite3_stmt *rows, FILE *out)
{
	int columns = sqlite3_column_count(rows), rc;
	bool first = true;

	fputs("[", out);
	while (next_row(rows, out, &rc)) {
		json_t *object = json_object();
		char *text;

		for (int i = 0; i < columns; i++)
			json_object_set_new(object, sqlite3_column_name(rows, i), json_of(rows, i));
		fputs(first ? "\n" : ",\n", out);
		text = json_dumps(object, JSON_COMPACT);
		visible_print_json(out, text ? text : "{}");
		free(text);
		json_decref(object);
		first = false;
	}
	fputs(first ? "]\n" : "\n]\n", out);
	return rc;
}

enum status sql_print(sqlite3_stmt *rows, enum sql_format format, FILE *out)
{
	static int (*const printers[])(sqlite3_stmt *, FILE *) = {
		[SQL_TABLE] = print_table, [SQL_PLAIN] = print_plain, [SQL_CSV] = print_csv,
		[SQL_JSON] = print_json,
	};
	sqlite3 *db = sqlite3_db_handle(rows);

	switch (printers[format](rows, out)) {
	case SQLITE_DONE:
		return STATUS_OK;
	case SQLITE_ROW:
		return fail(STATUS_IO, "cannot write: %s", strerror(errno));
	}
	return fail(sqlite3_errcode(db) == SQLITE_CORRUPT ? STATUS_DAMAGED : STATUS_USAGE, "%s",
		    sqlite3_errmsg(db));
}
