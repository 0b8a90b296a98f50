/* view_digits.h - numbers of two runs next to each other: the digits that differ are lit. */
#ifndef VIEW_DIGITS_H
#define VIEW_DIGITS_H

#include "tui/views/view.h"

/* The first character in which two numbers differ, or their length if they do not. Numbers of
 * different signs or orders of magnitude differ from their first digit on. */
size_t view_digits_apart(const char *a, const char *b);
/* Prints a number in `width` columns, aligned on the right; what differs from `other` is lit. */
void view_digits(const struct view_context *, int width, const char *text, const char *other);

#endif
