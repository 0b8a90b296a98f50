/* store_image.c - a trace in memory: its rows in bulk, the database made of them, and the bytes of
 * a file.
 *
 * Rows are collected until somebody reads the trace (store_ready()) or wants it as a file
 * (store_image()). A last run is usually written without ever being read.
 */
#include "traces/store/store_internal.h"

#include <stdio.h>

#include "traces/store/btree.h"
#include "traces/store/bulk.h"

const char *store_dropped(struct store *store)
{
	return store->expendable ? store->broken : NULL;
}

/* Without a journal a failed write leaves nothing to read: the trace is dropped then. */
static enum status tune_expendable(struct store *store)
{
	char sql[96];

	TRY(store_run_sql(store, "PRAGMA journal_mode = OFF"));
	if (!store->max_bytes)
		return STATUS_OK;
	snprintf(sql, sizeof sql, "PRAGMA max_page_count = %lld",
		 (long long)store->max_bytes / TRACE_PAGE);
	return store_run_sql(store, sql);
}

static enum status open_image(struct store *store, void *bytes, size_t count)
{
	enum status status = store_connect(store, NULL, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);

	if (status != STATUS_OK) {
		sqlite3_free(bytes);
		return status;
	}
	/* Takes the bytes, also if it fails. */
	if (sqlite3_deserialize(store->db, "main", bytes, (sqlite3_int64)count,
				(sqlite3_int64)count, SQLITE_DESERIALIZE_FREEONCLOSE
				| SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK)
		return store_failed(store, "open");
	TRY(tune_expendable(store));
	return store_begin(store);
}

enum status store_ready(struct store *store)
{
	enum status status;
	size_t count;
	void *bytes;

	if (!store->bulk)
		return STATUS_OK;
	status = bulk_image(store, false, &bytes, &count);
	bulk_free(store->bulk);
	store->bulk = NULL;
	if (status == STATUS_OK)
		status = open_image(store, bytes, count);
	return status == STATUS_OK ? STATUS_OK : store_write_failed(store, status);
}

static bool has_ended_run(const struct store *store)
{
	bool ended = false;

	for (int i = 0; i < store->run_count; i++)
		ended = ended || store->runs[i].ended;
	return ended;
}

static enum status image_of_bulk(struct store *store, void **bytes, size_t *count)
{
	bool sums = has_ended_run(store);

	/* Closes the open page, because a sum covers it. */
	TRY(pages_flush(store, true));
	TRY(store_check_writing(store));
	TRY(bulk_image(store, sums, bytes, count));
	return STATUS_OK;
}

enum status store_image(struct store *store, void **bytes, size_t *count)
{
	sqlite3_int64 size = 0;
	enum status status;

	store->imaged = true;
	if (store->bulk)
		return image_of_bulk(store, bytes, count);
	status = store_commit_rows(store, true);
	if (status != STATUS_OK)
		return store_break_off(store, status);
	*bytes = sqlite3_serialize(store->db, "main", &size, 0);
	*count = (size_t)size;
	return *bytes ? STATUS_OK : fail(STATUS_INTERNAL, "out of memory (a trace of %lld bytes)",
					 (long long)size);
}
