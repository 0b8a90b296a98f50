/* column.c - reads columns of a row, checking type and range; see column.h. */
#include "traces/store/column.h"

#include <math.h>

int64_t column_int(sqlite3_stmt *row, int column, int64_t min, int64_t max, int64_t otherwise,
		   bool *good)
{
	int64_t value;

	switch (sqlite3_column_type(row, column)) {
	case SQLITE_NULL:
		return otherwise;
	case SQLITE_INTEGER:
		value = sqlite3_column_int64(row, column);
		if (value >= min && value <= max)
			return value;
	}
	*good = false;
	return otherwise;
}

uint32_t column_u32(sqlite3_stmt *row, int column, bool *good)
{
	return (uint32_t)column_int(row, column, 0, UINT32_MAX, 0, good);
}

uint64_t column_size(sqlite3_stmt *row, int column, bool *good)
{
	return (uint64_t)column_int(row, column, 0, INT64_MAX, 0, good);
}

int column_small(sqlite3_stmt *row, int column, int otherwise, bool *good)
{
	return (int)column_int(row, column, INT32_MIN, INT32_MAX, otherwise, good);
}

double column_real(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN
							       : sqlite3_column_double(row, column);
}

const char *column_text(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}
