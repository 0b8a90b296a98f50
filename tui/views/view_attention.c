/* view_attention.c - the text so far, and how much each head attends to each byte.
 *
 * Shows the step and layer of the launch of the address, else of the last attention launch. Weights
 * of keys are computed in float64 from recorded scores. Without scores, a chunk's weight is spread
 * evenly over its keys, and the screen says so. All heads are drawn under the last line of text;
 * earlier lines have only the head of the address.
 */
#include "tui/views/view_scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "tui/views/view_bytes.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define BAND 64                         /* keys on a line */
#define BANDS 3                         /* of the last keys; --all: BANDS_ALL */
#define BANDS_ALL 512
#define HEADS 64
#define STRONGEST 4                     /* keys listed for a head */
#define AROUND 12                       /* bytes of text shown on either side of a key */

struct attention {
	const struct view_place *place;
	int64_t slot, heads, first, keys;       /* keys first <= i < keys are shown */
	int64_t last;                           /* the first key of the last line of text */
	int64_t head;                           /* of the address, else 0 */
	double *weight;                         /* [heads][keys - first] */
	unsigned char *text;                    /* [keys - first], 0: not known */
	int64_t scores;                         /* blocks whose scores were recorded */
};

static double *weight_of(const struct attention *a, int64_t head, int64_t key)
{
	return &a->weight[head * (a->keys - a->first) + key - a->first];
}

/* --- reading --- */

/* Weights of a block's keys in the row: the block's share of it times theirs in the block. */
static void take_scores(struct attention *a, const struct view_scores *k, double share)
{
	int64_t from = k->begin > a->first ? k->begin : a->first;

	a->scores += k->score != NULL;
	for (int64_t key = from; key < k->end && key < a->keys; key++)
		*weight_of(a, k->head, key) = share * (k->score ? view_scores_share(k, key)
						       : 1.0 / (double)(k->end - k->begin));
}

enum { HEAD, CHUNK, BEGIN, END, WEIGHT };

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct attention *a = state;
	const struct view_place *p = a->place;
	int64_t block = view_scores_block(p, a->slot, view_int(row, HEAD), view_int(row, CHUNK));
	struct view_scores keys;
	enum status status;

	if (block < 0)
		return STATUS_OK;
	view_scores_place(&keys, p, block);
	keys.begin = view_int(row, BEGIN);
	keys.end = view_int(row, END);
	if (keys.head >= a->heads || keys.end <= keys.begin)
		return STATUS_OK;
	status = view_scores_read(c, &keys);
	if (status == STATUS_OK)
		take_scores(a, &keys, sqlite3_column_double(row, WEIGHT));
	view_scores_free(&keys);
	return status;
}

/* The weights of a kernel without chunks: each block attends to all keys. */
static enum status read_rows(const struct view_context *c, struct attention *a)
{
	enum status status = STATUS_OK;

	for (int64_t head = 0; head < a->heads && status == STATUS_OK; head++) {
		struct view_scores keys;

		view_scores_place(&keys, a->place, view_scores_block(a->place, a->slot, head, 0));
		status = view_scores_read(c, &keys);
		if (status == STATUS_OK && keys.end > 0)
			take_scores(a, &keys, 1.0);
		view_scores_free(&keys);
	}
	return status;
}

static enum status read_attention(const struct view_context *c, struct attention *a, bool chunks)
{
	TRY(view_bytes_read(c, a->slot, a->place->step, a->first, a->keys, a->text));
	if (!chunks)
		return read_rows(c, a);
	return VIEW_ROWS(c, take_chunk, a,
			 "SELECT head, chunk, key_begin, key_end, weight FROM v_partial"
			 " WHERE run = ?1 AND launch = ?2 AND slot = ?3 AND key_end > ?4"
			 " AND NOT empty", c->run, a->place->launch, a->slot, a->first);
}

/* --- drawing --- */

static void draw_head(const struct view_context *c, const struct attention *a, int64_t head,
		      int64_t from, int64_t to)
{
	/* The cursor can move to one row per head: the one in the last band. */
	if (to == a->keys)
		view_row_of(c, a->place->launch, view_scores_block(a->place, a->slot, head, 0));
	view_print(c, " head %-3" PRId64 " ", head);
	for (int64_t key = from; key < to; key++)
		view_styled(c, STYLE_CHART, "%c",
			    view_format_mark(c->looks.scale, *weight_of(a, head, key)));
	view_print(c, "\n");
}

static void draw_band(const struct view_context *c, const struct attention *a, int64_t from,
		      int64_t to)
{

	view_styled(c, STYLE_HEADING, " %8" PRId64 " ", from);
	for (int64_t key = from; key < to; key++)
		view_print(c, "%c", view_byte_mark(a->text[key - a->first]));
	view_print(c, "\n");
	if (to < a->keys && !c->all) {
		draw_head(c, a, a->head, from, to);
		return;
	}
	for (int64_t head = 0; head < a->heads; head++)
		draw_head(c, a, head, from, to);
}

/* A key with the text around it: "KING RI[C]HARD". */
static void draw_key(const struct view_context *c, const struct attention *a, int64_t key,
		     double weight)
{
	int64_t from = key - AROUND > a->first ? key - AROUND : a->first;
	view_cell byte;

	view_print(c, "  %.3f  key %5" PRId64, weight, key);
	if (a->text[key - a->first]) {
		view_print(c, " %-5s %*s", view_byte_cell(a->text[key - a->first], byte),
			   (int)(AROUND - (key - from)), "");
		for (int64_t i = from; i < a->keys && i <= key + AROUND; i++)
			view_print(c, i == key ? "[%c]" : "%c",
				   view_byte_mark(a->text[i - a->first]));
	}
	view_print(c, "\n");
}

static void draw_strongest(const struct view_context *c, const struct attention *a)
{
	view_styled(c, STYLE_HEADING, " head %" PRId64 " looks most at\n", a->head);
	for (int n = 0; n < STRONGEST && n < a->keys - a->first; n++) {
		int64_t best = -1;
		double weight;

		for (int64_t key = a->first; key < a->keys; key++)
			if (*weight_of(a, a->head, key) >= 0.0
			    && (best < 0 || *weight_of(a, a->head, key)
				> *weight_of(a, a->head, best)))
				best = key;
		if (best < 0)
			return;
		weight = *weight_of(a, a->head, best);
		*weight_of(a, a->head, best) = -1.0;    /* drawn already */
		draw_key(c, a, best, weight);
	}
}

static enum status draw_next(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell byte;

	(void)state;
	view_print(c, "; the step gave byte %s for position %" PRId64,
		   view_byte_cell((int)view_int(row, 1), byte), view_int(row, 0));
	return STATUS_OK;
}

static enum status draw_facts(const struct view_context *c, const struct attention *a)
{
	view_print(c, " slot %" PRId64 ", %" PRId64 " key%s", a->slot, a->keys,
		   view_plural(a->keys));
	TRY(VIEW_ROWS(c, draw_next, NULL, "SELECT position, byte FROM v_token WHERE run = ?1"
		      " AND step = ?2 AND slot = ?3 AND NOT prompt", c->run, a->place->step,
		      a->slot));
	view_print(c, "\n");
	if (a->first > 0)
		view_styled(c, STYLE_NOTE, " keys before %" PRId64 " are left out: --all\n",
			    a->first);
	return STATUS_OK;
}

static enum status draw_bands(const struct view_context *c, struct attention *a, bool chunks)
{
	TRY(read_attention(c, a, chunks));
	TRY(draw_facts(c, a));
	for (int64_t from = a->first; from < a->last; from += BAND)
		draw_band(c, a, from, from + BAND < a->last ? from + BAND : a->last);
	draw_band(c, a, a->last, a->keys);
	view_legend(c, " weights: %s; %s\n", view_format_marks(c->looks.scale), VIEW_BYTES_LEGEND);
	if (a->scores == 0)
		view_styled(c, STYLE_NOTE, " no scores were recorded (--log points): a chunk's"
			    " weight is spread over its keys\n");
	else
		draw_strongest(c, a);
	return STATUS_OK;
}

/* Counts the slot's keys and says whether they come in chunks; 0: not an attention launch. */
static enum status count_keys(const struct view_context *c, struct attention *a, bool *chunks)
{
	const struct view_place *p = a->place;
	struct view_scores keys;
	enum status status;
	int64_t attends;

	TRY(VIEW_NUMBER(c, 0, &attends, "SELECT 1 FROM w_attention WHERE run = ?1 AND launch = ?2"
			" LIMIT 1", c->run, p->launch));
	TRY(VIEW_NUMBER(c, 0, &a->keys, "SELECT max(key_end) FROM v_partial WHERE run = ?1"
			" AND launch = ?2 AND slot = ?3 AND NOT empty", c->run, p->launch,
			a->slot));
	*chunks = a->keys > 0;
	if (*chunks || !attends)
		return STATUS_OK;
	view_scores_place(&keys, p, view_scores_block(p, a->slot, 0, 0));
	status = view_scores_read(c, &keys);
	a->keys = keys.end;
	view_scores_free(&keys);
	return status;
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	struct attention a = { .place = &place };
	int64_t bands = c->all ? BANDS_ALL : BANDS;
	enum status status;
	bool found, chunks;

	TRY(view_place_find(c, "w_attention", &place, &found));
	if (found && c->at.block >= 0 && place.grid[0] > 0 && place.grid[1] > 0) {
		a.slot = c->at.block / place.grid[0] % place.grid[1];
		a.head = c->at.block % place.grid[0];
	}
	if (found)
		TRY(count_keys(c, &a, &chunks));
	if (a.keys <= 0) {
		view_title(c, "ATTENTION: no scores here");
		return view_missing(c, found ? &place : NULL, LEVEL_POINTS, "scores");
	}
	view_place_title(c, "ATTENTION in", &place);
	a.heads = place.grid[0] < HEADS ? place.grid[0] : HEADS;
	a.head = a.head < a.heads ? a.head : 0;
	/* The last line keeps more than half of its keys: a new key does not push them out. */
	a.last = a.keys > BAND ? (a.keys - BAND / 2 - 1) / (BAND / 2) * (BAND / 2) : 0;
	a.first = a.last > (bands - 1) * BAND ? a.last - (bands - 1) * BAND : 0;
	a.weight = xcalloc((size_t)(a.heads * (a.keys - a.first)), sizeof *a.weight);
	a.text = xcalloc((size_t)(a.keys - a.first), 1);
	status = draw_bands(c, &a, chunks);
	free(a.weight);
	free(a.text);
	return status;
}

const struct view view_attention = {
	.name = "attention",
	.summary = "the text so far, and how much each head looks at each byte",
	.table = "w_attention", .draw = draw
};
