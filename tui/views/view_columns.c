/* view_columns.c - aligned columns, shares with bars, and lists with gaps; see view_columns.h. */
#include "tui/views/view_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/view_print.h"

#define FEW 24                          /* rows of a list without gaps */
#define LARGEST 8                       /* rows with the largest shares */
#define MAX_BAR 60
#define MIN_BAR 8

/* --- columns --- */

void view_columns(const struct view_context *c, const struct view_column *columns, int count,
		  bool heading)
{
	for (int i = 0; i < count; i++)
		if (columns[i].width)
			view_styled(c, heading ? STYLE_HEADING : STYLE_PLAIN, " %*s",
				    columns[i].width, heading ? columns[i].name : columns[i].text);
}

int view_columns_width(const struct view_column *columns, int count)
{
	int width = 0;

	for (int i = 0; i < count; i++)
		width += columns[i].width ? 1 + abs(columns[i].width) : 0;
	return width;
}

/* --- numbers --- */

int view_decimals(double largest, int digits)
{
	while (digits > 0 && largest >= 9.9999995) {
		largest /= 10.0;
		digits--;
	}
	return digits;
}

const char *view_fixed_cell(double value, int decimals, view_cell cell)
{
	double size = fabs(value);

	if (isnan(value))
		snprintf(cell, VIEW_CELL, "nan");
	else if (size != 0.0 && !isinf(size)
		 && (size >= 1e7 || size < 0.5 * pow(10.0, -decimals)))
		snprintf(cell, VIEW_CELL, "%.1e", value);
	else
		snprintf(cell, VIEW_CELL, "%.*f", decimals, value);
	return cell;
}

const char *view_number_cell(const struct view_context *c, float value, int decimals,
			     view_cell cell)
{
	if (c->looks.number == NUMBER_DEC)
		return view_fixed_cell(value, decimals, cell);
	return view_float_cell(c, value, cell);
}

int view_number_width(const struct view_context *c, int fixed)
{
	switch (c->looks.number) {
	case NUMBER_DEC: return fixed;
	case NUMBER_HEX: return 10;
	case NUMBER_BITS: return 34;
	default: return 14;
	}
}

/* --- shares --- */

const char *view_share_cell(double share, view_cell cell)
{
	if (isnan(share))
		return "?";
	snprintf(cell, VIEW_CELL, "%.1f %%", 100.0 * share);
	return cell;
}

int view_bar(const struct view_context *c, double share, int width)
{
	/* Compared this way, a NaN and a damaged share give no bar and a full one. */
	int halves = share >= 1.0 ? 2 * width : share > 0.0 ? (int)(share * width * 2.0 + 0.5) : 0;

	for (int i = 0; i < halves / 2; i++)
		view_styled(c, STYLE_CHART, "#");
	if (halves % 2)
		view_styled(c, STYLE_CHART, "=");
	return width - (halves + 1) / 2;
}

int view_share_bar(const struct view_context *c, double share, int width)
{
	view_print(c, "  |");
	return view_bar(c, share, width);
}

int view_bar_width(const struct view_context *c, int used)
{
	int columns = c->looks.number == NUMBER_DEC ? 80 : 100, width;

	if (c->columns > 0)
		columns = c->columns;
	width = columns - used - 3;
	return width > MAX_BAR ? MAX_BAR : width < MIN_BAR ? 0 : width;
}

bool view_narrow(const struct view_context *c)
{
	return c->columns > 0 && c->columns < 80;
}

/* --- long lists --- */

/* A NaN is shown first: it is wrong, and so is the whole row. */
static bool is_larger(double share, double than)
{
	return isnan(share) ? !isnan(than) : share > than;
}

static void choose_largest(const double *share, int64_t count, bool *shown)
{
	for (int n = 0; n < LARGEST; n++) {
		int64_t best = -1;

		for (int64_t i = 0; i < count; i++)
			if (!shown[i] && (best < 0 || is_larger(share[i], share[best])))
				best = i;
		if (best >= 0)
			shown[best] = true;
	}
}

void view_choose(const double *share, int64_t count, int64_t at, bool all, bool *shown)
{
	for (int64_t i = 0; i < count; i++)
		shown[i] = all || count <= FEW || i == 0 || i == count - 1
			|| (at >= 0 && i >= at - VIEW_AROUND && i <= at + VIEW_AROUND);
	if (all || count <= FEW)
		return;
	choose_largest(share, count, shown);
	/* A gap of one row would take as much space as the row. */
	for (int64_t i = 1; i + 1 < count; i++)
		shown[i] |= shown[i - 1] && shown[i + 1];
}
