/* slide_step.c - the picture of a step: keys by weight, chunks by share, and what flows into the
 * merge; see slide.h.
 *
 * A line for each chunk, or for a part of one with many keys. Lines that do not fit become a gap
 * with the share of what is left out, as on the Step screen.
 */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tui/views/view_cell.h"

enum {
	TOP = 128, FLOOR = 632, LINES = 13,
	KEYS_X = 92, KEYS_WIDTH = 440,
	BAR_X = 566, BAR_WIDTH = 230, SHARE_X = 808, RIBBON_X = 902, MERGE_X = 1080, OUT_X = 1100
};

struct drawing {
	const struct slide *slide;
	const struct step *step;
	struct step_row *rows;
	int64_t count, width;           /* width: keys of a line */
	double cell, pitch, top;        /* of a key and of a line; of the first line */
	double thickness;               /* of a ribbon with all of the row */
	double headings;                /* above the first ribbon, however thick it is */
	struct slide_column max, sum, factor;
};

/* As many keys to a line as a chunk has, up to 32; letters need that much space. */
static int64_t line_width(const struct step *s)
{
	int64_t longest = 8;

	for (int64_t i = 0; i < s->live; i++) {
		int64_t keys = s->chunks[i].end - s->chunks[i].begin;

		longest = keys > longest ? keys : longest;
	}
	return longest < 32 ? longest : 32;
}

static const char *unit_heading(const struct step *s)
{
	return s->tiled ? "KEY TILES: RUNNING MAX, SUM" : s->form == STEP_CHUNKS ? "CHUNKS"
		: s->form == STEP_ROWS ? "WARPS" : "SOFTMAX ON THE HOST";
}

/* --- the parts of a line --- */

/* A key appears with the tile that computed its score; before that it is in the cache. */
static void draw_key(const struct drawing *d, const struct step_chunk *k, int64_t chunk,
		     int64_t key, double x, double y)
{
	const struct slide *s = d->slide;
	struct slide_key shown = slide_key_of(s, k, key), unweighted = shown;
	double height = fmin(32.0, d->pitch - 10.0);

	if (s->frames > 0) {
		unweighted.weight = NAN;
		slide_key(s, x, y, d->cell, height, &unweighted);
		slide_appear(s, FRAME_TILE, chunk, k->tile_count > 0
			     ? view_tile_of(k->tiles, k->tile_count, key) : 0);
	}
	slide_key(s, x, y, d->cell, height, &shown);
	if (s->frames > 0)
		slide_appeared(s);
}

static void draw_keys(const struct drawing *d, const struct step_row *row, double y)
{
	const struct step_chunk *k = &d->step->chunks[row->chunk];

	slide_mono(d->slide, KEYS_X - 10, y + 19, "text-anchor=\"end\" font-size=\"13\""
		   " fill=\"" SLIDE_QUIET "\"", "%" PRId64, row->begin);
	for (int64_t key = row->begin; key < row->end; key++)
		draw_key(d, k, row->chunk, key, KEYS_X + (double)(key - row->begin) * d->cell, y);
}

/* Lines that are far apart leave space for numbers that are read from afar, and for the factor in a
 * line of its own. */
static bool is_roomy(const struct drawing *d)
{
	return d->pitch >= 92.0;
}

static int number_size(const struct drawing *d)
{
	return is_roomy(d) ? 15 : 12;
}

/* A name, and a value that ends where the longest of its column does. */
static void draw_number(const struct drawing *d, double x, double y, const char *name,
			const struct slide_column *column, float value, const float *other)
{
	const struct slide *s = d->slide;
	char text[48], look[96];
	double letter = 0.602 * number_size(d);

	slide_mono(s, x, y, "", "%s", name);
	snprintf(look, sizeof look, "text-anchor=\"end\"%s", slide_lit(s, value, other));
	slide_mono(s, x + letter * (4.25 + slide_column_width(column)), y, look, "%s",
		   slide_cell(column, value, text));
}

static void draw_numbers(const struct drawing *d, const struct step_chunk *k, double y)
{
	const struct slide *s = d->slide;
	const struct step_chunk *other = slide_other(s, k);

	if (d->pitch < 30.0)
		return;
	fprintf(s->out, "<g font-size=\"%d\" fill=\"" SLIDE_QUIET "\">", number_size(d));
	draw_number(d, BAR_X, y, "max", &d->max, k->max, other ? &other->max : NULL);
	draw_number(d, BAR_X + 10.2 * number_size(d), y, "sum", &d->sum, k->sum,
		    other ? &other->sum : NULL);
	fputs("</g>\n", s->out);
}

static void put_chunk_tooltip(const struct slide *s, const struct step_chunk *k)
{
	char max[64], sum[64], factor[64];

	fprintf(s->out, "<g><title>%s %" PRId64 ", keys %" PRId64 " to %" PRId64 ": max %s, sum %s",
		step_unit(s->step), k->number, k->begin, k->end - 1, slide_bits(k->max, max),
		slide_bits(k->sum, sum));
	if (k->merged)
		fprintf(s->out, ", factor %s", slide_bits(k->merge_factor, factor));
	fputs("</title>", s->out);
}

static double bar_height(const struct drawing *d)
{
	return fmax(8.0, fmin(32.0, d->pitch - 26.0));
}

static void draw_bar(const struct drawing *d, const struct step_row *row, double y)
{
	const struct slide *s = d->slide;
	const struct step_chunk *k = &d->step->chunks[row->chunk];
	bool chosen = k->number == d->step->chosen;
	double height = bar_height(d);

	slide_rect(s, BAR_X, y, BAR_WIDTH, height, 4, "fill=\"" SLIDE_FAINT "\"");
	slide_appear(s, d->step->form == STEP_CHUNKS ? FRAME_PARTIAL : FRAME_TILE, row->chunk,
		     d->step->form == STEP_CHUNKS || k->tile_count == 0 ? 0 : k->tile_count - 1);
	put_chunk_tooltip(s, k);
	slide_rect(s, BAR_X, y, fmax(2.0, BAR_WIDTH * k->share), height, fmin(4.0, height / 3),
		   chosen ? "fill=\"" SLIDE_DEEP "\"" : "fill=\"" SLIDE_BLUE "\"");
	fputs("</g>\n", s->out);
	slide_text(s, SHARE_X + 78, y + fmin(19.0, height / 2 + 6), "text-anchor=\"end\""
		   " font-weight=\"bold\"", "%.1f %%", 100.0 * k->share);
	draw_numbers(d, k, y + height + 3 + number_size(d));
	slide_appeared(s);
}

static float factor_of(const struct step_chunk *k)
{
	return k->merged ? k->merge_factor : (float)k->factor;
}

/* What flows into the merge; thickness is proportional to the share. */
static void draw_ribbon(const struct drawing *d, const struct step_row *row, double y, double *flow)
{
	const struct slide *s = d->slide;
	const struct step_chunk *k = &d->step->chunks[row->chunk];
	double share = isnan(k->share) ? 0.0 : k->share, thick = d->thickness * share;
	const struct step_chunk *other = slide_other(s, k);
	char text[48];

	/* A last block or a cluster merges all at once. */
	slide_appear(s, d->step->tiled ? FRAME_TILE : d->step->shape.merges ? FRAME_OUTPUT
		     : FRAME_MERGE, d->step->shape.merges ? 0 : row->chunk, 0);
	slide_ribbon(s, RIBBON_X, y + bar_height(d) / 2, MERGE_X, *flow + thick / 2,
		     fmax(1.2, thick), "fill=\"" SLIDE_BLUE "\" fill-opacity=\"0.5\"");
	/* The first tile has nothing before it to rescale. */
	if (d->pitch >= 30.0 && !(d->step->tiled && k->number == 0)) {
		fprintf(s->out, "<g font-size=\"%d\" text-anchor=\"end\" fill=\"" SLIDE_QUIET
			"\">", number_size(d));
		slide_mono(s, SHARE_X + 78, y + bar_height(d) + (is_roomy(d) ? 38 : 15),
			   slide_lit(s, factor_of(k), other ? &(float){ factor_of(other) } : NULL),
			   "%s\u00d7 %s", !is_roomy(d) ? "" : d->step->tiled ? "rescale "
			   : "factor ", slide_cell(&d->factor, factor_of(k), text));
		fputs("</g>\n", s->out);
	}
	slide_appeared(s);
	*flow += thick;
}

static void draw_gap(const struct drawing *d, const struct step_row *row, double y)
{
	const struct step *s = d->step;
	int64_t units = row->last_chunk - row->chunk + 1;

	slide_text(d->slide, KEYS_X, y + 16, "fill=\"" SLIDE_QUIET "\" font-style=\"italic\"",
		   "keys %" PRId64 " to %" PRId64 " in %" PRId64 " %s%s are not shown: %.1f %%",
		   row->begin, row->end - 1, units, step_unit(s),
		   units == 1 || s->form == STEP_HOST ? "" : "s", 100.0 * row->share);
}

static double merge_middle(const struct drawing *d)
{
	return fmax(d->top + (double)d->count * d->pitch / 2 - 10.0, TOP + 80.0);
}

static void draw_rows(const struct drawing *d)
{
	double flow = merge_middle(d) - d->thickness / 2;
	bool merges = d->step->form != STEP_HOST;

	for (int64_t i = 0; i < d->count; i++) {
		const struct step_row *row = &d->rows[i];
		double y = d->top + (double)i * d->pitch;

		if (row->gap) {
			draw_gap(d, row, y);
			continue;
		}
		draw_keys(d, row, y);
		if (row->first)
			draw_bar(d, row, y);
		if (row->first && merges)
			draw_ribbon(d, row, y, &flow);
	}
}

/* Blocks of the grid without keys. */
static void draw_empty(const struct drawing *d)
{
	const struct step *s = d->step;
	double y = d->top + (double)d->count * d->pitch + 6;
	int64_t empty = s->count - s->live;
	const char *left_out = view_shape_left_out(&s->shape);
	char which[64];

	if (empty == 0 || s->form != STEP_CHUNKS)
		return;
	snprintf(which, sizeof which, empty == 1 ? "chunk %" PRId64 " has" : "chunks %" PRId64
		 " to %" PRId64 " have", s->chunks[s->live].number, s->chunks[s->count - 1].number);
	slide_text(d->slide, KEYS_X, y, "fill=\"" SLIDE_QUIET "\" font-style=\"italic\"",
		   "%s no keys: %s", which, left_out ? left_out : "max \u2212\u221e, sum 0");
}

/* --- around the lines --- */

static void draw_quotient(const struct slide *s, const struct step_chunk *last, double y)
{
	char text[48];

	slide_mono(s, OUT_X, y, "font-size=\"13\" fill=\"" SLIDE_QUIET "\"", "= acc %s",
		   slide_number(last->merge_acc0, text));
	slide_mono(s, OUT_X, y + 17, "font-size=\"13\" fill=\"" SLIDE_QUIET "\"", "/ sum %s",
		   slide_number(last->merge_sum, text));
}

static void draw_result(const struct drawing *d)
{
	const struct slide *s = d->slide;
	const struct step *step = d->step;
	const struct step_chunk *last = &step->chunks[step->live - 1];
	double middle = merge_middle(d), half = d->thickness / 2;
	char number[48], byte[8];

	slide_appear(s, FRAME_OUTPUT, 0, 0);
	slide_rect(s, MERGE_X, middle - half - 2, 8, 2 * half + 4, 4, "fill=\"" SLIDE_DEEP "\"");
	if (step->has_out) {
		slide_mono(s, OUT_X, middle - 10, "", "out[0] =");
		fprintf(s->out, "<g font-size=\"19\" font-weight=\"bold\"><title>%s</title>",
			slide_bits(step->out0, (char [64]){ "" }));
		slide_mono(s, OUT_X, middle + 14, slide_lit(s, step->out0, s->other
			   && s->other->has_out ? &s->other->out0 : NULL), "%s",
			   slide_number(step->out0, number));
		fputs("</g>\n", s->out);
	} else {
		slide_text(s, OUT_X, middle + 5, "fill=\"" SLIDE_QUIET "\"", "not recorded");
	}
	if (last->merged && !step->tiled)
		draw_quotient(s, last, middle + 34);
	slide_appeared(s);
	if (step->made < 0)
		return;
	slide_appear(s, FRAME_MADE, 0, 0);
	slide_text(s, OUT_X, middle + 88, "fill=\"" SLIDE_QUIET "\"", "next byte");
	slide_rect(s, OUT_X, middle + 98, 40, 40, 6, "fill=\"#fff4ec\" stroke=\"" SLIDE_NEW
		   "\" stroke-width=\"2\"");
	if (step->made == ' ')
		slide_text(s, OUT_X + 20, middle + 122, "text-anchor=\"middle\" font-size=\"12\"",
			   "space");
	else
		slide_mono(s, OUT_X + 20, middle + 126, "text-anchor=\"middle\" font-size=\"22\"",
			   "%s", slide_byte(step->made, byte));
	slide_appeared(s);
}

static void draw_headings(const struct drawing *d)
{
	const struct slide *s = d->slide;
	const struct step *step = d->step;
	char cache[64];

	if (step->form == STEP_TILES)
		snprintf(cache, sizeof cache, "KEYS, %" PRId64 " SEEN", step->keys);
	else
		snprintf(cache, sizeof cache, step->max_len > 0 ? "KEYS, %" PRId64
			 " OF AT MOST %" PRId64 : "KEYS, %" PRId64, step->keys, step->max_len);
	slide_heading(s, KEYS_X, d->headings, cache);
	slide_heading(s, BAR_X, d->headings, unit_heading(step));
	fputs("<g text-anchor=\"end\">", s->out);
	slide_heading(s, SHARE_X + 78, d->headings, step->form == STEP_HOST || is_roomy(d)
		      ? "SHARE" : step->tiled ? "SHARE, \u00d7 RESCALE" : "SHARE, \u00d7 FACTOR");
	if (step->form != STEP_HOST)
		slide_heading(s, MERGE_X, d->headings, step->tiled ? "RESCALE" : "MERGE");
	fputs("</g>\n", s->out);
	slide_heading(s, OUT_X, d->headings, "OUTPUT");
}

static void draw_title(const struct slide *s)
{
	const struct step *step = s->step;
	char place[64] = "", slot[48];
	const char *unit = step_unit(step);

	if (step->attend.step >= 0)
		snprintf(place, sizeof place, "Step %" PRId64 ", ", step->attend.step);
	else if (step->attend.launch >= 0)
		snprintf(place, sizeof place, "L%" PRId64 ", ", step->attend.launch);
	slide_slot(step, slot);
	if (step->form == STEP_TILES)
		snprintf(slot, sizeof slot, "query %" PRId64 ", ", step->query.number);
	slide_title(s, "%slayer %" PRId64 ", %shead %" PRId64 ": %" PRId64 " key%s in %" PRId64
		    " %s%s", place, step->attend.layer < 0 ? 0 : step->attend.layer, slot,
		    step->head, step->keys, view_plural(step->keys), step->live,
		    step->form == STEP_HOST ? "softmax" : unit,
		    step->form == STEP_HOST ? "" : view_plural(step->live));
}

/* In an animated picture, what happens now. */
static void draw_frames(const struct slide *s)
{
	for (int64_t i = 0; i < s->frames; i++) {
		char text[64];

		step_frame_text(s->step, &s->memory->frames[i], text);
		slide_flash(s, i);
		slide_text(s, SLIDE_RIGHT, 46, "text-anchor=\"end\" fill=\"" SLIDE_NEW
			   "\" font-size=\"17\"", "%" PRId64 " of %" PRId64 ": %s", i + 1,
			   s->frames, text);
		slide_appeared(s);
	}
}

static void draw_legend(const struct slide *s)
{
	enum { X = SLIDE_LEFT + 52, Y = SLIDE_HEIGHT - 44 };

	slide_heat_legend(s, X, Y);
	slide_fresh_legend(s, X, Y);
	if (s->step->chosen < 0 || s->frames > 0)
		return;
	slide_rect(s, X + 650, Y, 15, 16, 3, "fill=\"" SLIDE_DEEP "\"");
	slide_text(s, X + 673, Y + 13, "fill=\"" SLIDE_QUIET "\" font-size=\"13\"",
		   "chunk %" PRId64 ", chosen", s->step->chosen);
}

enum status slide_step_draw(struct slide *s)
{
	struct drawing d = { .slide = s, .step = s->step, .width = line_width(s->step) };
	double widest = 0.0;

	step_rows(d.step, d.width, LINES, &d.rows, &d.count);
	for (int64_t i = 0; i < d.step->live; i++) {
		const struct step_chunk *k = &d.step->chunks[i];

		widest = fmax(widest, k->share);
		slide_column_add(&d.max, k->max);
		slide_column_add(&d.sum, k->sum);
		slide_column_add(&d.factor, factor_of(k));
	}
	d.cell = fmin(27.0, (double)KEYS_WIDTH / (double)d.width);
	d.pitch = fmin(104.0, (double)(FLOOR - TOP) / (double)(d.count > 1 ? d.count : 1));
	d.top = TOP + (FLOOR - TOP - (double)d.count * d.pitch) / 3;
	/* The widest ribbon must not cover its neighbours. */
	d.thickness = fmin(150.0, 0.8 * d.pitch / fmax(widest, 0.2));
	d.headings = d.top - fmax(16.0, (d.thickness * d.step->chunks[0].share - bar_height(&d)) / 2
				  + 10.0);
	draw_title(s);
	draw_headings(&d);
	draw_rows(&d);
	draw_empty(&d);
	draw_result(&d);
	draw_frames(s);
	draw_legend(s);
	free(d.rows);
	return STATUS_OK;
}
