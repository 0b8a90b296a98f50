/* slide_time.c - the picture of a step in time: a bar for each operation, below each other in the
 * order issued; see slide.h.
 *
 * Starts are not recorded; view_axis.h says how they are found. A step with more operations than
 * have space is shown around the one of the address.
 */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tui/viewer/viewer_walk.h"
#include "tui/views/kernel/view_axis.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

enum { TOP = 112, FLOOR = 640, LINES = 40, NAME_X = 130, BAR_X = 470, BAR_WIDTH = 760 };

static const char operations[] =
	"SELECT o.op, o.kind, o.launch, o.bytes, l.kernel, l.layer,"
	" (SELECT name FROM v_buffer b WHERE b.run = o.run AND b.buffer = o.buffer),"
	" (SELECT min(tensor) FROM v_kv k WHERE k.run = o.run AND k.op = o.op)"
	" FROM v_op o LEFT JOIN v_launch l ON l.run = o.run AND l.launch = o.launch"
	" WHERE o.run = ?1 AND o.op BETWEEN ?2 AND ?3 AND coalesce(o.step, -1) = ?4 ORDER BY o.op";
enum { OP, KIND, LAUNCH, BYTES, KERNEL, LAYER, BUFFER, TENSOR };

struct timeline {
	const struct slide *slide;
	struct view_axis axis;
	int64_t op, step;               /* of the address; -1: outside of steps */
	int64_t first, last;            /* operations shown */
	int64_t from_line, line;        /* number of the first shown, of the next */
	double pitch;
	bool drawn[4];                  /* kinds of bars in the picture */
};

static const struct { char mark; const char *name, *colour; } kinds[] = {
	{ '#', "kernel", SLIDE_BLUE }, { '=', "bytes copied", "#8fa3bd" },
	{ 'H', "on the host", "#2e8b6f" }, { 'E', "event", SLIDE_NEW },
};

static int kind_of(char mark)
{
	for (int i = 0; i < 3; i++)
		if (kinds[i].mark == mark)
			return i;
	return 3;
}

static void describe(sqlite3_stmt *row, char text[160])
{
	view_cell cell;

	if (!view_null(row, KERNEL))
		snprintf(text, 160, "%.60s%s%s%s%s", view_text(row, KERNEL),
			 view_null(row, TENSOR) ? "" : " ",
			 view_null(row, TENSOR) ? "" : view_text(row, TENSOR),
			 view_null(row, LAYER) ? "" : ", layer ",
			 view_null(row, LAYER) ? "" : view_int_cell(row, LAYER, cell));
	else if (!view_null(row, BUFFER))
		snprintf(text, 160, "%.40s %.40s, %s B", view_text(row, KIND),
			 view_text(row, BUFFER), view_int_cell(row, BYTES, cell));
	else
		snprintf(text, 160, "%.60s", view_text(row, KIND));
}

static void draw_bar(const struct timeline *t, const struct view_bar *bar, double y)
{
	const struct slide *s = t->slide;
	double scale = BAR_WIDTH / fmax(t->axis.end, 1e-9);
	double x = BAR_X + bar->begin * scale, width = (bar->end - bar->begin) * scale;
	char look[64];

	snprintf(look, sizeof look, "fill=\"%s\"", kinds[kind_of(bar->mark)].colour);
	slide_rect(s, x, y + 1.5, fmax(width, 2.5), t->pitch - 3, 2, look);
	if (t->axis.timed && bar->end > bar->begin) {
		bool inside = x + width + 70 > SLIDE_RIGHT;

		slide_text(s, inside ? x - 6 : x + fmax(width, 2.5) + 6, y + t->pitch / 2 + 4,
			   inside ? "font-size=\"12\" fill=\"" SLIDE_QUIET "\" text-anchor=\"end\""
			   : "font-size=\"12\" fill=\"" SLIDE_QUIET "\"", "%.1f \u00b5s",
			   bar->end - bar->begin);
	}
}

static enum status take_operation(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct timeline *t = state;
	const struct slide *s = t->slide;
	int64_t op = view_int(row, OP), number = t->line++;
	const struct view_bar *bar = view_axis_find(&t->axis, op);
	double y = TOP + (double)(number - t->from_line) * t->pitch, middle = y + t->pitch / 2 + 4;
	char text[160], look[64];

	(void)c;
	if (number < t->from_line || number >= t->from_line + LINES)
		return STATUS_OK;
	if (op == t->op)
		slide_rect(s, SLIDE_LEFT - 8, y, SLIDE_RIGHT - SLIDE_LEFT + 16, t->pitch, 3,
			   "fill=\"#fff0e6\"");
	snprintf(look, sizeof look, "font-size=\"%.1f\"", fmin(14.0, t->pitch * 0.85));
	describe(row, text);
	if (view_null(row, LAUNCH))
		slide_mono(s, SLIDE_LEFT, middle, look, "op %" PRId64, op);
	else
		slide_mono(s, SLIDE_LEFT, middle, look, "L%" PRId64, view_int(row, LAUNCH));
	slide_text(s, NAME_X, middle, look, "%s", text);
	if (bar) {
		draw_bar(t, bar, y);
		t->drawn[kind_of(bar->mark)] = true;
	}
	return STATUS_OK;
}

static void draw_scale(const struct timeline *t, int64_t lines)
{
	const struct slide *s = t->slide;
	double bottom = TOP + (double)lines * t->pitch, rough = t->axis.end / 8.0;
	double power = pow(10.0, floor(log10(fmax(rough, 1e-6))));
	double tick = rough <= power ? power : rough <= 2 * power ? 2 * power
		: rough <= 5 * power ? 5 * power : 10 * power;

	if (!t->axis.timed)
		tick = fmax(tick, 1.0);
	for (double at = 0.0; at <= t->axis.end * 1.0001 && t->axis.end > 0.0; at += tick) {
		double x = BAR_X + BAR_WIDTH * at / t->axis.end;

		slide_line(s, x, TOP - 6, x, bottom + 4, "stroke=\"" SLIDE_FAINT "\"");
		slide_text(s, x, TOP - 12, "text-anchor=\"middle\" font-size=\"13\" fill=\""
			   SLIDE_QUIET "\"", "%g%s", at, at == 0.0 && t->axis.timed ? " \u00b5s"
			   : "");
	}
}

/* The kinds of bars that are in the picture. */
static void draw_legend(const struct timeline *t)
{
	const struct slide *s = t->slide;
	int x = SLIDE_LEFT;
	char look[32];

	for (int i = 0; i < 4; i++) {
		if (!t->drawn[i])
			continue;
		snprintf(look, sizeof look, "fill=\"%s\"", kinds[i].colour);
		slide_rect(s, x, SLIDE_HEIGHT - 44, 16, 16, 3, look);
		slide_text(s, x + 24, SLIDE_HEIGHT - 31, "font-size=\"13\""
			   " fill=\"" SLIDE_QUIET "\"", "%s", kinds[i].name);
		x += 140;
	}
}

/* The step of the address, or the last one; outside of steps, the operations around it. */
static enum status find_range(const struct view_context *c, struct timeline *t)
{
	struct address last = c->at;
	bool moved;

	TRY(walk_op(c, &c->at, &t->op));
	if (t->op < 0)
		TRY(walk_end(c, -1, &last, &moved));
	if (t->op < 0)
		TRY(walk_op(c, &last, &t->op));
	TRY(VIEW_NUMBER(c, -1, &t->step, "SELECT step FROM v_op WHERE run = ?1 AND op = ?2", c->run,
			t->op));
	if (t->step < 0) {
		t->first = t->op > LINES / 2 ? t->op - LINES / 2 : 0;
		t->last = t->first + LINES;
		return STATUS_OK;
	}
	TRY(VIEW_NUMBER(c, 0, &t->first, "SELECT min(first_op) FROM v_step WHERE run = ?1"
			" AND step = ?2", c->run, t->step));
	return VIEW_NUMBER(c, INT64_MAX, &t->last, "SELECT iif(count(*) = count(last_op),"
			   " max(last_op), NULL) FROM v_step WHERE run = ?1 AND step = ?2", c->run,
			   t->step);
}

static enum status draw(const struct view_context *c, struct timeline *t)
{
	const struct slide *s = t->slide;
	int64_t count, before;

	TRY(VIEW_NUMBER(c, 0, &count, "SELECT count(*) FROM v_op WHERE run = ?1 AND op BETWEEN ?2"
			" AND ?3 AND coalesce(step, -1) = ?4", c->run, t->first, t->last, t->step));
	TRY(VIEW_NUMBER(c, 0, &before, "SELECT count(*) FROM v_op WHERE run = ?1"
			" AND op BETWEEN ?2 AND ?3 AND coalesce(step, -1) = ?4", c->run, t->first,
			t->op - 1, t->step));
	if (count > LINES)
		t->from_line = before < LINES / 2 ? 0 : before + LINES / 2 > count ? count - LINES
			: before - LINES / 2;
	count = count < LINES ? count : LINES;
	t->pitch = fmin(24.0, (double)(FLOOR - TOP) / (double)(count > 0 ? count : 1));
	if (t->step >= 0)
		slide_title(s, "Step %" PRId64 " in time", t->step);
	else
		slide_title(s, "Operations outside of steps");
	slide_note(s, t->axis.timed ? "Measured durations; an operation starts when its stream,"
		   " events and the host allow" : "Not measured here: each operation takes 1;"
		   " it starts when its stream, events and the host allow");
	draw_scale(t, count);
	TRY(VIEW_ROWS(c, take_operation, t, operations, c->run, t->first, t->last, t->step));
	draw_legend(t);
	return STATUS_OK;
}

enum status slide_time_draw(struct slide *s)
{
	struct timeline t = { .slide = s };
	enum status status = find_range(s->context, &t);

	if (status == STATUS_OK)
		status = view_axis_read(s->context, t.first, t.last, t.step, &t.axis);
	if (status == STATUS_OK)
		status = draw(s->context, &t);
	view_axis_free(&t.axis);
	return status;
}
