/* viewer.c - the place that the viewer shows, drawn again after every key.
 *
 * A screen is a function of trace, run and address, so nothing else is kept but places to go back
 * to. Keys and the terminal are other files' business.
 */
#include "config.h"

#include "tui/viewer/viewer_internal.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tui/viewer/viewer_walk.h"
#include "tui/views/view_list.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define SCAN_MS 5                       /* of a drawing, for the first difference of two runs */

struct view_context viewer_context(const struct viewer *v, int side)
{
	const struct viewer_side *s = &v->side[side];
	struct view_context c = {
		.out = s->display, .store = s->store, .run = s->run, .at = v->here.at,
		.listed = view_table, .looks = v->looks
	};

	/* What is compared with: the other side, where it is another trace. */
	if (v->side[1].store && v->side[1].store != v->side[0].store)
		c.other = v->side[!side].store;
	if (v->side[1].store)
		c.other_run = v->side[!side].run;
	if (side == 1)
		c.at.run = v->side[1].run;
	c.breaks = &v->breaks;
	return c;
}

void viewer_say(struct viewer *v, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(v->message, sizeof(v->message), format, args);
	va_end(args);
	v->message_is_error = false;
}

void viewer_complain(struct viewer *v)
{
	viewer_say(v, "%s", error_text());
	v->message_is_error = true;
	error_clear();
}

/* --- places --- */

static void remember(struct viewer_places *places, const struct viewer_place *place)
{
	if (places->count == VIEWER_PLACES)
		memmove(&places->items[0], &places->items[1],
			(size_t)--places->count * sizeof(places->items[0]));
	places->items[places->count++] = *place;
}

void viewer_go(struct viewer *v, const struct address *at)
{
	v->here.at = *at;
	if (at->run > 0)
		v->side[0].run = at->run;
	v->here.at.run = v->side[0].run > 1 ? v->side[0].run : -1;
	v->follow = true;
	v->match = -1;
}

void viewer_jump(struct viewer *v, const struct view *view, const struct address *at)
{
	struct viewer_place to = { view, *at };

	v->before_jump = v->here;
	v->here.view = view;
	viewer_go(v, &to.at);
	remember(&v->visited, &v->here);
}

enum status viewer_open_view(struct viewer *v, const struct view *view)
{
	struct view_context c = viewer_context(v, 0);
	struct viewer_place before = v->here;
	struct address at = v->here.at;
	char text[ADDRESS_TEXT];
	bool found = true;

	if (view->table)
		TRY(walk_to_rows(&c, view->table, &at, &found));
	if (!found)
		viewer_say(v, "run %lld has nothing for this screen", (long long)v->side[0].run);
	else if (at.launch != before.at.launch && before.at.launch >= 0) {
		address_format(&at, text);
		viewer_say(v, "%s is the nearest place with something for this screen", text);
	}
	if (view != v->here.view)
		remember(&v->opened, &before);
	v->here.view = view;
	v->top = 0;
	viewer_go(v, &at);
	return STATUS_OK;
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

/* --- lists on top --- */

void viewer_close_list(struct viewer *v)
{
	display_free(v->list);
	v->list = NULL;
	v->match = -1;
}

void viewer_show_list(struct viewer *v, const char *title, struct display *list)
{
	viewer_close_list(v);
	display_finish(list);
	v->list = list;
	v->list_top = 0;
	v->list_row = display_next_row(list, -1, 1);
	snprintf(v->list_title, sizeof(v->list_title), "%s", title);
}

/* --- drawing --- */

/* What the title says of a side; read when the run changes, for it is counted out. */
static void name_side(struct viewer_side *s)
{
	const char *path = store_shown_path(s->store), *slash = strrchr(path, '/');
	struct store_run run;

	if (s->named == s->run)
		return;
	s->named = s->run;
	path = slash ? slash + 1 : path;
	snprintf(s->name, sizeof(s->name), "%s r%lld", path, (long long)s->run);
	if (store_run_read(s->store, s->run, &run) != STATUS_OK) {
		error_clear();
		return;
	}
	snprintf(s->name, sizeof(s->name), "%s r%lld %s seed %llu %s", path, (long long)s->run,
		 run.device, (unsigned long long)run.seed, run.path);
	store_run_free(&run);
}

static bool has_come(void *until_ms)
{
	return viewer_now_ms() >= *(int64_t *)until_ms;
}

/* A trace may be damaged anywhere: what fails is said where the screen would be. */
static void draw_side(struct viewer *v, int side)
{
	struct viewer_side *s = &v->side[side];
	struct view_context c = viewer_context(v, side);
	int64_t until = viewer_now_ms() + SCAN_MS;

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
		v->scan.stop = has_come;
		v->scan.context = &until;
		c.scan = &v->scan;
	}
	if (v->here.view->draw(&c) != STATUS_OK) {
		display_finish(c.out);
		view_styled(&c, STYLE_WRONG, "\n  %s\n", v->work.stopped
			    ? "stopped by a key: ctrl-L draws all of it" : error_text());
		error_clear();
		s->drawn = NULL;
	}
	display_finish(c.out);
}

void viewer_forget(struct viewer *v)
{
	for (int i = 0; i < 2; i++)
		v->side[i].drawn = NULL;
}

static void keep_in_sight(long row, long lines, long height, long *top)
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

/* The last line of what is told below a row: that before the next one of another address. */
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
	/* A detail below the list it belongs to should be seen with it where both fit. */
	if (row >= 0 && (long)display_count(d) <= height)
		row = 0;
	if (row > 0 && v->match < 0)
		keep_in_sight(detail_end(d, row), (long)display_count(d), height, &v->top);
	keep_in_sight(row, (long)display_count(d), height, &v->top);
	v->follow = false;
	if (v->list)
		keep_in_sight(v->list_row, (long)display_count(v->list), height, &v->list_top);
}

void viewer_draw(struct viewer *v)
{
	for (int i = 0; i < 2 && v->side[i].store; i++)
		name_side(&v->side[i]);
	draw_side(v, 0);
	if (v->split)
		draw_side(v, 1);
	scroll_to_row(v);
}

/* --- from the first screen to the last --- */

/* The run to show beside the first: of the other trace, else the next one of this. */
static enum status choose_sides(struct viewer *v, const struct viewer_options *o)
{
	int64_t runs;

	v->side[0] = (struct viewer_side){ .store = o->store, .run = o->run };
	TRY(store_run_count(o->other ? o->other : o->store, &runs));
	if (o->other)
		v->side[1] = (struct viewer_side){ .store = o->other,
						   .run = o->run <= runs ? o->run : 1 };
	else if (runs > 1)
		v->side[1] = (struct viewer_side){ .store = o->store,
						   .run = o->run < runs ? o->run + 1 : 1 };
	v->split = o->other != NULL;
	return STATUS_OK;
}

/* Where a viewer without an address begins: at the first step, else the first operation. */
static enum status choose_place(struct viewer *v, const struct viewer_options *o)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = o->at;
	int64_t step;
	bool some;

	at.run = o->run > 1 ? o->run : -1;
	if (at.launch < 0 && at.step < 0 && at.op < 0) {
		TRY(VIEW_NUMBER(&c, -1, &step, "SELECT min(step) FROM v_step WHERE run = ?1",
				c.run));
		at.step = step;
		if (step < 0)
			TRY(walk_end(&c, 1, &at, &some));
	}
	v->here = (struct viewer_place){ o->view ? o->view : &view_time, at };
	v->before_jump = v->here;
	v->follow = true;
	remember(&v->visited, &v->here);
	return STATUS_OK;
}

static void run(struct viewer *v)
{
	viewer_work_begin(v);
	while (!v->quit) {
		int key;

		viewer_draw(v);
		viewer_work_end(v);
		viewer_paint(v);
		if (viewer_work_idle(v))
			continue;
		key = term_key();
		v->ready = false;
		viewer_work_begin(v);
		if (key == TERM_LOST || key == TERM_INTERRUPTED) {
			v->quit = true;
			v->status = key == TERM_LOST ? STATUS_OK : STATUS_INTERRUPTED;
		} else if (key != TERM_RESIZED) {
			viewer_key(v, key);
		}
	}
	viewer_work_end(v);
}

enum status viewer_begin(struct viewer *v, const struct viewer_options *o)
{
	TRY(choose_sides(v, o));
	TRY(choose_place(v, o));
	v->match = -1;
	v->glyphs = term_utf8() && !o->ascii ? GLYPHS_UTF8 : GLYPHS_ASCII;
	return STATUS_OK;
}

void viewer_end(struct viewer *v)
{
	viewer_close_list(v);
	for (int i = 0; i < 2; i++)
		display_free(v->side[i].display);
}

enum status viewer_run(const struct viewer_options *o)
{
	struct viewer v = { .looks = o->looks };

	setlocale(LC_CTYPE, "");
	TRY(viewer_begin(&v, o));
	TRY(term_open(o->color, o->mouse));
	run(&v);
	term_close();
	viewer_end(&v);
	if (v.status == STATUS_INTERRUPTED)
		return fail(v.status, "interrupted");
	return v.status;
}
