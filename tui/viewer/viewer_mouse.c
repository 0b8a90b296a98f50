/* viewer_mouse.c - `view --mouse`: clicks on tabs and rows, and the wheel.
 *
 * The keyboard can do all of this too.
 */
#include "config.h"

#include "tui/viewer/viewer_actions.h"

#include "tui/viewer/viewer_paint.h"

#define WHEEL 3                         /* lines */

static void scroll(struct viewer *v, long by)
{
	long lines = (long)display_count(v->list ? v->list : v->side[0].display);
	long *top = v->list ? &v->list_top : &v->top;

	*top += by;
	if (*top > lines - viewer_lines(v))
		*top = lines - viewer_lines(v);
	if (*top < 0)
		*top = 0;
	/* Keep the current row of the list visible. */
	if (v->list && v->list_row >= 0) {
		long row = display_next_row(v->list, *top - 1, 1);

		v->list_row = row >= 0 ? row : v->list_row;
	}
}

/* Makes the clicked row the current place, as moving there with keys would. */
static void click_row(struct viewer *v, long line)
{
	const struct display *d = v->list ? v->list : v->side[0].display;
	struct address at;

	if (line < 0 || display_next_row(d, line - 1, 1) != line)
		return;
	if (v->list) {
		v->list_row = line;
		return;
	}
	at = viewer_row_address(v, d, line);
	viewer_go(v, &at);
	v->follow = false;
}

enum status viewer_mouse(struct viewer *v, int key)
{
	int y, x, tab;

	(void)key;
	switch (term_mouse(&y, &x)) {
	case TERM_UP:
		scroll(v, -WHEEL);
		break;
	case TERM_DOWN:
		scroll(v, WHEEL);
		break;
	case TERM_CLICK:
		tab = viewer_tab_at(v, y, x);
		if (tab > 0)
			return viewer_screen(v, tab);
		click_row(v, viewer_line_at(v, y));
		break;
	}
	return STATUS_OK;
}
