/* store_sums.c - computes, stores and checks the sums of a trace's rows; see store_sums.h.
 *
 * A sum is the hash of the rows (row_hash.h) in the order of the table's key. Tables and columns
 * are read from the schema, whose text has a sum too, under its SQLite name.
 */
#include "traces/store/store_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/row_hash.h"
#include "traces/store/store_internal.h"

#define SCHEMA "sqlite_schema"

/* --- hashing --- */

static void add_value(struct row_hash *hash, sqlite3_stmt *row, int column)
{
	int type = sqlite3_column_type(row, column);
	const void *bytes;

	switch (type) {
	case SQLITE_INTEGER:
		row_hash_integer(hash, sqlite3_column_int64(row, column));
		break;
	case SQLITE_FLOAT:
		row_hash_real(hash, sqlite3_column_double(row, column));
		break;
	case SQLITE_TEXT:
	case SQLITE_BLOB:
		bytes = sqlite3_column_blob(row, column);
		row_hash_bytes(hash, type, bytes, (size_t)sqlite3_column_bytes(row, column));
		break;
	default:
		row_hash_null(hash);
		break;
	}
}

struct sum {
	int64_t rows;
	uint64_t hash;
};

static enum status hash_rows(struct store *store, sqlite3_stmt *row, struct sum *out)
{
	struct row_hash hash;
	int columns = sqlite3_column_count(row), rc;

	row_hash_begin(&hash);
	out->rows = 0;
	while ((rc = sqlite3_step(row)) == SQLITE_ROW) {
		for (int i = 0; i < columns; i++)
			add_value(&hash, row, i);
		out->rows++;
	}
	out->hash = row_hash_end(&hash);
	return rc == SQLITE_DONE ? STATUS_OK : store_failed(store, "read");
}

/* --- tables --- */

/* The columns of the key, comma-separated, which the caller frees; and whether one is `run`. */
static enum status read_key(struct store *store, const char *table, char **key, bool *shared)
{
	sqlite3_stmt *row;
	const char *text;
	int rc;

	*key = NULL;
	TRY(store_select(store, &row, "SELECT group_concat(name), NOT (SELECT count(*)"
			 " FROM pragma_table_info(?1, 'main') WHERE name = 'run') FROM (SELECT name"
			 " FROM pragma_table_info(?1, 'main') WHERE pk ORDER BY pk)", NULL, 0));
	rc = sqlite3_bind_text(row, 1, table, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
		text = (const char *)sqlite3_column_text(row, 0);
		*key = text ? xstrdup(text) : NULL;
		*shared = sqlite3_column_int(row, 1) != 0;
	}
	sqlite3_finalize(row);
	if (rc != SQLITE_ROW)
		return store_failed(store, "read");
	return *key ? STATUS_OK : fail(STATUS_DAMAGED, "%s: the trace is damaged: %s has no key",
				       store_shown_path(store), table);
}

/* Prepares a SELECT of the rows that a sum is over. limit -1: all of them. */
static enum status select_rows(struct store *store, const char *table, int64_t run, int64_t limit,
			       sqlite3_stmt **row)
{
	const int64_t values[] = { limit, run };
	enum status status;
	char *key, *sql;
	bool shared = false;

	if (!strcmp(table, SCHEMA))
		return store_select(store, row, "SELECT type, name, tbl_name, sql FROM main." SCHEMA
				    " ORDER BY type, name LIMIT ?", values, 1);
	TRY(read_key(store, table, &key, &shared));
	sql = xasprintf("SELECT * FROM main.%s%s ORDER BY %s LIMIT ?1", table,
			shared ? "" : " WHERE run = ?2", key);
	status = store_select(store, row, sql, values, shared ? 1 : 2);
	free(sql);
	free(key);
	return status;
}

static enum status compute(struct store *store, const char *table, int64_t run, int64_t limit,
			   struct sum *out)
{
	sqlite3_stmt *row;
	enum status status;

	TRY(select_rows(store, table, run, limit, &row));
	status = hash_rows(store, row, out);
	sqlite3_finalize(row);
	return status;
}

struct tables {
	enum status (*fn)(void *context, const char *table, bool shared);
	void *context;
};

static enum status take_table(void *context, sqlite3_stmt *row)
{
	const struct tables *t = context;

	return t->fn(t->context, (const char *)sqlite3_column_text(row, 0),
		     sqlite3_column_int(row, 1));
}

enum status store_sum_tables(struct store *store, enum status (*fn)(void *context,
								    const char *table,
								    bool shared), void *context)
{
	struct tables t = { fn, context };

	return store_each(store, "SELECT m.name, NOT EXISTS (SELECT 1"
			  " FROM pragma_table_info(m.name) c WHERE c.name = 'run')"
			  " FROM main." SCHEMA " m WHERE m.type = 'table'"
			  " AND m.name GLOB 't_*' AND m.name <> 't_sum'"
			  " UNION ALL SELECT '" SCHEMA "', 1 ORDER BY 1", NULL, 0, take_table, &t);
}

/* --- writing --- */

static enum status write_sum(struct store *store, const char *table, int64_t run)
{
	struct sum sum;

	TRY(compute(store, table, run, -1, &sum));
	return PUT(store, TABLE_SUM, V_INT(run), V_TEXT(table), V_INT(sum.rows), V_INT(sum.hash));
}

static bool needs_sums(const struct run_state *run)
{
	return run->ended && !run->summed;
}

static enum status write_table(void *context, const char *table, bool shared)
{
	struct store *store = context;

	if (shared)
		return write_sum(store, table, SUM_SHARED);
	for (int i = 0; i < store->run_count; i++)
		if (needs_sums(&store->runs[i]))
			TRY(write_sum(store, table, store->runs[i].run));
	return STATUS_OK;
}

/* Another writer may have completed a run while a page of this one was only partly full. */
static enum status rewrite_pages(struct store *store, int64_t replaced)
{
	int64_t rows;

	TRY(store_integer(store, "SELECT rows FROM main.t_sum WHERE run = 0"
			  " AND \"table\" = 't_page'", NULL, 0, 0, &rows));
	return replaced <= rows ? write_sum(store, "t_page", SUM_SHARED) : STATUS_OK;
}

enum status store_sums_write(struct store *store)
{
	bool some = false;
	int64_t replaced;

	if (!store->path && !store->imaged)
		return STATUS_OK;
	for (int i = 0; i < store->run_count; i++)
		some = some || needs_sums(&store->runs[i]);
	/* Closes the open page, because a sum covers it. */
	TRY(pages_flush(store, some));
	replaced = pages_replaced(store);
	if (!some)
		return replaced ? rewrite_pages(store, replaced) : STATUS_OK;
	TRY(store_sum_tables(store, write_table, store));
	for (int i = 0; i < store->run_count; i++)
		store->runs[i].summed = store->runs[i].ended;
	return STATUS_OK;
}

static enum status sum_again(struct store *store, const char *table)
{
	struct sum sum;
	char sql[160];

	TRY(compute(store, table, SUM_SHARED, -1, &sum));
	snprintf(sql, sizeof sql, "UPDATE main.t_sum SET rows = %lld, hash = %lld WHERE run = 0"
		 " AND \"table\" = '%s'", (long long)sum.rows, (long long)sum.hash, table);
	return store_run_sql(store, sql);
}

enum status store_sums_schema(struct store *store)
{
	TRY(sum_again(store, SCHEMA));
	return sum_again(store, "t_op_kind");
}

struct added {
	struct store *store;
	int64_t version;                /* of the file */
};

static enum status add_sum(struct store *store, int64_t run, const char *table)
{
	struct sum sum;
	char sql[160];

	TRY(compute(store, table, run, -1, &sum));
	snprintf(sql, sizeof sql, "INSERT INTO main.t_sum VALUES (%lld, '%s', %lld, %lld)",
		 (long long)run, table, (long long)sum.rows, (long long)sum.hash);
	return store_run_sql(store, sql);
}

static enum status add_sums(void *context, sqlite3_stmt *row)
{
	static const struct {
		const char *name;
		int since;
	} tables[] = { { "t_request", 8 }, { "t_access_line", 8 }, { "t_attention", 9 } };
	const struct added *added = context;

	for (size_t i = 0; i < COUNT_OF(tables); i++)
		if (added->version < tables[i].since)
			TRY(add_sum(added->store, sqlite3_column_int64(row, 0), tables[i].name));
	return STATUS_OK;
}

enum status store_sums_added(struct store *store, int64_t version)
{
	struct added added = { store, version };

	return store_each(store, "SELECT run FROM t_run r WHERE complete AND NOT EXISTS (SELECT 1"
			  " FROM t_sum s WHERE s.run = r.run AND s.\"table\" = '')", NULL, 0,
			  add_sums, &added);
}

/* --- checking --- */

struct checked {
	int64_t run;
	char *what;                     /* a table; or digests that were read again */
	bool covered;
};

void store_sums_forget(struct store *store)
{
	for (size_t i = 0; i < store->checked_count; i++)
		free(store->checked[i].what);
	free(store->checked);
	store->checked = NULL;
	store->checked_count = 0;
}

bool store_checked(const struct store *store, int64_t run, const char *what, bool *covered)
{
	for (size_t i = 0; i < store->checked_count; i++) {
		*covered = store->checked[i].covered;
		if (store->checked[i].run == run && !strcmp(store->checked[i].what, what))
			return true;
	}
	return false;
}

void store_check_done(struct store *store, int64_t run, const char *what, bool covered)
{
	store->checked = xreallocarray(store->checked, store->checked_count + 1,
				       sizeof *store->checked);
	store->checked[store->checked_count++] =
		(struct checked){ run, xstrdup(what), covered };
}

static enum status find_sum(struct store *store, int64_t run, const char *table, struct sum *out,
			    bool *found)
{
	sqlite3_stmt *row;
	int rc;

	TRY(store_select(store, &row, "SELECT rows, hash FROM t_sum WHERE run = ?1"
			 " AND \"table\" = ?2", &run, 1));
	rc = sqlite3_bind_text(row, 2, table, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(row);
	*found = rc == SQLITE_ROW;
	out->rows = sqlite3_column_int64(row, 0);
	out->hash = (uint64_t)sqlite3_column_int64(row, 1);
	sqlite3_finalize(row);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? STATUS_OK : store_failed(store, "read");
}

static enum status wrong(const struct store *store, int64_t run, const char *table,
			 const struct sum *stored, const struct sum *found)
{
	char in[32] = "";

	if (run != SUM_SHARED)
		snprintf(in, sizeof in, "run %lld: ", (long long)run);
	if (stored->rows != found->rows)
		return fail(STATUS_DAMAGED, "%s: %s%s: expected %lld rows by its sum, got %lld",
			    store_shown_path(store), in, table, (long long)stored->rows,
			    (long long)found->rows);
	return fail(STATUS_DAMAGED, "%s: %s%s: its rows (%lld) are not those that were recorded: "
		    "expected sum %016llx, got %016llx", store_shown_path(store), in, table,
		    (long long)stored->rows, (unsigned long long)stored->hash,
		    (unsigned long long)found->hash);
}

bool store_is_own(const struct store *store, int64_t run)
{
	for (int i = 0; i < store->run_count; i++)
		if (store->runs[i].run == run)
			return true;
	return false;
}

enum status store_sum_check(struct store *store, int64_t run, const char *table, bool *covered)
{
	struct sum stored, found;

	if (store_checked(store, run, table, covered))
		return STATUS_OK;
	TRY(find_sum(store, run, table, &stored, covered));
	if (*covered) {
		TRY(compute(store, table, run, run == SUM_SHARED ? stored.rows : -1, &found));
		if (stored.rows != found.rows || stored.hash != found.hash)
			return wrong(store, run, table, &stored, &found);
	}
	store_check_done(store, run, table, *covered);
	return STATUS_OK;
}

enum status store_sum_later(struct store *store, const char *table, int64_t *rows)
{
	char *sql = xasprintf("SELECT (SELECT count(*) FROM main.%s) - rows FROM t_sum"
			      " WHERE run = 0 AND \"table\" = '%s'", table, table);
	enum status status = store_integer(store, sql, NULL, 0, 0, rows);

	free(sql);
	return status;
}
