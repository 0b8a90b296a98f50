/* viewer_move.c - the keys that move: by rows, by steps of every grain, to screens and marks. */
#include "config.h"

#include "tui/viewer/viewer_actions.h"

#include <stdlib.h>
#include <string.h>

#include "tui/viewer/viewer_paint.h"
#include "tui/viewer/viewer_screens.h"
#include "tui/viewer/viewer_walk.h"
#include "tui/viewer/viewer_work.h"
#include "tui/views/view_list.h"

/* --- steps --- */

static enum status step(struct viewer *v, enum walk_grain grain, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	bool moved;

	/* A screen that only some launches have skips the others. */
	TRY(trail_step(&c, &v->trail, grain, grain == WALK_LAUNCH ? v->here.view->table : NULL,
		       direction, &at, &moved));
	if (!moved)
		viewer_say(v, direction > 0 ? "nothing after this place" :
			   "nothing before this place");
	else
		viewer_go(v, &at);
	return STATUS_OK;
}

#define STEP(name, grain, direction) \
	enum status viewer_##name(struct viewer *v, int key) \
	{ \
		(void)key; \
		return step(v, grain, direction); \
	}
STEP(next_step, WALK_STEP, 1)
STEP(previous_step, WALK_STEP, -1)
STEP(next_op, WALK_OP, 1)
STEP(previous_op, WALK_OP, -1)
STEP(next_launch, WALK_LAUNCH, 1)
STEP(previous_launch, WALK_LAUNCH, -1)
STEP(next_block, WALK_BLOCK, 1)
STEP(previous_block, WALK_BLOCK, -1)
STEP(next_tile, WALK_TILE, 1)
STEP(previous_tile, WALK_TILE, -1)
STEP(next_point, WALK_POINT, 1)
STEP(previous_point, WALK_POINT, -1)
STEP(next_request, WALK_REQUEST, 1)
STEP(previous_request, WALK_REQUEST, -1)

/* --- rows --- */

static void move_in_list(struct viewer *v, int direction)
{
	long row = display_next_row(v->list, v->list_row, direction);
	long last = (long)display_count(v->list) - viewer_lines(v);

	if (row >= 0)
		v->list_row = row;
	else if (v->list_row < 0 && v->list_top + direction >= 0 && v->list_top < last)
		v->list_top += direction;
}

static enum status move_row(struct viewer *v, int direction)
{
	const struct display *d = v->side[0].display;
	long row = display_row(d, &v->here.at), next;
	struct address at;

	if (v->list) {
		move_in_list(v, direction);
		return STATUS_OK;
	}
	next = row < 0 && direction < 0 ? -1 : display_next_row(d, row, direction);
	/* Several lines may have the same address. */
	while (row >= 0 && next >= 0 && address_equal(&display_line(d, (size_t)next)->at,
						      &display_line(d, (size_t)row)->at))
		next = display_next_row(d, next, direction);
	if (next < 0)
		return step(v, viewer_screen_of(v->here.view)->grain, direction);
	at = viewer_row_address(v, d, next);
	viewer_go(v, &at);
	return STATUS_OK;
}

enum status viewer_next_row(struct viewer *v, int key)
{
	(void)key;
	return move_row(v, 1);
}

enum status viewer_previous_row(struct viewer *v, int key)
{
	(void)key;
	return move_row(v, -1);
}

/* --- scrolling --- */

static enum status scroll(struct viewer *v, long by)
{
	if (v->list) {
		long lines = (long)display_count(v->list), top = v->list_top + by;
		long row;

		v->list_top = top < 0 ? 0 : top >= lines ? lines - 1 : top;
		row = display_next_row(v->list, v->list_top - 1, 1);
		if (v->list_row >= 0 && row >= 0)
			v->list_row = row;
	} else {
		v->top += by;
	}
	return STATUS_OK;
}

static long page(const struct viewer *v)
{
	return viewer_lines(v) > 2 ? viewer_lines(v) - 2 : 1;
}

#define SCROLL(name, by) \
	enum status viewer_##name(struct viewer *v, int key) \
	{ \
		(void)key; \
		return scroll(v, by); \
	}
SCROLL(page_down, page(v))
SCROLL(page_up, -page(v))
SCROLL(half_down, (page(v) + 1) / 2)
SCROLL(half_up, -(page(v) + 1) / 2)

enum status viewer_left(struct viewer *v, int key)
{
	(void)key;
	v->left = v->left > 8 ? v->left - 8 : 0;
	return STATUS_OK;
}

enum status viewer_right(struct viewer *v, int key)
{
	(void)key;
	if (v->left < 200)
		v->left += 8;
	return STATUS_OK;
}

static void list_to_end(struct viewer *v, int direction)
{
	v->list_row = display_next_row(v->list, direction > 0 ? -1 : (long)display_count(v->list),
				       direction);
	v->list_top = direction > 0 ? 0 : (long)display_count(v->list) - 1;
}

/* The first or last row of the screen; without rows, its first or last line. */
static enum status to_end_row(struct viewer *v, int direction)
{
	const struct display *d = v->side[0].display;
	long last = (long)display_count(d), row = display_next_row(d, direction > 0 ? -1 : last,
								   direction);
	struct address at;

	if (v->list) {
		list_to_end(v, direction);
	} else if (row < 0) {
		v->top = direction > 0 ? 0 : last;
	} else {
		at = viewer_row_address(v, d, row);
		viewer_go(v, &at);
	}
	return STATUS_OK;
}

enum status viewer_first_row(struct viewer *v, int key)
{
	(void)key;
	return to_end_row(v, 1);
}

enum status viewer_last_row(struct viewer *v, int key)
{
	(void)key;
	return to_end_row(v, -1);
}

static enum status to_end(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	bool moved;

	if (v->list) {
		list_to_end(v, direction);
		return STATUS_OK;
	}
	TRY(walk_end(&c, direction, &at, &moved));
	if (moved)
		viewer_jump(v, v->here.view, &at);
	return STATUS_OK;
}

enum status viewer_first(struct viewer *v, int key)
{
	(void)key;
	return to_end(v, 1);
}

enum status viewer_last(struct viewer *v, int key)
{
	(void)key;
	return to_end(v, -1);
}

/* --- screens --- */

enum status viewer_screen(struct viewer *v, int key)
{
	viewer_close_list(v);
	for (int i = 0; viewer_screens[i].view; i++)
		if (viewer_screens[i].key == key)
			return viewer_open_view(v, viewer_screens[i].view);
	return STATUS_OK;
}

/* The screen with more detail on the place: from the timeline to the launch, to its chunks, to the
 * points, to the source; from requests to the source. NULL: there is none. */
static const struct view *view_below(const struct viewer *v)
{
	if (v->here.view == &view_summary)
		return &view_time;
	if (v->here.view == &view_time && v->here.at.launch >= 0)
		return &view_launch;
	if (v->here.at.block >= 0 && (v->here.view == &view_chunks || v->here.view == &view_reduce))
		return &view_points;
	if (v->here.view == &view_step
	    || (v->here.view == &view_launch && v->here.at.block >= 0))
		return &view_chunks;
	if (v->here.view == &view_points || v->here.view == &view_diff
	    || v->here.view == &view_findings || v->here.view == &view_memory)
		return &view_source;
	return NULL;
}

enum status viewer_deeper(struct viewer *v, int key)
{
	const struct view *below = view_below(v);

	(void)key;
	if (v->list) {
		struct address at;

		if (v->list_row < 0)
			return STATUS_OK;
		at = viewer_row_address(v, v->list, v->list_row);
		viewer_close_list(v);
		viewer_jump(v, v->here.view, &at);
		return STATUS_OK;
	}
	if (!below) {
		viewer_say(v, "nothing to open here");
		return STATUS_OK;
	}
	if (below == &view_points && v->here.at.warp < 0)
		v->here.at.warp = v->here.at.lane = 0;
	return viewer_open_view(v, below);
}

enum status viewer_back(struct viewer *v, int key)
{
	(void)key;
	if (v->list) {
		viewer_close_list(v);
	} else if (v->opened.count > 0) {
		struct viewer_place to = v->opened.items[--v->opened.count];

		v->here.view = to.view;
		viewer_go(v, &to.at);
	} else {
		v->quit = true;
	}
	return STATUS_OK;
}

enum status viewer_escape(struct viewer *v, int key)
{
	if (v->list || v->opened.count > 0)
		return viewer_back(v, key);
	viewer_say(v, "Q quits");
	return STATUS_OK;
}

enum status viewer_quit(struct viewer *v, int key)
{
	(void)key;
	v->quit = true;
	return STATUS_OK;
}

/* --- two sides --- */

enum status viewer_split(struct viewer *v, int key)
{
	(void)key;
	v->split = !v->split;
	v->follow = true;
	return STATUS_OK;
}

enum status viewer_swap(struct viewer *v, int key)
{
	struct viewer_side side = v->side[0];
	struct address at = v->here.at;

	(void)key;
	v->side[0] = v->side[1];
	v->side[1] = side;
	at.run = v->side[0].run;
	viewer_go(v, &at);
	return STATUS_OK;
}

/* --- marks --- */

static int mark_key(struct viewer *v, const char *what)
{
	viewer_say(v, "%s", what);
	viewer_paint(v);
	v->message[0] = '\0';
	return viewer_wait_key(v);
}

enum status viewer_set_mark(struct viewer *v, int key)
{
	key = mark_key(v, "mark this place as: a to z");
	if (key < 'a' || key > 'z')
		return STATUS_OK;
	v->marks[key - 'a'] = v->here;
	viewer_say(v, "marked as %c: '%c returns here", key, key);
	return STATUS_OK;
}

enum status viewer_go_to_mark(struct viewer *v, int key)
{
	struct viewer_place to = v->before_jump;

	key = mark_key(v, "jump to: a to z, or ' for the place before the last jump");
	if (key >= 'a' && key <= 'z')
		to = v->marks[key - 'a'];
	else if (key != '\'')
		return STATUS_OK;
	if (to.view)
		viewer_jump(v, to.view, &to.at);
	else
		viewer_say(v, "no mark %c", key);
	return STATUS_OK;
}

enum status viewer_visited(struct viewer *v, int key)
{
	struct display *d = display_create(NULL, &v->here.at);

	(void)key;
	for (int i = v->visited.count - 1; i >= 0; i--) {
		const struct viewer_place *place = &v->visited.items[i];
		char at[ADDRESS_TEXT], line[ADDRESS_TEXT + 40];

		address_format(&place->at, at);
		snprintf(line, sizeof line, "  %-24s %s\n", at, place->view->name);
		display_anchor(d, &place->at);
		display_text(d, line);
	}
	viewer_show_list(v, " places visited, latest first ", d);
	return STATUS_OK;
}

/* --- the whole screen --- */

enum status viewer_redraw(struct viewer *v, int key)
{
	(void)key;
	v->follow = true;
	term_repaint();
	return STATUS_OK;
}
