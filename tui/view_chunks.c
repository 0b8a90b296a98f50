/* view_chunks.c - chunk partials of flash decoding: max, sum, log-sum-exp and weight of each.
 *
 * For the launch of the address, else the last one that has partials. With a block in the address,
 * that chunk alone and, where points were recorded, its online softmax: the tiles and the score of
 * every key. The softmax's own invariants are checked on the way.
 */
#include "tui/view.h"

#include <inttypes.h>
#include <math.h>

#define ROWS 64
#define TILE 32                         /* keys that a warp takes at a time */
#define KEYS_A_LINE 3

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
	view_print(c, "   slot %" PRId64 " head %" PRId64 ": weights add up to %.9g, NOT 1\n",
		   s->slot, s->head, s->weights);
}

static void print_header(const struct view_context *c)
{
	view_styled(c, STYLE_HEADING, " %-12s %4s %4s %3s %5s  %-13s %13s %13s %10s %9s\n", "address", "slot",
		   "head", "kv", "chunk", "keys", "max", "sum", "lse", "weight");
}

static void print_partial(const struct view_context *c, sqlite3_stmt *row,
			  const struct view_place *place)
{
	view_cell launch, address, keys, max, sum, lse, weight;

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
	view_print(c, "\n check  the weights of each row add up to 1: %s\n",
		   s.wrong_weights ? "NO" : "ok");
	return STATUS_OK;
}

/* --- one chunk --- */

struct chunk {
	const struct view_place *place;
	int64_t slot, head, block, key_begin;
	float max, sum;
	bool known;
	/* from the points */
	int64_t tiles, keys;
	float last_max, last_sum, greatest;
	double shares;
};

/* Equal as the trace sees it: a NaN equals a NaN. */
static bool same(float a, float b)
{
	return a == b || (isnan(a) && isnan(b));
}

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct chunk *k = state;

	k->known = true;
	k->max = view_f32(row, MAX);
	k->sum = view_f32(row, SUM);
	k->key_begin = view_int(row, KEY_BEGIN);
	print_header(c);
	print_partial(c, row, k->place);
	return STATUS_OK;
}

static enum status take_tile(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct chunk *k = state;
	view_cell max, rescale, sum;

	if (k->tiles == 0)
		view_print(c,
			   "\n online softmax, %d keys at a time\n  tile  from key            max"
			   "        rescale            sum\n",
			   TILE);
	view_print(c, " %5" PRId64 " %9" PRId64 "  %13s  %13s  %13s\n", k->tiles,
		   k->key_begin + k->tiles * TILE, view_f32_cell(row, 0, max),
		   view_f32_cell(row, 1, rescale), view_f32_cell(row, 2, sum));
	k->last_max = view_f32(row, 0);
	k->last_sum = view_f32(row, 2);
	k->tiles++;
	return STATUS_OK;
}

/* Weight of a key in its chunk, against the chunk's final maximum. */
static double share(const struct chunk *k, float score)
{
	return score == k->max ? 1.0 / k->sum : exp((double)score - k->max) / k->sum;
}

static enum status take_score(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct chunk *k = state;
	float score = view_f32(row, 1);
	double part = share(k, score);
	view_cell byte, text;

	if (k->keys == 0)
		view_print(c, "\n score of every key, and its share of the chunk\n");
	view_print(c, "  %6" PRId64 " %-5s %11s %.4f%s", view_int(row, 0),
		   view_null(row, 2) ? "" : view_byte_cell((int)view_int(row, 2), byte),
		   view_f32_cell(row, 1, text), part,
		   k->keys % KEYS_A_LINE == KEYS_A_LINE - 1 ? "\n" : " |");
	k->greatest = fmaxf(k->greatest, score);
	k->shares += part;
	k->keys++;
	return STATUS_OK;
}

static void print_checks(const struct view_context *c, const struct chunk *k)
{
	if (k->keys % KEYS_A_LINE != 0)
		view_print(c, "\n");
	if (k->tiles == 0 && k->keys == 0) {
		view_print(c, "\n scores were not recorded (--log points records them)\n");
		return;
	}
	view_print(c, "\n");
	if (k->tiles > 0)
		view_print(c, " check  partial is the last tile's max and sum: %s\n",
			   same(k->last_max, k->max) && same(k->last_sum, k->sum) ? "ok" : "NO");
	if (k->keys > 0)
		view_print(c, " check  max is the greatest score: %s\n"
			   " check  shares add up to %.7f: %s\n",
			   same(k->greatest, k->max) ? "ok" : "NO", k->shares,
			   fabs(k->shares - 1.0) < 1e-4 ? "ok" : "NO");
}

static enum status draw_chunk(const struct view_context *c, const struct view_place *p)
{
	int64_t block = c->at.block;
	struct chunk k = { .place = p, .block = block, .head = block % p->grid[0],
			   .slot = block / p->grid[0] % p->grid[1], .greatest = -INFINITY };

	TRY(VIEW_ROWS(c, take_chunk, &k, "SELECT " PARTIAL_COLUMNS " FROM v_partial WHERE run = ?1"
		      " AND launch = ?2 AND slot = ?3 AND head = ?4 AND chunk = ?5",
		      c->run, p->launch, k.slot, k.head, block / (p->grid[0] * p->grid[1])));
	if (!k.known) {
		view_print(c, "  nothing recorded of block b%" PRId64 "\n", block);
		return STATUS_OK;
	}
	TRY(VIEW_ROWS(
		c, take_tile, &k,
		"SELECT v0_bits, v1_bits, v2_bits FROM v_point WHERE run = ?1"
		" AND launch = ?2 AND block = ?3 AND warp = 0 AND lane = 0 AND name = 'softmax'"
		" ORDER BY sequence",
		c->run, p->launch, block));
	/* Lane l's n-th score is that of key begin + TILE * n + l. */
	TRY(VIEW_ROWS(c, take_score, &k,
		      "WITH scores AS (SELECT ?4 + lane + 32 * (row_number()"
		      "  OVER (PARTITION BY lane ORDER BY sequence) - 1) AS key, v0_bits"
		      "  FROM v_point WHERE run = ?1 AND launch = ?2"
		      "  AND block = ?3 AND warp = 0 AND name = 'score')"
		      " SELECT key, v0_bits, (SELECT byte FROM v_token t"
		      "  WHERE t.run = ?1 AND t.slot = ?5 AND t.position = key"
		      "  AND t.step <= (SELECT step FROM v_launch WHERE run = ?1 AND launch = ?2)"
		      "  ORDER BY t.step DESC LIMIT 1)"
		      " FROM scores ORDER BY key",
		      c->run, p->launch, block, k.key_begin, k.slot));
	print_checks(c, &k);
	return STATUS_OK;
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
	return c->at.block >= 0 ? draw_chunk(c, &place) : draw_all(c, &place);
}

const struct view view_chunks = {
	.name = "chunks", .summary = "chunk partials, and scores of one chunk",
	.table = "v_partial", .draw = draw
};
