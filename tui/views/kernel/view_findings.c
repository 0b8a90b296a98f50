/* view_findings.c - what the checker found, in the order found: both accesses, cause and fix.
 *
 * The row of each finding has the address of its place: block, thread, file and line, where the
 * screen of sources opens. Text comes from the JSON object that a trace has for a finding, as far
 * as it is there. The keys that step through findings use the same places.
 */
#include "tui/views/kernel/view_findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/kernel/breakpoints.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define ROWS 100
#define WIDTH 96

/* --- places --- */

enum {
	FINDING, CLASS, LAUNCH, BLOCK, WARP, LANE, ENTRY, FILE_NAME, LINE, OTHER_LINE, COUNT, LINT,
	KERNEL, WHAT, DETAIL, WHY, FIX, SIDE, OTHER, OTHER_WHAT
};

/* One access as text: "by block (0,0,0) thread (33,0,0) after 3 barriers, racy.cu:88". */
#define BY(side) \
	" CASE WHEN json_extract(m, '" side ".block') IS NOT NULL THEN 'by block ('" \
	" || json_extract(m, '" side ".block[0]') || ',' || json_extract(m, '" side ".block[1]')" \
	" || ',' || json_extract(m, '" side ".block[2]') || ') thread ('" \
	" || json_extract(m, '" side ".thread[0]') || ','" \
	" || json_extract(m, '" side ".thread[1]') || ','" \
	" || json_extract(m, '" side ".thread[2]') || ') after '" \
	" || coalesce(json_extract(m, '" side ".epoch'), 0) || ' barriers, '" \
	" || coalesce(json_extract(m, '" side ".file'), '?') || ':'" \
	" || coalesce(json_extract(m, '" side ".line'), '?') END"

#define FINDINGS \
	"WITH f AS (SELECT *, CASE WHEN json_valid(message) THEN message ELSE '{}' END AS m" \
	"  FROM v_finding WHERE run = ?1)" \
	" SELECT f.finding, f.class, f.launch," \
	" f.thread / (l.block_x * l.block_y * l.block_z)," \
	" f.thread % (l.block_x * l.block_y * l.block_z) / 32," \
	" f.thread % (l.block_x * l.block_y * l.block_z) % 32," \
	" (SELECT min(s.entry) FROM v_source s WHERE s.run = f.run AND s.kernel = l.kernel" \
	"  AND s.file = f.file), f.file, f.line, f.other_line, json_extract(m, '$.count')," \
	" json_extract(m, '$.lint'), l.kernel, json_extract(m, '$.what')," \
	" json_extract(m, '$.detail'), json_extract(m, '$.why'), json_extract(m, '$.fix')," \
	BY("$") "," BY("$.other") ", json_extract(m, '$.other.what')" \
	" FROM f LEFT JOIN v_launch l ON l.run = f.run AND l.launch = f.launch"

static struct address address_of(const struct view_context *c, sqlite3_stmt *row)
{
	struct address at = address_none;

	at.run = c->run > 1 ? c->run : -1;
	if (view_null(row, LAUNCH))
		return at;
	at.launch = view_int(row, LAUNCH);
	if (!view_null(row, BLOCK)) {
		at.block = view_int(row, BLOCK);
		at.warp = view_int(row, WARP);
		at.lane = view_int(row, LANE);
	}
	if (!view_null(row, ENTRY) && !view_null(row, LINE)) {
		at.file = view_int(row, ENTRY);
		at.line = view_int(row, LINE);
	}
	return at;
}

struct places {
	struct address *items;          /* in order of launch and number */
	int count, capacity;
};

static enum status take_place(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct places *p = state;
	struct address at = address_of(c, row);

	if (p->count && address_equal(&at, &p->items[p->count - 1]))
		return STATUS_OK;
	if (p->count == p->capacity) {
		p->capacity = p->capacity ? 2 * p->capacity : 16;
		p->items = xreallocarray(p->items, (size_t)p->capacity, sizeof *p->items);
	}
	p->items[p->count++] = at;
	return STATUS_OK;
}

/* The position of the address in the list: on a finding, else before the first one after it. A
 * place inside a launch that matches no finding comes after all findings of the launch. */
static int stand(const struct places *p, const struct address *here, bool *on)
{
	int at = 0;

	for (int i = 0; i < p->count; i++) {
		*on = address_equal(&p->items[i], here);
		if (*on)
			return i;
		if (p->items[i].launch < here->launch
		    || (p->items[i].launch == here->launch && here->block >= 0))
			at = i + 1;
	}
	*on = false;
	return at;
}

enum status view_findings_step(const struct view_context *c, int direction, struct address *at,
			       bool *found)
{
	struct places p = { 0 };
	struct address here = *at;
	enum status status;
	int next;
	bool on;

	here.run = c->run > 1 ? c->run : -1;
	status = VIEW_ROWS(c, take_place, &p, FINDINGS " WHERE f.launch IS NOT NULL"
			   " ORDER BY f.launch, f.finding", c->run);
	next = stand(&p, &here, &on);
	next += direction < 0 ? -1 : on;
	*found = status == STATUS_OK && next >= 0 && next < p.count;
	if (*found)
		*at = p.items[next];
	free(p.items);
	return status;
}

/* --- the list --- */

/* Text wrapped into lines, each indented. */
static void print_words(const struct view_context *c, const char *lead, const char *text)
{
	int column = view_print(c, "      %-5s", lead), indent = column;

	while (*text) {
		int length = (int)strcspn(text, " "), rest = length + (text[length] == ' ');

		if (column + length > WIDTH && column > indent) {
			view_print(c, "\n");
			column = view_print(c, "%*s", indent, "");
		}
		column += view_print(c, "%.*s%s", length, text, text[length] ? " " : "");
		text += rest;
	}
	view_print(c, "\n");
}

static void print_access(const struct view_context *c, sqlite3_stmt *row, int what, int place,
			 const char *lead)
{
	char words[300];

	if (view_null(row, what) && view_null(row, place))
		return;
	snprintf(words, sizeof words, "%.60s %.200s", view_null(row, what) ? "" :
		 view_text(row, what), view_null(row, place) ? "" : view_text(row, place));
	print_words(c, lead, words);
}

static void print_details(const struct view_context *c, sqlite3_stmt *row)
{
	if (!view_null(row, DETAIL))
		print_words(c, "what", view_text(row, DETAIL));
	print_access(c, row, WHAT, SIDE, "");
	print_access(c, row, OTHER_WHAT, OTHER, "and");
	if (!view_null(row, WHY))
		print_words(c, "why", view_text(row, WHY));
	if (!view_null(row, FIX))
		print_words(c, "fix", view_text(row, FIX));
}

static enum status print_finding(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct address at = address_of(c, row);
	int64_t *rows = state, count = view_int(row, COUNT);
	view_cell launch = "-", line, other;

	if (!view_fits(c, (*rows)++, ROWS))
		return STATUS_OK;
	if (at.launch >= 0) {
		view_launch_cell(c, at.launch, launch);
		display_anchor(c->out, &at);
	}
	view_print(c, "  #%-3" PRId64 " ", view_int(row, FINDING));
	view_styled(c, STYLE_WRONG, "%-18s", view_text(row, CLASS));
	view_print(c, " %-6s %.24s  %.40s:%s", launch, view_text(row, KERNEL),
		   view_text(row, FILE_NAME), view_int_cell(row, LINE, line));
	if (!view_null(row, OTHER_LINE))
		view_print(c, " and :%s", view_int_cell(row, OTHER_LINE, other));
	if (breakpoints_at_line(c->breaks, view_text(row, FILE_NAME), view_int(row, LINE)))
		view_print(c, "  B");
	if (count > 1)
		view_print(c, "  %" PRId64 " times", count);
	view_print(c, "%s\n", view_int(row, LINT) ? "  lint" : "");
	print_details(c, row);
	return STATUS_OK;
}

/* --- other orders --- */

static enum status print_run(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *shown = state;

	if (*shown == 0)
		view_styled(c, STYLE_HEADING, "\n findings of other orders\n");
	++*shown;
	view_print(c, "  r%" PRId64 " %s seed %" PRId64 ": %" PRId64 " finding%s\n",
		   view_int(row, 0), view_text(row, 1), view_int(row, 2), view_int(row, 3),
		   view_plural(view_int(row, 3)));
	return STATUS_OK;
}

/* Other runs of the file, and the command that makes one more. */
static enum status draw_orders(const struct view_context *c)
{
	const char *path = store_shown_path(c->store), *slash = strrchr(path, '/');
	int64_t shown = 0, seed;
	const char *trust;

	TRY(VIEW_ROWS(c, print_run, &shown,
		      "SELECT r.run, r.device, r.seed, (SELECT count(*) FROM v_finding f"
		      "  WHERE f.run = r.run) FROM v_run r WHERE r.run <> ?1 ORDER BY r.run"
		      " LIMIT 16", c->run));
	TRY(VIEW_NUMBER(c, 0, &seed, "SELECT max(seed) FROM v_run WHERE ?1", 1));
	path = slash ? slash + 1 : path;
	TRY(view_trust(c, &trust));
	view_styled(c, STYLE_NOTE, "\n other orders: flashtwin replay %.40s%s --check --seed %"
		    PRId64 "\n               flashtwin replay %.40s%s --all-orders 20\n", path,
		    trust, seed < INT64_MAX ? seed + 1 : 1, path, trust);
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	int64_t rows = 0;

	view_title(c, "FINDINGS of run %" PRId64, c->run);
	TRY(VIEW_ROWS(c, print_finding, &rows, FINDINGS " ORDER BY f.finding", c->run));
	view_more(c, rows, ROWS);
	if (rows == 0)
		view_styled(c, STYLE_NOTE, "  none in this trace\n");
	else
		view_styled(c, STYLE_NOTE, "\n enter opens the source there, e and E step through"
			    " them, space breaks at the line\n");
	return draw_orders(c);
}

const struct view view_findings = {
	.name = "findings", .summary = "what the checker found", .whole = true, .draw = draw
};
