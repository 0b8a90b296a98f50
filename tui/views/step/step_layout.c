/* step_layout.c - fits the panes of the Step screen into a terminal; see step_layout.h. */
#include "tui/views/step/step_layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/views/view_print.h"

#define FRAMES 6                        /* columns of both frames */
#define SIDE_BY_SIDE 80                 /* columns that three panes need */
#define MIN_CACHE 26
#define MIN_CHUNK 16                    /* a number, a short bar, a share */
#define MAX_SUM 11                      /* around max and sum of a chunk */
#define HEX 10                          /* columns of the bits of an f32 */
#define FULL 12                         /* of most numbers with all digits */
#define MERGE 6                         /* around the two numbers of a merge */
#define MORE_DIGITS 4
#define COLUMNS 100                     /* of output that has no width */

/* The most keys on a line that leave room for the others: a whole chunk where it fits. */
static int fit_keys(const struct step *s, int room)
{
	static const int sizes[] = { 128, 96, 64, 48, 32, 24, 16, 8 };
	int64_t longest = 1;

	for (int64_t i = 0; i < s->live; i++)
		if (s->chunks[i].end - s->chunks[i].begin > longest)
			longest = s->chunks[i].end - s->chunks[i].begin;
	if (longest <= room && longest <= sizes[0])
		return (int)longest;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		if (sizes[i] <= room)
			return sizes[i];
	return 8;
}

static bool has_acc(const struct step *s)
{
	return !s->tiled && s->live > 0 && s->chunks[0].merged;
}

/* Columns go to the text of the keys first, then to the numbers of the chunks, then to digits of
 * the merge and to acc[0], then to the bars. */
struct step_layout step_layout_fit(const struct view_context *c, const struct step *s)
{
	struct step_layout l = { .columns = c->columns > 0 ? c->columns : COLUMNS,
				 .heat = c->heat, .digits = 7, .number = 9,
				 .merge = s->form != STEP_HOST };
	int spare, numbers, frames = l.merge ? FRAMES : FRAMES / 2;

	if (c->looks.number == NUMBER_HEX || c->looks.number == NUMBER_BITS)
		l.digits = l.number = HEX;
	if (c->looks.number == NUMBER_FULL)
		l.number = FULL;
	numbers = MAX_SUM + 2 * l.number;
	l.stacked = l.columns < SIDE_BY_SIDE;
	l.prefix = 2 + snprintf(NULL, 0, "%lld", (long long)step_position(s, s->keys));
	if (l.stacked) {
		l.keys = fit_keys(s, l.columns - l.prefix - 1);
		l.left = l.middle = l.right = l.columns - 1;
		return l;
	}
	l.right = l.merge ? MERGE + 2 * l.digits : 0;
	l.keys = fit_keys(s, l.columns - frames - l.prefix - 1 - l.right - MIN_CHUNK);
	l.left = l.prefix + 1 + l.keys > MIN_CACHE ? l.prefix + 1 + l.keys : MIN_CACHE;
	spare = l.columns - frames - l.left - l.right - MIN_CHUNK;
	l.maxsum = spare >= numbers && l.merge ? numbers : 0;
	spare -= l.maxsum;
	if (l.merge && spare >= 2 * MORE_DIGITS) {
		l.digits += MORE_DIGITS;
		l.right += 2 * MORE_DIGITS;
		spare -= 2 * MORE_DIGITS;
	}
	l.acc = l.maxsum > 0 && has_acc(s) && spare >= 2 * l.digits + 1;
	if (l.acc)
		l.right += l.digits + 3;
	l.middle = l.columns - frames - l.left - l.right;
	return l;
}

void step_pad(const struct view_context *c, int used, int width)
{
	if (used < width)
		view_print(c, "%*s", width - used, "");
}

void step_cell(const struct view_context *c, int width, enum view_style style, const char *format,
	       ...)
{
	char text[256];
	va_list list;
	int used;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	used = (int)strlen(text);
	if (width >= 0 && used > width)
		text[used = width] = '\0';
	view_styled(c, style, "%s", text);
	step_pad(c, used, width);
}

void step_frame(const struct view_context *c)
{
	view_styled(c, STYLE_FRAME, " | ");
}

const char *step_number(const struct view_context *c, int width, float value, char text[48])
{
	uint32_t bits;
	int digits = 9;

	memcpy(&bits, &value, sizeof bits);
	if (c->looks.number != NUMBER_DEC || !isfinite(value)) {
		view_format_number(c->looks.number, bits, text);
		if ((int)strlen(text) <= width || !isfinite(value))
			return text;
	}
	/* All 32 bits are too many for a column here. */
	if (c->looks.number == NUMBER_BITS && width >= HEX) {
		view_format_number(NUMBER_HEX, bits, text);
		return text;
	}
	/* Digits after the point until the width is used. */
	while (snprintf(text, 48, "%.*f", digits, (double)value) > width && digits > 0)
		digits--;
	if ((int)strlen(text) > width)
		snprintf(text, 48, "%.3g", (double)value);
	return text;
}

int step_decimals(int width, const float *values, int64_t count)
{
	int longest = 1;

	for (int64_t i = 0; i < count; i++) {
		int length = isfinite(values[i])
			? snprintf(NULL, 0, "%.0f", trunc((double)values[i])) : 1;

		longest = length > longest ? length : longest;
	}
	return longest + 1 < width ? width - longest - 1 : 0;
}

const char *step_fixed(const struct view_context *c, int width, int decimals, float value,
		       char text[48])
{
	if (c->looks.number == NUMBER_DEC && isfinite(value)
	    && snprintf(text, 48, "%.*f", decimals, (double)value) <= width)
		return text;
	return step_number(c, width, value, text);
}
