/* view_cell.c - columns of a trace, and other values, as text; see view_cell.h. */
#include "tui/views/view_cell.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *view_text(sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? (const char *)text : "-";
}

bool view_null(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL;
}

int64_t view_bits(sqlite3_stmt *row, int column)
{
	return sqlite3_column_int64(row, column);
}

int64_t view_int(sqlite3_stmt *row, int column)
{
	int64_t value = sqlite3_column_int64(row, column);

	return value > VIEW_INT_MAX ? VIEW_INT_MAX : value < -VIEW_INT_MAX ? -VIEW_INT_MAX : value;
}

const char *view_int_cell(sqlite3_stmt *row, int column, view_cell cell)
{
	if (view_null(row, column))
		return "-";
	snprintf(cell, VIEW_CELL, "%" PRId64, view_bits(row, column));
	return cell;
}

const char *view_real_cell(sqlite3_stmt *row, int column, const char *format, view_cell cell)
{
	if (view_null(row, column))
		return "-";
	snprintf(cell, VIEW_CELL, format, sqlite3_column_double(row, column));
	return cell;
}

float view_f32(sqlite3_stmt *row, int column)
{
	uint32_t bits = (uint32_t)view_int(row, column);
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static const char *number_cell(enum view_number number, sqlite3_stmt *row, int column,
			       view_cell cell)
{
	if (view_null(row, column))
		return "-";
	view_format_number(number, (uint32_t)view_int(row, column), cell);
	return cell;
}

const char *view_f32_cell(sqlite3_stmt *row, int column, view_cell cell)
{
	return number_cell(NUMBER_DEC, row, column, cell);
}

const char *view_value_cell(const struct view_context *c, sqlite3_stmt *row, int column,
			    view_cell cell)
{
	return number_cell(c->looks.number, row, column, cell);
}

const char *view_float_cell(const struct view_context *c, float value, view_cell cell)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	view_format_number(c->looks.number, bits, cell);
	return cell;
}

const char *view_byte_cell(int byte, view_cell cell)
{
	static const char escapes[] = "\n\t\r\\'", letters[] = "ntr\\'";
	const char *escape = byte > 0 ? strchr(escapes, byte) : NULL;

	if (escape)
		snprintf(cell, VIEW_CELL, "'\\%c'", letters[escape - escapes]);
	else if (byte >= 0 && byte < 128 && isprint(byte))
		snprintf(cell, VIEW_CELL, "'%c'", byte);
	else
		snprintf(cell, VIEW_CELL, "0x%02x", (unsigned)byte & 0xff);
	return cell;
}

const char *view_launch_cell(const struct view_context *c, int64_t launch, view_cell cell)
{
	struct address a = address_none;
	char text[ADDRESS_TEXT];

	a.run = c->run > 1 ? c->run : -1;
	a.launch = launch;
	address_format(&a, text);
	snprintf(cell, VIEW_CELL, "%.*s", VIEW_CELL - 1, text);
	return cell;
}

const char *view_plural(int64_t count)
{
	return count == 1 ? "" : "s";
}
