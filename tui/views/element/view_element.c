/* view_element.c - the elements that a launch wrote in two runs, side by side.
 *
 * Shows a window of elements around that of the address, else around the first that differs, and
 * which launch is the first to differ. See view_element.h.
 */
#include "tui/views/element/view_element.h"

#include <inttypes.h>
#include <string.h>

#include "tui/views/element/view_element_parts.h"
#include "tui/views/element/view_element_spot.h"
#include "tui/views/element/view_element_value.h"
#include "tui/views/kernel/view_exists.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_digits.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define ROWS 7                          /* elements in the window */
#define OUTPUTS 8

/* --- the two runs --- */

static enum status print_run(const struct view_context *c, sqlite3_stmt *row, void *side)
{
	const char *path = store_shown_path(c->store), *slash = strrchr(path, '/');

	view_print(c, "  %c  r%" PRId64 " %s, %s, seed %" PRIu64 ", level %s  %s\n",
		   *(int *)side ? 'B' : 'A', c->run, view_text(row, 0), view_text(row, 1),
		   (uint64_t)view_int(row, 2), view_text(row, 3), slash ? slash + 1 : path);
	return STATUS_OK;
}

/* Does not use store_run_read(): its counts would read the whole run at each drawing. */
static enum status print_side(const struct view_context *c, const struct diff_pair *pair, int side)
{
	struct view_context of = *c;

	of.store = pair->store[side];
	of.run = pair->run[side];
	return VIEW_ROWS(&of, print_run, &side, "SELECT device, device_name, seed, level FROM v_run"
			 " WHERE run = ?1", of.run);
}

/* --- the table --- */

static void value_cell(const struct view_context *c, const struct element_view *e, int side,
		       int64_t element, view_cell cell)
{
	uint64_t bits;

	snprintf(cell, VIEW_CELL, "-");
	if (e->there[side] && written_at(&e->w[side], element, &bits))
		element_text(c->looks.number, e->w[side].dtype, bits, cell);
}

static void bits_cell(const struct element_view *e, int side, int64_t element, view_cell cell)
{
	uint64_t bits;

	snprintf(cell, VIEW_CELL, "-");
	if (e->there[side] && written_at(&e->w[side], element, &bits))
		snprintf(cell, VIEW_CELL, "%0*" PRIx64, 2 * (int)dtype_bytes(e->w[side].dtype),
			 bits);
}

/* Separated bits leave no space for the columns of bits; hexadecimal values are bits already. */
static void print_heading(const struct view_context *c)
{
	bool wide = c->looks.number == NUMBER_BITS;

	view_styled(c, STYLE_HEADING, " %-14s %*s %*s %11s", "index", wide ? 34 : 15, "A",
		    wide ? 34 : 15, "B", view_distance_names[c->looks.distance]);
	if (c->looks.number < NUMBER_HEX)
		view_styled(c, STYLE_HEADING, " %8s %8s", "bits A", "bits B");
	view_print(c, "\n");
}

static void distance_cell(const struct view_context *c, const struct element_view *e,
			  int64_t element, view_cell cell)
{
	switch (element_class(e, element)) {
	case ELEMENT_NAN: snprintf(cell, VIEW_CELL, "one NaN"); break;
	case ELEMENT_INFINITE: snprintf(cell, VIEW_CELL, "infinite"); break;
	default: view_format_measured(c->looks.distance,
				     element_distance(e, c->looks.distance, element), cell);
	}
}

static void print_element(const struct view_context *c, const struct element_view *e,
			  int64_t element)
{
	int width = c->looks.number == NUMBER_BITS ? 34 : 15;
	view_cell index, value[2], bits[2], distance;
	struct address at = address_none;

	at.run = c->run > 1 ? c->run : -1;
	at.launch = e->place->launch;
	at.output = e->w[0].output;
	at.element = element;
	display_anchor(c->out, &at);
	for (int i = 0; i < 2; i++) {
		value_cell(c, e, i, element, value[i]);
		bits_cell(e, i, element, bits[i]);
	}
	distance_cell(c, e, element, distance);
	view_print(c, " %-14s ", element_index(&e->w[0], element, index));
	view_digits(c, width, value[0], value[1]);
	view_print(c, " ");
	view_digits(c, width, value[1], value[0]);
	view_print(c, " %11s", distance);
	if (c->looks.number < NUMBER_HEX) {
		view_print(c, " ");
		view_digits(c, 8, bits[0], bits[1]);
		view_print(c, " ");
		view_digits(c, 8, bits[1], bits[0]);
	}
	view_print(c, "\n");
}

static void print_elements(const struct view_context *c, const struct element_view *e)
{
	int64_t first = written_first(&e->w[0]), past = first + written_count(&e->w[0]);
	int64_t from = e->focus - ROWS / 2;

	if (from > past - ROWS)
		from = past - ROWS;
	if (from < first || c->all)
		from = first;
	view_print(c, "\n");
	print_heading(c);
	for (int64_t i = from; i < past && view_fits(c, i - from, ROWS); i++)
		print_element(c, e, i);
}

/* --- outputs --- */

static enum status read_output(struct element_view *e, int64_t output)
{
	for (int i = 0; i < 2; i++)
		TRY(written_read(e->pair.store[i], e->pair.run[i], e->place->launch, output,
				 &e->w[i], &e->there[i]));
	/* An output of another type cannot be compared. */
	e->there[1] = e->there[1] && e->w[0].dtype == e->w[1].dtype;
	return STATUS_OK;
}

static void free_output(struct element_view *e)
{
	written_free(&e->w[0]);
	written_free(&e->w[1]);
}

/* How an output of the first run compares with the same output of the second. */
enum verdict { VERDICT_EQUAL, VERDICT_DIFFERS, VERDICT_MISSING };
static const char *const verdict_words[] = {
	[VERDICT_EQUAL] = "equal, to the bit", [VERDICT_DIFFERS] = "DIFFERS",
	[VERDICT_MISSING] = "not in B",
};

static enum verdict verdict_of(const struct element_view *e)
{
	if (!e->there[1])
		return VERDICT_MISSING;
	return e->w[0].digest == e->w[1].digest ? VERDICT_EQUAL : VERDICT_DIFFERS;
}

static void print_output(const struct view_context *c, const struct element_view *e)
{
	enum verdict verdict = verdict_of(e);
	view_cell shape;

	snprintf(shape, sizeof shape, "[?]");
	for (int i = 0, used = 0; i < e->w[0].rank && used < VIEW_CELL; i++)
		used += snprintf(shape + used, (size_t)(VIEW_CELL - used), "%c%" PRId64 "%s",
				 i ? ',' : '[', e->w[0].shape[i],
				 i == e->w[0].rank - 1 ? "]" : "");
	view_print(c, "  output o%" PRId64 "  %s %s %s, %" PRId64 " B from %" PRId64 ": ",
		   e->w[0].output, e->w[0].name, dtype_name(e->w[0].dtype), shape, e->w[0].bytes,
		   e->w[0].offset);
	view_styled(c, verdict == VERDICT_EQUAL ? STYLE_PLAIN : STYLE_DIFFERS, "%s\n",
		    verdict_words[verdict]);
}

/* Draws a line for each output and chooses the one to show: that of the address, else the first
 * that differs. */
static enum status list_outputs(const struct view_context *c, struct element_view *e,
				int64_t *shown)
{
	int64_t output = 0;

	*shown = c->at.output;
	for (;; output++) {
		TRY(read_output(e, output));
		if (!e->there[0])
			break;
		if (view_fits(c, output, OUTPUTS))
			print_output(c, e);
		if (*shown < 0 && verdict_of(e) != VERDICT_EQUAL)
			*shown = output;
		free_output(e);
	}
	free_output(e);
	view_more(c, output, OUTPUTS);
	if (output == 0)
		view_print(c, "  it wrote nothing that was recorded\n");
	if (output > 0)
		TRY(view_check_output(e->place->launch, output, c->at.output));
	*shown = output == 0 ? -1 : *shown < 0 ? 0 : *shown;
	return STATUS_OK;
}

/* USAGE for an element that the launch did not write. */
static enum status choose_focus(const struct view_context *c, struct element_view *e)
{
	int64_t first = written_first(&e->w[0]);

	e->focus = c->at.element;
	TRY(view_check_element(&e->w[0], e->place->launch, e->focus));
	for (int64_t i = written_next(&e->w[0], first, 1); i >= 0 && e->focus < 0;
	     i = written_next(&e->w[0], i + 1, 1))
		if (element_class(e, i) > ELEMENT_EQUAL)
			e->focus = i;
	if (e->focus < 0)
		e->focus = first;
	e->known = element_class(e, e->focus) != ELEMENT_UNKNOWN;
	e->differs = e->known ? element_class(e, e->focus) > ELEMENT_EQUAL
		: verdict_of(e) != VERDICT_EQUAL;
	return STATUS_OK;
}

static enum status draw_output(const struct view_context *c, struct element_view *e)
{
	TRY(choose_focus(c, e));
	if (!e->w[0].piece_count || !e->w[1].piece_count) {
		view_styled(c, STYLE_NOTE, "  %s kept the digest alone, no bytes: --log partials"
			    " keeps them\n", !e->w[0].piece_count && !e->w[1].piece_count
			    ? "both runs" : e->w[0].piece_count ? "B" : "A");
	}
	if (e->w[0].piece_count || e->w[1].piece_count)
		print_elements(c, e);
	if (e->w[0].piece_count && e->w[1].piece_count)
		element_chart_draw(c, e);
	return element_cause_draw(c, e);
}

/* --- the first difference of the run --- */

static enum status go_on(const struct diff_pair *pair, struct view_scan *scan)
{
	if (memcmp(&scan->pair, pair, sizeof *pair) != 0)
		*scan = (struct view_scan){ .pair = *pair, .spot = { -1, SPOT_AFTER, 0, 0 },
					    .outcome = DIFF_STOPPED, .stop = scan->stop,
					    .context = scan->context };
	if (scan->outcome == DIFF_STOPPED)
		return diff_spot_step(pair, 1, &scan->spot, scan->stop, scan->context,
				      &scan->outcome);
	return STATUS_OK;
}

static enum status draw_first(const struct view_context *c, const struct diff_pair *pair)
{
	struct view_scan own = { 0 }, *s = c->scan ? c->scan : &own;
	char text[ADDRESS_TEXT];
	struct address at;

	TRY(go_on(pair, s));
	if (s->outcome == DIFF_NONE) {
		view_print(c, "  first difference: none, all launches of the two are bit-equal\n");
		return STATUS_OK;
	}
	if (s->outcome == DIFF_STOPPED) {
		view_print(c, "  first difference: none up to L%" PRId64 ", not looked further"
			   " yet\n", s->spot.launch);
		return STATUS_OK;
	}
	TRY(element_spot_address(c, &s->spot, &at));
	address_format(&at, text);
	display_anchor(c->out, &at);
	view_print(c, "  first difference: ");
	view_styled(c, STYLE_DIFFERS, "%s", text);
	view_print(c, "   launches before it: all bit-equal\n");
	if (c->at.launch > s->spot.launch)
		view_styled(c, STYLE_NOTE, "                    what it wrote may have reached the"
			    " inputs of this launch\n");
	return STATUS_OK;
}

/* --- all of it --- */

static enum status draw_outputs(const struct view_context *c, struct element_view *e)
{
	enum status status;
	int64_t shown;

	TRY(list_outputs(c, e, &shown));
	if (c->at.point >= 0)
		return element_point_draw(c, e);
	TRY(element_first_point(c, e, -1));
	if (shown < 0)
		return STATUS_OK;
	status = read_output(e, shown);
	if (status == STATUS_OK)
		status = draw_output(c, e);
	free_output(e);
	return status;
}

enum status element_draw(const struct view_context *c, const struct diff_pair *pair)
{
	struct view_place place;
	struct element_view e = { .pair = *pair, .place = &place };
	enum status status;
	bool found;

	TRY(view_place_find(c, "v_launch", &place, &found));
	if (!found) {
		view_title(c, "DIFFERENCES: run %" PRId64 " launched no kernel", c->run);
		return STATUS_OK;
	}
	view_place_title(c, "DIFFERENCES at", &place);
	TRY(print_side(c, pair, 0));
	TRY(print_side(c, pair, 1));
	TRY(draw_first(c, pair));
	status = draw_outputs(c, &e);
	if (status != STATUS_OK)
		free_output(&e);
	return status;
}
