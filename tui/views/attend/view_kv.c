/* view_kv.c - the KV cache: which positions of each layer and slot hold a row, and who wrote it.
 *
 * Shows the cache as of the end of the launch, operation or step of the address, else of the run. A
 * position filled from text shows its byte. Rows come from scatters, uploads and copies.
 * view_kv_rows.c shows one slot in detail.
 */
#include "tui/views/attend/view_kv_rows.h"

#include <inttypes.h>

#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_pages.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define MAP_CELLS 32
#define POSITIONS 16                    /* listed at the end of each slot */

/* Places written up to operation ?2 of run ?1, by a kernel or by a load. */
#define PLACES "FROM w_kv_place p WHERE p.run = ?1 AND p.first_op <= ?2"

/* One line of the map while its positions are read. */
struct map {
	bool begun;
	int64_t layer, slot, tensor;
	int64_t first, last, count;
	int64_t op, launch;             /* the last writer; launch -1: a load */
	int64_t max_len;
	int64_t filled[MAP_CELLS], loaded[MAP_CELLS];
	char name[32];
};

/* Fewer cells than fit on the line if a cell would hold no position. */
static int cell_count(const struct map *m)
{
	return m->max_len < MAP_CELLS ? (int)m->max_len : MAP_CELLS;
}

static int cell_of(const struct map *m, int64_t position)
{
	int cells = cell_count(m);

	return position < m->max_len ? (int)(position * cells / m->max_len) : cells - 1;
}

/* Positions that fall into a cell of the map. */
static int64_t cell_size(const struct map *m, int cell)
{
	int cells = cell_count(m);

	return ((cell + 1) * m->max_len + cells - 1) / cells
		- (cell * m->max_len + cells - 1) / cells;
}

static char cell_mark(const struct map *m, int cell)
{
	if (m->filled[cell] == 0)
		return '.';
	if (m->filled[cell] < cell_size(m, cell))
		return '+';
	return m->loaded[cell] == m->filled[cell] ? '=' : '#';
}

/* "L12" of a kernel's write, "op 3" of a load. */
static const char *writer_cell(const struct view_context *c, int64_t launch, int64_t op,
			       view_cell cell)
{
	if (launch >= 0)
		return view_launch_cell(c, launch, cell);
	snprintf(cell, VIEW_CELL, "op %" PRId64, op);
	return cell;
}

static void print_map(const struct view_context *c, const struct map *m)
{
	char bar[MAP_CELLS + 1] = "";
	view_cell layer = "-", writer, range;

	if (!m->begun)
		return;
	if (m->layer >= 0)
		snprintf(layer, sizeof layer, "%" PRId64, m->layer);
	for (int i = 0; i < cell_count(m); i++)
		bar[i] = cell_mark(m, i);
	snprintf(range, sizeof range, "%" PRId64 "..%" PRId64, m->first, m->last);
	view_print(c, " %5s %4" PRId64 "    %c   %-11s %5" PRId64 "  %-12s %-8s  ",
		   layer, m->slot, (char)m->tensor, range, m->count, m->name,
		   writer_cell(c, m->launch, m->op, writer));
	view_styled(c, STYLE_CHART, "%s", bar);
	view_print(c, m->count == m->last - m->first + 1 ? "\n" : "  holes\n");
}

enum { MAP_LAYER, MAP_SLOT, MAP_TENSOR, MAP_POSITION, MAP_OP, MAP_LAUNCH, MAP_NAME };

static enum status add_position(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct map *m = state;
	int64_t layer = view_int(row, MAP_LAYER), slot = view_int(row, MAP_SLOT);
	int64_t tensor = view_text(row, MAP_TENSOR)[0], position = view_int(row, MAP_POSITION);
	bool loaded = view_null(row, MAP_LAUNCH);

	if (!m->begun || m->layer != layer || m->slot != slot || m->tensor != tensor) {
		print_map(c, m);
		*m = (struct map){ .begun = true, .layer = layer, .slot = slot, .tensor = tensor,
				   .first = position, .op = -1, .max_len = m->max_len };
		snprintf(m->name, sizeof m->name, "%.30s", view_text(row, MAP_NAME));
	}
	m->last = position;
	m->count++;
	if (view_int(row, MAP_OP) > m->op) {
		m->op = view_int(row, MAP_OP);
		m->launch = loaded ? -1 : view_int(row, MAP_LAUNCH);
	}
	m->filled[cell_of(m, position)]++;
	m->loaded[cell_of(m, position)] += loaded;
	return STATUS_OK;
}

static enum status draw_map(const struct view_context *c, int64_t op, int64_t max_len)
{
	struct map map = { .max_len = max_len };

	view_legend(c, "\n every layer and slot: `# filled  `= loaded by an upload"
		    "  `+ partly  `. nothing\n");
	view_print(c,
		   " layer slot tensor positions    rows  buffer       last by   0..%" PRId64 "\n",
		   max_len - 1);
	TRY(VIEW_ROWS(c, add_position, &map,
		      "SELECT p.layer, p.slot, p.tensor, p.position, w.op, w.launch,"
		      " (SELECT name FROM v_buffer b WHERE b.run = ?1 AND b.buffer = w.buffer)"
		      " FROM w_kv_place p" STORE_KV_LAST("?2") " WHERE p.run = ?1"
		      " AND p.first_op <= ?2 ORDER BY p.layer, p.slot, p.tensor, p.position",
		      c->run, op));
	print_map(c, &map);
	return STATUS_OK;
}

/* --- positions of one layer --- */

enum { SLOT, POSITION, BEFORE, FROM_END, BYTE, PROMPT, STEP, K_LAUNCH, K_OP, V_LAUNCH, V_OP,
	K_SOURCE, K_OFFSET };
static const char positions[] =
	/* Details are read only for positions that are shown. */
	"WITH counted AS (SELECT slot, position,"
	"  row_number() OVER (PARTITION BY slot ORDER BY position DESC) AS from_end,"
	"  count(*) OVER (PARTITION BY slot) AS total"
	"  FROM (SELECT DISTINCT slot, position " PLACES " AND p.layer = ?3)),"
	" shown AS MATERIALIZED (SELECT * FROM counted WHERE from_end <= ?4),"
	" last AS MATERIALIZED (SELECT s.slot, s.position, w.tensor, w.op, w.launch,"
	"  w.source_op, w.source_offset FROM shown s CROSS JOIN w_kv_place p ON p.run = ?1"
	"  AND p.layer = ?3 AND p.slot = s.slot AND p.tensor IN ('k', 'v')"
	"  AND p.position = s.position" STORE_KV_LAST("?2") "),"
	" ops AS (SELECT slot, position,"
	"   coalesce(max(op) FILTER (WHERE tensor = 'k'), max(op)) AS op"
	"  FROM last GROUP BY slot, position),"
	" places AS (SELECT p.slot, p.position, o.step FROM ops p"
	"  JOIN v_op o ON o.run = ?1 AND o.op = p.op),"
	/* A slot may have held another sequence before: the byte that was current then. */
	" tokens AS (SELECT p.slot, p.position, t.byte, t.prompt, max(t.step) FROM places p"
	"  JOIN v_token t ON t.run = ?1 AND t.slot = p.slot AND t.position = p.position"
	"   AND (p.step IS NULL OR t.step <= p.step) GROUP BY p.slot, p.position)"
	" SELECT p.slot, p.position,"
	"  s.total - s.from_end, s.from_end, t.byte, t.prompt, p.step, k.launch, k.op, v.launch,"
	"  v.op, k.source_op, k.source_offset FROM places p"
	"  JOIN shown s ON s.slot = p.slot AND s.position = p.position"
	"  LEFT JOIN last k ON k.slot = p.slot AND k.position = p.position AND k.tensor = 'k'"
	"  LEFT JOIN last v ON v.slot = p.slot AND v.position = p.position AND v.tensor = 'v'"
	"  LEFT JOIN tokens t ON t.slot = p.slot AND t.position = p.position"
	" ORDER BY p.slot, p.position";

/* Columns of the launch and the operation that wrote; "-" where nothing did. */
static const char *by_cell(const struct view_context *c, sqlite3_stmt *row, int launch, int op,
			   view_cell cell)
{
	if (view_null(row, op))
		return "-";
	return writer_cell(c, view_null(row, launch) ? -1 : view_int(row, launch),
			   view_int(row, op), cell);
}

static enum status print_position(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell byte, step, k, v;
	int64_t before = view_int(row, BEFORE);

	(void)state;
	if (!c->all && view_int(row, FROM_END) == POSITIONS && before > 0)
		view_print(c, "  ... %" PRId64 " position%s before%s\n", before,
			   view_plural(before), view_all_hint(c));
	view_print(c, " %4" PRId64 " %9" PRId64 "  %-6s %-9s %5s  %-9s ", view_int(row, SLOT),
		   view_int(row, POSITION),
		   view_null(row, BYTE) ? "-" : view_byte_cell((int)view_int(row, BYTE), byte),
		   view_null(row, PROMPT) ? "-" : view_int(row, PROMPT) ? "prompt" : "generated",
		   view_int_cell(row, STEP, step), by_cell(c, row, K_LAUNCH, K_OP, k));
	if (view_null(row, K_SOURCE))
		view_print(c, "%s\n", by_cell(c, row, V_LAUNCH, V_OP, v));
	else
		view_print(c, "%-9s op %" PRId64 " at %" PRId64 "\n",
			   by_cell(c, row, V_LAUNCH, V_OP, v), view_int(row, K_SOURCE),
			   view_int(row, K_OFFSET));
	return STATUS_OK;
}

static enum status draw_positions(const struct view_context *c, int64_t op, int64_t layer)
{
	if (layer >= 0)
		view_print(c, "\n layer %" PRId64 ", every position\n", layer);
	view_print(c,
		" slot  position  byte   text       step  K by      V by      K row came from\n");
	return VIEW_ROWS(c, print_position, NULL, positions, c->run, op, layer,
			 c->all ? INT64_MAX : POSITIONS);
}

/* The capacity of a slot of the caches in keys: from the model, else their shape, else the rows
 * written. A model does not know pages, each of which is a slot. */
static enum status find_max_len(const struct view_context *c, bool pages, int64_t *max_len)
{
	TRY(VIEW_NUMBER(c, 1, max_len,
			"SELECT coalesce((SELECT max_len FROM v_model WHERE run = ?1 AND NOT ?2),"
			" (SELECT max(json_extract(shape, '$[2]')) FROM v_buffer"
			"  WHERE run = ?1 AND rank = 4 AND name GLOB '[kv]_cache.*'),"
			" (SELECT max(position) + 1 FROM w_kv_place WHERE run = ?1))", c->run,
			pages));
	if (*max_len >= 1 && *max_len <= (int64_t)INT32_MAX + 1)
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "%s: run %" PRId64 ": the capacity of its KV caches is %"
		    PRId64, store_shown_path(c->store), c->run, *max_len);
}

/* Columns: launch, step, layer. */
static enum status take_writer(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_place *place = state;

	(void)c;
	place->launch = view_null(row, 0) ? -1 : view_int(row, 0);
	place->step = view_null(row, 1) ? -1 : view_int(row, 1);
	place->layer = view_null(row, 2) ? -1 : view_int(row, 2);
	return STATUS_OK;
}

/* The last operation up to `last` that wrote rows; -1: none. Traces before version 5 have transfers
 * only as operations. */
static enum status find_writer(const struct view_context *c, int64_t last, int64_t *writer)
{
	TRY(VIEW_NUMBER(c, -1, writer, "SELECT op FROM v_kv WHERE run = ?1 AND op <= ?2"
			" ORDER BY op DESC LIMIT 1", c->run, last));
	if (*writer >= 0)
		return STATUS_OK;
	return VIEW_NUMBER(c, -1, writer, "SELECT max(op) FROM w_kv_load WHERE run = ?1"
			   " AND op <= ?2", c->run, last);
}

/* The step of the address, if it names a step or an operation: what another one wrote is not
 * written now. */
static enum status find_step(const struct view_context *c, int64_t *step)
{
	if (c->at.step >= 0)
		*step = c->at.step;
	else if (c->at.op >= 0)
		return VIEW_NUMBER(c, -1, step, "SELECT step FROM v_op WHERE run = ?1 AND op = ?2",
				   c->run, c->at.op);
	return STATUS_OK;
}

/* The launch of the address, else the last operation up to its end that wrote rows. If that is a
 * launch of the same step, the cache is shown as of that launch; else as of the address, with
 * launch -1. */
static enum status find_place(const struct view_context *c, struct view_place *place, bool *found)
{
	struct view_context here = *c;
	int64_t last, writer, step;
	enum status status;

	if (c->at.launch >= 0)
		return view_place_find(c, "v_kv", place, found);
	TRY(view_place_last_op(c, &last));
	TRY(find_writer(c, last, &writer));
	*place = (struct view_place){ .launch = -1, .op = last, .step = -1, .layer = -1 };
	*found = writer >= 0;
	if (!*found)
		return STATUS_OK;
	TRY(VIEW_ROWS(c, take_writer, place, "SELECT o.launch, o.step, coalesce("
		      "(SELECT k.layer FROM v_kv k WHERE k.run = o.run AND k.op = o.op LIMIT 1),"
		      " (SELECT b.layer FROM w_kv_cache b WHERE b.run = o.run"
		      "  AND b.buffer = o.buffer)) FROM v_op o WHERE o.run = ?1 AND o.op = ?2",
		      c->run, writer));
	step = place->step;
	TRY(find_step(c, &step));
	if (step != place->step)
		place->launch = -1;
	place->step = step;
	if (place->launch < 0)
		return STATUS_OK;
	here.at.launch = place->launch;
	status = view_place_find(&here, "v_kv", place, found);
	return status == STATUS_USAGE ? fail_context(STATUS_DAMAGED, "the KV cache") : status;
}

static void print_title(const struct view_context *c, int64_t layer)
{
	view_cell cell, of = "";

	if (layer >= 0)
		snprintf(of, sizeof of, ", layer %" PRId64, layer);
	if (c->at.launch >= 0)
		view_title(c, "KV CACHE at %s.end%s", view_launch_cell(c, c->at.launch, cell), of);
	else if (c->at.op >= 0)
		view_title(c, "KV CACHE after op %" PRId64 "%s", c->at.op, of);
	else if (c->at.step >= 0)
		view_title(c, "KV CACHE at s%" PRId64 ".end%s", c->at.step, of);
	else
		view_title(c, "KV CACHE at the end of the run%s", of);
}

static enum status draw_none(const struct view_context *c)
{
	int64_t users;

	view_title(c, "KV CACHE: run %" PRId64 " wrote no rows into a cache", c->run);
	TRY(VIEW_NUMBER(c, 0, &users, "SELECT 1 FROM v_run WHERE run = ?1 AND command = 'launch'",
			c->run));
	if (users)
		view_styled(c, STYLE_NOTE, "  what a kernel of yours keeps in its buffers is not"
			    " known\n");
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	int64_t op, layer, max_len, rows;
	struct view_place place;
	bool found, pages;

	TRY(store_index_kv(c->store));
	TRY(find_place(c, &place, &found));
	op = found ? place.op : INT64_MAX;
	TRY(VIEW_NUMBER(c, 0, &rows, "SELECT 1 " PLACES " LIMIT 1", c->run, op));
	if (!rows)
		return draw_none(c);
	if (!found) {
		print_title(c, -1);
		view_print(c, "\n no row of a cache is written yet\n");
		return STATUS_OK;
	}
	TRY(view_pages_used(c, &pages));
	TRY(find_max_len(c, pages, &max_len));
	/* The layer of the place, as on the other screens, else the last one written. */
	layer = place.layer;
	if (layer < 0)
		TRY(VIEW_NUMBER(c, -1, &layer, "SELECT layer FROM v_kv WHERE run = ?1 AND op <= ?2"
				" ORDER BY op DESC LIMIT 1", c->run, op));
	print_title(c, layer);
	if (pages)
		view_styled(c, STYLE_NOTE, " the caches are pools: a slot is a page, and a position"
			    " is a row of it\n");
	TRY(view_kv_rows(c, &place, layer, max_len));
	TRY(draw_map(c, op, max_len));
	return draw_positions(c, op, layer);
}

const struct view view_kv = {
	.name = "kv", .summary = "positions of the KV cache and who wrote them",
	.draw = draw
};
