/* export_book.h - many drawn screens in little room: lines kept once, screens as lists of lines.
 *
 * Most lines of a screen are those of another. Marks are left out, for the page puts them where the
 * reader is. Part of export_html.c.
 */
#ifndef EXPORT_BOOK_H
#define EXPORT_BOOK_H

#include <stdint.h>
#include <stdio.h>

#include "tui/views/view_display.h"

struct book;

struct book *book_create(void);
void book_free(struct book *);

/* The number of the screen, from 0. Takes the '>' off the display's rows. */
int64_t book_add(struct book *, struct display *);

/* A JSON array of lines: "TEXT", or "TEXT\tSTYLES\tADDRESS" with styles as in "0.1,12.0" (from
 * which character on, number of the style) and the address the line is the row of. */
void book_write_lines(const struct book *, FILE *);
/* A JSON array of screens, each an array of numbers: first line, how many follow it, and so on. */
void book_write_screens(const struct book *, FILE *);

#endif
