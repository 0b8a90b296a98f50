/* view_pages.c - reads page tables from a trace; see view_pages.h. */
#include "tui/views/view_pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

#define MAX_PAGES ((int64_t)1 << 24)    /* more are not read */
#define SHOWN 8

struct arguments {
	int64_t page, pages, queries;
	int64_t table, table_offset;    /* buffers, of which -1 is none, and bytes in them */
	int64_t lengths, lengths_offset;
};

enum { NAME, VALUE, BUFFER, OFFSET };

static enum status take_argument(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct arguments *a = state;
	const char *name = view_text(row, NAME);
	int64_t buffer = view_null(row, BUFFER) ? -1 : view_int(row, BUFFER);

	(void)c;
	if (strcmp(name, "page") == 0) {
		a->page = view_int(row, VALUE);
	} else if (strcmp(name, "pages") == 0) {
		a->pages = view_int(row, VALUE);
	} else if (strcmp(name, "queries") == 0) {
		a->queries = view_int(row, VALUE);
	} else if (strcmp(name, "page_table") == 0) {
		a->table = buffer;
		a->table_offset = view_int(row, OFFSET);
	} else {
		a->lengths = buffer;
		a->lengths_offset = view_int(row, OFFSET);
	}
	return STATUS_OK;
}

/* Sets the keys of the sequence, and how many pages these have. */
static enum status read_keys(const struct view_context *c, const struct arguments *a, int64_t op,
			     int64_t slot, struct view_pages *p)
{
	int32_t keys;
	bool known;

	TRY(view_upload_read(c, op, a->lengths, a->lengths_offset + slot * (int64_t)sizeof keys,
			     sizeof keys, &keys, &known));
	if (!known || keys < 0)
		return STATUS_OK;
	p->keys = keys;
	p->count = (keys + p->rows - 1) / p->rows;
	return STATUS_OK;
}

static enum status read_table(const struct view_context *c, const struct arguments *a,
			      int64_t op, int64_t sequence, struct view_pages *p)
{
	size_t bytes = (size_t)p->count * sizeof *p->table;
	bool known = false;
	enum status status;

	if (p->count < 1 || p->count > a->pages || p->count > MAX_PAGES)
		return STATUS_OK;
	p->table = xmalloc(bytes);
	status = view_upload_read(c, op, a->table, a->table_offset
				  + sequence * a->pages * (int64_t)sizeof *p->table, bytes,
				  p->table, &known);
	if (known)
		return status;
	free(p->table);
	p->table = NULL;
	return status;
}

enum status view_pages_read(const struct view_context *c, int64_t op, int64_t slot,
			    struct view_pages *p)
{
	struct arguments a = { .table = -1, .lengths = -1 };

	*p = (struct view_pages){ .keys = -1 };
	TRY(VIEW_ROWS(c, take_argument, &a, "SELECT name, value, buffer, offset FROM v_arg"
		      " WHERE run = ?1 AND op = ?2 AND name IN ('page', 'pages', 'page_table',"
		      " 'seq_lens', 'queries')", c->run, op));
	/* No pages, or a damaged trace. */
	if (a.table < 0 || a.page < 1 || a.page > INT32_MAX || a.pages < 1 || a.pages > INT32_MAX
	    || slot < 0 || slot > INT32_MAX)
		return STATUS_OK;
	p->rows = a.page;
	TRY(read_keys(c, &a, op, slot, p));
	return read_table(c, &a, op, a.queries > 1 ? slot / a.queries : slot, p);
}

enum status view_pages_used(const struct view_context *c, bool *used)
{
	int64_t found;

	TRY(VIEW_NUMBER(c, 0, &found, "SELECT 1 FROM v_buffer WHERE run = ?1"
			" AND name = 'page_table' LIMIT 1", c->run));
	*used = found != 0;
	return STATUS_OK;
}

void view_pages_free(struct view_pages *p)
{
	free(p->table);
	p->table = NULL;
}

enum status view_pages_cache_read(const struct view_context *c, const struct view_pages *p,
				  const struct view_cache *cache, char tensor, int64_t begin,
				  int64_t end, int64_t d, float *out, int64_t *count)
{
	struct view_cache page = *cache;

	if (p->rows == 0)
		return view_cache_read(c, cache, tensor, begin, end, d, out, count);
	*count = 0;
	while (p->table && begin < end && begin / p->rows < p->count) {
		int64_t at = begin % p->rows, some = p->rows - at, read;

		some = some < end - begin ? some : end - begin;
		page.slot = p->table[begin / p->rows];
		TRY(view_cache_read(c, &page, tensor, at, at + some, d, out, &read));
		*count += read;
		out += some * d;
		begin += some;
	}
	return STATUS_OK;
}

/* Adds the number of a page, or "-" if no key in it is seen: its entry may have any value. */
static int add_page(const struct view_pages *p, const struct view_visible *v, int64_t i,
		    const char *before, char *text, size_t size)
{
	int64_t begin = i * p->rows, end = begin + p->rows;

	if (v->gap > 0 && begin >= v->sinks && end <= v->sinks + v->gap)
		return snprintf(text, size, "%s -", before);
	return snprintf(text, size, "%s %" PRId32, before, p->table[i]);
}

void view_pages_text(const struct view_pages *p, const struct view_visible *v, char text[160])
{
	int used = 0;

	text[0] = '\0';
	if (p->rows == 0)
		return;
	if (p->keys >= 0)
		used = snprintf(text, 160, "%" PRId64 " ", p->count);
	used += snprintf(text + used, 160 - (size_t)used, "page%s of %" PRId64 " row%s",
			 p->count == 1 ? "" : "s", p->rows, p->rows == 1 ? "" : "s");
	for (int64_t i = 0; p->table && i < p->count && i < SHOWN; i++)
		used += add_page(p, v, i, i ? "" : ":", text + used, 160 - (size_t)used);
	if (p->table && p->count > SHOWN)
		add_page(p, v, p->count - 1, p->count > SHOWN + 1 ? " .." : "", text + used,
			 160 - (size_t)used);
}
