/* view_cache.c - finds the bytes of cached rows in the uploads they came from; see view_cache.h.
 *
 * A row was scattered by a kernel from an upload, or loaded by an upload into the cache itself.
 * Codes of e4m3 mean nothing without the scales of their KV heads, which are in buffers of their
 * own (engine/attention/path_ladder.c) and are written right after these are allocated.
 */
#include "tui/views/view_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

struct reading {
	int64_t begin, d, count;
	float *out;
	double scale;                   /* of e4m3; NAN: unknown */
	int64_t data;                   /* the entry that `bytes` was read from; 0: none */
	void *bytes;
	size_t size;
};

enum { POSITION, OP, DATA, OFFSET, DTYPE, LOADED };

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
	"   + w.position) * ?9 * CASE b.dtype WHEN 'f32' THEN 4"
	"   WHEN 'e4m3' THEN 1 ELSE 2 END - o.offset FROM v_op o JOIN v_buffer b"
	"   ON b.run = ?1"
	"   AND b.buffer = o.buffer WHERE o.run = ?1 AND o.op = w.upload),"
	"  (SELECT k.source_offset FROM v_kv k WHERE k.run = ?1 AND k.op = w.op"
	"   AND k.tensor = w.tensor AND k.slot = ?3 AND k.position = w.position"
	"   AND k.kv_head = ?4)),"
	" (SELECT b.dtype FROM v_buffer b WHERE b.run = ?1 AND b.buffer = w.buffer),"
	" w.launch IS NULL"
	" FROM last w ORDER BY w.position";

/* --- scales --- */

enum { SCALES = 1 << 16 };              /* most KV heads */

struct scale {
	int64_t kv_head;
	double value;                   /* NAN: unknown */
};

static enum status take_scale(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct scale *s = state;
	uint32_t pattern = (uint32_t)view_int(row, 1);
	size_t at = (size_t)s->kv_head * sizeof(float), size;
	float value = NAN;
	void *bytes;

	if (!view_null(row, 1))
		memcpy(&value, &pattern, sizeof value);
	if (!view_null(row, 0)) {
		TRY(store_data(c->store, view_int(row, 0), &bytes, &size));
		if (size >= sizeof value && at <= size - sizeof value)
			memcpy(&value, (char *)bytes + at, sizeof value);
		free(bytes);
	}
	s->value = value;
	return STATUS_OK;
}

enum status view_cache_scale(const struct view_context *c, int64_t kv_head, char tensor,
			     double *out)
{
	struct scale s = { kv_head, NAN };
	enum status status = STATUS_OK;

	if (kv_head >= 0 && kv_head < SCALES)
		status = VIEW_ROWS(c, take_scale, &s, "SELECT o.data, o.pattern"
				   " FROM (SELECT op, buffer FROM v_buffer WHERE run = ?1"
				   "  AND name = char(?2) || '_scale' AND dtype = 'f32'"
				   "  AND json_extract(shape, '$[0]') > ?3 ORDER BY op LIMIT 1) b"
				   " JOIN v_op o ON o.run = ?1"
				   "  AND o.op BETWEEN b.op + 1 AND b.op + 8"
				   "  AND o.buffer = b.buffer AND o.kind IN ('upload', 'fill')"
				   " ORDER BY o.op LIMIT 1", c->run, tensor, kv_head);
	*out = s.value;
	return status;
}

/* --- rows --- */

/* Sets the type of the elements. Returns false if the buffer is no cache, or of e4m3 and its scale
 * is unknown. */
static bool element_type(const struct reading *r, sqlite3_stmt *row, enum dtype *out)
{
	const char *name = view_text(row, DTYPE);

	return name && dtype_from_name(name, out)
		&& (*out == DTYPE_F32 || (value_is_narrow(*out)
					  && (*out != DTYPE_E4M3 || !isnan(r->scale))));
}

static void widen(const struct reading *r, float *to, const char *from, enum dtype type)
{
	double scale = type == DTYPE_E4M3 ? r->scale : 1.0;

	if (type == DTYPE_F32)          /* also a NaN keeps its bits: poison shows as such */
		memcpy(to, from, (size_t)r->d * sizeof *to);
	for (int64_t i = 0; type != DTYPE_F32 && i < r->d; i++)
		to[i] = (float)(scale * value_real(type, value_load(type, from + (size_t)i
								    * dtype_bytes(type))));
}

static enum status take_row(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reading *r = state;
	size_t bytes, offset = (size_t)view_int(row, OFFSET);
	const char *from;
	char *rounded = NULL;
	enum dtype type;

	if (view_null(row, DATA) || view_null(row, OFFSET) || !element_type(r, row, &type))
		return STATUS_OK;
	/* A launch rounds what was uploaded as f32. */
	bytes = (size_t)r->d * dtype_bytes(view_int(row, LOADED) ? type : DTYPE_F32);
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
	from = (const char *)r->bytes + offset;
	if (value_is_narrow(type) && !view_int(row, LOADED)) {
		rounded = xmalloc(bytes);
		value_round(type, from, (size_t)r->d, rounded);
		from = rounded;
	}
	widen(r, r->out + (view_int(row, POSITION) - r->begin) * r->d, from, type);
	free(rounded);
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
	TRY(view_cache_scale(c, cache->kv_head, tensor, &r.scale));
	status = VIEW_ROWS(c, take_row, &r, rows, c->run, cache->layer, cache->slot,
			   cache->kv_head, tensor, begin, end - 1, cache->op, d);
	free(r.bytes);
	*count = r.count;
	return status;
}
