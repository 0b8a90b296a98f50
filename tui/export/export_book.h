/* export_book.h - compact storage of many screens: each line once, screens as lists of lines.
 *
 * Most lines of a screen also occur on others. The '>' marks are left out, because the page sets
 * them itself. Used by export_html.c and export_screens.c.
 */
#ifndef EXPORT_BOOK_H
#define EXPORT_BOOK_H

#include <stdint.h>
#include <stdio.h>

#include "tui/views/view_display.h"

struct book;

struct book *book_create(void);
void book_free(struct book *);

/* Adds a screen and returns its number, from 0. Removes the '>' from the display's rows. */
int64_t book_add(struct book *, struct display *);

/* A JSON array of lines: "TEXT", or "TEXT\tSTYLES\tADDRESS" with styles as in "0.1,12.0"
 * (first character, number of the style) and the address of the row. */
void book_write_lines(const struct book *, FILE *);
/* A JSON array of screens, each an array of pairs: number of a first line, count of lines. */
void book_write_screens(const struct book *, FILE *);

#endif
