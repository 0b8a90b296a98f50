/* view_memory_request.c - one request of a warp, and next to it one to compare it with, for the
 * Memory screen: what each costs, its source line, and where its bytes are.
 *
 * In the chunk kernel these are a load of K, in which each lane has a row of its own, and a load of
 * V, in which all lanes share a row. See view_memory.h.
 */
#include "tui/views/kernel/view_memory.h"

#include <inttypes.h>
#include <string.h>

#include "base/visible.h"
#include "tui/views/kernel/kernel_text.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

enum { SOURCE_COLUMNS = 70, PANEL = 79, GAP = 1 };

/* --- text --- */

/* Whether a statement goes on in the next line. */
static bool continues(const char *line, size_t length)
{
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	return length && !strchr(";{}):/", line[length - 1]);
}

enum status memory_source(const struct view_context *c, const struct view_place *place,
			  const struct memory_request *r, char out[MEMORY_SOURCE])
{
	struct kernel_text text;
	enum status status = kernel_text_read(c, place->kernel, &text);

	*out = '\0';
	for (int i = 0; i < text.count && status == STATUS_OK && *r->file; i++) {
		const struct kernel_file *f = &text.files[i];
		size_t length;
		const char *line;

		if (strcmp(f->name, r->file) || r->line < 1 || r->line > f->count)
			continue;
		line = kernel_text_line(f, r->line);
		length = kernel_text_length(f, r->line);
		while (length && (*line == '\t' || *line == ' ')) {
			line++;
			length--;
		}
		snprintf(out, MEMORY_SOURCE, "%.*s%s", (int)(length < MEMORY_SOURCE ? length
			 : MEMORY_SOURCE - 1), line, continues(line, length) ? " ..." : "");
		break;
	}
	kernel_text_free(&text);
	return status;
}

const char *memory_verdict(const struct memory_request *r)
{
	int lanes = __builtin_popcount(r->lanes);
	unsigned bytes = request_distinct(r->address, r->bytes, r->lanes);
	unsigned lines = request_units(r->address, r->bytes, r->lanes, REQUEST_LINE);

	if (r->shared)
		return "";
	if (lanes > 1 && lines >= (unsigned)lanes)
		return "each lane in a line of its own";
	if (bytes == REQUEST_SECTOR * request_units(r->address, r->bytes, r->lanes, REQUEST_SECTOR))
		return "coalesced: all bytes that are moved are accessed";
	return "";
}

/* --- a request --- */

/* How many bytes of a line to print in this space, which has room for "..." if that is not all. */
static int cut_to(const char *line, int space)
{
	int length = (int)strlen(line);

	return length > space ? space - 3 : length;
}

static enum status draw_source(const struct view_context *c, const struct view_place *place,
			       const struct memory_request *r)
{
	char line[MEMORY_SOURCE], name[80];
	int space = SOURCE_COLUMNS;

	if (!*r->file)
		return STATUS_OK;
	TRY(memory_source(c, place, r, line));
	snprintf(name, sizeof name, "%.60s:%" PRId64, memory_base_name(r->file), r->line);
	if (c->columns == PANEL && PANEL - 4 - (int)strlen(name) < space)
		space = PANEL - 4 - (int)strlen(name);
	view_print(c, "  %s", name);
	if (*line && space > 3)
		view_styled(c, STYLE_STRONG, "  %.*s%s", cut_to(line, space), line,
			    (int)strlen(line) > space ? "..." : "");
	view_print(c, "\n");
	return STATUS_OK;
}

static void draw_cost(const struct view_context *c, const struct memory_request *r)
{
	unsigned bytes = request_distinct(r->address, r->bytes, r->lanes);
	unsigned sectors = request_units(r->address, r->bytes, r->lanes, REQUEST_SECTOR);
	unsigned lines = request_units(r->address, r->bytes, r->lanes, REQUEST_LINE);
	unsigned moved = sectors * REQUEST_SECTOR, conflicts;

	if (!r->shared) {
		view_print(c, "  %u byte%s in %u sector%s of 32 (%u moved), %u line%s of 128: ",
			   bytes, view_plural(bytes), sectors, view_plural(sectors), moved, lines,
			   view_plural(lines));
		view_styled(c, moved > bytes ? STYLE_WRONG : STYLE_STRONG, "%u wasted, %u%%\n",
			    moved - bytes, ((moved - bytes) * 100 + moved / 2) / moved);
		return;
	}
	conflicts = request_conflicts(r->address, r->bytes, r->lanes, r->load);
	view_print(c, "  %u byte%s, %u %ss at a time: ", bytes, view_plural(bytes),
		   request_group(r->address, r->bytes, r->lanes, r->load), memory_lane(r));
	view_styled(c, conflicts ? STYLE_WRONG : STYLE_STRONG, "%u conflict%s\n", conflicts,
		    view_plural(conflicts));
}

/* "b3.w0.a6 of a0 to a122: load of global memory by 16 lanes, 16 bytes each" */
static enum status draw_name(const struct view_context *c, const struct view_place *place,
			     const struct memory_request *r, bool compared)
{
	unsigned lane = (unsigned)__builtin_ctz(r->lanes);
	unsigned lanes = (unsigned)__builtin_popcount(r->lanes);
	int64_t warps = memory_warps(place), last;

	TRY(VIEW_NUMBER(c, 0, &last, "SELECT max(request) FROM w_request WHERE run = ?1"
			" AND launch = ?2 AND warp = ?3", c->run, place->launch, r->warp));
	memory_anchor(c, place, r->warp, r->number);
	view_styled(c, STYLE_STRONG, " b%" PRId64 ".w%" PRId64 ".a%" PRId64, r->warp / warps,
		    r->warp % warps, r->number);
	if (!compared)
		view_styled(c, STYLE_STRONG, " of a0 to a%" PRId64, last);
	view_styled(c, STYLE_STRONG, ": %s of %s memory %s %u %s%s, %u byte%s each",
		    memory_kind(r), r->shared ? "shared" : "global", r->bulk ? "in" : "by", lanes,
		    memory_lane(r), view_plural(lanes), r->bytes[lane],
		    view_plural(r->bytes[lane]));
	view_print(c, "\n");
	return STATUS_OK;
}

static enum status draw_request(const struct view_context *c, const struct view_place *place,
				const struct memory_request *r, bool compared)
{
	TRY(draw_name(c, place, r, compared));
	TRY(draw_source(c, place, r));
	draw_cost(c, r);
	if (*memory_verdict(r))
		view_print(c, "  %s\n", memory_verdict(r));
	return memory_draw_picture(c, r, !compared || c->columns == PANEL, !compared);
}

/* --- two requests --- */

/* Draws a line of one display into another; returns its columns. */
static int copy_line(const struct view_context *c, const struct display *from, size_t number)
{
	const struct display_line *line;
	enum view_style style = STYLE_PLAIN;
	size_t at = 0, past;

	if (number >= display_count(from))
		return 0;
	line = display_line(from, number);
	for (size_t i = 0; i <= line->span_count; i++) {
		past = i < line->span_count ? line->spans[i].from : strlen(line->text);
		if (past > at)
			view_styled(c, style, "%.*s", (int)(past - at), line->text + at);
		at = past;
		if (i < line->span_count)
			style = line->spans[i].style;
	}
	return (int)visible_columns(line->text, at);
}

static void merge(const struct view_context *c, const struct display *left,
		  const struct display *right)
{
	for (size_t i = 0; i < display_count(left) || i < display_count(right); i++) {
		int columns;

		if (i < display_count(left)
		    && !address_equal(&display_line(left, i)->at, &address_none))
			display_anchor(c->out, &display_line(left, i)->at);
		columns = copy_line(c, left, i);
		if (i < display_count(right)) {
			view_print(c, "%*s", columns < PANEL + GAP ? PANEL + GAP - columns : 1, "");
			copy_line(c, right, i);
		}
		view_print(c, "\n");
	}
}

static enum status draw_pair(const struct view_context *c, const struct view_place *place,
			     const struct memory_request *one, const struct memory_request *other)
{
	struct view_context left = *c, right = *c;
	enum status status;

	left.columns = right.columns = PANEL;
	left.out = display_create(NULL, &address_none);
	right.out = display_create(NULL, &address_none);
	status = draw_request(&left, place, one, false);
	if (status == STATUS_OK)
		status = draw_request(&right, place, other, true);
	display_finish(left.out);
	display_finish(right.out);
	if (status == STATUS_OK)
		merge(c, left.out, right.out);
	display_free(left.out);
	display_free(right.out);
	return status;
}

enum status memory_draw_requests(const struct view_context *c, const struct view_place *place,
				 const struct memory_lines *lines, const struct memory_request *r)
{
	struct memory_request other;

	TRY(memory_contrast(c, place, lines, r, &other));
	if (other.warp >= 0 && c->columns >= 2 * PANEL + GAP)
		return draw_pair(c, place, r, &other);
	TRY(draw_request(c, place, r, false));
	return other.warp >= 0 ? draw_request(c, place, &other, true) : STATUS_OK;
}
