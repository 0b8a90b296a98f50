/* view_attention.c - the text so far, and how much each head attends to each byte.
 *
 * Shows the step and layer of the launch of the address, else of the last attention launch. Weights
 * of keys are computed in float64 from recorded scores. Without scores, a chunk's weight is spread
 * evenly over its keys, and the screen says so. All heads are drawn under the last line of text,
 * and the chunks of the head of the address; earlier lines have only that head.
 */
#include "tui/views/view_scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_bytes.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_columns.h"
#include "tui/views/view_heat.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"
#include "tui/views/view_visible.h"

#define PREFIX 15                       /* columns before the keys of a line */
#define COLUMNS 100                     /* of an output that does not say how many it has */
#define RULER 16                        /* keys from one number of the ruler to the next */
#define BANDS 3                         /* lines of the last keys */
#define BANDS_MAX 12                    /* where the screen has space for them */
#define BANDS_ALL 512                   /* with --all */
#define HEADS 64
#define STRONGEST 4                     /* keys listed for a head */
#define MOST_LISTED 24                  /* where the screen has space for them */
#define AROUND 12                       /* bytes of text shown on either side of a key */

/* A chunk of the head of the address. */
struct text_chunk {
	int64_t number, begin, end;
	double share;
};

struct attention {
	const struct view_place *place;
	const struct view_shape *shape;
	int64_t slot, heads, first, keys;       /* keys first <= i < keys are shown */
	int64_t band;                           /* keys on a line */
	int64_t last;                           /* the first key of the last line of text */
	int64_t head;                           /* of the address, else the one shown last */
	int made;                               /* the byte that the step gave, -1: none */
	double *weight;                         /* [heads][keys - first] */
	unsigned char *text;                    /* [keys - first], 0: not known */
	int64_t scores;                         /* blocks whose scores were recorded */
	struct view_visible visible;
	struct text_chunk *chunks;              /* [chunk_count], those with keys that are shown */
	int64_t chunk_count;
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

static void add_chunk(struct attention *a, const struct view_scores *k, double share)
{
	if (k->head != a->head)
		return;
	a->chunks = xreallocarray(a->chunks, (size_t)a->chunk_count + 1, sizeof *a->chunks);
	a->chunks[a->chunk_count++] = (struct text_chunk){ k->chunk, k->begin, k->end, share };
}

enum { HEAD, CHUNK, BEGIN, END, SHARE };

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct attention *a = state;
	struct view_scores keys;
	enum status status;

	view_scores_place(&keys, a->shape, a->slot, view_int(row, HEAD), view_int(row, CHUNK));
	if (keys.block < 0)
		return STATUS_OK;
	keys.begin = view_int(row, BEGIN);
	keys.end = view_int(row, END);
	if (keys.head >= a->heads || keys.end <= keys.begin)
		return STATUS_OK;
	status = view_scores_read(c, &keys);
	if (status == STATUS_OK) {
		take_scores(a, &keys, sqlite3_column_double(row, SHARE));
		add_chunk(a, &keys, sqlite3_column_double(row, SHARE));
	}
	view_scores_free(&keys);
	return status;
}

/* The weights of a kernel without chunks: each block attends to all keys. */
static enum status read_rows(const struct view_context *c, struct attention *a)
{
	enum status status = STATUS_OK;

	for (int64_t head = 0; head < a->heads && status == STATUS_OK; head++) {
		struct view_scores keys;

		view_scores_place(&keys, a->shape, a->slot, head, 0);
		status = view_scores_read(c, &keys);
		if (status == STATUS_OK && keys.end > 0)
			take_scores(a, &keys, 1.0);
		view_scores_free(&keys);
	}
	return status;
}

static enum status read_attention(const struct view_context *c, struct attention *a, bool chunks)
{
	TRY(view_visible_read(c, a->place->op, a->slot, &a->visible));
	TRY(view_visible_bytes(c, &a->visible, a->slot, a->place->step, a->first, a->keys,
			       a->text));
	if (!chunks)
		return read_rows(c, a);
	return VIEW_ROWS(c, take_chunk, a,
			 "SELECT head, chunk, key_begin, key_end, share FROM v_partial"
			 " WHERE run = ?1 AND launch = ?2 AND slot = ?3 AND key_end > ?4"
			 " AND NOT empty ORDER BY head, chunk", c->run, a->place->launch, a->slot,
			 a->first);
}

/* --- drawing --- */

/* The byte that the step gave, after the newest key. */
static void draw_made(const struct view_context *c, const struct attention *a, int64_t to)
{
	view_cell byte;

	if (to != a->keys || a->made < 0)
		return;
	view_print(c, "  -> ");
	view_styled(c, STYLE_NEW, "%s", view_byte_cell(a->made, byte));
}

static void draw_text(const struct view_context *c, const struct attention *a, int64_t from,
		      int64_t to)
{
	for (int64_t key = from; key < to; key++)
		view_print(c, "%c", view_byte_mark(a->text[key - a->first]));
	draw_made(c, a, to);
	view_print(c, "\n");
}

/* The numbers of keys, above the last line of text. */
static void draw_ruler(const struct view_context *c, int64_t from, int64_t to)
{
	int64_t column = from;

	view_print(c, "%*s", PREFIX, "");
	for (int64_t key = from + (RULER - from % RULER) % RULER; key < to; key += RULER) {
		view_print(c, "%*s", (int)(key - column), "");
		column = key + view_styled(c, STYLE_NOTE, "%" PRId64, key);
	}
	view_print(c, "\n");
}

static void draw_weights(const struct view_context *c, const struct attention *a, int64_t head,
			 int64_t from, int64_t to)
{
	for (int64_t key = from; key < to; key++)
		view_heat_key(c, view_byte_mark(a->text[key - a->first]), *weight_of(a, head, key));
	view_print(c, "\n");
}

/* A line of one head, with the number of its first key. */
static void draw_head(const struct view_context *c, const struct attention *a, int64_t head,
		      int64_t from, int64_t to)
{
	view_styled(c, head == a->head ? STYLE_STRONG : STYLE_PLAIN, " head %-2" PRId64, head);
	view_styled(c, STYLE_NOTE, " %5" PRId64 " ", from);
	draw_weights(c, a, head, from, to);
}

/* A line of earlier keys: the head of the address alone. Heat is on the text itself. */
static void draw_band(const struct view_context *c, const struct attention *a, int64_t from,
		      int64_t to)
{
	if (!c->heat) {
		view_print(c, "%*s", PREFIX, "");
		draw_text(c, a, from, to);
	}
	draw_head(c, a, a->head, from, to);
}

/* Where each chunk of the head begins, and its share; '<' where it begins on a line above. */
static void draw_chunks(const struct view_context *c, const struct attention *a, int64_t from,
			int64_t to)
{
	view_cell label;

	if (a->chunk_count == 0)
		return;
	snprintf(label, sizeof label, " head %" PRId64 " chunks", a->head);
	view_styled(c, STYLE_STRONG, "%-*s", PREFIX, label);
	for (int64_t i = 0; i < a->chunk_count; i++) {
		const struct text_chunk *k = &a->chunks[i];
		int64_t begin = k->begin > from ? k->begin : from;
		int width = (int)((k->end < to ? k->end : to) - begin);
		view_cell text, share;

		if (width <= 0)
			continue;
		snprintf(text, sizeof text, "%" PRId64 " %s", k->number,
			 view_share_cell(k->share, share));
		if ((int)strlen(text) + 1 > width)
			snprintf(text, sizeof text, "%.0f%%", 100.0 * k->share);
		if ((int)strlen(text) + 1 > width)
			*text = '\0';
		view_styled(c, STYLE_FRAME, "%c", k->begin < from ? '<' : '|');
		view_print(c, "%-*s", width - 1, text);
	}
	view_print(c, "\n");
}

/* The newest keys: every head, of which the cursor can choose one. */
static void draw_heads(const struct view_context *c, const struct attention *a)
{
	draw_ruler(c, a->last, a->keys);
	if (!c->heat) {
		view_print(c, "%*s", PREFIX, "");
		draw_text(c, a, a->last, a->keys);
	}
	for (int64_t head = 0; head < a->heads; head++) {
		view_shape_anchor(c, a->shape, a->slot, head, 0);
		draw_head(c, a, head, a->last, a->keys);
	}
	draw_chunks(c, a, a->last, a->keys);
}

/* A key with the text around it: "KING RI[C]HARD". */
static void draw_key(const struct view_context *c, const struct attention *a, int64_t key,
		     double weight)
{
	int64_t from = key - AROUND > a->first ? key - AROUND : a->first;
	view_cell byte;

	view_print(c, "  %5.1f %%  key %5" PRId64, 100.0 * weight, key);
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
	int64_t count = c->lines > 0 ? c->lines - (int64_t)display_count(c->out) - 2 : STRONGEST;

	count = count > MOST_LISTED ? MOST_LISTED : count < 2 ? 2 : count;
	view_styled(c, STYLE_HEADING, " head %" PRId64 " looks most at\n", a->head);
	for (int n = 0; n < count && n < a->keys - a->first; n++) {
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
		/* More of them only as long as they do not round to nothing. */
		if (n >= STRONGEST && weight < 0.0005)
			return;
		*weight_of(a, a->head, best) = -1.0;    /* drawn already */
		draw_key(c, a, best, weight);
	}
}

static enum status draw_next(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct attention *a = state;
	view_cell byte, logit;

	a->made = (int)view_int(row, 1);
	view_print(c, view_narrow(c) ? "\n the step gave byte %s for position %" PRId64
		   : "; the step gave byte %s for position %" PRId64,
		   view_byte_cell(a->made, byte), view_int(row, 0));
	if (!view_null(row, 2))
		view_print(c, ", logit %s", view_real_cell(row, 2, "%.2f", logit));
	return STATUS_OK;
}

static enum status draw_facts(const struct view_context *c, struct attention *a)
{
	view_print(c, " slot %" PRId64 ", %" PRId64 " key%s", a->slot, a->keys,
		   view_plural(a->keys));
	TRY(VIEW_ROWS(c, draw_next, a, "SELECT position, byte, logit FROM v_token WHERE run = ?1"
		      " AND step = ?2 AND slot = ?3 AND NOT prompt", c->run, a->place->step,
		      a->slot));
	view_print(c, "\n");
	if (a->first > 0)
		view_styled(c, STYLE_NOTE, " keys before %" PRId64 " are left out%s\n", a->first,
			    view_all_hint(c));
	view_visible_note(c, &a->visible);
	return STATUS_OK;
}

static enum status draw_bands(const struct view_context *c, struct attention *a, bool chunks)
{
	TRY(read_attention(c, a, chunks));
	TRY(draw_facts(c, a));
	for (int64_t from = a->first; from < a->last; from += a->band)
		draw_band(c, a, from, from + a->band < a->last ? from + a->band : a->last);
	draw_heads(c, a);
	view_heat_legend(c, VIEW_BYTES_LEGEND);
	if (a->scores == 0)
		view_styled(c, STYLE_NOTE, " no scores were recorded (--log points): a chunk's"
			    " share is spread over its keys\n");
	else
		draw_strongest(c, a);
	return STATUS_OK;
}

/* --- what fits --- */

/* How many lines of keys: as many as leave all heads on the screen, where its height is known. */
static int64_t count_bands(const struct view_context *c, const struct attention *a)
{
	int64_t others = 8 + STRONGEST + !c->heat + a->heads, each = c->heat ? 1 : 2, bands;

	if (c->all || c->lines <= 0)
		return c->all ? BANDS_ALL : BANDS;
	bands = 1 + (c->lines - others) / each;
	return bands < 2 ? 2 : bands > BANDS_MAX ? BANDS_MAX : bands;
}

/* Splits the keys into lines as long as the output is wide. The last line keeps more than half of
 * its keys, so that a new key does not push them out. */
static void choose_keys(const struct view_context *c, struct attention *a)
{
	int64_t columns = c->columns > 0 ? c->columns : COLUMNS, bands = count_bands(c, a), half;

	a->band = (columns - PREFIX - 1) / RULER * RULER;
	if (a->band < RULER)
		a->band = RULER;
	half = a->band / 2;
	a->last = a->keys > a->band ? (a->keys - half - 1) / half * half : 0;
	a->first = a->last > (bands - 1) * a->band ? a->last - (bands - 1) * a->band : 0;
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
	view_scores_place(&keys, a->shape, a->slot, 0, 0);
	status = view_scores_read(c, &keys);
	a->keys = keys.end;
	view_scores_free(&keys);
	return status;
}

/* The slot and head of the address, else those shown last. */
static void choose_head(const struct view_context *c, struct attention *a)
{
	const struct view_shape *s = a->shape;
	struct view_spot at = { c->slot, c->head, 0 };

	if (view_shape_named(c, s))
		at = view_shape_spot(c, s);
	a->heads = s->heads < HEADS ? s->heads : HEADS;
	a->head = at.head >= 0 && at.head < a->heads ? at.head : 0;
	a->slot = at.slot >= 0 && at.slot < s->slots ? at.slot : 0;
}

static enum status draw_found(const struct view_context *c, struct attention *a, bool chunks,
			      const struct view_recomputed *recomputed)
{
	enum status status;

	view_place_title(c, "ATTENTION in", a->place);
	view_recomputed_note(c, recomputed);
	choose_keys(c, a);
	a->weight = xcalloc((size_t)(a->heads * (a->keys - a->first)), sizeof *a->weight);
	a->text = xcalloc((size_t)(a->keys - a->first), 1);
	status = draw_bands(c, a, chunks);
	free(a->weight);
	free(a->text);
	free(a->chunks);
	return status;
}

static enum status draw_none(const struct view_context *c, const struct view_place *place,
			     const struct view_recomputed *recomputed)
{
	view_title(c, "ATTENTION: no scores here");
	view_recomputed_note(c, recomputed);
	return view_missing(c, place, LEVEL_POINTS, "scores");
}

static enum status draw_shape(const struct view_context *c, const struct view_shape *shape,
			      const struct view_recomputed *recomputed)
{
	struct attention a = { .place = &shape->place, .shape = shape, .made = -1 };
	bool chunks = false;

	choose_head(c, &a);
	TRY(count_keys(c, &a, &chunks));
	return a.keys > 0 ? draw_found(c, &a, chunks, recomputed)
		: draw_none(c, a.place, recomputed);
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	struct view_shape shape;
	struct view_recomputed recomputed = { 0 };
	enum status status;
	bool found;

	TRY(view_place_find(c, "w_attention", &place, &found));
	if (!found)
		return draw_none(c, NULL, &recomputed);
	TRY(view_recompute(c, place.launch, "score", &recomputed));
	status = view_shape_read(c, &place, &shape);
	if (status == STATUS_OK)
		status = draw_shape(c, &shape, &recomputed);
	view_shape_free(&shape);
	return status;
}

const struct view view_attention = {
	.name = "text",
	.summary = "the text so far, and how much each head looks at each byte",
	.table = "w_attention", .draw = draw
};
