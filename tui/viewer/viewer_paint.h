/* viewer_paint.h - paints the viewer on the terminal, and finds what is at a position. */
#ifndef VIEWER_PAINT_H
#define VIEWER_PAINT_H

#include "tui/viewer/viewer_state.h"

/* Lines of content that fit on the terminal; 0: the terminal is too small. */
long viewer_lines(const struct viewer *);
/* The lines and columns that a side has for its screen. */
void viewer_size(const struct viewer *, int *lines, int *columns);
/* Decides whether the two sides that were drawn stand next to each other; false: the screen shows
 * one side, or both by itself. */
bool viewer_fit_sides(struct viewer *);
void viewer_paint(const struct viewer *);
/* The key of the screen whose tab is at that position; 0: none. */
int viewer_tab_at(const struct viewer *, int y, int x);
/* The line of the first side's content, or of the list, at a line of the terminal; -1: none. */
long viewer_line_at(const struct viewer *, int y);
/* The line being typed, followed by the cursor. */
void viewer_paint_prompt(const struct viewer *, const char *prompt, const wchar_t *text);

/* Replaces the message; leaves the rest of the terminal unchanged. */
void viewer_paint_message(const char *text);

#endif
