/* store_check.c - checks that a file is a trace that this program can read.
 *
 * Distinguishes a file that is not SQLite, another program's database, a newer format, and a
 * truncated or altered file. Checks the header and the statement of every table and view, which
 * is cheap; deeper damage is found on reading, by SQLite or by the checksums of pages.
 */
#include "traces/store/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "traces/op.h"

#define HEADER_BYTES 100
#define MAGIC "SQLite format 3"         /* with its NUL */
#define APPLICATION_ID 0x6674776e       /* "ftwn" */
#define FORMAT_VERSION 9
#define FIRST_VERSION 1                 /* the oldest that can be read */
#define FIRST_WITH_SUMS 5
#define FIRST_WITH_REQUESTS 8
#define FIRST_WITH_ATTENTION 9

/* --- the file --- */

static enum status read_header(const char *path, unsigned char header[HEADER_BYTES], size_t *count)
{
	FILE *file;
	int error;

	*count = 0;
	if (*path == '\0')
		return fail(STATUS_IO, "an empty name cannot be a trace file");
	TRY(file_open(path, &file));
	*count = fread(header, 1, HEADER_BYTES, file);
	error = ferror(file) ? errno : 0;
	fclose(file);
	return error ? fail(STATUS_IO, "%s: cannot read: %s", path, strerror(error)) : STATUS_OK;
}

static enum status check_file(const char *path)
{
	unsigned char header[HEADER_BYTES];
	size_t count;

	TRY(read_header(path, header, &count));
	if (count == 0)
		return fail(STATUS_DAMAGED, "%s: is empty, not a trace", path);
	if (count < sizeof(MAGIC) || memcmp(header, MAGIC, sizeof(MAGIC)) != 0)
		return fail(STATUS_DAMAGED, "%s: is not a SQLite file", path);
	if (count < HEADER_BYTES)
		return fail(STATUS_DAMAGED, "%s: is truncated: %zu bytes", path, count);
	return STATUS_OK;
}

static uint32_t big_endian(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8
	       | bytes[3];
}

static enum status check_size(const char *path)
{
	unsigned char header[HEADER_BYTES];
	uint64_t page_bytes, bytes;
	struct stat st;
	size_t count;

	TRY(read_header(path, header, &count));
	if (count < HEADER_BYTES || stat(path, &st) != 0)
		return STATUS_OK;
	page_bytes = (uint64_t)header[16] << 8 | header[17];
	bytes = (page_bytes == 1 ? 65536 : page_bytes) * big_endian(header + 28);
	if ((uint64_t)st.st_size >= bytes)
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "%s: is truncated: %lld of %llu bytes", path,
		    (long long)st.st_size, (unsigned long long)bytes);
}

enum status store_explain(const char *path, enum status status)
{
	struct error_record error;
	enum status found;

	error_save(&error);
	found = check_file(path);
	if (found == STATUS_OK && status == STATUS_DAMAGED)
		found = check_size(path);
	if (found != STATUS_OK)
		return found;
	error_restore(&error);
	return status;
}

/* --- the format --- */

static enum status check_identity(struct store *store, int64_t *version)
{
	int64_t application;

	TRY(store_integer(store, "PRAGMA application_id", NULL, 0, 0, &application));
	TRY(store_integer(store, "PRAGMA user_version", NULL, 0, 0, version));
	if (application != APPLICATION_ID)
		return fail(STATUS_DAMAGED, "%s: is another program's SQLite file, not a trace"
			    " (application_id 0x%08llx)", store->path,
			    (unsigned long long)application & 0xffffffff);
	if (*version > FORMAT_VERSION)
		return fail(STATUS_DAMAGED,
			    "%s: is from a newer flashtwin: trace format %lld; this one"
			    " reads format %d",
			    store->path, (long long)*version, FORMAT_VERSION);
	if (*version < FIRST_VERSION)
		return fail(STATUS_DAMAGED, "%s: unknown trace format %lld; expected %d",
			    store->path, (long long)*version, FORMAT_VERSION);
	return STATUS_OK;
}

/* --- earlier formats --- */

/* True if a version after `version` added the table or view. Version 2 added graphs, version 3
 * counters, version 4 digests of points and launches counted by kernel, version 5 attention on the
 * host and sums, version 8 requests, version 9 what attention is computed with. */
static bool added_after(int64_t version, const char *name)
{
	if (version < 2 && (!strcmp(name, "t_node") || !strcmp(name, "v_node")))
		return true;
	if (version < 4 && (!strcmp(name, "t_point_sum") || !strcmp(name, "v_point_sum")
			    || !strcmp(name, "t_kernel_count")))
		return true;
	if (version < 5 && (!strcmp(name, "t_softmax") || !strcmp(name, "v_softmax")
			    || !strcmp(name, "t_sum")))
		return true;
	if (version < FIRST_WITH_REQUESTS
	    && (!strcmp(name, "t_request") || !strcmp(name, "v_request")
		|| !strcmp(name, "t_access_line") || !strcmp(name, "v_access_line")))
		return true;
	if (version < FIRST_WITH_ATTENTION
	    && (!strcmp(name, "t_attention") || !strcmp(name, "v_attention")))
		return true;
	return version < 3 && (!strcmp(name, "t_counter") || !strcmp(name, "v_counter")
			       || !strcmp(name, "t_hit") || !strcmp(name, "v_hit"));
}

/* `create` is the model's statement. A reader gets a temporary table or view. */
static enum status add_missing(struct store *store, const char *create)
{
	char *temporary = xasprintf("CREATE TEMP %s", create + strlen("CREATE "));
	enum status status = store_run_sql(store, store->writing ? create : temporary);

	free(temporary);
	return status;
}

/* True if a version after `version` gave the view, or table without rows, other columns: version 6
 * the share and the factor of chunks, version 8 accesses by request. */
static bool changed_after(int64_t version, const char *name)
{
	if (!strcmp(name, "t_access") || !strcmp(name, "v_access"))
		return version < FIRST_WITH_REQUESTS;
	return version < 6 && (!strcmp(name, "v_partial") || !strcmp(name, "v_reduce"));
}

/* A reader gets a temporary object in front of the file's own; a writer replaces it. `create` is
 * the model's statement. */
static enum status convert_changed(struct store *store, const char *name, const char *create)
{
	char *drop = xasprintf("DROP %s main.%s", *name == 't' ? "TABLE" : "VIEW", name);
	enum status status = store->writing ? store_run_sql(store, drop) : STATUS_OK;

	free(drop);
	return status == STATUS_OK ? add_missing(store, create) : status;
}

/* Before version 5, t_kv had the launch instead of the operation, and v_kv no operation. */
static bool keyed_by_launch(int64_t version, const char *name)
{
	return version < 5 && (!strcmp(name, "t_kv") || !strcmp(name, "v_kv"));
}

#define KV_BY_OP \
	"SELECT k.run, o.op, k.tensor, k.slot, k.position, k.kv_head, k.layer, k.buffer," \
	" k.offset, k.bytes, k.source_op, k.source_offset, NULL AS more FROM main.t_kv k" \
	" JOIN main.t_op o ON o.run = k.run AND o.launch = k.launch"

/* A reader gets temporary views in front of the file's own; a writer converts the table. `create`
 * is the model's statement. */
static enum status convert_kv(struct store *store, const char *name, const char *create)
{
	char *sql;
	enum status status;

	if (!strcmp(name, "v_kv"))
		return add_missing(store, create);
	if (!store->writing)
		return store_run_sql(store, "CREATE TEMP VIEW t_kv AS " KV_BY_OP);
	sql = xasprintf("CREATE TEMP TABLE kv_by_op AS " KV_BY_OP "; DROP VIEW IF EXISTS v_kv;"
			" DROP TABLE t_kv; %s; INSERT INTO t_kv SELECT * FROM temp.kv_by_op"
			" ORDER BY 1, 2, 3, 4, 5, 6; DROP TABLE temp.kv_by_op", create);
	status = store_run_sql(store, sql);
	free(sql);
	return status;
}

static enum status add_op_kinds(struct store *store)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < OP_COUNT && status == STATUS_OK; i++) {
		char *sql = xasprintf("INSERT OR IGNORE INTO t_op_kind VALUES (%d, '%s')", i,
				      op_kind_name((enum op_kind)i));

		status = store_run_sql(store, sql);
		free(sql);
	}
	return status;
}

static enum status upgrade(struct store *store, int64_t version)
{
	char sql[64];

	if (version == FORMAT_VERSION || !store->writing)
		return STATUS_OK;
	TRY(add_op_kinds(store));
	if (version < FIRST_WITH_SUMS)
		TRY(store_run_sql(store, "INSERT INTO t_sum SELECT run, '', NULL, NULL FROM t_run"
				  " WHERE complete"));
	else
		TRY(store_sums_added(store, version));
	TRY(store_sums_schema(store));
	snprintf(sql, sizeof sql, "PRAGMA user_version = %d", FORMAT_VERSION);
	return store_run_sql(store, sql);
}

/* --- the schema --- */

/* Whether the file has the table or view; what it is made of, store_guard_schema has checked. */
static enum status check_exists(struct store *store, const char *name)
{
	sqlite3_stmt *select = NULL;
	enum status status = store_select(store, &select,
					  "SELECT 1 FROM main.sqlite_schema WHERE name = ?",
					  NULL, 0);

	if (status != STATUS_OK)
		return status;
	sqlite3_bind_text(select, 1, name, -1, SQLITE_STATIC);
	switch (sqlite3_step(select)) {
	case SQLITE_ROW:
		break;
	case SQLITE_DONE:
		status = fail(STATUS_DAMAGED, "%s: the trace is damaged: it has no %s",
			      store_shown_path(store), name);
		break;
	default:
		status = store_failed(store, "read");
	}
	sqlite3_finalize(select);
	return status;
}

/* store_guard_schema also accepts the columns of earlier versions. */
static enum status check_columns(struct store *store, int64_t version, const char *name)
{
	char *sql = xasprintf("SELECT count(*) FROM pragma_table_info('%s', 'main')"
			      " WHERE name IN ('share', 'factor', 'request')", name);
	int64_t some;
	enum status status = store_integer(store, sql, NULL, 0, 0, &some);

	free(sql);
	if (status != STATUS_OK || some)
		return status;
	return fail(STATUS_DAMAGED, "%s: the trace is damaged: %s is not that of trace format"
		    " %lld", store_shown_path(store), name, (long long)version);
}

/* One table or view of the present format. */
static enum status check_object(struct store *store, int64_t version, const char *name)
{
	if (added_after(version, name))
		return STATUS_OK;
	TRY(check_exists(store, name));
	return changed_after(0, name) && !changed_after(version, name)
		? check_columns(store, version, name) : STATUS_OK;
}

/* `create` is the model's statement. */
static enum status convert_object(struct store *store, int64_t version, const char *name,
				  const char *create)
{
	if (added_after(version, name))
		return add_missing(store, create);
	if (changed_after(version, name))
		return convert_changed(store, name, create);
	return keyed_by_launch(version, name) ? convert_kv(store, name, create) : STATUS_OK;
}

/* Everything is checked before anything is converted. */
static enum status check_objects(struct store *store, int64_t version, sqlite3_stmt *objects)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK && sqlite3_step(objects) == SQLITE_ROW)
		status = check_object(store, version,
				      (const char *)sqlite3_column_text(objects, 0));
	sqlite3_reset(objects);
	while (version < FORMAT_VERSION && status == STATUS_OK
	       && sqlite3_step(objects) == SQLITE_ROW)
		status = convert_object(store, version,
					(const char *)sqlite3_column_text(objects, 0),
					(const char *)sqlite3_column_text(objects, 1));
	return status;
}

static enum status each_object(struct store *store, sqlite3 *model, int64_t version)
{
	sqlite3_stmt *objects;
	enum status status;

	if (sqlite3_prepare_v2(model,
			       "SELECT name, sql FROM sqlite_schema"
			       " WHERE type IN ('table', 'view')", -1, &objects, NULL)
	    != SQLITE_OK)
		return fail(STATUS_INTERNAL, "the trace schema is broken: %s",
			    sqlite3_errmsg(model));
	status = check_objects(store, version, objects);
	sqlite3_finalize(objects);
	return status;
}

/* Compares with a database made from the embedded schema. */
static enum status check_schema(struct store *store, sqlite3 *model, int64_t version)
{
	if (sqlite3_exec(model, schema_sql, NULL, NULL, NULL) != SQLITE_OK)
		return fail(STATUS_INTERNAL, "the trace schema is broken: %s",
			    sqlite3_errmsg(model));
	TRY(store_guard_schema(store, model, version, added_after));
	return each_object(store, model, version);
}

enum status store_check_format(struct store *store)
{
	sqlite3 *model = NULL;
	enum status status;
	int64_t version;

	TRY(check_identity(store, &version));
	if (sqlite3_open(":memory:", &model) != SQLITE_OK)
		status = fail(STATUS_INTERNAL, "%s: out of memory", store->path);
	else
		status = check_schema(store, model, version);
	sqlite3_close(model);
	return status == STATUS_OK ? upgrade(store, version) : status;
}
