/* view_step_text.c - the bytes that went into a decode step and came out of it; see
 * view_step_text.h. */
#include "tui/views/kernel/view_step_text.h"

#include <inttypes.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define SLOTS 4                         /* shown */

/* The keys that a step processed in each slot, and the byte it produced. The input is the prompt's
 * bytes, or else the byte that an earlier step produced for the position before the new one. The
 * slot may have held other sequences before, so the last such step is the right one. */
static const char tokens[] =
	"WITH mine AS (SELECT slot, position, byte, prompt FROM v_token"
	"  WHERE run = ?1 AND step = ?2),"
	" made AS (SELECT slot, position, byte FROM mine WHERE NOT prompt),"
	" used AS (SELECT slot, position, byte FROM mine WHERE prompt UNION"
	"  SELECT slot, position, byte FROM (SELECT t.slot, t.position, t.byte, max(t.step)"
	"   FROM v_token t JOIN made USING (slot) WHERE t.run = ?1 AND t.step <= ?2"
	"   AND t.position = made.position - 1 GROUP BY t.slot)),"
	" ends AS (SELECT slot, min(position) AS first, max(position) AS last FROM used"
	"  GROUP BY slot)"
	" SELECT e.slot, e.first, e.last, f.byte, l.byte, made.position, made.byte FROM ends e"
	" JOIN used f ON f.slot = e.slot AND f.position = e.first"
	" JOIN used l ON l.slot = e.slot AND l.position = e.last"
	" LEFT JOIN made ON made.slot = e.slot ORDER BY e.slot";
enum { T_SLOT, T_FIRST, T_LAST, T_FIRST_BYTE, T_LAST_BYTE, T_MADE, T_MADE_BYTE };

static enum status print_token(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *slots = state;
	int64_t first = view_int(row, T_FIRST), last = view_int(row, T_LAST);
	view_cell byte;

	if (!view_fits(c, (*slots)++, SLOTS))
		return STATUS_OK;
	view_print(c, "%sslot %" PRId64, *slots > 1 ? "\n      " : "  ", view_int(row, T_SLOT));
	if (first < last)
		view_print(c, "  keys %" PRId64 "..%" PRId64 " %s..", first, last,
			   view_byte_cell((int)view_int(row, T_FIRST_BYTE), byte));
	else
		view_print(c, "  key %" PRId64 " ", last);
	view_print(c, "%s", view_byte_cell((int)view_int(row, T_LAST_BYTE), byte));
	if (!view_null(row, T_MADE))
		view_print(c, "  -> byte %" PRId64 " %s", view_int(row, T_MADE),
			   view_byte_cell((int)view_int(row, T_MADE_BYTE), byte));
	return STATUS_OK;
}

enum status view_step_text(const struct view_context *c, int64_t step)
{
	int64_t slots = 0;

	view_print(c, "\n s%" PRId64, step);
	TRY(VIEW_ROWS(c, print_token, &slots, tokens, c->run, step));
	view_print(c, "\n");
	view_more(c, slots, SLOTS);
	return STATUS_OK;
}
