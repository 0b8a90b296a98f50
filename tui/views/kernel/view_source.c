/* view_source.c - the text of a kernel, with what the trace knows of each line.
 *
 * Each line is shown with how often threads executed it (--count, --check), findings and
 * breakpoints. Below a line with a named point are the last values that the thread of the address
 * published there; they stand in for a debugger's local variables, which a trace does not have. The
 * line is that of the address, or else that of its point, or else where the kernel begins.
 * view_source_lanes.c draws lanes and barriers.
 */
#include "tui/views/kernel/view_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/views/kernel/breakpoints.h"
#include "tui/views/kernel/view_point_names.h"
#include "tui/views/kernel/view_memory.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define AROUND 6                        /* lines shown before and after the one of the address */
#define OTHERS 24                       /* lines of the screen that this many leave to the rest */
#define WIDTH 101                       /* of the screen, if it gives no more */
#define MARGIN 19                       /* columns before a line's text */

/* --- which line --- */

enum { NAME, NTH };

static enum status take_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct source *s = state;

	(void)c;
	snprintf(s->name, sizeof s->name, "%s", view_text(row, NAME));
	s->nth = view_int(row, NTH);
	return STATUS_OK;
}

/* The point of the address, and how often its thread passed points of that name before it. */
static enum status find_point(const struct view_context *c, struct source *s)
{
	s->point = c->at.point;
	s->threads = view_place_threads(s->place);
	s->thread = (c->at.block > 0 ? c->at.block : 0) * s->threads
		+ (c->at.warp > 0 ? c->at.warp * 32 : 0) + (c->at.lane > 0 ? c->at.lane : 0);
	if (s->point < 0)
		return STATUS_OK;
	return VIEW_ROWS(c, take_point, s,
			 "SELECT name, (SELECT count(*) FROM w_point b WHERE b.run = p.run"
			 "  AND b.launch = p.launch AND b.thread = p.thread AND b.name = p.name"
			 "  AND b.sequence < p.sequence)"
			 " FROM w_point p WHERE run = ?1 AND launch = ?2 AND thread = ?3"
			 " AND sequence = ?4", c->run, s->place->launch, s->thread, s->point);
}

/* The line of the request of the address. */
static enum status find_request(const struct view_context *c, struct source *s)
{
	struct memory_request request;

	if (c->at.access < 0)
		return STATUS_OK;
	TRY(memory_at(c, s->place, &request));
	for (int i = 0; i < s->text.count && request.warp >= 0; i++)
		if (!strcmp(s->text.files[i].name, request.file) && request.line > 0
		    && request.line <= s->text.files[i].count) {
			s->home_file = i;
			s->home_line = request.line;
		}
	return STATUS_OK;
}

/* USAGE for a file or line that the text does not have. */
static enum status find_line(const struct view_context *c, struct source *s)
{
	const struct kernel_text *t = &s->text;

	if (!*s->name || !kernel_text_point(t, s->name, &s->home_file, &s->home_line))
		kernel_text_begin(t, s->place->kernel, &s->home_file, &s->home_line);
	TRY(find_request(c, s));
	s->file = s->home_file;
	s->line = s->home_line;
	if (c->at.file >= t->count)
		return fail(STATUS_USAGE, "%s has files f0 to f%d, not f%" PRId64,
			    s->place->kernel, t->count - 1, c->at.file);
	if (c->at.file >= 0 || c->at.line >= 0) {
		s->line = 1;
		s->file = c->at.file > 0 ? (int)c->at.file : 0;
	}
	if (c->at.line == 0 || c->at.line > t->files[s->file].count)
		return fail(STATUS_USAGE, "%s has lines n1 to n%" PRId64 ", not n%" PRId64,
			    t->files[s->file].name, t->files[s->file].count, c->at.line);
	if (c->at.line > 0)
		s->line = c->at.line;
	return STATUS_OK;
}

/* Resolves the address. Close it even after an error. USAGE if the line does not exist. */
static enum status source_open(const struct view_context *c, struct view_place *place,
			       struct source *s, bool *found)
{
	*s = (struct source){ .place = place };
	TRY(view_place_find(c, "v_launch", place, found));
	if (!*found)
		return STATUS_OK;
	TRY(find_point(c, s));
	TRY(view_own_points(c, place->kernel, &s->own));
	TRY(kernel_text_read(c, place->kernel, &s->text));
	/* A kernel without recorded text has no current line. */
	return s->text.count && s->text.files[0].count ? find_line(c, s) : STATUS_OK;
}

static void source_close(struct source *s)
{
	kernel_text_free(&s->text);
}

enum status view_source_line(const struct view_context *c, char *file, size_t size, int64_t *line,
			     bool *found)
{
	struct view_place place;
	struct source s;
	enum status status = source_open(c, &place, &s, found);

	*found = status == STATUS_OK && *found && s.line > 0;
	if (*found) {
		snprintf(file, size, "%s", s.text.files[s.file].name);
		*line = s.line;
	}
	source_close(&s);
	return status;
}

/* --- values at named points --- */

struct passed {
	int64_t sequence;
	uint32_t bits[2][4];            /* the last two times; [0] the latest */
	int count, times;
};

static enum status take_passed(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct passed *p = state;

	(void)c;
	if (p->times == 0)
		p->sequence = view_int(row, 0);
	for (p->count = 0; p->count < 4 && !view_null(row, 1 + p->count); p->count++)
		p->bits[p->times][p->count] = (uint32_t)view_int(row, 1 + p->count);
	p->times++;
	return STATUS_OK;
}

/* The last values that the thread published there, up to the point of the address, and the values
 * before those. */
static enum status print_values(const struct view_context *c, const struct source *s,
				const char *name)
{
	struct passed p = { 0 };
	char text[2][VIEW_FORMAT_NUMBER], sql[400];

	/* The name comes from the text: it has only letters, digits and _. */
	snprintf(sql, sizeof sql, "SELECT sequence, v0_bits, v1_bits, v2_bits, v3_bits"
		 " FROM w_point WHERE run = ?1 AND launch = ?2 AND thread = ?3"
		 " AND sequence <= ?4 AND name = '%s' ORDER BY sequence DESC LIMIT 2", name);
	TRY(VIEW_ROWS(c, take_passed, &p, sql, c->run, s->place->launch, s->thread,
		      s->point < 0 ? -1 : s->point));
	if (p.times == 0)
		return STATUS_OK;
	view_styled(c, STYLE_NEW, "                   = p%" PRId64, p.sequence);
	for (int i = 0; i < p.count; i++) {
		for (int t = 0; t < p.times; t++)
			view_format_number(c->looks.number, p.bits[t][i], text[t]);
		view_styled(c, STYLE_NEW, "  %s %s%s%s", view_point_value(s->own, name, i),
			    p.times > 1 ? text[1] : "", p.times > 1 ? " -> " : "", text[0]);
	}
	view_print(c, "\n");
	return STATUS_OK;
}

/* --- lines --- */

struct line_facts {
	int64_t hits;                   /* -1: not counted */
	char finding[64];               /* class and number; "": none */
};

static enum status take_facts(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct line_facts *f = state;

	(void)c;
	if (!view_null(row, 0))
		f->hits = view_int(row, 0);
	if (!view_null(row, 1))
		snprintf(f->finding, sizeof f->finding, "%s", view_text(row, 1));
	return STATUS_OK;
}

/* A file's path comes from the trace, so the query looks it up by its number in v_source. */
static enum status read_facts(const struct view_context *c, const struct source *s, int64_t line,
			      struct line_facts *f)
{
	*f = (struct line_facts){ .hits = -1 };
	return VIEW_ROWS(c, take_facts, f,
			 "WITH here AS (SELECT file FROM v_source WHERE run = ?1 AND entry = ?3"
			 "  AND kernel = (SELECT kernel FROM v_launch WHERE run = ?1"
			 "   AND launch = ?2))"
			 " SELECT (SELECT hits FROM v_hit h WHERE h.run = ?1 AND h.launch = ?2"
			 "  AND h.file = here.file AND h.line = ?4),"
			 " (SELECT class || ' #' || finding || iif(count(*) OVER () > 1,"
			 "  ' +' || (count(*) OVER () - 1), '') FROM v_finding f"
			 "  WHERE f.run = ?1"
			 "  AND f.file = here.file AND (f.line = ?4 OR f.other_line = ?4)"
			 "  ORDER BY f.launch IS NOT ?2, class IN ('nan-born',"
			 "  'equal-value-race', 'empty-split-read'), finding LIMIT 1) FROM here",
			 c->run, s->place->launch, s->file, line);
}

/* Tabs are expanded to 4 columns; 8 would waste space. */
static int width_of(char character)
{
	return character == '\t' ? 4 : 1;
}

/* A line with more columns ends with "...". */
static void print_text(const struct view_context *c, const struct kernel_file *f, int64_t line,
		       enum view_style style, int columns)
{
	const char *text = kernel_text_line(f, line);
	size_t length = kernel_text_length(f, line);
	int width = 0;
	bool cut;

	for (size_t i = 0; i < length && width <= columns; i++)
		width += width_of(text[i]);
	cut = width > columns;
	columns -= cut ? 3 : 0;
	for (size_t i = 0; i < length && width_of(text[i]) <= columns; i++) {
		columns -= width_of(text[i]);
		view_styled(c, style, text[i] == '\t' ? "    " : "%c", text[i]);
	}
	if (cut)
		view_styled(c, style, "...");
}

/* Sets the address that j and k go to: that of the place, with the line added. */
static void anchor_line(const struct view_context *c, const struct source *s, int file,
			int64_t line)
{
	struct address at = c->at;

	at.run = c->run > 1 ? c->run : -1;
	at.step = at.op = at.output = at.element = at.access = -1;
	at.end = false;
	at.launch = s->place->launch;
	/* The place's own line needs no number. */
	at.file = line == s->home_line && file == s->home_file ? -1 : file;
	at.line = at.file < 0 ? -1 : line;
	display_anchor(c->out, &at);
}

/* Columns for a line's text, with what is found in it after the text. */
static int text_columns(const struct view_context *c, const char *after)
{
	return (c->columns > WIDTH ? c->columns : WIDTH) - MARGIN - (int)strlen(after);
}

static enum status print_line(const struct view_context *c, const struct source *s, int64_t line)
{
	const struct kernel_file *f = &s->text.files[s->file];
	bool here = line == s->line;
	bool home = line == s->home_line && s->file == s->home_file;
	struct line_facts facts;
	view_cell hits = "";
	char name[32], after[32] = "";

	TRY(read_facts(c, s, line, &facts));
	anchor_line(c, s, s->file, line);
	if (facts.hits >= 0)
		snprintf(hits, sizeof hits, "%" PRId64 "x", facts.hits);
	view_print(c, "%c%c%c%4" PRId64 " %9s  ", here ? '>' : home ? '*' : ' ',
		   breakpoints_at_line(c->breaks, f->name, line) ? 'B' : ' ',
		   *facts.finding ? '!' : ' ', line, hits);
	if (*facts.finding)
		snprintf(after, sizeof after, "  <- %.24s", facts.finding);
	print_text(c, f, line, *facts.finding ? STYLE_WRONG : here ? STYLE_NEW : STYLE_PLAIN,
		   text_columns(c, after));
	view_styled(c, STYLE_WRONG, "%s", after);
	view_print(c, "\n");
	return kernel_text_passes(f, line, name) ? print_values(c, s, name) : STATUS_OK;
}

/* Prints a row that opens the previous or next file. */
static void print_other_file(const struct view_context *c, const struct source *s, int file,
			     int64_t line)
{
	anchor_line(c, s, file, line);
	view_styled(c, STYLE_NOTE, " %17s%s\n", "", s->text.files[file].name);
}

static enum status draw_text(const struct view_context *c, const struct source *s)
{
	const struct kernel_file *f = &s->text.files[s->file];
	int64_t around = AROUND + (c->lines > OTHERS ? (c->lines - OTHERS) / 2 : 0);
	int64_t from = s->line - around, to = s->line + around;

	if (from < 1)
		to += 1 - from;
	if (to > f->count)
		from -= to - f->count;
	if (from < 1 || c->all)
		from = 1;
	if (to > f->count || c->all)
		to = f->count;
	view_styled(c, STYLE_TITLE, " %s", f->name);
	view_styled(c, STYLE_NOTE, "  f%d of %d, %" PRId64 " line%s\n", s->file, s->text.count,
		    f->count, view_plural(f->count));
	if (from == 1 && s->file > 0)
		print_other_file(c, s, s->file - 1, s->text.files[s->file - 1].count);
	for (int64_t line = from; line <= to; line++)
		TRY(print_line(c, s, line));
	if (to == f->count && s->file + 1 < s->text.count)
		print_other_file(c, s, s->file + 1, 1);
	return STATUS_OK;
}

/* --- all of it --- */

/* The thread, and a note if lines were not counted. */
static enum status draw_header(const struct view_context *c, const struct source *s)
{
	int64_t counted;

	view_print(c, "  block %" PRId64 "  thread %" PRId64 "/%" PRId64, s->thread / s->threads,
		   s->thread % s->threads, s->threads);
	if (s->point >= 0 && *s->name)
		view_print(c, "  at point p%" PRId64 " %s, passed %" PRId64 " time%s before",
			   s->point, s->name, s->nth, view_plural(s->nth));
	else
		view_styled(c, STYLE_NOTE, "  at no named point (s steps to the next one)");
	TRY(VIEW_NUMBER(c, 0, &counted, "SELECT 1 FROM v_hit WHERE run = ?1 AND launch = ?2"
			" LIMIT 1", c->run, s->place->launch));
	view_styled(c, STYLE_NOTE, counted ? "\n" : "\n  lines executed: not recorded (add"
		    " --count or --check to the run, or to a replay)\n");
	return STATUS_OK;
}

static enum status draw_source(const struct view_context *c, struct source *s)
{
	view_place_title(c, "SOURCE of", s->place);
	if (s->threads > 0)
		TRY(draw_header(c, s));
	if (s->text.count == 0 || s->text.files[0].count == 0)
		view_styled(c, STYLE_NOTE, "  its text was not recorded\n");
	else
		TRY(draw_text(c, s));
	return s->threads > 0 ? source_lanes_draw(c, s) : STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	struct view_place place;
	struct source s;
	bool found;
	enum status status = source_open(c, &place, &s, &found);

	if (status == STATUS_OK && !found)
		view_title(c, "SOURCE: run %" PRId64 " launched no kernel", c->run);
	else if (status == STATUS_OK)
		status = draw_source(c, &s);
	source_close(&s);
	return status;
}

const struct view view_source = {
	.name = "source", .summary = "a kernel's text, lines executed, values at named points",
	.draw = draw
};
