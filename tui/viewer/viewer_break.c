/* viewer_break.c - the keys for breakpoints: sets them at the place, lists them, and runs to the
 * next or previous one. breakpoints.c decides where a run stops. */
#include "config.h"

#include "tui/viewer/viewer_break.h"

#include <string.h>

#include "tui/viewer/viewer_actions.h"
#include "tui/views/kernel/breakpoints.h"
#include "tui/views/kernel/view_source.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_place.h"
#include "tui/views/view_query.h"

static enum status toggle(struct viewer *v, const struct breakpoint *b)
{
	char text[BREAKPOINT_TEXT];
	bool set;

	TRY(breakpoints_toggle(&v->breaks, b, &set));
	breakpoint_format(b, text);
	if (set)
		viewer_say(v, "break at %s: c runs forward to it, C back, B lists", text);
	else
		viewer_say(v, "break at %s removed", text);
	viewer_forget(v);
	return STATUS_OK;
}

enum status viewer_break(struct viewer *v, const char *text)
{
	struct breakpoint b;

	TRY(breakpoint_parse(text, &b));
	return toggle(v, &b);
}

struct finding_line {
	struct breakpoint *breakpoint;
	bool found;
};

static enum status take_line(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct finding_line *f = state;

	(void)c;
	if (f->found || view_null(row, 0) || view_null(row, 1))
		return STATUS_OK;
	f->found = true;
	f->breakpoint->kind = BREAK_LINE;
	f->breakpoint->line = view_int(row, 1);
	snprintf(f->breakpoint->name, sizeof f->breakpoint->name, "%s", view_text(row, 0));
	return STATUS_OK;
}

/* On the findings screen: the line of the current finding. */
static enum status finding_here(struct viewer *v, struct breakpoint *b, bool *found)
{
	struct view_context c = viewer_context(v, 0);
	struct finding_line f = { b, false };

	TRY(VIEW_ROWS(&c, take_line, &f, "SELECT file, line FROM v_finding WHERE run = ?1"
		      " AND launch = ?2 AND (?3 < 0 OR line = ?3) ORDER BY finding LIMIT 1", c.run,
		      v->here.at.launch, v->here.at.line));
	*found = f.found;
	return STATUS_OK;
}

/* The current line of the source screen. */
static enum status line_here(struct viewer *v, struct breakpoint *b, bool *found)
{
	struct view_context c = viewer_context(v, 0);
	char file[sizeof b->name];

	TRY(view_source_line(&c, file, sizeof file, &b->line, found));
	b->kind = BREAK_LINE;
	memcpy(b->name, file, sizeof file);
	return STATUS_OK;
}

/* Sets a breakpoint at a line on the source and findings screens, at an element or point if the
 * place is one, else at the kernel; removes it if it is set already. */
enum status viewer_toggle_break(struct viewer *v, int key)
{
	const struct address *at = &v->here.at;
	struct breakpoint b = { .at = address_none };
	struct view_context c = viewer_context(v, 0);
	struct view_place place;
	bool found = false;

	(void)key;
	if (at->launch < 0) {
		viewer_say(v, "no kernel here; :break KERNEL, FILE:LINE or ADDR names a place");
		return STATUS_OK;
	}
	if (v->here.view == &view_source)
		TRY(line_here(v, &b, &found));
	else if (v->here.view == &view_findings)
		TRY(finding_here(v, &b, &found));
	if (found)
		return toggle(v, &b);
	if (at->point >= 0 || at->element >= 0) {
		b = (struct breakpoint){ .kind = BREAK_PLACE, .at = *at };
		return toggle(v, &b);
	}
	TRY(view_place_find(&c, "v_launch", &place, &found));
	snprintf(b.name, sizeof b.name, "%s", place.kernel);
	return found ? toggle(v, &b) : STATUS_OK;
}

enum status viewer_breaks(struct viewer *v, int key)
{
	struct display *d = display_create(NULL, &address_none);
	char text[BREAKPOINT_TEXT];

	(void)key;
	for (int i = 0; i < v->breaks.count; i++) {
		breakpoint_format(&v->breaks.items[i], text);
		if (v->breaks.items[i].kind == BREAK_PLACE)
			display_anchor(d, &v->breaks.items[i].at);
		display_text(d, "  ");
		display_text(d, text);
		display_text(d, "\n");
	}
	if (v->breaks.count == 0)
		display_text(d, "  none: * sets one at the line, place or kernel shown\n");
	display_text(d, "  c and C also stop at findings\n");
	viewer_show_list(v, " breakpoints ", d);
	return STATUS_OK;
}

static enum status run_to_break(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	bool found;

	if (at.launch < 0)
		TRY(viewer_launch_here(v, &at.launch));
	TRY(breakpoints_next(&c, &v->breaks, direction, &at, &found));
	if (found)
		viewer_jump(v, v->here.view, &at);
	else
		viewer_say(v, "%s", v->breaks.count ? "no breakpoint or finding that way"
			   : "no breakpoints (* sets one), and no finding that way");
	return STATUS_OK;
}

enum status viewer_next_break(struct viewer *v, int key)
{
	(void)key;
	return run_to_break(v, 1);
}

enum status viewer_previous_break(struct viewer *v, int key)
{
	(void)key;
	return run_to_break(v, -1);
}
