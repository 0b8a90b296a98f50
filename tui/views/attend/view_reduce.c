/* view_reduce.c - the reduction: how the chunks of each row were merged, in the order it happened.
 *
 * Factors and sums are the kernel's own f32 values if points were recorded, else computed from the
 * partials in float64; with --number full, both are shown. For an address with a block,
 * view_merge.c draws its row.
 */
#include "tui/views/attend/view_merge.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tui/views/view_columns.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"
#include "tui/views/view_scores.h"

#define ROWS 64

struct reduction {
	const struct view_place *place;
	int64_t rows;
	bool points;                    /* the kernel's own values are known */
	int address, bar, sum_digits;
};

enum { SLOT, HEAD, CHUNK, FACTOR, SUM, SHARE, KERNEL_FACTOR, KERNEL_SUM, KERNEL_ACC, COLUMNS = 10 };
/* The reduce kernel has grid (H, M) and one warp per block; lane 0 passes one point per chunk.
 * ?3 is H, ?4 is M, ?5 is the block to show, or -1 for all. What a chunk adds to the sum is its
 * factor times its sum. */
static const char steps[] =
	"SELECT r.slot, r.head, r.chunk, r.factor, r.sum,"
	" (r.sum - lag(r.sum, 1, 0.0) OVER w) / max(r.sum) OVER (PARTITION BY r.slot, r.head),"
	" p.v0_bits, p.v1_bits, p.v2_bits"
	" FROM v_reduce r LEFT JOIN (SELECT block, v0_bits, v1_bits, v2_bits,"
	"  row_number() OVER (PARTITION BY block ORDER BY sequence) - 1 AS n"
	"  FROM (SELECT thread / 32 AS block, * FROM w_point WHERE run = ?1 AND launch = ?2"
	"   AND thread % 32 = 0 AND name = 'reduce'"
	"   AND thread <= ?3 * ?4 * 32)) p"
	" ON p.block = r.head + ?3 * r.slot AND p.n = r.sequence"
	" WHERE r.run = ?1 AND r.launch = ?2 AND (?5 < 0 OR r.head + ?3 * r.slot = ?5)"
	" WINDOW w AS (PARTITION BY r.slot, r.head ORDER BY r.sequence)"
	" ORDER BY r.slot, r.head, r.sequence";

/* The columns left of the bar, and those right of it, which begin with `sum so far`. */
enum { LEFT = 7 };

static void make_columns(const struct view_context *c, const struct reduction *r,
			 struct view_column columns[COLUMNS])
{
	bool bits = c->looks.number == NUMBER_BITS, rounded = c->looks.number == NUMBER_DEC;
	int width = view_number_width(c, 10), full = rounded || bits ? 0 : 11;
	const struct view_column made[COLUMNS] = {
		{ "address", "", -r->address }, { "slot", "", 4 }, { "head", "", 4 },
		{ "chunk", "", 5 }, { "f64 factor", "", full },
		{ rounded ? "factor" : "f32 factor", "", rounded ? 8 : width },
		{ "share", "", rounded ? VIEW_SHARE_WIDTH : 0 },
		{ "f64 sum", "", full }, { rounded ? "sum so far" : "f32 sum", "", width },
		{ "acc[0]", "", bits ? 0 : width },
	};

	memcpy(columns, made, sizeof made);
}

static void print_columns(const struct view_context *c, const struct reduction *r,
			  const struct view_column columns[COLUMNS], bool heading, double share)
{
	view_columns(c, columns, LEFT, heading);
	if (r->bar && heading)
		view_styled(c, STYLE_HEADING, "%*s", -(r->bar + 3), "  " VIEW_SHARE_OF);
	else if (r->bar)
		view_print(c, "%*s", view_share_bar(c, share, r->bar), "");
	view_columns(c, columns + LEFT, COLUMNS - LEFT, heading);
	view_print(c, "\n");
}

/* The kernel's value; in decimal, without it, the one computed in float64. */
static const char *value_cell(const struct view_context *c, sqlite3_stmt *row, int kernel, int f64,
			      int digits, view_cell cell)
{
	if (!view_null(row, kernel))
		return view_number_cell(c, view_f32(row, kernel), digits, cell);
	if (f64 < 0 || view_null(row, f64) || c->looks.number != NUMBER_DEC)
		return "-";
	return view_fixed_cell(sqlite3_column_double(row, f64), digits, cell);
}

static enum status print_step(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reduction *r = state;
	int64_t block = view_scores_block(r->place, view_int(row, SLOT), view_int(row, HEAD), 0);
	double share = view_null(row, SHARE) ? NAN : sqlite3_column_double(row, SHARE);
	view_cell launch, cells[COLUMNS];
	struct view_column columns[COLUMNS];

	r->points |= !view_null(row, KERNEL_FACTOR);
	if (!view_fits(c, r->rows++, ROWS))
		return STATUS_OK;
	view_row_of(c, r->place->launch, block);
	make_columns(c, r, columns);
	snprintf(cells[0], VIEW_CELL, "%.40s.b%" PRId64,
		 view_launch_cell(c, r->place->launch, launch), block);
	columns[0].text = cells[0];
	for (int i = SLOT; i <= CHUNK; i++)
		columns[1 + i].text = view_int_cell(row, i, cells[1 + i]);
	columns[4].text = view_real_cell(row, FACTOR, "%.6g", cells[4]);
	columns[5].text = value_cell(c, row, KERNEL_FACTOR, FACTOR, 6, cells[5]);
	columns[6].text = view_share_cell(share, cells[6]);
	columns[7].text = view_real_cell(row, SUM, "%.6g", cells[7]);
	columns[8].text = value_cell(c, row, KERNEL_SUM, SUM, r->sum_digits, cells[8]);
	columns[9].text = value_cell(c, row, KERNEL_ACC, -1, 4, cells[9]);
	print_columns(c, r, columns, false, share);
	return STATUS_OK;
}

static enum status take_largest(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reduction *r = state;

	(void)c;
	r->sum_digits = view_decimals(sqlite3_column_double(row, 0), 6);
	return STATUS_OK;
}

static enum status draw_steps(const struct view_context *c, const struct view_place *place)
{
	struct reduction r = { .place = place };
	struct view_column columns[COLUMNS];
	view_cell cell;

	TRY(VIEW_ROWS(c, take_largest, &r, "SELECT max(sum) FROM v_reduce WHERE run = ?1"
		      " AND launch = ?2 AND abs(sum) < 9e99", c->run, place->launch));
	r.address = snprintf(NULL, 0, "%.40s.b%" PRId64,
			     view_launch_cell(c, place->launch, cell),
			     view_place_blocks(place) - 1);
	make_columns(c, &r, columns);
	if (c->looks.number == NUMBER_DEC)
		r.bar = view_bar_width(c, view_columns_width(columns, COLUMNS));
	print_columns(c, &r, columns, true, 0.0);
	TRY(VIEW_ROWS(c, print_step, &r, steps, c->run, place->launch, place->grid[0],
		      place->grid[1], c->at.block));
	view_more(c, r.rows, ROWS);
	view_styled(c, STYLE_NOTE, " factor = exp(max - g), share = factor x sum / total; %s\n",
		    r.points ? "factors, sums and acc[0] are the kernel's"
		    : "computed in float64");
	return STATUS_OK;
}

static enum status draw_none(const struct view_context *c, const struct view_place *place)
{
	bool merges = place && view_kernel_is(place->kernel, VIEW_REDUCE_KERNEL);

	if (place && strncmp(place->kernel, "attention_", 10) == 0) {
		view_print(c, "  %s attends to all keys of a row: there are no chunks to merge.\n"
			   "  Where its warps publish points, the screen of chunks merges them.\n",
			   place->kernel);
		return STATUS_OK;
	}
	if (!place || merges)
		return view_missing(c, place, LEVEL_PARTIALS, "partials");
	view_print(c, "  %s merges no chunks\n", place->kernel);
	return view_missing_next(c, place, VIEW_REDUCE_KERNEL);
}

/* The merge is drawn from the partials too, which the last launch before it wrote. */
static enum status recompute(const struct view_context *c, const struct view_place *place,
			     struct view_recomputed *recomputed)
{
	int64_t chunks;

	TRY(view_recompute(c, place->launch, "reduce", recomputed));
	if (!view_kernel_is(place->kernel, VIEW_REDUCE_KERNEL))
		return STATUS_OK;
	TRY(VIEW_NUMBER(c, -1, &chunks, "SELECT launch FROM w_attention WHERE run = ?1"
			" AND launch < ?2 ORDER BY launch DESC LIMIT 1", c->run, place->launch));
	return view_recompute(c, chunks, "softmax", recomputed);
}

static enum status draw(const struct view_context *context)
{
	struct view_context here = *context;
	const struct view_context *c = &here;
	struct view_place place;
	struct view_recomputed recomputed = { 0 };
	int64_t rows = 0, d;
	bool found;

	TRY(view_place_find(c, "w_reduction", &place, &found));
	if (found && view_kernel_is(place.kernel, VIEW_CHUNK_KERNEL))
		TRY(view_place_pair(c, "w_reduction", 1, &place, &here.at));
	if (found)
		TRY(recompute(c, &place, &recomputed));
	if (found)
		TRY(VIEW_NUMBER(c, 0, &rows,
				"SELECT 1 FROM v_reduce WHERE run = ?1 AND launch = ?2 LIMIT 1",
				c->run, place.launch));
	if (rows == 0) {
		/* A path that merges nothing has no such launch, but others that say why. */
		if (!found)
			TRY(view_place_find(c, "w_attends", &place, &found));
		view_title(c, "REDUCTION: none here");
		view_recomputed_note(c, &recomputed);
		return draw_none(c, found ? &place : NULL);
	}
	view_place_title(c, "REDUCTION of", &place);
	view_recomputed_note(c, &recomputed);
	TRY(VIEW_NUMBER(c, 0, &d, "SELECT value FROM v_arg WHERE run = ?1 AND op = ?2"
			" AND name = 'D'", c->run, place.op));
	if (c->at.block >= 0 && d > 0 && d <= VIEW_MERGE_D)
		return view_merge_draw(c, &place, c->at.block, d);
	return draw_steps(c, &place);
}

const struct view view_reduce = {
	.name = "reduce", .summary = "how chunks were merged into a row",
	.table = "w_reduction", .draw = draw
};
