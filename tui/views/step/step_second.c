/* step_second.c - the numbers of a second run on the Step screen, below those of the first.
 *
 * From the first digit that differs on, they are lit. Where the bits differ but no digit that is
 * shown does, the last one is.
 */
#include "tui/views/step/step_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/view_bytes.h"
#include "tui/views/view_print.h"

static void draw_digits(const struct view_context *c, const char *first, const char *second,
			bool differs, int width)
{
	int length = (int)strlen(second), apart = 0;

	if (length > width)
		length = width;
	while (apart < length && first[apart] == second[apart])
		apart++;
	if (apart == length && differs)
		apart--;
	if (!differs)
		apart = length;
	view_styled(c, STYLE_NOTE, "%.*s", apart, second);
	view_styled(c, STYLE_DIFFERS, "%.*s", length - apart, second + apart);
	step_pad(c, length, width);
}

/* A number of both runs in a cell; aligned to the right if `right`. decimals -1: as many as fit
 * into `digits` columns. */
static void draw_number(const struct view_context *c, float a, float b, int digits, int decimals,
			int width, bool right)
{
	char mine[48], theirs[48];

	if (decimals >= 0) {
		step_fixed(c, digits, decimals, a, mine);
		step_fixed(c, digits, decimals, b, theirs);
	} else {
		step_number(c, digits, a, mine);
		step_number(c, digits, b, theirs);
	}
	if (right) {
		step_pad(c, (int)strlen(theirs), width);
		width = (int)strlen(theirs);
	}
	draw_digits(c, mine, theirs, !step_same(a, b), width);
}

static const struct step_chunk *same_chunk(const struct step_drawing *d, const struct step_row *row)
{
	const struct step_chunk *k = &d->step->chunks[row->chunk];

	for (int64_t i = 0; i < d->second->live; i++)
		if (d->second->chunks[i].number == k->number)
			return &d->second->chunks[i];
	return NULL;
}

/* The share of a chunk; of attention on the host, that of the line's keys. */
static double share_of(const struct step_drawing *d, const struct step_row *row,
		       const struct step_chunk *k)
{
	double share = 0.0;

	if (d->layout.merge)
		return k->share;
	for (int64_t key = row->begin; key < row->end && key < k->end; key++)
		share += k->weight[key - k->begin];
	return share;
}

bool step_second_differs(const struct step_drawing *d, int64_t key)
{
	const struct step *s = d->step, *other = d->second;

	return other && s->has_text && other->has_text && key < other->text_keys
		&& s->text[key] != other->text[key];
}

void step_second_keys(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;
	const struct step *other = d->second;
	bool differs = false;

	for (int64_t key = row->begin; key < row->end; key++)
		differs |= step_second_differs(d, key);
	if (!differs) {
		step_pad(c, 0, d->layout.left);
		return;
	}
	view_print(c, "%*s", d->layout.prefix + 1, "");
	for (int64_t key = row->begin; key < row->end; key++)
		view_styled(c, step_second_differs(d, key) ? STYLE_DIFFERS : STYLE_NOTE, "%c",
			    key < other->text_keys ? view_byte_mark(other->text[key]) : ' ');
	step_pad(c, d->layout.prefix + 1 + (int)(row->end - row->begin), d->layout.left);
}

void step_second_chunk(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;
	const struct step_chunk *k = &d->step->chunks[row->chunk], *other = same_chunk(d, row);
	char mine[48], theirs[48];
	double a, b;
	int used, width = d->layout.number;

	if (row->chunk >= d->shown.published) {
		step_pad(c, 0, d->layout.middle);
		return;
	}
	if (!other) {
		step_cell(c, d->layout.middle, STYLE_DIFFERS, "not in the other run");
		return;
	}
	a = share_of(d, row, k);
	b = share_of(d, row, other);
	step_share_text(a, mine);
	step_share_text(b, theirs);
	/* The shares stand below each other. */
	used = view_styled(c, STYLE_NOTE, "other run");
	step_pad(c, used, d->layout.middle - 6 - d->layout.maxsum);
	draw_digits(c, mine, theirs, strcmp(mine, theirs) != 0, 6);
	if (d->layout.maxsum) {
		view_styled(c, STYLE_NOTE, "  max ");
		draw_number(c, k->max, other->max, width, -1, width, false);
		view_styled(c, STYLE_NOTE, " sum ");
		draw_number(c, k->sum, other->sum, width, -1, width, false);
	}
}

void step_second_merge(const struct step_drawing *d, const struct step_row *row)
{
	const struct view_context *c = d->context;
	const struct step_chunk *k = &d->step->chunks[row->chunk], *other = same_chunk(d, row);
	int width = d->layout.digits, line = step_merge_line(d, row);
	int64_t i;

	if (!other || row->chunk >= d->shown.merged)
		return;
	i = other - d->second->chunks;
	step_pad(c, line, 4);
	draw_number(c, step_factor(d->step, row->chunk), step_factor(d->second, i), width, -1,
		    width, false);
	view_print(c, " ");
	draw_number(c, step_sum_so_far(d->step, row->chunk), step_sum_so_far(d->second, i), width,
		    -1, width + 1, true);
	if (d->layout.acc && k->merged && other->merged) {
		view_print(c, "  ");
		draw_number(c, k->merge_acc0, other->merge_acc0, width, d->acc_decimals,
			    width + 1, true);
	}
}

void step_second_result(const struct step_drawing *d)
{
	const struct view_context *c = d->context;
	char mine[48];

	if (!d->second || !d->second->has_out || !d->step->has_out || !d->shown.output)
		return;
	step_number(c, 10, d->second->out0, mine);
	step_pad(c, 0, d->layout.columns - (int)strlen(mine) - 11);
	view_styled(c, STYLE_NOTE, "other run ");
	draw_number(c, d->step->out0, d->second->out0, 10, -1, (int)strlen(mine),
		    false);
	view_print(c, "\n");
}
