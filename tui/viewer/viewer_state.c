/* viewer_state.c - the place that the viewer shows, places to go back to, lists and messages.
 *
 * A screen depends only on trace, run and address, so nothing else is stored. Does not draw or use
 * the terminal. See viewer_state.h.
 */
#include "config.h"

#include "tui/viewer/viewer_state.h"

#include <stdarg.h>
#include <string.h>

#include "tui/viewer/viewer_paint.h"
#include "tui/views/step/step.h"
#include "tui/views/view_list.h"
#include "tui/views/view_place.h"

struct view_context viewer_context(const struct viewer *v, int side)
{
	const struct viewer_side *s = &v->side[side];
	struct view_context c = {
		.out = s->display, .store = s->store, .run = s->run, .at = v->here.at,
		.listed = view_table, .head = v->head, .slot = v->slot, .looks = v->looks
	};

	/* Comparisons are with the other side, if it is another trace. */
	if (v->side[1].store && v->side[1].store != v->side[0].store)
		c.other = v->side[!side].store;
	if (v->side[1].store)
		c.other_run = v->side[!side].run;
	if (side == 1)
		c.at.run = v->side[1].run;
	c.breaks = &v->breaks;
	c.recompute = v->recompute;
	viewer_size(v, &c.lines, &c.columns);
	c.heat = term_heat();
	c.all = v->all;
	c.what_if = v->what_if;
	c.output = OUTPUT_VIEWER;
	c.play = v->play.shown;
	c.played = v->play.memory;
	return c;
}

void viewer_say(struct viewer *v, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(v->message, sizeof v->message, format, args);
	va_end(args);
	v->message_is_error = false;
}

void viewer_show_error(struct viewer *v)
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
			(size_t)--places->count * sizeof places->items[0]);
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

/* Whether the Step screen has a step for a place without a launch, which then stays. */
static enum status has_step(const struct view_context *c, const struct view *view, bool *found)
{
	struct step s;
	enum status status;

	*found = false;
	if (view != &view_step || c->at.launch >= 0)
		return STATUS_OK;
	status = step_find(c, &s, found);
	step_free(&s);
	return status;
}

enum status viewer_open_view(struct viewer *v, const struct view *view)
{
	struct view_context c = viewer_context(v, 0);
	struct viewer_place before = v->here;
	struct address at = v->here.at;
	char text[ADDRESS_TEXT];
	struct view_place place;
	bool found;

	TRY(has_step(&c, view, &found));
	/* A step or operation shows its last launch, the same one on every screen. */
	if (view->table && !found && at.launch < 0)
		TRY(view_place_find(&c, view->table, &place, &found));
	if (view->table && !found)
		TRY(walk_to_rows(&c, view->table, &at, &found));
	found = found || !view->table;
	if (!found)
		viewer_say(v, "run %lld has nothing for this screen", (long long)v->side[0].run);
	else if (at.launch != before.at.launch && before.at.launch >= 0) {
		address_format(&at, text);
		viewer_say(v, "%s is the nearest place with something for this screen", text);
	}
	if (view != v->here.view) {
		remember(&v->opened, &before);
		v->all = false;
	}
	v->here.view = view;
	v->top = 0;
	viewer_go(v, &at);
	return STATUS_OK;
}

enum status viewer_launch_here(struct viewer *v, int64_t *launch)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	bool moved;

	*launch = at.launch;
	if (*launch >= 0)
		return STATUS_OK;
	TRY(walk_step(&c, WALK_LAUNCH, -1, &at, &moved));
	*launch = moved ? at.launch : -1;
	return STATUS_OK;
}

/* --- lists on top --- */

void viewer_close_list(struct viewer *v)
{
	display_free(v->list);
	v->list = NULL;
	v->ops.sql = NULL;
	v->match = -1;
}

void viewer_show_list(struct viewer *v, const char *title, struct display *list)
{
	viewer_close_list(v);
	display_finish(list);
	v->list = list;
	v->list_top = 0;
	v->list_row = display_next_row(list, -1, 1);
	snprintf(v->list_title, sizeof v->list_title, "%s", title);
}

/* --- what is drawn --- */

void viewer_forget(struct viewer *v)
{
	for (int i = 0; i < 2; i++)
		v->side[i].drawn = NULL;
}

struct address viewer_row_address(const struct viewer *v, const struct display *d, long row)
{
	struct address at = display_line(d, (size_t)row)->at;

	if (at.run < 0)
		at.run = v->side[0].run > 1 ? v->side[0].run : -1;
	return at;
}

const struct display *viewer_searched(const struct viewer *v)
{
	return v->list ? v->list : v->side[0].display;
}
