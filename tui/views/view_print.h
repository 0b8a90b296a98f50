/* view_print.h - what views draw with: styled text, titles, rows, lists that end early. */
#ifndef VIEW_PRINT_H
#define VIEW_PRINT_H

#include "tui/views/view.h"

/* Characters written. */
int view_print(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same in a style of its own. */
int view_styled(const struct view_context *, enum view_style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What the marks of a chart mean: a character behind a ` is such a mark, and gets the glyph it has
 * there. */
void view_legend(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Makes the line being written the row of a launch, or of a block of it; block -1: of all. */
void view_row_of(const struct view_context *, int64_t launch, int64_t block);
void view_title(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Whether row number `shown` of a list still fits; without --all lists end after `limit` rows. */
bool view_fits(const struct view_context *, int64_t shown, int64_t limit);
/* The last line of such a list, when it was cut. */
void view_more(const struct view_context *, int64_t rows, int64_t limit);

#endif
