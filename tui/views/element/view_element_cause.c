/* view_element_cause.c - where a value came from, and its value in other runs.
 *
 * The block that wrote an element follows from the trace's rows of partials, reductions and caches;
 * a trace does not record the thread. A run without named points is reported. Used by
 * view_element.c.
 */
#include "tui/views/element/view_element_parts.h"

#include <inttypes.h>
#include <string.h>

#include "tui/views/element/view_element_value.h"
#include "tui/views/kernel/kernel_text.h"
#include "tui/views/kernel/view_point_names.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_shape.h"

#define SCHEDULES 6

/* --- the block that wrote it --- */

struct writer {
	const struct element_view *e;
	struct view_shape shape;
	struct address at;              /* block -1: not in the trace */
};

/* Whether the launch has rows in a view. */
static enum status has_rows(const struct view_context *c, const char *table, int64_t launch,
			    bool *some)
{
	char sql[96];
	int64_t one;

	snprintf(sql, sizeof sql, "SELECT 1 FROM %s WHERE run = ?1 AND launch = ?2 LIMIT 1",
		 table);
	TRY(VIEW_NUMBER(c, 0, &one, sql, c->run, launch));
	*some = one != 0;
	return STATUS_OK;
}

static void print_block(const struct view_context *c, const struct writer *w)
{
	view_cell launch;

	view_print(c, "written by %s.b%" PRId64, view_launch_cell(c, w->e->place->launch, launch),
		   w->at.block);
}

/* Partials are [slots, heads, chunks, D + 2]. */
static void print_partial(const struct view_context *c, struct writer *w)
{
	const int64_t *shape = w->e->w[0].shape;
	int64_t row = w->e->focus / shape[3], d = w->e->focus % shape[3];
	int64_t chunk = row % shape[2], head = row / shape[2] % shape[1];
	int64_t slot = row / shape[2] / shape[1];

	view_shape_address(&w->shape, slot, head, chunk, &w->at);
	print_block(c, w);
	view_print(c, ": slot %" PRId64 ", head %" PRId64 ", chunk %" PRId64 ", ", slot, head,
		   chunk);
	if (d < shape[3] - 2)
		view_print(c, "accumulator %" PRId64 "\n", d);
	else
		view_print(c, "%s\n", d == shape[3] - 2 ? "max" : "sum");
}

/* Outputs are [slots, heads, D], or [sequences, queries, heads, D]. */
static bool is_output(const struct written *w)
{
	return w->rank == 3 || (w->rank == 4 && strcmp(w->name, "out") == 0);
}

/* They are written by blocks of a grid (heads, slots). */
static void print_output(const struct view_context *c, struct writer *w)
{
	const struct written *out = &w->e->w[0];
	int64_t heads = out->shape[out->rank - 2], d = out->shape[out->rank - 1];
	int64_t row = w->e->focus / d, slot = row / heads, head = row % heads;

	if (w->shape.form == SHAPE_CLUSTER) {
		view_shape_merged_by(&w->shape, slot, head, w->e->focus % d, &w->at);
	} else if (w->shape.merges) {
		view_print(c, "written by the last block of KV head %" PRId64 ": which one that is"
			   " is not in the trace\n", view_shape_kv_head(&w->shape, head));
		return;
	} else {
		view_shape_address(&w->shape, slot, head, 0, &w->at);
	}
	print_block(c, w);
	view_print(c, ": slot %" PRId64 ", head %" PRId64 "\n", slot, head);
}

static enum status print_kv(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	bool *found = state;
	view_cell source;

	view_print(c, "%s row of position %" PRId64 ", slot %" PRId64 ", kv head %" PRId64
		   ", copied from upload op %s\n", view_text(row, 0), view_int(row, 3),
		   view_int(row, 1), view_int(row, 2), view_int_cell(row, 4, source));
	*found = true;
	return STATUS_OK;
}

static enum status draw_writer(const struct view_context *c, struct writer *w)
{
	const struct element_view *e = w->e;
	int64_t size = (int64_t)dtype_bytes(e->w[0].dtype);
	bool some, kv = false;
	view_cell index;

	view_print(c, "\n provenance  %s%s ", e->w[0].name,
		   e->known ? element_index(&e->w[0], e->focus, index) : "");
	TRY(has_rows(c, "v_partial", e->place->launch, &some));
	if (some && e->w[0].rank == 4 && e->w[0].shape[3] > 2 && !is_output(&e->w[0])) {
		print_partial(c, w);
		return STATUS_OK;
	}
	TRY(has_rows(c, "v_reduce", e->place->launch, &some));
	if ((some || w->shape.merges) && is_output(&e->w[0])) {
		print_output(c, w);
		return STATUS_OK;
	}
	TRY(VIEW_ROWS(c, print_kv, &kv, "SELECT tensor, slot, kv_head, position, source_op"
		      " FROM v_kv WHERE run = ?1 AND op = ?2 AND buffer = ?3"
		      " AND offset <= ?4 AND ?4 - offset < bytes LIMIT 1", c->run,
		      e->place->op, e->w[0].buffer, e->focus * size));
	if (!kv)
		view_print(c, "written by L%" PRId64 "; by which block is not in the trace\n",
			   e->place->launch);
	return STATUS_OK;
}

/* --- named points --- */

enum { SEQUENCE, NAME, VALUE };

struct last_point {
	const struct kernel_text *text;
	const struct element_view *e;
	bool some, own;
};

static enum status print_last(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct last_point *p = state;
	const char *name = view_text(row, NAME);
	view_cell value;

	p->some = true;
	view_print(c, "p%" PRId64 " %s", view_int(row, SEQUENCE), name);
	for (int i = 0; i < 4 && !view_null(row, VALUE + i); i++)
		view_print(c, "  %s %s", view_point_value(p->own, name, i),
			   view_value_cell(c, row, VALUE + i, value));
	element_point_place(c, p->text, name);
	view_print(c, "\n");
	return STATUS_OK;
}

/* The last point of the block's first thread, or of the first that has the head, on one side. */
static enum status draw_last(const struct view_context *c, const struct element_view *e, int side,
			     const struct address *at, const struct kernel_text *text)
{
	struct view_context other = element_side(c, e, side);
	struct last_point p = { text, e, false, false };
	bool some;

	view_print(c, "   %c  ", side ? 'B' : 'A');
	TRY(has_rows(&other, "v_point", e->place->launch, &some));
	if (!some) {
		view_styled(c, STYLE_NOTE, "recorded at launch boundaries only: no named points"
			    " (--log points)\n");
		return STATUS_OK;
	}
	TRY(view_own_points(c, e->place->kernel, &p.own));
	TRY(VIEW_ROWS(&other, print_last, &p, "SELECT sequence, name, v0_bits, v1_bits, v2_bits,"
		      " v3_bits FROM w_point WHERE run = ?1 AND launch = ?2 AND thread = ?3"
		      " ORDER BY sequence DESC LIMIT 1", other.run, e->place->launch,
		      view_place_thread(e->place, at->block, (at->warp > 0 ? at->warp * 32 : 0)
					+ (at->lane > 0 ? at->lane : 0))));
	if (!p.some)
		view_print(c, "its first thread passed no named point\n");
	return STATUS_OK;
}

static enum status draw_points(const struct view_context *c, const struct element_view *e,
			       const struct address *at)
{
	struct kernel_text text;
	enum status status = kernel_text_read(c, e->place->kernel, &text);

	for (int side = 0; side < 2 && status == STATUS_OK; side++)
		status = draw_last(c, e, side, at, &text);
	kernel_text_free(&text);
	return status == STATUS_OK ? element_first_point(c, e, at->block) : status;
}

/* --- other runs --- */

struct schedules {
	const struct element_view *e;
	int side, shown;
};

static enum status print_schedule(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct schedules *s = state;
	const struct element_view *e = s->e;
	char text[VIEW_CELL] = "no bytes";
	struct written w;
	uint64_t bits, own;
	enum status status;
	bool there;

	status = written_read(e->pair.store[s->side], view_int(row, 0), e->place->launch,
			      e->w[0].output, &w, &there);
	if (status == STATUS_OK && there && w.dtype == e->w[0].dtype
	    && written_at(&w, e->focus, &bits)) {
		element_text(NUMBER_DEC, w.dtype, bits, text);
		for (int i = 0; i < 2; i++)
			if (written_at(&e->w[i], e->focus, &own) && value_equal(w.dtype, own, bits))
				strcat(text, i ? " = B" : " = A");
	}
	written_free(&w);
	TRY(status);
	view_print(c, "%s%c r%" PRId64 " %s seed %" PRId64 " -> %s", s->shown % 2 ? "   " :
		   s->shown ? "\n                " : "", s->side ? 'B' : 'A', view_int(row, 0),
		   view_text(row, 1), view_int(row, 2), text);
	s->shown++;
	return STATUS_OK;
}

static enum status print_command(const struct view_context *c, const struct element_view *e)
{
	const char *path = store_shown_path(e->pair.store[0]), *slash = strrchr(path, '/');
	const char *trust;
	int64_t seed;

	TRY(VIEW_NUMBER(c, 0, &seed, "SELECT max(seed) FROM v_run WHERE ?1", 1));
	TRY(view_trust(c, &trust));
	view_print(c, "flashtwin replay %.40s%s --seed %" PRId64 " -o T2.twin",
		   slash ? slash + 1 : path, trust, seed < INT64_MAX ? seed + 1 : 1);
	return STATUS_OK;
}

/* The value in all other runs of the files; if there are none, the command that makes one. */
static enum status draw_schedules(const struct view_context *c, const struct element_view *e)
{
	struct schedules s = { .e = e };

	view_print(c, " other orders   ");
	for (s.side = 0; s.side < 2; s.side++) {
		struct view_context other = element_side(c, e, s.side);

		if (s.side == 1 && e->pair.store[0] == e->pair.store[1])
			break;
		TRY(VIEW_ROWS(&other, print_schedule, &s, "SELECT run, device, seed FROM v_run"
			      " WHERE run <> ?1 AND (run <> ?2 OR ?3) ORDER BY run LIMIT ?4",
			      e->pair.run[s.side], e->pair.run[1],
			      e->pair.store[0] != e->pair.store[1], SCHEDULES));
	}
	if (s.shown == 0)
		TRY(print_command(c, e));
	view_print(c, "\n");
	return STATUS_OK;
}

enum status element_cause_draw(const struct view_context *c, const struct element_view *e)
{
	struct writer w = { .e = e, .at = address_none };
	enum status status = view_shape_read(c, e->place, &w.shape);

	if (status == STATUS_OK)
		status = draw_writer(c, &w);
	view_shape_free(&w.shape);
	TRY(status);
	if (w.at.block >= 0)
		TRY(draw_points(c, e, &w.at));
	if (e->differs)
		TRY(element_finding_draw(c, e));
	return draw_schedules(c, e);
}
