/* slide_chunks.c - the picture of a row's chunks: their shares of the row, and one chunk key by
 * key, with its scores and the weights that the softmax makes of them; see slide.h.
 */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <math.h>

#include "tui/views/view_cell.h"

enum {
	BAR_Y = 132, BAR_HEIGHT = 34, LEFT = SLIDE_LEFT + 52, WIDTH = 1080,
	SCORE_Y = 258, SCORE_HEIGHT = 170, LETTER_Y = 442, LETTER_HEIGHT = 30,
	WEIGHT_Y = 506, WEIGHT_HEIGHT = 112, MOST_KEYS = 64
};

/* The keys that are drawn: those of a chunk, or as many of them as have space. */
struct zoom {
	const struct slide *slide;
	const struct step_chunk *chunk;
	int64_t end;
	double cell;
};

static int64_t chosen_chunk(const struct step *s)
{
	int64_t best = 0;

	for (int64_t i = 0; i < s->live; i++) {
		if (s->chunks[i].number == s->chosen)
			return i;
		if (s->chunks[i].share > s->chunks[best].share)
			best = i;
	}
	return best;
}

/* --- shares of the row --- */

/* As much about a part of the bar as there is space for. */
static void put_share(const struct slide *s, const struct step_chunk *k, double middle,
		      double width, bool chosen)
{
	const char *look = chosen ? "text-anchor=\"middle\" fill=\"#ffffff\" font-weight=\"bold\""
		: "text-anchor=\"middle\"";

	if (width > 124)
		slide_text(s, middle, BAR_Y + 22, look, "%s %" PRId64 ": %.1f %%",
			   step_unit(s->step), k->number, 100.0 * k->share);
	else if (width > 34)
		slide_text(s, middle, BAR_Y + 22, look, "%" PRId64, k->number);
}

/* The row as one bar; returns where the chosen chunk is in it. */
static void draw_shares(const struct slide *s, int64_t chosen, double *from, double *to)
{
	double x = LEFT;

	slide_heading(s, LEFT, BAR_Y - 14, s->step->tiled ? "SHARE OF EACH TILE OF KEYS"
		      : s->step->form == STEP_CHUNKS ? "SHARE OF EACH CHUNK IN THE ROW"
		      : "SHARE OF EACH PART IN THE ROW");
	for (int64_t i = 0; i < s->step->live; i++) {
		const struct step_chunk *k = &s->step->chunks[i];
		double width = WIDTH * (isnan(k->share) ? 0.0 : k->share);
		char sum[64];

		fprintf(s->out, "<g><title>%s %" PRId64 ": %.4f %%, sum %s</title>",
			step_unit(s->step), k->number, 100.0 * k->share, slide_bits(k->sum, sum));
		slide_rect(s, x, BAR_Y, width, BAR_HEIGHT, 0, i == chosen
			   ? "fill=\"" SLIDE_DEEP "\" stroke=\"#ffffff\""
			   : "fill=\"#a9c4e8\" stroke=\"#ffffff\"");
		put_share(s, k, x + width / 2, width, i == chosen);
		fputs("</g>\n", s->out);
		if (i == chosen) {
			*from = x;
			*to = x + width;
		}
		x += width;
	}
}

/* --- keys of the chunk --- */

static double key_x(const struct zoom *z, int64_t key)
{
	return LEFT + (double)(key - z->chunk->begin) * z->cell;
}

static void draw_scores(const struct zoom *z)
{
	const struct slide *s = z->slide;
	const struct step_chunk *k = z->chunk;
	double low = 0.0, high = 0.0, zero, scale;
	char text[48];

	for (int64_t key = k->begin; key < z->end; key++) {
		low = fmin(low, k->score[key - k->begin]);
		high = fmax(high, k->score[key - k->begin]);
	}
	high = fmax(high, k->max);
	scale = SCORE_HEIGHT / fmax(high - low, 1e-9);
	zero = SCORE_Y + high * scale;
	slide_heading(s, LEFT, SCORE_Y - 22, "SCORE OF EACH KEY: SCALED q\u00b7k");
	for (int64_t key = k->begin; key < z->end; key++) {
		float value = k->score[key - k->begin];
		double height = fabs((double)value) * scale;
		char bits[64];

		fprintf(s->out, "<g><title>key %" PRId64 ": score %s</title>", key,
			slide_bits(value, bits));
		slide_rect(s, key_x(z, key) + z->cell * 0.15, value > 0 ? zero - height : zero,
			   z->cell * 0.7, fmax(height, 0.5), 0, value == k->max
			   ? "fill=\"" SLIDE_NEW "\"" : value > 0 ? "fill=\"" SLIDE_BLUE "\""
			   : "fill=\"#9aa5b5\"");
		fputs("</g>\n", s->out);
	}
	slide_line(s, LEFT, zero, key_x(z, z->end), zero, "stroke=\"" SLIDE_QUIET "\"");
	slide_line(s, LEFT, zero - k->max * scale, LEFT + WIDTH, zero - k->max * scale,
		   "stroke=\"" SLIDE_NEW "\" stroke-dasharray=\"4 4\"");
	slide_mono(s, SLIDE_RIGHT, zero - k->max * scale - 6, "text-anchor=\"end\""
		   " fill=\"" SLIDE_NEW "\"", "max %s", slide_number(k->max, text));
	slide_mono(s, LEFT - 8, zero + 5, "text-anchor=\"end\" font-size=\"13\" fill=\""
		   SLIDE_QUIET "\"", "0");
}

static void draw_letters(const struct zoom *z)
{
	const struct slide *s = z->slide;

	for (int64_t key = z->chunk->begin; key < z->end; key++) {
		struct slide_key shown = slide_key_of(s, z->chunk, key);

		slide_key(s, key_x(z, key), LETTER_Y, z->cell, LETTER_HEIGHT, &shown);
	}
	slide_mono(s, LEFT - 8, LETTER_Y + 20, "text-anchor=\"end\" font-size=\"13\" fill=\""
		   SLIDE_QUIET "\"", "key %" PRId64, z->chunk->begin);
}

/* The weights inside the chunk: exp(score - max). */
static void draw_weights(const struct zoom *z)
{
	const struct slide *s = z->slide;
	const struct step_chunk *k = z->chunk;
	double floor = WEIGHT_Y + WEIGHT_HEIGHT;
	char text[48];

	slide_heading(s, LEFT, WEIGHT_Y - 14, "exp(SCORE \u2212 MAX) OF EACH KEY");
	for (int64_t key = k->begin; key < z->end; key++) {
		double term = exp((double)k->score[key - k->begin] - k->max);

		fprintf(s->out, "<g><title>key %" PRId64 ": exp(score - max) = %.9g</title>", key,
			term);
		slide_rect(s, key_x(z, key) + z->cell * 0.15, floor - WEIGHT_HEIGHT * term,
			   z->cell * 0.7, fmax(WEIGHT_HEIGHT * term, 0.5), 0,
			   "fill=\"" SLIDE_BLUE "\"");
		fputs("</g>\n", s->out);
	}
	slide_line(s, LEFT, floor, key_x(z, z->end), floor, "stroke=\"" SLIDE_QUIET "\"");
	/* Above the bars, which end anywhere below. */
	slide_mono(s, SLIDE_RIGHT, WEIGHT_Y - 14, "text-anchor=\"end\"", "sum %s",
		   slide_number(k->sum, text));
}

static void draw_zoom(const struct zoom *z, double from, double to)
{
	const struct slide *s = z->slide;
	char keys[64];

	fprintf(s->out, "<path d=\"M%.1f %dL%.1f %dH%dL%.1f %dZ\" fill=\"#dbe6f5\""
		" fill-opacity=\"0.6\"/>\n", from, BAR_Y + BAR_HEIGHT, (double)LEFT, SCORE_Y - 44,
		LEFT + WIDTH, to, BAR_Y + BAR_HEIGHT);
	snprintf(keys, sizeof keys, z->chunk->end - z->chunk->begin > 1 ? "keys %" PRId64 " to %"
		 PRId64 : "key %" PRId64, z->chunk->begin, z->chunk->end - 1);
	slide_text(s, LEFT + WIDTH / 2.0, SCORE_Y - 54, "text-anchor=\"middle\""
		   " font-weight=\"bold\" fill=\"" SLIDE_DEEP "\"", "%s %" PRId64 ": %s",
		   step_unit(s->step), z->chunk->number, keys);
	if (!z->chunk->score) {
		slide_text(s, LEFT, SCORE_Y + 40, "", "The trace has no scores of these keys:"
			   " --log points records them.");
		return;
	}
	draw_scores(z);
	draw_letters(z);
	draw_weights(z);
	if (z->end < z->chunk->end)
		slide_note(s, "The first %d keys of the chunk", MOST_KEYS);
}

enum status slide_chunks_draw(struct slide *s)
{
	const struct step *step = s->step;
	int64_t chosen = chosen_chunk(step);
	const struct step_chunk *k = &step->chunks[chosen];
	int64_t keys = k->end - k->begin < MOST_KEYS ? k->end - k->begin : MOST_KEYS;
	struct zoom zoom = { s, k, k->begin + keys, fmin(108.0, (double)WIDTH / (double)keys) };
	double from = LEFT, to = LEFT;
	char slot[48];

	slide_title(s, "L%" PRId64 ": %" PRId64 " key%s of %shead %" PRId64 " in %" PRId64 " %s%s",
		    step->attend.launch, step->keys, view_plural(step->keys),
		    slide_slot(step, slot), step->head,
		    step->live, step->form == STEP_HOST ? "softmax" : step_unit(step),
		    step->form == STEP_HOST ? "" : view_plural(step->live));
	draw_shares(s, chosen, &from, &to);
	draw_zoom(&zoom, from, to);
	slide_heat_legend(s, LEFT, SLIDE_HEIGHT - 44);
	if (step->first_written < zoom.end && step->last_written >= k->begin)
		slide_fresh_legend(s, LEFT, SLIDE_HEIGHT - 44);
	return STATUS_OK;
}
