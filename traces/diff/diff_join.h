/* diff_join.h - joins rows of two runs on their key.
 *
 * Used by diff_rows.c and diff_points.c.
 */
#ifndef DIFF_JOIN_H
#define DIFF_JOIN_H

#include <sqlite3.h>

#include "traces/diff/diff_state.h"

/* A kind of row. The query takes the run as ?1 and gives the keys first; where it has them, ?2 and
 * ?3 are the minimum and maximum of the first key. */
struct diff_join {
	const char *query;
	int keys;
	int64_t min_key, max_key;
	/* Maps the first key of a row to one that both runs have; false: the row is not compared.
	 * NULL: all rows are compared by their own keys. */
	bool (*common)(const struct diff *, int side, int64_t *key);
	enum status (*both)(struct diff *, sqlite3_stmt *a, sqlite3_stmt *b);
	enum status (*one)(struct diff *, sqlite3_stmt *, int side);
};

enum status diff_join(struct diff *, const struct diff_join *);
int diff_int(sqlite3_stmt *, int column);
uint32_t diff_bits(sqlite3_stmt *, int column);         /* an f32 column */

#endif
