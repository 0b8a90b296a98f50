/* view_source.c - the text of a kernel, with what the thread of the address published in it.
 *
 * Values at named points stand in for a debugger's locals: a trace has nothing else. The file is
 * that of the address's point, else the kernel's own.
 */
#include "tui/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "traces/store_walk.h"

#define LINES 2000
#define BEFORE 6                        /* of them shown around a point's */
#define BEHIND 8
#define POINTS 12                       /* of the thread, listed around the address's */

struct thread {
	const struct view_place *place;
	int64_t thread, threads;        /* counted through the grid; of a block */
	int64_t point;                  /* of the address, -1: none */
	char name[32];                  /* of that point */
	int64_t nth;                    /* how many of that name the thread passed before it */
	int64_t rows;
	uint32_t lanes;                 /* of the warp, that came as far */
};

/* --- values at points --- */

enum { SEQUENCE, NAME, VALUE };

static enum status print_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct thread *t = state;
	int64_t sequence = view_int(row, SEQUENCE), threads = t->threads;
	struct address at = address_none;
	view_cell value;

	at.run = c->run > 1 ? c->run : -1;
	at.launch = t->place->launch;
	at.block = t->thread / threads;
	at.warp = t->thread % threads / 32;
	at.lane = t->thread % threads % 32;
	at.point = sequence;
	display_anchor(c->out, &at);
	view_print(c, "  p%-5" PRId64 " %-9s", sequence, view_text(row, NAME));
	for (int i = 0; i < 4 && !view_null(row, VALUE + i); i++)
		view_print(c, " %-9s %-14s", view_point_value(view_text(row, NAME), i),
			   view_f32_cell(row, VALUE + i, value));
	view_print(c, "\n");
	t->rows++;
	return STATUS_OK;
}

static enum status take_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct thread *t = state;

	(void)c;
	snprintf(t->name, sizeof(t->name), "%s", view_text(row, 0));
	t->nth = view_int(row, 1);
	return STATUS_OK;
}

/* Lanes of the warp that passed the point as often as this thread had. */
static enum status take_lane(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct thread *t = state;
	int64_t lane = (view_int(row, 0) % t->threads) % 32;

	(void)c;
	if (view_int(row, 1) > t->nth)
		t->lanes |= (uint32_t)1 << lane;
	return STATUS_OK;
}

static enum status draw_lanes(const struct view_context *c, struct thread *t)
{
	int64_t first = t->thread - (t->thread % t->threads) % 32;

	TRY(VIEW_ROWS(c, take_lane, t,
		      "SELECT p.thread, count(*) FROM w_point p JOIN w_point me"
		      " ON me.run = ?1 AND me.launch = ?2 AND me.thread = ?3 AND me.sequence = ?6"
		      " WHERE p.run = ?1 AND p.launch = ?2 AND p.thread >= ?4 AND p.thread <= ?5"
		      " AND p.name = me.name GROUP BY p.thread", c->run, t->place->launch,
		      t->thread, first, first + 31, t->point));
	view_print(c, " lanes that came here, %" PRId64 " time%s before:  ", t->nth,
		   view_plural(t->nth));
	for (int lane = 0; lane < 32; lane++)
		view_styled(c, STYLE_CHART, "%c", t->lanes >> lane & 1 ? '#' : '.');
	view_print(c, "\n");
	return STATUS_OK;
}

static enum status draw_points(const struct view_context *c, struct thread *t)
{
	int64_t from = t->point > POINTS / 2 ? t->point - POINTS / 2 : 0;

	view_styled(c, STYLE_HEADING, " thread %" PRId64 " of block %" PRId64
		    ", values at named points\n", t->thread % t->threads, t->thread / t->threads);
	TRY(VIEW_ROWS(c, print_point, t,
		      "SELECT sequence, name, v0_bits, v1_bits, v2_bits, v3_bits FROM w_point"
		      " WHERE run = ?1 AND launch = ?2 AND thread = ?3 AND sequence >= ?4"
		      " ORDER BY sequence LIMIT ?5", c->run, t->place->launch, t->thread, from,
		      POINTS));
	if (t->rows == 0) {
		view_styled(c, STYLE_NOTE, "  none recorded of this thread\n");
		return STATUS_OK;
	}
	if (t->point < 0)
		return STATUS_OK;
	TRY(VIEW_ROWS(c, take_point, t,
		      "SELECT name, (SELECT count(*) FROM w_point b WHERE b.run = p.run"
		      "  AND b.launch = p.launch AND b.thread = p.thread AND b.name = p.name"
		      "  AND b.sequence < p.sequence)"
		      " FROM w_point p WHERE run = ?1 AND launch = ?2 AND thread = ?3"
		      " AND sequence = ?4", c->run, t->place->launch, t->thread, t->point));
	return *t->name ? draw_lanes(c, t) : STATUS_OK;
}

/* --- text --- */

/* "POINT(score," in a line, and not in a comment's "POINT(name," . */
static bool passes(const char *line, size_t length, const char *name)
{
	char call[48];
	int bytes = snprintf(call, sizeof(call), "POINT(%s,", name);

	for (size_t i = 0; i + (size_t)bytes <= length; i++)
		if (memcmp(line + i, call, (size_t)bytes) == 0)
			return true;
	return false;
}

static void print_line(const struct view_context *c, const char *line, size_t length, int number,
		       bool here)
{
	enum view_style style = here ? STYLE_NEW : STYLE_PLAIN;

	view_styled(c, here ? STYLE_NEW : STYLE_NOTE, "%c%4d  ", here ? '>' : ' ', number);
	/* Eight columns a tab are too many here. */
	for (size_t i = 0; i < length; i++)
		view_styled(c, style, line[i] == '\t' ? "    " : "%c", line[i]);
	view_print(c, "\n");
}

/* The line that passes the point, from 1; 0: none does. */
static int find_line(const char *text, const char *name)
{
	for (int number = 1; *text && *name; number++) {
		size_t length = strcspn(text, "\n");

		if (passes(text, length, name))
			return number;
		text += length + (text[length] == '\n');
	}
	return 0;
}

static enum status print_text(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct thread *t = state;
	const char *text = view_text(row, 1);
	int here = find_line(text, t->name);

	view_styled(c, STYLE_TITLE, "\n %s\n", view_text(row, 0));
	for (int number = 1; *text && view_fits(c, number, LINES); number++) {
		size_t length = strcspn(text, "\n");

		if (here == 0 || c->all || (number >= here - BEFORE && number <= here + BEHIND))
			print_line(c, text, length, number, number == here);
		text += length + (text[length] == '\n');
	}
	return STATUS_OK;
}

/* The file with the point, the kernel's own when there is none. */
static enum status draw_text(const struct view_context *c, const struct thread *t)
{
	struct thread copy = *t;
	char sql[320];

	/* Names of points are the trace's own: only words go into SQL. */
	if (strspn(t->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	    != strlen(t->name))
		copy.name[0] = '\0';
	snprintf(sql, sizeof(sql),
		 "SELECT file, source FROM v_source WHERE run = ?1 AND kernel ="
		 " (SELECT kernel FROM v_launch WHERE run = ?1 AND launch = ?2)"
		 " ORDER BY instr(source, 'POINT(%s,') = 0, file LIKE '%%/points.h', entry LIMIT 1",
		 *copy.name ? copy.name : "\n");
	return VIEW_ROWS(c, print_text, &copy, sql, c->run, t->place->launch);
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	struct thread t = { .place = &place, .point = c->at.point };
	bool found;

	TRY(view_place_find(c, "v_launch", &place, &found));
	if (!found) {
		view_title(c, "SOURCE: run %" PRId64 " launched no kernel", c->run);
		return STATUS_OK;
	}
	view_place_title(c, "SOURCE of", &place);
	t.threads = view_place_threads(&place);
	t.thread = (c->at.block > 0 ? c->at.block : 0) * t.threads
		+ (c->at.warp > 0 ? c->at.warp * 32 : 0) + (c->at.lane > 0 ? c->at.lane : 0);
	if (t.threads > 0)
		TRY(draw_points(c, &t));
	return draw_text(c, &t);
}

const struct view view_source = {
	.name = "source", .summary = "a kernel's text, and values at its named points", .draw = draw
};
