/* store_guard.c - keeps a trace from a stranger harmless to SQLite.
 *
 * A trace is a database, and a database can hold programs: triggers, views, generated columns. So
 * every connection runs no triggers, trusts no schema and has limits, and a file may hold exactly
 * what schema.sql defines for its version: the same tables, indexes and views, and nothing else.
 * What the rows say is checked where they are read. Called by store_sql.c and store_check.c.
 */
#include "traces/store/store_internal.h"

#include <stdio.h>
#include <string.h>

#include "traces/store/column.h"

/* The longest text or blob that is read: far above what a trace stores in one row, whose data is in
 * pages of 64 KiB. */
#define MAX_VALUE (256 << 20)
#define MAX_SQL (1 << 20)

/* Steps of SQLite after which reading the schema is given up; a valid one takes some 10,000. */
#define STEPS_PER_CALL 1000000
#define MAX_CALLS 100

/* --- connections --- */

enum status store_guard_connection(struct store *store)
{
	static const struct {
		int option, value;
	} settings[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(settings); i++)
		if (sqlite3_db_config(store->db, settings[i].option, settings[i].value, NULL)
		    != SQLITE_OK)
			return store_failed(store, "open");
	sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, MAX_VALUE);
	sqlite3_limit(store->db, SQLITE_LIMIT_SQL_LENGTH, MAX_SQL);
	sqlite3_limit(store->db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
	/* A writer's VACUUM attaches its copy. */
	if (!store->writing)
		sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
	/* Finds damaged cells early, which costs little. */
	return sqlite3_exec(store->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL) == SQLITE_OK
		? STATUS_OK : store_failed(store, "open");
}

void store_allow_long_values(struct store *store)
{
	sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, INT32_MAX);
	sqlite3_limit(store->db, SQLITE_LIMIT_SQL_LENGTH, INT32_MAX);
}

/* --- comparing statements --- */

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
		|| c == '_' || (unsigned char)c >= 0x80;
}

static const char *skip_blanks(const char *at)
{
	for (;;) {
		at += strspn(at, " \t\r\n\f");
		if (strncmp(at, "--", 2) == 0)
			at += strcspn(at, "\n");
		else
			return at;
	}
}

/* The next token: a word or number, a quoted text, or one character; *length 0 at the end. */
static const char *next_token(const char **at, size_t *length)
{
	const char *begin = skip_blanks(*at), *end = begin;

	if (*begin && strchr("'\"`", *begin)) {
		/* Two quotes within a text become two texts, which compare as well. */
		end += 1 + strcspn(begin + 1, (char[]){ *begin, '\0' });
		end += *end != '\0';
	} else if (is_word(*begin)) {
		while (is_word(*end))
			end++;
	} else {
		end += *begin != '\0';
	}
	*at = end;
	*length = (size_t)(end - begin);
	return begin;
}

/* Compares token by token: all of a, and b up to its end or a semicolon, past which *b moves. */
static bool same_statement(const char *a, const char **b)
{
	bool same = true;

	for (;;) {
		size_t length_a = 0, length_b;
		const char *token_a = next_token(&a, &length_a);
		const char *token_b = next_token(b, &length_b);

		if (length_b == 0 || *token_b == ';')
			return same && length_a == 0;
		same = same && length_a == length_b && memcmp(token_a, token_b, length_a) == 0;
	}
}

/* A type, name and table are part of the statement, so the text decides alone. */
static bool is_earlier_form(const char *sql)
{
	const char *at = schema_earlier_sql;

	while (*(at = skip_blanks(at)))
		if (same_statement(sql, &at))
			return true;
	return false;
}

/* --- the schema --- */

enum { NAME, TYPE, SQL };

/* One object of the file. */
static enum status check_object(struct store *store, sqlite3_stmt *model, sqlite3_stmt *object,
				int64_t version, store_added_fn *added_after)
{
	const char *name = column_text(object, NAME), *type = column_text(object, TYPE);
	const char *sql = column_text(object, SQL), *wanted;
	bool known;

	sqlite3_reset(model);
	if (sqlite3_bind_text(model, 1, name, -1, SQLITE_STATIC) != SQLITE_OK)
		return fail(STATUS_INTERNAL, "%s: out of memory", store_shown_path(store));
	known = sqlite3_step(model) == SQLITE_ROW && strcmp(column_text(model, TYPE), type) == 0
		&& !added_after(version, name);
	if (!known)
		return fail(STATUS_DAMAGED, "%s: %s %s is not part of trace format %lld",
			    store_shown_path(store), type, name, (long long)version);
	wanted = column_text(model, SQL);
	if (same_statement(sql, &wanted) || is_earlier_form(sql))
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "%s: the trace is damaged: %s %s is not that of trace format"
		    " %lld", store_shown_path(store), type, name, (long long)version);
}

static enum status check_objects(struct store *store, sqlite3_stmt *model, sqlite3_stmt *objects,
				 int64_t version, store_added_fn *added_after)
{
	int code;

	while ((code = sqlite3_step(objects)) == SQLITE_ROW)
		TRY(check_object(store, model, objects, version, added_after));
	return code == SQLITE_DONE ? STATUS_OK : store_failed(store, "read");
}

static enum status check_all(struct store *store, sqlite3 *model, int64_t version,
			     store_added_fn *added_after)
{
	sqlite3_stmt *find = NULL, *objects = NULL;
	enum status status;

	if (sqlite3_prepare_v2(model, "SELECT name, type, sql FROM sqlite_schema WHERE name = ?1",
			       -1, &find, NULL) != SQLITE_OK)
		return fail(STATUS_INTERNAL, "the trace schema is broken: %s",
			    sqlite3_errmsg(model));
	status = store_select(store, &objects, "SELECT name, type, sql FROM main.sqlite_schema",
			      NULL, 0);
	if (status == STATUS_OK)
		status = check_objects(store, find, objects, version, added_after);
	sqlite3_finalize(objects);
	sqlite3_finalize(find);
	return status;
}

/* --- rows that views multiply with --- */

/* t_byte is the same in every trace. Views join with it: with more rows they might never end, and
 * with other scales they would show other numbers. */
static enum status check_bytes(struct store *store, sqlite3 *model)
{
	static const char query[] = "SELECT count(*), group_concat(n || ' ' || hidden || ' '"
		" || printf('%!.17g', scale)) FROM (SELECT * FROM t_byte ORDER BY n LIMIT 257)";
	sqlite3_stmt *wanted = NULL, *found = NULL;
	enum status status = store_select(store, &found, query, NULL, 0);

	if (status == STATUS_OK
	    && sqlite3_prepare_v2(model, query, -1, &wanted, NULL) != SQLITE_OK)
		status = fail(STATUS_INTERNAL, "the trace schema is broken: %s",
			      sqlite3_errmsg(model));
	if (status == STATUS_OK && sqlite3_step(found) != SQLITE_ROW)
		status = store_failed(store, "read");
	if (status == STATUS_OK
	    && (sqlite3_step(wanted) != SQLITE_ROW
		|| sqlite3_column_int64(wanted, 0) != sqlite3_column_int64(found, 0)
		|| strcmp(column_text(wanted, 1), column_text(found, 1)) != 0))
		status = fail(STATUS_DAMAGED, "%s: the trace is damaged: t_byte has wrong rows",
			      store_shown_path(store));
	sqlite3_finalize(found);
	sqlite3_finalize(wanted);
	return status;
}

/* --- all of it --- */

/* A progress handler: ends a statement that takes too long. */
static int count_down(void *context)
{
	int *left = context;

	return --*left < 0;
}

enum status store_guard_schema(struct store *store, sqlite3 *model, int64_t version,
			       store_added_fn *added_after)
{
	int left = MAX_CALLS;
	enum status status;

	sqlite3_progress_handler(store->db, STEPS_PER_CALL, count_down, &left);
	status = check_all(store, model, version, added_after);
	if (status == STATUS_OK)
		status = check_bytes(store, model);
	sqlite3_progress_handler(store->db, 0, NULL, NULL);
	if (left < 0)
		return fail(STATUS_DAMAGED, "%s: the trace is damaged: its schema does not end",
			    store_shown_path(store));
	return status;
}
