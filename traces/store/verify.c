/* verify.c - verifies a trace, check by check; see verify.h.
 *
 * A check that finds damage gives one line, and the next check follows.
 */
#include "traces/store/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"
#include "traces/store/column.h"
#include "traces/store/store_sums.h"
#include "traces/store/verified.h"
#include "traces/store/verify_internal.h"

#define FIRST_WITH_SUMS 5               /* version of the format */

struct verify {
	struct store *store;
	verify_line_fn *line;
	void *context;
	struct verify_report *report;
	int64_t run;                    /* whose tables are being checked; SUM_SHARED */
	bool incomplete;                /* a run was cut off, so that later rows have no sum */
};

/* Reports damage as a line; other errors end the verification. */
static enum status attempt(struct verify *v, enum status status)
{
	if (status != STATUS_DAMAGED)
		return status;
	v->report->wrong++;
	v->line(v->context, true, error_text());
	error_clear();
	return STATUS_OK;
}

__attribute__((format(printf, 2, 3)))
static void warn(struct verify *v, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	v->report->warnings++;
	v->line(v->context, false, text);
}

/* --- the file --- */

static enum status take_integrity(void *context, sqlite3_stmt *row)
{
	const struct verify *v = context;

	if (!strcmp(column_text(row, 0), "ok"))
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "%s: the trace is damaged: %s", store_shown_path(v->store),
		    column_text(row, 0));
}

static enum status verify_file(struct verify *v)
{
	return store_each(v->store, "PRAGMA main.integrity_check(1)", NULL, 0, take_integrity, v);
}

/* --- sums --- */

static enum status take_sum_row(void *context, sqlite3_stmt *row)
{
	const struct verify *v = context;

	return fail(STATUS_DAMAGED, "%s: t_sum has a row for table '%s' of run %lld",
		    store_shown_path(v->store), column_text(row, 1),
		    sqlite3_column_int64(row, 0));
}

/* Rows that no writer makes. */
static enum status verify_sum_rows(struct verify *v)
{
#define IS_TABLE \
	"EXISTS (SELECT 1 FROM main.sqlite_schema m WHERE m.type = 'table'" \
	" AND m.name = s.\"table\")"
	return store_each(v->store, "SELECT run, \"table\" FROM t_sum s WHERE CASE"
			  " WHEN run = 0 THEN \"table\" <> 'sqlite_schema' AND NOT " IS_TABLE
			  " WHEN run NOT IN (SELECT run FROM t_run WHERE complete) THEN 1"
			  " WHEN \"table\" <> '' THEN NOT " IS_TABLE
			  " ELSE EXISTS (SELECT 1 FROM t_sum o WHERE o.run = s.run"
			  "  AND o.\"table\" <> '') END LIMIT 1", NULL, 0, take_sum_row, v);
#undef IS_TABLE
}

static enum status check_sum(struct verify *v, const char *table)
{
	bool covered;

	TRY(store_sum_check(v->store, v->run, table, &covered));
	if (!covered)
		return v->run == SUM_SHARED
			? fail(STATUS_DAMAGED, "%s: %s has no sum", store_shown_path(v->store),
			       table)
			: fail(STATUS_DAMAGED, "%s: run %" PRId64 ": %s has no sum",
			       store_shown_path(v->store), v->run, table);
	v->report->sums++;
	return STATUS_OK;
}

/* After an interruption, rows that are not of a complete run may follow. */
static enum status check_later(struct verify *v, const char *table)
{
	int64_t rows;

	TRY(store_sum_later(v->store, table, &rows));
	if (rows > 0 && !v->incomplete)
		return fail(STATUS_DAMAGED, "%s: %s has %" PRId64 " rows that no sum covers",
			    store_shown_path(v->store), table, rows);
	if (rows > 0)
		warn(v, "%" PRId64 " rows of %s, which an incomplete run added, have no sum", rows,
		     table);
	return STATUS_OK;
}

static enum status verify_table(void *context, const char *table, bool shared)
{
	struct verify *v = context;

	if (shared != (v->run == SUM_SHARED))
		return STATUS_OK;
	TRY(attempt(v, check_sum(v, table)));
	return shared ? attempt(v, check_later(v, table)) : STATUS_OK;
}

/* The tables with rows of the run. */
struct names {
	struct verify *v;
	char *text;
};

static enum status append_table(void *context, const char *table, bool shared)
{
	struct names *list = context;
	char *sql, *longer;
	enum status status;
	int64_t some;

	if (shared)
		return STATUS_OK;
	sql = xasprintf("SELECT EXISTS (SELECT 1 FROM main.%s WHERE run = ?)", table);
	status = store_integer(list->v->store, sql, &list->v->run, 1, 0, &some);
	free(sql);
	TRY(status);
	if (!some)
		return STATUS_OK;
	longer = xasprintf("%s%s%s", list->text, *list->text ? ", " : "", table);
	free(list->text);
	list->text = longer;
	return STATUS_OK;
}

static enum status warn_no_sums(struct verify *v, const char *why)
{
	struct names list = { v, xstrdup("") };
	enum status status = store_sum_tables(v->store, append_table, &list);

	if (status == STATUS_OK)
		warn(v, "run %" PRId64 " %s, so these tables have no sum: %s", v->run, why,
		     list.text);
	free(list.text);
	return status;
}

static enum status verify_run_sums(struct verify *v, bool complete, bool has_sums)
{
	int64_t earlier;

	if (!complete)
		return warn_no_sums(v, "is incomplete");
	TRY(store_integer(v->store, "SELECT EXISTS (SELECT 1 FROM t_sum WHERE run = ?"
			  " AND \"table\" = '')", &v->run, 1, 0, &earlier));
	if (earlier || !has_sums)
		return warn_no_sums(v, "was recorded in an earlier format");
	return store_sum_tables(v->store, verify_table, v);
}

static enum status verify_shared_sums(struct verify *v)
{
	int64_t expected;

	v->run = SUM_SHARED;
	TRY(store_integer(v->store, "SELECT EXISTS (SELECT 1 FROM t_run r WHERE complete"
			  " AND NOT EXISTS (SELECT 1 FROM t_sum s WHERE s.run = r.run"
			  "  AND s.\"table\" = ''))", NULL, 0, 0, &expected));
	return expected ? store_sum_tables(v->store, verify_table, v) : STATUS_OK;
}

/* --- runs --- */

static enum status verify_ops(struct store *store, int64_t run)
{
	struct store_cursor *cursor;
	enum status status;
	struct row_op op;
	bool end = false;
	int64_t number;

	TRY(store_ops_open(store, run, &cursor));
	do
		status = store_ops_next(cursor, &op, &number, &end);
	while (status == STATUS_OK && !end);
	store_ops_close(cursor);
	return status;
}

static enum status verify_run(struct verify *v, int64_t number, bool has_sums)
{
	static enum status (*const checks[])(struct store *, int64_t run) = {
		verify_ops, verify_digests, verify_points, verify_partials, verify_reduces,
		verify_written, verify_accesses,
	};
	struct store_run run;
	enum status status;

	v->run = number;
	status = store_run_read(v->store, number, &run);
	if (status != STATUS_OK)
		return attempt(v, status);
	v->incomplete = v->incomplete || !run.complete;
	status = attempt(v, verify_run_sums(v, run.complete, has_sums));
	store_run_free(&run);
	for (size_t i = 0; i < COUNT_OF(checks) && status == STATUS_OK; i++)
		status = attempt(v, checks[i](v->store, number));
	return status;
}

static enum status verify_all(struct verify *v)
{
	int64_t version, has_table;
	bool has_sums;

	TRY(attempt(v, verify_file(v)));
	TRY(store_integer(v->store, "PRAGMA main.user_version", NULL, 0, 0, &version));
	TRY(store_integer(v->store, "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema"
			  " WHERE name = 't_sum')", NULL, 0, 0, &has_table));
	has_sums = version >= FIRST_WITH_SUMS;
	if (has_sums != has_table)
		TRY(attempt(v, fail(STATUS_DAMAGED, "%s: has t_sum, but says that its format is"
				    " %" PRId64, store_shown_path(v->store), version)));
	TRY(attempt(v, store_run_count(v->store, &v->report->runs)));
	for (int64_t run = 1; run <= v->report->runs; run++)
		TRY(verify_run(v, run, has_sums));
	if (has_sums) {
		TRY(attempt(v, verify_sum_rows(v)));
		TRY(attempt(v, verify_shared_sums(v)));
	} else {
		warn(v, "format %" PRId64 " has no sums: the tables that runs share have none",
		     version);
	}
	TRY(attempt(v, verify_content(v->store, &v->report->bytes)));
	TRY(attempt(v, verify_constants(v->store)));
	TRY(attempt(v, verify_args(v->store)));
	for (int i = 0; i < verify_columns_count(); i++)
		TRY(attempt(v, verify_columns(v->store, i)));
	return store_integer(v->store, "SELECT total(rows) FROM t_sum", NULL, 0, 0,
			     &v->report->rows);
}

enum status verify_trace(struct store *store, verify_line_fn *line, void *context,
			 struct verify_report *report)
{
	struct verify v = { .store = store, .line = line, .context = context, .report = report };

	*report = (struct verify_report){ 0 };
	return verify_all(&v);
}
