/* viewer_term.h - opens the terminal, restores it on every exit path, and reads its keys.
 *
 * Knows nothing of screens. One terminal at a time, because signal handlers need global state.
 */
#ifndef VIEWER_TERM_H
#define VIEWER_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "base/status.h"
#include "tui/views/view_display.h"

enum glyphs { GLYPHS_ASCII, GLYPHS_UTF8, GLYPHS_SHADES, GLYPHS_COUNT };

/* USAGE, naming TERM, when the terminal is unknown or not suitable. With `mouse`, clicks and the
 * wheel are reported as keys; without it, the terminal handles them itself. */
enum status term_open(bool color, bool mouse);
/* Opens a terminal of that size without visible output, for measurements; its keys come from
 * term_type(). */
enum status term_open_hidden(int height, int width);
void term_type(const wchar_t *keys);
/* Restores the terminal; harmless when it is restored already. */
void term_close(void);

/* Waits for a key: a character, or TERM_CODE(KEY_*) for other keys. TERM_RESIZED after the size
 * changed, TERM_INTERRUPTED after SIGINT, TERM_LOST when no more input will arrive. */
#define TERM_CODE(curses_key) (0x200000 + (curses_key))
enum { TERM_RESIZED = -1, TERM_INTERRUPTED = -2, TERM_LOST = -3, TERM_TIMEOUT = -4 };
int term_key(void);
/* The same, but TERM_TIMEOUT when clock_ms() reaches due_ms, unless that is 0. */
int term_key_until(int64_t due_ms);
/* The next key that is typed already, which stays the next one; 0: none. */
int term_peek(void);
/* Bytes typed but not yet read as keys; INT_MAX: no more input will arrive. */
int term_waiting(void);
/* Whether a key or a signal is pending. For background work. */
bool term_pending(void);
/* Type and position of the last TERM_CODE(KEY_MOUSE): a click, or TERM_UP or TERM_DOWN of the
 * wheel; 0: an event to ignore. */
enum term_mouse { TERM_CLICK = 1, TERM_UP, TERM_DOWN };
enum term_mouse term_mouse(int *y, int *x);
/* Whether SIGINT is pending, which this consumes, or a signal that ends the viewer, which stays
 * pending. Stops if SIGTSTP is pending. For work that may take long. */
bool term_interrupted(void);

/* The next refresh repaints the whole terminal. */
void term_repaint(void);
/* Whether the locale is UTF-8. */
bool term_utf8(void);
/* The curses attributes of a style: the one place that defines how the parts of a screen look. */
int term_attributes(enum view_style);
/* The same on the selected line, whose colours keep their meaning, and of its '>'. */
int term_selected(int attributes);
int term_selection(void);
/* Whether the terminal shows styles of heat: it has 256 colours or more. */
bool term_heat(void);
/* The glyph for an ASCII character of a chart. */
wchar_t term_glyph(enum glyphs, char);

#endif
