/* slide_memory.c - the picture of one request of a warp: which bytes its lanes access, and what
 * memory moves for it; see slide.h.
 *
 * Global memory is drawn as lines of 128 bytes in sectors of 32, shared memory as 32 banks. If the
 * address names no request, the one with the most waste is drawn next to one of another source
 * line: in the chunk kernel, a load of K and one of V.
 */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tui/views/kernel/view_memory.h"
#include "tui/views/view_cell.h"

enum { LEFT = SLIDE_LEFT, WIDTH = SLIDE_RIGHT - SLIDE_LEFT, LANES_Y = 176, MEMORY_Y = 312,
	FLOOR = 650, FEW_LINES = 3, PANEL = 576, VERDICT = 24 };
#define MOVED "#f4c9a4"                 /* moved, but not accessed */

struct drawing {
	const struct slide *slide;
	const struct memory_request *request;
	int left, width;                /* of the picture: all of the slide, or one half */
	uint64_t lines[2 * REQUEST_LANES];
	unsigned count;
};

static bool active(const struct memory_request *r, unsigned lane)
{
	return r->lanes >> lane & 1;
}

static bool is_half(const struct drawing *d)
{
	return d->width < WIDTH;
}

static double lane_x(const struct drawing *d, unsigned lane)
{
	return d->left + d->width * (lane + 0.5) / REQUEST_LANES;
}

/* --- lanes --- */

static void draw_lanes(const struct drawing *d)
{
	const struct slide *s = d->slide;
	double width = (double)d->width / REQUEST_LANES - (is_half(d) ? 2 : 4);
	char look[96];

	slide_heading(s, d->left, LANES_Y - 12, d->request->bulk ? "PIECES OF THE COPY"
		      : "LANES OF THE WARP");
	for (unsigned lane = 0; lane < REQUEST_LANES; lane++) {
		bool here = active(d->request, lane);

		slide_rect(s, lane_x(d, lane) - width / 2, LANES_Y, width, 26, 3, here
			   ? "fill=\"" SLIDE_DEEP "\"" : "fill=\"" SLIDE_FAINT "\"");
		snprintf(look, sizeof look, "text-anchor=\"middle\" font-size=\"%d\" fill=\"%s\"",
			 is_half(d) ? 11 : 13, here ? "#ffffff" : SLIDE_QUIET);
		slide_text(s, lane_x(d, lane), LANES_Y + 18, look, "%u", lane);
	}
}

/* From a lane to its bytes. */
static void draw_thread(const struct drawing *d, unsigned lane, double x, double y)
{
	double from = lane_x(d, lane), middle = (LANES_Y + 26 + y) / 2;

	fprintf(d->slide->out, "<path d=\"M%.1f %dC%.1f %.1f %.1f %.1f %.1f %.1f\" fill=\"none\""
		" stroke=\"" SLIDE_BLUE "\" stroke-opacity=\"0.45\"/>\n", from,
		LANES_Y + 26, from, middle, x, middle, x, y);
}

/* --- global memory --- */

/* Whether a lane accesses a byte of the sector. */
static bool sector_moves(const struct memory_request *r, uint64_t sector)
{
	for (unsigned lane = 0; lane < REQUEST_LANES; lane++)
		if (active(r, lane) && r->address[lane] / REQUEST_SECTOR <= sector
		    && (r->address[lane] + r->bytes[lane] - 1) / REQUEST_SECTOR >= sector)
			return true;
	return false;
}

static void draw_sectors(const struct drawing *d, uint64_t line, double x, double y, double width,
			 double height)
{
	enum { SECTORS = REQUEST_LINE / REQUEST_SECTOR };

	for (unsigned i = 0; i < SECTORS; i++)
		slide_rect(d->slide, x + width * i / SECTORS, y, width / SECTORS, height, 0,
			   sector_moves(d->request, line * SECTORS + i)
			   ? "fill=\"" MOVED "\" stroke=\"#ffffff\" stroke-width=\"2\""
			   : "fill=\"" SLIDE_FAINT "\" stroke=\"#ffffff\" stroke-width=\"2\"");
}

/* The lanes that access the same bytes as this one. */
static uint32_t same_lanes(const struct memory_request *r, unsigned lane)
{
	uint32_t same = 0;

	for (unsigned i = 0; i < REQUEST_LANES; i++)
		if (r->lanes >> i & 1 && r->address[i] == r->address[lane]
		    && r->bytes[i] == r->bytes[lane])
			same |= 1u << i;
	return same;
}

/* A lane's number, or how many lanes there are, if there is space. */
static void draw_lane_label(const struct drawing *d, double x, double y, double wide, uint32_t same)
{
	int count = __builtin_popcount(same);
	const char *look = "text-anchor=\"middle\" font-size=\"11\" fill=\"#ffffff\"";

	if (d->count <= FEW_LINES && !is_half(d) && count == 1)
		return;
	if (count > 1 && wide > 46.0)
		slide_text(d->slide, x, y, look, "%d lanes", count);
	else if (count > 1 && wide > 22.0)
		slide_text(d->slide, x, y, look, "\u00d7 %d", count);
	else if (count == 1 && wide > 13.0)
		slide_text(d->slide, x, y, look, "%d", __builtin_ctz(same));
}

static void put_lanes(const struct drawing *d, unsigned lane, uint32_t same)
{
	const struct memory_request *r = d->request;
	const char *before = " ";

	fprintf(d->slide->out, "<g><title>%s%s", memory_lane(r), same & (same - 1) ? "s" : "");
	for (; same; same &= same - 1, before = ", ")
		fprintf(d->slide->out, "%s%d", before, __builtin_ctz(same));
	fprintf(d->slide->out, ": offset %" PRId64 ", %u bytes</title>",
		MEMORY_OFFSET(r->address[lane]), r->bytes[lane]);
}

/* The bytes of a line that lanes access; curves lead to them if there are few lines. Bytes of
 * several lanes say how many there are. */
static void draw_bytes(const struct drawing *d, uint64_t line, double x, double y, double width,
		       double height)
{
	const struct memory_request *r = d->request;

	for (unsigned lane = 0; lane < REQUEST_LANES; lane++) {
		int64_t from = (int64_t)(r->address[lane] - line * REQUEST_LINE);
		int64_t to = from + r->bytes[lane];
		double left, wide;
		uint32_t same;

		if (!active(r, lane) || to <= 0 || from >= REQUEST_LINE)
			continue;
		same = same_lanes(r, lane);
		from = from < 0 ? 0 : from;
		to = to > REQUEST_LINE ? REQUEST_LINE : to;
		left = x + width * (double)from / REQUEST_LINE;
		wide = width * (double)(to - from) / REQUEST_LINE;
		if ((unsigned)__builtin_ctz(same) == lane) {
			put_lanes(d, lane, same);
			slide_rect(d->slide, left, y, wide, height, 0,
				   "fill=\"" SLIDE_DEEP "\" stroke=\"#ffffff\""
				   " stroke-width=\"0.5\"");
			draw_lane_label(d, left + wide / 2, y + height / 2 + 4, wide, same);
			fputs("</g>\n", d->slide->out);
		}
		if (d->count <= FEW_LINES)
			draw_thread(d, lane, left + wide / 2, y);
	}
}

/* Between the sectors of a line, which bytes next to each other would hide. */
static void draw_edges(const struct drawing *d, double x, double y, double width, double height)
{
	enum { SECTORS = REQUEST_LINE / REQUEST_SECTOR };

	for (int i = 1; i < SECTORS; i++) {
		double edge = x + width * i / SECTORS;

		slide_line(d->slide, edge, y, edge, y + height,
			   "stroke=\"#ffffff\" stroke-width=\"4\"");
	}
}

static void draw_global(const struct drawing *d)
{
	unsigned columns = d->count <= FEW_LINES ? 1 : (d->count <= 16 ? 2 : 4) / (is_half(d) + 1u);
	unsigned rows = (d->count + columns - 1) / columns;
	double pitch = fmin(64.0, (double)(FLOOR - MEMORY_Y) / rows);
	double cell = (double)d->width / columns;
	bool few = d->count <= FEW_LINES;
	double label = few ? 0 : 62, top = few ? MEMORY_Y : LANES_Y + 70;

	if (!few)
		pitch = fmin(44.0, (FLOOR - top - (is_half(d) ? VERDICT : 0)) / rows);
	slide_heading(d->slide, d->left, top - 12, few ? "" : is_half(d) ? "LINES OF 128 BYTES, IN"
		      " SECTORS OF 32, BY OFFSET" : "LINES OF 128 BYTES, IN SECTORS OF 32, BY THEIR"
		      " OFFSET IN THE BUFFER");
	for (unsigned i = 0; i < d->count; i++) {
		double x = d->left + cell * (i / rows), y = top + pitch * (i % rows);
		double height = fmin(34.0, pitch - (pitch < 30 ? 4 : 8));
		double width = few ? d->width : cell - label - (columns > 1 ? 14 : 0);

		slide_mono(d->slide, few ? x : x + label - 6,
			   few ? y + height + 15 : y + height / 2 + 4,
			   few ? "font-size=\"12\" fill=\"" SLIDE_QUIET "\""
			   : "font-size=\"12\" text-anchor=\"end\" fill=\"" SLIDE_QUIET "\"",
			   !few ? "%" PRId64 : i ? "offset %" PRId64
			   : "offset %" PRId64 ": a line of 128 bytes, in sectors of 32",
			   MEMORY_OFFSET(d->lines[i] * REQUEST_LINE));
		draw_sectors(d, d->lines[i], x + label, y, width, height);
		draw_bytes(d, d->lines[i], x + label, y, width, height);
		if (few)
			draw_edges(d, x, y, width, height);
	}
}

static void draw_global_legend(const struct slide *s)
{
	slide_rect(s, LEFT, SLIDE_HEIGHT - 44, 16, 16, 0, "fill=\"" SLIDE_DEEP "\"");
	slide_text(s, LEFT + 24, SLIDE_HEIGHT - 31, "font-size=\"13\" fill=\"" SLIDE_QUIET "\"",
		   "accessed");
	slide_rect(s, LEFT + 180, SLIDE_HEIGHT - 44, 16, 16, 0, "fill=\"" MOVED "\"");
	slide_text(s, LEFT + 204, SLIDE_HEIGHT - 31, "font-size=\"13\" fill=\"" SLIDE_QUIET "\"",
		   "moved with it: sectors are moved whole");
}

/* --- shared memory --- */

/* A box for each word of a bank, with the first lane that accesses it; orange if its group of lanes
 * also accesses an earlier word of the bank. */
static void draw_shared(const struct drawing *d)
{
	const struct slide *s = d->slide;
	const struct memory_request *r = d->request;
	uint64_t words[REQUEST_BANKS][REQUEST_LANES * REQUEST_MAX_BYTES / REQUEST_WORD];
	unsigned group = request_group(r->address, r->bytes, r->lanes, r->load);
	unsigned count[REQUEST_BANKS] = { 0 }, before[REQUEST_BANKS] = { 0 };
	double width = (double)d->width / REQUEST_BANKS - 4;

	for (unsigned bank = 0; bank < REQUEST_BANKS; bank++) {
		slide_rect(s, lane_x(d, bank) - width / 2, MEMORY_Y, width, 26, 0,
			   "fill=\"" SLIDE_FAINT "\"");
		slide_text(s, lane_x(d, bank), MEMORY_Y + 18, "text-anchor=\"middle\""
			   " font-size=\"13\" fill=\"" SLIDE_QUIET "\"", "%u", bank);
	}
	slide_text(s, LEFT, SLIDE_HEIGHT - 31, "font-size=\"13\" fill=\"" SLIDE_QUIET "\"",
		   "banks, below each the words of 4 bytes that are accessed in it, orange where it"
		   " conflicts; a curve leads to a %s's first word", memory_lane(r));
	for (unsigned lane = 0; lane < REQUEST_LANES; lane++) {
		uint64_t first = r->address[lane] / REQUEST_WORD;
		uint64_t last = active(r, lane) ? (r->address[lane] + r->bytes[lane] - 1)
			/ REQUEST_WORD : first;

		if (lane % group == 0)
			memcpy(before, count, sizeof before);
		for (uint64_t word = first; active(r, lane) && word <= last; word++) {
			unsigned bank = (unsigned)(word % REQUEST_BANKS), i = 0;
			double y;

			while (i < count[bank] && words[bank][i] != word)
				i++;
			if (word == first)
				draw_thread(d, lane, lane_x(d, bank), MEMORY_Y);
			if (i < count[bank])
				continue;
			words[bank][count[bank]++] = word;
			y = MEMORY_Y + 32 + i * 10.0;
			slide_rect(s, lane_x(d, bank) - width / 2, y, width, 8, 0,
				   i == before[bank] ? "fill=\"" SLIDE_DEEP "\""
				   : "fill=\"" SLIDE_NEW "\"");
		}
	}
}

/* --- a request --- */

static void draw_cost(const struct drawing *d, double y)
{
	const struct slide *s = d->slide;
	const struct memory_request *r = d->request;
	unsigned bytes = request_distinct(r->address, r->bytes, r->lanes);
	unsigned sectors = request_units(r->address, r->bytes, r->lanes, REQUEST_SECTOR);
	unsigned lines = request_units(r->address, r->bytes, r->lanes, REQUEST_LINE);
	unsigned moved = sectors * REQUEST_SECTOR;
	unsigned conflicts = request_conflicts(r->address, r->bytes, r->lanes, r->load);

	if (r->shared)
		slide_text(s, d->left, y, "font-size=\"18\"", "%u bytes, %u %ss at a time: %u bank "
			   "conflict%s", bytes,
			   request_group(r->address, r->bytes, r->lanes, r->load), memory_lane(r),
			   conflicts, view_plural(conflicts));
	else
		slide_text(s, d->left, y, moved > bytes ? "font-size=\"18\" fill=\"" SLIDE_NEW "\""
			   : "font-size=\"18\"", "%u bytes in %u sector%s and %u line%s: %u bytes"
			   " moved, %u %% %swasted", bytes, sectors, view_plural(sectors), lines,
			   view_plural(lines), moved, moved > 0 ? (moved - bytes) * 100 / moved : 0,
			   is_half(d) ? "" : "of them ");
}

/* The source line, as much of it as there is space for. */
static enum status draw_source(const struct drawing *d, const struct view_place *place, double y)
{
	char line[MEMORY_SOURCE];
	size_t fits = (size_t)d->width / 9;

	TRY(memory_source(d->slide->context, place, d->request, line));
	if (strlen(line) > fits) {
		for (fits -= 3; fits > 0 && ((unsigned char)line[fits] & 0xc0) == 0x80; )
			fits--;
		strcpy(line + fits, "...");
	}
	slide_mono(d->slide, d->left, y, "font-size=\"14\"", "%s", line);
	return STATUS_OK;
}

static enum status draw_picture(struct drawing *d)
{
	const struct memory_request *r = d->request;

	draw_lanes(d);
	if (r->shared) {
		draw_shared(d);
		return STATUS_OK;
	}
	d->count = request_find_units(r->address, r->bytes, r->lanes, REQUEST_LINE, d->lines);
	draw_global(d);
	return STATUS_OK;
}

static enum status draw_single(const struct drawing *whole, const struct view_place *place)
{
	struct drawing d = *whole;
	const struct memory_request *r = d.request;
	char name[80] = "";
	int64_t warps = memory_warps(place);

	if (!r->shared)
		TRY(memory_buffer(d.slide->context, r->address[__builtin_ctz(r->lanes)], name,
				  sizeof name));
	slide_title(d.slide, "L%" PRId64 ".b%" PRId64 ".w%" PRId64 ".a%" PRId64 ": a %s of %s "
		    "memory%s%s", place->launch, r->warp / warps, r->warp % warps, r->number,
		    memory_kind(r), r->shared ? "shared" : "global", *name ? ", " : "", name);
	if (*r->file)
		slide_note(d.slide, "%s, %s:%" PRId64, place->kernel, memory_base_name(r->file),
			   r->line);
	TRY(draw_source(&d, place, 100));
	draw_cost(&d, 132);
	return draw_picture(&d);
}

/* --- two requests --- */

static enum status draw_half(struct drawing *d, const struct view_place *place)
{
	const struct slide *s = d->slide;
	const struct memory_request *r = d->request;
	int64_t warps = memory_warps(place);
	char name[80] = "";

	TRY(memory_buffer(s->context, r->address[__builtin_ctz(r->lanes)], name, sizeof name));
	slide_text(s, d->left, 82, "font-size=\"18\" font-weight=\"bold\"", "%s, %s of "
		   "b%" PRId64 ".w%" PRId64 ".a%" PRId64, name, memory_kind(r), r->warp / warps,
		   r->warp % warps, r->number);
	if (*r->file)
		slide_text(s, d->left + d->width, 82, "text-anchor=\"end\" font-size=\"13\" fill=\""
			   SLIDE_QUIET "\"", "%s:%" PRId64, memory_base_name(r->file), r->line);
	TRY(draw_source(d, place, 106));
	draw_cost(d, 134);
	TRY(draw_picture(d));
	if (*memory_verdict(r))
		slide_text(s, d->left + d->width / 2, FLOOR, "text-anchor=\"middle\""
			   " font-weight=\"bold\" font-size=\"18\"", "%s", memory_verdict(r));
	return STATUS_OK;
}

static enum status draw_pair(const struct drawing *whole, const struct view_place *place,
			     const struct memory_request *other)
{
	struct drawing one = *whole, two = *whole;

	slide_title(whole->slide, "L%" PRId64 " %s: two accesses of global memory", place->launch,
		    place->kernel);
	one.width = two.width = PANEL;
	two.left = SLIDE_RIGHT - PANEL;
	two.request = other;
	TRY(draw_half(&one, place));
	slide_line(whole->slide, SLIDE_WIDTH / 2.0, 66, SLIDE_WIDTH / 2.0, FLOOR - VERDICT,
		   "stroke=\"" SLIDE_EDGE "\"");
	return draw_half(&two, place);
}

/* The request to compare it with; warp -1: the address names one, or there is none. */
static enum status find_other(const struct slide *s, const struct view_place *place,
			      const struct memory_request *r, struct memory_request *out)
{
	struct memory_lines lines = { 0 };
	enum status status;

	*out = (struct memory_request){ .warp = -1 };
	if (s->context->at.access >= 0)
		return STATUS_OK;
	status = memory_read_lines(s->context, place, &lines);
	if (status == STATUS_OK)
		status = memory_contrast(s->context, place, &lines, r, out);
	memory_lines_free(&lines);
	return status;
}

enum status slide_memory_draw(struct slide *s)
{
	struct memory_request r, other;
	struct view_place place;
	struct drawing d = { .slide = s, .request = &r, .left = LEFT, .width = WIDTH };
	bool found;

	TRY(memory_shown(s->context, &place, &r, &found));
	if (!found)
		return STATUS_OK;
	TRY(find_other(s, &place, &r, &other));
	TRY(other.warp >= 0 ? draw_pair(&d, &place, &other) : draw_single(&d, &place));
	if (!r.shared)
		draw_global_legend(s);
	return STATUS_OK;
}
