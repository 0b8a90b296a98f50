/* step_panes.c - draws the Step screen: KV cache, chunks and reduction side by side; see step.h.
 *
 * One line of keys, its chunk's share and its merge stand on one row. With a second run, a line
 * below has its numbers.
 */
#include "tui/views/step/step_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/view_bytes.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_columns.h"
#include "tui/views/view_print.h"

static double weight_of(const struct step *s, int64_t chunk, int64_t key)
{
	const struct step_chunk *k = &s->chunks[chunk];

	return k->weight ? k->weight[key - k->begin] : NAN;
}

/* --- KV cache --- */

/* Whether the frame has got to a key: its tile is done. */
static bool is_reached(const struct step_drawing *d, int64_t chunk, int64_t key)
{
	const struct step *s = d->step;
	const struct step_chunk *k = &s->chunks[chunk];

	if (chunk < d->shown.published)
		return true;
	if (chunk > d->shown.published)
		return false;
	return view_tile_of(k->tiles, d->shown.tiles < k->tile_count ? d->shown.tiles
			    : k->tile_count, key) >= 0;
}

static enum view_style heat_style(const struct step_drawing *d, const struct step_row *row,
				  int64_t key)
{
	double weight = weight_of(d->step, row->chunk, key);

	int level = is_reached(d, row->chunk, key)
		? view_format_heat(d->context->looks.scale, weight) : 0;

	if (!d->layout.heat)
		return step_is_new(d->step, key) ? STYLE_NEW : STYLE_PLAIN;
	return (enum view_style)((step_is_new(d->step, key) ? STYLE_HEAT_NEW : STYLE_HEAT) + level);
}

/* The text of keys, with their weights as heat; the key written in this step is underlined. */
static void draw_keys(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;
	const struct step *s = d->step;

	view_print(c, " %*" PRId64 " ", d->layout.prefix - 1, step_position(s, row->begin));
	for (int64_t key = row->begin; key < row->end; key++) {
		char byte = view_byte_mark(s->text[key]);
		enum view_style style = heat_style(d, row, key);

		if (!s->has_text)
			byte = d->layout.heat ? ' ' : '.';
		else if (!d->layout.heat && step_second_differs(d, key))
			style = STYLE_DIFFERS;
		view_styled(c, style, "%c", step_position(s, key) == step_new_key(s)
			    && !s->has_text ? 'W' : byte);
	}
	step_pad(c, d->layout.prefix + 1 + (int)(row->end - row->begin), d->layout.left);
}

/* Marks below the text where the output has no colours: the weight of each key, and W below a
 * single key that was written in this step. */
static void draw_marks(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;

	view_print(c, "%*s", d->layout.prefix + 1, "");
	for (int64_t key = row->begin; key < row->end; key++) {
		double weight = weight_of(d->step, row->chunk, key);
		char mark = isnan(weight) || !is_reached(d, row->chunk, key) ? ' '
			: view_format_mark(c->looks.scale, weight);

		if (step_position(d->step, key) == step_new_key(d->step))
			view_styled(c, STYLE_NEW, "W");
		else
			view_styled(c, step_is_new(d->step, key) ? STYLE_NEW : STYLE_CHART, "%c",
				    mark);
	}
	step_pad(c, d->layout.prefix + 1 + (int)(row->end - row->begin), d->layout.left);
}

static void draw_gap_keys(const struct step_drawing *d, const struct step_row *row)
{
	step_cell(d->context, d->layout.left, STYLE_NOTE, " %*s %" PRId64 " keys not shown",
		  d->layout.prefix - 1, "...", row->end - row->begin);
}

/* --- chunks --- */

void step_share_text(double share, char text[16])
{
	if (isnan(share))
		snprintf(text, 16, "   nan");
	else
		snprintf(text, 16, "%5.1f%%", 100.0 * share);
}

/* A chunk that is not complete in this frame: its running max and sum after its last tile. */
static void draw_unpublished(const struct step_drawing *d, const struct step_row *row, int digits)
{
	const struct step_chunk *k = &d->step->chunks[row->chunk];
	int64_t tiles = row->chunk == d->shown.published ? d->shown.tiles : 0;
	int width = d->layout.middle - digits - 1;
	char max[48], sum[48], text[160] = "...";

	/* With as many digits as fit; the message of the frame has the number of the tile too. */
	for (int length = 8; tiles > 0 && length > 2; length--) {
		step_number(d->context, length, k->tiles[tiles - 1].max, max);
		step_number(d->context, length, k->tiles[tiles - 1].sum, sum);
		if (length > 4)
			snprintf(text, sizeof text, "tile %" PRId64 " max %s sum %s", tiles - 1,
				 max, sum);
		else
			snprintf(text, sizeof text, "max %s sum %s", max, sum);
		if ((int)strlen(text) <= width)
			break;
	}
	if (d->layout.merge)
		step_cell(d->context, d->layout.middle, tiles ? STYLE_NEW : STYLE_NOTE,
			  "%*" PRId64 " %s", digits, k->number, text);
	else
		step_cell(d->context, d->layout.middle, STYLE_NOTE, "...");
}

/* "12 ####         62.0%  max 5.1340  sum 5.5789". Attention on the host has a bar for each
 * line. */
static void draw_chunk(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;
	const struct step_chunk *k = &d->step->chunks[row->chunk];
	int digits = snprintf(NULL, 0, "%" PRId64, d->step->chunks[d->step->count - 1].number);
	int numbers = d->layout.maxsum, width = d->layout.number;
	int label = d->layout.merge ? digits + 1 : 0;
	int bar = d->layout.middle - label - 7 - numbers;
	double part = d->layout.merge ? k->share : row->share;
	char share[16], max[48], sum[48];

	if (row->chunk >= d->shown.published) {
		draw_unpublished(d, row, digits);
		return;
	}
	step_share_text(part, share);
	if (label)
		view_print(c, "%*" PRId64 " ", digits, k->number);
	view_print(c, "%*s %s", view_bar(c, part, bar), "", share);
	if (numbers)
		view_print(c, "  max %-*s sum %-*s", width, step_number(c, width, k->max, max),
			   width, step_number(c, width, k->sum, sum));
	step_pad(c, label + bar + 7 + numbers, d->layout.middle);
}

/* "..3..17    12.0%": which chunks are not shown, and their share below those of the others. */
static void draw_gap_chunks(const struct step_drawing *d, const struct step_row *row)
{
	const struct step_chunk *chunks = d->step->chunks;
	int end = d->layout.middle - 6 - d->layout.maxsum;
	char share[16] = "   ...", what[64];

	if (row->last_chunk < d->shown.published)
		step_share_text(row->share, share);
	if (!d->layout.merge)
		snprintf(what, sizeof what, "...");
	else if (row->chunk == row->last_chunk)
		snprintf(what, sizeof what, "... of %" PRId64, chunks[row->chunk].number);
	else
		snprintf(what, sizeof what, "... %" PRId64 "-%" PRId64, chunks[row->chunk].number,
			 chunks[row->last_chunk].number);
	step_cell(d->context, end, STYLE_NOTE, "%s", what);
	step_cell(d->context, d->layout.middle - end, STYLE_NOTE, "%s", share);
}

/* --- reduction --- */

float step_sum_so_far(const struct step *s, int64_t chunk)
{
	double sum = 0.0;

	if (s->chunks[chunk].merged)
		return s->chunks[chunk].merge_sum;
	if (s->tiled)
		return s->chunks[chunk].sum;
	for (int64_t i = 0; i <= chunk; i++)
		sum += s->chunks[i].factor * s->chunks[i].sum;
	return (float)sum;
}

float step_factor(const struct step *s, int64_t chunk)
{
	const struct step_chunk *k = &s->chunks[chunk];

	return k->merged ? k->merge_factor : (float)k->factor;
}

/* "-+ x0.9841  7.9298  3.2099": the merge of a chunk, with the kernel's numbers if it published
 * them. */
static void draw_merge(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;
	const struct step_chunk *k = &d->step->chunks[row->chunk];
	bool last = row->chunk == d->step->live - 1;
	int width = d->layout.digits;
	char factor[48], sum[48];

	if (row->chunk >= d->shown.merged) {
		view_styled(c, STYLE_NOTE, " ...");
		return;
	}
	view_styled(c, STYLE_CHART, last ? "-+-" : "-+ ");
	view_print(c, "x%-*s %*s", width, step_number(c, width, step_factor(d->step, row->chunk),
						     factor),
		   width + 1, step_number(c, width, step_sum_so_far(d->step, row->chunk), sum));
	if (d->layout.acc && k->merged)
		view_print(c, "  %*s", width + 1,
			   step_fixed(c, width, d->acc_decimals, k->merge_acc0, sum));
}

/* The line from one merge to the next; returns its columns. */
int step_merge_line(const struct step_drawing *d, const struct step_row *row)
{
	if (row->last_chunk >= d->step->live - 1 || row->last_chunk >= d->shown.merged)
		return 0;
	return view_styled(d->context, STYLE_CHART, " |");
}

/* --- rows --- */

/* Rows lead to the block of their chunk; tiles, which share one, to their points. */
static void anchor(const struct step_drawing *d, const struct step_row *row)
{
	const struct step *s = d->step;
	struct address at = address_none;

	if (!s->tiled && s->attend.launch >= 0)
		view_shape_anchor(d->context, &s->shape, s->slot, s->head,
				  s->form == STEP_CHUNKS ? s->chunks[row->chunk].number : 0);
	if (!s->tiled || !s->published)
		return;
	at.run = d->context->at.run;
	step_tile_address(s, row->chunk, &at);
	display_anchor(d->context->out, &at);
}

static void draw_middle(const struct step_drawing *d, const struct step_row *row)
{
	if (row->gap)
		draw_gap_chunks(d, row);
	else if (row->first || !d->layout.merge)
		draw_chunk(d, row);
	else
		step_pad(d->context, 0, d->layout.middle);
}

static void draw_first_line(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;
	bool all = d->panes == PANES_ALL;

	if (row->first)
		anchor(d, row);
	if (d->panes & PANE_CACHE)
		row->gap ? draw_gap_keys(d, row) : draw_keys(d, row);
	if (all)
		step_frame(c);
	if (d->panes & PANE_CHUNKS)
		draw_middle(d, row);
	if (all && d->layout.merge)
		step_frame(c);
	if ((d->panes & PANE_MERGE) && d->layout.merge) {
		if (row->first && !row->gap)
			draw_merge(d, row);
		else
			step_merge_line(d, row);
	}
	view_print(c, "\n");
}

/* The second line of a row: marks of weights, and the numbers of a second run. */
static void draw_second_line(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;
	bool compared = d->second && (row->first || !d->layout.merge);

	if (!d->layout.heat)
		draw_marks(d, row);
	else if (d->second)
		step_second_keys(d, row);
	else
		step_pad(c, 0, d->layout.left);
	if (d->panes == PANES_ALL) {
		step_frame(c);
		compared ? step_second_chunk(d, row) : step_pad(c, 0, d->layout.middle);
		if (d->layout.merge) {
			step_frame(c);
			compared ? step_second_merge(d, row) : (void)step_merge_line(d, row);
		}
	}
	view_print(c, "\n");
}

int step_panes_height(const struct step_drawing *d)
{
	bool marks = !d->layout.heat && (step_has_weights(d->step) || step_new_key(d->step) >= 0);

	return d->panes == PANES_ALL ? 1 + (d->second || marks)
		: 1 + (d->panes == PANE_CACHE && marks);
}

static bool has_empty(const struct step *s)
{
	return s->max_len > step_position(s, s->keys - 1) + 1 || s->live < s->count
		|| s->keys < s->query.keys;
}

int64_t step_panes_lines(const struct step_drawing *d)
{
	int64_t lines = has_empty(d->step);

	for (int64_t i = 0; i < d->count; i++)
		lines += d->rows[i].gap ? 1 : step_panes_height(d);
	return lines;
}

static void draw_rows(const struct step_drawing *d)
{
	for (int64_t i = 0; i < d->count; i++) {
		const struct step_row *row = &d->rows[i];

		draw_first_line(d, row);
		if (!row->gap && step_panes_height(d) > 1)
			draw_second_line(d, row);
	}
}

/* The line below the last key: keys that the query does not see, or positions that hold no key
 * yet; nothing is written to pages later. */
static void draw_unseen(const struct step_drawing *d)
{
	const struct view_context *c = d->context;
	const struct step *s = d->step;
	int64_t newer = view_visible_newer(&s->visible, s->slot);
	bool masked = s->keys < s->query.keys || newer > 0;
	int64_t begin = step_position(s, s->keys - 1) + 1;
	int64_t end = newer > 0 ? begin + newer : masked ? s->query.keys : s->max_len;

	if (end > begin)
		step_cell(c, d->layout.left, STYLE_NOTE, " %*" PRId64 "..%" PRId64 " %s",
			  d->layout.prefix - 1, begin, end - 1,
			  masked ? "masked" : s->pages.rows > 0 ? "past the end"
			  : "not written yet");
	else
		step_pad(c, 0, d->layout.left);
}

/* "2" or "2..5": the chunks or warps without keys, which come last. */
static void name_empty(const struct step *s, char text[48])
{
	int64_t first = s->chunks[s->live].number, last = s->chunks[s->count - 1].number;

	if (first == last)
		snprintf(text, 48, "%" PRId64, first);
	else
		snprintf(text, 48, "%" PRId64 "..%" PRId64, first, last);
}

/* Empty chunks of the static grid, and what the cache has beyond the keys. */
static void draw_empty(const struct step_drawing *d)
{
	const struct view_context *c = d->context;
	const struct step *s = d->step;
	const char *left_out = s->shape.form == SHAPE_PLANNED ? "not planned"
		: view_shape_left_out(&s->shape);
	bool chunks = s->form == STEP_CHUNKS;
	char which[48];

	if (!has_empty(s))
		return;
	draw_unseen(d);
	step_frame(c);
	if (s->live == s->count) {
		step_pad(c, 0, d->layout.middle);
	} else {
		name_empty(s, which);
		step_cell(c, d->layout.middle, STYLE_NOTE, chunks ? "%s %s%s"
			  : "no keys: warp %s", which, left_out ? left_out : "empty",
			  chunks && !left_out && d->layout.maxsum ? ": max -inf, sum 0" : "");
	}
	if (d->layout.merge)
		view_styled(c, STYLE_FRAME, " |");
	view_print(c, "\n");
}

void step_panes_draw(const struct step_drawing *d)
{
	draw_rows(d);
	if (d->panes == PANES_ALL)
		draw_empty(d);
}
