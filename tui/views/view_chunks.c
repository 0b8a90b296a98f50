/* view_chunks.c - chunk partials of flash decoding: max, sum, log-sum-exp and weight of each.
 *
 * For the launch of the address, else the last one that has partials. With a block in the address,
 * shows only the chunks of its row of heads, and view_chunk.c draws the chunk of the block.
 */
#include "tui/views/view_chunk.h"

#include <inttypes.h>
#include <math.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define ROWS 64
#define AROUND 3                        /* chunks listed before and after the one of the address */

enum {
	SLOT, HEAD, KV_HEAD, CHUNK, KEY_BEGIN, KEY_END, EMPTY, MAX, SUM, LSE, WEIGHT, ACC,
	ACC_OFFSET
};
#define PARTIAL_COLUMNS \
	"slot, head, kv_head, chunk, key_begin, key_end, empty, max_bits, sum_bits, lse, weight"

/* The sum of a row's weights, and its empty chunks not yet printed. */
struct row_state {
	const struct view_place *place;
	int64_t slot, head;
	double weights;
	bool begun;
	int64_t empty_first, empty_last, empty_wrong;   /* chunks; first -1: none pending */
	int64_t rows, wrong_weights;
};

static bool publishes_nothing(sqlite3_stmt *row)
{
	float max = view_f32(row, MAX), sum = view_f32(row, SUM);

	return isinf(max) && max < 0.0f && sum == 0.0f;
}

static void flush_empty(const struct view_context *c, struct row_state *s)
{
	if (s->empty_first >= 0 && view_fits(c, s->rows, ROWS))
		view_print(c,
			   "   slot %" PRId64 " head %" PRId64 ": no keys in chunks %" PRId64
			   "..%" PRId64 ", %s\n",
			   s->slot, s->head, s->empty_first, s->empty_last,
			   s->empty_wrong ? "WRONG: not all have max -inf and sum 0"
					  : "max -inf and sum 0 as it must be");
	s->empty_first = -1;
	s->empty_wrong = 0;
}

/* A row without keys has no weights to check. */
static void end_row(const struct view_context *c, struct row_state *s)
{
	flush_empty(c, s);
	if (!s->begun || fabs(s->weights - 1.0) < 1e-9 || s->weights == 0.0)
		return;
	s->wrong_weights++;
	view_styled(c, STYLE_WRONG, "   slot %" PRId64 " head %" PRId64
		    ": weights add up to %.9g, NOT 1\n", s->slot, s->head, s->weights);
}

static void print_header(const struct view_context *c)
{
	view_styled(c, STYLE_HEADING, " %-12s %4s %4s %3s %5s  %-13s %13s %13s %10s %9s\n",
		    "address", "slot", "head", "kv", "chunk", "keys", "max", "sum", "lse",
		    "weight");
}

static void print_partial(const struct view_context *c, sqlite3_stmt *row,
			  const struct view_place *place)
{
	int64_t block = view_scores_block(place, view_int(row, SLOT), view_int(row, HEAD),
					view_int(row, CHUNK));
	view_cell launch, address, keys, max, sum, lse, weight;

	view_row_of(c, place->launch, block);
	snprintf(address, sizeof address, "%s.b%" PRId64,
		 view_launch_cell(c, place->launch, launch), block);
	if (view_int(row, EMPTY))
		snprintf(keys, sizeof keys, "none");
	else
		snprintf(keys, sizeof keys, "%" PRId64 "..%" PRId64, view_int(row, KEY_BEGIN),
			 view_int(row, KEY_END) - 1);
	view_print(c,
		   " %-12s %4" PRId64 " %4" PRId64 " %3" PRId64 " %5" PRId64
		   "  %-13s %13s %13s %10s %9s\n",
		   address, view_int(row, SLOT), view_int(row, HEAD), view_int(row, KV_HEAD),
		   view_int(row, CHUNK), keys, view_f32_cell(row, MAX, max),
		   view_f32_cell(row, SUM, sum), view_real_cell(row, LSE, "%.6g", lse),
		   view_real_cell(row, WEIGHT, "%.6f", weight));
}

static enum status take_partial(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct row_state *s = state;

	if (!s->begun || s->slot != view_int(row, SLOT) || s->head != view_int(row, HEAD)) {
		end_row(c, s);
		s->begun = true;
		s->slot = view_int(row, SLOT);
		s->head = view_int(row, HEAD);
		s->weights = 0.0;
	}
	s->weights += sqlite3_column_double(row, WEIGHT);
	if (view_int(row, EMPTY)) {
		if (s->empty_first < 0)
			s->empty_first = view_int(row, CHUNK);
		s->empty_last = view_int(row, CHUNK);
		s->empty_wrong += !publishes_nothing(row);
		return STATUS_OK;
	}
	flush_empty(c, s);
	if (view_fits(c, s->rows++, ROWS))
		print_partial(c, row, s->place);
	return STATUS_OK;
}

static enum status draw_all(const struct view_context *c, const struct view_place *place)
{
	struct row_state s = { .place = place, .empty_first = -1 };

	print_header(c);
	TRY(VIEW_ROWS(c, take_partial, &s, "SELECT " PARTIAL_COLUMNS " FROM v_partial"
		      " WHERE run = ?1 AND launch = ?2 ORDER BY slot, head, chunk", c->run,
		      place->launch));
	end_row(c, &s);
	view_more(c, s.rows, ROWS);
	view_styled(c, s.wrong_weights ? STYLE_WRONG : STYLE_PLAIN,
		    "\n check  the weights of each row add up to 1: %s\n",
		    s.wrong_weights ? "NO" : "ok");
	return STATUS_OK;
}

/* --- the chunks of one row of heads --- */

struct row {
	const struct view_place *place;
	struct view_chunk chunks[2 * AROUND + 1];
	int count, selected;
	int64_t chunk, rows;
};

static enum status print_row_title(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell scale;

	(void)state;
	if (view_null(row, 3))
		return STATUS_OK;
	view_print(c, " slot %" PRId64 " head %" PRId64 " (kv head %" PRId64 "): scores q.k of %"
		   PRId64 " key%s in %" PRId64 " chunk%s, scale %s\n", view_int(row, 0),
		   view_int(row, 1), view_int(row, 2), view_int(row, 3),
		   view_plural(view_int(row, 3)), view_int(row, 4), view_plural(view_int(row, 4)),
		   view_f32_cell(row, 5, scale));
	return STATUS_OK;
}

static void print_row_header(const struct view_context *c)
{
	view_styled(c, STYLE_HEADING, " %-12s %5s %-9s %12s %12s %9s %9s\n", "address", "chunk",
		    "keys", "max", "sum", "lse", "weight");
}

static void print_chunk(const struct view_context *c, const struct view_chunk *k)
{
	view_cell launch, address, keys = "none", max, sum, lse = "-";

	view_row_of(c, k->place->launch, k->block);
	snprintf(address, sizeof address, "%s.b%" PRId64,
		 view_launch_cell(c, k->place->launch, launch), k->block);
	if (!k->empty)
		snprintf(keys, sizeof keys, "%" PRId64 "..%" PRId64, k->key_begin, k->key_end - 1);
	if (!k->empty)
		snprintf(lse, sizeof lse, "%.6g", k->lse);
	view_print(c, " %-12s %5" PRId64 " %-9s %12s %12s %9s %9.6f\n", address, k->chunk, keys,
		   view_float_cell(c, k->max, max), view_float_cell(c, k->sum, sum), lse,
		   k->weight);
}

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct row *r = state;
	struct view_chunk *k = &r->chunks[r->count];

	if (r->count == 2 * AROUND + 1)
		return STATUS_OK;
	*k = (struct view_chunk){
		.place = r->place, .slot = view_int(row, SLOT), .head = view_int(row, HEAD),
		.chunk = view_int(row, CHUNK), .key_begin = view_int(row, KEY_BEGIN),
		.key_end = view_int(row, KEY_END), .max = view_f32(row, MAX),
		.sum = view_f32(row, SUM), .lse = sqlite3_column_double(row, LSE),
		.weight = sqlite3_column_double(row, WEIGHT), .empty = view_int(row, EMPTY),
		.acc_data = view_int(row, ACC), .acc_offset = view_int(row, ACC_OFFSET),
	};
	k->block = view_scores_block(r->place, k->slot, k->head, k->chunk);
	print_chunk(c, k);
	if (k->chunk == r->chunk)
		r->selected = r->count;
	r->count++;
	return STATUS_OK;
}

static enum status take_row_weight(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	(void)c;
	*(double *)state = sqlite3_column_double(row, 0);
	return STATUS_OK;
}

/* Chunks that hold keys, and the chunk of the address, even if empty. */
static enum status draw_row(const struct view_context *c, const struct view_place *p)
{
	struct row r = { .place = p, .selected = -1 };
	struct view_chunk *k = r.chunks;
	struct view_scores at;

	view_scores_place(&at, p, c->at.block);
	r.chunk = at.chunk;
	TRY(VIEW_ROWS(c, print_row_title, NULL,
		      "SELECT slot, head, kv_head, max(key_end), max(chunk) + 1,"
		      " (SELECT bits FROM v_arg a WHERE a.run = ?1 AND a.op = ?5"
		      "  AND a.name = 'scale') FROM v_partial WHERE run = ?1 AND launch = ?2"
		      " AND slot = ?3 AND head = ?4 AND NOT empty", c->run, p->launch, at.slot,
		      at.head, p->op));
	print_row_header(c);
	TRY(VIEW_ROWS(c, take_chunk, &r, "SELECT " PARTIAL_COLUMNS ", acc_data, acc_offset"
		      " FROM v_partial WHERE run = ?1"
		      " AND launch = ?2 AND slot = ?3 AND head = ?4 AND chunk BETWEEN ?5 - ?6"
		      " AND ?5 + ?6 AND (NOT empty OR chunk = ?5) ORDER BY chunk", c->run,
		      p->launch, at.slot, at.head, r.chunk, AROUND));
	if (r.selected < 0) {
		view_print(c, "  nothing recorded of block b%" PRId64 "\n", c->at.block);
		return STATUS_OK;
	}
	k += r.selected;
	TRY(VIEW_ROWS(c, take_row_weight, &k->row_weight,
		      "SELECT sum(weight) FROM v_partial WHERE run = ?1 AND launch = ?2"
		      " AND slot = ?3 AND head = ?4", c->run, p->launch, at.slot, at.head));
	return view_chunk_draw(c, r.chunks, r.count, r.selected);
}

/* --- rows of kernels without chunks --- */

/* The row of out [M, H, D] that the block wrote, if its bytes were kept. */
static enum status find_output(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_chunk *k = state;
	int64_t rows = view_place_blocks(k->place), bytes = view_int(row, 1);

	(void)c;
	if (k->acc_data || view_null(row, 0) || bytes < rows)
		return STATUS_OK;
	k->acc_data = view_int(row, 0);
	k->acc_offset = bytes / rows * k->block;
	return STATUS_OK;
}

static enum status read_row(const struct view_context *c, const struct view_place *p,
			    int64_t block, struct view_chunk *chunk)
{
	struct view_scores keys;
	enum status status;

	view_scores_place(&keys, p, block);
	status = view_scores_read(c, &keys);
	*chunk = (struct view_chunk){
		.place = p, .slot = keys.slot, .head = keys.head, .block = block,
		.key_end = keys.end, .max = (float)keys.max, .sum = (float)keys.sum,
		.lse = keys.lse, .weight = keys.end > 0, .empty = keys.end == 0, .whole = true,
	};
	view_scores_free(&keys);
	return status;
}

static enum status draw_whole_rows(const struct view_context *c, const struct view_place *p)
{
	int64_t blocks = view_place_blocks(p);

	print_row_header(c);
	for (int64_t block = 0; block < blocks && view_fits(c, block, ROWS); block++) {
		struct view_chunk chunk;

		TRY(read_row(c, p, block, &chunk));
		print_chunk(c, &chunk);
	}
	view_more(c, blocks, ROWS);
	return STATUS_OK;
}

/* Launches of the incremental and batched kernels: a block attends to all keys of its row. */
static enum status draw_whole(const struct view_context *c, const struct view_place *p)
{
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
		return draw_whole_rows(c, p);
	TRY(read_row(c, p, c->at.block, &chunk));
	print_row_header(c);
	print_chunk(c, &chunk);
	if (chunk.empty) {
		view_print(c, "  no keys: the slot is done, its row is zeros\n");
		return STATUS_OK;
	}
	TRY(VIEW_ROWS(c, find_output, &chunk,
		      "SELECT data, bytes FROM v_digest WHERE run = ?1 AND op = ?2"
		      " AND after_step = 0 AND data IS NOT NULL", c->run, p->op));
	return view_chunk_draw(c, &chunk, 1, 0);
}

static enum status draw_none(const struct view_context *c, const struct view_place *place)
{
	TRY(view_missing(c, place, LEVEL_PARTIALS, "partials"));
	return place ? view_missing_next(c, place, "flash_decode_chunk") : STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	int64_t partials = 0, attention = 0;
	bool found;

	TRY(view_place_find(c, "w_attention", &place, &found));
	if (found)
		TRY(VIEW_NUMBER(c, 0, &partials,
				"SELECT 1 FROM v_partial WHERE run = ?1 AND launch = ?2 LIMIT 1",
				c->run, place.launch));
	if (found && !partials)
		TRY(VIEW_NUMBER(c, 0, &attention,
				"SELECT 1 FROM w_attention WHERE run = ?1 AND launch = ?2 LIMIT 1",
				c->run, place.launch));
	if (!partials && !attention) {
		view_title(c, "CHUNKS: no partials here");
		return draw_none(c, found ? &place : NULL);
	}
	view_place_title(c, "CHUNKS of", &place);
	if (!partials)
		return draw_whole(c, &place);
	return c->at.block >= 0 ? draw_row(c, &place) : draw_all(c, &place);
}

const struct view view_chunks = {
	.name = "chunks", .summary = "chunk partials, and scores of one chunk",
	.table = "w_attention", .draw = draw
};
