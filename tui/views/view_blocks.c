/* view_blocks.c - a launch in a few lines, and a map of its blocks; see view_blocks.h.
 *
 * A block differs when its partial, or its row of an output that blocks share evenly, has other
 * bytes in the second run. Used by view_time.c.
 */
#include "tui/views/view_blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/verified.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_shape.h"

#define INDENT "          "
#define COLUMNS 79
#define BLOCKS 256                      /* drawn; --all: BLOCKS_ALL */
#define BLOCKS_ALL 65536
#define PER_LINE 32
#define PER_GROUP 8

/* --- arguments, bytes read and written --- */

/* Prints one item of a list that wraps over lines. */
static void print_item(const struct view_context *c, int *column, const char *title,
		       const char *text)
{
	if (*column && *column + (int)strlen(text) + 1 > COLUMNS) {
		view_print(c, "\n");
		*column = view_print(c, INDENT "%-7s", "");
	}
	if (!*column)
		*column = view_print(c, INDENT "%-7s", title);
	*column += view_print(c, " %s", text);
}

static void end_items(const struct view_context *c, int *column)
{
	if (*column)
		view_print(c, "\n");
	*column = 0;
}

enum { NAME, KIND, BITS, VALUE, BUFFER };

static enum status print_argument(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	char text[160];
	view_cell cell;
	const char *kind = view_text(row, KIND), *value;

	if (kind[0] == 'p')
		value = view_null(row, BUFFER) ? "null" : view_text(row, BUFFER);
	else if (strcmp(kind, "f32") == 0)
		value = view_f32_cell(row, BITS, cell);
	else
		value = kind[0] == 'b' ? "blob" : view_real_cell(row, VALUE, "%.15g", cell);
	snprintf(text, sizeof text, "%.60s=%.60s", view_text(row, NAME), value);
	print_item(c, state, "args", text);
	return STATUS_OK;
}

static enum status print_written(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	char text[160];

	snprintf(text, sizeof text, "%.60s %" PRId64 " B", view_text(row, 0), view_int(row, 1));
	print_item(c, state, "wrote", text);
	return STATUS_OK;
}

static enum status print_counters(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell reuse;

	(void)state;
	view_print(c, INDENT "read    %" PRId64 " B of global memory (reuse %s), stored %" PRId64
		   " B\n", view_int(row, 0), view_real_cell(row, 1, "%.2f", reuse),
		   view_int(row, 2));
	view_print(c, INDENT "        %" PRId64 " bank conflict%s, %" PRId64 " barrier%s, %" PRId64
		   " divergent branch%s\n", view_int(row, 3), view_plural(view_int(row, 3)),
		   view_int(row, 4), view_plural(view_int(row, 4)), view_int(row, 5),
		   view_int(row, 5) == 1 ? "" : "es");
	return STATUS_OK;
}

static enum status print_finding(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	char text[160];

	snprintf(text, sizeof text, "%.60s x%" PRId64 " (line %" PRId64 ")", view_text(row, 0),
		 view_int(row, 1), view_int(row, 2));
	print_item(c, state, "finds", text);
	return STATUS_OK;
}

static enum status draw_facts(const struct view_context *c, const struct view_place *p)
{
	int column = 0;

	TRY(VIEW_ROWS(c, print_argument, &column,
		      "SELECT a.name, a.kind, a.bits, a.value, b.name FROM v_arg a"
		      " LEFT JOIN v_buffer b ON b.run = a.run AND b.buffer = a.buffer"
		      " WHERE a.run = ?1 AND a.op = ?2 ORDER BY a.position", c->run, p->op));
	end_items(c, &column);
	TRY(VIEW_ROWS(c, print_counters, NULL,
		      "SELECT load_bytes, reuse, store_bytes, shared_load_conflicts"
		      " + shared_store_conflicts, barriers, divergent_branches FROM v_counter"
		      " WHERE run = ?1 AND launch = ?2", c->run, p->launch));
	/* A digest of scattered rows spans them all; v_kv has each row. */
	TRY(VIEW_ROWS(c, print_written, &column,
		      "SELECT b.name, coalesce((SELECT sum(k.bytes) FROM v_kv k WHERE k.run = d.run"
		      "  AND k.op = d.op AND k.buffer = d.buffer), d.bytes)"
		      " FROM v_digest d LEFT JOIN v_buffer b ON b.run = d.run"
		      " AND b.buffer = d.buffer WHERE d.run = ?1 AND d.op = ?2"
		      " AND d.after_step = 0 ORDER BY d.entry LIMIT 8", c->run, p->op));
	end_items(c, &column);
	TRY(VIEW_ROWS(c, print_finding, &column,
		      "SELECT class, count(*), min(line) FROM v_finding WHERE run = ?1"
		      " AND launch = ?2 GROUP BY class ORDER BY class", c->run, p->launch));
	end_items(c, &column);
	return STATUS_OK;
}

/* --- blocks --- */

struct blocks {
	const struct view_place *place;
	const struct view_shape *shape;
	char *marks;                    /* [count] */
	int64_t count;
	bool compared, empties, findings;
};

static void mark(struct blocks *b, int64_t block, char with)
{
	char *at;

	if (block < 0 || block >= b->count)
		return;
	at = &b->marks[block];
	*at = with == 'e' ? 'e' : (*at == '!' && with == 'd') ? '*' : with;
}

static enum status mark_empty(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct blocks *b = state;

	(void)c;
	/* A block with a run has no other splits, or a sequence without keys among them. */
	if (view_shape_runs(b->shape))
		return STATUS_OK;
	b->empties = true;
	mark(b, view_shape_block(b->shape, view_int(row, 0), view_int(row, 1), view_int(row, 2)),
	     'e');
	return STATUS_OK;
}

static enum status mark_finding(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct blocks *b = state;

	(void)c;
	b->findings = true;
	mark(b, view_int(row, 0) / view_place_threads(b->place), '!');
	return STATUS_OK;
}

/* Bytes that a launch wrote, where the trace kept them. */
struct written {
	int64_t data;
	unsigned char *bytes;
	size_t size;
};

static enum status take_written(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct written *w = state;

	(void)c;
	w->data = view_int(row, 0);
	return STATUS_OK;
}

/* Reads all the bytes that the launch wrote, if they are one range. */
static enum status read_written(const struct view_context *c, int64_t launch, struct written *w)
{
	TRY(VIEW_ROWS(c, take_written, w,
		      "SELECT max(d.data) FROM v_launch l JOIN v_digest d ON d.run = l.run"
		      " AND d.op = l.op AND d.after_step = 0 WHERE l.run = ?1 AND l.launch = ?2"
		      " HAVING count(*) = 1", c->run, launch));
	return w->data ? store_data(c->store, w->data, (void **)&w->bytes, &w->size) : STATUS_OK;
}

/* The index of a block's piece of the output. With grid (H, M) each block writes one row; with
 * (H, M, chunks) the pieces are in the order [M, H, chunks]. */
static size_t piece_of(const struct view_place *p, int64_t block)
{
	int64_t rows = p->grid[0] * p->grid[1];

	return (size_t)(block % rows) * (size_t)p->grid[2] + (size_t)(block / rows);
}

static void compare_pieces(struct blocks *b, const struct written *a, const struct written *other)
{
	size_t blocks = (size_t)view_place_blocks(b->place), piece;

	b->compared = a->bytes && other->bytes && a->size == other->size && blocks > 0
		&& a->size % blocks == 0 && !view_shape_packed(b->shape);
	if (!b->compared)
		return;
	piece = a->size / blocks;
	for (int64_t i = 0; i < b->count; i++) {
		size_t at = piece_of(b->place, i) * piece;

		if (b->marks[i] != 'e' && memcmp(a->bytes + at, other->bytes + at, piece) != 0)
			mark(b, i, 'd');
	}
}

/* A partial of one run: bits, and where its accumulators are in those of the launch. */
struct partial {
	int64_t block, max, sum, offset, bytes;
};

struct partials {
	const struct view_shape *shape;
	struct partial *items;
	int64_t count, capacity;
	struct written acc;
};

static enum status take_partial(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct partials *p = state;

	(void)c;
	if (p->count == p->capacity) {
		p->capacity = p->capacity ? 2 * p->capacity : 64;
		p->items = xreallocarray(p->items, (size_t)p->capacity, sizeof *p->items);
	}
	p->items[p->count++] = (struct partial){
		view_shape_block(p->shape, view_int(row, 0), view_int(row, 1), view_int(row, 2)),
		view_int(row, 3), view_int(row, 4), view_int(row, 6), view_int(row, 7)
	};
	if (!p->acc.data)
		p->acc.data = view_int(row, 5);
	return STATUS_OK;
}

static enum status read_partials(const struct view_context *c, struct partials *p)
{
	TRY(VIEW_ROWS(c, take_partial, p,
		      "SELECT slot, head, chunk, max_bits, sum_bits, acc_data, acc_offset,"
		      " acc_bytes FROM v_partial WHERE run = ?1 AND launch = ?2 AND NOT empty"
		      " ORDER BY slot, head, chunk", c->run, p->shape->place.launch));
	if (!p->acc.data)
		return STATUS_OK;
	return store_data(c->store, p->acc.data, (void **)&p->acc.bytes, &p->acc.size);
}

static bool same_acc(const struct written *a, const struct partial *pa, const struct written *b,
		     const struct partial *pb)
{
	size_t bytes = (size_t)pa->bytes, at = (size_t)pa->offset, there = (size_t)pb->offset;

	if (!a->bytes || !b->bytes)
		return true;
	return pa->bytes == pb->bytes && at <= a->size && a->size - at >= bytes
		&& there <= b->size && b->size - there >= bytes
		&& memcmp(a->bytes + at, b->bytes + there, bytes) == 0;
}

static enum status compare_partials(const struct view_context *c,
				    const struct view_context *second, struct blocks *b)
{
	struct partials mine = { .shape = b->shape }, other = { .shape = b->shape };
	enum status status = read_partials(c, &mine);

	if (status == STATUS_OK)
		status = read_partials(second, &other);
	b->compared |= status == STATUS_OK && mine.count > 0 && other.count > 0;
	for (int64_t i = 0; status == STATUS_OK && i < mine.count && i < other.count; i++) {
		const struct partial *p = &mine.items[i], *q = &other.items[i];

		if (p->block != q->block || p->max != q->max || p->sum != q->sum
		    || !same_acc(&mine.acc, p, &other.acc, q))
			mark(b, p->block, 'd');
	}
	free(mine.items);
	free(mine.acc.bytes);
	free(other.items);
	free(other.acc.bytes);
	return status;
}

static enum status compare_blocks(const struct view_context *c, struct blocks *b)
{
	struct written a = { 0 }, other = { 0 };
	struct view_context second;
	enum status status;
	bool found;

	TRY(view_second(c, &second, &found));
	if (!found)
		return STATUS_OK;
	status = read_written(c, b->place->launch, &a);
	if (status == STATUS_OK)
		status = read_written(&second, b->place->launch, &other);
	if (status == STATUS_OK)
		compare_pieces(b, &a, &other);
	free(a.bytes);
	free(other.bytes);
	return status == STATUS_OK ? compare_partials(c, &second, b) : status;
}

static void draw_map(const struct view_context *c, const struct blocks *b)
{
	for (int64_t i = 0; i < b->count; i++) {
		if (i % PER_LINE == 0)
			view_print(c, INDENT "%-7s %5" PRId64, i ? "" : "blocks", i);
		if (i % PER_GROUP == 0)
			view_print(c, " ");
		view_styled(c, strchr("!*", b->marks[i]) ? STYLE_WRONG
			    : b->marks[i] == 'd' ? STYLE_DIFFERS : STYLE_CHART, "%c", b->marks[i]);
		if (i % PER_LINE == PER_LINE - 1 || i == b->count - 1)
			view_print(c, "\n");
	}
	if (b->count < view_place_blocks(b->place))
		view_print(c, INDENT "        ... %" PRId64 " more%s\n",
			   view_place_blocks(b->place) - b->count, view_all_hint(c));
	view_legend(c, INDENT "        `. nothing against it%s%s%s%s\n",
		    b->findings ? "  `! finding" : "", b->empties ? "  `e empty split" : "",
		    b->compared ? "  `d differs in the other run" : "",
		    b->compared && b->findings ? "  `* both" : "");
}

static enum status read_blocks(const struct view_context *c, struct blocks *b)
{
	TRY(VIEW_ROWS(c, mark_empty, b, "SELECT slot, head, chunk FROM v_partial WHERE run = ?1"
		      " AND launch = ?2 AND empty", c->run, b->place->launch));
	TRY(VIEW_ROWS(c, mark_finding, b, "SELECT thread FROM v_finding WHERE run = ?1"
		      " AND launch = ?2 AND thread IS NOT NULL", c->run, b->place->launch));
	return compare_blocks(c, b);
}

enum status view_blocks_draw(const struct view_context *c, const struct view_place *p)
{
	int64_t max = c->all ? BLOCKS_ALL : BLOCKS, blocks = view_place_blocks(p);
	struct view_shape shape;
	struct blocks b = { .place = p, .shape = &shape, .count = blocks < max ? blocks : max };
	enum status status;

	TRY(draw_facts(c, p));
	if (b.count < 1 || view_place_threads(p) < 1)
		return STATUS_OK;
	b.marks = xcalloc((size_t)b.count, 1);
	memset(b.marks, '.', (size_t)b.count);
	status = view_shape_read(c, p, &shape);
	if (status == STATUS_OK)
		status = read_blocks(c, &b);
	view_shape_free(&shape);
	if (status == STATUS_OK)
		draw_map(c, &b);
	free(b.marks);
	return status;
}

/* --- equality of a launch in two runs --- */

/* Digests in their order, as text. */
static enum status take_digests(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	char **text = state;

	(void)c;
	*text = view_null(row, 0) ? NULL : xstrdup(view_text(row, 0));
	return STATUS_OK;
}

static enum status read_digests(const struct view_context *c, int64_t launch, char **text)
{
	*text = NULL;
	return VIEW_ROWS(c, take_digests, text,
			 "SELECT group_concat(digest, ' ') FROM (SELECT d.digest FROM v_launch l"
			 " JOIN v_digest d ON d.run = l.run AND d.op = l.op AND d.after_step = 0"
			 " WHERE l.run = ?1 AND l.launch = ?2 ORDER BY d.entry)", c->run, launch);
}

enum status view_blocks_equal(const struct view_context *c, const struct view_context *second,
			      int64_t launch, bool *known, bool *equal)
{
	char *mine, *other = NULL;
	enum verified how;
	enum status status;

	TRY(verified_digests(c->store, c->run, &how));
	TRY(verified_digests(second->store, second->run, &how));
	status = read_digests(c, launch, &mine);
	if (status == STATUS_OK && mine)
		status = read_digests(second, launch, &other);
	*known = mine && other;
	*equal = *known && strcmp(mine, other) == 0;
	free(mine);
	free(other);
	return status;
}

/* The bytes that the host computed in an operation; NULL: not recorded. */
static enum status read_computed(const struct view_context *c, int64_t op, void **bytes,
				 size_t *count)
{
	int64_t data;

	*bytes = NULL;
	*count = 0;
	TRY(VIEW_NUMBER(c, 0, &data, "SELECT data FROM v_op WHERE run = ?1 AND op = ?2"
			" AND kind = 'host_softmax'", c->run, op));
	return data ? store_data(c->store, data, bytes, count) : STATUS_OK;
}

enum status view_computed_equal(const struct view_context *c, const struct view_context *second,
				int64_t op, bool *known, bool *equal)
{
	size_t mine_count, other_count = 0;
	void *mine, *other = NULL;
	enum status status = read_computed(c, op, &mine, &mine_count);

	if (status == STATUS_OK)
		status = read_computed(second, op, &other, &other_count);
	*known = mine && other;
	*equal = *known && mine_count == other_count && memcmp(mine, other, mine_count) == 0;
	free(mine);
	free(other);
	return status;
}
