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
#include "tui/views/view_data.h"
#include "tui/views/view_exp.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"
#include "tui/views/view_shape.h"

#define ROWS 64

enum { SLOT, HEAD, CHUNK, FACTOR, SUM, SHARE, KERNEL_FACTOR, KERNEL_SUM, KERNEL_ACC, COLUMNS = 10 };
/* The reduce kernel has grid (H, M); the first thread of a block passes one point per chunk.
 * ?3 is H, ?4 is M, ?5 is the block to show, or -1 for all, ?6 the threads of a block. What a chunk
 * adds to the sum is its factor times its sum. */
static const char steps[] =
	"SELECT r.slot, r.head, r.chunk, r.factor, r.sum,"
	" (r.sum - lag(r.sum, 1, 0.0) OVER w) / max(r.sum) OVER (PARTITION BY r.slot, r.head),"
	" p.v0_bits, p.v1_bits, p.v2_bits"
	" FROM v_reduce r LEFT JOIN (SELECT block, v0_bits, v1_bits, v2_bits,"
	"  row_number() OVER (PARTITION BY block ORDER BY sequence) - 1 AS n"
	"  FROM (SELECT thread / ?6 AS block, * FROM w_point WHERE run = ?1 AND launch = ?2"
	"   AND thread % ?6 = 0 AND name = 'reduce'"
	"   AND thread <= ?3 * ?4 * ?6)) p"
	" ON p.block = r.head + ?3 * r.slot AND p.n = r.sequence"
	" WHERE r.run = ?1 AND r.launch = ?2 AND (?5 < 0 OR r.head + ?3 * r.slot = ?5)"
	" WINDOW w AS (PARTITION BY r.slot, r.head ORDER BY r.sequence)"
	" ORDER BY r.slot, r.head, r.sequence";
/* The partials of a launch whose blocks merge too, each with the maximum of its row. */
static const char partials[] =
	"SELECT slot, head, chunk, max_bits, sum_bits, share, acc_data, acc_offset,"
	" max(max) OVER (PARTITION BY slot, head) FROM v_partial"
	" WHERE run = ?1 AND launch = ?2 AND NOT empty ORDER BY slot, head, chunk";

/* One step of the merge. */
struct step_of_merge {
	int64_t slot, head, chunk;
	double factor, sum, share;      /* in float64; NaN: unknown */
	bool known;                     /* the kernel's own values: */
	float kernel_factor, kernel_sum, kernel_acc;
};

struct reduction {
	const struct view_shape *shape;
	int64_t rows;
	bool points;                    /* the kernel's own values are known */
	int address, bar, sum_digits;
	struct view_data data;          /* of accumulators */
	struct step_of_merge last;      /* printed, of a launch whose blocks merge too */
};

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

static const char *f64_cell(double value, view_cell cell)
{
	snprintf(cell, VIEW_CELL, "%.6g", value);
	return isnan(value) ? "-" : cell;
}

/* The kernel's value; in decimal, without it, the one computed in float64. */
static const char *value_cell(const struct view_context *c, bool known, float kernel, double f64,
			      int digits, view_cell cell)
{
	if (known)
		return view_number_cell(c, kernel, digits, cell);
	if (isnan(f64) || c->looks.number != NUMBER_DEC)
		return "-";
	return view_fixed_cell(f64, digits, cell);
}

static void print_step(const struct view_context *c, struct reduction *r,
		       const struct step_of_merge *m)
{
	int64_t chunk = r->shape->merges ? m->chunk : 0;
	int64_t block = view_shape_block(r->shape, m->slot, m->head, chunk);
	view_cell launch, cells[COLUMNS];
	struct view_column columns[COLUMNS];

	r->points |= m->known;
	if (!view_fits(c, r->rows++, ROWS))
		return;
	view_shape_anchor(c, r->shape, m->slot, m->head, chunk);
	make_columns(c, r, columns);
	snprintf(cells[0], VIEW_CELL, "%.40s.b%" PRId64,
		 view_launch_cell(c, r->shape->place.launch, launch), block);
	snprintf(cells[1], VIEW_CELL, "%" PRId64, m->slot);
	snprintf(cells[2], VIEW_CELL, "%" PRId64, m->head);
	snprintf(cells[3], VIEW_CELL, "%" PRId64, m->chunk);
	for (int i = 0; i < 4; i++)
		columns[i].text = cells[i];
	columns[4].text = f64_cell(m->factor, cells[4]);
	columns[5].text = value_cell(c, m->known, m->kernel_factor, m->factor, 6, cells[5]);
	columns[6].text = view_share_cell(m->share, cells[6]);
	columns[7].text = f64_cell(m->sum, cells[7]);
	columns[8].text = value_cell(c, m->known, m->kernel_sum, m->sum, r->sum_digits, cells[8]);
	columns[9].text = value_cell(c, m->known && !isnan(m->kernel_acc), m->kernel_acc, NAN, 4,
				     cells[9]);
	print_columns(c, r, columns, false, m->share);
}

static double real_of(sqlite3_stmt *row, int column)
{
	return view_null(row, column) ? NAN : sqlite3_column_double(row, column);
}

static enum status take_step(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct step_of_merge m = {
		.slot = view_int(row, SLOT), .head = view_int(row, HEAD),
		.chunk = view_int(row, CHUNK), .factor = real_of(row, FACTOR),
		.sum = real_of(row, SUM), .share = real_of(row, SHARE),
		.known = !view_null(row, KERNEL_FACTOR),
	};

	if (m.known) {
		m.kernel_factor = view_f32(row, KERNEL_FACTOR);
		m.kernel_sum = view_f32(row, KERNEL_SUM);
		m.kernel_acc = view_f32(row, KERNEL_ACC);
	}
	print_step(c, state, &m);
	return STATUS_OK;
}

enum { MAX = 3, PARTIAL_SUM, ACC_DATA = 6, ACC_OFFSET, ROW_MAX };

/* The merge of a last block or a cluster, in its order and with its bits. */
static enum status take_partial(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reduction *r = state;
	struct step_of_merge *m = &r->last;
	float max = view_f32(row, MAX), sum = view_f32(row, PARTIAL_SUM), acc0;
	float row_max = view_null(row, ROW_MAX) ? -INFINITY
		: (float)sqlite3_column_double(row, ROW_MAX);

	if (!m->known || m->slot != view_int(row, SLOT) || m->head != view_int(row, HEAD))
		*m = (struct step_of_merge){ .known = true };
	TRY(view_data_float(c, &r->data, row, ACC_DATA, ACC_OFFSET, &acc0));
	m->slot = view_int(row, SLOT);
	m->head = view_int(row, HEAD);
	m->chunk = view_int(row, CHUNK);
	m->share = real_of(row, SHARE);
	m->factor = max == row_max ? 1.0 : exp((double)max - row_max);
	m->sum += m->factor * sum;
	m->kernel_factor = view_factor(max, row_max);
	m->kernel_sum = fmaf(m->kernel_factor, sum, m->kernel_sum);
	m->kernel_acc = fmaf(m->kernel_factor, acc0, m->kernel_acc);
	print_step(c, r, m);
	return STATUS_OK;
}

static enum status take_largest(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reduction *r = state;

	(void)c;
	r->sum_digits = view_decimals(sqlite3_column_double(row, 0), 6);
	return STATUS_OK;
}

/* The partials [slot, head] of the context's block; without one, of all. */
static enum status draw_rows(const struct view_context *c, struct reduction *r)
{
	const struct view_place *p = &r->shape->place;
	enum status status;

	if (!r->shape->merges)
		return VIEW_ROWS(c, take_step, r, steps, c->run, p->launch, p->grid[0], p->grid[1],
				 c->at.block, view_place_threads(p));
	status = VIEW_ROWS(c, take_partial, r, partials, c->run, p->launch);
	view_data_free(&r->data);
	return status;
}

static enum status draw_steps(const struct view_context *c, const struct view_shape *shape)
{
	const struct view_place *place = &shape->place;
	struct reduction r = { .shape = shape };
	struct view_column columns[COLUMNS];
	view_cell cell;

	TRY(VIEW_ROWS(c, take_largest, &r, shape->merges ? "SELECT max(sum) FROM v_partial WHERE"
		      " run = ?1 AND launch = ?2 AND NOT empty AND abs(sum) < 9e99"
		      : "SELECT max(sum) FROM v_reduce WHERE run = ?1"
		      " AND launch = ?2 AND abs(sum) < 9e99", c->run, place->launch));
	r.address = snprintf(NULL, 0, "%.40s.b%" PRId64,
			     view_launch_cell(c, place->launch, cell),
			     view_place_blocks(place) - 1);
	make_columns(c, &r, columns);
	if (c->looks.number == NUMBER_DEC)
		r.bar = view_bar_width(c, view_columns_width(columns, COLUMNS));
	print_columns(c, &r, columns, true, 0.0);
	TRY(draw_rows(c, &r));
	view_more(c, r.rows, ROWS);
	view_styled(c, STYLE_NOTE, " factor = exp(max - g), share = factor x sum / total; ");
	if (shape->merges)
		view_styled(c, STYLE_NOTE, "the %s of each KV head\n merges: factors, sums and"
			    " acc[0] are computed from the partials in its order\n",
			    view_shape_merger(shape));
	else
		view_styled(c, STYLE_NOTE, "%s\n", r.points
			    ? "factors, sums and acc[0] are the kernel's" : "computed in float64");
	return STATUS_OK;
}

static enum status draw_none(const struct view_context *c, const struct view_place *place)
{
	bool merges = place && view_role(place->kernel) == VIEW_MERGES;

	if (place && strncmp(place->kernel, "attention_", 10) == 0) {
		view_print(c, "  %s attends to all keys of a row: there are no chunks to merge.\n"
			   "  Where its warps publish points, the screen of chunks merges them.\n",
			   place->kernel);
		return STATUS_OK;
	}
	if (!place || merges)
		return view_missing(c, place, LEVEL_PARTIALS, "partials");
	view_print(c, "  %s merges no chunks\n", place->kernel);
	return view_missing_next(c, place, VIEW_MERGES);
}

/* The merge is drawn from the partials too, which the last launch before it wrote. */
static enum status recompute(const struct view_context *c, const struct view_place *place,
			     struct view_recomputed *recomputed)
{
	int64_t chunks;

	TRY(view_recompute(c, place->launch, "reduce", recomputed));
	if (view_role(place->kernel) != VIEW_MERGES)
		return STATUS_OK;
	TRY(VIEW_NUMBER(c, -1, &chunks, "SELECT launch FROM w_attention WHERE run = ?1"
			" AND launch < ?2 ORDER BY launch DESC LIMIT 1", c->run, place->launch));
	return view_recompute(c, chunks, "softmax", recomputed);
}

/* Whether the trace has what the launch merged: of one whose blocks merge too, the partials. */
static enum status has_rows(const struct view_context *c, const struct view_shape *shape,
			    bool *some)
{
	int64_t rows;

	TRY(VIEW_NUMBER(c, 0, &rows, shape->merges
			? "SELECT 1 FROM v_partial WHERE run = ?1 AND launch = ?2 LIMIT 1"
			: "SELECT 1 FROM v_reduce WHERE run = ?1 AND launch = ?2 LIMIT 1", c->run,
			shape->place.launch));
	*some = rows;
	return STATUS_OK;
}

static enum status draw_nothing(const struct view_context *c, struct view_place *place, bool found,
				const struct view_recomputed *recomputed)
{
	/* A path that merges nothing has no such launch, but others that say why. */
	if (!found)
		TRY(view_place_find(c, "w_attends", place, &found));
	view_title(c, "REDUCTION: none here");
	view_recomputed_note(c, recomputed);
	return draw_none(c, found ? place : NULL);
}

static enum status draw_shape(const struct view_context *c, struct view_shape *shape,
			      const struct view_recomputed *recomputed)
{
	bool some;

	TRY(has_rows(c, shape, &some));
	if (!some)
		return draw_nothing(c, &shape->place, true, recomputed);
	view_place_title(c, "REDUCTION of", &shape->place);
	view_recomputed_note(c, recomputed);
	if (view_shape_named(c, shape) && view_shape_spot(c, shape).chunk >= 0 && shape->d > 0
	    && shape->d <= VIEW_MERGE_D)
		return view_merge_draw(c, shape);
	return draw_steps(c, shape);
}

static enum status draw(const struct view_context *context)
{
	struct view_context here = *context;
	const struct view_context *c = &here;
	struct view_recomputed recomputed = { 0 };
	struct view_place place;
	struct view_shape shape;
	enum status status;
	bool found;

	TRY(view_place_find(c, "w_reduction", &place, &found));
	if (!found)
		return draw_nothing(c, &place, false, &recomputed);
	if (view_shape_has_runs(place.kernel))
		TRY(view_recompute(c, place.launch, "softmax", &recomputed));
	status = view_shape_read(c, &place, &shape);
	if (status == STATUS_OK && view_role(place.kernel) == VIEW_CHUNKS && !shape.merges) {
		view_shape_free(&shape);
		TRY(view_shape_pair(c, "w_reduction", 1, &place, &here.at));
		status = view_shape_read(c, &place, &shape);
	}
	if (status == STATUS_OK)
		status = shape.merges ? STATUS_OK : recompute(c, &place, &recomputed);
	if (status == STATUS_OK)
		status = draw_shape(c, &shape, &recomputed);
	view_shape_free(&shape);
	return status;
}

const struct view view_reduce = {
	.name = "reduce", .summary = "how chunks were merged into a row",
	.table = "w_reduction", .draw = draw
};
