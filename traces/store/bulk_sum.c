/* bulk_sum.c - hashes the rows of a table; see bulk_sum.h. */
#include "traces/store/bulk_sum.h"

#include "traces/store/record.h"
#include "traces/store/row_hash.h"
#include "traces/store/store_internal.h"
#include "traces/store/store_sums.h"

static void add_value(struct row_hash *hash, const struct value *value, bool text)
{
	if (value->type == VALUE_INT)
		row_hash_integer(hash, value->integer);
	else if (value->type == VALUE_REAL)
		row_hash_real(hash, value->real);
	else if (value->type == VALUE_BYTES)
		row_hash_bytes(hash, text ? SQLITE_TEXT : SQLITE_BLOB, value->bytes.start,
			       value->bytes.count);
	else
		row_hash_null(hash);
}

/* Adds a row, if it is of this run or run is SUM_SHARED. */
static bool add_row(struct row_hash *hash, const struct cell *cell, bool rowids, int64_t run)
{
	struct record_reader reader;
	struct value value;
	int64_t rowid;
	bool text;

	record_open(&reader, cell_record(cell, rowids, &rowid));
	if (!record_next(&reader, &value, &text))
		return false;
	if (rowids)
		value = V_INT(rowid);
	if (run != SUM_SHARED && value.integer != run)
		return false;
	do
		add_value(hash, &value, text);
	while (record_next(&reader, &value, &text));
	return true;
}

uint64_t bulk_sum(const struct cell *cells, size_t count, bool rowids, int64_t run, int64_t *rows)
{
	struct row_hash hash;

	row_hash_begin(&hash);
	*rows = 0;
	for (size_t i = 0; i < count; i++)
		*rows += add_row(&hash, &cells[i], rowids, run);
	return row_hash_end(&hash);
}
