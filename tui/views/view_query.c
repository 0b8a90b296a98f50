/* view_query.c - queries for views: rows and numbers of a run; see view_query.h. */
#include "tui/views/view_query.h"

#include <inttypes.h>

#include "tui/views/view_cell.h"

enum status view_choose_run(struct view_context *c)
{
	int64_t runs;

	TRY(store_run_count(c->store, &runs));
	c->run = c->at.run >= 0 ? c->at.run : 1;
	if (c->run >= 1 && c->run <= runs)
		return STATUS_OK;
	return fail(STATUS_USAGE, "%s has %" PRId64 " run%s, not r%" PRId64, store_path(c->store),
		    runs, runs == 1 ? "" : "s", c->run);
}

enum status view_rows(const struct view_context *c, view_row_fn *fn, void *state, const char *sql,
		      const int64_t *values, int count)
{
	enum status status = STATUS_OK;
	sqlite3_stmt *row;
	int code = store_borrow(c->store, sql, &row);

	for (int i = 0; i < count && code == SQLITE_OK; i++)
		code = sqlite3_bind_int64(row, i + 1, values[i]);
	if (code == SQLITE_OK)
		while (status == STATUS_OK && (code = sqlite3_step(row)) == SQLITE_ROW)
			status = fn(c, row, state);
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(c->store);
	store_return(c->store, row);
	return status;
}

struct number {
	int64_t value;
	bool known;
};

static enum status take_number(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct number *number = state;
	int type = sqlite3_column_type(row, 0);

	/* A text where a number belongs would be read as 0, and walks along numbers might not
	 * end. */
	if (type == SQLITE_TEXT || type == SQLITE_BLOB
	    || (type == SQLITE_FLOAT && (double)view_bits(row, 0) != sqlite3_column_double(row, 0)))
		return fail(STATUS_DAMAGED, "%s: the trace is damaged: expected an integer, got"
			    " '%.40s'", store_shown_path(c->store), view_text(row, 0));
	if (!number->known && !view_null(row, 0))
		*number = (struct number){ view_int(row, 0), true };
	return STATUS_OK;
}

enum status view_number(const struct view_context *c, int64_t otherwise, int64_t *out,
			const char *sql, const int64_t *values, int count)
{
	struct number number = { otherwise, false };

	TRY(view_rows(c, take_number, &number, sql, values, count));
	*out = number.value;
	return STATUS_OK;
}

enum status view_second(const struct view_context *c, struct view_context *second, bool *found)
{
	int64_t runs;

	*second = *c;
	second->other = NULL;
	if (c->other) {
		second->store = c->other;
		TRY(store_run_count(c->other, &runs));
		second->run = c->run <= runs ? c->run : 1;
		*found = runs > 0;
		return STATUS_OK;
	}
	TRY(VIEW_NUMBER(c, 0, &second->run, "SELECT run FROM v_run WHERE run <> ?1"
			" ORDER BY run < ?1, run", c->run));
	*found = second->run > 0;
	return STATUS_OK;
}
