/* step_keys.c - what the Step screen shows below its panes where there is space: queries of a
 * prefill launch by key tile, and the strongest keys with their scores and rows; see step.h. */
#include "tui/views/step/step_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_bytes.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"

#define STRONGEST 5                     /* keys named in a line */
#define MIN_LINES 4                     /* of a list worth drawing */
#define MAX_LISTED 48                   /* keys, queries */
#define MAX_VALUES 32
#define FEW_KEYS 256
#define BYTE 6                          /* columns of a byte, of a share */
#define SHARE 6
#define TILE_TEXT 5                     /* columns of a share in percent */

/* --- the strongest keys --- */

/* The key with the largest weight below `below`, or equal to it and after key `after`; -1: none. */
static int64_t strongest(const struct step *s, double below, int64_t after, double *weight)
{
	int64_t best = -1;

	for (int64_t i = 0; i < s->live; i++) {
		const struct step_chunk *k = &s->chunks[i];

		for (int64_t key = k->begin; k->weight && key < k->end; key++) {
			double w = k->weight[key - k->begin];

			if ((w < below || (w == below && key > after))
			    && (best < 0 || w > *weight)) {
				best = key;
				*weight = w;
			}
		}
	}
	return best;
}

/* Those with the largest weights in one line. */
static void draw_line(const struct step_drawing *d)
{
	const struct view_context *c = d->context;
	const struct step *s = d->step;
	double weight = INFINITY, next = 0.0;
	int64_t key = -1;
	int used = 10;
	view_cell byte;
	char text[80];

	for (int n = 0; n < STRONGEST; n++) {
		key = strongest(s, weight, key, &next);
		weight = next;
		if (key < 0)
			break;
		if (s->text[key])
			snprintf(text, sizeof text, "  %s at %" PRId64 " %.1f%%",
				 view_byte_cell(s->text[key], byte), step_position(s, key),
				 100.0 * weight);
		else
			snprintf(text, sizeof text, "  key %" PRId64 " %.1f%%",
				 step_position(s, key), 100.0 * weight);
		used += (int)strlen(text);
		if (used > d->layout.columns)
			break;
		view_print(c, n ? "%s" : " looks at%s", text);
	}
	view_print(c, "\n");
}

/* --- a list of them --- */

struct listed {
	const struct step_drawing *drawing;
	int64_t count, values;          /* elements of each row that fit */
	int width;                      /* columns of an element */
	int64_t key[MAX_LISTED];
	float k[MAX_LISTED][MAX_VALUES], v[MAX_LISTED][MAX_VALUES];
	bool has_k, has_v;
	int score_decimals, k_decimals, v_decimals;     /* digits after the point */
};

static const struct step_chunk *chunk_of(const struct step *s, int64_t key)
{
	for (int64_t i = 0; i < s->live; i++)
		if (key >= s->chunks[i].begin && key < s->chunks[i].end)
			return &s->chunks[i];
	return NULL;
}

static void list_strongest(struct listed *l, int64_t lines)
{
	double weight = INFINITY, next = 0.0;
	int64_t key = -1;

	while (l->count < lines && l->count < MAX_LISTED) {
		key = strongest(l->drawing->step, weight, key, &next);
		weight = next;
		if (key < 0)
			break;
		l->key[l->count++] = key;
	}
}

/* Elements read at once. A damaged trace may claim any shape. */
#define MAX_READ ((int64_t)1 << 24)

/* One tensor's rows of the listed keys. All rows are read at once where one upload has them, as for
 * prefill, or where there are few; else one by one. */
static enum status read_values(const struct listed *l, char tensor,
			       float (*out)[MAX_VALUES], bool *known)
{
	const struct step *s = l->drawing->step;
	int64_t d = tensor == 'v' && s->form == STEP_TILES ? s->query.value_dim : s->d;
	bool at_once = s->form == STEP_TILES || s->keys <= FEW_KEYS;
	enum status status = STATUS_OK;
	int64_t rows;
	float *row;

	*known = d > 0 && d <= MAX_READ;
	if (!*known)
		return STATUS_OK;
	rows = at_once && s->keys <= MAX_READ / d ? s->keys : 1;
	row = xcalloc((size_t)(rows * d), sizeof *row);
	if (rows > 1)
		status = step_cache_rows(l->drawing->context, s, tensor, 0, rows, row, known);
	for (int64_t i = 0; i < l->count && *known && status == STATUS_OK; i++) {
		if (rows == 1)
			status = step_cache_rows(l->drawing->context, s, tensor, l->key[i],
						 l->key[i] + 1, row, known);
		for (int64_t j = 0; j < l->values && j < d; j++)
			out[i][j] = row[(rows > 1 ? l->key[i] * d : 0) + j];
	}
	free(row);
	return status;
}

/* The digits of a column, so that its points stand below each other. */
static void measure(struct listed *l)
{
	const struct step *s = l->drawing->step;
	float scores[MAX_LISTED] = { 0 };

	for (int64_t i = 0; i < l->count; i++) {
		const struct step_chunk *k = chunk_of(s, l->key[i]);

		if (k->score)
			scores[i] = k->score[l->key[i] - k->begin];
	}
	l->score_decimals = step_decimals(l->drawing->layout.number, scores, l->count);
	/* What was not read is zeros, which need no more columns. */
	l->k_decimals = step_decimals(l->width - 2, *l->k, l->count * MAX_VALUES);
	l->v_decimals = step_decimals(l->width - 2, *l->v, l->count * MAX_VALUES);
}

static void draw_values(const struct listed *l, const float *values, bool known, int decimals)
{
	char text[48];

	step_frame(l->drawing->context);
	for (int64_t j = 0; j < l->values && known; j++)
		view_print(l->drawing->context, "%*s", l->width,
			   step_fixed(l->drawing->context, l->width - 2, decimals, values[j],
				      text));
	if (!known)
		step_cell(l->drawing->context, l->width * (int)l->values, STYLE_NOTE,
			  " not recorded");
}

/* The numbers of keys, below the word. */
static int key_width(const struct step_drawing *d)
{
	return d->layout.prefix > 4 ? d->layout.prefix - 1 : 3;
}

static void draw_listed_key(const struct listed *l, int64_t i)
{
	const struct step_drawing *d = l->drawing;
	const struct view_context *c = d->context;
	const struct step *s = d->step;
	const struct step_chunk *k = chunk_of(s, l->key[i]);
	double weight = k->weight[l->key[i] - k->begin];
	int level = view_format_heat(c->looks.scale, weight);
	char score[48] = "-", share[16];
	view_cell byte;

	step_share_text(weight, share);
	if (k->score)
		step_fixed(c, d->layout.number, l->score_decimals, k->score[l->key[i] - k->begin],
			   score);
	view_print(c, " %*" PRId64 "  ", key_width(d),
		   step_position(s, l->key[i]));
	view_styled(c, d->layout.heat ? (enum view_style)(STYLE_HEAT + level) : STYLE_PLAIN,
		    "%-6s", s->text[l->key[i]] ? view_byte_cell(s->text[l->key[i]], byte) : "");
	view_print(c, " %s  %*s", share, d->layout.number, score);
	if (l->values > 0) {
		draw_values(l, l->k[i], l->has_k, l->k_decimals);
		draw_values(l, l->v[i], l->has_v, l->v_decimals);
	}
	view_print(c, "\n");
}

/* Columns of key, byte, weight and score. */
static int left_of_values(const struct step_drawing *d)
{
	return 1 + key_width(d) + 2 + BYTE + 1 + SHARE + 2 + d->layout.number;
}

static enum status draw_keys(const struct step_drawing *d, int64_t lines)
{
	const struct view_context *c = d->context;
	struct listed *l;
	int left = left_of_values(d);
	enum status status = STATUS_OK;

	if (!step_has_weights(d->step) || !d->shown.output)
		return STATUS_OK;
	if (lines < MIN_LINES) {
		draw_line(d);
		return STATUS_OK;
	}
	l = xcalloc(1, sizeof *l);
	l->drawing = d;
	l->width = d->layout.number > 9 ? d->layout.number + 2 : 9;
	l->values = (d->layout.columns - left - 7) / (2 * l->width);
	l->values = l->values > MAX_VALUES ? MAX_VALUES : l->values < 0 ? 0 : l->values;
	l->values = l->values > d->step->d ? d->step->d : l->values;
	list_strongest(l, lines - 1);
	if (l->values > 0)
		status = read_values(l, 'k', l->k, &l->has_k);
	if (l->values > 0 && status == STATUS_OK)
		status = read_values(l, 'v', l->v, &l->has_v);
	measure(l);
	view_styled(c, STYLE_NOTE, l->count < d->step->keys
		    ? " the %" PRId64 " largest of %" PRId64 " weights\n"
		    : " all %" PRId64 " weights, the largest first\n", l->count, d->step->keys);
	view_styled(c, STYLE_HEADING, " %*s  byte   weight  %*s", d->layout.prefix - 1,
		    "key", d->layout.number, "score");
	if (l->values > 0) {
		step_frame(c);
		step_cell(c, l->width * (int)l->values, STYLE_HEADING, "  K[0..%" PRId64 "] of %"
			  PRId64, l->values - 1, d->step->d);
		step_frame(c);
		view_styled(c, STYLE_HEADING, "  V[0..%" PRId64 "]", l->values - 1);
	}
	view_print(c, "\n");
	for (int64_t i = 0; i < l->count && status == STATUS_OK; i++)
		draw_listed_key(l, i);
	free(l);
	return status;
}

/* --- queries of a prefill launch --- */

/* Which tiles of keys are drawn, and how wide. */
struct grid {
	int64_t first, tiles, from;     /* query of the first line; tiles of it; first one drawn */
	int width;
	const double *share;            /* [queries][tiles] */
};

static void draw_tile(const struct step_drawing *d, const struct grid *g, double share)
{
	const struct view_context *c = d->context;
	int level = isnan(share) ? 0 : view_format_heat(c->looks.scale, share);
	enum view_style style = d->layout.heat ? (enum view_style)(STYLE_HEAT + level)
		: STYLE_CHART;

	if (isnan(share))
		view_styled(c, STYLE_NOTE, "%*s", g->width, g->width > 1 ? "-" : " ");
	else if (g->width > 1)
		view_styled(c, d->layout.heat ? style : STYLE_PLAIN, "%*.0f%%", g->width - 1,
			    100.0 * share);
	else
		view_styled(c, style, "%c", d->layout.heat ? ' '
			    : view_format_mark(c->looks.scale, share));
}

static void draw_query(const struct step_drawing *d, const struct grid *g, int64_t query)
{
	const struct view_context *c = d->context;
	const struct step *s = d->step;
	const double *share = &g->share[(query - g->first) * g->tiles];
	struct address at = address_none;
	int64_t key = query + s->query.offset;
	double before = 0.0;
	view_cell byte;

	at.run = c->at.run;
	step_query_address(s, query, &at);
	/* A block without a lane means this query: the cursor starts here. */
	if (query == s->query.number && c->at.lane < 0)
		at.warp = at.lane = -1;
	display_anchor(c->out, &at);
	view_styled(c, query == s->query.number ? STYLE_STRONG : STYLE_PLAIN, " %c %5" PRId64
		    "  %-6s", query == s->query.number ? '*' : ' ', query,
		    key >= 0 && key < s->text_keys && s->text[key]
		    ? view_byte_cell(s->text[key], byte) : "");
	for (int64_t tile = 0; tile < g->from; tile++)
		before += isnan(share[tile]) ? 0.0 : share[tile];
	if (g->from > 0)
		view_styled(c, STYLE_NOTE, "%5.1f%% ", 100.0 * before);
	for (int64_t tile = g->from; tile < g->tiles; tile++)
		draw_tile(d, g, share[tile]);
	view_print(c, "\n");
}

/* Leaves out the first tiles if not all fit; the last one is always drawn. */
static void fit_grid(const struct step_drawing *d, struct grid *g)
{
	int columns = d->layout.columns - 18;

	g->width = g->tiles * TILE_TEXT <= columns ? TILE_TEXT : 1;
	if (g->tiles * g->width > columns)
		g->from = columns > 8 ? g->tiles - (columns - 8) : g->tiles - 1;
}

static void draw_queries_heading(const struct step_drawing *d, const struct grid *g)
{
	const struct view_context *c = d->context;
	const struct step_query *q = &d->step->query;
	int64_t tile = q->number / q->rows, last = (tile + 1) * q->rows - 1;

	view_print(c, "\n");
	view_styled(c, STYLE_HEADING, " QUERIES of tile %" PRId64 ": %" PRId64 "..%" PRId64 " of %"
		    PRId64 "; weight by tile of %" PRId64 " keys", tile, tile * q->rows,
		    last < q->count ? last : q->count - 1, q->count, q->tile);
	if (g->from > 0)
		view_styled(c, STYLE_HEADING, ", first tiles 0..%" PRId64, g->from - 1);
	view_print(c, "\n");
}

/* As many queries of the tile as fit around the one that is shown. */
static enum status draw_queries(const struct step_drawing *d, int64_t lines, int64_t *used)
{
	const struct step_query *q = &d->step->query;
	struct grid g = { .from = 0 };
	int64_t begin, end;
	double *share;

	*used = 0;
	if (d->step->form != STEP_TILES || q->count < 2 || lines < MIN_LINES || !d->shown.output)
		return STATUS_OK;
	begin = q->number / q->rows * q->rows;
	end = begin + q->rows;
	end = end < q->count ? end : q->count;
	lines = lines - 2 < MAX_LISTED ? lines - 2 : MAX_LISTED;
	g.first = q->number - lines / 2;
	g.first = g.first + lines > end ? end - lines : g.first;
	g.first = g.first < begin ? begin : g.first;
	end = g.first + lines < end ? g.first + lines : end;
	TRY(step_query_shares(d->context, d->step, g.first, end - g.first, &share, &g.tiles));
	if (!share)
		return STATUS_OK;
	g.share = share;
	fit_grid(d, &g);
	draw_queries_heading(d, &g);
	for (int64_t query = g.first; query < end; query++)
		draw_query(d, &g, query);
	*used = end - g.first + 2;
	free(share);
	return STATUS_OK;
}

enum status step_keys_draw(const struct step_drawing *d, int64_t lines)
{
	bool more = lines > 3 * MIN_LINES;
	int64_t used;

	TRY(draw_queries(d, more ? lines / 2 : lines, &used));
	return draw_keys(d, lines - used);
}
