/* view_visible.c - reads which keys a launch sees, and their text; see view_visible.h. */
#include "tui/views/view_visible.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/split_rule.h"
#include "tui/views/view_bytes.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define WITHIN 4096                     /* operations searched for an upload */

struct upload {
	int64_t offset;                 /* of what is wanted */
	size_t bytes;
	void *out;
	bool known;
};

static enum status take_upload(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct upload *u = state;
	int64_t offset = view_int(row, 0);
	enum status status;
	void *bytes;
	size_t size, skip;

	if (view_null(row, 1) || offset > u->offset)
		return STATUS_OK;
	status = store_data(c->store, view_int(row, 1), &bytes, &size);
	if (status != STATUS_OK)
		return status;
	skip = (size_t)(u->offset - offset);
	if (skip <= size && size - skip >= u->bytes) {
		memcpy(u->out, (const char *)bytes + skip, u->bytes);
		u->known = true;
	}
	free(bytes);
	return STATUS_OK;
}

enum status view_upload_read(const struct view_context *c, int64_t op, int64_t buffer,
			     int64_t offset, size_t bytes, void *out, bool *known)
{
	struct upload u = { offset, bytes, out, false };
	enum status status = VIEW_ROWS(c, take_upload, &u, "SELECT coalesce(offset, 0),"
		" iif(kind IN ('upload', 'restore'), data, NULL) FROM v_op WHERE run = ?1"
		" AND op BETWEEN ?2 - ?6 AND ?2 - 1 AND buffer = ?3"
		" AND kind NOT IN ('download', 'alloc')"
		" AND coalesce(offset, 0) < ?4 + ?5 AND coalesce(offset, 0) + bytes > ?4"
		" ORDER BY op DESC LIMIT 1", c->run, op, buffer, offset, (int64_t)bytes, WITHIN);

	*known = u.known;
	return status;
}

static enum status take_option(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_visible *v = state;
	const char *name = view_text(row, 0);

	(void)c;
	if (strcmp(name, "softcap") == 0)
		v->softcap = sqlite3_column_double(row, 1);
	else
		*(strcmp(name, "window") == 0 ? &v->window
		  : strcmp(name, "sinks") == 0 ? &v->sinks : &v->queries) = view_int(row, 1);
	return STATUS_OK;
}

/* Keys of the sequence: an upload set them. */
static enum status read_gap(const struct view_context *c, int64_t op, int64_t slot,
			    struct view_visible *v)
{
	int64_t buffer, offset;
	int32_t length;
	bool known;

	TRY(VIEW_NUMBER(c, 0, &buffer, "SELECT buffer FROM v_arg WHERE run = ?1 AND op = ?2"
			" AND name = 'seq_lens'", c->run, op));
	TRY(VIEW_NUMBER(c, 0, &offset, "SELECT offset FROM v_arg WHERE run = ?1 AND op = ?2"
			" AND name = 'seq_lens'", c->run, op));
	TRY(view_upload_read(c, op, buffer, offset + slot * (int64_t)sizeof length, sizeof length,
			     &length, &known));
	if (known)
		v->gap = SPLIT_GAP((int64_t)length, v->window, v->sinks);
	return STATUS_OK;
}

enum status view_visible_read(const struct view_context *c, int64_t op, int64_t slot,
			      struct view_visible *v)
{
	*v = (struct view_visible){ 0 };
	TRY(VIEW_ROWS(c, take_option, v, "SELECT name, value FROM v_arg WHERE run = ?1 AND op = ?2"
		      " AND name IN ('softcap', 'window', 'sinks', 'queries')", c->run, op));
	return v->window > 0 ? read_gap(c, op, slot, v) : STATUS_OK;
}

int64_t view_visible_sequence(const struct view_visible *v, int64_t slot)
{
	return v->queries > 1 ? slot / v->queries : slot;
}

int64_t view_visible_query(const struct view_visible *v, int64_t slot)
{
	return v->queries > 1 ? slot % v->queries : 0;
}

int64_t view_visible_newer(const struct view_visible *v, int64_t slot)
{
	return v->queries > 1 ? v->queries - 1 - view_visible_query(v, slot) : 0;
}

int64_t view_visible_position(const struct view_visible *v, int64_t key)
{
	return key < v->sinks ? key : key + v->gap;
}

int64_t view_visible_split(const struct view_visible *v, int64_t begin, int64_t end)
{
	if (v->gap == 0 || v->sinks >= end)
		return end;
	return v->sinks > begin ? v->sinks : begin;
}

enum status view_visible_bytes(const struct view_context *c, const struct view_visible *v,
			       int64_t slot, int64_t step, int64_t begin, int64_t end,
			       unsigned char *out)
{
	int64_t split = view_visible_split(v, begin, end);
	int64_t sequence = view_visible_sequence(v, slot);

	TRY(view_bytes_read(c, sequence, step, begin, split, out));
	return split == end ? STATUS_OK
		: view_bytes_read(c, sequence, step, split + v->gap, end + v->gap,
				  out + (split - begin));
}

void view_visible_note(const struct view_context *c, const struct view_visible *v)
{
	if (v->gap > 0)
		view_styled(c, STYLE_NOTE, " keys are counted without %" PRId64 " that the query"
			    " does not see: key %" PRId64 " is position %" PRId64 "\n", v->gap,
			    v->sinks, v->sinks + v->gap);
}
