/* view_launch.c - one launch: its shape, its arguments and what it wrote.
 *
 * Adds the views of KV rows, chunks, reductions and points if the launch has any.
 */
#include "tui/views/view_list.h"

#include <inttypes.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define ROWS 16

enum { POSITION, NAME, TYPE, KIND, BITS, VALUE, BUFFER, BUFFER_NAME, OFFSET, DATA, LIVE, SHAPE };
static const char arguments[] =
	"SELECT a.position, a.name, a.type, a.kind, a.bits, a.value, a.buffer, b.name, a.offset,"
	" a.data, a.live, b.dtype || b.shape"
	" FROM v_arg a LEFT JOIN v_buffer b ON b.run = a.run AND b.buffer = a.buffer"
	" WHERE a.run = ?1 AND a.op = ?2 ORDER BY a.position";

static enum status print_argument(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const char *kind = view_text(row, KIND);
	view_cell cell;

	(void)state;
	view_print(c, "  %2" PRId64 "  %-20s %-12s ", view_int(row, POSITION),
		   view_text(row, TYPE), view_text(row, NAME));
	if (kind[0] == 'p' && view_null(row, BUFFER))
		view_print(c, "null");
	else if (kind[0] == 'p')
		view_print(c, "%s + %" PRId64 "  (buffer %" PRId64 ", %s)",
			view_text(row, BUFFER_NAME), view_int(row, OFFSET), view_int(row, BUFFER),
			   view_text(row, SHAPE));
	else if (kind[0] == 'b')
		view_print(c, "blob, data %s", view_int_cell(row, DATA, cell));
	else if (kind[0] == 'f' && kind[1] == '3')
		view_print(c, "%s", view_f32_cell(row, BITS, cell));
	else if (kind[0] == 'f')
		view_print(c, "%s", view_real_cell(row, VALUE, "%.17g", cell));
	else
		view_print(c, "%s", view_int_cell(row, VALUE, cell));
	view_print(c, "%s", view_int(row, LIVE) ? "  live\n" : "\n");
	return STATUS_OK;
}

static enum status print_digest(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *rows = state, pieces = view_int(row, 5);

	if (!view_fits(c, (*rows)++, ROWS))
		return STATUS_OK;
	if (pieces > 1)
		view_print(c, "  %-20s %10" PRId64 " B in %" PRId64 " pieces from %" PRId64
			   " on", view_text(row, 0), view_int(row, 6), pieces, view_int(row, 1));
	else
		view_print(c, "  %-20s %10" PRId64 " B at %-10" PRId64, view_text(row, 0),
			   view_int(row, 2), view_int(row, 1));
	view_print(c, "  digest %016" PRIx64 "%s\n", (uint64_t)view_bits(row, 3),
		   view_null(row, 4) ? "" : "  bytes kept");
	return STATUS_OK;
}

static enum status print_kv_row(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *rows = state;
	view_cell layer, source;

	if (view_fits(c, (*rows)++, ROWS))
		view_print(c,
			   "  %s row  layer %s  slot %" PRId64 "  kv head %" PRId64
			   "  position %" PRId64 "  from op %s\n",
			   view_text(row, 0), view_int_cell(row, 1, layer), view_int(row, 2),
			   view_int(row, 3), view_int(row, 4), view_int_cell(row, 5, source));
	return STATUS_OK;
}

static enum status print_shape(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct view_place *p = state;
	const int64_t cluster[] = { view_int(row, 5), view_int(row, 6), view_int(row, 7) };
	view_cell us;

	view_print(c, "  grid (%" PRId64 ", %" PRId64 ", %" PRId64 ")", p->grid[0], p->grid[1],
		   p->grid[2]);
	if (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)
		view_print(c, " in clusters of (%" PRId64 ", %" PRId64 ", %" PRId64 ")",
			   cluster[0], cluster[1], cluster[2]);
	view_print(c,
		   "  block (%" PRId64 ", %" PRId64 ", %" PRId64 ")  dynamic shared %" PRId64
		   " B  stream %" PRId64 "  op %" PRId64 "\n",
		   p->block[0], p->block[1], p->block[2], view_int(row, 0), view_int(row, 1),
		   p->op);
	view_print(c, "  %s", view_int(row, 2) == 0 ? "succeeded" : "FAILED");
	if (!view_null(row, 3))
		view_print(c, "  device time %s us", view_real_cell(row, 3, "%.2f", us));
	view_print(c, "%s%s\n", view_null(row, 4) ? "" : "  attributes ",
		   view_null(row, 4) ? "" : view_text(row, 4));
	if (view_int(row, 2) != 0)
		view_print(c, "  error %" PRId64 "\n", view_int(row, 2));
	return STATUS_OK;
}

/* Draws another view when its table has rows for this launch. */
static enum status draw_if(const struct view_context *c, const struct view *view, const char *table,
			   int64_t launch)
{
	char sql[128];
	int64_t some;

	snprintf(sql, sizeof sql, "SELECT 1 FROM %s WHERE run = ?1 AND launch = ?2 LIMIT 1",
		 table);
	TRY(VIEW_NUMBER(c, 0, &some, sql, c->run, launch));
	return some ? view->draw(c) : STATUS_OK;
}

static enum status draw_attention(const struct view_context *c, int64_t launch)
{
	struct view_context here = *c;

	here.at.launch = launch;
	if (c->at.access >= 0)
		return view_memory.draw(&here);
	if (c->at.warp >= 0 || c->at.point >= 0)
		return view_points.draw(&here);
	TRY(draw_if(&here, &view_chunks, "v_partial", launch));
	TRY(draw_if(&here, &view_reduce, "v_reduce", launch));
	return draw_if(&here, &view_points, "v_point", launch);
}

static enum status draw_arguments(const struct view_context *c, const struct view_place *place)
{
	view_print(c, "\n arguments\n");
	return VIEW_ROWS(c, print_argument, NULL, arguments, c->run, place->op);
}

static enum status draw_writes(const struct view_context *c, const struct view_place *place)
{
	int64_t rows = 0;

	view_print(c, "\n wrote\n");
	TRY(VIEW_ROWS(c, print_digest, &rows,
		      /* A digest can span scattered rows; v_kv has the bytes that were written. */
		      "SELECT b.name, d.offset, d.bytes, d.digest, d.data,"
		      " (SELECT count(*) FROM v_kv k WHERE k.run = ?1 AND k.op = ?2"
		      "  AND k.buffer = d.buffer),"
		      " (SELECT sum(k.bytes) FROM v_kv k WHERE k.run = ?1 AND k.op = ?2"
		      "  AND k.buffer = d.buffer) FROM v_digest d"
		      " LEFT JOIN v_buffer b ON b.run = d.run AND b.buffer = d.buffer"
		      " WHERE d.run = ?1 AND d.op = ?2 AND d.after_step = 0 ORDER BY d.entry",
		      c->run, place->op));
	view_more(c, rows, ROWS);
	rows = 0;
	TRY(VIEW_ROWS(c, print_kv_row, &rows,
		      "SELECT tensor, layer, slot, kv_head, position, source_op FROM v_kv"
		      " WHERE run = ?1 AND op = ?2 ORDER BY tensor, slot, position, kv_head",
		      c->run, place->op));
	view_more(c, rows, ROWS);
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	bool found;

	TRY(view_place_find(c, "v_launch", &place, &found));
	if (!found)
		return fail(STATUS_USAGE, "run %" PRId64 " launched no kernel", c->run);
	view_place_title(c, "LAUNCH", &place);
	TRY(VIEW_ROWS(c, print_shape, &place,
		      "SELECT shared_bytes, stream, code, duration_us, attributes, cluster_x,"
		      " cluster_y, cluster_z FROM v_launch WHERE run = ?1 AND launch = ?2",
		      c->run, place.launch));
	/* For an address within a block, show that place rather than the launch. */
	if (c->at.block < 0) {
		TRY(draw_arguments(c, &place));
		TRY(draw_writes(c, &place));
	}
	return draw_attention(c, place.launch);
}

const struct view view_launch = {
	.name = "launch", .summary = "everything recorded about one launch",
	.draw = draw
};
