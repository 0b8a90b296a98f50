/* step_draw.c - draws the Step screen around its panes: title, headings, result, legend; see
 * step.h. */
#include "tui/views/step/step_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/view_bytes.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_heat.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define COLUMNS_OF_VERDICT 110          /* that have space for it next to the title */
#define QUERY_LINES 6                   /* kept for queries of a prefill launch */

/* --- title --- */

static int print_layer(const struct view_context *c, const struct step *s)
{
	int used = 0;

	if (s->attend.step >= 0)
		used += view_styled(c, STYLE_TITLE, "STEP %" PRId64, s->attend.step);
	else if (s->attend.launch >= 0)
		used += view_styled(c, STYLE_TITLE, "L%" PRId64, s->attend.launch);
	else
		used += view_styled(c, STYLE_TITLE, "op %" PRId64, s->attend.op);
	if (s->attend.layer >= 0)
		used += view_styled(c, STYLE_TITLE, "  layer %" PRId64, s->attend.layer);
	used += view_styled(c, STYLE_TITLE, "  head %" PRId64, s->head);
	if (s->kv_heads != s->heads)
		used += view_print(c, " (kv head %" PRId64 ")", s->kv_head);
	return used;
}

/* The rung of the ladder whose kernel attends; 0: none. */
static int rung_of(const char *kernel)
{
	static const struct {
		const char *begins;
		int rung;
	} kernels[] = {
		{ "flash_decode_group", 4 }, { "flash_decode_split", 5 },
		{ "flash_decode_stream", 6 }, { "flash_decode_tensor", 7 },
		{ "flash_decode_planned", 9 }, { "flash_decode_fused", 10 },
		{ "flash_decode_cluster", 10 },
	};

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (strncmp(kernel, kernels[i].begins, strlen(kernels[i].begins)) == 0)
			return kernels[i].rung;
	return 0;
}

/* What the step is about in addition: its query, its slot, its keys, its rung, the byte
 * that it made. */
static int print_what(const struct step_drawing *d)
{
	const struct view_context *c = d->context;
	const struct step *s = d->step;
	int64_t queries = s->visible.queries > 1 ? s->visible.queries : 1;
	view_cell byte;
	int used = 0, rung = rung_of(s->attend.kernel);

	if (s->form == STEP_TILES)
		used += view_styled(c, STYLE_TITLE, "  query %" PRId64, s->query.number);
	if (s->form == STEP_TILES)
		used += view_print(c, " of %" PRId64, s->query.count);
	if (s->slots > queries)
		used += view_print(c, "  slot %" PRId64 " of %" PRId64, step_sequence(s),
				   s->slots / queries);
	used += view_print(c, "  %" PRId64 " key%s", s->keys, view_plural(s->keys));
	if (rung > 0)
		used += view_print(c, "  rung %d", rung);
	if (s->made >= 0 && d->shown.made)
		used += view_print(c, " -> %s", view_byte_cell(s->made, byte));
	if (d->frame >= 0)
		used += view_styled(c, STYLE_NEW, "  frame %" PRId64 " of %" PRId64, d->frame + 1,
				    d->memory->count);
	return used;
}

/* The verdict on both runs ends the line, or has one of its own. */
static void draw_title(const struct step_drawing *d)
{
	const struct view_context *c = d->context;
	const char *verdict = d->memory->verdict;
	int used, length = (int)strlen(verdict);

	if (!view_recomputed_note(c, &d->step->recomputed))
		view_print(c, "\n");
	used = print_layer(c, d->step);
	used += print_what(d);
	if (length > 0) {
		if (used + length + 3 > d->layout.columns) {
			view_print(c, "\n");
			used = 0;
		}
		step_pad(c, used, d->layout.columns - length - 1);
		view_styled(c, d->memory->equal ? STYLE_STRONG : STYLE_DIFFERS, "%s", verdict);
	}
	view_print(c, "\n");
}

/* --- graph --- */

struct nodes {
	const struct step_drawing *drawing;
	int64_t launch;                 /* of the next node */
	int64_t now;                    /* of the frame; -1: none */
};

static const char *role_of(const char *kernel)
{
	if (strstr(kernel, "scatter"))
		return "append";
	switch (view_role(kernel)) {
	case VIEW_CHUNKS: return "chunks";
	case VIEW_MERGES: return "merge";
	default: return strstr(kernel, "_plan") ? "plan" : "attention";
	}
}

/* "node 2 chunks"; the node of the frame is in brackets. */
static enum status take_node(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct nodes *n = state;
	const struct step *s = n->drawing->step;
	bool now = n->launch == n->now;
	bool here = n->launch == s->attend.launch || n->launch == s->reduce.launch;

	view_print(c, "%s", n->launch == s->node.first ? "" : " ");
	view_styled(c, now ? STYLE_NEW : here ? STYLE_STRONG : STYLE_NOTE,
		    now ? "[%" PRId64 " %s]" : " %" PRId64 " %s ", view_int(row, 0),
		    role_of(view_text(row, 1)));
	n->launch++;
	return STATUS_OK;
}

/* What the nodes of the graph do that made these launches. */
static enum status draw_graph(const struct step_drawing *d)
{
	const struct step *s = d->step;
	struct nodes n = { d, s->node.first, -1 };

	if (s->node.graph == 0)
		return STATUS_OK;
	if (d->frame >= 0)
		n.now = d->memory->frames[d->frame].at.launch;
	view_styled(d->context, STYLE_NOTE, " graph %" PRId64 ", nodes ", s->node.graph);
	TRY(VIEW_ROWS(d->context, take_node, &n, "SELECT node, kernel FROM v_node WHERE run = ?1"
		      " AND graph = ?2 AND work = 'launch' AND node IS NOT NULL ORDER BY node"
		      " LIMIT 8", d->context->run, s->node.graph));
	view_print(d->context, "\n");
	return STATUS_OK;
}

static void draw_options(const struct step_drawing *d)
{
	char text[240], pages[160], lse[64];

	step_options_text(d->step, text);
	if (text[0] != '\0')
		view_styled(d->context, STYLE_NOTE, " %s\n", text);
	step_lse_text(d->context, d->step, d->shown.output, lse);
	if (lse[0] != '\0')
		view_styled(d->context, STYLE_NOTE, " %s\n", lse);
	view_pages_text(&d->step->pages, &d->step->visible, pages);
	if (pages[0] != '\0')
		view_styled(d->context, STYLE_NOTE, " %s\n", pages);
}

/* --- headings and result --- */

static void cache_heading(const struct step *s, int width, char text[96])
{
	int used = snprintf(text, 96, " KV CACHE %" PRId64, s->keys);

	/* The capacity gives way to the range of a prompt. */
	if (s->max_len > 0 && (step_new_key(s) >= 0 || width > 28))
		used += snprintf(text + used, 96 - (size_t)used, "/%" PRId64, s->max_len);
	if (step_new_key(s) >= 0)
		snprintf(text + used, 96 - (size_t)used, "  new %" PRId64, s->last_written);
	else if (s->last_written >= 0)
		snprintf(text + used, 96 - (size_t)used, "  new %" PRId64 "..%" PRId64,
			 s->first_written, s->last_written);
}

/* The share stands over its column, at the end of the bar. */
static void draw_chunks_heading(const struct step_drawing *d)
{
	const struct step *s = d->step;
	const char *name = s->tiled ? "KEY TILES" : s->form == STEP_CHUNKS ? "CHUNKS"
		: s->form == STEP_ROWS ? "WARPS" : "HOST SOFTMAX";
	int end = d->layout.middle - d->layout.maxsum;

	step_cell(d->context, d->layout.middle, STYLE_HEADING, "%s%*s%s", name,
		  end - (int)strlen(name), "share",
		  s->tiled && d->layout.maxsum ? "  running max, sum" : "");
}

static void draw_heading(const struct step_drawing *d, int panes)
{
	const struct view_context *c = d->context;
	bool all = panes == PANES_ALL;
	char cache[96];

	cache_heading(d->step, d->layout.left, cache);
	if (panes & PANE_CACHE)
		step_cell(c, d->layout.left, STYLE_HEADING, "%s", cache);
	if (all)
		step_frame(c);
	if (panes & PANE_CHUNKS)
		draw_chunks_heading(d);
	if (all && d->layout.merge)
		step_frame(c);
	if ((panes & PANE_MERGE) && d->layout.merge)
		view_styled(c, STYLE_HEADING, "%s%*s", d->step->tiled ? "SUM  rescale"
			    : "MERGE factor", 2 * d->layout.digits - 6,
			    d->layout.digits > 8 ? "sum so far" : "so far");
	if ((panes & PANE_MERGE) && d->layout.acc)
		view_styled(c, STYLE_HEADING, "%*s", d->layout.digits + 3, "acc[0] so far");
	view_print(c, "\n");
}

/* "out[0] = 3.2099 / 7.9298 = 0.40479", below the merge. */
static void draw_result(const struct step_drawing *d)
{
	const struct view_context *c = d->context;
	const struct step *s = d->step;
	const struct step_chunk *last = &s->chunks[s->live - 1];
	char text[200], acc[48], total[48], out[48];

	if (!d->shown.output) {
		view_print(c, "\n");
		return;
	}
	if (last->merged && !s->tiled)
		snprintf(text, sizeof text, "out[0] = acc[0] / sum = %s / %s = ",
			 step_number(c, 9, last->merge_acc0, acc),
			 step_number(c, 9, last->merge_sum, total));
	else if (s->has_out)
		snprintf(text, sizeof text, "out[0] = ");
	else
		return;
	snprintf(out, sizeof out, "%s", s->has_out ? step_number(c, 10, s->out0, acc)
		 : step_number(c, 10, last->merge_acc0 / last->merge_sum, acc));
	step_pad(c, 0, d->layout.columns - (int)(strlen(text) + strlen(out)) - 1);
	view_print(c, "%s", text);
	view_styled(c, STYLE_STRONG, "%s", out);
	view_print(c, "\n");
	step_second_result(d);
}

/* --- legend --- */

static void draw_weights_legend(const struct step_drawing *d, bool weights)
{
	const struct view_context *c = d->context;

	if (!weights)
		view_styled(c, STYLE_NOTE, " no scores here: keys without weights");
	else if (!d->layout.heat)
		view_legend(c, " weight: %s", view_format_marks(c->looks.scale));
	else
		view_heat_ramp(c);
}

static void draw_legend(const struct step_drawing *d, bool weights)
{
	const struct view_context *c = d->context;

	draw_weights_legend(d, weights);
	if (d->layout.heat) {
		view_styled(c, STYLE_NOTE, "  ");
		view_styled(c, STYLE_HEAT_NEW, "x");
		view_styled(c, STYLE_NOTE, " new%s",
			    d->step->has_text ? "; " VIEW_BYTES_LEGEND : "");
	} else if (step_new_key(d->step) >= 0) {
		view_styled(c, STYLE_NOTE, "; W written now");
	}
	if (d->step->tiled && !d->step->published)
		view_styled(c, STYLE_NOTE, "; max and sum recomputed");
	if (d->step->shape.merges)
		view_styled(c, STYLE_NOTE, "; the %s's merge, recomputed",
			    view_shape_merger(&d->step->shape));
	view_print(c, "\n");
}

/* --- all of it --- */

static void draw_stacked(struct step_drawing *d)
{
	static const int panes[] = { PANE_CACHE, PANE_CHUNKS, PANE_MERGE };

	for (size_t i = 0; i < sizeof panes / sizeof panes[0]; i++) {
		d->panes = panes[i];
		draw_heading(d, panes[i]);
		step_panes_draw(d);
	}
	d->panes = PANES_ALL;
}

/* Lines around the rows: a blank one, title, headings, result, keys, legend. */
static int64_t lines_around(const struct step_drawing *d)
{
	int64_t lines = 5 + step_has_weights(d->step) + (d->step->node.graph > 0);
	const struct view_visible *o = &d->step->visible;

	lines += (o->softcap != 0.0 || o->window > 0 || o->queries > 1)
		+ d->step->writes_lse + (d->step->pages.rows > 0);
	/* The verdict on two runs may need a line of its own. */
	lines += d->memory->verdict[0] && d->layout.columns < COLUMNS_OF_VERDICT;
	return lines + (d->second && d->second->has_out);
}

/* Lines that rows may have; 0: any number. */
static int64_t fitting(const struct step_drawing *d)
{
	const struct view_context *c = d->context;
	int64_t fit;

	if (c->lines <= 0 || d->layout.stacked || c->all)
		return 0;
	fit = c->lines - lines_around(d) - 1;
	if (d->step->form == STEP_TILES && d->step->query.count > 1)
		fit -= QUERY_LINES;
	fit /= step_panes_height(d);
	return fit > 1 ? fit : 1;
}

/* Lines below that are not used; without a height only --all uses them. */
static int64_t spare(const struct step_drawing *d)
{
	const struct view_context *c = d->context;

	if (c->all)
		return INT32_MAX;
	if (c->lines > 0 && !d->layout.stacked)
		return c->lines - lines_around(d) - step_panes_lines(d);
	return d->step->form == STEP_TILES && d->step->query.count > 1 ? 10 : 0;
}

static enum status draw_around(struct step_drawing *d)
{
	bool weights = step_has_weights(d->step);

	draw_title(d);
	TRY(draw_graph(d));
	draw_options(d);
	if (d->layout.stacked) {
		draw_stacked(d);
	} else {
		draw_heading(d, PANES_ALL);
		step_panes_draw(d);
	}
	draw_result(d);
	draw_legend(d, weights);
	return step_keys_draw(d, spare(d));
}

/* The same digits for acc[0] of all merges. */
static int acc_decimals(const struct step_drawing *d)
{
	int fewest = d->layout.digits;

	for (int64_t i = 0; i < d->step->live; i++) {
		int some = step_decimals(d->layout.digits, &d->step->chunks[i].merge_acc0, 1);

		fewest = some < fewest ? some : fewest;
	}
	return fewest;
}

enum status step_draw(const struct view_context *c, const struct step_memory *m, int64_t frame)
{
	struct step_drawing d = {
		.context = c, .memory = m, .step = &m->step,
		.second = m->has_second ? &m->second : NULL,
		.layout = step_layout_fit(c, &m->step), .panes = PANES_ALL, .frame = frame,
		.shown = step_frame_progress(&m->step, frame >= 0 ? &m->frames[frame] : NULL),
	};
	struct step_row *rows;
	enum status status;

	d.acc_decimals = acc_decimals(&d);
	step_rows(&m->step, d.layout.keys, fitting(&d), &rows, &d.count);
	d.rows = rows;
	status = draw_around(&d);
	free(rows);
	return status;
}
