/* view_kv_written.c - which bytes of the KV cache a step wrote: ranges by buffer and slot; see
 * view_kv_written.h.
 *
 * What kernels wrote is in v_kv, row by row; what was transferred or filled is in v_op, also in
 * traces before version 5. Rows that follow each other are one range.
 */
#include "tui/views/attend/view_kv_written.h"

#include <inttypes.h>
#include <string.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define LINES 8                         /* one for each buffer and slot; --all: all of them */
#define INDENT 6                        /* of further lines with ranges */
#define MORE 14                         /* columns for the count of ranges that do not fit */

/* Bytes that operations ?2 to ?3 of run ?1 wrote into caches. A transfer may fill several slots. */
#define WRITTEN "written AS (SELECT DISTINCT op, buffer, coalesce(layer, -1) AS layer, slot," \
	"  slot AS last_slot, position, position AS last_position, offset, bytes FROM v_kv" \
	"  WHERE run = ?1 AND op BETWEEN ?2 AND ?3 AND launch IS NOT NULL" \
	" UNION SELECT op, buffer, layer, row / max_len / heads," \
	"  last_row / max_len / heads, iif(row / max_len = last_row / max_len, row % max_len, 0)," \
	"  iif(row / max_len = last_row / max_len, last_row % max_len, max_len - 1)," \
	"  offset, bytes FROM (SELECT o.op, c.*, o.offset, o.bytes, o.offset / row_bytes AS row," \
	"   (o.offset + o.bytes - 1) / row_bytes AS last_row FROM v_op o" \
	"   JOIN w_kv_cache c ON c.run = o.run AND c.buffer = o.buffer" \
	"   WHERE o.run = ?1 AND o.op BETWEEN ?2 AND ?3 AND o.code = 0 AND o.bytes > 0" \
	"   AND row_bytes > 0 AND max_len > 0 AND heads > 0" \
	"   AND o.kind IN ('upload', 'copy', 'fill', 'restore')))"

/* The line of one buffer and slot while its rows are read. */
struct written {
	int64_t buffer, slot, last_slot;
	int64_t begin, end;             /* bytes begin <= i < end of the range read last */
	int64_t lines, hidden;          /* hidden: ranges of this line that do not fit */
	int used;                       /* columns of it */
	bool begun;
};

enum { NAME, BUFFER, SLOT, LAST_SLOT, FIRST, LAST, FIRST_OP, LAST_OP, LAUNCH, TOTAL, OFFSET,
	BYTES };

static int columns(const struct view_context *c)
{
	return c->columns > 0 ? c->columns : 100;
}

static void print_range(const struct view_context *c, struct written *w, bool last)
{
	char text[64];
	int length = snprintf(text, sizeof text, "%" PRId64 "..%" PRId64, w->begin, w->end - 1);

	if (w->hidden || (!c->all && w->used + length + (last ? 2 : MORE) > columns(c))) {
		w->hidden++;
		return;
	}
	if (w->used + length + 2 > columns(c)) {
		view_print(c, ",\n");
		w->used = view_print(c, "%*s", INDENT, "");
	} else if (w->begun) {
		w->used += view_print(c, ", ");
	}
	w->used += view_print(c, "%s", text);
	w->begun = true;
}

static void end_line(const struct view_context *c, struct written *w)
{
	if (w->lines == 0 || !view_fits(c, w->lines - 1, LINES))
		return;
	print_range(c, w, true);
	if (w->hidden)
		view_print(c, ", %" PRId64 " more", w->hidden);
	view_print(c, "\n");
}

static int print_numbers(const struct view_context *c, const char *what, int64_t first,
			 int64_t last)
{
	if (first == last)
		return view_print(c, "  %s %" PRId64, what, first);
	return view_print(c, "  %ss %" PRId64 "..%" PRId64, what, first, last);
}

static int print_writer(const struct view_context *c, sqlite3_stmt *row)
{
	view_cell launch;

	if (view_int(row, FIRST_OP) != view_int(row, LAST_OP))
		return view_print(c, "  by op %" PRId64 " and later", view_int(row, FIRST_OP));
	if (view_null(row, LAUNCH))
		return view_print(c, "  by op %" PRId64, view_int(row, FIRST_OP));
	return view_print(c, "  by %s", view_launch_cell(c, view_int(row, LAUNCH), launch));
}

static void begin_line(const struct view_context *c, struct written *w, sqlite3_stmt *row)
{
	w->buffer = view_int(row, BUFFER);
	w->slot = view_int(row, SLOT);
	w->last_slot = view_int(row, LAST_SLOT);
	w->hidden = 0;
	w->begun = false;
	if (!view_fits(c, w->lines++, LINES))
		return;
	w->used = view_print(c, "   %.30s", view_text(row, NAME));
	w->used += print_numbers(c, "slot", w->slot, w->last_slot);
	w->used += print_numbers(c, "position", view_int(row, FIRST), view_int(row, LAST));
	w->used += print_writer(c, row);
	w->used += view_print(c, "  %" PRId64 " B: ", view_int(row, TOTAL));
}

static enum status take_row(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct written *w = state;
	int64_t begin = view_int(row, OFFSET), end;

	if (begin < 0 || view_int(row, BYTES) <= 0
	    || __builtin_add_overflow(begin, view_int(row, BYTES), &end))
		return STATUS_OK;
	if (w->lines > 0 && w->buffer == view_int(row, BUFFER) && w->slot == view_int(row, SLOT)
	    && w->last_slot == view_int(row, LAST_SLOT)) {
		if (begin <= w->end) {
			w->end = end > w->end ? end : w->end;
			return STATUS_OK;
		}
		if (view_fits(c, w->lines - 1, LINES))
			print_range(c, w, false);
	} else {
		end_line(c, w);
		begin_line(c, w, row);
	}
	w->begin = begin;
	w->end = end;
	return STATUS_OK;
}

/* --- which operations --- */

struct span {
	int64_t first, last;            /* operations */
	char name[64];                  /* "step 20" */
};

/* Without a step or an operation of its own, the place has no span: *known is false. */
static enum status find_span(const struct view_context *c, const struct view_place *p,
			     struct span *s, bool *known)
{
	view_cell launch;

	*known = p->step >= 0 || p->launch >= 0 || c->at.op >= 0;
	s->last = p->op;
	s->first = p->op;
	if (p->step < 0 && p->launch < 0)
		snprintf(s->name, sizeof s->name, "op %" PRId64, c->at.op);
	else if (p->step < 0)
		snprintf(s->name, sizeof s->name, "%s", view_launch_cell(c, p->launch, launch));
	else if (c->at.launch >= 0)
		snprintf(s->name, sizeof s->name, "step %" PRId64 " up to %.24s", p->step,
			 view_launch_cell(c, p->launch, launch));
	else if (c->at.op >= 0)
		snprintf(s->name, sizeof s->name, "step %" PRId64 " up to op %" PRId64, p->step,
			 c->at.op);
	else
		snprintf(s->name, sizeof s->name, "step %" PRId64, p->step);
	if (p->step < 0)
		return STATUS_OK;
	return VIEW_NUMBER(c, p->op, &s->first, "SELECT min(first_op) FROM v_step WHERE run = ?1"
			   " AND step = ?2", c->run, p->step);
}

struct totals {
	int64_t layer, bytes, layers;   /* of the layer shown, of all, and how many these are */
};

static enum status take_totals(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct totals *t = state;

	(void)c;
	*t = (struct totals){ view_int(row, 0), view_int(row, 1), view_int(row, 2) };
	return STATUS_OK;
}

static void print_heading(const struct view_context *c, const struct span *s,
			  const struct totals *t, int64_t layer)
{
	if (t->bytes == 0) {
		view_styled(c, STYLE_HEADING, " written in %s: nothing\n", s->name);
		return;
	}
	view_styled(c, STYLE_HEADING, " written in %s: ", s->name);
	if (layer < 0)
		view_styled(c, STYLE_HEADING, "%" PRId64 " B\n", t->bytes);
	else
		view_styled(c, STYLE_HEADING, "%" PRId64 " B of layer %" PRId64 ", %" PRId64 " B of"
			    " %" PRId64 " layer%s\n", t->layer, layer, t->bytes, t->layers,
			    view_plural(t->layers));
}

enum status view_kv_written(const struct view_context *c, const struct view_place *place,
			    int64_t layer, int64_t slot)
{
	struct written written = { 0 };
	struct totals totals = { 0 };
	struct span span = { 0 };
	bool known;

	TRY(find_span(c, place, &span, &known));
	if (!known)
		return STATUS_OK;
	TRY(VIEW_ROWS(c, take_totals, &totals, "WITH " WRITTEN " SELECT"
		      " coalesce(sum(bytes) FILTER (WHERE layer = ?4), 0), coalesce(sum(bytes), 0),"
		      " count(DISTINCT layer) FROM written", c->run, span.first, span.last, layer));
	print_heading(c, &span, &totals, layer);
	TRY(VIEW_ROWS(c, take_row, &written, "WITH " WRITTEN " SELECT (SELECT name FROM v_buffer b"
		      "  WHERE b.run = ?1 AND b.buffer = w.buffer) AS name, buffer, slot,"
		      " last_slot, min(position) OVER places, max(last_position) OVER places,"
		      " min(op) OVER places, max(op) OVER places,"
		      " (SELECT launch FROM v_op o WHERE o.run = ?1 AND o.op = w.op),"
		      " sum(bytes) OVER places, offset, bytes FROM written w WHERE layer = ?4"
		      " WINDOW places AS (PARTITION BY buffer, slot, last_slot)"
		      " ORDER BY slot <> ?5, slot, name, buffer, last_slot, offset",
		      c->run, span.first, span.last, layer, slot));
	end_line(c, &written);
	view_more(c, written.lines, LINES);
	return STATUS_OK;
}
