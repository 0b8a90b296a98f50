/* view_source_lanes.c - which lanes of a block reached the point of the address, and its barriers.
 *
 * A trace does not record when threads ran. A lane counts as having reached the point if it passed
 * it as often as the thread of the address did. Threads that wait at a barrier are known only from
 * findings.
 */
#include "tui/views/kernel/view_source.h"

#include <inttypes.h>
#include <string.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define WARPS 8

struct lanes {
	const struct source *source;
	int64_t warp;
	char marks[33];
};

static enum status take_lane(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct lanes *l = state;
	int64_t lane = view_int(row, 0) % l->source->threads % 32;

	(void)c;
	if (view_int(row, 1) > l->source->nth)
		l->marks[lane] = view_int(row, 0) == l->source->thread ? '@' : '#';
	return STATUS_OK;
}

/* One query per warp, so that each reads one range of the index. */
static enum status draw_warp(const struct view_context *c, struct lanes *l)
{
	const struct source *s = l->source;
	int64_t first = s->thread - s->thread % s->threads + l->warp * 32;
	int64_t lanes = s->threads - l->warp * 32 < 32 ? s->threads - l->warp * 32 : 32;
	view_cell name;

	memset(l->marks, 0, sizeof l->marks);
	memset(l->marks, '.', (size_t)lanes);
	TRY(VIEW_ROWS(c, take_lane, l,
		      "SELECT p.thread, count(*) FROM w_point p JOIN w_point me"
		      " ON me.run = ?1 AND me.launch = ?2 AND me.thread = ?3 AND me.sequence = ?6"
		      " WHERE p.run = ?1 AND p.launch = ?2 AND p.thread >= ?4 AND p.thread < ?5"
		      " AND p.name = me.name GROUP BY p.thread", c->run, s->place->launch,
		      s->thread, first, first + lanes, s->point));
	snprintf(name, sizeof name, "w%" PRId64, l->warp);
	view_print(c, " %-5s ", name);
	for (int i = 0; l->marks[i]; i++)
		view_styled(c, STYLE_CHART, "%c", l->marks[i]);
	return STATUS_OK;
}

static enum status draw_lanes(const struct view_context *c, const struct source *s)
{
	int64_t warps = s->threads / 32 + (s->threads % 32 != 0);
	struct lanes l = { .source = s };

	view_styled(c, STYLE_HEADING, "\n lanes that passed %s %" PRId64
		    " time%s: # passed, @ this thread, . not\n", s->name, s->nth + 1,
		    view_plural(s->nth + 1));
	for (; l.warp < warps && view_fits(c, l.warp, WARPS); l.warp++) {
		TRY(draw_warp(c, &l));
		view_print(c, l.warp % 2 && l.warp + 1 < warps ? "\n" : "   ");
	}
	view_print(c, "\n");
	view_more(c, warps, WARPS);
	return STATUS_OK;
}

/* --- barriers --- */

static enum status print_barriers(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	bool *some = state;
	view_cell shuffles;

	*some = true;
	view_print(c, " barriers  %" PRId64 " completed by the blocks of this launch, %s shuffles"
		   " of its warps\n", view_int(row, 0), view_int_cell(row, 1, shuffles));
	return STATUS_OK;
}

static enum status print_stuck(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	(void)state;
	view_styled(c, STYLE_WRONG, " barriers  %s #%" PRId64 ": %s\n", view_text(row, 1),
		    view_int(row, 0), view_text(row, 2));
	return STATUS_OK;
}

static enum status draw_barriers(const struct view_context *c, const struct source *s)
{
	bool some = false;

	TRY(VIEW_ROWS(c, print_stuck, NULL,
		      "SELECT finding, class, coalesce(CASE WHEN json_valid(message) THEN"
		      "  json_extract(message, '$.detail') END, 'no detail') FROM v_finding"
		      " WHERE run = ?1 AND launch = ?2"
		      " AND class IN ('barrier-divergence', 'deadlock') LIMIT 2", c->run,
		      s->place->launch));
	TRY(VIEW_ROWS(c, print_barriers, &some, "SELECT barriers, shuffles FROM v_counter"
		      " WHERE run = ?1 AND launch = ?2 AND barriers IS NOT NULL", c->run,
		      s->place->launch));
	if (!some)
		view_styled(c, STYLE_NOTE, " barriers  not counted (--count); waiting lanes are"
			    " recorded only in findings\n");
	return STATUS_OK;
}

enum status source_lanes_draw(const struct view_context *c, const struct source *s)
{
	if (s->point >= 0 && *s->name)
		TRY(draw_lanes(c, s));
	else
		view_print(c, "\n");
	return draw_barriers(c, s);
}
