/* view_element_point.c - named points of two runs: the first that differs, one in both, and lines.
 *
 * Used by view_element.c and view_element_cause.c.
 */
#include "tui/views/element/view_element_parts.h"

#include <inttypes.h>
#include <string.h>

#include "tui/views/element/view_element_spot.h"
#include "tui/views/element/view_element_value.h"
#include "tui/views/kernel/kernel_text.h"
#include "tui/views/kernel/view_point_names.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_digits.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

void element_point_place(const struct view_context *c, const struct kernel_text *text,
			const char *point)
{
	int file;
	int64_t line;

	if (kernel_text_point(text, point, &file, &line))
		view_print(c, "  at %s:%" PRId64, text->files[file].name, line);
}

/* --- the first that differs --- */

static bool stop_at_once(void *context)
{
	(void)context;
	return true;
}

enum status element_first_point(const struct view_context *c, const struct element_view *e,
				int64_t block)
{
	int64_t threads = view_place_threads(e->place);
	struct diff_spot spot = { e->place->launch, SPOT_POINT,
				  block < 0 ? -1 : block * threads, -1 };
	enum diff_outcome outcome;
	char text[ADDRESS_TEXT];
	struct address at;

	if (threads <= 0)
		return STATUS_OK;
	TRY(diff_spot_step(&e->pair, 1, &spot, stop_at_once, NULL, &outcome));
	if (outcome != DIFF_FOUND || spot.part != SPOT_POINT
	    || spot.launch != e->place->launch
	    || (block >= 0 && spot.major / threads != block))
		return STATUS_OK;
	TRY(element_spot_address(c, &spot, &at));
	address_format(&at, text);
	display_anchor(c->out, &at);
	view_print(c, "   first point of the %s that differs: ", block < 0 ? "launch" : "block");
	view_styled(c, STYLE_DIFFERS, "%s\n", text);
	return STATUS_OK;
}

/* --- a point --- */

struct point {
	char name[32];
	uint32_t bits[4];
	int count;
};

static enum status take_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct point *p = state;

	(void)c;
	snprintf(p->name, sizeof p->name, "%s", view_text(row, 0));
	for (p->count = 0; p->count < 4 && !view_null(row, 1 + p->count); p->count++)
		p->bits[p->count] = (uint32_t)view_int(row, 1 + p->count);
	return STATUS_OK;
}

/* Bits leave less space for the name of a value, which then has a line of its own. */
static int name_width(const struct view_context *c, bool own)
{
	return own && c->looks.number != NUMBER_BITS ? 24 : 13;
}

static void print_value(const struct view_context *c, const struct point p[2], bool own, int i)
{
	const char *name = view_point_value(own, p[0].name, i);
	int width = c->looks.number == NUMBER_BITS ? 34 : 15;
	char text[2][VIEW_FORMAT_NUMBER] = { "-", "-" }, distance[VIEW_FORMAT_NUMBER] = "-";

	for (int side = 0; side < 2; side++)
		if (i < p[side].count)
			view_format_number(c->looks.number, p[side].bits[i], text[side]);
	if (i < p[0].count && i < p[1].count)
		view_format_measured(c->looks.distance, view_format_measure(c->looks.distance,
			(float)value_real(DTYPE_F32, p[0].bits[i]),
			(float)value_real(DTYPE_F32, p[1].bits[i])), distance);
	if (c->looks.number == NUMBER_BITS && strlen(name) > 13) {
		view_print(c, "  %s\n", name);
		name = "";
	}
	view_print(c, "  %-*s ", name_width(c, own), name);
	view_digits(c, width, text[0], text[1]);
	view_print(c, " ");
	view_digits(c, width, text[1], text[0]);
	view_print(c, " %11s\n", distance);
}

static enum status read_points(const struct view_context *c, const struct element_view *e,
			       struct point p[2])
{
	int64_t thread = c->at.block * view_place_threads(e->place)
		+ (c->at.warp > 0 ? c->at.warp * 32 : 0) + (c->at.lane > 0 ? c->at.lane : 0);

	for (int side = 0; side < 2; side++) {
		struct view_context other = element_side(c, e, side);

		TRY(VIEW_ROWS(&other, take_point, &p[side], "SELECT name, v0_bits, v1_bits,"
			      " v2_bits, v3_bits FROM w_point WHERE run = ?1 AND launch = ?2"
			      " AND thread = ?3 AND sequence = ?4", other.run, e->place->launch,
			      thread, c->at.point));
	}
	return STATUS_OK;
}

enum status element_point_draw(const struct view_context *c, const struct element_view *e)
{
	int width = c->looks.number == NUMBER_BITS ? 34 : 15;
	struct point p[2] = { 0 };
	struct kernel_text text;
	enum status status;
	bool own;

	TRY(read_points(c, e, p));
	TRY(view_own_points(c, e->place->kernel, &own));
	for (int side = 0; side < 2; side++)
		if (p[side].count == 0)
			view_styled(c, STYLE_NOTE, "  %c has no such point: the device records at"
				    " launch boundaries, --log points adds them\n",
				    side ? 'B' : 'A');
	status = kernel_text_read(c, e->place->kernel, &text);
	if (status == STATUS_OK) {
		view_print(c, "\n point p%" PRId64 " %s", c->at.point,
			   *p[0].name ? p[0].name : p[1].name);
		element_point_place(c, &text, *p[0].name ? p[0].name : p[1].name);
		view_styled(c, STYLE_HEADING, "\n  %-*s %*s %*s %11s\n", name_width(c, own),
			    "value", width, "A", width, "B",
			    view_distance_names[c->looks.distance]);
	}
	kernel_text_free(&text);
	TRY(status);
	if (strcmp(p[0].name, p[1].name) != 0 && p[0].count && p[1].count)
		view_styled(c, STYLE_DIFFERS, "  A passed %s here, B %s\n", p[0].name, p[1].name);
	for (int i = 0; i < p[0].count || i < p[1].count; i++)
		print_value(c, p, own, i);
	return element_finding_draw(c, e);
}
