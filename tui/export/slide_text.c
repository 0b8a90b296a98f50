/* slide_text.c - the picture of attention over the text: a line for each head, its weights as heat
 * on the keys; see slide.h.
 */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tui/views/view_cell.h"

enum { TOP = 122, FLOOR = 640, LEFT = 120, WIDTH = 1060, MAX_HEADS = 32, LINE_KEYS = 64 };

/* Where keys and heads are drawn. */
struct grid {
	int64_t first, keys;            /* shown; longer texts lose their beginning */
	int64_t width;                  /* keys of a line */
	int64_t heads, lines;           /* lines of keys, each with all heads */
	double cell, pitch, line;       /* of a key, a head, a line */
};

static struct grid grid_of(const struct step *s)
{
	struct grid g = { .heads = s->heads < MAX_HEADS ? s->heads : MAX_HEADS };
	int64_t fit = (int64_t)((FLOOR - TOP) / (13.0 * (double)(g.heads + 1) + 14.0));
	int64_t most = LINE_KEYS * (fit > 0 ? fit : 1);

	g.keys = s->keys < most ? s->keys : most;
	g.first = s->keys - g.keys;
	g.lines = (g.keys + LINE_KEYS - 1) / LINE_KEYS;
	g.width = (g.keys + g.lines - 1) / g.lines;
	g.cell = fmin(40.0, WIDTH / (double)g.width);
	g.line = fmin((FLOOR - TOP) / (double)g.lines, 44.0 * (double)(g.heads + 1) + 14.0);
	g.pitch = (g.line - 14.0) / (double)(g.heads + 1);
	return g;
}

static double key_x(const struct grid *g, int64_t key)
{
	return LEFT + (double)((key - g->first) % g->width) * g->cell;
}

static double key_y(const struct grid *g, int64_t key, int64_t row)
{
	return TOP + (double)((key - g->first) / g->width) * g->line + (double)row * g->pitch;
}

/* The bytes, and the number of each line's first key. */
static void draw_text(const struct slide *s, const struct grid *g)
{
	char byte[8], look[80];

	for (int64_t key = g->first; key < s->step->keys; key += g->width)
		slide_text(s, LEFT - 12, key_y(g, key, 0) + g->pitch - 7, "text-anchor=\"end\""
			   " font-size=\"13\" fill=\"" SLIDE_QUIET "\"", "key %" PRId64, key);
	snprintf(look, sizeof look, "text-anchor=\"middle\" font-size=\"%.1f\"",
		 fmin(fmin(g->cell * 0.8, g->pitch * 0.8), 22.0));
	for (int64_t key = g->first; key < s->step->keys; key++)
		if (s->step->text && s->step->text[key] > ' ')
			slide_mono(s, key_x(g, key) + g->cell / 2, key_y(g, key, 0) + g->pitch - 7,
				   look, "%s", slide_byte(s->step->text[key], byte));
		else if (s->step->text && s->step->text[key] == '\n')
			slide_mono(s, key_x(g, key) + g->cell / 2, key_y(g, key, 0) + g->pitch - 7,
				   look, "%s", slide_byte('\n', byte));
}

/* The largest weight of a head, at the end of the line that has its key. */
static void draw_largest(const struct slide *s, const struct grid *g, const struct step *head)
{
	double largest = 0.0;
	int64_t at = -1;

	for (int64_t i = 0; i < head->live; i++) {
		const struct step_chunk *k = &head->chunks[i];

		for (int64_t key = k->begin; k->weight && key < k->end; key++)
			if (k->weight[key - k->begin] > largest) {
				largest = k->weight[key - k->begin];
				at = key;
			}
	}
	if (at >= g->first)
		slide_text(s, SLIDE_RIGHT, key_y(g, at, head->head + 1) + g->pitch / 2 + 4,
			   "text-anchor=\"end\" font-size=\"13\"", "%.1f %%", 100.0 * largest);
}

static void draw_head(const struct slide *s, const struct grid *g, const struct step *head)
{
	struct slide of = *s;

	of.step = head;
	for (int64_t line = 0; line < g->lines; line++) {
		double y = TOP + (double)line * g->line + (double)(head->head + 1) * g->pitch;

		slide_text(s, LEFT - 12, y + g->pitch / 2 + 4, head->head == s->step->head
			   ? "text-anchor=\"end\" font-size=\"13\" font-weight=\"bold\""
			   : "text-anchor=\"end\" font-size=\"13\" fill=\"" SLIDE_QUIET "\"",
			   "head %" PRId64, head->head);
	}
	draw_largest(s, g, head);
	for (int64_t i = 0; i < head->live; i++) {
		const struct step_chunk *k = &head->chunks[i];

		for (int64_t key = k->begin < g->first ? g->first : k->begin; key < k->end
		     && key < g->first + g->keys; key++) {
			struct slide_key shown = slide_key_of(&of, k, key);

			shown.byte = 0;
			slide_key(s, key_x(g, key), key_y(g, key, head->head + 1), g->cell,
				  g->pitch - 2, &shown);
		}
	}
}

/* Reads each head's step in turn. */
static enum status draw_heads(const struct slide *s, const struct grid *g)
{
	enum status status = STATUS_OK;

	for (int64_t i = 0; i < g->heads && status == STATUS_OK; i++) {
		struct view_context c = *s->context;
		struct step head = { .made = -1 };
		bool found;

		c.at = address_none;
		c.at.run = s->context->at.run;
		c.at.launch = s->step->attend.launch;
		c.at.op = c.at.launch < 0 ? s->step->attend.op : -1;
		c.head = i;
		c.slot = s->step->slot;
		if (s->step->form == STEP_TILES) {
			struct step wanted = *s->step;

			wanted.head = i;
			step_query_address(&wanted, s->step->query.number, &c.at);
		}
		status = step_find(&c, &head, &found);
		if (status == STATUS_OK && found)
			status = step_read(&c, &head);
		if (status == STATUS_OK && head.live > 0)
			draw_head(s, g, &head);
		step_free(&head);
	}
	return status;
}

enum status slide_text_draw(struct slide *s)
{
	const struct step *step = s->step;
	struct grid g = grid_of(step);
	char byte[8], made[32] = "", place[64] = "", slot[48] = "";

	if (step->made >= 0)
		snprintf(made, sizeof made, " \u2192 \u201c%s\u201d",
			 slide_byte(step->made, byte));
	if (step->attend.step >= 0)
		snprintf(place, sizeof place, "Step %" PRId64 ", layer %" PRId64 ": ",
			 step->attend.step, step->attend.layer);
	if (step->slots > 1)
		snprintf(slot, sizeof slot, " of slot %" PRId64, step->slot);
	slide_title(s, "%swhat each head%s looks at, %" PRId64 " key%s%s", place, slot, step->keys,
		    view_plural(step->keys), made);
	if (g.first > 0 || g.heads < step->heads)
		slide_note(s, "Keys %" PRId64 " to %" PRId64 ", heads 0 to %" PRId64 " of %" PRId64,
			   g.first, step->keys - 1, g.heads - 1, step->heads);
	slide_text(s, SLIDE_LEFT + 650, SLIDE_HEIGHT - 31, "font-size=\"13\" fill=\"" SLIDE_QUIET
		   "\"", "at the right: the largest weight of a head");
	draw_text(s, &g);
	TRY(draw_heads(s, &g));
	slide_heat_legend(s, SLIDE_LEFT, SLIDE_HEIGHT - 44);
	slide_fresh_legend(s, SLIDE_LEFT, SLIDE_HEIGHT - 44);
	return STATUS_OK;
}
