/* breakpoints.c - parses breakpoints and finds where the next one stops; see breakpoints.h.
 *
 * An indexed query finds the next stop of each breakpoint; the nearest one is taken.
 */
#include "tui/views/kernel/breakpoints.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/store/store_index.h"
#include "tui/views/kernel/kernel_text.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_place.h"
#include "tui/views/view_query.h"

/* --- names --- */

enum status breakpoint_parse(const char *text, struct breakpoint *out)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	char *end;

	*out = (struct breakpoint){ .kind = colon ? BREAK_LINE : BREAK_KERNEL, .at = address_none };
	if (length == 0 || length >= sizeof out->name)
		return fail(STATUS_USAGE, "break %.60s: expected a kernel, FILE:LINE or an address",
			    text);
	memcpy(out->name, text, length);
	if (colon) {
		errno = 0;
		out->line = strtoll(colon + 1, &end, 10);
		if (!isdigit((unsigned char)colon[1]) || *end || errno || out->line < 1)
			return fail(STATUS_USAGE, "break %.60s: '%.20s' is not a line", text,
				    colon + 1);
	} else if (address_parse("break", text, &out->at) == STATUS_OK) {
		out->kind = BREAK_PLACE;
		out->name[0] = '\0';
	} else {
		error_clear();
		out->at = address_none;
	}
	return STATUS_OK;
}

void breakpoint_format(const struct breakpoint *b, char text[BREAKPOINT_TEXT])
{
	char at[ADDRESS_TEXT];

	switch (b->kind) {
	case BREAK_LINE:
		snprintf(text, BREAKPOINT_TEXT, "%s:%" PRId64, b->name, b->line);
		break;
	case BREAK_PLACE:
		address_format(&b->at, at);
		snprintf(text, BREAKPOINT_TEXT, "%s", at);
		break;
	default:
		snprintf(text, BREAKPOINT_TEXT, "%s", b->name);
	}
}

static bool same(const struct breakpoint *a, const struct breakpoint *b)
{
	return a->kind == b->kind && strcmp(a->name, b->name) == 0 && a->line == b->line
		&& address_equal(&a->at, &b->at);
}

enum status breakpoints_toggle(struct breakpoints *list, const struct breakpoint *b, bool *set)
{
	*set = false;
	for (int i = 0; i < list->count; i++)
		if (same(&list->items[i], b)) {
			memmove(&list->items[i], &list->items[i + 1],
				(size_t)(--list->count - i) * sizeof *b);
			return STATUS_OK;
		}
	if (list->count == BREAKPOINTS)
		return fail(STATUS_USAGE, "all %d breakpoints are in use: B lists them",
			    BREAKPOINTS);
	list->items[list->count++] = *b;
	*set = true;
	return STATUS_OK;
}

/* Whether `name` is the path `file`, or the end of it after a slash. */
static bool names_file(const char *name, const char *file)
{
	size_t length = strlen(name), whole = strlen(file);

	return whole >= length && strcmp(file + whole - length, name) == 0
		&& (whole == length || file[whole - length - 1] == '/');
}

bool breakpoints_at_line(const struct breakpoints *list, const char *file, int64_t line)
{
	for (int i = 0; list && i < list->count; i++)
		if (list->items[i].kind == BREAK_LINE && list->items[i].line == line
		    && names_file(list->items[i].name, file))
			return true;
	return false;
}

/* --- order --- */

/* Addresses of launches, and of what is in them, in the order a walk meets them. */
static int compare(const struct address *a, const struct address *b)
{
	const int64_t parts[][2] = {
		{ a->launch, b->launch }, { a->output, b->output }, { a->block, b->block },
		{ a->warp, b->warp }, { a->lane, b->lane }, { a->point, b->point },
		{ a->element, b->element },
	};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (parts[i][0] != parts[i][1])
			return parts[i][0] < parts[i][1] ? -1 : 1;
	return 0;
}

struct search {
	const struct view_context *c;
	struct address here, best;
	int direction;
	bool found;
};

static void offer(struct search *h, const struct address *at)
{
	if (compare(at, &h->here) * h->direction <= 0)
		return;
	if (!h->found || compare(at, &h->best) * h->direction < 0)
		h->best = *at;
	h->found = true;
}

static struct address launch_address(const struct search *h, int64_t launch)
{
	struct address at = address_none;

	at.run = h->here.run;
	at.launch = launch;
	return at;
}

/* --- stops --- */

/* The launch nearest to `here` by a SELECT with ?1 run, ?2 launch, ?3 a text and ?4 a number.
 * Backward, a launch that contains `here` counts too. */
static enum status next_launch(struct search *h, const char *sql[2], const char *text, int64_t line,
			       int64_t *launch)
{
	sqlite3_stmt *row;
	struct store *store = h->c->store;
	int code = sqlite3_prepare_v2(store_db(store), sql[h->direction < 0], -1, &row, NULL);
	struct address whole = launch_address(h, h->here.launch);
	bool inside = compare(&whole, &h->here) != 0;

	*launch = -1;
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(row, 1, h->c->run);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(row, 2, h->here.launch
					  + (h->direction < 0 && inside ? 1 : 0));
	if (code == SQLITE_OK && text)
		code = sqlite3_bind_text(row, 3, text, -1, SQLITE_STATIC);
	if (code == SQLITE_OK && line > 0)
		code = sqlite3_bind_int64(row, 4, line);
	if (code == SQLITE_OK)
		code = sqlite3_step(row);
	if (code == SQLITE_ROW)
		*launch = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : store_read_failed(store);
}

#define NEXT(select, condition) { \
	select " AND launch > ?2" condition " ORDER BY launch LIMIT 1", \
	select " AND launch < ?2" condition " ORDER BY launch DESC LIMIT 1" }

static enum status next_kernel(struct search *h, const char *kernel)
{
	static const char *sql[2] = NEXT("SELECT launch FROM v_launch WHERE run = ?1",
					 " AND kernel = ?3");
	struct address at;
	int64_t launch;

	TRY(next_launch(h, sql, kernel, 0, &launch));
	at = launch_address(h, launch);
	if (launch >= 0)
		offer(h, &at);
	return STATUS_OK;
}

static enum status next_finding(struct search *h)
{
	static const char *sql[2] = NEXT("SELECT launch FROM v_finding WHERE run = ?1"
					 " AND launch IS NOT NULL", "");
	struct address at;
	int64_t launch;

	TRY(next_launch(h, sql, NULL, 0, &launch));
	at = launch_address(h, launch);
	if (launch >= 0)
		offer(h, &at);
	return STATUS_OK;
}

/* The shape of the launch; DAMAGED when its blocks have no threads. */
static enum status shape_of(const struct search *h, int64_t launch, struct view_place *place)
{
	struct view_context c = *h->c;
	bool found;

	c.at = launch_address(h, launch);
	TRY(view_place_find(&c, "v_launch", place, &found));
	return view_place_threads(place) > 0 ? STATUS_OK
		: fail(STATUS_DAMAGED, "L%" PRId64 ": blocks have no threads", launch);
}

static enum status next_point(struct search *h, const char *name)
{
	struct store_point point = { h->here.launch, -1, -1 };
	struct view_place place;
	struct address at;
	int64_t threads;
	bool found;

	if (h->here.launch >= 0 && h->here.block >= 0) {
		TRY(shape_of(h, h->here.launch, &place));
		point.thread = view_place_thread(&place, h->here.block,
						 (h->here.warp > 0 ? h->here.warp * 32 : 0)
						 + (h->here.lane > 0 ? h->here.lane : 0));
		point.sequence = h->here.point;
	}
	TRY(store_next_point(h->c->store, h->c->run, name, h->direction, &point, &found));
	if (!found)
		return STATUS_OK;
	TRY(shape_of(h, point.launch, &place));
	threads = view_place_threads(&place);
	at = launch_address(h, point.launch);
	at.block = point.thread / threads;
	at.warp = point.thread % threads / 32;
	at.lane = point.thread % threads % 32;
	at.point = point.sequence;
	offer(h, &at);
	return STATUS_OK;
}

/* --- lines --- */

struct line {
	const struct breakpoint *breakpoint;
	char file[256];                 /* its name in the run; "": no kernel has it */
	char point[32];                 /* on the line, or "" */
	int64_t entry;
};

static enum status take_source(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct line *l = state;
	const char *file = view_text(row, 1);
	struct kernel_text text;
	enum status status;

	if (*l->file || !names_file(l->breakpoint->name, file))
		return STATUS_OK;
	snprintf(l->file, sizeof l->file, "%s", file);
	l->entry = view_int(row, 2);
	status = kernel_text_read(c, view_text(row, 0), &text);
	if (status == STATUS_OK && l->entry >= 0 && l->entry < text.count
	    && l->breakpoint->line <= text.files[l->entry].count)
		kernel_text_passes(&text.files[l->entry], l->breakpoint->line, l->point);
	kernel_text_free(&text);
	return status;
}

static enum status next_line(struct search *h, const struct breakpoint *b)
{
	static const char *hits[2] = NEXT("SELECT launch FROM v_hit WHERE run = ?1",
					  " AND file = ?3 AND line = ?4");
	static const char *launches[2] = NEXT("SELECT launch FROM v_launch l WHERE run = ?1",
		" AND EXISTS (SELECT 1 FROM v_source s WHERE s.run = l.run"
		"  AND s.kernel = l.kernel AND s.file = ?3)");
	struct line line = { .breakpoint = b };
	struct address at;
	int64_t counted, launch;

	TRY(VIEW_ROWS(h->c, take_source, &line, "SELECT kernel, file, entry FROM v_source"
		      " WHERE run = ?1 ORDER BY entry, kernel", h->c->run));
	if (*line.point)
		return next_point(h, line.point);
	if (!*line.file)
		return STATUS_OK;
	TRY(VIEW_NUMBER(h->c, 0, &counted, "SELECT 1 FROM v_hit WHERE run = ?1 LIMIT 1",
			h->c->run));
	TRY(next_launch(h, counted ? hits : launches, line.file, counted ? b->line : 0, &launch));
	at = launch_address(h, launch);
	at.file = line.entry;
	at.line = b->line;
	if (launch >= 0)
		offer(h, &at);
	return STATUS_OK;
}

/* --- the nearest --- */

enum status breakpoints_next(const struct view_context *c, const struct breakpoints *list,
			     int direction, struct address *at, bool *found)
{
	struct search h = { .c = c, .here = *at, .direction = direction };

	for (int i = 0; i < list->count; i++) {
		const struct breakpoint *b = &list->items[i];

		if (b->kind == BREAK_KERNEL)
			TRY(next_kernel(&h, b->name));
		else if (b->kind == BREAK_LINE)
			TRY(next_line(&h, b));
		else if (b->at.launch >= 0)
			offer(&h, &b->at);
	}
	TRY(next_finding(&h));
	*found = h.found;
	if (h.found)
		*at = h.best;
	return STATUS_OK;
}
