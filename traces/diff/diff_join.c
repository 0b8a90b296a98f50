/* diff_join.c - joins rows of two runs on their key by merging two ordered cursors.
 *
 * Calls back for each pair of rows with equal keys, and for each row that only one side has. Memory
 * does not grow with the number of rows. Used by diff_rows.c and diff_points.c.
 */
#include "traces/diff/diff_join.h"

#include <string.h>

#define MAX_KEYS 5

/* One side of a merge. */
struct side {
	int which;
	struct store *store;
	sqlite3_stmt *rows;
	bool end;
	int64_t key[MAX_KEYS];
};

/* Moves to the next row that is compared. */
static enum status side_next(struct side *side, const struct diff *d, const struct diff_join *join)
{
	do {
		int code = sqlite3_step(side->rows);

		if (code != SQLITE_ROW && code != SQLITE_DONE)
			return store_read_failed(side->store);
		side->end = code == SQLITE_DONE;
		for (int i = 0; i < join->keys && !side->end; i++)
			side->key[i] = sqlite3_column_int64(side->rows, i);
	} while (!side->end && join->common && !join->common(d, side->which, &side->key[0]));
	return STATUS_OK;
}

static enum status side_open(struct side *side, struct diff *d, int which,
			     const struct diff_join *join)
{
	side->which = which;
	side->store = d->store[which];
	if (sqlite3_prepare_v2(store_db(side->store), join->query, -1, &side->rows,
			       NULL) != SQLITE_OK
	    || sqlite3_bind_int64(side->rows, 1, d->run[which].run) != SQLITE_OK
	    || (sqlite3_bind_parameter_count(side->rows) > 1
		&& (sqlite3_bind_int64(side->rows, 2, join->min_key) != SQLITE_OK
		    || sqlite3_bind_int64(side->rows, 3, join->max_key) != SQLITE_OK)))
		return store_read_failed(side->store);
	return side_next(side, d, join);
}

/* Below 0: a comes first, alone; 0: a pair; above 0: b comes first, alone. */
static int compare_keys(const struct side *a, const struct side *b, int keys)
{
	if (a->end || b->end)
		return a->end - b->end;
	for (int i = 0; i < keys; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

static enum status merge(struct diff *d, const struct diff_join *join, struct side side[2])
{
	TRY(side_open(&side[0], d, 0, join));
	TRY(side_open(&side[1], d, 1, join));
	while (!side[0].end || !side[1].end) {
		int order = compare_keys(&side[0], &side[1], join->keys);

		if (order < 0)
			TRY(join->one(d, side[0].rows, 0));
		else if (order > 0)
			TRY(join->one(d, side[1].rows, 1));
		else
			TRY(join->both(d, side[0].rows, side[1].rows));
		if (order <= 0)
			TRY(side_next(&side[0], d, join));
		if (order >= 0)
			TRY(side_next(&side[1], d, join));
	}
	return STATUS_OK;
}

enum status diff_join(struct diff *d, const struct diff_join *join)
{
	struct side side[2] = { { 0 } };
	enum status status = merge(d, join, side);

	sqlite3_finalize(side[0].rows);
	sqlite3_finalize(side[1].rows);
	return status;
}

int diff_int(sqlite3_stmt *row, int column)
{
	return sqlite3_column_int(row, column);
}

uint32_t diff_bits(sqlite3_stmt *row, int column)
{
	return (uint32_t)sqlite3_column_int64(row, column);
}
