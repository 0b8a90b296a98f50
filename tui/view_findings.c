/* view_findings.c - what the checker found, in the order found. */
#include "tui/view.h"

#include <inttypes.h>

#define ROWS 200

enum { FINDING, CLASS, OP, LAUNCH, BLOCK, FILE_NAME, LINE, OTHER_LINE, MESSAGE };

static enum status print_finding(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *rows = state;
	view_cell launch = "-", line, other;

	if (!view_fits(c, (*rows)++, ROWS))
		return STATUS_OK;
	if (!view_null(row, LAUNCH)) {
		view_row_of(c, view_int(row, LAUNCH), -1);
		view_launch_cell(c, view_int(row, LAUNCH), launch);
	}
	view_print(c, "  %4" PRId64 " ", view_int(row, FINDING));
	view_styled(c, STYLE_WRONG, "%-10s", view_text(row, CLASS));
	view_print(c, " %-10s %s:%s", launch, view_text(row, FILE_NAME),
		   view_int_cell(row, LINE, line));
	if (!view_null(row, OTHER_LINE))
		view_print(c, " and %s", view_int_cell(row, OTHER_LINE, other));
	view_print(c, "  %s\n", view_text(row, MESSAGE));
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	int64_t rows = 0;

	view_title(c, "FINDINGS of run %" PRId64, c->run);
	TRY(VIEW_ROWS(c, print_finding, &rows,
		      "SELECT finding, class, op, launch, NULL, file, line, other_line, message"
		      " FROM v_finding WHERE run = ?1 ORDER BY finding", c->run));
	view_more(c, rows, ROWS);
	if (rows == 0)
		view_styled(c, STYLE_NOTE, "  none in this trace\n");
	return STATUS_OK;
}

const struct view view_findings = {
	.name = "findings", .summary = "what the checker found", .whole = true, .draw = draw
};
