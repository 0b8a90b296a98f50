/* view_chunks.c - chunk partials of flash decoding: max, sum and share of each.
 *
 * For the launch of the address, else the last one that has partials. With a block in the address,
 * view_chunk_row.c shows only the chunks of its row of heads. Also shows the rows of kernels
 * without chunks.
 */
#include "tui/views/attend/view_chunk.h"

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

#define ROWS 64

enum { SLOT, HEAD, KV_HEAD, CHUNK, KEY_BEGIN, KEY_END, EMPTY, MAX, SUM, LSE, SHARE };
enum { COLUMNS = 10 };

/* The sum of a row's shares, and its empty chunks not yet printed. */
struct row_state {
	const struct view_shape *shape;
	int64_t slot, head;
	double shares;
	bool begun;
	int address, keys, bar;                         /* widths; bar 0: none */
	int max_decimals, sum_decimals;
	int64_t empty_first, empty_last, empty_wrong;   /* chunks; first -1: none pending */
	int64_t rows, wrong_shares;
};

static void flush_empty(const struct view_context *c, struct row_state *s)
{
	bool several = s->empty_last > s->empty_first;
	view_cell chunks;

	snprintf(chunks, sizeof chunks, several ? "s %" PRId64 "..%" PRId64 : " %" PRId64,
		 s->empty_first, s->empty_last);
	if (s->empty_first >= 0 && view_fits(c, s->rows, ROWS))
		view_print(c, "   slot %" PRId64 " head %" PRId64 ": no keys in chunk%s, %s\n",
			   s->slot, s->head, chunks,
			   view_shape_empty_text(s->shape, s->empty_wrong));
	s->empty_first = -1;
	s->empty_wrong = 0;
}

/* A row without keys has no shares to check. */
static void end_row(const struct view_context *c, struct row_state *s)
{
	flush_empty(c, s);
	if (!s->begun || fabs(s->shares - 1.0) < 1e-9 || s->shares == 0.0)
		return;
	s->wrong_shares++;
	view_styled(c, STYLE_WRONG, "   slot %" PRId64 " head %" PRId64
		    ": shares add up to %.9g, NOT 1\n", s->slot, s->head, s->shares);
}

/* Fills the columns; the address and keys are as wide as the launch's longest. */
static void make_columns(const struct view_context *c, const struct row_state *s,
			 struct view_column columns[COLUMNS])
{
	bool bits = c->looks.number == NUMBER_BITS;
	bool all_digits = c->looks.number != NUMBER_DEC && !bits;
	const struct view_column made[COLUMNS] = {
		{ "address", "", -s->address }, { "slot", "", 4 }, { "head", "", 4 },
		{ "kv", "", bits ? 0 : 3 }, { "chunk", "", 5 }, { "keys", "", bits ? 0 : -s->keys },
		{ "max", "", view_number_width(c, 8) }, { "sum", "", view_number_width(c, 8) },
		{ "lse", "", all_digits ? 9 : 0 }, { "share", "", bits ? 0 : VIEW_SHARE_WIDTH },
	};

	memcpy(columns, made, sizeof made);
}

static void print_header(const struct view_context *c, const struct row_state *s)
{
	struct view_column columns[COLUMNS];

	make_columns(c, s, columns);
	view_columns(c, columns, COLUMNS, true);
	view_styled(c, STYLE_HEADING, s->bar ? "  " VIEW_SHARE_OF "\n" : "\n");
}

static void print_partial(const struct view_context *c, const struct row_state *s,
			  sqlite3_stmt *row)
{
	int64_t block = view_shape_block(s->shape, view_int(row, SLOT), view_int(row, HEAD),
					 view_int(row, CHUNK));
	double lse = view_null(row, LSE) ? NAN : sqlite3_column_double(row, LSE);
	double share = view_null(row, SHARE) ? NAN : sqlite3_column_double(row, SHARE);
	view_cell launch, cells[COLUMNS];
	struct view_column columns[COLUMNS];

	view_shape_anchor(c, s->shape, view_int(row, SLOT), view_int(row, HEAD),
			  view_int(row, CHUNK));
	make_columns(c, s, columns);
	snprintf(cells[0], VIEW_CELL, "%.40s.b%" PRId64,
		 view_launch_cell(c, s->shape->place.launch, launch), block);
	columns[0].text = cells[0];
	columns[1].text = view_int_cell(row, SLOT, cells[1]);
	columns[2].text = view_int_cell(row, HEAD, cells[2]);
	columns[3].text = view_int_cell(row, KV_HEAD, cells[3]);
	columns[4].text = view_int_cell(row, CHUNK, cells[4]);
	snprintf(cells[5], VIEW_CELL, "%" PRId64 "..%" PRId64, view_int(row, KEY_BEGIN),
		 view_int(row, KEY_END) - 1);
	columns[5].text = view_int(row, EMPTY) ? "none" : cells[5];
	columns[6].text = view_number_cell(c, view_f32(row, MAX), s->max_decimals, cells[6]);
	columns[7].text = view_number_cell(c, view_f32(row, SUM), s->sum_decimals, cells[7]);
	columns[8].text = isnan(lse) ? "-" : view_fixed_cell(lse, s->max_decimals, cells[8]);
	columns[9].text = view_share_cell(share, cells[9]);
	view_columns(c, columns, COLUMNS, false);
	if (s->bar)
		view_share_bar(c, share, s->bar);
	view_print(c, "\n");
}

static enum status take_partial(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct row_state *s = state;

	if (!s->begun || s->slot != view_int(row, SLOT) || s->head != view_int(row, HEAD)) {
		end_row(c, s);
		s->begun = true;
		s->slot = view_int(row, SLOT);
		s->head = view_int(row, HEAD);
		s->shares = 0.0;
	}
	s->shares += sqlite3_column_double(row, SHARE);
	if (view_int(row, EMPTY)) {
		if (s->empty_first < 0)
			s->empty_first = view_int(row, CHUNK);
		s->empty_last = view_int(row, CHUNK);
		s->empty_wrong += view_shape_empty_wrong(s->shape, view_f32(row, MAX),
							 view_f32(row, SUM));
		return STATUS_OK;
	}
	flush_empty(c, s);
	if (view_fits(c, s->rows++, ROWS))
		print_partial(c, s, row);
	return STATUS_OK;
}

/* Reads how wide the columns of the launch are. */
static enum status take_widths(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct row_state *s = state;
	view_cell cell;

	s->address = snprintf(NULL, 0, "%.40s.b%" PRId64,
			      view_launch_cell(c, s->shape->place.launch, cell),
			      view_place_blocks(&s->shape->place) - 1);
	s->keys = snprintf(NULL, 0, "%" PRId64 "..%" PRId64, view_int(row, 0), view_int(row, 1));
	s->max_decimals = view_decimals(sqlite3_column_double(row, 2), 4);
	s->sum_decimals = view_decimals(sqlite3_column_double(row, 3), 4);
	return STATUS_OK;
}

static enum status draw_all(const struct view_context *c, const struct view_shape *shape)
{
	struct row_state s = { .shape = shape, .empty_first = -1 };
	const struct view_place *place = &shape->place;
	struct view_column columns[COLUMNS];
	char blocks[160];

	TRY(VIEW_ROWS(c, take_widths, &s, "SELECT max(key_begin), max(key_end) - 1,"
		      " max(iif(max_kind = 'num', abs(max), 0)), max(iif(sum_kind = 'num', sum, 0))"
		      " FROM v_partial WHERE run = ?1 AND launch = ?2 AND NOT empty", c->run,
		      place->launch));
	make_columns(c, &s, columns);
	if (c->looks.number != NUMBER_BITS)
		s.bar = view_bar_width(c, view_columns_width(columns, COLUMNS));
	print_header(c, &s);
	TRY(VIEW_ROWS(c, take_partial, &s, "SELECT slot, head, kv_head, chunk, key_begin, key_end,"
		      " empty, max_bits, sum_bits, lse, share FROM v_partial"
		      " WHERE run = ?1 AND launch = ?2 ORDER BY slot, head, chunk", c->run,
		      place->launch));
	end_row(c, &s);
	view_more(c, s.rows, ROWS);
	view_styled(c, s.wrong_shares ? STYLE_WRONG : STYLE_PLAIN,
		    "\n check  the shares of each head add up to 1: %s\n",
		    s.wrong_shares ? "NO" : "ok");
	view_shape_describe(shape, blocks);
	view_styled(c, STYLE_NOTE, " %s\n", blocks);
	return STATUS_OK;
}

/* --- rows of kernels without chunks --- */

/* The row of out [M, H, D] that the block wrote, if its bytes were kept. */
static enum status find_output(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_chunk *k = state;
	int64_t rows = view_place_blocks(&k->shape->place), bytes = view_int(row, 1);

	(void)c;
	if (k->acc_data || view_null(row, 0) || bytes < rows)
		return STATUS_OK;
	k->acc_data = view_int(row, 0);
	k->acc_offset = bytes / rows * k->block;
	return STATUS_OK;
}

static enum status read_row(const struct view_context *c, const struct view_shape *s,
			    int64_t block, struct view_chunk *chunk)
{
	struct view_context here = *c;
	struct view_scores keys;
	struct view_spot at;
	enum status status;

	here.at.block = block;
	at = view_shape_spot(&here, s);
	view_scores_place(&keys, s, at.slot, at.head, 0);
	status = view_scores_read(c, &keys);
	*chunk = (struct view_chunk){
		.shape = s, .slot = keys.slot, .head = keys.head, .block = block,
		.key_end = keys.end, .max = (float)keys.max, .sum = (float)keys.sum,
		.lse = keys.lse, .share = keys.end > 0, .empty = keys.end == 0, .whole = true,
	};
	view_scores_free(&keys);
	return status;
}

/* The first rows decide how wide the columns are. */
static enum status draw_whole_rows(const struct view_context *c, const struct view_shape *s)
{
	int64_t blocks = view_place_blocks(&s->place), first = blocks < ROWS ? blocks : ROWS;
	struct view_chunk_table table = { 0 };
	struct view_chunk chunks[ROWS], chunk;

	for (int64_t block = 0; block < first; block++) {
		TRY(read_row(c, s, block, &chunks[block]));
		view_chunk_measure(c, &table, &chunks[block]);
	}
	view_chunk_heading(c, &table);
	for (int64_t block = 0; block < first; block++)
		view_chunk_print(c, &table, &chunks[block]);
	for (int64_t block = first; block < blocks && c->all; block++) {
		TRY(read_row(c, s, block, &chunk));
		view_chunk_print(c, &table, &chunk);
	}
	view_more(c, blocks, ROWS);
	return STATUS_OK;
}

/* Launches of the incremental and batched kernels: a block attends to all keys of its row. */
static enum status draw_whole(const struct view_context *c, const struct view_shape *s)
{
	const struct view_place *p = &s->place;
	struct view_chunk_table table = { 0 };
	struct view_chunk chunk;
	int64_t points;

	TRY(VIEW_NUMBER(c, 0, &points, "SELECT 1 FROM w_point WHERE run = ?1 AND launch = ?2"
			" LIMIT 1", c->run, p->launch));
	if (!points) {
		view_print(c, " a block attends to all keys of its row\n");
		return view_missing(c, p, LEVEL_POINTS, "scores");
	}
	view_print(c, " no chunks: a block attends to all keys of its row; max and sum are those"
		   " of its points\n");
	if (c->at.block < 0)
		return draw_whole_rows(c, s);
	TRY(read_row(c, s, c->at.block, &chunk));
	view_chunk_measure(c, &table, &chunk);
	view_chunk_heading(c, &table);
	view_chunk_print(c, &table, &chunk);
	if (chunk.empty) {
		view_print(c, "  no keys: the slot is done, its row is zeros\n");
		return STATUS_OK;
	}
	TRY(VIEW_ROWS(c, find_output, &chunk,
		      "SELECT data, bytes FROM v_digest WHERE run = ?1 AND op = ?2"
		      " AND after_step = 0 AND data IS NOT NULL", c->run, p->op));
	return view_chunk_draw(c, &chunk, 1, 0);
}

/* Whether the kernel writes partials, recorded or not. */
static bool has_chunks(const struct view_place *place)
{
	return view_role(place->kernel) == VIEW_CHUNKS;
}

static enum status draw_none(const struct view_context *c, const struct view_place *place)
{
	TRY(view_missing(c, place, LEVEL_PARTIALS, "partials"));
	return place ? view_missing_next(c, place, VIEW_CHUNKS) : STATUS_OK;
}

static enum status draw_found(const struct view_context *c, const struct view_place *place,
			      bool partials, const struct view_recomputed *recomputed)
{
	struct view_shape shape;
	enum status status = view_shape_read(c, place, &shape);

	view_place_title(c, "CHUNKS of", place);
	view_recomputed_note(c, recomputed);
	if (status == STATUS_OK)
		status = !partials ? draw_whole(c, &shape) : view_shape_named(c, &shape)
			? view_chunk_row_draw(c, &shape) : draw_all(c, &shape);
	view_shape_free(&shape);
	return status;
}

static enum status draw(const struct view_context *context)
{
	struct view_context here = *context;
	const struct view_context *c = &here;
	struct view_place place;
	struct view_recomputed recomputed = { 0 };
	int64_t partials = 0, attention = 0;
	bool found;

	TRY(view_place_find(c, "w_attention", &place, &found));
	if (found && view_role(place.kernel) == VIEW_MERGES)
		TRY(view_shape_pair(c, "w_attention", -1, &place, &here.at));
	if (found)
		TRY(view_recompute(c, place.launch, "softmax", &recomputed));
	if (found)
		TRY(VIEW_NUMBER(c, 0, &partials,
				"SELECT 1 FROM v_partial WHERE run = ?1 AND launch = ?2 LIMIT 1",
				c->run, place.launch));
	if (found && !partials && !has_chunks(&place))
		TRY(VIEW_NUMBER(c, 0, &attention,
				"SELECT 1 FROM w_attention WHERE run = ?1 AND launch = ?2 LIMIT 1",
				c->run, place.launch));
	if (!partials && !attention) {
		view_title(c, "CHUNKS: no partials here");
		view_recomputed_note(c, &recomputed);
		return draw_none(c, found ? &place : NULL);
	}
	return draw_found(c, &place, partials, &recomputed);
}

const struct view view_chunks = {
	.name = "chunks", .summary = "chunk partials, and scores of one chunk",
	.table = "w_attention", .draw = draw
};
