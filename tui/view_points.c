/* view_points.c - named points: what the threads of a launch published, and loads and stores.
 *
 * How many points of each name the launch or block has; with a warp, lane or number in the address,
 * the points themselves, narrowed as far as it goes.
 */
#include "tui/view.h"

#include <inttypes.h>
#include <string.h>

#define ROWS 64

/* The values of the project's own points, as kernels/points.h names them; others are v0 to v3. */
static const struct {
	const char *point, *values[4];
} value_names[] = {
	{ "score", { "score", "weight", "", "" } },
	{ "softmax", { "max", "rescale", "sum", "" } },
	{ "reduce", { "weight", "sum", "acc0", "" } },
};

static const char *value_name(const char *point, int value)
{
	static const char *const plain[] = { "v0", "v1", "v2", "v3" };

	for (size_t i = 0; i < sizeof(value_names) / sizeof(value_names[0]); i++)
		if (strcmp(value_names[i].point, point) == 0)
			return value_names[i].values[value];
	return plain[value];
}

struct list {
	const struct view_place *place;
	int64_t rows;
};

/* Writes the address of one thread's `letter`-th thing. */
static void thread_address(const struct view_context *c, sqlite3_stmt *row, int64_t launch,
			   char letter, view_cell text)
{
	view_cell cell;

	snprintf(text, VIEW_CELL, "%s.b%d.w%d.l%d.%c%" PRId64, view_launch_cell(c, launch, cell),
		 (int)view_int(row, 0), (int)view_int(row, 1), (int)view_int(row, 2), letter,
		 view_int(row, 3));
}

enum { NAME = 4, COUNT, VALUE };

static enum status print_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct list *list = state;
	view_cell address, value;

	if (!view_fits(c, list->rows++, ROWS))
		return STATUS_OK;
	thread_address(c, row, list->place->launch, 'p', address);
	fprintf(c->out, " %-24s %s", address, view_text(row, NAME));
	for (int i = 0; i < view_int(row, COUNT) && i < 4; i++)
		fprintf(c->out, "  %s %s", value_name(view_text(row, NAME), i),
			view_f32_cell(row, VALUE + i, value));
	fputc('\n', c->out);
	return STATUS_OK;
}

static enum status print_access(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct list *list = state;
	view_cell address, buffer, bits;

	if (!view_fits(c, list->rows++, ROWS))
		return STATUS_OK;
	thread_address(c, row, list->place->launch, 'a', address);
	fprintf(c->out,
		" %-24s %-6s %-8s buffer %s offset %" PRId64 ", %" PRId64 " B, bits %s, %s:%" PRId64
		"\n",
		address, view_text(row, 4), view_text(row, 5), view_int_cell(row, 6, buffer),
		view_int(row, 7), view_int(row, 8), view_int_cell(row, 9, bits), view_text(row, 10),
		view_int(row, 11));
	return STATUS_OK;
}

#define WHERE_THREAD \
	" WHERE run = ?1 AND launch = ?2 AND (?3 < 0 OR block = ?3) AND (?4 < 0 OR warp = ?4)" \
	" AND (?5 < 0 OR lane = ?5) AND (?6 < 0 OR sequence = ?6)" \
	" ORDER BY block, warp, lane, sequence"

static enum status list_rows(const struct view_context *c, const struct view_place *place,
			     view_row_fn *print, const char *sql, int64_t sequence,
			     const char *what)
{
	struct list list = { place, 0 };

	TRY(VIEW_ROWS(c, print, &list, sql, c->run, place->launch, c->at.block, c->at.warp,
		      c->at.lane, sequence));
	view_more(c, list.rows, ROWS);
	if (list.rows == 0)
		fprintf(c->out, "  no %s recorded here\n", what);
	return STATUS_OK;
}

static enum status print_count(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *names = state;

	++*names;
	fprintf(c->out, "  %-9s %8" PRId64 " points of %" PRId64 " threads\n", view_text(row, 0),
		view_int(row, 1), view_int(row, 2));
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
		fprintf(c->out, "  %" PRId64 " more did not fit the probe buffer\n", dropped);
	if (names > 0)
		fprintf(c->out, "  --at %s.b%d.w0.l0 lists those of a thread\n",
			view_launch_cell(c, place->launch, launch),
			(int)(c->at.block > 0 ? c->at.block : 0));
	else
		fprintf(c->out, "  none recorded (--log points records them)\n");
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	bool found;

	TRY(view_place_find(c, "v_point", &place, &found));
	if (!found) {
		view_title(c, "POINTS: none recorded (--log points records them)");
		return STATUS_OK;
	}
	if (c->at.access >= 0) {
		view_place_title(c, "ACCESSES of", &place);
		return list_rows(c, &place, print_access,
				 "SELECT block, warp, lane, sequence, kind, space, buffer, offset,"
				 " bytes, bits, file, line FROM v_access" WHERE_THREAD,
				 c->at.access, "loads or stores");
	}
	view_place_title(c, "POINTS of", &place);
	if (c->at.warp < 0 && c->at.point < 0)
		return count_points(c, &place);
	return list_rows(c, &place, print_point,
			 "SELECT block, warp, lane, sequence, name, count, v0_bits,"
			 " v1_bits, v2_bits, v3_bits FROM v_point" WHERE_THREAD,
			 c->at.point, "points");
}

const struct view view_points = { "points", "values that kernels published while they ran", draw };
