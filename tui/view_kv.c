/* view_kv.c - the KV cache: which positions of each layer and slot hold a row, and who wrote it.
 *
 * Shown as it is after the launch or step of the address, else at the end of the run. A position
 * that is filled by text shows its byte. Rows are what the scatters wrote; values are not kept at
 * level launch and are not shown.
 */
#include "tui/view.h"

#include <inttypes.h>

#define MAP_CELLS 32
#define POSITIONS 24                    /* listed at the end of each slot */

/* One line of the map while its positions pass by. */
struct map {
	bool begun;
	int64_t layer, slot, tensor;
	int64_t first, last, count, launch, step;
	int64_t max_len;
	int64_t filled[MAP_CELLS];
	char name[32];
};

static int cell_of(const struct map *m, int64_t position)
{
	return position < m->max_len ? (int)(position * MAP_CELLS / m->max_len) : MAP_CELLS - 1;
}

/* Positions that fall into a cell of the map. */
static int64_t cell_size(const struct map *m, int cell)
{
	return ((cell + 1) * m->max_len + MAP_CELLS - 1) / MAP_CELLS
		- (cell * m->max_len + MAP_CELLS - 1) / MAP_CELLS;
}

static void print_map(const struct view_context *c, const struct map *m)
{
	char bar[MAP_CELLS + 1] = "";
	view_cell layer = "-", launch, range;

	if (!m->begun)
		return;
	if (m->layer >= 0)
		snprintf(layer, sizeof(layer), "%" PRId64, m->layer);
	for (int i = 0; i < MAP_CELLS; i++)
		bar[i] = m->filled[i] == 0 ? '.' : m->filled[i] < cell_size(m, i) ? '+' : '#';
	snprintf(range, sizeof(range), "%" PRId64 "..%" PRId64, m->first, m->last);
	fprintf(c->out, " %5s %4" PRId64 "    %c   %-11s %5" PRId64 "  %-12s %-8s  %s%s\n",
		layer, m->slot, (char)m->tensor, range, m->count, m->name,
		view_launch_cell(c, m->launch, launch), bar,
		m->count == m->last - m->first + 1 ? "" : "  holes");
}

static enum status add_position(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct map *m = state;
	int64_t layer = view_int(row, 0), slot = view_int(row, 1), tensor = view_text(row, 2)[0];
	int64_t position = view_int(row, 3), launch = view_int(row, 4);

	if (!m->begun || m->layer != layer || m->slot != slot || m->tensor != tensor) {
		print_map(c, m);
		*m = (struct map){ .begun = true, .layer = layer, .slot = slot, .tensor = tensor,
				   .first = position, .max_len = m->max_len };
		snprintf(m->name, sizeof(m->name), "%.30s", view_text(row, 5));
	}
	m->last = position;
	m->count++;
	if (launch > m->launch)
		m->launch = launch;
	m->filled[cell_of(m, position)]++;
	return STATUS_OK;
}

static enum status draw_map(const struct view_context *c, int64_t launch, int64_t max_len)
{
	struct map map = { .max_len = max_len };

	fprintf(c->out,
		" layer slot tensor positions    rows  buffer       last by   0..%" PRId64 "\n",
		max_len - 1);
	TRY(VIEW_ROWS(c, add_position, &map,
		      "SELECT coalesce(layer, -1), slot, tensor, position, max(launch),"
		      " (SELECT name FROM v_buffer b WHERE b.run = k.run AND b.buffer = k.buffer)"
		      " FROM v_kv k WHERE run = ?1 AND launch <= ?2"
		      " GROUP BY 1, slot, tensor, position ORDER BY 1, slot, tensor, position",
		      c->run, launch));
	print_map(c, &map);
	return STATUS_OK;
}

/* --- positions of one layer --- */

enum { SLOT, POSITION, FROM_END, BYTE, PROMPT, STEP, K_LAUNCH, V_LAUNCH, K_SOURCE, K_OFFSET };
static const char positions[] =
	"WITH rows AS (SELECT slot, position,"
	"  max(launch) FILTER (WHERE tensor = 'k') AS k,"
	"  max(launch) FILTER (WHERE tensor = 'v') AS v"
	"  FROM v_kv WHERE run = ?1 AND launch <= ?2 AND coalesce(layer, -1) = ?3"
	"  GROUP BY slot, position),"
	" tokens AS (SELECT step, slot, position, byte, prompt FROM v_token WHERE run = ?1)"
	" SELECT r.slot, r.position,"
	"  row_number() OVER (PARTITION BY r.slot ORDER BY r.position DESC), t.byte, t.prompt,"
	"  (SELECT step FROM v_launch l WHERE l.run = ?1 AND l.launch = r.k), r.k, r.v,"
	"  (SELECT min(source_op) FROM v_kv s WHERE s.run = ?1 AND s.launch = r.k"
	"   AND s.slot = r.slot AND s.position = r.position),"
	"  (SELECT min(source_offset) FROM v_kv s WHERE s.run = ?1 AND s.launch = r.k"
	"   AND s.slot = r.slot AND s.position = r.position) FROM rows r"
	"  LEFT JOIN tokens t ON t.slot = r.slot AND t.position = r.position"
	/* A slot may have held another sequence before: the byte chosen last was fed in. */
	"   AND t.step = (SELECT max(u.step) FROM tokens u WHERE u.slot = r.slot"
	"    AND u.position = r.position AND u.step <= (SELECT step FROM v_launch l"
	"     WHERE l.run = ?1 AND l.launch = r.k))"
	" ORDER BY r.slot, r.position";

static const char *launch_cell(const struct view_context *c, sqlite3_stmt *row, int column,
			       view_cell cell)
{
	return view_null(row, column) ? "-" : view_launch_cell(c, view_int(row, column), cell);
}

static enum status print_position(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell byte, step, k, v;
	int64_t *hidden = state;

	if (!view_fits(c, view_int(row, FROM_END) - 1, POSITIONS)) {
		++*hidden;
		return STATUS_OK;
	}
	if (*hidden > 0)
		fprintf(c->out, "  ... %" PRId64 " positions before: --all shows them\n", *hidden);
	*hidden = 0;
	fprintf(c->out, " %4" PRId64 " %9" PRId64 "  %-6s %-9s %5s  %-9s %-9s", view_int(row, SLOT),
		view_int(row, POSITION),
		view_null(row, BYTE) ? "-" : view_byte_cell((int)view_int(row, BYTE), byte),
		view_null(row, PROMPT) ? "-" : view_int(row, PROMPT) ? "prompt" : "generated",
		view_int_cell(row, STEP, step), launch_cell(c, row, K_LAUNCH, k),
		launch_cell(c, row, V_LAUNCH, v));
	if (!view_null(row, K_SOURCE))
		fprintf(c->out, " op %" PRId64 " at %" PRId64, view_int(row, K_SOURCE),
			view_int(row, K_OFFSET));
	fputc('\n', c->out);
	return STATUS_OK;
}

static enum status draw_positions(const struct view_context *c, int64_t launch, int64_t layer)
{
	int64_t hidden = 0;

	if (layer >= 0)
		fprintf(c->out, "\n layer %" PRId64 ", every position\n", layer);
	fprintf(c->out,
		" slot  position  byte   text       step  K by      V by      K row came from\n");
	return VIEW_ROWS(c, print_position, &hidden, positions, c->run, launch, layer);
}

/* The last launch that counts: that of the address, else of its step, else of the run. */
static enum status find_end(const struct view_context *c, struct view_place *place, int64_t *launch)
{
	bool found;

	TRY(view_place_find(c, "v_kv", place, &found));
	*launch = found ? place->launch : -1;
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	int64_t launch, layer, max_len;
	struct view_place place;
	view_cell cell;

	TRY(find_end(c, &place, &launch));
	if (launch < 0) {
		view_title(c, "KV CACHE: run %" PRId64 " wrote no rows into a cache", c->run);
		return STATUS_OK;
	}
	TRY(VIEW_NUMBER(c, -1, &max_len, "SELECT max_len FROM v_model WHERE run = ?1", c->run));
	if (max_len <= 0)
		TRY(VIEW_NUMBER(c, 1, &max_len, "SELECT max(position) + 1 FROM v_kv WHERE run = ?1",
				c->run));
	TRY(VIEW_NUMBER(c, -1, &layer, "SELECT min(coalesce(layer, -1)) FROM v_kv WHERE run = ?1",
			c->run));
	view_title(c, "KV CACHE at %s.end ('#' filled, '+' partly, '.' nothing)",
		   view_launch_cell(c, launch, cell));
	TRY(draw_map(c, launch, max_len));
	return draw_positions(c, launch,
			      c->at.launch >= 0 && place.layer >= 0 ? place.layer : layer);
}

const struct view view_kv = { "kv", "positions of the KV cache and who wrote them", draw };
