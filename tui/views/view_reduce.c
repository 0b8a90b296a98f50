/* view_reduce.c - the reduction: how the chunks of each row were merged, in the order it happened.
 *
 * Weights and sums are computed from the partials in float64; if points were recorded, the kernel's
 * own f32 values are shown next to them. For an address with a block, view_merge.c draws its row.
 */
#include "tui/views/view_merge.h"

#include <inttypes.h>
#include <string.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define ROWS 64
#define REDUCE "flash_decode_reduce"    /* prefix of its kernels' names */

struct reduction {
	const struct view_place *place;
	int64_t rows;
};

enum { SLOT, HEAD, SEQUENCE, CHUNK, WEIGHT, SUM, KERNEL_WEIGHT, KERNEL_SUM, KERNEL_ACC };
/* The reduce kernel has grid (H, M) and one warp per block; lane 0 passes one point per chunk.
 * ?3 is H, ?4 is M, ?5 is the block to show, or -1 for all. */
static const char steps[] =
	"SELECT r.slot, r.head, r.sequence, r.chunk, r.weight, r.sum,"
	" p.v0_bits, p.v1_bits, p.v2_bits"
	" FROM v_reduce r LEFT JOIN (SELECT block, v0_bits, v1_bits, v2_bits,"
	"  row_number() OVER (PARTITION BY block ORDER BY sequence) - 1 AS n"
	"  FROM (SELECT thread / 32 AS block, * FROM w_point WHERE run = ?1 AND launch = ?2"
	"   AND thread % 32 = 0 AND name = 'reduce'"
	"   AND thread <= ?3 * ?4 * 32)) p"
	" ON p.block = r.head + ?3 * r.slot AND p.n = r.sequence"
	" WHERE r.run = ?1 AND r.launch = ?2 AND (?5 < 0 OR r.head + ?3 * r.slot = ?5)"
	" ORDER BY r.slot, r.head, r.sequence";

static enum status print_step(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reduction *r = state;
	view_cell launch, address, weight, sum, kernel_weight, kernel_sum, acc;

	if (!view_fits(c, r->rows++, ROWS))
		return STATUS_OK;
	view_row_of(c, r->place->launch,
		    view_int(row, HEAD) + r->place->grid[0] * view_int(row, SLOT));
	snprintf(address, sizeof address, "%s.b%" PRId64,
		 view_launch_cell(c, r->place->launch, launch),
		 view_int(row, HEAD) + r->place->grid[0] * view_int(row, SLOT));
	view_print(c,
		   " %-11s %4" PRId64 " %4" PRId64 " %5" PRId64 " %5" PRId64
		   " %11s %11s %13s %13s %14s\n",
		   address, view_int(row, SLOT), view_int(row, HEAD), view_int(row, SEQUENCE),
		   view_int(row, CHUNK), view_real_cell(row, WEIGHT, "%.6g", weight),
		   view_real_cell(row, SUM, "%.6g", sum),
		   view_f32_cell(row, KERNEL_WEIGHT, kernel_weight),
		   view_f32_cell(row, KERNEL_SUM, kernel_sum), view_f32_cell(row, KERNEL_ACC, acc));
	return STATUS_OK;
}

static enum status draw_none(const struct view_context *c, const struct view_place *place)
{
	bool merges = place && strncmp(place->kernel, REDUCE, strlen(REDUCE)) == 0;

	if (place && strncmp(place->kernel, "attention_", 10) == 0) {
		view_print(c, "  %s attends to all keys of a row: there are no chunks to merge.\n"
			   "  Where its warps publish points, the screen of chunks merges them.\n",
			   place->kernel);
		return STATUS_OK;
	}
	if (!place || merges)
		return view_missing(c, place, LEVEL_PARTIALS, "partials");
	view_print(c, "  %s merges no chunks\n", place->kernel);
	return view_missing_next(c, place, REDUCE);
}

static enum status draw(const struct view_context *c)
{
	struct reduction r = { 0 };
	struct view_place place;
	int64_t rows = 0, d;
	bool found;

	TRY(view_place_find(c, "v_reduce", &place, &found));
	if (found)
		TRY(VIEW_NUMBER(c, 0, &rows,
				"SELECT 1 FROM v_reduce WHERE run = ?1 AND launch = ?2 LIMIT 1",
				c->run, place.launch));
	if (rows == 0) {
		view_title(c, "REDUCTION: none here");
		return draw_none(c, found ? &place : NULL);
	}
	view_place_title(c, "REDUCTION of", &place);
	TRY(VIEW_NUMBER(c, 0, &d, "SELECT value FROM v_arg WHERE run = ?1 AND op = ?2"
			" AND name = 'D'", c->run, place.op));
	if (c->at.block >= 0 && d > 0 && d <= VIEW_MERGE_D)
		return view_merge_draw(c, &place, c->at.block, d);
	view_styled(c, STYLE_HEADING, " %-11s %4s %4s %5s %5s %11s %11s %13s %13s %14s\n",
		    "address", "slot", "head", "order", "chunk", "weight", "sum so far",
		    "f32 weight", "f32 sum", "f32 acc[0]");
	r.place = &place;
	TRY(VIEW_ROWS(c, print_step, &r, steps, c->run, place.launch, place.grid[0],
		      place.grid[1], c->at.block));
	view_more(c, r.rows, ROWS);
	return STATUS_OK;
}

const struct view view_reduce = {
	.name = "reduce", .summary = "how chunks were merged into a row",
	.table = "v_reduce", .draw = draw
};
