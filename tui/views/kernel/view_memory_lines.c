/* view_memory_lines.c - what the requests of a launch cost by source line, for the Memory screen.
 *
 * Global memory is ranked by the bytes that are moved in vain, shared memory by bank conflicts.
 * Each line is drawn with its first request; see view_memory.h.
 */
#include "tui/views/kernel/view_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define LINES 40                        /* source lines of each list */
#define NAME_COLUMNS 24
#define SEARCHED 4096                   /* requests in which one of each line is looked for */

static int64_t waste(const struct memory_line *l)
{
	return l->space ? l->conflicts : l->sectors * REQUEST_SECTOR - l->bytes;
}

/* The same in bytes: a pass could have accessed a word of each bank. */
int64_t memory_in_vain(const struct memory_line *l)
{
	return l->space ? l->conflicts * REQUEST_LINE : waste(l);
}

static int by_waste(const void *one, const void *other)
{
	const struct memory_line *a = one, *b = other;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	if (waste(a) != waste(b))
		return waste(a) > waste(b) ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static enum status take_line(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct memory_lines *lines = state;

	(void)c;
	lines->list = xreallocarray(lines->list, lines->count + 1, sizeof *lines->list);
	lines->list[lines->count++] = (struct memory_line){
		.file = xstrdup(view_text(row, 0)), .line = view_int(row, 1),
		.kind = view_int(row, 2), .space = view_int(row, 3) == 1,
		.requests = view_int(row, 4), .lanes = view_int(row, 5), .bytes = view_int(row, 6),
		.sectors = view_int(row, 7), .conflicts = view_int(row, 8), .warp = -1,
	};
	return STATUS_OK;
}

static enum status take_first(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct memory_lines *lines = state;

	(void)c;
	for (size_t i = 0; i < lines->count; i++) {
		struct memory_line *l = &lines->list[i];

		if (l->warp < 0 && l->line == view_int(row, 1) && l->kind == view_int(row, 2)
		    && l->space == (view_int(row, 3) == 1)
		    && !strcmp(l->file, view_null(row, 0) ? "" : view_text(row, 0))) {
			l->warp = view_int(row, 4);
			l->number = view_int(row, 5);
		}
	}
	return STATUS_OK;
}

/* The first request of each line, from the block of the address on. */
static enum status find_first(const struct view_context *c, const struct view_place *place,
			      struct memory_lines *lines)
{
	int64_t warps = memory_warps(place), warp = 0;

	if (c->at.block > 0 && __builtin_mul_overflow(c->at.block, warps, &warp))
		warp = INT64_MAX;
	return VIEW_ROWS(c, take_first, lines, "SELECT file, coalesce(line, 0), kind, space,"
			 " min(warp), request FROM (SELECT * FROM w_request WHERE run = ?1"
			 " AND launch = ?2 AND warp >= ?3 AND (?5 < 0 OR warp < ?3 + ?4)"
			 " ORDER BY warp, request LIMIT ?6) GROUP BY file, line, kind, space",
			 c->run, place->launch, warp, warps, c->at.block, SEARCHED);
}

enum status memory_read_lines(const struct view_context *c, const struct view_place *place,
			      struct memory_lines *lines)
{
	TRY(VIEW_ROWS(c, take_line, lines, "SELECT file, line, kind, space, requests, lanes, bytes,"
		      " coalesce(sectors, 0), coalesce(conflicts, 0) FROM w_access_line"
		      " WHERE run = ?1 AND launch = ?2", c->run, place->launch));
	if (lines->count)
		qsort(lines->list, lines->count, sizeof *lines->list, by_waste);
	return find_first(c, place, lines);
}

enum status memory_contrast(const struct view_context *c, const struct view_place *place,
			    const struct memory_lines *lines, const struct memory_request *r,
			    struct memory_request *out)
{
	const struct memory_line *most = NULL;

	*out = (struct memory_request){ .warp = -1 };
	for (size_t i = 0; i < lines->count && !r->shared; i++) {
		const struct memory_line *l = &lines->list[i];

		if (!l->space && l->warp >= 0 && (l->line != r->line || strcmp(l->file, r->file))
		    && (!most || l->bytes > most->bytes))
			most = l;
	}
	return most ? memory_read(c, place->launch, most->warp, most->number, out) : STATUS_OK;
}

void memory_lines_free(struct memory_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->list[i].file);
	free(lines->list);
}

const char *memory_base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

void memory_anchor(const struct view_context *c, const struct view_place *place, int64_t warp,
		   int64_t number)
{
	struct address at = address_none;
	int64_t warps = memory_warps(place);

	if (warp < 0 || warps <= 0)
		return;
	at.run = c->run > 1 ? c->run : -1;
	at.launch = place->launch;
	at.block = warp / warps;
	at.warp = warp % warps;
	at.access = number;
	display_anchor(c->out, &at);
}

static const char *kind_name(int64_t kind)
{
	return kind == 0 ? "load" : kind == 1 ? "store" : kind == 2 ? "atomic" : "bulk";
}

static bool is_wide(const struct view_context *c)
{
	return c->columns == 0 || c->columns >= 98;
}

static enum status print_line(const struct view_context *c, const struct view_place *place,
			      const struct memory_line *l)
{
	char pattern[REQUEST_LANES + 1] = "", name[80];
	const char *end = name;
	struct memory_request first = { .warp = -1 };
	double requests = l->requests > 0 ? (double)l->requests : 1;
	int64_t moved = l->sectors * REQUEST_SECTOR;

	if (l->warp >= 0)
		TRY(memory_read(c, place->launch, l->warp, l->number, &first));
	if (first.warp >= 0)
		memory_pattern(&first, pattern);
	memory_anchor(c, place, l->warp, l->number);
	snprintf(name, sizeof name, "%.48s:%" PRId64, *l->file ? memory_base_name(l->file) : "?",
		 l->line);
	/* The end of a long name is what tells lines apart. */
	if (strlen(name) > NAME_COLUMNS) {
		end += strlen(name) - NAME_COLUMNS;
		name[end - name] = '~';
	}
	view_print(c, "  %-*s %-6s", NAME_COLUMNS, end, kind_name(l->kind));
	if (l->space)
		view_print(c, " %5.1f %5" PRId64, (double)l->conflicts / requests, l->conflicts);
	else
		view_print(c, " %5.1f %4.0f%%", (double)l->sectors / requests,
			   moved > 0 ? 100.0 * (double)waste(l) / (double)moved : 0.0);
	if (is_wide(c))
		view_print(c, " %8" PRId64 " %9" PRId64, l->requests,
			   l->space ? l->bytes : waste(l));
	view_print(c, "  %s\n", pattern);
	return STATUS_OK;
}

static int64_t limit_of(const struct view_context *c, bool shared)
{
	int64_t limit = c->lines > 0 ? shared ? c->lines / 8 : c->lines / 3 : LINES;

	return limit > 3 ? limit : 3;
}

enum status memory_print_lines(const struct view_context *c, const struct view_place *place,
			       const struct memory_lines *lines, bool shared)
{
	int64_t rows = 0;

	for (size_t i = 0; i < lines->count; i++) {
		if ((lines->list[i].space != 0) != shared)
			continue;
		if (rows == 0) {
			view_styled(c, STYLE_HEADING, "\n %-29s %8s %5s", shared
				    ? "all blocks: shared, conflicts"
				    : "all blocks: global, by waste",
				    shared ? "per req" : "sect/req", shared ? "total" : "waste");
			if (is_wide(c))
				view_styled(c, STYLE_HEADING, " %8s %9s", "requests", shared
					    ? "bytes" : "wasted B");
			view_styled(c, STYLE_HEADING, "  %s\n", shared
				    ? "bank of lanes, = same word" : "128-byte line of each lane");
		}
		if (view_fits(c, rows++, limit_of(c, shared)))
			TRY(print_line(c, place, &lines->list[i]));
	}
	if (rows)
		view_more(c, rows, limit_of(c, shared));
	return STATUS_OK;
}
