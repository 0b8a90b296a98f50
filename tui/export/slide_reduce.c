/* slide_reduce.c - the picture of a merge: what each chunk adds to the sum so far; see slide.h. */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <math.h>

#include "tui/views/view_cell.h"

enum {
	TOP = 134, FLOOR = 560, LINES = 11, NAME_X = 40, MAX_X = 250, FACTOR_X = 262,
	FACTOR_WIDTH = 150, FACTOR_TEXT = 426, SUM_X = 560, SUM_WIDTH = 430, SUM_TEXT = 1104,
	ACC_TEXT = 1240
};

/* The factor, sum and acc[0] that the merge of a chunk left behind: the kernel's, if it published
 * them. */
struct merged {
	float factor, sum, acc0;
	double before;                  /* the sum without this chunk */
};

static struct merged merge_of(const struct step *s, int64_t chunk)
{
	const struct step_chunk *k = &s->chunks[chunk];
	struct merged out = { .factor = k->merged ? k->merge_factor : (float)k->factor,
			      .acc0 = k->merge_acc0 };
	double sum = 0.0;

	for (int64_t i = 0; i <= chunk; i++) {
		out.before = sum;
		sum += s->chunks[i].factor * s->chunks[i].sum;
	}
	out.sum = k->merged ? k->merge_sum : (float)sum;
	if (s->tiled) {
		out.sum = k->sum;
		out.before = chunk > 0 ? k->merge_factor * s->chunks[chunk - 1].sum : 0.0;
	}
	return out;
}

struct columns {
	struct slide_column max, factor, sum, acc0;
};

static struct columns columns_of(const struct step *s, int64_t first)
{
	struct columns c = { 0 };

	for (int64_t i = first; i < s->live; i++) {
		struct merged m = merge_of(s, i);

		slide_column_add(&c.max, s->chunks[i].max);
		slide_column_add(&c.factor, m.factor);
		slide_column_add(&c.sum, m.sum);
		if (s->chunks[i].merged)
			slide_column_add(&c.acc0, m.acc0);
	}
	return c;
}

static void draw_line(const struct slide *s, const struct columns *c, int64_t chunk, double y,
		      double pitch, double most)
{
	const struct step_chunk *k = &s->step->chunks[chunk], *other = slide_other(s, k);
	struct merged m = merge_of(s->step, chunk), theirs = { 0 };
	double height = fmin(32.0, pitch - 10.0), middle = y + height / 2 + 5;
	char text[48], bits[3][64];

	if (other)
		theirs = merge_of(s->other, other - s->other->chunks);
	fprintf(s->out, "<g><title>max %s, factor %s, sum so far %s</title>",
		slide_bits(k->max, bits[0]), slide_bits(m.factor, bits[1]),
		slide_bits(m.sum, bits[2]));
	slide_text(s, NAME_X, middle, "", "%" PRId64, k->number);
	slide_text(s, NAME_X + 40, middle, "fill=\"" SLIDE_QUIET "\"", "%" PRId64 " to %" PRId64,
		   k->begin, k->end - 1);
	fputs("<g text-anchor=\"end\">", s->out);
	slide_mono(s, MAX_X - 16, middle, slide_lit(s, k->max, other ? &other->max : NULL), "%s",
		   slide_cell(&c->max, k->max, text));
	fputs("</g>", s->out);
	slide_rect(s, FACTOR_X, y, FACTOR_WIDTH, height, 4, "fill=\"" SLIDE_FAINT "\"");
	slide_rect(s, FACTOR_X, y, fmax(2.0, FACTOR_WIDTH * fmin((double)m.factor, 1.0)), height,
		   fmin(4.0, height / 3), "fill=\"" SLIDE_BLUE "\"");
	slide_mono(s, FACTOR_TEXT, middle, slide_lit(s, m.factor, other ? &theirs.factor : NULL),
		   "%s", slide_cell(&c->factor, m.factor, text));
	slide_rect(s, SUM_X, y, SUM_WIDTH * m.before / most, height, 0, "fill=\"#b9cfec\"");
	slide_rect(s, SUM_X + SUM_WIDTH * m.before / most, y,
		   fmax(1.5, SUM_WIDTH * ((double)m.sum - m.before) / most), height, 0,
		   "fill=\"" SLIDE_DEEP "\"");
	fputs("<g text-anchor=\"end\">", s->out);
	slide_mono(s, SUM_TEXT, middle, slide_lit(s, m.sum, other ? &theirs.sum : NULL), "%s",
		   slide_cell(&c->sum, m.sum, text));
	if (k->merged && !s->step->tiled)
		slide_mono(s, ACC_TEXT, middle, slide_lit(s, m.acc0, other && other->merged
			   ? &theirs.acc0 : NULL), "%s", slide_cell(&c->acc0, m.acc0, text));
	fputs("</g></g>\n", s->out);
}

static void draw_headings(const struct slide *s, double top)
{
	slide_heading(s, NAME_X, top - 18, s->step->tiled ? "TILE, KEYS" : s->step->form
		      == STEP_ROWS ? "WARP, KEYS" : "CHUNK, KEYS");
	fputs("<g text-anchor=\"end\">", s->out);
	slide_heading(s, MAX_X - 16, top - 18, "MAX");
	slide_heading(s, ACC_TEXT, top - 18, s->step->tiled ? "" : "acc[0] SO FAR");
	fputs("</g>\n", s->out);
	slide_heading(s, FACTOR_X, top - 18, s->step->tiled ? "RESCALE = exp(OLD MAX \u2212 NEW)"
		      : "FACTOR = exp(MAX \u2212 MAX OF ALL)");
	slide_heading(s, SUM_X, top - 18, s->step->tiled ? "SUM SO FAR"
		      : "SUM SO FAR; DARK: FACTOR \u00d7 SUM OF THIS ONE");
}

static void draw_result(const struct slide *s, double y)
{
	const struct step *step = s->step;
	const struct step_chunk *last = &step->chunks[step->live - 1];
	char out[64], acc[48], sum[48];

	if (!step->has_out)
		return;
	slide_line(s, SLIDE_LEFT, y - 30, SLIDE_RIGHT, y - 30, "stroke=\"" SLIDE_EDGE "\"");
	fputs("<g font-size=\"20\" text-anchor=\"end\">", s->out);
	if (last->merged && !step->tiled)
		slide_mono(s, SLIDE_RIGHT, y, slide_lit(s, step->out0, s->other && s->other->has_out
			   ? &s->other->out0 : NULL), "out[0] = acc[0] / sum = %s / %s = %s",
			   slide_number(last->merge_acc0, acc), slide_number(last->merge_sum, sum),
			   slide_number(step->out0, out));
	else
		slide_mono(s, SLIDE_RIGHT, y, slide_lit(s, step->out0, s->other && s->other->has_out
			   ? &s->other->out0 : NULL), "out[0] = %s",
			   slide_number(step->out0, out));
	fputs("</g>\n", s->out);
}

/* The last chunks, if there are too many. */
enum status slide_reduce_draw(struct slide *s)
{
	const struct step *step = s->step;
	int64_t first = step->live > LINES ? step->live - LINES : 0;
	double lines = (double)(step->live - first), pitch = fmin(70.0, (FLOOR - TOP) / lines);
	double top = TOP + (FLOOR - TOP - lines * pitch) / 4;
	double most = 0.0;
	struct columns columns = columns_of(step, first);
	char slot[48];
	int64_t launch = step->reduce.launch >= 0 ? step->reduce.launch : step->attend.launch;

	for (int64_t i = 0; i < step->live; i++)
		most = fmax(most, merge_of(step, i).sum);
	if (launch >= 0)
		slide_title(s, "L%" PRId64 ": the %s of %shead %" PRId64 ", %" PRId64 " %s%s",
			    launch, step->tiled ? "running softmax" : "merge",
			    slide_slot(step, slot), step->head, step->live, step_unit(step),
			    view_plural(step->live));
	else
		slide_title(s, "op %" PRId64 ": the softmax on the host, %shead %" PRId64,
			    step->attend.op, slide_slot(step, slot), step->head);
	if (first > 0)
		slide_note(s, "The last %d of them; the others are in the sum so far", LINES);
	draw_headings(s, top);
	for (int64_t i = first; i < step->live; i++)
		draw_line(s, &columns, i, top + (double)(i - first) * pitch, pitch,
			  most > 0 ? most : 1.0);
	draw_result(s, top + lines * pitch + 54);
	return STATUS_OK;
}
