/* view_print.h - prints styled text, titles, rows and shortened lists into a display. */
#ifndef VIEW_PRINT_H
#define VIEW_PRINT_H

#include "tui/views/view.h"

/* Returns the number of characters printed. */
int view_print(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, in the given style. */
int view_styled(const struct view_context *, enum view_style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints the legend of a chart. A character after a ` is a mark of the chart, and is printed with
 * the same glyph. */
void view_legend(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Makes the current line the row of a launch (block -1), or of one of its blocks. */
void view_row_of(const struct view_context *, int64_t launch, int64_t block);
void view_title(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* How to see what was left out: ": --all shows them", ": + shows them"; "" where nothing does. */
const char *view_all_hint(const struct view_context *);
/* Whether row number `shown` of a list is shown: without --all, lists end after `limit` rows. */
bool view_fits(const struct view_context *, int64_t shown, int64_t limit);
/* Prints the last line of such a list if it was shortened. */
void view_more(const struct view_context *, int64_t rows, int64_t limit);

#endif
