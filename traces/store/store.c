/* store.c - opens, publishes, commits and closes a trace file.
 *
 * A new trace is built under PATH.tmp.<pid> and gets its name at the first commit: by link(), which
 * refuses an existing file, or with force by rename(). SQLite names its journal after the path it
 * opened, so the database is closed and reopened around that. A rollback journal without fsync
 * survives a kill. A reader that finds a hot journal rolls it back first, and then holds one read
 * transaction; meanwhile the writer continues without committing.
 */
#include "traces/store/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/xalloc.h"
#include "traces/op.h"
#include "traces/store/btree.h"
#include "traces/store/bulk.h"

#define TEXT_OF(number) TEXT_OF_(number)
#define TEXT_OF_(number) #number

#define CLOSE_WAIT_MS 30000
#define COMMIT_WAIT_MS 20       /* enough for a reader of one row, and short next to a step */
#define ROLL_BACKS 3

/* Reads from the file, which makes SQLite check its lock and its journal. */
#define PROBE "SELECT count(*) FROM sqlite_schema"

const char *store_path(const struct store *store)
{
	return store->path;
}

sqlite3 *store_db(struct store *store)
{
	store_ready(store);
	return store->db;
}

static struct store *store_new(const char *path)
{
	struct store *store = xcalloc(1, sizeof *store);

	store->path = path ? xstrdup(path) : NULL;
	store->pages = pages_new();
	return store;
}

/* Called once the file has its final name or is gone: a signal need not remove it any more. */
static void forget_temporary(struct store *store)
{
	output_forget(store->temporary);
	output_forget(store->temporary_journal);
	free(store->temporary);
	free(store->temporary_journal);
	store->temporary = store->temporary_journal = NULL;
}

static void store_free(struct store *store)
{
	store_disconnect(store);
	pages_free(store->pages);
	hash_map_free(&store->calls);
	hash_map_free(&store->texts);
	bulk_free(store->bulk);
	store_sums_forget(store);
	for (int i = 0; i < store->point_name_count; i++)
		free(store->point_names[i]);
	free(store->point_names);
	for (int i = 0; i < store->run_count; i++)
		store_run_forget(&store->runs[i]);
	free(store->runs);
	free(store->kept.bytes);
	free(store->content.bytes);
	free(store->broken);
	forget_temporary(store);
	free(store->path);
	free(store);
}

/* --- creating --- */

enum status store_fill_op_kinds(struct store *store)
{
	for (int i = 0; i < OP_COUNT; i++)
		TRY(PUT(store, TABLE_OP_KIND, V_INT(i), V_TEXT(op_kind_name((enum op_kind)i))));
	return STATUS_OK;
}

enum status store_check_absent(const char *path, bool force)
{
	struct stat st;

	if (path[0] == '\0')
		return fail(STATUS_USAGE, "an empty name cannot be a trace file");
	if (lstat(path, &st) != 0)
		return errno == ENOENT ? STATUS_OK
				       : fail(STATUS_IO, "%s: %s", path, strerror(errno));
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return fail(STATUS_USAGE, "%s: is not a regular file", path);
	if (!force)
		return fail(STATUS_USAGE, "%s: file exists; --force replaces it, --append adds a"
			    " run", path);
	return STATUS_OK;
}

/* Not left to SQLite, which would retry read-only and lose the reason for the failure. */
static enum status create_file(const struct store *store)
{
	int fd = open(store->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0 || close(fd) != 0)
		return fail(STATUS_IO, "%s: cannot write: %s", store->path, strerror(errno));
	return STATUS_OK;
}

static enum status create_new(struct store *store)
{
	if (store->path) {
		store->temporary = xasprintf("%s.tmp.%ld", store->path, (long)getpid());
		store->temporary_journal = xasprintf("%s-journal", store->temporary);
		output_remember(store->temporary);
		output_remember(store->temporary_journal);
		/* May be left over from an earlier process with the same id. */
		unlink(store->temporary);
		TRY(create_file(store));
	}
	TRY(store_connect(store, store->temporary, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
	TRY(store_tune_writer(store));
	TRY(store_run_sql(store, "PRAGMA page_size = " TEXT_OF(TRACE_PAGE)));
	TRY(store_begin(store));
	TRY(store_run_sql(store, schema_sql));
	return store_fill_op_kinds(store);
}

static enum status load_point_names(struct store *store)
{
	sqlite3_stmt *select;
	int rc;

	TRY(store_select(store, &select, "SELECT content FROM t_point_name ORDER BY name", NULL,
			 0));
	while ((rc = sqlite3_step(select)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(select, 0);

		store->point_names =
			xreallocarray(store->point_names, (size_t)store->point_name_count + 1,
				      sizeof(char *));
		store->point_names[store->point_name_count++] = xstrdup(text ? text : "");
	}
	return sqlite3_finalize(select) == SQLITE_OK && rc == SQLITE_DONE ? STATUS_OK
		: store_failed(store, "read");
}

static enum status open_existing(struct store *store)
{
	enum status status = store_connect(store, store->path, SQLITE_OPEN_READWRITE);

	store->appending = true;
	if (status == STATUS_OK)
		status = store_run_sql(store, "BEGIN");
	if (status == STATUS_OK)
		status = store_check_format(store);
	if (status != STATUS_OK)
		return store_explain(store->path, status);
	TRY(store_run_sql(store, "COMMIT"));
	TRY(store_tune_writer(store));
	TRY(store_begin(store));
	TRY(load_point_names(store));
	return pages_load(store);
}

enum status store_create(const char *path, const struct store_options *options, struct store **out)
{
	bool force = options && options->force, append = options && options->append;
	struct store *store;
	char *target;
	enum status status;

	*out = NULL;
	if (force && append)
		return fail(STATUS_USAGE, "--force and --append are mutually exclusive");
	if (path && !append)
		TRY(store_check_absent(path, force));
	/* With force, a symbolic link stays and its target is replaced. */
	target = path && force ? realpath(path, NULL) : NULL;
	store = store_new(target ? target : path);
	free(target);
	store->writing = true;
	store->force = force;
	store->wait_ms = options && options->wait_ms ? options->wait_ms : CLOSE_WAIT_MS;
	store->expendable = options && options->expendable;
	store->max_bytes = options ? options->max_bytes : 0;
	status = path && append ? open_existing(store)
		: store->expendable ? bulk_create(store) : create_new(store);
	if (status != STATUS_OK) {
		if (store->temporary)
			unlink(store->temporary);
		store_free(store);
		return status;
	}
	*out = store;
	return STATUS_OK;
}

/* --- committing --- */

/* A journal next to the final name belongs to a file that is gone or about to be replaced; SQLite
 * would use it to roll back the new file. */
static enum status remove_stale_journal(const struct store *store)
{
	char *journal = xasprintf("%s-journal", store->path);
	int rc = unlink(journal);
	int error = errno;

	free(journal);
	return rc == 0 || error == ENOENT ? STATUS_OK
		: fail(STATUS_IO, "%s-journal: cannot remove: %s", store->path, strerror(error));
}

/* Gives the new file its final name; an existing file is an error unless forced. */
static enum status take_name(struct store *store)
{
	struct stat st;

	if (!store->force) {
		if (link(store->temporary, store->path) == 0) {
			unlink(store->temporary);
			return STATUS_OK;
		}
		/* Some file systems have no hard links; there, check and rename instead. */
		if (errno == EEXIST || lstat(store->path, &st) == 0)
			return fail(STATUS_USAGE, "%s: file exists; --force replaces it",
				    store->path);
	}
	if (rename(store->temporary, store->path) != 0)
		return fail(STATUS_IO, "%s: cannot write: %s", store->path, strerror(errno));
	return STATUS_OK;
}

static enum status publish(struct store *store)
{
	enum status status = STATUS_OK;

	store_disconnect(store);
	if (store->force || access(store->path, F_OK) != 0)
		status = remove_stale_journal(store);
	if (status == STATUS_OK)
		status = take_name(store);
	if (status != STATUS_OK) {
		/* What was written stays readable through this store. */
		store_connect(store, store->temporary, SQLITE_OPEN_READWRITE);
		return status;
	}
	forget_temporary(store);
	TRY(store_connect(store, store->path, SQLITE_OPEN_READWRITE));
	return store_tune_writer(store);
}

/* Ends the transaction. If another program reads the file and this is not the last commit, the
 * transaction stays open and the next commit tries again. */
static enum status end_transaction(struct store *store, bool last)
{
	int rc;

	if (!store->in_transaction)
		return STATUS_OK;
	store_wait(store, last ? store->wait_ms : COMMIT_WAIT_MS);
	rc = sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
	store_wait(store, rc == SQLITE_OK ? STORE_WAIT_MS : 0);
	if (rc == SQLITE_BUSY && !last)
		return STATUS_OK;
	if (rc == SQLITE_BUSY)
		return fail(STATUS_IO, "%s: another program still reads it after %d s; the trace"
			    " ends at its last commit: close that program and record again",
			    store_shown_path(store), (store->wait_ms + 999) / 1000);
	if (rc != SQLITE_OK)
		return store_failed(store, "write");
	store->in_transaction = false;
	return STATUS_OK;
}

enum status store_commit_rows(struct store *store, bool last)
{
	TRY(store_check_writing(store));
	TRY(pages_flush(store, last));
	TRY(store_sums_write(store));
	TRY(end_transaction(store, last));
	return store->temporary && !store->in_transaction ? publish(store) : STATUS_OK;
}

enum status store_commit(struct store *store)
{
	enum status status = store->expendable ? STATUS_OK : store_commit_rows(store, false);

	return status == STATUS_OK ? STATUS_OK : store_break_off(store, status);
}

/* Rows arrive in an order that leaves pages partly empty; rewriting a finished trace makes it about
 * a tenth smaller. Skipped for large traces, and while another program reads the trace: one that is
 * not compacted is complete too. */
#define COMPACT_BYTES (256 << 20)

static void compact(struct store *store)
{
	struct stat st;

	if (!store->path || stat(store->path, &st) != 0 || st.st_size > COMPACT_BYTES)
		return;
	store_wait(store, 0);
	sqlite3_exec(store->db, "VACUUM", NULL, NULL, NULL);
}

enum status store_close(struct store *store)
{
	enum status status = STATUS_OK;

	if (!store)
		return STATUS_OK;
	/* A new trace without a run leaves no file. */
	if (store->writing && !store->expendable && (store->run_count > 0 || !store->temporary)) {
		status = store_commit_rows(store, true);
		if (status == STATUS_OK)
			compact(store);
		else
			store_break_off(store, status);
	}
	store_disconnect(store);
	if (store->temporary)
		unlink(store->temporary);
	store_free(store);
	return status;
}

/* --- opening --- */

/* Rolls back what a killed run had started to write. */
static enum status roll_back(struct store *store)
{
	enum status status = store_connect(store, store->path, SQLITE_OPEN_READWRITE);

	if (status == STATUS_OK
	    && sqlite3_exec(store->db, PROBE, NULL, NULL, NULL) != SQLITE_OK)
		status = store_failed(store, "roll back");
	if (status == STATUS_IO)
		fail_context(status, "%s: the run that wrote it was killed, and %s-journal must be"
			     " rolled back; copy both to a writable directory", store->path,
			     store->path);
	store_disconnect(store);
	return status;
}

/* Begins a read transaction. A run may be killed at any moment, before the first statement or
 * after it; within the transaction the file does not change. */
static enum status connect_reader(struct store *store)
{
	for (int attempt = 0; attempt < ROLL_BACKS; attempt++) {
		TRY(store_connect(store, store->path, SQLITE_OPEN_READONLY));
		if (sqlite3_exec(store->db, "BEGIN; " PROBE, NULL, NULL, NULL) == SQLITE_OK)
			return STATUS_OK;
		if (sqlite3_extended_errcode(store->db) != SQLITE_READONLY_ROLLBACK)
			break;
		store_disconnect(store);
		TRY(roll_back(store));
	}
	return store->db ? store_failed(store, "read")
		: fail(STATUS_IO, "%s: cannot read: each run that writes it was killed",
		       store->path);
}

enum status store_open(const char *path, struct store **out)
{
	struct store *store;
	enum status status;

	*out = NULL;
	store = store_new(path);
	status = connect_reader(store);
	if (status == STATUS_OK)
		status = store_check_format(store);
	if (status != STATUS_OK) {
		store_free(store);
		return store_explain(path, status);
	}
	*out = store;
	return STATUS_OK;
}
