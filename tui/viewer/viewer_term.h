/* viewer_term.h - the terminal: opened, restored on every way out, its keys and its size.
 *
 * Knows no screen. One terminal at a time: signals have no other place to find it.
 */
#ifndef VIEWER_TERM_H
#define VIEWER_TERM_H

#include <stdbool.h>
#include <wchar.h>

#include "base/status.h"
#include "tui/views/view_display.h"

enum glyphs { GLYPHS_ASCII, GLYPHS_UTF8, GLYPHS_SHADES, GLYPHS_COUNT };

/* USAGE, naming TERM, when it is unknown or cannot do it. With `mouse` its clicks and its wheel
 * come as keys; without, they are the terminal's own. */
enum status term_open(bool color, bool mouse);
/* A terminal of that size whose output nobody sees, for measurements: its keys are those given to
 * term_type(). */
enum status term_open_hidden(int height, int width);
void term_type(const wchar_t *keys);
/* Restores the terminal; harmless when it is restored already. */
void term_close(void);

/* A character, or TERM_CODE(KEY_*) of a key that is none. TERM_RESIZED after the size changed,
 * TERM_INTERRUPTED after SIGINT, TERM_LOST when nobody is at the keyboard any more. */
#define TERM_CODE(curses_key) (0x200000 + (curses_key))
enum { TERM_RESIZED = -1, TERM_INTERRUPTED = -2, TERM_LOST = -3 };
int term_key(void);
/* Bytes typed that no key was made of yet; INT_MAX: nobody will ever type again. */
int term_waiting(void);
/* Whether a key or a signal waits to be heeded. For work while nobody types. */
bool term_wanted(void);
/* What the last TERM_CODE(KEY_MOUSE) was and where: a click, or the wheel's TERM_UP or TERM_DOWN;
 * 0: nothing that matters. */
enum term_mouse { TERM_CLICK = 1, TERM_UP, TERM_DOWN };
enum term_mouse term_mouse(int *y, int *x);
/* Whether SIGINT came since, which it takes, or a signal that ends the viewer, which it leaves. For
 * work that may take long. */
bool term_interrupted(void);

/* The next painting assumes nothing of what is on the terminal. */
void term_repaint(void);
/* Whether the locale is UTF-8. */
bool term_utf8(void);
/* curses attributes of a style. */
int term_attributes(enum view_style);
/* What stands for an ASCII character of a chart. */
wchar_t term_glyph(enum glyphs, char);

#endif
