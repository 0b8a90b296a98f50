/* view_display.h - the output of a view: lines of styled text, some with the address they show.
 *
 * Used for both outputs: `view --plain` prints the lines at once, the viewer stores them and paints
 * a window of them. The text is the same in both; a style never adds information. It depends on
 * neither traces nor terminals.
 */
#ifndef VIEW_DISPLAY_H
#define VIEW_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tui/views/address.h"

#define HEAT_LEVELS 6

enum view_style {
	STYLE_PLAIN,
	STYLE_TITLE,                    /* title of a part of the screen */
	STYLE_HEADING,                  /* names of columns */
	STYLE_NOTE,                     /* legends and hints */
	STYLE_WRONG,                    /* a finding, a failed check, an error */
	STYLE_DIFFERS,                  /* differs from the other run */
	STYLE_NEW,                      /* written or read just now */
	STYLE_CHART,                    /* ASCII drawing; its characters may be drawn as glyphs */
	STYLE_FRAME,                    /* lines between parts of a screen, drawn as glyphs too */
	STYLE_STRONG,                   /* a result */
	STYLE_HEAT,                     /* + 1 to HEAT_LEVELS: a weight as the background */
	STYLE_HEAT_NEW = STYLE_HEAT + HEAT_LEVELS + 1,  /* the same, written just now */
	STYLE_COUNT = STYLE_HEAT_NEW + HEAT_LEVELS + 1
};

struct display_span {
	size_t from;                    /* byte in the line; ends where the next span begins */
	enum view_style style;
};

struct display_line {
	char *text;
	struct display_span *spans;     /* ascending; before the first: STYLE_PLAIN */
	size_t span_count;
	struct address at;              /* address that the line is the row of, or address_none */
};

struct display;

/* Lines are written to `sink` as they are finished, or stored when it is NULL. The row of `at`, and
 * the rows of what contains it, begin with '>' instead of a blank. */
struct display *display_create(FILE *sink, const struct address *at);
void display_free(struct display *);

/* Appends text; '\n' ends a line, other control characters become visible escapes. */
void display_text(struct display *, const char *text);
/* Sets the style of the text that follows on this line. */
void display_style(struct display *, enum view_style);
/* Makes the current line the row of an address. */
void display_anchor(struct display *, const struct address *);
/* Ends the current line when it has text. */
void display_finish(struct display *);

/* --- kept lines --- */

size_t display_count(const struct display *);
const struct display_line *display_line(const struct display *, size_t number);
/* The row of the address: the line with the finest anchor that covers it; -1: there is none. */
long display_row(const struct display *, const struct address *);
/* The nearest line after `from` (direction 1) or before it (-1) that is a row; -1: none. */
long display_next_row(const struct display *, long from, int direction);
/* Moves the '>' to the row of another address. */
void display_mark(struct display *, const struct address *at);
/* The style of the byte `at` of a line. */
enum view_style display_style_at(const struct display *, size_t line, size_t at);
/* Gives the bytes from <= i < past of a line another style. */
void display_restyle(struct display *, size_t line, size_t from, size_t past, enum view_style);
/* The columns of the widest line, but for notes, which may be cut. */
int display_width(const struct display *);
/* All lines as text, as a sink would have received them. */
void display_write(const struct display *, FILE *);

#endif
