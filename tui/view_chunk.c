/* view_chunk.c - the online softmax of one chunk, from its named points.
 *
 * Tiles as the warp went through them, the score of every key and the share it has, and the
 * softmax's own invariants. Serves view_chunks.c.
 */
#include "tui/view_chunk.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TILE 32                         /* keys that a warp takes at a time */
#define KEYS_A_LINE 3
#define SCORES 96                       /* of a chunk that are listed */
#define STRIP 64                        /* columns */

/* First and last thread of the block's first warp, counted through the grid. */
static int64_t first_thread(const struct view_chunk *k)
{
	return k->block * view_place_threads(k->place);
}

/* --- strips --- */

struct strip {
	const struct view_chunk *chunk;
	double weight[STRIP];           /* the greatest of the keys that share a column */
	int64_t keys_a_column, scores;
};

static enum status take_weight(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct strip *s = state;
	int64_t column = (view_int(row, 0) + TILE * view_int(row, 1)) / s->keys_a_column;
	double weight = s->chunk->weight * exp(view_f32(row, 2) - s->chunk->lse);

	(void)c;
	if (column >= 0 && column < STRIP && !(weight <= s->weight[column]))
		s->weight[column] = weight;
	s->scores++;
	return STATUS_OK;
}

static void print_strip(const struct view_context *c, const struct strip *s)
{
	const struct view_chunk *k = s->chunk;
	int64_t columns = (k->key_end - k->key_begin + s->keys_a_column - 1) / s->keys_a_column;

	view_print(c, " %5" PRId64 "  %-13" PRId64 " ", k->chunk, k->key_begin);
	for (int i = 0; i < columns && i < STRIP; i++)
		view_styled(c, STYLE_CHART, "%c", view_looks_mark(c->looks.scale, s->weight[i]));
	view_print(c, "\n");
}

static const char scores[] =
	"SELECT thread - ?3, row_number() OVER (PARTITION BY thread ORDER BY sequence) - 1,"
	" v0_bits FROM w_point WHERE run = ?1 AND launch = ?2 AND thread BETWEEN ?3 AND ?3 + 31"
	" AND name = 'score'";

enum status view_chunk_strips(const struct view_context *c, const struct view_chunk *chunks,
			      int count)
{
	bool begun = false;

	for (int i = 0; i < count; i++) {
		const struct view_chunk *k = &chunks[i];
		struct strip s = { .chunk = k };

		if (k->empty)
			continue;
		s.keys_a_column = (k->key_end - k->key_begin + STRIP - 1) / STRIP;
		TRY(VIEW_ROWS(c, take_weight, &s, scores, c->run, k->place->launch,
			      first_thread(k)));
		if (s.scores == 0)
			continue;
		if (!begun)
			view_styled(c, STYLE_HEADING,
				    "\n chunk  from key      weight of each key\n");
		begun = true;
		print_strip(c, &s);
	}
	if (begun)
		view_styled(c, STYLE_NOTE, " %s, of its row\n", view_looks_marks(c->looks.scale));
	return STATUS_OK;
}

/* --- tiles and scores of one --- */

struct softmax {
	const struct view_chunk *chunk;
	int64_t tiles, keys;
	float last_max, last_sum, greatest;
	double shares;
};

/* Equal as the trace sees it: a NaN equals a NaN. */
static bool same(float a, float b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* What the running sum was multiplied by, worked out from the maxima. */
static bool rescale_fits(float before, float max, float rescale)
{
	double wanted = isinf(before) ? 0.0 : exp((double)before - max);

	return isnan(wanted) || fabs(rescale - wanted) <= 1e-6;
}

static enum status take_tile(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct softmax *s = state;
	const struct view_chunk *k = s->chunk;
	float before = s->tiles ? s->last_max : -INFINITY, rescale = view_f32(row, 2);
	struct address at = address_none;
	view_cell old, max, factor, sum;

	if (s->tiles == 0)
		view_styled(c, STYLE_HEADING,
			    "\n online softmax, %d keys at a time\n  tile  from key        old max"
			    "            max        rescale            sum\n", TILE);
	at.run = c->run > 1 ? c->run : -1;
	at.launch = k->place->launch;
	at.block = k->block;
	at.warp = at.lane = 0;
	at.point = view_int(row, 0);
	display_anchor(c->out, &at);
	s->last_max = view_f32(row, 1);
	s->last_sum = view_f32(row, 3);
	if (s->tiles == 0)
		snprintf(old, sizeof(old), "-inf");
	view_print(c, " %5" PRId64 " %9" PRId64 "  %13s  %13s  %13s  %13s", s->tiles,
		   k->key_begin + s->tiles * TILE,
		   s->tiles == 0 ? old : view_f32_cell(row, 4, old), view_f32_cell(row, 1, max),
		   view_f32_cell(row, 2, factor), view_f32_cell(row, 3, sum));
	if (!rescale_fits(before, s->last_max, rescale))
		view_styled(c, STYLE_WRONG, "  WRONG: exp(old max - max) is %.6g",
			    exp((double)before - s->last_max));
	view_print(c, "\n");
	s->tiles++;
	return STATUS_OK;
}

/* Weight of a key in its chunk, against the chunk's final maximum. */
static double share(const struct view_chunk *k, float score)
{
	return score == k->max ? 1.0 / k->sum : exp((double)score - k->max) / k->sum;
}

static enum status take_score(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct softmax *s = state;
	float score = view_f32(row, 1);
	double part = share(s->chunk, score);
	view_cell byte, text;

	s->greatest = s->greatest > score ? s->greatest : score;
	s->shares += part;
	if (s->keys == 0)
		view_styled(c, STYLE_HEADING,
			    "\n score of every key, and its share of the chunk\n");
	if (view_fits(c, s->keys++, SCORES))
		view_print(c, "  %6" PRId64 " %-5s %11s %.4f%s", view_int(row, 0),
			   view_null(row, 2) ? "" : view_byte_cell((int)view_int(row, 2), byte),
			   view_f32_cell(row, 1, text), part,
			   s->keys % KEYS_A_LINE == 0 ? "\n" : " |");
	return STATUS_OK;
}

static void print_check(const struct view_context *c, bool good, const char *what)
{
	view_styled(c, good ? STYLE_PLAIN : STYLE_WRONG, " check  %s: %s\n", what,
		    good ? "ok" : "NO");
}

static void print_checks(const struct view_context *c, const struct softmax *s)
{
	char text[64];

	if (s->keys % KEYS_A_LINE != 0 && view_fits(c, s->keys - 1, SCORES))
		view_print(c, "\n");
	view_more(c, s->keys, SCORES);
	if (s->tiles == 0 && s->keys == 0) {
		view_print(c, "\n scores were not recorded (--log points records them)\n");
		return;
	}
	view_print(c, "\n");
	if (s->tiles > 0)
		print_check(c, same(s->last_max, s->chunk->max) && same(s->last_sum, s->chunk->sum),
			    "partial is the last tile's max and sum");
	if (s->keys == 0)
		return;
	print_check(c, same(s->greatest, s->chunk->max), "max is the greatest score");
	snprintf(text, sizeof(text), "shares add up to %.7f", s->shares);
	print_check(c, fabs(s->shares - 1.0) < 1e-4, text);
}

enum status view_chunk_draw(const struct view_context *c, const struct view_chunk *k)
{
	struct softmax s = { .chunk = k, .greatest = -INFINITY };

	if (k->empty) {
		bool right = isinf(k->max) && k->max < 0.0f && k->sum == 0.0f;

		view_styled(c, right ? STYLE_PLAIN : STYLE_WRONG, "\n chunk %" PRId64
			    " holds no keys: %s\n", k->chunk,
			    right ? "max -inf and sum 0 as it must be"
				  : "WRONG, it must publish max -inf and sum 0");
		return STATUS_OK;
	}
	TRY(VIEW_ROWS(c, take_tile, &s,
		      "SELECT sequence, v0_bits, v1_bits, v2_bits, lag(v0_bits) OVER"
		      " (ORDER BY sequence) FROM w_point WHERE run = ?1 AND launch = ?2"
		      " AND thread = ?3 AND name = 'softmax' ORDER BY sequence", c->run,
		      k->place->launch, first_thread(k)));
	/* Lane l's n-th score is that of key begin + TILE * n + l. */
	TRY(VIEW_ROWS(c, take_score, &s,
		      "WITH scores AS (SELECT ?4 + thread - ?3 + 32 * (row_number()"
		      "  OVER (PARTITION BY thread ORDER BY sequence) - 1) AS key, v0_bits"
		      "  FROM w_point WHERE run = ?1 AND launch = ?2"
		      "  AND thread BETWEEN ?3 AND ?3 + 31 AND name = 'score'),"
		      " bytes AS (SELECT t.position, t.byte, max(t.step) FROM v_token t"
		      "  WHERE t.run = ?1 AND t.slot = ?5"
		      "  AND t.step <= (SELECT step FROM v_launch WHERE run = ?1 AND launch = ?2)"
		      "  GROUP BY t.position)"
		      " SELECT key, v0_bits, b.byte FROM scores"
		      " LEFT JOIN bytes b ON b.position = key ORDER BY key", c->run,
		      k->place->launch, first_thread(k), k->key_begin, k->slot));
	print_checks(c, &s);
	return STATUS_OK;
}
