/* viewer_search.c - searches for text on the screen, then on the same screen at later or earlier
 * places of the run, and wraps around at its end.
 *
 * A list, or a screen that is the same at every place, is searched alone.
 */
#include "config.h"

#include "tui/viewer/viewer_actions.h"

#include <string.h>

#include "tui/viewer/viewer_ask.h"
#include "tui/viewer/viewer_walk.h"
#include "tui/viewer/viewer_work.h"
#include "tui/views/view_list.h"

/* The next line after `from` (direction 1) or before it (-1) that has the text; -1: none. */
static long find_line(const struct display *d, const char *text, long from, int direction)
{
	for (long i = from + direction; i >= 0 && i < (long)display_count(d); i += direction)
		if (strstr(display_line(d, (size_t)i)->text, text))
			return i;
	return -1;
}

static void show_line(struct viewer *v, long line)
{
	const struct display *d = viewer_searched(v);
	struct address at = display_line(d, (size_t)line)->at;

	if (v->list) {
		v->list_row = v->list_row >= 0 ? line : -1;
		v->list_top = line;
	} else if (!address_equal(&at, &address_none)) {
		at = viewer_row_address(v, d, line);
		viewer_go(v, &at);
	} else {
		v->follow = true;
	}
	v->match = line;
}

/* --- one display --- */

/* The line that the search continues from: the last match, else the row of the place. */
static long line_here(const struct viewer *v, const struct display *d)
{
	long row = v->list ? v->list_row : display_row(d, &v->here.at);

	return v->match >= 0 && v->match < (long)display_count(d) ? v->match : row;
}

static void wrap_search(struct viewer *v, const struct display *d, int direction)
{
	long line = find_line(d, v->search, direction > 0 ? -1 : (long)display_count(d), direction);

	if (line < 0) {
		viewer_say(v, "'%s' not found", v->search);
		return;
	}
	show_line(v, line);
	viewer_say(v, "the search wrapped to the %s", direction > 0 ? "top" : "bottom");
}

/* --- the places of a run --- */

struct search_walk {
	enum walk_grain grain;
	const char *table;              /* only launches with rows in it; NULL: all */
	int direction;
	int64_t start;                  /* operation where it started */
	bool wrapped;
};

/* Screens of one thread are searched block by block, others launch by launch, because they list all
 * blocks of a launch. */
static struct search_walk begin_walk(const struct viewer *v, int direction)
{
	struct search_walk r = { .grain = WALK_LAUNCH, .direction = direction };

	if (v->here.view == &view_time)
		r.grain = WALK_STEP;
	else if (v->here.at.warp >= 0)
		r.grain = WALK_BLOCK;
	else
		r.table = v->here.view->table;
	return r;
}

/* The next place, and after the last one the first; *done when all places were visited. */
static enum status next_place(struct viewer *v, struct search_walk *r, struct address *at,
			      bool *done)
{
	struct view_context c = viewer_context(v, 0);
	struct address next = *at;
	int64_t op;
	bool moved;

	if (r->table)
		TRY(walk_rows(&c, r->table, r->direction, &next, &moved));
	else
		TRY(walk_step(&c, r->grain, r->direction, &next, &moved));
	if (!moved && !r->wrapped) {
		r->wrapped = true;
		TRY(walk_end(&c, r->direction, &next, &moved));
	}
	if (r->grain == WALK_LAUNCH)
		next.block = next.warp = next.lane = next.point = -1;
	TRY(walk_op(&c, &next, &op));
	*done = !moved || (r->wrapped && (r->direction > 0 ? op > r->start : op < r->start));
	*at = next;
	return STATUS_OK;
}

/* Draws the screen at a place and searches it. A screen that cannot be drawn has no text. */
static long search_place(struct viewer *v, const struct address *at, int direction,
			 struct address *found)
{
	struct view_context c = viewer_context(v, 0);
	long line = -1;

	c.at = *at;
	c.out = display_create(NULL, at);
	if (v->here.view->draw(&c) == STATUS_OK) {
		display_finish(c.out);
		line = find_line(c.out, v->search,
				 direction > 0 ? -1 : (long)display_count(c.out), direction);
	} else {
		error_clear();
	}
	*found = *at;
	if (line >= 0 && !address_equal(&display_line(c.out, (size_t)line)->at, &address_none))
		*found = viewer_row_address(v, c.out, line);
	display_free(c.out);
	return line;
}

static enum status search_run(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct search_walk r = begin_walk(v, direction);
	struct address at = v->here.at, place, found;
	bool done;

	TRY(walk_op(&c, &at, &r.start));
	TRY(next_place(v, &r, &at, &done));
	while (!done && !viewer_work_stopped(v)) {
		long line;

		place = at;
		if (r.grain == WALK_BLOCK) {
			place.warp = v->here.at.warp;
			place.lane = v->here.at.lane;
		}
		line = search_place(v, &place, direction, &found);
		if (line >= 0) {
			viewer_go(v, &found);
			v->match = line;
			v->top = 0;
			if (r.wrapped)
				viewer_say(v, "the search wrapped to the %s of the run",
					   direction > 0 ? "beginning" : "end");
			return STATUS_OK;
		}
		TRY(next_place(v, &r, &at, &done));
	}
	if (done)
		viewer_say(v, "'%s' not found on this screen at any place of the run",
			   v->search);
	return STATUS_OK;
}

/* --- keys --- */

static enum status find_text(struct viewer *v, int direction)
{
	const struct display *d = viewer_searched(v);
	long line;

	if (!*v->search) {
		viewer_say(v, "nothing to repeat: / starts a search");
		return STATUS_OK;
	}
	line = find_line(d, v->search, line_here(v, d), direction);
	if (line >= 0)
		show_line(v, line);
	else if (v->list || v->here.view->whole)
		wrap_search(v, d, direction);
	else
		return search_run(v, direction);
	return STATUS_OK;
}

enum status viewer_search(struct viewer *v, int key)
{
	(void)key;
	v->match = -1;
	return viewer_ask(v, "/", v->search) ? find_text(v, 1) : STATUS_OK;
}

enum status viewer_search_next(struct viewer *v, int key)
{
	(void)key;
	return find_text(v, 1);
}

enum status viewer_search_previous(struct viewer *v, int key)
{
	(void)key;
	return find_text(v, -1);
}
