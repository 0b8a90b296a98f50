/* store_sql.c - the trace store's interface to SQLite: connections, statements, error codes.
 *
 * Every write goes through here, in a transaction that the next commit ends. The first write that
 * fails ends all writing, so that the file stays as it was at its last commit. Independent of what
 * the tables mean.
 */
#include "traces/store/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "traces/store/bulk.h"

static const struct {
	const char *name, *verb;
} tables[TABLE_COUNT] = {
#define X(name, table, verb) [TABLE_##name] = { table, verb },
	TABLE_LIST(X)
#undef X
};

/* --- errors --- */

const char *store_shown_path(const struct store *store)
{
	return store->path ? store->path : "trace in memory";
}

enum status store_failed(struct store *store, const char *doing)
{
	const char *path = store_shown_path(store);
	int system = sqlite3_system_errno(store->db);

	switch (sqlite3_errcode(store->db)) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_FORMAT:
		return fail(STATUS_DAMAGED, "%s: the trace is damaged: %s", path,
			    sqlite3_errmsg(store->db));
	case SQLITE_FULL:
		if (store->max_bytes)
			return fail(STATUS_IO, "larger than %lld MiB",
				    (long long)store->max_bytes >> 20);
		return fail(STATUS_IO, "%s: disk full; the trace ends at its last commit", path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return fail(STATUS_IO, "%s: cannot %s: another program holds a lock on it", path,
			    doing);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return fail(STATUS_IO, "%s: cannot %s: %s", path, doing,
			    system ? strerror(system) : sqlite3_errmsg(store->db));
	case SQLITE_INTERRUPT:
		return fail(STATUS_INTERRUPTED, "stopped");
	case SQLITE_NOMEM:
		return fail(STATUS_INTERNAL, "%s: cannot %s: out of memory", path, doing);
	default:
		/* Our statements are correct, so what is in the file made this one fail. */
		if (!store->writing || store->appending)
			return fail(STATUS_DAMAGED, "%s: the trace is damaged: %s", path,
				    sqlite3_errmsg(store->db));
		return fail(STATUS_INTERNAL, "%s: cannot %s: %s", path, doing,
			    sqlite3_errmsg(store->db));
	}
}

enum status store_read_failed(struct store *store)
{
	return store_failed(store, "read");
}

static void finalize_inserts(struct store *store)
{
	for (int i = 0; i < TABLE_COUNT; i++) {
		sqlite3_finalize(store->inserts[i]);
		store->inserts[i] = NULL;
	}
}

/* After a failed write the file stays as it was at the last commit. */
enum status store_break_off(struct store *store, enum status status)
{
	if (store->broken)
		return status;
	store->broken = xstrdup(error_text());
	finalize_inserts(store);
	/* SQLite may already have rolled back; then this fails and does no harm. */
	if (store->in_transaction)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	store->in_transaction = false;
	return status;
}

/* What a failed write is for the caller: no error if the trace is expendable. An empty trace then
 * takes its place, which frees its memory; a writer that looks for a row finds none. */
enum status store_write_failed(struct store *store, enum status status)
{
	store_break_off(store, status);
	if (!store->expendable)
		return status;
	bulk_free(store->bulk);
	store->bulk = NULL;
	store_disconnect(store);
	TRY(store_connect(store, NULL, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
	TRY(store_run_sql(store, schema_sql));
	error_clear();
	return STATUS_OK;
}

enum status store_check_writing(struct store *store)
{
	if (!store->writing)
		return fail(STATUS_INTERNAL, "%s: opened for reading", store_shown_path(store));
	return store->broken ? fail(STATUS_IO, "%s", store->broken) : STATUS_OK;
}

/* --- statements --- */

enum status store_run_sql(struct store *store, const char *sql)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? STATUS_OK
		: store_failed(store, "write");
}

enum status store_begin(struct store *store)
{
	TRY(store_check_writing(store));
	if (store->in_transaction)
		return STATUS_OK;
	TRY(store_run_sql(store, "BEGIN IMMEDIATE"));
	store->in_transaction = true;
	/* With a full cache SQLite tries to write at every row; that may fail but must not wait. */
	store_wait(store, 0);
	return STATUS_OK;
}

static int bind_value(sqlite3_stmt *statement, int index, const struct value *value)
{
	switch (value->type) {
	case VALUE_INT:
		return sqlite3_bind_int64(statement, index, value->integer);
	case VALUE_REAL:        /* SQLite itself turns a NaN into NULL */
		return sqlite3_bind_double(statement, index, value->real);
	case VALUE_STRING:
		return sqlite3_bind_text(statement, index, value->text, -1, SQLITE_STATIC);
	case VALUE_BYTES:       /* a null pointer would bind NULL */
		return sqlite3_bind_blob64(statement, index,
					   value->bytes.count ? value->bytes.start : "",
					   value->bytes.count, SQLITE_STATIC);
	default:
		return sqlite3_bind_null(statement, index);
	}
}

/* Binds values, runs a statement that returns no rows, and resets it. */
static enum status execute(struct store *store, sqlite3_stmt *statement, const struct value *values,
			   size_t count)
{
	enum status status = STATUS_OK;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < count && rc == SQLITE_OK; i++)
		rc = bind_value(statement, (int)i + 1, &values[i]);
	if (rc != SQLITE_OK || sqlite3_step(statement) != SQLITE_DONE)
		status = store_failed(store, "write");
	sqlite3_reset(statement);
	return status;
}

static enum status prepare_insert(struct store *store, enum table table, size_t count)
{
	char sql[256];
	int at = snprintf(sql, sizeof sql, "%s INTO %s VALUES (?", tables[table].verb,
			  tables[table].name);

	for (size_t i = 1; i < count; i++)
		at += snprintf(sql + at, sizeof sql - (size_t)at, ",?");
	snprintf(sql + at, sizeof sql - (size_t)at, ")");
	if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
			       &store->inserts[table], NULL)
	    != SQLITE_OK)
		return store_failed(store, "write");
	return STATUS_OK;
}

bool store_replaces(enum table table)
{
	return strcmp(tables[table].verb, "REPLACE") == 0;
}

enum table store_table(const char *name)
{
	int i = 0;

	while (i < TABLE_COUNT && strcmp(tables[i].name, name) != 0)
		i++;
	return (enum table)i;
}

static enum status insert(struct store *store, enum table table, const struct value *values,
			  size_t count)
{
	if (!store->inserts[table])
		TRY(prepare_insert(store, table, count));
	return execute(store, store->inserts[table], values, count);
}

static enum status update(struct store *store, const char *sql, const struct value *values,
			  size_t count)
{
	sqlite3_stmt *statement;
	enum status status;

	if (store_borrow(store, sql, &statement) != SQLITE_OK)
		return store_failed(store, "write");
	status = execute(store, statement, values, count);
	store_return(store, statement);
	return status;
}

/* Ends the writing if that has failed. */
static enum status written(struct store *store, enum status status)
{
	return status == STATUS_OK ? STATUS_OK : store_write_failed(store, status);
}

enum status store_put(struct store *store, enum table table, const struct value *values,
		      size_t count)
{
	enum status status;

	if (store->broken && store->expendable)
		return STATUS_OK;
	if (store->bulk)
		return written(store, bulk_put(store, table, values, count));
	status = store_begin(store);
	if (status == STATUS_OK)
		status = insert(store, table, values, count);
	return written(store, status);
}

/* An expendable trace numbers its rows itself, even once it was dropped. */
int64_t store_new_id(struct store *store, enum table table)
{
	if (store->expendable && store->broken)
		return ++store->ids[table];
	return store->bulk ? store->ids[table] : sqlite3_last_insert_rowid(store->db);
}

enum status store_update(struct store *store, const char *sql, const struct value *values,
			 size_t count)
{
	enum status status;

	if (store->broken && store->expendable)
		return STATUS_OK;
	status = store_ready(store);
	if (status == STATUS_OK)
		status = store_begin(store);
	if (status == STATUS_OK)
		status = update(store, sql, values, count);
	return written(store, status);
}

enum status store_select(struct store *store, sqlite3_stmt **out, const char *sql,
			 const int64_t *parameters, int count)
{
	*out = NULL;
	TRY(store_ready(store));
	if (sqlite3_prepare_v2(store->db, sql, -1, out, NULL) != SQLITE_OK)
		return store_failed(store, "read");
	for (int i = 0; i < count; i++)
		sqlite3_bind_int64(*out, i + 1, parameters[i]);
	return STATUS_OK;
}

enum status store_each(struct store *store, const char *sql, const int64_t *parameters, int count,
		       enum status (*take)(void *context, sqlite3_stmt *row), void *context)
{
	enum status status = STATUS_OK;
	sqlite3_stmt *row;
	int rc = SQLITE_DONE;

	TRY(store_select(store, &row, sql, parameters, count));
	while (status == STATUS_OK && (rc = sqlite3_step(row)) == SQLITE_ROW)
		status = take(context, row);
	if (status == STATUS_OK && rc != SQLITE_DONE)
		status = store_failed(store, "read");
	sqlite3_finalize(row);
	return status;
}

enum status store_integer(struct store *store, const char *sql, const int64_t *parameters,
			  int count, int64_t otherwise, int64_t *out)
{
	enum status status = STATUS_OK;
	sqlite3_stmt *select;
	int rc;

	*out = otherwise;
	if (store_borrow(store, sql, &select) != SQLITE_OK)
		return store_failed(store, "read");
	for (int i = 0; i < count; i++)
		sqlite3_bind_int64(select, i + 1, parameters[i]);
	rc = sqlite3_step(select);
	if (rc == SQLITE_ROW && sqlite3_column_type(select, 0) != SQLITE_NULL)
		*out = sqlite3_column_int64(select, 0);
	else if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		status = store_failed(store, "read");
	store_return(store, select);
	return status;
}

/* --- connections --- */

void store_wait(struct store *store, int milliseconds)
{
	sqlite3_busy_timeout(store->db, milliseconds);
}

enum status store_connect(struct store *store, const char *path, int flags)
{
	char *name;
	int rc;

	if (path)
		TRY(file_check(path));
	/* SQLite treats names that start with a colon specially, such as ":memory:". */
	name = path ? xasprintf("%s%s", path[0] == ':' ? "./" : "", path) : xstrdup(":memory:");
	/* A store is used by one thread at a time. */
	rc = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	free(name);
	if (rc != SQLITE_OK)
		return store->db ? store_failed(store, "open")
			: fail(STATUS_INTERNAL, "%s: out of memory", store_shown_path(store));
	store_wait(store, STORE_WAIT_MS);
	return store_guard_connection(store);
}

void store_disconnect(struct store *store)
{
	finalize_inserts(store);
	store_drop_statements(store);
	store->walks_kv = false;
	for (int i = 0; i < STORE_READ_COUNT; i++) {
		sqlite3_finalize(store->reads[i]);
		store->reads[i] = NULL;
	}
	/* Works even if a caller's statement is still open; the connection is then freed with
	 * it. */
	sqlite3_close_v2(store->db);
	store->db = NULL;
}

enum status store_tune_writer(struct store *store)
{
	return store_run_sql(store, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;"
		       "PRAGMA cache_size = -16384");
}
