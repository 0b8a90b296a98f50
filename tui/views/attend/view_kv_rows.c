/* view_kv_rows.c - one slot of the KV cache, position by position: its text, what was written and
 * read, and rows of K and V by value; see view_kv_rows.h.
 *
 * Shows only the last positions. Writes come from w_kv, reads from the keys that blocks of the
 * launch processed, else from what the step read for the host or copied out of the cache.
 */
#include "tui/views/attend/view_kv_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/store_index.h"
#include "tui/views/attend/view_kv_written.h"
#include "tui/views/view_bytes.h"
#include "tui/views/view_cache.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_columns.h"
#include "tui/views/view_pages.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"
#include "tui/views/view_scores.h"

#define ROWS 6                          /* positions shown by value */
#define VALUES 3                        /* elements of K, and of V, of each */
#define BAND 64                         /* positions on a line of the map */
#define BANDS 3                         /* of the last ones; --all: BANDS_ALL */
#define BANDS_ALL 1024

struct slot {
	const struct view_place *place;
	struct view_shape shape;
	int64_t layer, slot, kv_head, d, max_len;
	int64_t row;                    /* slot of the launch: a query of the slot of the cache */
	bool pages;
	int64_t first, last;            /* positions shown; last: max written, -1: none */
	char *written;                  /* [last + 1 - first] '#' '=' 'W' '.' */
	bool *k, *v;                    /* [the same] K, V is written */
	int64_t *by;                    /* [the same] launch that wrote V last, -1: a load */
	int64_t *by_op;                 /* [the same] a load in a step; -1: outside of steps */
	int64_t read_end;               /* keys begin <= i < end the launch reads; end 0: unknown */
	int64_t read_begin;
	char reader[96];                /* who reads */
};

/* --- what was written --- */

enum { POSITION, LAUNCH, NOW, K_ROWS, V_ROWS, LAST_OP, STEP };

static enum status take_write(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct slot *s = state;
	int64_t at = view_int(row, POSITION) - s->first;

	(void)c;
	s->written[at] = view_int(row, NOW) ? 'W' : view_null(row, LAUNCH) ? '=' : '#';
	s->by[at] = view_null(row, LAUNCH) ? -1 : view_int(row, LAUNCH);
	s->by_op[at] = view_null(row, STEP) ? -1 : view_int(row, LAST_OP);
	s->k[at] = view_int(row, K_ROWS) > 0;
	s->v[at] = view_int(row, V_ROWS) > 0;
	return STATUS_OK;
}

static enum status read_writes(const struct view_context *c, struct slot *s)
{
	size_t count = (size_t)(s->last + 1 - s->first);

	s->written = xcalloc(count, 1);
	memset(s->written, '.', count);
	s->by = xcalloc(count, sizeof *s->by);
	s->by_op = xcalloc(count, sizeof *s->by_op);
	s->k = xcalloc(count, sizeof *s->k);
	s->v = xcalloc(count, sizeof *s->v);
	/* With max() alone, the other columns are those of its row: of K and V, the later one.
	 * Written now: in the step of the place, or by its launch where there are no steps. Traces
	 * before version 5 do not have loads as rows of a step. */
	return VIEW_ROWS(c, take_write, s,
			 "SELECT position, launch, coalesce(launch = ?6, 0)"
			 "  OR (?7 >= 0 AND coalesce(?7 = step, 0)), sum(tensor = 'k'),"
			 " sum(tensor = 'v'), max(op), step FROM (SELECT w.*,"
			 "  (SELECT o.step FROM v_op o WHERE o.run = ?1 AND o.op = w.op"
			 "   AND (w.launch IS NOT NULL OR EXISTS (SELECT 1 FROM v_kv k"
			 "    WHERE k.run = ?1 AND k.op = w.op))) AS step FROM w_kv_place p"
			 STORE_KV_LAST("?8") " WHERE p.run = ?1 AND p.layer = ?2 AND p.slot = ?3"
			 " AND p.tensor IN ('k', 'v') AND p.position BETWEEN ?4 AND ?5)"
			 " GROUP BY position",
			 c->run, s->layer, s->slot, s->first, s->last, s->place->launch,
			 s->place->step, s->place->op);
}

/* --- what the launch reads --- */

static enum status take_keys(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct slot *s = state;

	(void)c;
	s->read_begin = view_int(row, 0);
	s->read_end = view_int(row, 1);
	return STATUS_OK;
}

/* Keys of the block of the address, else of all blocks of the slot, of KV head kv_head. */
static enum status find_launch_reads(const struct view_context *c, struct slot *s)
{
	const struct view_place *p = s->place;
	bool named = view_shape_named(c, &s->shape);
	struct view_spot at = { s->row, 0, 0 };
	struct view_scores keys;
	enum status status;
	int64_t attends;

	if (p->launch < 0)
		return STATUS_OK;
	if (named)
		at = view_shape_spot(c, &s->shape);
	view_scores_place(&keys, &s->shape, at.slot, at.head, at.chunk);
	TRY(VIEW_ROWS(c, take_keys, s, "SELECT min(key_begin), max(key_end) FROM v_partial"
		      " WHERE run = ?1 AND launch = ?2 AND slot = ?3 AND NOT empty"
		      " AND (?4 < 0 OR chunk = ?4) HAVING count(*) > 0", c->run, p->launch, s->row,
		      named ? at.chunk : -1));
	TRY(VIEW_NUMBER(c, 0, &attends, "SELECT 1 FROM w_attention WHERE run = ?1 AND launch = ?2"
			" LIMIT 1", c->run, p->launch));
	if (s->read_end > 0 || !attends || keys.block < 0)
		return STATUS_OK;
	status = view_scores_read(c, &keys);
	s->read_end = keys.end;
	view_scores_free(&keys);
	return status;
}

/* Columns: keys, first and last operation, what was written to: NULL for the host. */
static enum status take_step_read(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct slot *s = state;

	(void)c;
	s->read_end = view_int(row, 0);
	if (view_null(row, 3))
		snprintf(s->reader, sizeof s->reader, "read by op %" PRId64 " host_softmax",
			 view_int(row, 1));
	else
		snprintf(s->reader, sizeof s->reader, "copied to %.24s by op %" PRId64 "..%" PRId64,
			 view_text(row, 3), view_int(row, 1), view_int(row, 2));
	return STATUS_OK;
}

/* What the step of the place read of the layer without a launch: the host attended to downloaded
 * rows, or the rows were copied out of the cache. */
static enum status find_step_reads(const struct view_context *c, struct slot *s)
{
	const struct view_place *p = s->place;
	int64_t first = 0, newest = s->last - s->first;

	/* Only a step that uploaded its row does so: others need no search. */
	if (s->by[newest] >= 0 || s->by_op[newest] < 0)
		return STATUS_OK;
	if (p->step >= 0)
		TRY(VIEW_NUMBER(c, 0, &first, "SELECT min(first_op) FROM v_step WHERE run = ?1"
				" AND step = ?2", c->run, p->step));
	TRY(VIEW_ROWS(c, take_step_read, s, "SELECT keys, op, op, NULL FROM v_softmax"
		      " WHERE run = ?1 AND op BETWEEN ?2 AND ?3 AND layer = ?4"
		      " ORDER BY op DESC LIMIT 1", c->run, first, p->op, s->layer));
	if (s->read_end > 0)
		return STATUS_OK;
	return VIEW_ROWS(c, take_step_read, s, "SELECT max(k.position) + 1, min(k.op), max(k.op),"
			 " replace(group_concat(DISTINCT b.name), ',', ', ') FROM v_op o"
			 " CROSS JOIN v_kv k ON k.run = o.run AND k.op = o.op"
			 " JOIN v_buffer b ON b.run = k.run AND b.buffer = k.buffer"
			 " WHERE o.run = ?1 AND o.op BETWEEN ?2 AND ?3"
			 " AND o.kind = 'copy' AND k.layer = ?4 AND k.slot = ?5 AND k.buffer NOT IN"
			 "  (SELECT buffer FROM w_kv_cache WHERE run = ?1) HAVING count(*) > 0",
			 c->run, first, p->op, s->layer, s->slot);
}

static enum status find_reads(const struct view_context *c, struct slot *s)
{
	view_cell launch;

	TRY(find_launch_reads(c, s));
	if (s->read_end <= s->read_begin)
		return find_step_reads(c, s);
	snprintf(s->reader, sizeof s->reader, "read by %s",
		 view_launch_cell(c, s->place->launch, launch));
	return STATUS_OK;
}

/* --- the map --- */

static char read_mark(const struct slot *s, int64_t position)
{
	if (position < s->read_begin || position >= s->read_end)
		return ' ';
	return position > s->last || s->written[position - s->first] == '.' ? 'U' : 'R';
}

static void draw_band(const struct view_context *c, const struct slot *s, int64_t from,
		      const unsigned char *bytes)
{
	int64_t to = from + BAND < s->max_len ? from + BAND : s->max_len;

	view_print(c, " %6" PRId64 "  ", from);
	for (int64_t i = from; i < to && i <= s->last; i++)
		view_print(c, "%c", bytes[i - s->first]
			   ? view_byte_mark(bytes[i - s->first]) : '-');
	view_print(c, "\n written ");
	for (int64_t i = from; i < to; i++) {
		char mark = i <= s->last ? s->written[i - s->first] : '.';

		view_styled(c, mark == 'W' ? STYLE_NEW : STYLE_CHART, "%c", mark);
	}
	view_print(c, "\n");
	if (s->read_end <= s->read_begin)
		return;
	view_print(c, " read    ");
	for (int64_t i = from; i < to && i < s->read_end; i++) {
		char mark = read_mark(s, i);

		view_styled(c, mark == 'U' ? STYLE_WRONG : STYLE_CHART, "%c", mark);
	}
	view_print(c, "\n");
}

/* The bytes of a sequence's text; those of a page, whose sequence a trace does not have, stay 0. */
static enum status draw_map(const struct view_context *c, const struct slot *s)
{
	unsigned char *bytes = xcalloc((size_t)(s->last + 1 - s->first), 1);
	bool pools = false;
	enum status status = view_pages_used(c, &pools);

	if (status == STATUS_OK && !pools)
		status = view_bytes_read(c, s->slot, s->place->step, s->first, s->last + 1, bytes);
	view_styled(c, STYLE_HEADING, "\n layer %" PRId64 " slot %" PRId64
		    ": each position%s, %d a line%s\n", s->layer, s->slot,
		    pools ? "" : " with its byte", BAND, pools ? "" : "; " VIEW_BYTES_LEGEND);
	if (s->first > 0)
		view_styled(c, STYLE_NOTE, " positions before %" PRId64 " are left out%s\n",
			    s->first, view_all_hint(c));
	for (int64_t from = s->first; status == STATUS_OK && from <= s->last; from += BAND)
		draw_band(c, s, from, bytes);
	view_legend(c, " `# filled  `= loaded  `W written in this step"
		    "  `. never written: poison %08x\n", VIEW_POISON);
	if (s->read_end > s->read_begin)
		view_styled(c, STYLE_NOTE, " R %s, keys %" PRId64 "..%" PRId64
			    "  U read before it was written\n", s->reader, s->read_begin,
			    s->read_end - 1);
	free(bytes);
	return status;
}

/* --- values --- */

/* Of numbers with all digits fewer fit. */
static int values_shown(const struct view_context *c)
{
	switch (c->looks.number) {
	case NUMBER_FULL: return VALUES - 1;
	case NUMBER_BITS: return 1;
	default: return VALUES;
	}
}

static void print_values(const struct view_context *c, const struct slot *s, const float *row,
			 bool written)
{
	int width = view_number_width(c, 9);
	view_cell cell;

	for (int64_t i = 0; i < s->d && i < values_shown(c); i++)
		if (written)
			view_print(c, " %*s", width, view_number_cell(c, row[i], 4, cell));
		else
			view_print(c, " %*s%08x", width - 8, "", VIEW_POISON);
}

static void print_row(const struct view_context *c, const struct slot *s, int64_t position,
		      const float *k, const float *v)
{
	char mark = s->written[position - s->first];
	int64_t by = s->by[position - s->first], by_op = s->by_op[position - s->first];
	view_cell launch;

	view_print(c, " ");
	view_styled(c, mark == 'W' ? STYLE_NEW : STYLE_CHART, "%c", mark);
	view_print(c, " %5" PRId64, position);
	print_values(c, s, k, s->k[position - s->first]);
	view_print(c, "  ");
	print_values(c, s, v, s->v[position - s->first]);
	if (mark != '.' && by < 0 && by_op >= 0)
		view_print(c, "  op %" PRId64, by_op);
	else if (mark != '.')
		view_print(c, "  %s", by < 0 ? "load" : view_launch_cell(c, by, launch));
	view_print(c, "\n");
}

static void print_never_written(const struct view_context *c, int64_t position)
{
	view_print(c, " ");
	view_styled(c, STYLE_CHART, ".");
	view_print(c, " %5" PRId64 "   %08x in every element: never written, a read is found as"
		   " uninit\n", position, VIEW_POISON);
}

/* Of a cache of e4m3. */
static enum status print_scales(const struct view_context *c, const struct slot *s)
{
	double k, v;

	TRY(view_cache_scale(c, s->kv_head, 'k', &k));
	TRY(view_cache_scale(c, s->kv_head, 'v', &v));
	if (!isnan(k) && !isnan(v))
		view_styled(c, STYLE_NOTE, " codes of e4m3 times the KV head's scales: k_scale"
			    " %.9g, v_scale %.9g\n", k, v);
	return STATUS_OK;
}

static enum status print_rows(const struct view_context *c, const struct slot *s, int64_t first,
			      float *k, float *v)
{
	const struct view_cache cache = { .op = s->place->op, .layer = s->layer, .slot = s->slot,
					  .kv_head = s->kv_head };
	int64_t k_rows, v_rows, unread = 0;

	TRY(view_cache_read(c, &cache, 'k', first, s->last + 1, s->d, k, &k_rows));
	TRY(view_cache_read(c, &cache, 'v', first, s->last + 1, s->d, v, &v_rows));
	view_styled(c, STYLE_HEADING, "\n kv head %" PRId64 ": K[0..%d] and V[0..%d] of %" PRId64
		    " element%s, and who wrote them\n", s->kv_head, values_shown(c) - 1,
		    values_shown(c) - 1, s->d, view_plural(s->d));
	TRY(print_scales(c, s));
	for (int64_t i = first; i <= s->last; i++) {
		unread += s->k[i - s->first] + s->v[i - s->first];
		print_row(c, s, i, k + (i - first) * s->d, v + (i - first) * s->d);
	}
	if (s->last + 1 < s->max_len)
		print_never_written(c, s->last + 1);
	if (unread > k_rows + v_rows)
		view_styled(c, STYLE_NOTE, " bytes of some rows are not in the trace: shown as"
			    " nan\n");
	return STATUS_OK;
}

static enum status draw_values(const struct view_context *c, const struct slot *s)
{
	int64_t first = s->last - s->first >= ROWS ? s->last - ROWS + 1 : s->first;
	size_t count = (size_t)((s->last + 1 - first) * s->d);
	enum status status;
	float *k, *v;

	if (s->d < 1 || s->d > VIEW_CACHE_ELEMENTS)
		return STATUS_OK;
	k = xcalloc(count, sizeof *k);
	v = xcalloc(count, sizeof *v);
	for (size_t i = 0; i < count; i++)
		k[i] = v[i] = NAN;
	status = print_rows(c, s, first, k, v);
	free(k);
	free(v);
	return status;
}

/* --- which slot --- */

static enum status count_heads(const struct view_context *c, int64_t op, int64_t *kv_heads)
{
	return VIEW_NUMBER(c, 1, kv_heads, "SELECT max(kv_head) + 1 FROM v_kv WHERE run = ?1"
			   " AND op = (SELECT op FROM v_kv WHERE run = ?1 AND op <= ?2"
			   " ORDER BY op DESC LIMIT 1)", c->run, op);
}

enum status view_kv_group(const struct view_context *c, const struct view_place *place,
			  int64_t *blocks)
{
	struct view_shape shape;
	int64_t heads, kv_heads;
	enum status status = view_shape_read(c, place, &shape);

	heads = shape.heads;
	view_shape_free(&shape);
	TRY(status);
	TRY(count_heads(c, place->op, &kv_heads));
	*blocks = kv_heads > 0 && heads > 0 && heads % kv_heads == 0 ? heads / kv_heads : 1;
	return STATUS_OK;
}

/* The slot and KV head that a block of the launch processes; of several queries, the last. */
static enum status find_head(const struct view_context *c, struct slot *s)
{
	struct view_visible visible;
	int64_t kv_heads;
	struct view_spot at;

	TRY(view_visible_read(c, s->place->op, 0, &visible));
	if (!view_shape_named(c, &s->shape)) {
		s->row = visible.queries > 1 ? visible.queries - 1 : 0;
		return STATUS_OK;
	}
	at = view_shape_spot(c, &s->shape);
	TRY(count_heads(c, s->place->op, &kv_heads));
	s->kv_head = kv_heads <= s->shape.heads ? at.head * kv_heads / s->shape.heads : 0;
	s->row = at.slot;
	s->slot = view_visible_sequence(&visible, s->row);
	return STATUS_OK;
}

/* With pages, a slot of the caches is a page: the one that has the newest row of the sequence. What
 * the launch reads of it is not marked. */
static enum status find_page(const struct view_context *c, struct slot *s)
{
	struct view_pages pages;
	enum status status = view_pages_read(c, s->place->op, s->row, &pages);

	s->pages = pages.rows > 0;
	if (pages.table)
		s->slot = pages.table[pages.count - 1];
	else if (s->pages)
		s->slot = -1;           /* a sequence without keys has no page */
	view_pages_free(&pages);
	return status;
}

/* Elements of a row: of the cache's shape [slots, KV heads, max_len, D], else of a row's bytes. */
static enum status find_size(const struct view_context *c, struct slot *s)
{
	TRY(VIEW_NUMBER(c, -1, &s->last, "SELECT max(position) FROM w_kv_place WHERE run = ?1"
			" AND layer = ?2 AND slot = ?3 AND first_op <= ?4",
			c->run, s->layer, s->slot, s->place->op));
	return VIEW_NUMBER(c, 0, &s->d,
			   "SELECT coalesce((SELECT json_extract(b.shape, '$[3]') FROM v_buffer b"
			   "  WHERE b.run = ?1 AND b.buffer = w.buffer AND b.rank = 4),"
			   " (SELECT k.bytes / 4 FROM v_kv k WHERE k.run = ?1 AND k.op = w.op"
			   "  LIMIT 1)) FROM w_kv w WHERE w.run = ?1 AND w.layer = ?2"
			   " AND w.slot = ?3 LIMIT 1", c->run, s->layer, s->slot);
}

static enum status draw_slot(const struct view_context *c, struct slot *s)
{
	int64_t bands = c->all ? BANDS_ALL : BANDS;

	TRY(find_head(c, s));
	TRY(find_page(c, s));
	if (s->slot < 0)
		return STATUS_OK;
	TRY(find_size(c, s));
	if (s->last < 0)
		return STATUS_OK;
	s->max_len = s->max_len > s->last ? s->max_len : s->last + 1;
	s->first = s->last >= bands * BAND ? s->last / BAND * BAND - (bands - 1) * BAND : 0;
	TRY(read_writes(c, s));
	if (!s->pages)
		TRY(find_reads(c, s));
	TRY(view_kv_written(c, s->place, s->layer, s->slot));
	TRY(draw_map(c, s));
	return draw_values(c, s);
}

enum status view_kv_rows(const struct view_context *c, const struct view_place *place,
			 int64_t layer, int64_t max_len)
{
	struct slot s = { .place = place, .layer = layer, .max_len = max_len };
	enum status status;

	if (view_shape_has_runs(place->kernel))
		TRY(view_recompute(c, place->launch, "softmax", &(struct view_recomputed){ 0 }));
	status = view_shape_read(c, place, &s.shape);
	if (status == STATUS_OK)
		status = draw_slot(c, &s);
	view_shape_free(&s.shape);
	free(s.written);
	free(s.by);
	free(s.by_op);
	free(s.k);
	free(s.v);
	return status;
}
