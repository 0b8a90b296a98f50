/* view_cache.c - finds the bytes of cached rows in the uploads they came from; see view_cache.h.
 *
 * A row was scattered by a kernel from an upload, or loaded by an upload into the cache itself.
 */
#include "tui/views/view_cache.h"

#include <stdlib.h>
#include <string.h>

#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

struct reading {
	int64_t begin, d, count;
	float *out;
	int64_t data;                   /* the entry that `bytes` was read from; 0: none */
	void *bytes;
	size_t size;
};

enum { POSITION, OP, DATA, OFFSET };

/* w_kv has one row for all KV heads of a position; v_kv has each. Each KV head may be loaded by an
 * upload of its own; the offset of the row in it is computed from the shape [slots, KV heads,
 * max_len, D]. */
static const char rows[] =
	"WITH last AS (SELECT w.*, iif(w.launch IS NULL, coalesce((SELECT max(l.op)"
	"  FROM w_kv_load l WHERE l.run = ?1 AND l.layer = ?2 AND l.slot = ?3"
	"  AND l.tensor = w.tensor AND l.position = w.position AND l.kv_head = ?4 AND l.op <= ?8),"
	"  w.op), w.source_op) AS upload"
	" FROM w_kv_place p" STORE_KV_LAST("?8") " WHERE p.run = ?1 AND p.layer = ?2"
	" AND p.slot = ?3 AND p.tensor = char(?5) AND p.position BETWEEN ?6 AND ?7)"
	" SELECT w.position, w.op, (SELECT data FROM v_op o WHERE o.run = ?1 AND o.op = w.upload),"
	" iif(w.launch IS NULL,"
	"  (SELECT ((?3 * json_extract(b.shape, '$[1]') + ?4) * json_extract(b.shape, '$[2]')"
	"   + w.position) * ?9 * 4 - o.offset FROM v_op o JOIN v_buffer b ON b.run = ?1"
	"   AND b.buffer = o.buffer WHERE o.run = ?1 AND o.op = w.upload),"
	"  (SELECT k.source_offset FROM v_kv k WHERE k.run = ?1 AND k.op = w.op"
	"   AND k.tensor = w.tensor AND k.slot = ?3 AND k.position = w.position"
	"   AND k.kv_head = ?4))"
	" FROM last w ORDER BY w.position";

static enum status take_row(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reading *r = state;
	size_t bytes = (size_t)r->d * sizeof *r->out, offset = (size_t)view_int(row, OFFSET);

	if (view_null(row, DATA) || view_null(row, OFFSET))
		return STATUS_OK;
	/* All rows of a prompt are in one upload, which is read once. */
	if (view_int(row, DATA) != r->data) {
		free(r->bytes);
		r->bytes = NULL;
		r->data = 0;
		TRY(store_data(c->store, view_int(row, DATA), &r->bytes, &r->size));
		r->data = view_int(row, DATA);
	}
	if (offset > r->size || r->size - offset < bytes)
		return STATUS_OK;
	memcpy(r->out + (view_int(row, POSITION) - r->begin) * r->d,
	       (const char *)r->bytes + offset, bytes);
	r->count++;
	return STATUS_OK;
}

enum status view_cache_read(const struct view_context *c, const struct view_cache *cache,
			    char tensor, int64_t begin, int64_t end, int64_t d, float *out,
			    int64_t *count)
{
	struct reading r = { .begin = begin, .d = d, .out = out };
	enum status status;

	TRY(store_index_kv(c->store));
	status = VIEW_ROWS(c, take_row, &r, rows, c->run, cache->layer, cache->slot,
			   cache->kv_head, tensor, begin, end - 1, cache->op, d);
	free(r.bytes);
	*count = r.count;
	return status;
}
