/* viewer_draw.c - draws the place of the viewer into its displays, and scrolls to it. */
#include "config.h"

#include "tui/viewer/viewer_draw.h"

#include <string.h>

#include "base/clock.h"
#include "tui/viewer/viewer_compare.h"
#include "tui/viewer/viewer_heads.h"
#include "tui/viewer/viewer_paint.h"
#include "tui/viewer/viewer_work.h"
#include "tui/views/view_print.h"
#include "tui/views/view_recompute.h"

#define SCAN_MS 5                       /* max. search for a first difference per drawing */

/* Reads a side's title only when its run changes, because that takes queries. */
static void name_side(struct viewer_side *s)
{
	const char *path = store_shown_path(s->store), *slash = strrchr(path, '/');
	struct store_run run;

	if (s->named == s->run)
		return;
	s->named = s->run;
	path = slash ? slash + 1 : path;
	snprintf(s->name, sizeof s->name, "%s r%lld", path, (long long)s->run);
	if (store_run_read(s->store, s->run, &run) != STATUS_OK) {
		error_clear();
		return;
	}
	snprintf(s->name, sizeof s->name, "%s r%lld %s seed %llu %s", path, (long long)s->run,
		 run.device, (unsigned long long)run.seed, run.path);
	store_run_free(&run);
}

static bool deadline_passed(void *deadline_ms)
{
	return clock_ms() >= *(int64_t *)deadline_ms;
}

/* A trace may be damaged anywhere: an error is shown in place of the screen. */
static void draw_side(struct viewer *v, int side)
{
	struct viewer_side *s = &v->side[side];
	struct view_context c = viewer_context(v, side);
	int64_t deadline = clock_ms() + SCAN_MS;

	if (v->here.view->whole && s->drawn == v->here.view && s->drawn_run == s->run) {
		display_mark(s->display, &c.at);
		return;
	}
	s->drawn = v->here.view;
	s->drawn_run = s->run;
	display_free(s->display);
	s->display = c.out = display_create(NULL, &c.at);
	if (c.at.run > 1 && side == 0)
		c.run = c.at.run;
	if (side == 0) {
		v->scan.stop = deadline_passed;
		v->scan.context = &deadline;
		c.scan = &v->scan;
	}
	if (v->here.view->draw(&c) != STATUS_OK) {
		display_finish(c.out);
		view_styled(&c, STYLE_WRONG, "\n  %s\n", v->work.stopped
			    ? "stopped: ctrl-L draws it again" : error_text());
		error_clear();
		s->drawn = NULL;
	}
	display_finish(c.out);
}

static void keep_visible(long row, long lines, long height, long *top)
{
	if (row >= 0 && row < *top)
		*top = row;
	if (row >= 0 && row >= *top + height)
		*top = row - height + 1;
	if (*top > lines - height)
		*top = lines - height;
	if (*top < 0)
		*top = 0;
}

/* The last line of the details below a row: the line before the next row with another address. */
static long detail_end(const struct display *d, long row)
{
	long next = display_next_row(d, row, 1);

	while (next >= 0 && address_equal(&display_line(d, (size_t)next)->at,
					  &display_line(d, (size_t)row)->at))
		next = display_next_row(d, next, 1);
	return next < 0 ? row : next - 1;
}

static void scroll_to_row(struct viewer *v)
{
	const struct display *d = v->side[0].display;
	long height = viewer_lines(v), row = display_row(d, &v->here.at);

	if (v->match >= 0)
		row = v->match;
	if (!v->follow)
		row = -1;
	/* Details below a list should be visible together with the list if both fit. */
	if (row >= 0 && (long)display_count(d) <= height)
		row = 0;
	if (row > 0 && v->match < 0)
		keep_visible(detail_end(d, row), (long)display_count(d), height, &v->top);
	keep_visible(row, (long)display_count(d), height, &v->top);
	v->follow = false;
	if (v->list)
		keep_visible(v->list_row, (long)display_count(v->list), height, &v->list_top);
}

void viewer_draw(struct viewer *v)
{
	for (int i = 0; i < 2 && v->side[i].store; i++)
		name_side(&v->side[i]);
	viewer_note_head(v);
	view_recompute_begin(v->recompute);
	v->work.drawing = true;
	v->beside = true;
	draw_side(v, 0);
	if (v->split) {
		draw_side(v, 1);
		if (viewer_fit_sides(v))
			viewer_compare(v->side[0].display, v->side[1].display);
	}
	v->work.drawing = false;
	view_recompute_end(v->recompute);
	scroll_to_row(v);
}
