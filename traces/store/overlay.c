/* overlay.c - shows rows of a launch from another trace; see overlay.h.
 *
 * The o_* tables have the rows. The a_* views join them to the file's own, and temporary views with
 * the names and statements of the file's views read these instead of the tables. Numbers of data
 * and of names of points are negative here, so that they differ from the file's own.
 */
#include "traces/store/overlay.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/store.h"
#include "traces/store/store_internal.h"

#define LAUNCHES 32                     /* kept; the oldest are removed */

static const char make[] =
	"CREATE TEMP TABLE o_launch (number INTEGER PRIMARY KEY, run, launch,"
	" UNIQUE (run, launch));"
	"CREATE TEMP TABLE o_data (data INTEGER PRIMARY KEY, run, launch, bytes);"
	"CREATE TEMP TABLE o_digest (run INTEGER, op INTEGER, entry INTEGER, launch, data,"
	" PRIMARY KEY (run, op, entry)) WITHOUT ROWID;"
	"CREATE TEMP TABLE o_partial (run INTEGER, launch INTEGER, slot INTEGER, head INTEGER,"
	" chunk INTEGER, kv_head, key_begin, key_end, max, sum, lse, weight, acc_data, acc_offset,"
	" acc_bytes, more, key_step, PRIMARY KEY (run, launch, slot, head, chunk)) WITHOUT ROWID;"
	"CREATE TEMP TABLE o_reduce (run INTEGER, launch INTEGER, slot INTEGER, head INTEGER,"
	" sequence INTEGER, chunk, weight, sum,"
	" PRIMARY KEY (run, launch, slot, head, sequence)) WITHOUT ROWID;"
	"CREATE TEMP TABLE o_point (run INTEGER, launch INTEGER, thread INTEGER, sequence INTEGER,"
	" name, v0, v1, v2, v3, PRIMARY KEY (run, launch, thread, sequence)) WITHOUT ROWID;"
	"CREATE TEMP TABLE o_point_name (name INTEGER PRIMARY KEY, content TEXT UNIQUE);"
	"CREATE TEMP VIEW a_digest AS SELECT run, op, after_step, entry, buffer, offset, bytes,"
	" digest, iif(after_step, data, coalesce(data, (SELECT o.data FROM o_digest o"
	"  WHERE o.run = t.run AND o.op = t.op AND o.entry = t.entry))) AS data"
	" FROM main.t_digest t;"
	"CREATE TEMP VIEW a_partial AS SELECT run, launch, slot, head, chunk, kv_head, key_begin,"
	" key_end, max, sum, lse, weight, acc_data, acc_offset, acc_bytes, more, key_step"
	" FROM main.t_partial UNION ALL SELECT * FROM o_partial;"
	"CREATE TEMP VIEW a_reduce AS SELECT run, launch, slot, head, sequence, chunk, weight, sum"
	" FROM main.t_reduce UNION ALL SELECT * FROM o_reduce;"
	"CREATE TEMP VIEW a_point AS SELECT run, launch, thread, sequence, name, v0, v1, v2, v3"
	" FROM main.t_point t WHERE NOT EXISTS (SELECT 1 FROM o_launch o WHERE o.run = t.run"
	"  AND o.launch = t.launch) UNION ALL SELECT * FROM o_point;"
	"CREATE TEMP VIEW a_point_name AS SELECT name, content FROM main.t_point_name"
	" UNION ALL SELECT name, content FROM o_point_name;"
	"DROP VIEW temp.w_point;"
	"CREATE TEMP VIEW w_point AS SELECT p.run, p.launch, p.thread, p.sequence,"
	" n.content AS name, p.v0 AS v0_bits, p.v1 AS v1_bits, p.v2 AS v2_bits, p.v3 AS v3_bits"
	" FROM a_point p LEFT JOIN a_point_name n USING (name)";

/* --- views --- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A copy of a view's statement that reads a_NAME wherever it read t_NAME, for the tables that have
 * an a_NAME. The caller frees it. */
static char *redirect(const char *sql)
{
	static const char *const tables[] = {
		"t_digest", "t_partial", "t_reduce", "t_point", "t_point_name",
	};
	char *copy = xstrdup(sql);

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
		size_t length = strlen(tables[i]);

		for (char *at = copy; (at = strstr(at, tables[i])) != NULL; at += length)
			if (!is_word(at[length]) && (at == copy || !is_word(at[-1])))
				*at = 'a';
	}
	return copy;
}

/* A temporary view in front of the file's own, or of one that store_check.c has put there. */
static enum status make_view(struct store *store, const char *name)
{
	sqlite3_stmt *row = NULL;
	char *sql = NULL, *body = NULL, *create;
	const char *as;
	enum status status;

	TRY(store_select(store, &row, "SELECT sql FROM sqlite_temp_schema WHERE name = ?1"
			 " UNION ALL SELECT sql FROM main.sqlite_schema WHERE name = ?1", NULL, 0));
	sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
	if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
		sql = xstrdup((const char *)sqlite3_column_text(row, 0));
	sqlite3_finalize(row);
	/* "CREATE VIEW NAME AS SELECT" or the like; names have no blanks. */
	as = sql ? strstr(sql, name) : NULL;
	if (!as) {
		free(sql);
		return fail(STATUS_DAMAGED, "%s: the trace is damaged: it has no %s",
			    store_shown_path(store), name);
	}
	body = redirect(as);
	create = xasprintf("DROP VIEW IF EXISTS temp.%s; CREATE TEMP VIEW %s", name, body);
	status = store_run_sql(store, create);
	free(create);
	free(body);
	free(sql);
	return status;
}

static enum status exists(struct store *store, bool *exists)
{
	int64_t count;

	TRY(store_integer(store, "SELECT count(*) FROM sqlite_temp_schema WHERE name = 'o_launch'",
			  NULL, 0, 0, &count));
	*exists = count > 0;
	return STATUS_OK;
}

static enum status prepare(struct store *store)
{
	static const char *const views[] = { "v_digest", "v_partial", "v_reduce", "v_point" };
	bool made;

	TRY(exists(store, &made));
	if (made)
		return STATUS_OK;
	TRY(store_run_sql(store, make));
	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
		TRY(make_view(store, views[i]));
	return STATUS_OK;
}

/* --- copying --- */

struct copy {
	struct store *to, *from;
	int64_t run, launch;
	sqlite3_stmt *insert;
};

static enum status insert(struct copy *c)
{
	bool good = sqlite3_step(c->insert) == SQLITE_DONE;

	sqlite3_reset(c->insert);
	return good ? STATUS_OK : store_failed(c->to, "keep points");
}

static enum status copy_row(void *context, sqlite3_stmt *row)
{
	struct copy *c = context;

	for (int i = 0; i < sqlite3_column_count(row); i++)
		sqlite3_bind_value(c->insert, i + 1, sqlite3_column_value(row, i));
	return insert(c);
}

/* As copy_row(); the last column is data, whose bytes are copied too. */
static enum status copy_row_with_data(void *context, sqlite3_stmt *row)
{
	struct copy *c = context;
	sqlite3_stmt *add = NULL;
	int last = sqlite3_column_count(row) - 1;
	void *bytes = NULL;
	size_t count = 0;
	enum status status;

	if (sqlite3_column_type(row, last) == SQLITE_NULL)
		return copy_row(context, row);
	TRY(store_data(c->from, sqlite3_column_int64(row, last), &bytes, &count));
	status = store_select(c->to, &add, "INSERT INTO o_data VALUES ((SELECT coalesce(min(data),"
			      " 0) - 1 FROM o_data), ?1, ?2, ?3) RETURNING data",
			      (const int64_t[]){ c->run, c->launch }, 2);
	if (status == STATUS_OK) {
		sqlite3_bind_blob64(add, 3, bytes, count, SQLITE_STATIC);
		if (sqlite3_step(add) != SQLITE_ROW)
			status = store_failed(c->to, "keep data");
	}
	for (int i = 0; i < last && status == STATUS_OK; i++)
		sqlite3_bind_value(c->insert, i + 1, sqlite3_column_value(row, i));
	if (status == STATUS_OK) {
		sqlite3_bind_int64(c->insert, last + 1, sqlite3_column_int64(add, 0));
		sqlite3_step(add);
		status = insert(c);
	}
	sqlite3_finalize(add);
	free(bytes);
	return status;
}

static enum status copy(struct copy *c, const char *insert, const char *select, bool data)
{
	enum status status;

	TRY(store_select(c->to, &c->insert, insert, NULL, 0));
	status = store_each(c->from, select, (const int64_t[]){ c->run, c->launch }, 2,
			    data ? copy_row_with_data : copy_row, c);
	sqlite3_finalize(c->insert);
	return status;
}

/* The number of the launch's operation may differ in `from`: that of the trace is taken. */
static enum status copy_digests(struct copy *c)
{
	int64_t op;
	char *sql;
	enum status status;

	TRY(store_integer(c->to, "SELECT op FROM main.t_launch WHERE run = ?1 AND launch = ?2",
			  (const int64_t[]){ c->run, c->launch }, 2, -1, &op));
	sql = xasprintf("SELECT ?1, %lld, d.entry, ?2, d.data FROM main.t_launch l"
			" JOIN main.t_digest d ON d.run = l.run AND d.op = l.op"
			" WHERE l.run = ?1 AND l.launch = ?2 AND d.after_step = 0"
			" AND d.data IS NOT NULL", (long long)op);
	status = copy(c, "INSERT INTO o_digest VALUES (?1, ?2, ?3, ?4, ?5)", sql, true);
	free(sql);
	return status;
}

static enum status has_rows(struct copy *c, const char *table, bool *has)
{
	char *sql = xasprintf("SELECT count(*) FROM (SELECT 1 FROM main.%s WHERE run = ?1"
			      " AND launch = ?2 LIMIT 1)", table);
	int64_t rows;
	enum status status = store_integer(c->to, sql, (const int64_t[]){ c->run, c->launch }, 2,
					   0, &rows);

	free(sql);
	*has = rows > 0;
	return status;
}

#define OF_LAUNCH " WHERE run = ?1 AND launch = ?2"

static enum status copy_launch(struct copy *c)
{
	bool partials, reduces;

	TRY(has_rows(c, "t_partial", &partials));
	TRY(has_rows(c, "t_reduce", &reduces));
	TRY(copy_digests(c));
	if (!partials)
		TRY(copy(c, "INSERT INTO o_partial VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
			 " ?11, ?12, ?17, ?13, ?14, ?15, ?16)",
			 "SELECT run, launch, slot, head, chunk, kv_head, key_begin, key_end, max,"
			 " sum, lse, weight, acc_offset, acc_bytes, more, key_step, acc_data"
			 " FROM main.t_partial" OF_LAUNCH, true));
	if (!reduces)
		TRY(copy(c, "INSERT INTO o_reduce VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
			 "SELECT run, launch, slot, head, sequence, chunk, weight, sum"
			 " FROM main.t_reduce" OF_LAUNCH, false));
	TRY(copy(c, "INSERT OR IGNORE INTO o_point_name SELECT coalesce(min(name), 0) - 1, ?1"
		 " FROM o_point_name", "SELECT DISTINCT n.content FROM main.t_point p"
		 " JOIN main.t_point_name n USING (name)" OF_LAUNCH, false));
	TRY(copy(c, "INSERT INTO o_point VALUES (?1, ?2, ?3, ?4, (SELECT name FROM o_point_name"
		 " WHERE content = ?5), ?6, ?7, ?8, ?9)",
		 "SELECT run, launch, thread, sequence, n.content, v0, v1, v2, v3"
		 " FROM main.t_point p JOIN main.t_point_name n USING (name)" OF_LAUNCH, false));
	return copy(c, "INSERT INTO o_launch (run, launch) VALUES (?1, ?2)",
		    "SELECT run, launch FROM main.t_launch" OF_LAUNCH, false);
}

/* --- interface --- */

#define OLDEST " WHERE (run, launch) IN (SELECT run, launch FROM o_launch ORDER BY number LIMIT 1)"

static enum status forget_oldest(struct store *store)
{
	int64_t launches;

	TRY(store_integer(store, "SELECT count(*) FROM o_launch", NULL, 0, 0, &launches));
	if (launches < LAUNCHES)
		return STATUS_OK;
	return store_run_sql(store, "DELETE FROM o_data" OLDEST "; DELETE FROM o_digest" OLDEST
			     "; DELETE FROM o_partial" OLDEST "; DELETE FROM o_reduce" OLDEST
			     "; DELETE FROM o_point" OLDEST "; DELETE FROM o_launch" OLDEST);
}

enum status overlay_add(struct store *store, struct store *from, int64_t run, int64_t launch)
{
	struct copy c = { .to = store, .from = from, .run = run, .launch = launch };
	struct error_record error;
	enum status status;

	TRY(prepare(store));
	TRY(forget_oldest(store));
	TRY(store_run_sql(store, "SAVEPOINT overlay"));
	status = copy_launch(&c);
	/* After an interruption SQLite may have rolled back everything; then this does nothing. */
	error_save(&error);
	sqlite3_exec(store_db(store), status == STATUS_OK ? "RELEASE overlay"
		     : "ROLLBACK TO overlay; RELEASE overlay", NULL, NULL, NULL);
	error_restore(&error);
	return status;
}

enum status overlay_has(struct store *store, int64_t run, int64_t launch, bool *has)
{
	int64_t some = 0;

	TRY(exists(store, has));
	if (*has)
		TRY(store_integer(store, "SELECT count(*) FROM o_launch WHERE run = ?1"
				  " AND launch = ?2", (const int64_t[]){ run, launch }, 2, 0,
				  &some));
	*has = some > 0;
	return STATUS_OK;
}

enum status overlay_data(struct store *store, int64_t data, void **bytes, size_t *count)
{
	sqlite3_stmt *row = NULL;
	enum status status;
	bool made;

	*bytes = NULL;
	TRY(exists(store, &made));
	if (!made)
		return fail(STATUS_DAMAGED, "%s: the trace is damaged: it has no data %lld",
			    store_shown_path(store), (long long)data);
	TRY(store_select(store, &row, "SELECT bytes FROM o_data WHERE data = ?1", &data, 1));
	if (sqlite3_step(row) == SQLITE_ROW) {
		*count = (size_t)sqlite3_column_bytes(row, 0);
		*bytes = xmalloc(*count ? *count : 1);
		if (*count)
			memcpy(*bytes, sqlite3_column_blob(row, 0), *count);
		status = STATUS_OK;
	} else {
		status = fail(STATUS_DAMAGED, "%s: the trace is damaged: it has no data %lld",
			      store_shown_path(store), (long long)data);
	}
	sqlite3_finalize(row);
	return status;
}
