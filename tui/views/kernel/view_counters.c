/* view_counters.c - memory, barriers and branches of launches, and the lines they ran.
 *
 * Rows of v_counter exist only in runs with --count, rows of v_hit also in those with --check.
 */
#include "tui/views/view_list.h"

#include <inttypes.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define LAUNCHES 32
#define LINES 40

static enum status print_loads(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *rows = state;
	view_cell launch, reuse, load;

	if (!view_fits(c, (*rows)++, LAUNCHES))
		return STATUS_OK;
	view_print(c, "  %-7s %-24.24s %10" PRId64 " %6s %8" PRId64 " %6s\n",
		view_launch_cell(c, view_int(row, 0), launch), view_text(row, 1),
		view_int(row, 2), view_real_cell(row, 3, "%.2f", reuse), view_int(row, 4),
		view_real_cell(row, 5, "%.2f", load));
	return STATUS_OK;
}

static enum status print_stores(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *rows = state;
	view_cell launch, store;

	if (!view_fits(c, (*rows)++, LAUNCHES))
		return STATUS_OK;
	view_print(c, "  %-7s %10" PRId64 " %8" PRId64 " %6s", view_launch_cell(c, view_int(row, 0),
		launch), view_int(row, 1), view_int(row, 2), view_real_cell(row, 3, "%.2f", store));
	for (int i = 4; i < 7; i++)
		view_print(c, " %9" PRId64, view_int(row, i));
	view_print(c, "\n");
	return STATUS_OK;
}

static enum status print_shared(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *rows = state;
	view_cell launch;

	if (!view_fits(c, (*rows)++, LAUNCHES))
		return STATUS_OK;
	view_print(c, "  %-7s", view_launch_cell(c, view_int(row, 0), launch));
	for (int i = 1; i < 7; i++)
		view_print(c, " %9" PRId64, view_int(row, i));
	view_print(c, "\n");
	return STATUS_OK;
}

static enum status print_line(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *rows = state;

	if (*rows == 0)
		view_print(c, "\n lines that threads came to, and how often%s\n",
			   c->at.launch < 0 ? " (all launches)" : "");
	if (view_fits(c, (*rows)++, LINES))
		view_print(c, "  %10" PRId64 "  %s:%" PRId64 "\n", view_int(row, 2),
			view_text(row, 0), view_int(row, 1));
	return STATUS_OK;
}

/* Selects the launch ?2, or all launches when it is -1. */
#define WHERE " WHERE run = ?1 AND (?2 < 0 OR launch = ?2) ORDER BY launch"

static enum status draw_lines(const struct view_context *c)
{
	int64_t rows = 0;

	TRY(VIEW_ROWS(c, print_line, &rows,
		      "SELECT file, line, sum(hits) FROM v_hit"
		      " WHERE run = ?1 AND (?2 < 0 OR launch = ?2) GROUP BY file, line"
		      " ORDER BY file, line", c->run, c->at.launch));
	view_more(c, rows, LINES);
	return STATUS_OK;
}

static enum status draw_stores(const struct view_context *c)
{
	int64_t rows = 0;

	view_print(c, "\n  %-7s %10s %8s %6s %9s %9s %9s\n", "global:", "stored B", "requests",
		"sect/r", "barriers", "shuffles", "divergent");
	TRY(VIEW_ROWS(c, print_stores, &rows,
		      "SELECT launch, store_bytes, store_requests, sectors_per_store, barriers,"
		      " shuffles, divergent_branches FROM v_counter" WHERE, c->run, c->at.launch));
	view_more(c, rows, LAUNCHES);
	return STATUS_OK;
}

static enum status draw_shared(const struct view_context *c)
{
	int64_t rows = 0;

	view_print(c, "\n  %-7s %9s %9s %9s %9s %9s %9s\n", "shared:", "loads", "conflicts",
		"stores", "conflicts", "atomics", "left out");
	TRY(VIEW_ROWS(c, print_shared, &rows,
		      "SELECT launch, shared_load_requests, shared_load_conflicts,"
		      " shared_store_requests, shared_store_conflicts, atomics + shared_atomics,"
		      " left_out FROM v_counter" WHERE, c->run, c->at.launch));
	view_more(c, rows, LAUNCHES);
	return STATUS_OK;
}

/* Three tables, each narrower than 80 columns. */
static enum status draw(const struct view_context *c)
{
	int64_t rows = 0;

	view_title(c, "COUNTERS of run %" PRId64, c->run);
	view_print(c, "  %-7s %-24s %10s %6s %8s %6s\n", "global:", "", "loaded B", "reuse",
		"requests", "sect/r");
	TRY(VIEW_ROWS(c, print_loads, &rows,
		      "SELECT launch, kernel, load_bytes, reuse, load_requests, sectors_per_load"
		      " FROM v_counter" WHERE, c->run, c->at.launch));
	view_more(c, rows, LAUNCHES);
	if (rows == 0) {
		view_print(c, "  none: the run, or this launch, was not recorded with --count\n");
		return draw_lines(c);
	}
	TRY(draw_stores(c));
	TRY(draw_shared(c));
	return draw_lines(c);
}

const struct view view_counters = {
	.name = "counters", .summary = "memory, barriers, branches and lines (--count)",
	.draw = draw
};
