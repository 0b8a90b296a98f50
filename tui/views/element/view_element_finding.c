/* view_element_finding.c - the checker's finding that may explain why two runs differ.
 *
 * Used by view_element_cause.c and view_element_point.c.
 */
#include "tui/views/element/view_element_parts.h"

#include <inttypes.h>

#include "tui/views/element/view_element_value.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

static enum status print_finding(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	bool *some = state;
	view_cell number;

	*some = true;
	view_print(c, " likely cause  ");
	view_styled(c, STYLE_WRONG, "%s", view_text(row, 1));
	view_print(c, " (screen 7, #%" PRId64 ") %s:%s", view_int(row, 0), view_text(row, 2),
		   view_int_cell(row, 3, number));
	if (!view_null(row, 4))
		view_print(c, " and :%s", view_int_cell(row, 4, number));
	view_print(c, "%s\n", view_int(row, 5) ? "" : ", at another launch of the kernel");
	return STATUS_OK;
}

enum status element_finding_draw(const struct view_context *c, const struct element_view *e)
{
	bool some = false;

	for (int side = 0; side < 2 && !some; side++) {
		struct view_context other = element_side(c, e, side);

		TRY(VIEW_ROWS(&other, print_finding, &some,
			      "SELECT finding, class, file, line, other_line, launch IS ?2"
			      " FROM v_finding f WHERE run = ?1"
			      " AND class NOT IN ('leak', 'nan-born') AND (launch IS ?2 OR"
			      "  (SELECT kernel FROM v_launch l WHERE l.run = ?1"
			      "   AND l.launch = f.launch) = (SELECT kernel FROM v_launch l"
			      "   WHERE l.run = ?1 AND l.launch = ?2))"
			      " ORDER BY launch IS NOT ?2, finding LIMIT 1", other.run,
			      e->place->launch));
	}
	if (!some)
		view_print(c, " likely cause  no finding of the checker here: %s\n",
			   "replay --check looks for one");
	return STATUS_OK;
}
