/* view_kv_rows.c - K and V rows by value, as the uploads brought them that scatters read from.
 *
 * Only the last rows, found from the newest backwards; see view_kv_rows.h.
 */
#include "tui/view_kv_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 8                          /* positions */
#define VALUES 4                        /* elements of K, and of V, of each */
#define TEXT 80

struct rows {
	const struct view_place *place;
	int64_t layer, slot, kv_head;
	int64_t last;                   /* greatest position, -1: none */
	int64_t count;
};

/* --- values --- */

enum { POSITION, LAUNCH, STEP, K_DATA, K_OFFSET, V_DATA, V_OFFSET };

static enum status print_values(const struct view_context *c, sqlite3_stmt *row, int data)
{
	float values[VALUES];
	void *bytes = NULL;
	size_t size = 0, offset = (size_t)view_int(row, data + 1);

	if (!view_null(row, data))
		TRY(store_data(c->store, view_int(row, data), &bytes, &size));
	if (offset > size || size - offset < sizeof(values)) {
		view_print(c, " %-*s", VALUES * 10 - 1, "not recorded");
	} else {
		memcpy(values, (const char *)bytes + offset, sizeof(values));
		for (int i = 0; i < VALUES; i++)
			view_print(c, " %9.4f", values[i]);
	}
	free(bytes);
	return STATUS_OK;
}

static enum status print_row(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct rows *r = state;
	bool now = view_int(row, LAUNCH) == r->place->launch
		|| (!view_null(row, STEP) && view_int(row, STEP) == r->place->step);
	view_cell launch;

	if (r->count++ == 0) {
		view_styled(c, STYLE_HEADING,
			    "\n layer %" PRId64 " slot %" PRId64 " kv head %" PRId64
			    ", rows written last: K[0..%d], V[0..%d]\n", r->layer, r->slot,
			    r->kv_head, VALUES - 1, VALUES - 1);
		r->last = view_int(row, POSITION);
	}
	view_styled(c, now ? STYLE_NEW : STYLE_PLAIN, " %c %5" PRId64, now ? 'W' : ' ',
		    view_int(row, POSITION));
	TRY(print_values(c, row, K_DATA));
	view_print(c, "  ");
	TRY(print_values(c, row, V_DATA));
	view_print(c, " %s\n", view_launch_cell(c, view_int(row, LAUNCH), launch));
	return STATUS_OK;
}

static const char values[] =
	"WITH rows AS (SELECT position, launch, source_op, source_offset FROM v_kv"
	"  WHERE run = ?1 AND tensor = 'k' AND coalesce(layer, -1) = ?2 AND slot = ?3"
	"  AND kv_head = ?4 AND launch <= ?5 ORDER BY launch DESC LIMIT ?6)"
	" SELECT k.position, k.launch, l.step,"
	" (SELECT data FROM v_op o WHERE o.run = ?1 AND o.op = k.source_op), k.source_offset,"
	" (SELECT data FROM v_op o WHERE o.run = ?1 AND o.op = v.source_op), v.source_offset"
	" FROM rows k JOIN v_launch l ON l.run = ?1 AND l.launch = k.launch"
	" LEFT JOIN v_kv v ON v.run = ?1 AND v.launch BETWEEN k.launch AND k.launch + 1"
	"  AND v.tensor = 'v' AND v.slot = ?3 AND v.kv_head = ?4 AND v.position = k.position"
	" ORDER BY k.position DESC";

/* --- text --- */

struct text {
	int64_t first;
	char bytes[TEXT + 1];
};

static enum status take_byte(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct text *t = state;
	int64_t at = view_int(row, 0) - t->first, byte = view_int(row, 1);

	(void)c;
	if (at >= 0 && at < TEXT)
		t->bytes[at] = byte == '\n' ? '$' : byte >= ' ' && byte < 127 ? (char)byte : '?';
	return STATUS_OK;
}

/* The bytes that the positions up to the last one stand for. */
static enum status draw_text(const struct view_context *c, const struct rows *r)
{
	struct text t = { .first = r->last >= TEXT ? r->last - TEXT + 1 : 0 };
	int64_t count = r->last - t.first + 1;

	memset(t.bytes, ' ', TEXT);
	TRY(VIEW_ROWS(c, take_byte, &t,
		      "SELECT position, byte, max(step) FROM v_token WHERE run = ?1 AND slot = ?2"
		      " AND position >= ?3 AND step <= ?4 GROUP BY position", c->run, r->slot,
		      t.first, r->place->step >= 0 ? r->place->step : INT64_MAX));
	view_styled(c, STYLE_HEADING, "\n keys %" PRId64 "..%" PRId64 " as text"
		    " ($ is a line's end, - never written)\n", t.first, r->last);
	view_print(c, " %.*s-\n", (int)count, t.bytes);
	return STATUS_OK;
}

/* The slot and KV head that a block of the launch is about. */
static enum status find_head(const struct view_context *c, struct rows *r)
{
	const struct view_place *p = r->place;
	int64_t heads = p->grid[0] > 0 ? p->grid[0] : 1, kv_heads;

	if (c->at.block < 0)
		return STATUS_OK;
	TRY(VIEW_NUMBER(c, 1, &kv_heads, "SELECT max(kv_head) + 1 FROM v_kv WHERE run = ?1"
			" AND launch = (SELECT launch FROM v_kv WHERE run = ?1 AND launch <= ?2"
			" ORDER BY launch DESC LIMIT 1)", c->run, p->launch));
	r->kv_head = kv_heads <= heads ? c->at.block % heads * kv_heads / heads : 0;
	if (p->grid[1] > 0)
		r->slot = c->at.block / heads % p->grid[1];
	return STATUS_OK;
}

enum status view_kv_rows(const struct view_context *c, const struct view_place *place,
			 int64_t layer)
{
	struct rows r = { .place = place, .layer = layer, .last = -1 };

	TRY(find_head(c, &r));
	TRY(VIEW_ROWS(c, print_row, &r, values, c->run, layer, r.slot, r.kv_head, place->launch,
		      ROWS));
	return r.last >= 0 ? draw_text(c, &r) : STATUS_OK;
}
