/* view_chunks.c - chunk partials of flash decoding: max, sum, log-sum-exp and weight of each.
 *
 * For the launch of the address, else the last one that has partials. With a block in the address,
 * the chunks of its row of heads alone; what is in that chunk is view_chunk.c's business.
 */
#include "tui/view_chunk.h"

#include <inttypes.h>
#include <math.h>

#define ROWS 64
#define AROUND 8                        /* chunks listed before and behind the one of the address */

enum {
	SLOT, HEAD, KV_HEAD, CHUNK, KEY_BEGIN, KEY_END, EMPTY, MAX, SUM, LSE, WEIGHT
};
#define PARTIAL_COLUMNS \
	"slot, head, kv_head, chunk, key_begin, key_end, empty, max_bits, sum_bits, lse, weight"

/* What the weights of a row add up to, and empty chunks not yet printed. */
struct row_state {
	const struct view_place *place;
	int64_t slot, head;
	double weights;
	bool begun;
	int64_t empty_first, empty_last, empty_wrong;   /* chunks; first -1: none pending */
	int64_t rows, wrong_weights;
};

/* Blocks of the chunk kernel: grid (H, M, chunks). */
static int64_t block_of(const struct view_place *p, int64_t slot, int64_t head, int64_t chunk)
{
	return head + p->grid[0] * (slot + p->grid[1] * chunk);
}

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

/* A row without keys has no weights. */
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
	view_cell launch, address, keys, max, sum, lse, weight;

	view_row_of(c, place->launch, block_of(place, view_int(row, SLOT), view_int(row, HEAD),
					       view_int(row, CHUNK)));
	snprintf(address, sizeof(address), "%s.b%" PRId64,
		 view_launch_cell(c, place->launch, launch),
		 block_of(place, view_int(row, SLOT), view_int(row, HEAD), view_int(row, CHUNK)));
	if (view_int(row, EMPTY))
		snprintf(keys, sizeof(keys), "none");
	else
		snprintf(keys, sizeof(keys), "%" PRId64 "..%" PRId64, view_int(row, KEY_BEGIN),
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
	int64_t chunk;
};

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct row *r = state;
	struct view_chunk *k = &r->chunks[r->count];

	if (r->count == 2 * AROUND + 1)
		return STATUS_OK;
	if (r->count == 0)
		print_header(c);
	print_partial(c, row, r->place);
	*k = (struct view_chunk){
		.place = r->place, .slot = view_int(row, SLOT), .head = view_int(row, HEAD),
		.chunk = view_int(row, CHUNK), .key_begin = view_int(row, KEY_BEGIN),
		.key_end = view_int(row, KEY_END), .max = view_f32(row, MAX),
		.sum = view_f32(row, SUM), .lse = sqlite3_column_double(row, LSE),
		.weight = sqlite3_column_double(row, WEIGHT), .empty = view_int(row, EMPTY),
	};
	k->block = block_of(r->place, k->slot, k->head, k->chunk);
	if (k->chunk == r->chunk)
		r->selected = r->count;
	r->count++;
	return STATUS_OK;
}

/* Chunks that hold keys, and the one asked for whether it does or not. */
static enum status draw_row(const struct view_context *c, const struct view_place *p)
{
	int64_t rows = p->grid[0] * p->grid[1];
	struct row r = { .place = p, .selected = -1, .chunk = c->at.block / rows };

	TRY(VIEW_ROWS(c, take_chunk, &r, "SELECT " PARTIAL_COLUMNS " FROM v_partial WHERE run = ?1"
		      " AND launch = ?2 AND slot = ?3 AND head = ?4 AND chunk BETWEEN ?5 - ?6"
		      " AND ?5 + ?6 AND (NOT empty OR chunk = ?5) ORDER BY chunk", c->run,
		      p->launch, c->at.block / p->grid[0] % p->grid[1], c->at.block % p->grid[0],
		      r.chunk, AROUND));
	if (r.selected < 0) {
		view_print(c, "  nothing recorded of block b%" PRId64 "\n", c->at.block);
		return STATUS_OK;
	}
	TRY(view_chunk_strips(c, r.chunks, r.count));
	return view_chunk_draw(c, &r.chunks[r.selected]);
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	int64_t rows = 0;
	bool found;

	TRY(view_place_find(c, "v_partial", &place, &found));
	if (found)
		TRY(VIEW_NUMBER(c, 0, &rows,
				"SELECT 1 FROM v_partial WHERE run = ?1 AND launch = ?2 LIMIT 1",
				c->run, place.launch));
	if (rows == 0) {
		view_title(c, "CHUNKS: no partials here (--log partials records them)");
		return STATUS_OK;
	}
	view_place_title(c, "CHUNKS of", &place);
	return c->at.block >= 0 ? draw_row(c, &place) : draw_all(c, &place);
}

const struct view view_chunks = {
	.name = "chunks", .summary = "chunk partials, and scores of one chunk",
	.table = "v_partial", .draw = draw
};
