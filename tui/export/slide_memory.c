/* slide_memory.c - the picture of one request of a warp: which bytes its lanes access, and what
 * memory moves for it; see slide.h.
 *
 * Global memory is drawn as lines of 128 bytes in sectors of 32, shared memory as 32 banks.
 */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tui/views/kernel/view_memory.h"
#include "tui/views/view_cell.h"

enum { LEFT = SLIDE_LEFT, WIDTH = SLIDE_RIGHT - SLIDE_LEFT, LANES_Y = 150, MEMORY_Y = 300,
	FLOOR = 640, FEW_LINES = 3 };
#define MOVED "#f4c9a4"                 /* moved, but not accessed */

struct drawing {
	const struct slide *slide;
	const struct memory_request *request;
	uint64_t lines[2 * REQUEST_LANES];
	unsigned count;
};

static bool active(const struct memory_request *r, unsigned lane)
{
	return r->lanes >> lane & 1;
}

static double lane_x(unsigned lane)
{
	return LEFT + WIDTH * (lane + 0.5) / REQUEST_LANES;
}

/* --- lanes --- */

static void draw_lanes(const struct drawing *d)
{
	const struct slide *s = d->slide;
	double width = (double)WIDTH / REQUEST_LANES - 4;

	slide_heading(s, LEFT, LANES_Y - 14, "LANES OF THE WARP");
	for (unsigned lane = 0; lane < REQUEST_LANES; lane++) {
		bool here = active(d->request, lane);

		slide_rect(s, lane_x(lane) - width / 2, LANES_Y, width, 30, 3, here
			   ? "fill=\"" SLIDE_DEEP "\"" : "fill=\"" SLIDE_FAINT "\"");
		slide_text(s, lane_x(lane), LANES_Y + 20, here
			   ? "text-anchor=\"middle\" font-size=\"13\" fill=\"#ffffff\""
			   : "text-anchor=\"middle\" font-size=\"13\" fill=\"" SLIDE_QUIET "\"",
			   "%u", lane);
	}
}

/* From a lane to its bytes. */
static void draw_thread(const struct drawing *d, unsigned lane, double x, double y)
{
	double middle = (LANES_Y + 30 + y) / 2;

	fprintf(d->slide->out, "<path d=\"M%.1f %dC%.1f %.1f %.1f %.1f %.1f %.1f\" fill=\"none\""
		" stroke=\"" SLIDE_BLUE "\" stroke-opacity=\"0.45\"/>\n", lane_x(lane),
		LANES_Y + 30, lane_x(lane), middle, x, middle, x, y);
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

/* The bytes of a line that lanes access; threads lead to them if there are few lines. */
static void draw_bytes(const struct drawing *d, uint64_t line, double x, double y, double width,
		       double height)
{
	const struct memory_request *r = d->request;

	for (unsigned lane = 0; lane < REQUEST_LANES; lane++) {
		int64_t from = (int64_t)(r->address[lane] - line * REQUEST_LINE);
		int64_t to = from + r->bytes[lane];
		double left;

		if (!active(r, lane) || to <= 0 || from >= REQUEST_LINE)
			continue;
		from = from < 0 ? 0 : from;
		to = to > REQUEST_LINE ? REQUEST_LINE : to;
		left = x + width * (double)from / REQUEST_LINE;
		fprintf(d->slide->out, "<g><title>lane %u: offset %" PRId64 ", %u bytes</title>",
			lane, MEMORY_OFFSET(r->address[lane]), r->bytes[lane]);
		slide_rect(d->slide, left, y, width * (double)(to - from) / REQUEST_LINE,
			   height, 0,
			   "fill=\"" SLIDE_DEEP "\" stroke=\"#ffffff\" stroke-width=\"0.5\"");
		if (d->count > FEW_LINES && width * (double)(to - from) / REQUEST_LINE > 16.0)
			slide_text(d->slide, left + width * (double)(to - from) / REQUEST_LINE / 2,
				   y + height / 2 + 4, "text-anchor=\"middle\" font-size=\"12\""
				   " fill=\"#ffffff\"", "%u", lane);
		fputs("</g>\n", d->slide->out);
		if (d->count <= FEW_LINES)
			draw_thread(d, lane, left + width * (double)(to - from) / REQUEST_LINE / 2,
				    y);
	}
}

static void draw_global(const struct drawing *d)
{
	unsigned columns = d->count <= FEW_LINES ? 1 : d->count <= 16 ? 2 : 4;
	unsigned rows = (d->count + columns - 1) / columns;
	double pitch = fmin(64.0, (double)(FLOOR - MEMORY_Y) / rows);
	double cell = (double)WIDTH / columns;
	double label = columns == 1 ? 0 : 62, top = columns == 1 ? MEMORY_Y : LANES_Y + 96;

	if (columns > 1)
		pitch = fmin(44.0, (FLOOR - top) / rows);
	slide_heading(d->slide, LEFT, top - 14, columns == 1 ? "" : "LINES OF 128 BYTES, IN SECTORS"
		      " OF 32, BY THEIR OFFSET IN THE BUFFER");
	for (unsigned i = 0; i < d->count; i++) {
		double x = LEFT + cell * (i / rows), y = top + pitch * (i % rows);
		double height = fmin(34.0, pitch - 8);
		double width = columns == 1 ? WIDTH : cell - label - 14;

		slide_mono(d->slide, columns == 1 ? x : x + label - 6,
			   columns == 1 ? y + height + 15 : y + height / 2 + 4,
			   columns == 1 ? "font-size=\"12\" fill=\"" SLIDE_QUIET "\""
			   : "font-size=\"12\" text-anchor=\"end\" fill=\"" SLIDE_QUIET "\"",
			   "%" PRId64, MEMORY_OFFSET(d->lines[i] * REQUEST_LINE));
		draw_sectors(d, d->lines[i], x + label, y, width, height);
		draw_bytes(d, d->lines[i], x + label, y, width, height);
	}
}

static void draw_global_legend(const struct slide *s)
{
	slide_rect(s, LEFT, SLIDE_HEIGHT - 44, 16, 16, 0, "fill=\"" SLIDE_DEEP "\"");
	slide_text(s, LEFT + 24, SLIDE_HEIGHT - 31, "font-size=\"13\" fill=\"" SLIDE_QUIET "\"",
		   "accessed by a lane");
	slide_rect(s, LEFT + 180, SLIDE_HEIGHT - 44, 16, 16, 0, "fill=\"" MOVED "\"");
	slide_text(s, LEFT + 204, SLIDE_HEIGHT - 31, "font-size=\"13\" fill=\"" SLIDE_QUIET "\"",
		   "moved with it: sectors are moved whole");
}

/* --- shared memory --- */

/* A box for each word of a bank, with the first lane that accesses it. */
static void draw_shared(const struct drawing *d)
{
	const struct slide *s = d->slide;
	const struct memory_request *r = d->request;
	uint64_t words[REQUEST_BANKS][REQUEST_LANES * REQUEST_MAX_BYTES / REQUEST_WORD];
	unsigned count[REQUEST_BANKS] = { 0 };
	double width = (double)WIDTH / REQUEST_BANKS - 4;

	for (unsigned bank = 0; bank < REQUEST_BANKS; bank++) {
		slide_rect(s, lane_x(bank) - width / 2, MEMORY_Y, width, 26, 0,
			   "fill=\"" SLIDE_FAINT "\"");
		slide_text(s, lane_x(bank), MEMORY_Y + 18, "text-anchor=\"middle\""
			   " font-size=\"13\" fill=\"" SLIDE_QUIET "\"", "%u", bank);
	}
	slide_text(s, LEFT, SLIDE_HEIGHT - 31, "font-size=\"13\" fill=\"" SLIDE_QUIET "\"",
		   "banks of shared memory, and below each the words of 4 bytes that are accessed"
		   " in it; a thread leads to a lane's first word");
	for (unsigned lane = 0; lane < REQUEST_LANES; lane++) {
		uint64_t first = r->address[lane] / REQUEST_WORD;
		uint64_t last = active(r, lane) ? (r->address[lane] + r->bytes[lane] - 1)
			/ REQUEST_WORD : first;

		for (uint64_t word = first; active(r, lane) && word <= last; word++) {
			unsigned bank = (unsigned)(word % REQUEST_BANKS), i = 0;
			double y;

			while (i < count[bank] && words[bank][i] != word)
				i++;
			if (word == first)
				draw_thread(d, lane, lane_x(bank), MEMORY_Y);
			if (i < count[bank])
				continue;
			words[bank][count[bank]++] = word;
			y = MEMORY_Y + 32 + i * 10.0;
			slide_rect(s, lane_x(bank) - width / 2, y, width, 8, 0,
				   i == 0 ? "fill=\"" SLIDE_DEEP "\"" : "fill=\"" SLIDE_NEW "\"");
		}
	}
}

/* --- title --- */

static void draw_cost(const struct slide *s, const struct memory_request *r)
{
	unsigned bytes = request_distinct(r->address, r->bytes, r->lanes);
	unsigned sectors = request_units(r->address, r->bytes, r->lanes, REQUEST_SECTOR);
	unsigned lines = request_units(r->address, r->bytes, r->lanes, REQUEST_LINE);
	unsigned moved = sectors * REQUEST_SECTOR;
	unsigned conflicts = request_conflicts(r->address, r->bytes, r->lanes, r->load);

	if (r->shared)
		slide_text(s, LEFT, 104, "font-size=\"18\"", "%u bytes, %u bank conflict%s", bytes,
			   conflicts, view_plural(conflicts));
	else
		slide_text(s, LEFT, 104, "font-size=\"18\"", "%u bytes in %u sector%s and %u"
			   " line%s: %u bytes moved, %u %% of them wasted", bytes, sectors,
			   view_plural(sectors), lines, view_plural(lines), moved,
			   moved > 0 ? (moved - bytes) * 100 / moved : 0);
}

enum status slide_memory_draw(struct slide *s)
{
	struct memory_request r;
	struct view_place place;
	struct drawing d = { .slide = s, .request = &r };
	const char *file;
	char name[80] = "";
	int64_t warps;
	bool found;

	TRY(memory_shown(s->context, &place, &r, &found));
	if (!found)
		return STATUS_OK;
	warps = memory_warps(&place);
	file = strrchr(r.file, '/') ? strrchr(r.file, '/') + 1 : r.file;
	if (!r.shared)
		TRY(memory_buffer(s->context, r.address[__builtin_ctz(r.lanes)], name,
				  sizeof name));
	slide_title(s, "L%" PRId64 ".b%" PRId64 ".w%" PRId64 ".a%" PRId64 ": a %s of %s memory%s%s",
		    place.launch, r.warp / warps, r.warp % warps, r.number,
		    r.atomic ? "atomic" : r.load ? "load" : "store",
		    r.shared ? "shared" : "global", *name ? ", " : "", name);
	if (*file)
		slide_note(s, "%s, %s:%" PRId64, place.kernel, file, r.line);
	draw_cost(s, &r);
	draw_lanes(&d);
	if (r.shared) {
		draw_shared(&d);
		return STATUS_OK;
	}
	d.count = request_find_units(r.address, r.bytes, r.lanes, REQUEST_LINE, d.lines);
	draw_global(&d);
	draw_global_legend(s);
	return STATUS_OK;
}
