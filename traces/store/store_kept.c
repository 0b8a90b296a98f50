/* store_kept.c - a cache of prepared statements, for readers that repeat queries.
 *
 * A screen of the viewer runs dozens of SELECTs, and preparing one on the views of a trace takes
 * longer than running it. A borrowed statement has one user: borrowing the same text meanwhile, as
 * nested queries do, prepares another, and both are cached in the end. A full cache drops the
 * statement that was returned longest ago.
 */
#include "traces/store/store_internal.h"

#include <string.h>

/* Takes entry `at` out of the list. */
static sqlite3_stmt *take_out(struct kept_statements *k, int at)
{
	sqlite3_stmt *statement = k->list[at].statement;

	k->count--;
	memmove(&k->list[at], &k->list[at + 1], (size_t)(k->count - at) * sizeof *k->list);
	return statement;
}

int store_borrow(struct store *store, const char *sql, sqlite3_stmt **out)
{
	struct kept_statements *k = &store->statements;
	uint64_t hash = XXH3_64bits(sql, strlen(sql));

	*out = NULL;
	if (store_ready(store) != STATUS_OK)
		return SQLITE_ERROR;
	for (int i = 0; i < k->count; i++) {
		if (k->list[i].hash == hash
		    && strcmp(sqlite3_sql(k->list[i].statement), sql) == 0) {
			*out = take_out(k, i);
			return SQLITE_OK;
		}
	}
	return sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
}

void store_return(struct store *store, sqlite3_stmt *statement)
{
	struct kept_statements *k = &store->statements;
	const char *sql = sqlite3_sql(statement);

	if (!sql)
		return;
	/* Releases its lock on the file and the values bound to it. */
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	if (k->count == KEPT_STATEMENTS)
		sqlite3_finalize(take_out(k, k->count - 1));
	memmove(&k->list[1], &k->list[0], (size_t)k->count * sizeof *k->list);
	k->list[0].hash = XXH3_64bits(sql, strlen(sql));
	k->list[0].statement = statement;
	k->count++;
}

void store_drop_statements(struct store *store)
{
	struct kept_statements *k = &store->statements;

	while (k->count > 0)
		sqlite3_finalize(take_out(k, k->count - 1));
}
