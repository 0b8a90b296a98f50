/* view_bytes.c - reads the text of a slot from the trace's tokens; see view_bytes.h. */
#include "tui/views/view_bytes.h"

#include <string.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

struct reading {
	int64_t begin, end;
	unsigned char *out;
};

static enum status take_byte(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct reading *r = state;
	int64_t position = view_int(row, 0);

	(void)c;
	if (position >= r->begin && position < r->end)
		r->out[position - r->begin] = (unsigned char)view_int(row, 1);
	return STATUS_OK;
}

enum status view_bytes_read(const struct view_context *c, int64_t slot, int64_t step, int64_t begin,
			    int64_t end, unsigned char *out)
{
	struct reading r = { begin, end, out };

	memset(out, 0, (size_t)(end - begin));
	/* A slot may have held several sequences, one after another: take the latest byte. */
	return VIEW_ROWS(c, take_byte, &r,
			 "SELECT position, byte, max(step) FROM v_token WHERE run = ?1"
			 " AND slot = ?2 AND position BETWEEN ?3 AND ?4 AND step <= ?5"
			 " GROUP BY position",
			 c->run, slot, begin, end - 1, step >= 0 ? step : INT64_MAX);
}

char view_byte_mark(unsigned char byte)
{
	if (byte == '\n')
		return '$';
	return byte >= ' ' && byte < 127 ? (char)byte : byte ? '?' : ' ';
}
