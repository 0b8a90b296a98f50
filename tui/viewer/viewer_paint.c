/* viewer_paint.c - paints the bars and the visible part of the drawn lines on the terminal.
 *
 * Two sides are painted next to each other if their lines fit, else one above the other. Lines are
 * cut at the right edge, marked by '>'. viewer_draw.c provides the lines.
 */
#include "config.h"

#include "tui/viewer/viewer_paint.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "tui/viewer/viewer_help.h"
#include "tui/viewer/viewer_screens.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"

#define MIN_LINES 15
#define MIN_COLUMNS 60
#define BARS_ABOVE 3
#define BARS_BELOW 3
#define TABS 1                          /* the line of the tabs */
#define MIN_SIDE 50                     /* width of each of two sides next to each other */
#define SIDE 80                         /* from here on, wider lines are cut */

static bool too_small(void)
{
	return LINES < MIN_LINES || COLS < MIN_COLUMNS;
}

/* The Diff and Step screens already show both sides. */
static bool two_sides(const struct viewer *v)
{
	return v->split && v->here.view != &view_diff && v->here.view != &view_step;
}

static bool side_by_side(const struct viewer *v)
{
	return two_sides(v) && v->beside && COLS >= 2 * MIN_SIDE + 1;
}

bool viewer_fit_sides(struct viewer *v)
{
	int half = (COLS - 1) / 2;

	if (!two_sides(v))
		return false;
	v->beside = half >= SIDE || (display_width(v->side[0].display) <= half
				     && display_width(v->side[1].display) <= half);
	return true;
}

long viewer_lines(const struct viewer *v)
{
	long lines = LINES - BARS_ABOVE - BARS_BELOW;

	if (too_small())
		return 0;
	return two_sides(v) && !side_by_side(v) && !v->list ? (lines - 1) / 2 : lines;
}

void viewer_size(const struct viewer *v, int *lines, int *columns)
{
	*lines = (int)viewer_lines(v);
	*columns = side_by_side(v) ? (COLS - 1) / 2 : COLS;
}

/* --- text --- */

struct place_on_terminal {
	int y, x, width;
	int left;                       /* columns of the line cut off at the left */
};

/* Paints one character at a column of the line; false: it is right of the window. */
static bool put(const struct place_on_terminal *p, int column, wchar_t c, int attributes)
{
	wchar_t text[2] = { c, 0 };
	cchar_t cell;

	if (column < p->left)
		return true;
	if (column - p->left >= p->width)
		return false;
	setcchar(&cell, text, (attr_t)attributes & ~A_COLOR, (short)PAIR_NUMBER(attributes), NULL);
	mvadd_wch(p->y, p->x + column - p->left, &cell);
	return true;
}

/* Decodes the next character of a line, '?' for invalid bytes; returns how many bytes it has. */
static size_t next_char(const char *text, size_t bytes, enum view_style style, enum glyphs glyphs,
			wchar_t *c)
{
	mbstate_t state = { 0 };
	size_t used = mbrtowc(c, text, bytes, &state);

	if (used == 0 || used > bytes || wcwidth(*c) != 1) {
		*c = L'?';
		return used == 0 || used > bytes ? 1 : used;
	}
	if (used == 1 && (style == STYLE_CHART || style == STYLE_FRAME))
		*c = term_glyph(glyphs, *text);
	return used;
}

/* The selected line begins with a '>' wherever the window begins; a line without a margin for it
 * has its first character reversed. */
static void paint_selection(const struct display_line *line, const struct place_on_terminal *p)
{
	const struct place_on_terminal first = { p->y, p->x, p->width, 0 };
	bool margin = !*line->text || strchr(" >", *line->text);

	if (margin || p->left > 0)
		put(&first, 0, L'>', term_selection());
	else
		put(&first, 0, (unsigned char)*line->text < 128 ? (wchar_t)*line->text : L'?',
		    term_selection());
}

static void paint_line(const struct viewer *v, const struct display_line *line, bool current,
		       const struct place_on_terminal *p)
{
	size_t bytes = strlen(line->text), span = 0, at = 0;
	enum view_style style = STYLE_PLAIN;
	int column = 0;

	while (at < bytes) {
		wchar_t c;
		size_t used;

		while (span < line->span_count && line->spans[span].from <= at)
			style = line->spans[span++].style;
		used = next_char(line->text + at, bytes - at, style, v->glyphs, &c);
		if (!put(p, column, c, current ? term_selected(term_attributes(style))
			 : term_attributes(style))) {
			put(p, p->left + p->width - 1, L'>', term_attributes(STYLE_NOTE) | A_BOLD);
			break;
		}
		at += used;
		column++;
	}
	if (current)
		paint_selection(line, p);
}

static void paint_text(int y, int x, int width, int attributes, const char *text)
{
	const struct place_on_terminal p = { y, x, width, 0 };
	size_t bytes = strlen(text), at = 0;
	wchar_t c;

	for (int column = 0; at < bytes; column++) {
		at += next_char(text + at, bytes - at, STYLE_PLAIN, GLYPHS_ASCII, &c);
		if (!put(&p, column, c, attributes))
			return;
	}
}

static void paint_rule(const struct viewer *v, char c, int y, int x, int width)
{
	const struct place_on_terminal p = { y, x, width, 0 };

	for (int column = 0; column < width; column++)
		put(&p, column, term_glyph(v->glyphs, c), term_attributes(STYLE_NOTE));
}

long viewer_line_at(const struct viewer *v, int y)
{
	const struct display *d = v->list ? v->list : v->side[0].display;
	long line = y - BARS_ABOVE;

	if (line < 0 || line >= viewer_lines(v))
		return -1;
	line += v->list ? v->list_top : v->top;
	return line < (long)display_count(d) ? line : -1;
}

static void paint_window(const struct viewer *v, const struct display *d, long top, long row, int y,
			 int x, int width, long height)
{
	for (long i = 0; i < height && top + i < (long)display_count(d); i++) {
		const struct place_on_terminal p = { y + (int)i, x, width, v->left };

		paint_line(v, display_line(d, (size_t)(top + i)), top + i == row, &p);
	}
}

/* --- bars --- */

static void paint_title(const struct viewer *v)
{
	const char *second = v->side[1].store ? v->side[1].name : "";
	char text[400];

	snprintf(text, sizeof text, " flashtwin view  %s%s%s%s", v->side[0].name,
		 *second ? v->split ? "  |  " : "  (v: " : "", second,
		 *second && !v->split ? ")" : "");
	paint_text(0, 0, COLS, A_BOLD, text);
}

/* How tabs are written, so that they fit: from wide to narrow. */
struct tabs {
	bool close;                     /* "1Step" instead of "1 Step" */
	int named;                      /* only so many have names, and the current one */
};

static int tab_text(const struct viewer *v, int number, struct tabs tabs, char text[32])
{
	const struct viewer_screen *screen = &viewer_screens[number];
	const char *blank = tabs.close ? "" : " ";

	if (screen->view == v->here.view)
		return snprintf(text, 32, "[%c%s%s]", screen->key, blank, screen->tab);
	if (number >= tabs.named)
		return snprintf(text, 32, " %c", screen->key);
	return snprintf(text, 32, " %c%s%s%s", screen->key, blank, screen->tab, blank);
}

static int tabs_length(const struct viewer *v, struct tabs tabs)
{
	char text[32];
	int x = 0;

	for (int i = 0; viewer_screens[i].view; i++)
		x += tab_text(v, i, tabs, text);
	return x;
}

/* Names for all tabs if they fit, else for as many as fit. */
static struct tabs choose_tabs(const struct viewer *v, int width)
{
	struct tabs tabs = { .named = 0 };

	while (viewer_screens[tabs.named].view)
		tabs.named++;
	tabs.close = tabs_length(v, tabs) >= width;
	while (tabs.named > 0 && tabs_length(v, tabs) >= width)
		tabs.named--;
	return tabs;
}

/* The width left of the address, which is written to `at`. */
static int tabs_width(const struct viewer *v, char at[ADDRESS_TEXT + 4])
{
	strcpy(at, "at ");
	address_format(&v->here.at, at + 3);
	return COLS - (int)strlen(at) - 1;
}

int viewer_tab_at(const struct viewer *v, int y, int x)
{
	char at[ADDRESS_TEXT + 4], text[32];
	int width = tabs_width(v, at), end = 0;
	struct tabs tabs = choose_tabs(v, width);

	if (y != TABS || v->list || too_small())
		return 0;
	for (int i = 0; viewer_screens[i].view && end < width; i++) {
		end += tab_text(v, i, tabs, text);
		if (x < end && x < width)
			return viewer_screens[i].key;
	}
	return 0;
}

static void paint_tabs(const struct viewer *v)
{
	char at[ADDRESS_TEXT + 4], text[32];
	int x = 0, width = tabs_width(v, at);
	struct tabs tabs = choose_tabs(v, width);

	for (int i = 0; viewer_screens[i].view && x < width; i++) {
		int length = tab_text(v, i, tabs, text);

		paint_text(TABS, x, width - x,
			   viewer_screens[i].view == v->here.view ? A_BOLD : 0, text);
		x += length;
	}
	paint_text(TABS, width, COLS - width, A_BOLD, at);
}

static void paint_bars(const struct viewer *v)
{
	char hint[VIEWER_HINT];

	paint_title(v);
	if (v->list)
		paint_text(TABS, 0, COLS, A_BOLD | A_REVERSE, v->list_title);
	else
		paint_tabs(v);
	paint_rule(v, '-', 2, 0, COLS);
	paint_rule(v, '-', LINES - BARS_BELOW, 0, COLS);
	paint_text(LINES - 2, 1, COLS - 1,
		   v->message_is_error ? term_attributes(STYLE_WRONG) : 0, v->message);
	viewer_help_hint(v, COLS > 2 ? (size_t)COLS - 2 : 0, hint);
	paint_text(LINES - 1, 1, COLS - 1, term_attributes(STYLE_NOTE), hint);
}

/* --- all of it --- */

/* The highlighted line: the match of a search, else the row. */
static long current_line(const struct viewer *v, long row)
{
	return v->match >= 0 ? v->match : row;
}

static void paint_sides(const struct viewer *v)
{
	const struct display *d = v->side[0].display;
	long height = viewer_lines(v), row = current_line(v, display_row(d, &v->here.at));
	int half = (COLS - 1) / 2, y = BARS_ABOVE, x = 0;

	if (!two_sides(v)) {
		paint_window(v, d, v->top, row, y, 0, COLS, height);
		return;
	}
	paint_window(v, d, v->top, row, y, 0, side_by_side(v) ? half : COLS, height);
	if (side_by_side(v)) {
		for (long i = 0; i < height; i++)
			paint_rule(v, '|', y + (int)i, half, 1);
		x = half + 1;
	} else {
		paint_rule(v, '-', y + (int)height, 0, COLS);
		y += (int)height + 1;
	}
	d = v->side[1].display;
	paint_window(v, d, v->top, display_row(d, &v->here.at), y, x, COLS - x, height);
}

/* In the rule below the window: how much of the drawing is above and below it. */
static void paint_more(const struct viewer *v)
{
	const struct display *d = v->list ? v->list : v->side[0].display;
	long above = v->list ? v->list_top : v->top;
	long below = (long)display_count(d) - above - viewer_lines(v);
	char text[80] = "";

	if (above > 0 && below > 0)
		snprintf(text, sizeof text, " %ld lines above, %ld below: PgUp, PgDn ", above,
			 below);
	else if (below > 0)
		snprintf(text, sizeof text, " %ld more line%s: PgDn ", below, view_plural(below));
	else if (above > 0)
		snprintf(text, sizeof text, " %ld line%s above: PgUp ", above, view_plural(above));
	if ((int)strlen(text) + 2 < COLS)
		paint_text(LINES - BARS_BELOW, COLS - 2 - (int)strlen(text),
			   (int)strlen(text), term_attributes(STYLE_STRONG), text);
}

void viewer_paint(const struct viewer *v)
{
	erase();
	if (too_small()) {
		char text[80];

		snprintf(text, sizeof text, "flashtwin view needs at least %d x %d", MIN_COLUMNS,
			 MIN_LINES);
		paint_text(0, 0, COLS, 0, text);
	} else {
		paint_bars(v);
		paint_more(v);
		if (v->list) {
			paint_window(v, v->list, v->list_top, current_line(v, v->list_row),
				     BARS_ABOVE, 0, COLS, viewer_lines(v));
		} else {
			paint_sides(v);
		}
	}
	refresh();
}

void viewer_paint_message(const char *text)
{
	if (too_small())
		return;
	move(LINES - 2, 0);
	clrtoeol();
	paint_text(LINES - 2, 1, COLS - 1, 0, text);
	refresh();
}

void viewer_paint_prompt(const struct viewer *v, const char *prompt, const wchar_t *text)
{
	int width = COLS - 2 - (int)strlen(prompt), length = (int)wcslen(text);
	const struct place_on_terminal p = { LINES - 2, 1 + (int)strlen(prompt), width + 1,
					     length >= width ? length - width + 1 : 0 };

	viewer_paint(v);
	if (too_small())
		return;
	move(LINES - 2, 0);
	clrtoeol();
	paint_text(LINES - 2, 1, COLS - 1, A_BOLD, prompt);
	for (int i = 0; i < length; i++)
		put(&p, i, wcwidth(text[i]) == 1 ? text[i] : L'?', 0);
	put(&p, length, L' ', A_REVERSE);
	refresh();
}
