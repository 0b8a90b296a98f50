/* view_attention.c - the model's view: the text so far, and how much each head looks at each byte.
 *
 * For the launch of the address, else the last one with chunk partials: its step, its layer.
 * Weights of keys are worked out in float64 from recorded partials and scores; where no scores were
 * recorded, a chunk's weight is spread evenly over its keys, and that is said.
 */
#include "tui/view_chunk.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "traces/store_walk.h"
#include "traces/xalloc.h"

#define BAND 80                         /* keys on a line */
#define BANDS 3                         /* of the last keys; --all: BANDS_ALL */
#define BANDS_ALL 512
#define HEADS 64
#define STRONGEST 4                     /* keys named of a head */

struct attention {
	const struct view_place *place;
	int64_t slot, heads, first, keys;       /* keys first <= i < keys are shown */
	double *weight;                         /* [heads][keys - first] */
	unsigned char *text;                    /* [keys - first], 0: not known */
	int64_t scores;                         /* recorded */
};

static double *weight_of(const struct attention *a, int64_t head, int64_t key)
{
	return &a->weight[head * (a->keys - a->first) + key - a->first];
}

static bool shown(const struct attention *a, int64_t key)
{
	return key >= a->first && key < a->keys;
}

/* --- reading --- */

struct chunk {
	struct attention *a;
	int64_t head, key_begin;
	double weight, lse;
};

static enum status take_score(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct chunk *k = state;
	int64_t key = k->key_begin + view_int(row, 0) + 32 * view_int(row, 1);

	(void)c;
	k->a->scores++;
	if (shown(k->a, key))
		*weight_of(k->a, k->head, key) = k->weight * exp(view_f32(row, 2) - k->lse);
	return STATUS_OK;
}

enum { HEAD, CHUNK, BEGIN, END, LSE, WEIGHT };

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct attention *a = state;
	const struct view_place *p = a->place;
	int64_t begin = view_int(row, BEGIN), end = view_int(row, END), threads;
	struct chunk k = { a, view_int(row, HEAD), begin, sqlite3_column_double(row, WEIGHT),
			   sqlite3_column_double(row, LSE) };
	int64_t block = k.head + p->grid[0] * (a->slot + p->grid[1] * view_int(row, CHUNK));

	if (k.head < 0 || k.head >= a->heads || end <= begin)
		return STATUS_OK;
	for (int64_t key = begin > a->first ? begin : a->first; key < end && key < a->keys; key++)
		*weight_of(a, k.head, key) = k.weight / (double)(end - begin);
	threads = view_place_threads(p);
	return VIEW_ROWS(c, take_score, &k,
			 "SELECT thread % ?5 % 32, row_number() OVER (PARTITION BY thread"
			 " ORDER BY sequence) - 1, v0_bits FROM w_point WHERE run = ?1"
			 " AND launch = ?2 AND thread >= ?3 AND thread < ?4 AND name = 'score'",
			 c->run, p->launch, block * threads, (block + 1) * threads, threads);
}

static enum status take_byte(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct attention *a = state;

	(void)c;
	if (shown(a, view_int(row, 0)))
		a->text[view_int(row, 0) - a->first] = (unsigned char)view_int(row, 1);
	return STATUS_OK;
}

static enum status read_attention(const struct view_context *c, struct attention *a)
{
	TRY(VIEW_ROWS(c, take_byte, a,
		      "SELECT position, byte, max(step) FROM v_token WHERE run = ?1 AND slot = ?2"
		      " AND step <= ?3 GROUP BY position", c->run, a->slot,
		      a->place->step >= 0 ? a->place->step : INT64_MAX));
	return VIEW_ROWS(c, take_chunk, a,
			 "SELECT head, chunk, key_begin, key_end, lse, weight FROM v_partial"
			 " WHERE run = ?1 AND launch = ?2 AND slot = ?3 AND key_end > ?4"
			 " AND NOT empty", c->run, a->place->launch, a->slot, a->first);
}

/* --- drawing --- */

/* What a byte looks like in one column. */
static char byte_mark(unsigned char byte)
{
	if (byte == '\n')
		return '$';
	return byte >= ' ' && byte < 127 ? (char)byte : byte ? '?' : ' ';
}

static void draw_band(const struct view_context *c, const struct attention *a, int64_t from)
{
	int64_t to = from + BAND < a->keys ? from + BAND : a->keys;

	view_styled(c, STYLE_HEADING, "\n keys %" PRId64 "..%" PRId64 "\n", from, to - 1);
	view_print(c, " %-9s ", "text");
	for (int64_t key = from; key < to; key++)
		view_print(c, "%c", byte_mark(a->text[key - a->first]));
	view_print(c, "\n");
	for (int64_t head = 0; head < a->heads && view_fits(c, head, HEADS); head++) {
		/* One row a head can be moved to: in the last band. */
		if (to == a->keys)
			view_row_of(c, a->place->launch, head + a->place->grid[0] * a->slot);
		view_print(c, " head %-4" PRId64 " ", head);
		for (int64_t key = from; key < to; key++)
			view_styled(c, STYLE_CHART, "%c",
				    view_looks_mark(c->looks.scale, *weight_of(a, head, key)));
		view_print(c, "\n");
	}
}

static void draw_strongest(const struct view_context *c, const struct attention *a, int64_t head)
{
	view_print(c, "\n head %" PRId64 " looks most at", head);
	for (int n = 0; n < STRONGEST; n++) {
		int64_t best = -1;
		view_cell byte;

		for (int64_t key = a->first; key < a->keys; key++)
			if (*weight_of(a, head, key) >= 0.0
			    && (best < 0 || *weight_of(a, head, key) > *weight_of(a, head, best)))
				best = key;
		if (best < 0)
			break;
		view_print(c, "%s key %" PRId64 " %s %.3f", n ? "," : "", best,
			   view_byte_cell(a->text[best - a->first], byte),
			   *weight_of(a, head, best));
		*weight_of(a, head, best) = -1.0;       /* drawn already */
	}
	view_print(c, "\n");
}

static enum status draw_next(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell byte;

	(void)state;
	view_print(c, " the step gave byte %s for position %" PRId64 "\n",
		   view_byte_cell((int)view_int(row, 1), byte), view_int(row, 0));
	return STATUS_OK;
}

static enum status draw_bands(const struct view_context *c, struct attention *a)
{
	int64_t head = c->at.block > 0 ? c->at.block % a->place->grid[0] : 0;

	TRY(read_attention(c, a));
	if (a->first > 0)
		view_styled(c, STYLE_NOTE, " keys before %" PRId64 " are left out: --all\n",
			    a->first);
	for (int64_t from = a->first; from < a->keys; from += BAND)
		draw_band(c, a, from);
	if (head < a->heads)
		draw_strongest(c, a, head);
	TRY(VIEW_ROWS(c, draw_next, NULL, "SELECT position, byte FROM v_token WHERE run = ?1"
		      " AND step = ?2 AND slot = ?3 AND NOT prompt", c->run, a->place->step,
		      a->slot));
	view_styled(c, STYLE_NOTE, "\n weight of a key: %s    $ is a line's end\n",
		    view_looks_marks(c->looks.scale));
	if (a->scores == 0)
		view_styled(c, STYLE_NOTE, " no scores were recorded (--log points): a chunk's"
			    " weight is spread over its keys\n");
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	struct attention a = { .place = &place };
	int64_t bands = c->all ? BANDS_ALL : BANDS;
	enum status status;
	bool found;

	TRY(view_place_find(c, "v_partial", &place, &found));
	if (found && c->at.block >= 0 && place.grid[0] > 0 && place.grid[1] > 0)
		a.slot = c->at.block / place.grid[0] % place.grid[1];
	if (found)
		TRY(VIEW_NUMBER(c, 0, &a.keys, "SELECT max(key_end) FROM v_partial WHERE run = ?1"
				" AND launch = ?2 AND slot = ?3 AND NOT empty", c->run,
				place.launch, a.slot));
	if (a.keys <= 0) {
		view_title(c, "ATTENTION: no partials here (--log partials records them)");
		return STATUS_OK;
	}
	view_place_title(c, "ATTENTION in", &place);
	view_print(c, " slot %" PRId64 ", %" PRId64 " keys\n", a.slot, a.keys);
	a.heads = place.grid[0] < HEADS ? place.grid[0] : HEADS;
	a.first = a.keys > bands * BAND ? (a.keys - 1) / BAND * BAND - (bands - 1) * BAND : 0;
	a.weight = xcalloc((size_t)(a.heads * (a.keys - a.first)), sizeof(*a.weight));
	a.text = xcalloc((size_t)(a.keys - a.first), 1);
	status = draw_bands(c, &a);
	free(a.weight);
	free(a.text);
	return status;
}

const struct view view_attention = {
	.name = "attention",
	.summary = "the text so far, and how much each head looks at each byte",
	.table = "v_partial", .draw = draw
};
