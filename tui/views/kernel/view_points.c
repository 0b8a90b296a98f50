/* view_points.c - named points that the threads of a launch published.
 *
 * For a launch or block, counts the points of each name. If the address has a warp, lane or number,
 * lists the points that match it, each with its key or chunk.
 */
#include "tui/views/view_missing.h"

#include <inttypes.h>
#include <string.h>

#include "traces/kernel_names.h"
#include "tui/views/kernel/view_exists.h"
#include "tui/views/kernel/view_point_names.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_shape.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"

#define ROWS 64

struct list {
	const struct view_place *place;
	struct view_shape shape;
	bool own;                       /* a kernel of ours, see view_own_points() */
	int64_t rows;
};

static void point_address(const struct view_context *c, sqlite3_stmt *row, int64_t launch,
			  view_cell text)
{
	view_cell cell;

	snprintf(text, VIEW_CELL, "%s.b%d.w%d.l%d.p%" PRId64, view_launch_cell(c, launch, cell),
		 (int)view_int(row, 0), (int)view_int(row, 1), (int)view_int(row, 2),
		 view_int(row, 3));
}

static void anchor_point(const struct view_context *c, sqlite3_stmt *row, int64_t launch)
{
	struct address at = address_none;

	at.run = c->run > 1 ? c->run : -1;
	at.launch = launch;
	at.block = view_int(row, 0);
	at.warp = view_int(row, 1);
	at.lane = view_int(row, 2);
	at.point = view_int(row, 3);
	display_anchor(c->out, &at);
}

enum { BLOCK, WARP, LANE, SEQUENCE, NAME, COUNT, VALUE, ABOUT = VALUE + 4 };

/* What a point of our own kernels is about: the key and head of the ladder's, which follow from its
 * number; else what the query derived. */
static const char *about(const struct list *list, sqlite3_stmt *row, view_cell text)
{
	struct view_shape_point p = { .unit = -1 };

	if (list->shape.units)
		p = view_shape_point(&list->shape, view_int(row, BLOCK), view_int(row, WARP),
				     view_int(row, LANE), view_int(row, SEQUENCE));
	if (p.unit >= 0)
		snprintf(text, VIEW_CELL, "%skey %" PRId64 ", head %" PRId64, p.softmax ? "from "
			 : "", p.key, p.head);
	else if (list->shape.form == SHAPE_CLUSTER && !view_null(row, ABOUT))
		snprintf(text, VIEW_CELL, "%.20s, head %" PRId64, view_text(row, ABOUT),
			 view_shape_merged_head(&list->shape, view_int(row, BLOCK),
						32 * view_int(row, WARP) + view_int(row, LANE)));
	else
		snprintf(text, VIEW_CELL, "%s", view_null(row, ABOUT) ? "" : view_text(row, ABOUT));
	return text;
}

static enum status print_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct list *list = state;
	const char *name = view_text(row, NAME);
	view_cell address, value;

	if (!view_fits(c, list->rows++, ROWS))
		return STATUS_OK;
	point_address(c, row, list->place->launch, address);
	anchor_point(c, row, list->place->launch);
	view_print(c, " %-24s %s", address, name);
	for (int i = 0; i < view_int(row, COUNT) && i < 4; i++) {
		/* If the first value has the point's own name, do not repeat it. */
		if (i > 0 || strcmp(name, view_point_value(list->own, name, i)) != 0)
			view_print(c, "  %s", view_point_value(list->own, name, i));
		view_print(c, " %s", view_value_cell(c, row, VALUE + i, value));
	}
	if (list->own && *about(list, row, value))
		view_print(c, "  %s", value);
	view_print(c, "\n");
	return STATUS_OK;
}

#define WHERE_THREAD \
	" WHERE run = ?1 AND launch = ?2 AND (?3 < 0 OR block = ?3) AND (?4 < 0 OR warp = ?4)" \
	" AND (?5 < 0 OR lane = ?5)"
#define AND_SEQUENCE " AND (?6 < 0 OR sequence = ?6) ORDER BY block, warp, lane, sequence"

/* Derives the key, chunk or merged warp of a point of our own kernels. Blocks are ordered by chunk,
 * with as many blocks as rows each; a lane's n-th score belongs to key n * 32 + lane of its chunk
 * of C keys.
 * NULL for other points, and for a key in a kernel without C. */
static const char points[] =
	"WITH shape AS (SELECT grid_x * grid_y AS rows,"
	"  iif(" SQL_MERGES("kernel") " OR " SQL_MERGES_OWN("kernel")
	",  'chunk ', 'warp ') AS part,"
	"  (SELECT value FROM v_arg a WHERE a.run = ?1 AND a.op = l.op AND a.name = 'C') AS C"
	"  FROM v_launch l WHERE run = ?1 AND launch = ?2),"
	" counted AS (SELECT *, row_number()"
	"  OVER (PARTITION BY block, warp, lane, name ORDER BY sequence) - 1 AS n"
	"  FROM v_point" WHERE_THREAD ")"
	" SELECT block, warp, lane, sequence, name, count, v0_bits, v1_bits, v2_bits, v3_bits,"
	"  CASE name WHEN 'score' THEN 'key ' || (block / rows * C + n * 32 + lane)"
	"   WHEN 'softmax' THEN 'from key ' || (block / rows * C + n * 32)"
	"   WHEN 'reduce' THEN part || n END"
	" FROM counted JOIN shape" WHERE_THREAD AND_SEQUENCE;

static enum status list_points(const struct view_context *c, const struct view_place *place)
{
	struct list list = { .place = place };
	enum status status;

	TRY(view_own_points(c, place->kernel, &list.own));
	status = view_shape_read(c, place, &list.shape);
	if (status == STATUS_OK)
		status = VIEW_ROWS(c, print_point, &list, points, c->run, place->launch,
				   c->at.block, c->at.warp, c->at.lane, c->at.point);
	view_shape_free(&list.shape);
	TRY(status);
	view_more(c, list.rows, ROWS);
	return list.rows ? STATUS_OK : view_missing_points(c, place);
}

static enum status print_count(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *names = state;

	++*names;
	view_print(c, "  %-9s %8" PRId64 " point%s of %" PRId64 " thread%s\n", view_text(row, 0),
		   view_int(row, 1), view_plural(view_int(row, 1)), view_int(row, 2),
		   view_plural(view_int(row, 2)));
	return STATUS_OK;
}

static enum status count_points(const struct view_context *c, const struct view_place *place)
{
	int64_t names = 0, dropped;
	view_cell launch;

	TRY(VIEW_ROWS(c, print_count, &names,
		      "SELECT name, count(*), count(DISTINCT (block * 32 + warp) * 32 + lane)"
		      " FROM v_point WHERE run = ?1 AND launch = ?2 AND (?3 < 0 OR block = ?3)"
		      " GROUP BY name ORDER BY name",
		      c->run, place->launch, c->at.block));
	TRY(VIEW_NUMBER(c, 0, &dropped,
			"SELECT dropped FROM v_launch WHERE run = ?1 AND launch = ?2", c->run,
			place->launch));
	if (dropped > 0)
		view_print(c, "  %" PRId64 " more did not fit the probe buffer\n", dropped);
	if (names > 0)
		view_print(c, "  --at %s.b%d.w0.l0 lists the points of one thread\n",
			   view_launch_cell(c, place->launch, launch),
			   (int)(c->at.block > 0 ? c->at.block : 0));
	else
		return view_missing_points(c, place);
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	struct view_recomputed recomputed = { 0 };
	struct view_place place;
	bool found;

	TRY(view_place_find(c, "w_published", &place, &found));
	if (!found) {
		view_title(c, "POINTS: none");
		return view_missing(c, NULL, LEVEL_POINTS, "points");
	}
	TRY(view_recompute(c, place.launch, NULL, &recomputed));
	TRY(view_check_point(c, &place));
	view_place_title(c, "POINTS of", &place);
	view_recomputed_note(c, &recomputed);
	if (c->at.warp < 0 && c->at.point < 0)
		return count_points(c, &place);
	return list_points(c, &place);
}

const struct view view_points = {
	.name = "points", .summary = "values that kernels published while they ran",
	.table = "w_published", .draw = draw
};
