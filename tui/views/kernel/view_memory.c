/* view_memory.c - the loads and stores of a warp: one request, lane by lane, and what requests cost
 * by source line.
 *
 * Only runs with --log access have them. view_memory_request.c draws the request and one to compare
 * it with, view_memory_picture.c their sectors, lines and banks; view_memory_lines.c lists source
 * lines.
 */
#include "tui/views/kernel/view_memory.h"

#include <inttypes.h>
#include <string.h>

#include "traces/row.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

char memory_digit(unsigned number)
{
	return "0123456789abcdefghijklmnopqrstuv"[number % 32];
}

const char *memory_kind(const struct memory_request *r)
{
	if (r->atomic)
		return "atomic";
	if (r->bulk)
		return r->load ? "bulk read" : "bulk write";
	return r->load ? "load" : "store";
}

const char *memory_lane(const struct memory_request *r)
{
	return r->bulk ? "piece" : "lane";
}

int64_t memory_warps(const struct view_place *place)
{
	int64_t threads = view_place_threads(place);

	/* A damaged trace may have a launch without threads. */
	return threads > 0 ? threads / REQUEST_LANES + (threads % REQUEST_LANES != 0) : 1;
}

/* --- one request --- */

enum { KIND, SPACE, FILE_NAME, LINE, LANE, BUFFER, OFFSET, BYTES, BITS };

static enum status take_lane(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct memory_request *r = state;
	int64_t kind = view_int(row, KIND), lane = view_int(row, LANE);
	int64_t offset = view_int(row, OFFSET);
	int64_t bytes = view_int(row, BYTES), buffer = view_null(row, BUFFER) ? 0
		: view_int(row, BUFFER);

	if (lane < 0 || lane >= REQUEST_LANES || bytes < 1 || bytes > REQUEST_MAX_BYTES
	    || offset < 0 || offset >= (INT64_C(1) << MEMORY_BUFFER) - REQUEST_MAX_BYTES
	    || buffer < 0 || buffer >= 1 << 23)
		return fail(STATUS_DAMAGED, "%s: run %" PRId64 ": a load or store is damaged",
			    store_shown_path(c->store), c->run);
	r->load = kind == ACCESS_LOAD || kind == ACCESS_BULK_READ;
	r->atomic = kind == ACCESS_ATOMIC;
	r->bulk = kind == ACCESS_BULK_READ || kind == ACCESS_BULK_WRITE;
	r->shared = view_int(row, SPACE) == 1;
	snprintf(r->file, sizeof r->file, "%s",
		 view_null(row, FILE_NAME) ? "" : view_text(row, FILE_NAME));
	r->line = view_int(row, LINE);
	r->lanes |= 1u << lane;
	r->address[lane] = ((uint64_t)buffer << MEMORY_BUFFER) + (uint64_t)offset;
	r->bytes[lane] = (uint8_t)bytes;
	if (!view_null(row, BITS))
		r->known |= 1u << lane;
	r->bits[lane] = (uint64_t)view_bits(row, BITS);
	return STATUS_OK;
}

enum status memory_read(const struct view_context *c, int64_t launch, int64_t warp, int64_t number,
			struct memory_request *out)
{
	*out = (struct memory_request){ .warp = warp, .number = number };
	TRY(VIEW_ROWS(c, take_lane, out, "SELECT r.kind, r.space, r.file, r.line, a.lane, a.buffer,"
		      " a.offset, a.bytes, a.bits FROM w_request r CROSS JOIN w_access a"
		      " ON a.run = r.run AND a.launch = r.launch AND a.warp = r.warp"
		      " AND a.request = r.request WHERE r.run = ?1 AND r.launch = ?2"
		      " AND r.warp = ?3 AND r.request = ?4", c->run, launch, warp, number));
	if (!out->lanes)
		out->warp = -1;
	return STATUS_OK;
}

/* --- the request of an address --- */

struct found {
	int64_t warp, number;
};

static enum status take_request(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	(void)c;
	*(struct found *)state = (struct found){ view_int(row, 0), view_int(row, 1) };
	return STATUS_OK;
}

/* The first request from the address on, in its block, warp or the whole launch. */
static enum status find_request(const struct view_context *c, const struct view_place *place,
				struct found *out)
{
	int64_t warps = memory_warps(place), first = 0, last = INT64_MAX;

	if (c->at.block >= 0) {
		if (__builtin_mul_overflow(c->at.block, warps, &first)
		    || __builtin_add_overflow(first, warps - 1, &last))
			return STATUS_OK;
		if (c->at.warp >= 0)
			first = last = first + c->at.warp;
	}
	return VIEW_ROWS(c, take_request, out, "SELECT warp, request FROM w_request WHERE run = ?1"
			 " AND launch = ?2 AND warp BETWEEN ?3 AND ?4 AND (?5 < 0 OR request = ?5)"
			 " ORDER BY warp, request LIMIT 1", c->run, place->launch, first, last,
			 c->at.access);
}

enum status memory_at(const struct view_context *c, const struct view_place *place,
		      struct memory_request *out)
{
	struct found found = { .warp = -1 };

	*out = (struct memory_request){ .warp = -1 };
	TRY(find_request(c, place, &found));
	return found.warp < 0 ? STATUS_OK
		: memory_read(c, place->launch, found.warp, found.number, out);
}

/* An address without a request shows that of the line with the most waste. */
static enum status choose(const struct view_context *c, const struct view_place *place,
			  const struct memory_lines *lines, struct memory_request *out)
{
	const struct memory_line *worst = NULL;

	for (size_t i = 0; i < lines->count && c->at.access < 0 && c->at.warp < 0; i++)
		if (lines->list[i].warp >= 0
		    && (!worst || memory_in_vain(&lines->list[i]) > memory_in_vain(worst)))
			worst = &lines->list[i];
	return worst ? memory_read(c, place->launch, worst->warp, worst->number, out)
		: memory_at(c, place, out);
}

enum status memory_shown(const struct view_context *c, struct view_place *place,
			 struct memory_request *out, bool *found)
{
	struct memory_lines lines = { 0 };
	enum status status;

	*out = (struct memory_request){ .warp = -1 };
	TRY(view_place_find(c, "w_access_line", place, found));
	if (!*found)
		return STATUS_OK;
	status = memory_read_lines(c, place, &lines);
	if (status == STATUS_OK)
		status = choose(c, place, &lines, out);
	memory_lines_free(&lines);
	*found = out->warp >= 0;
	return status;
}

/* --- drawing --- */

#define IN_ROW 8                        /* lanes of a row of offsets, or of bits */

/* Whether a row of lanes, from this one on, has some; if so, prints which they are. */
static bool begin_lanes(const struct view_context *c, uint32_t lanes, unsigned first)
{
	if (!(lanes >> first & ((1u << IN_ROW) - 1)))
		return false;
	view_print(c, " %2u-%-2u", first, first + IN_ROW - 1);
	return true;
}

static enum status print_offset(const struct view_context *c, const struct memory_request *r,
				unsigned lane)
{
	unsigned first = (unsigned)__builtin_ctz(r->lanes);
	char name[48];

	if (!(r->lanes >> lane & 1)) {
		view_print(c, " %8s", "-");
	} else if (r->address[lane] >> MEMORY_BUFFER == r->address[first] >> MEMORY_BUFFER) {
		view_print(c, " %8" PRId64, MEMORY_OFFSET(r->address[lane]));
	} else {
		TRY(memory_buffer(c, r->address[lane], name, sizeof name));
		view_print(c, " %.16s+%" PRId64, name, MEMORY_OFFSET(r->address[lane]));
	}
	return STATUS_OK;
}

static void print_bits(const struct view_context *c, const struct memory_request *r)
{
	view_styled(c, STYLE_HEADING, " bits %s\n", r->load ? "loaded" : r->atomic ? "found"
		    : "stored");
	for (unsigned row = 0; row < REQUEST_LANES; row += IN_ROW) {
		if (!begin_lanes(c, r->known, row))
			continue;
		for (unsigned i = row; i < row + IN_ROW; i++)
			if (r->known >> i & 1)
				view_print(c, " %0*" PRIx64, r->bytes[i] > 4 ? 16 : 2 * r->bytes[i],
					   r->bits[i]);
			else
				view_print(c, " %8s", "-");
		view_print(c, "\n");
	}
}

static enum status draw_lanes(const struct view_context *c, const struct memory_request *r)
{
	char name[48];

	TRY(memory_buffer(c, r->address[__builtin_ctz(r->lanes)], name, sizeof name));
	view_styled(c, STYLE_HEADING, "\n offsets by %s: %s\n", memory_lane(r), r->shared
		    ? "shared memory" : name);
	for (unsigned row = 0; row < REQUEST_LANES; row += IN_ROW) {
		if (!begin_lanes(c, r->lanes, row))
			continue;
		for (unsigned i = row; i < row + IN_ROW; i++)
			TRY(print_offset(c, r, i));
		view_print(c, "\n");
	}
	if (r->known)
		print_bits(c, r);
	return STATUS_OK;
}

static enum status take_command(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct view_place *place = state;

	view_styled(c, STYLE_NOTE, "  no loads and stores were recorded here. To record them, run "
		    "flashtwin %s again with\n  --log access --log-at L%" PRId64 ".b%" PRId64
		    " -o T2.twin\n", view_text(row, 0), place->launch,
		    c->at.block > 0 ? c->at.block : 0);
	return STATUS_OK;
}

static enum status print_recorded(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell launch;

	(void)state;
	view_row_of(c, view_int(row, 0), -1);
	view_print(c, "  recorded: blocks of %s\n", view_launch_cell(c, view_int(row, 0), launch));
	return STATUS_OK;
}

static enum status draw_none(const struct view_context *c, struct view_place *place)
{
	TRY(VIEW_ROWS(c, take_command, place, "SELECT command FROM v_run WHERE run = ?1", c->run));
	return VIEW_ROWS(c, print_recorded, NULL, "SELECT DISTINCT launch FROM w_access_line"
			 " WHERE run = ?1 ORDER BY launch LIMIT 8", c->run);
}

static enum status draw_place(const struct view_context *c, struct view_place *place,
			      struct memory_lines *lines)
{
	struct memory_request request;

	TRY(memory_read_lines(c, place, lines));
	TRY(choose(c, place, lines, &request));
	if (request.warp < 0 && c->at.access >= 0 && lines->count)
		return fail(STATUS_USAGE, "L%" PRId64 " has no request a%" PRId64 " here",
			    place->launch, c->at.access);
	view_place_title(c, "MEMORY of", place);
	if (request.warp < 0)
		TRY(draw_none(c, place));
	else
		TRY(memory_draw_requests(c, place, lines, &request));
	TRY(memory_print_lines(c, place, lines, false));
	TRY(memory_print_lines(c, place, lines, true));
	return request.warp < 0 ? STATUS_OK : draw_lanes(c, &request);
}

static enum status draw(const struct view_context *c)
{
	struct memory_lines lines = { 0 };
	struct view_place place;
	enum status status;
	bool found;

	TRY(view_place_find(c, "w_access_line", &place, &found));
	if (!found) {
		view_title(c, "MEMORY: none");
		place = (struct view_place){ .launch = c->at.launch > 0 ? c->at.launch : 0 };
		return draw_none(c, &place);
	}
	status = draw_place(c, &place, &lines);
	memory_lines_free(&lines);
	return status;
}

const struct view view_memory = {
	.name = "memory", .summary = "loads and stores of a warp, lane by lane (--log access)",
	.table = "w_access_line", .draw = draw
};
