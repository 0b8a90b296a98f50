/* store_runs.c - reads the runs of a trace: how many there are, and the properties of each.
 *
 * Files are not trusted: a value out of range is DAMAGED, with the run.
 */
#include "traces/store/store_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "traces/store/column.h"

enum status store_run_count(struct store *store, int64_t *count)
{
	int64_t last;

	TRY(store_integer(store, "SELECT count(*) FROM t_run", NULL, 0, 0, count));
	TRY(store_integer(store, "SELECT max(run) FROM t_run", NULL, 0, 0, &last));
	if (last == *count)
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "%s: the trace is damaged: %lld runs, but the last is %lld",
		    store_shown_path(store), (long long)*count, (long long)last);
}

static bool fill_run(sqlite3_stmt *row, struct store_run *out)
{
	const struct {
		char *to;
		size_t size;
	} texts[] = {
		{ out->device, sizeof out->device },
		{ out->device_name, sizeof out->device_name },
		{ out->profile, sizeof out->profile },
		{ out->driver, sizeof out->driver },
		{ out->command, sizeof out->command },
		{ out->path, sizeof out->path },
		{ out->started, sizeof out->started },
		{ out->version, sizeof out->version },
		{ out->compute, sizeof out->compute },
		{ out->ended, sizeof out->ended },
	};
	int column = 0;
	bool good = true;

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		snprintf(texts[i].to, texts[i].size, "%s", column_text(row, column++));
	out->ordinal = column_small(row, column++, 0, &good);
	out->seed = (uint64_t)sqlite3_column_int64(row, column++);
	good = good && log_level_from_name(column_text(row, column++), &out->level);
	out->complete = sqlite3_column_int(row, column++) != 0;
	out->ops = column_int(row, column++, 0, INT64_MAX, 0, &good);
	out->launches = column_int(row, column++, 0, INT64_MAX, 0, &good);
	out->steps = column_int(row, column++, 0, INT64_MAX, 0, &good);
	out->options = xstrdup(column_text(row, column++));
	if (sqlite3_column_type(row, column) != SQLITE_NULL)
		out->log_at = xstrdup(column_text(row, column));
	column++;
	if (sqlite3_column_type(row, column) != SQLITE_NULL)
		out->message = xstrdup(column_text(row, column));
	return good;
}

enum status store_run_read(struct store *store, int64_t run, struct store_run *out)
{
	sqlite3_stmt *select;
	bool found, good = false;

	*out = (struct store_run){ .run = run };
	TRY(store_select(
		store, &select,
		"SELECT device, device_name, profile, driver, command, path, started,"
		" version, compute, ended, ordinal, seed, level, complete, ops, launches, steps,"
		" options, log_at, message FROM v_run WHERE run = ?",
		&run, 1));
	found = sqlite3_step(select) == SQLITE_ROW;
	if (found)
		good = fill_run(select, out);
	if (sqlite3_finalize(select) != SQLITE_OK) {
		store_run_free(out);
		return store_failed(store, "read");
	}
	if (!found) {
		int64_t count;

		TRY(store_run_count(store, &count));
		return fail(STATUS_USAGE, "%s: no run %lld", store_shown_path(store),
			    (long long)run);
	}
	if (!good) {
		store_run_free(out);
		return fail(STATUS_DAMAGED, "%s: run %lld is damaged", store_shown_path(store),
			    (long long)run);
	}
	return STATUS_OK;
}

void store_run_free(struct store_run *run)
{
	free(run->options);
	free(run->log_at);
	free(run->message);
	run->options = run->log_at = run->message = NULL;
}
