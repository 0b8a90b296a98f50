/* viewer_paint.h - puts the viewer on the terminal, and tells what of it lies where. */
#ifndef VIEWER_PAINT_H
#define VIEWER_PAINT_H

#include "tui/viewer/viewer_state.h"

/* Lines of content that fit on the terminal, 0: it is too small. */
long viewer_lines(const struct viewer *);
void viewer_paint(const struct viewer *);
/* The key of the screen whose tab is there, 0: none is. */
int viewer_tab_at(const struct viewer *, int y, int x);
/* The line of the first side's content, or of the list, at a line of the terminal; -1: none. */
long viewer_line_at(const struct viewer *, int y);
/* The line that is typed, with the cursor behind it. */
void viewer_paint_prompt(const struct viewer *, const char *prompt, const wchar_t *text);

/* Another message in place of the last, on the terminal as it is. */
void viewer_paint_message(const char *text);

#endif
