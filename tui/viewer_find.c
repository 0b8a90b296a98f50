/* viewer_find.c - the keys that look for a place: findings, who wrote and who reads. */
#include "config.h"

#include "tui/viewer_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/xalloc.h"
#include "tui/viewer_walk.h"

/* The launch of the place; a step or operation counts as the last launch before it. */
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

/* --- findings --- */

static enum status find_finding(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	bool found;

	if (at.launch < 0)
		TRY(viewer_launch_here(v, &at.launch));
	/* Not the launch before a step, whose findings lie before the place. */
	if (v->here.at.launch < 0)
		at.block = INT64_MAX;
	TRY(view_findings_step(&c, direction, &at, &found));
	if (found)
		viewer_jump(v, v->here.view, &at);
	else
		viewer_say(v, direction > 0 ? "no finding behind this place"
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
