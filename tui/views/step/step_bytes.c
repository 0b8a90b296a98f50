/* step_bytes.c - bytes that a step read: rows of the KV cache, and what was uploaded to a buffer;
 * see step.h. */
#include "tui/views/step/step.h"

#include <stdlib.h>
#include <string.h>

#include "tui/views/view_cache.h"
#include "tui/views/view_cell.h"
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

enum status step_upload_read(const struct view_context *c, int64_t op, int64_t buffer,
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

enum status step_cache_rows(const struct view_context *c, const struct step *s, char tensor,
			    int64_t begin, int64_t end, float *out, bool *known)
{
	const struct step_query *q = &s->query;
	struct view_cache cache = { .op = s->attend.op, .layer = s->attend.layer, .slot = s->slot,
				    .kv_head = s->kv_head };
	int64_t d = tensor == 'v' && s->form == STEP_TILES ? q->value_dim : s->d, count, first;

	*known = end <= begin;
	if (*known)
		return STATUS_OK;
	TRY(view_cache_read(c, &cache, tensor, begin, end, d, out, &count));
	*known = count == end - begin;
	if (*known || s->form != STEP_TILES)
		return STATUS_OK;
	first = ((s->head / q->heads * q->kv_heads + s->head % q->heads * q->kv_heads / q->heads)
		 * q->stride + begin) * d * (int64_t)sizeof *out;
	return step_upload_read(c, s->attend.op, tensor == 'k' ? q->k : q->v,
			   first + (tensor == 'k' ? q->k_offset : q->v_offset),
			   (size_t)((end - begin) * d) * sizeof *out, out, known);
}
