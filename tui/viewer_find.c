/* viewer_find.c - the keys that look for a place: differences, findings, breakpoints, who wrote and
 * who reads. */
#include "config.h"

#include "tui/viewer_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/xalloc.h"
#include "tui/viewer_walk.h"

/* Goes to a launch, or says that there is none. */
static void go_to_launch(struct viewer *v, int64_t launch, const char *what)
{
	struct address at = address_none;

	if (launch < 0) {
		viewer_say(v, "%s", what);
		return;
	}
	at.launch = launch;
	viewer_jump(v, v->here.view, &at);
}

/* The launch of the place; a step or operation counts as the last launch before it. */
static enum status launch_here(struct viewer *v, int64_t *launch)
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

/* --- differences --- */

struct digest {
	int64_t launch, entry, digest;
};

static enum status take_digest(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct digest *digest = state;

	(void)c;
	*digest = (struct digest){ view_int(row, 0), view_int(row, 1), view_int(row, 2) };
	return STATUS_OK;
}

/* Whether the other run has the same digest; one that it did not record differs from nothing. */
static enum status same_digest(struct viewer *v, const struct digest *digest, bool *same)
{
	struct view_context c = viewer_context(v, 1);
	struct digest other = { .launch = -1 };

	TRY(VIEW_ROWS(&c, take_digest, &other,
		      "SELECT l.launch, d.entry, d.digest FROM v_launch l"
		      " JOIN v_digest d ON d.run = l.run AND d.op = l.op AND d.after_step = 0"
		      " WHERE l.run = ?1 AND l.launch = ?2 AND d.entry = ?3", c.run,
		      digest->launch, digest->entry));
	*same = other.launch < 0 || other.digest == digest->digest;
	return STATUS_OK;
}

static const char *const next_digest[] = {
	"SELECT o.launch, d.entry, d.digest FROM v_op o"
	" JOIN v_digest d ON d.run = o.run AND d.op = o.op AND d.after_step = 0"
	" WHERE o.run = ?1 AND o.op > ?2 AND o.launch IS NOT NULL ORDER BY o.op",
	"SELECT o.launch, d.entry, d.digest FROM v_op o"
	" JOIN v_digest d ON d.run = o.run AND d.op = o.op AND d.after_step = 0"
	" WHERE o.run = ?1 AND o.op < ?2 AND o.launch IS NOT NULL ORDER BY o.op DESC",
};

struct difference {
	struct viewer *v;
	int64_t launch;
};

/* Ends the query, by a status that is no failure here, at the first digest that differs. */
static enum status look_at_digest(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct difference *difference = state;
	struct digest digest;
	bool same;

	TRY(take_digest(c, row, &digest));
	TRY(same_digest(difference->v, &digest, &same));
	if (!same)
		difference->launch = digest.launch;
	return same && !term_interrupted() ? STATUS_OK : STATUS_DIFFERS;
}

static enum status find_difference(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct difference difference = { v, -1 };
	enum status status;
	int64_t op;

	TRY(walk_op(&c, &v->here.at, &op));
	status = VIEW_ROWS(&c, look_at_digest, &difference, next_digest[direction < 0], c.run, op);
	if (status != STATUS_OK && status != STATUS_DIFFERS)
		return status;
	go_to_launch(v, difference.launch, direction > 0
		     ? "no launch behind this place wrote anything else in the other run"
		     : "no launch before this place wrote anything else in the other run");
	return STATUS_OK;
}

enum status viewer_next_difference(struct viewer *v, int key)
{
	(void)key;
	return find_difference(v, 1);
}

enum status viewer_previous_difference(struct viewer *v, int key)
{
	(void)key;
	return find_difference(v, -1);
}

/* --- findings --- */

static enum status find_finding(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	int64_t launch, found;

	TRY(launch_here(v, &launch));
	TRY(VIEW_NUMBER(&c, -1, &found, direction > 0
			? "SELECT min(launch) FROM v_finding WHERE run = ?1 AND launch > ?2"
			: "SELECT max(launch) FROM v_finding WHERE run = ?1 AND launch < ?2",
			c.run, launch));
	go_to_launch(v, found, direction > 0 ? "no finding behind this place"
		     : "no finding before this place");
	return STATUS_OK;
}

enum status viewer_next_finding(struct viewer *v, int key)
{
	(void)key;
	return find_finding(v, 1);
}

enum status viewer_previous_finding(struct viewer *v, int key)
{
	(void)key;
	return find_finding(v, -1);
}

/* --- breakpoints: kernels by name --- */

static bool breaks_at(const struct viewer *v, const char *kernel)
{
	for (int i = 0; i < v->break_count; i++)
		if (strcmp(v->breaks[i], kernel) == 0)
			return true;
	return false;
}

void viewer_break(struct viewer *v, const char *kernel)
{
	for (int i = 0; i < v->break_count; i++)
		if (strcmp(v->breaks[i], kernel) == 0) {
			free(v->breaks[i]);
			v->breaks[i] = v->breaks[--v->break_count];
			viewer_say(v, "no break at %s any more", kernel);
			return;
		}
	if (v->break_count == VIEWER_BREAKS) {
		viewer_say(v, "there are %d breakpoints already", VIEWER_BREAKS);
		return;
	}
	v->breaks[v->break_count++] = xstrdup(kernel);
	viewer_say(v, "break at %s: c goes on to it, C back", kernel);
}

enum status viewer_toggle_break(struct viewer *v, int key)
{
	struct view_context c = viewer_context(v, 0);
	struct view_place place;
	bool found;

	(void)key;
	if (v->here.at.launch < 0) {
		viewer_say(v, "no kernel here; :break KERNEL names one");
		return STATUS_OK;
	}
	TRY(view_place_find(&c, "v_launch", &place, &found));
	if (found)
		viewer_break(v, place.kernel);
	return STATUS_OK;
}

enum status viewer_breaks(struct viewer *v, int key)
{
	struct display *d = display_create(NULL, &address_none);

	(void)key;
	for (int i = 0; i < v->break_count; i++) {
		display_text(d, "  ");
		display_text(d, v->breaks[i]);
		display_text(d, "\n");
	}
	if (v->break_count == 0)
		display_text(d, "  none: space sets one at the kernel of the place\n");
	viewer_show_list(v, " breakpoints ", d);
	return STATUS_OK;
}

struct stop {
	const struct viewer *v;
	int64_t launch;
};

static enum status look_at_launch(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct stop *stop = state;

	(void)c;
	if (!breaks_at(stop->v, view_text(row, 1)) && view_null(row, 2))
		return term_interrupted() ? STATUS_DIFFERS : STATUS_OK;
	stop->launch = view_int(row, 0);
	return STATUS_DIFFERS;
}

static enum status find_break(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct stop stop = { v, -1 };
	enum status status;
	int64_t launch;

	TRY(launch_here(v, &launch));
	status = VIEW_ROWS(&c, look_at_launch, &stop, direction > 0
			   ? "SELECT launch, kernel, (SELECT 1 FROM v_finding f WHERE f.run = l.run"
			     " AND f.launch = l.launch LIMIT 1) FROM v_launch l"
			     " WHERE run = ?1 AND launch > ?2 ORDER BY launch"
			   : "SELECT launch, kernel, (SELECT 1 FROM v_finding f WHERE f.run = l.run"
			     " AND f.launch = l.launch LIMIT 1) FROM v_launch l"
			     " WHERE run = ?1 AND launch < ?2 ORDER BY launch DESC", c.run, launch);
	if (status != STATUS_OK && status != STATUS_DIFFERS)
		return status;
	go_to_launch(v, stop.launch, v->break_count
		     ? "no breakpoint or finding that way"
		     : "no breakpoints (space sets one), and no finding that way");
	return STATUS_OK;
}

enum status viewer_next_break(struct viewer *v, int key)
{
	(void)key;
	return find_break(v, 1);
}

enum status viewer_previous_break(struct viewer *v, int key)
{
	(void)key;
	return find_break(v, -1);
}

/* --- who wrote, who reads --- */

enum { OP, LAUNCH, KIND, KERNEL, STEP, BUFFER };

static enum status list_op(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *rows = state;
	struct address at = address_none;
	char text[ADDRESS_TEXT];

	at.run = c->run > 1 ? c->run : -1;
	at.op = view_null(row, LAUNCH) ? view_int(row, OP) : -1;
	at.launch = view_null(row, LAUNCH) ? -1 : view_int(row, LAUNCH);
	address_format(&at, text);
	display_anchor(c->out, &at);
	view_print(c, "  %-16s %-12s %-32s", text, view_text(row, KIND), view_text(row, KERNEL));
	if (!view_null(row, STEP))
		view_print(c, " step %-5" PRId64, view_int(row, STEP));
	view_print(c, " %s\n", view_text(row, BUFFER));
	++*rows;
	return STATUS_OK;
}

/* The last operation before ?2 that wrote each buffer that launch ?3 was given. */
static const char writers[] =
	"WITH given AS (SELECT DISTINCT buffer FROM v_arg WHERE run = ?1 AND launch = ?3"
	"  AND buffer IS NOT NULL),"
	" last AS (SELECT g.buffer, max("
	"  coalesce((SELECT max(d.op) FROM v_arg a JOIN v_digest d ON d.run = a.run AND d.op = a.op"
	"   AND d.after_step = 0 AND d.buffer = g.buffer WHERE a.run = ?1 AND a.buffer = g.buffer"
	"   AND a.op < ?2 AND a.launch IS NOT NULL AND a.op >= ?2 - ?4), -1),"
	"  coalesce((SELECT max(o.op) FROM v_op o WHERE o.run = ?1 AND o.op < ?2"
	"   AND o.op >= ?2 - ?4 AND o.buffer = g.buffer"
	"   AND o.kind IN ('upload', 'upload_pointers', 'copy', 'fill', 'restore')), -1)) AS op"
	"  FROM given g)"
	" SELECT o.op, o.launch, o.kind, l.kernel, o.step, b.name FROM last"
	" JOIN v_op o ON o.run = ?1 AND o.op = last.op"
	" LEFT JOIN v_launch l ON l.run = o.run AND l.launch = o.launch"
	" LEFT JOIN v_buffer b ON b.run = ?1 AND b.buffer = last.buffer ORDER BY o.op DESC";

/* The launches and downloads behind ?2 that are given a buffer that launch ?3 wrote. */
static const char readers[] =
	"WITH wrote AS (SELECT DISTINCT buffer FROM v_digest WHERE run = ?1 AND op = ?2"
	"  AND after_step = 0)"
	" SELECT o.op, o.launch, o.kind, l.kernel, o.step, b.name FROM v_op o"
	" LEFT JOIN v_launch l ON l.run = o.run AND l.launch = o.launch"
	" JOIN wrote w ON (o.launch IS NULL AND o.kind IN ('download', 'copy')"
	"   AND coalesce(o.from_buffer, o.buffer) = w.buffer)"
	"  OR (o.launch IS NOT NULL AND ?3 >= 0 AND EXISTS (SELECT 1 FROM v_arg a"
	"   WHERE a.run = o.run AND a.op = o.op AND a.buffer = w.buffer))"
	" LEFT JOIN v_buffer b ON b.run = ?1 AND b.buffer = w.buffer"
	" WHERE o.run = ?1 AND o.op > ?2 AND o.op <= ?2 + ?4 ORDER BY o.op LIMIT 24";

#define NEIGHBOURS 400                  /* operations looked through */

static enum status list_neighbours(struct viewer *v, const char *sql, const char *title)
{
	struct view_context c = viewer_context(v, 0);
	enum status status;
	int64_t op, rows = 0;

	if (v->here.at.launch < 0) {
		viewer_say(v, "no launch here: f goes on to the next one");
		return STATUS_OK;
	}
	TRY(walk_op(&c, &v->here.at, &op));
	c.out = display_create(NULL, &address_none);
	status = VIEW_ROWS(&c, list_op, &rows, sql, c.run, op, v->here.at.launch, NEIGHBOURS);
	if (status != STATUS_OK) {
		display_free(c.out);
		return status;
	}
	if (rows == 0)
		view_print(&c, "  none among %d operations\n", NEIGHBOURS);
	viewer_show_list(v, title, c.out);
	return STATUS_OK;
}

enum status viewer_who_wrote(struct viewer *v, int key)
{
	(void)key;
	return list_neighbours(v, writers, " who wrote last what this launch was given ");
}

enum status viewer_who_reads(struct viewer *v, int key)
{
	(void)key;
	return list_neighbours(v, readers, " who is given what this launch wrote ");
}
