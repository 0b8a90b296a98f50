/* view_columns.h - columns of numbers that line up, shares with bars, and which rows of a long list
 * are shown.
 *
 * A heading and its rows are printed from the same array of columns, so that they cannot differ.
 * Used by the screens of chunks and of the reduction.
 */
#ifndef VIEW_COLUMNS_H
#define VIEW_COLUMNS_H

#include "tui/views/view_cell.h"

/* --- columns --- */

struct view_column {
	const char *name, *text;
	int width;                      /* 0: left out; negative: aligned on the left */
};

/* Prints a blank and a cell for each column: their texts, or as a heading their names. */
void view_columns(const struct view_context *, const struct view_column *, int count,
		  bool heading);
/* The number of characters that view_columns() prints. */
int view_columns_width(const struct view_column *, int count);

/* --- numbers --- */

/* How many digits after the point leave numbers up to `largest` as wide as those below 10 with
 * `digits` of them. */
int view_decimals(double largest, int digits);
/* With that many digits after the point; with an exponent if those would say nothing. */
const char *view_fixed_cell(double, int decimals, view_cell);
/* An f32: in decimal as view_fixed_cell(), in the other formats with all digits or bits. */
const char *view_number_cell(const struct view_context *, float, int decimals, view_cell);
/* The width of such a column, which in decimal is `fixed`. */
int view_number_width(const struct view_context *, int fixed);

/* --- shares --- */

/* "97.6 %"; "?" for a NaN. */
#define VIEW_SHARE_WIDTH 7
const char *view_share_cell(double share, view_cell);
/* What stands over the bars: a share is of the weight of all keys of the row. */
#define VIEW_SHARE_OF "of all keys"
/* "####=", '=' for half a column; returns how many blanks make it `width` characters. */
int view_bar(const struct view_context *, double share, int width);
/* The same after "  |": it needs width + 3 characters. */
int view_share_bar(const struct view_context *, double share, int width);
/* The width of such bars after `used` characters of a line. Where the output has no width, lines of
 * rounded numbers fit into 80 columns, others into 100. 0: there is no space for bars. */
int view_bar_width(const struct view_context *, int used);

/* Whether the output is so narrow that lines have to leave something out. */
bool view_narrow(const struct view_context *);

/* --- long lists --- */

#define VIEW_AROUND 3                   /* rows shown before and after the one of the address */

/* Chooses which of `count` rows are shown: all if they are few or `all` is set; otherwise the first
 * and last, those around row `at` (-1: none), and those with the largest shares. The rows between
 * them are gaps of at least two. */
void view_choose(const double *share, int64_t count, int64_t at, bool all, bool *shown);

#endif
