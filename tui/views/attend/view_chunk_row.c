/* view_chunk_row.c - the chunks of one row of heads: max, sum, share and a bar for each.
 *
 * Lists all chunks of the row; of many, those around the address and those with the largest shares,
 * with a line for each gap. Then view_chunk.c draws the chunk of the address. Used by
 * view_chunks.c.
 */
#include "tui/views/attend/view_chunk.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_columns.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define MAX_CHUNKS 65536                /* more than a grid can have */
#define STRIPS 32                       /* chunks whose keys are drawn, with --all too */

enum {
	SLOT, HEAD, KV_HEAD, CHUNK, KEY_BEGIN, KEY_END, EMPTY, MAX, SUM, LSE, SHARE, ACC,
	ACC_OFFSET
};

/* The chunks of a row that hold keys, and the chunk of the address. */
struct row {
	const struct view_shape *shape;
	int64_t chunk;                  /* of the address */
	struct view_chunk *chunks;      /* [count] */
	double *share;                  /* [count] */
	bool *shown;                    /* [count] */
	int64_t count, capacity, selected;
	double shares;                  /* the sum of all of them */
	int64_t empty, empty_first, empty_last, empty_wrong;
	int64_t more;                   /* chunks that were not kept */
	double more_share;
};

/* --- the table --- */

enum { COLUMNS = 7 };

static void make_columns(const struct view_context *c, const struct view_chunk_table *t,
			 struct view_column columns[COLUMNS])
{
	bool bits = c->looks.number == NUMBER_BITS;
	const struct view_column made[COLUMNS] = {
		{ "address", "", -t->address }, { "chunk", "", 5 },
		{ "keys", "", bits ? 0 : -t->keys },
		{ "max", "", view_number_width(c, 8) }, { "sum", "", view_number_width(c, 8) },
		{ "lse", "", bits ? 0 : 9 }, { "share", "", VIEW_SHARE_WIDTH },
	};

	memcpy(columns, made, sizeof made);
}

static void draw_bar(const struct view_context *c, const struct view_column columns[COLUMNS],
		     double share)
{
	int width = view_bar_width(c, view_columns_width(columns, COLUMNS));

	if (width)
		view_share_bar(c, share, width);
	view_print(c, "\n");
}


static void keys_cell(const struct view_chunk *k, view_cell cell)
{
	if (k->empty)
		snprintf(cell, VIEW_CELL, "none");
	else
		snprintf(cell, VIEW_CELL, "%" PRId64 "..%" PRId64, k->key_begin, k->key_end - 1);
}

static const char *address_cell(const struct view_context *c, const struct view_chunk *k,
				view_cell cell)
{
	view_cell launch;

	snprintf(cell, VIEW_CELL, "%.40s.b%" PRId64,
		 view_launch_cell(c, k->shape->place.launch, launch), k->block);
	return cell;
}

void view_chunk_measure(const struct view_context *c, struct view_chunk_table *t,
			const struct view_chunk *k)
{
	view_cell cell;
	int width;

	width = (int)strlen(address_cell(c, k, cell));
	t->address = width > t->address ? width : t->address;
	keys_cell(k, cell);
	width = (int)strlen(cell);
	t->keys = width > t->keys ? width : t->keys;
	if (fabs((double)k->max) > t->max && !isinf(k->max))
		t->max = fabs((double)k->max);
	if (k->sum > t->sum && !isinf(k->sum))
		t->sum = k->sum;
}

void view_chunk_heading(const struct view_context *c, const struct view_chunk_table *t)
{
	struct view_column columns[COLUMNS];

	make_columns(c, t, columns);
	view_columns(c, columns, COLUMNS, true);
	view_styled(c, STYLE_HEADING, view_bar_width(c, view_columns_width(columns, COLUMNS))
		    ? "  " VIEW_SHARE_OF "\n" : "\n");
}

void view_chunk_print(const struct view_context *c, const struct view_chunk_table *t,
		      const struct view_chunk *k)
{
	view_cell address, chunk, keys, max, sum, lse = "-", share;
	struct view_column columns[COLUMNS];

	view_shape_anchor(c, k->shape, k->slot, k->head, k->chunk);
	make_columns(c, t, columns);
	columns[0].text = address_cell(c, k, address);
	snprintf(chunk, sizeof chunk, "%" PRId64, k->chunk);
	columns[1].text = chunk;
	keys_cell(k, keys);
	columns[2].text = keys;
	columns[3].text = view_number_cell(c, k->max, view_decimals(t->max, 4), max);
	columns[4].text = view_number_cell(c, k->sum, view_decimals(t->sum, 4), sum);
	columns[5].text = k->empty ? lse : view_fixed_cell(k->lse, 4, lse);
	columns[6].text = view_share_cell(k->share, share);
	view_columns(c, columns, COLUMNS, false);
	draw_bar(c, columns, k->share);
}

/* A line for `count` chunks that are left out, the first of them k. */
static void print_gap(const struct view_context *c, const struct view_chunk_table *t,
		      const struct view_chunk *k, int64_t count, double sum)
{
	struct view_column columns[COLUMNS];
	view_cell share, text;
	int before;

	make_columns(c, t, columns);
	before = view_columns_width(columns, COLUMNS) - VIEW_SHARE_WIDTH - 1;
	view_shape_anchor(c, k->shape, k->slot, k->head, k->chunk);
	snprintf(text, sizeof text, "... %" PRId64 " chunk%s", count, view_plural(count));
	view_print(c, "  %-*s %*s", before - 2, text, VIEW_SHARE_WIDTH,
		   view_share_cell(sum, share));
	draw_bar(c, columns, sum);
}

/* --- reading --- */

static struct view_chunk *add_chunk(struct row *r)
{
	if (r->count == r->capacity) {
		r->capacity = r->capacity ? 2 * r->capacity : 16;
		r->chunks = xreallocarray(r->chunks, (size_t)r->capacity, sizeof *r->chunks);
		r->share = xreallocarray(r->share, (size_t)r->capacity, sizeof *r->share);
	}
	return &r->chunks[r->count++];
}

static void count_empty(struct row *r, sqlite3_stmt *row)
{
	if (!r->empty++)
		r->empty_first = view_int(row, CHUNK);
	r->empty_last = view_int(row, CHUNK);
	r->empty_wrong += view_shape_empty_wrong(r->shape, view_f32(row, MAX),
						 view_f32(row, SUM));
}

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct row *r = state;
	double share = view_null(row, SHARE) ? NAN : sqlite3_column_double(row, SHARE);
	bool chosen = view_int(row, CHUNK) == r->chunk;
	struct view_chunk *k;

	(void)c;
	r->shares += share;
	if (view_int(row, EMPTY) && !chosen) {
		count_empty(r, row);
		return STATUS_OK;
	}
	if (r->count >= MAX_CHUNKS && !chosen) {
		r->more++;
		r->more_share += share;
		return STATUS_OK;
	}
	k = add_chunk(r);
	*k = (struct view_chunk){
		.shape = r->shape, .slot = view_int(row, SLOT), .head = view_int(row, HEAD),
		.chunk = view_int(row, CHUNK), .key_begin = view_int(row, KEY_BEGIN),
		.key_end = view_int(row, KEY_END), .max = view_f32(row, MAX),
		.sum = view_f32(row, SUM), .lse = sqlite3_column_double(row, LSE),
		.share = share, .empty = view_int(row, EMPTY),
		.acc_data = view_int(row, ACC), .acc_offset = view_int(row, ACC_OFFSET),
	};
	k->block = view_shape_block(r->shape, k->slot, k->head, k->chunk);
	r->share[r->count - 1] = share;
	if (chosen)
		r->selected = r->count - 1;
	return STATUS_OK;
}

/* --- drawing --- */

static enum status print_title(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell scale;

	(void)state;
	if (view_null(row, 3))
		return STATUS_OK;
	view_print(c, " slot %" PRId64 " head %" PRId64 " (kv head %" PRId64 "): %s%" PRId64
		   " key%s in %" PRId64 " chunk%s", view_int(row, 0), view_int(row, 1),
		   view_int(row, 2), view_narrow(c) ? "" : "scores q.k of ", view_int(row, 3),
		   view_plural(view_int(row, 3)), view_int(row, 4), view_plural(view_int(row, 4)));
	if (!view_narrow(c))
		view_print(c, ", scale %s", view_f32_cell(row, 5, scale));
	view_print(c, "\n");
	return STATUS_OK;
}

/* The other query heads that the block attends for. */
static void print_group(const struct view_context *c, const struct view_shape *s, int64_t head)
{
	int64_t first = head - head % s->group;

	if (s->group < 2)
		return;
	view_styled(c, STYLE_NOTE, " its blocks attend for heads %" PRId64 " to %" PRId64 "%s\n",
		    first, first + s->group - 1, c->output == OUTPUT_VIEWER ? ": l h" : "");
}

static void print_empty(const struct view_context *c, const struct row *r)
{
	view_cell chunks;

	if (!r->empty)
		return;
	snprintf(chunks, sizeof chunks, r->empty > 1 ? "s %" PRId64 "..%" PRId64 : " %" PRId64,
		 r->empty_first, r->empty_last);
	view_styled(c, r->empty_wrong ? STYLE_WRONG : STYLE_PLAIN, "  no keys in chunk%s: %s\n",
		    chunks, view_shape_empty_text(r->shape, r->empty_wrong));
}

/* Prints the rows that are shown, and the gaps between them. */
static void print_rows(const struct view_context *c, const struct row *r)
{
	struct view_chunk_table table = { 0 };

	for (int64_t i = 0; i < r->count; i++)
		if (r->shown[i])
			view_chunk_measure(c, &table, &r->chunks[i]);
	view_chunk_heading(c, &table);
	for (int64_t i = 0; i < r->count; i++) {
		int64_t first = i;
		double share = 0.0;

		for (; i < r->count && !r->shown[i]; i++)
			share += r->share[i];
		if (i > first)
			print_gap(c, &table, &r->chunks[first], i - first, share);
		if (i < r->count)
			view_chunk_print(c, &table, &r->chunks[i]);
	}
	if (r->more)
		print_gap(c, &table, &r->chunks[r->selected], r->more, r->more_share);
	print_empty(c, r);
}

/* Draws the chunk of the address, and strips of the keys of those that are listed. */
static enum status draw_chosen(const struct view_context *c, struct row *r)
{
	struct view_chunk *chunks = xcalloc(STRIPS, sizeof *chunks);
	enum status status;
	int count = 0, chosen = 0;

	view_choose(r->share, r->count, r->selected, false, r->shown);
	for (int64_t i = 0; i < r->count && count < STRIPS; i++) {
		if (!r->shown[i])
			continue;
		if (i == r->selected)
			chosen = count;
		chunks[count] = r->chunks[i];
		chunks[count++].row_shares = r->shares;
	}
	status = view_chunk_draw(c, chunks, count, chosen);
	free(chunks);
	return status;
}

static enum status draw_row(const struct view_context *c, struct row *r)
{
	if (r->selected < 0) {
		view_print(c, "  nothing recorded of block b%" PRId64 "\n", c->at.block);
		return STATUS_OK;
	}
	r->shown = xcalloc((size_t)r->count, sizeof *r->shown);
	view_choose(r->share, r->count, r->selected, c->all, r->shown);
	print_rows(c, r);
	return draw_chosen(c, r);
}

enum status view_chunk_row_draw(const struct view_context *c, const struct view_shape *shape)
{
	struct view_spot at = view_shape_spot(c, shape);
	struct row r = { .shape = shape, .selected = -1, .chunk = at.chunk };
	int64_t launch = shape->place.launch;
	enum status status;

	if (at.chunk < 0) {
		view_print(c, shape->form == SHAPE_CLUSTER
			   ? "  block b%" PRId64 " of the cluster has no chunk\n"
			   : "  the plan gives block b%" PRId64 " no chunk\n", c->at.block);
		return STATUS_OK;
	}
	TRY(VIEW_ROWS(c, print_title, NULL,
		      "SELECT slot, head, kv_head, max(key_end), max(chunk) + 1,"
		      " (SELECT bits FROM v_arg a WHERE a.run = ?1 AND a.op = ?5"
		      "  AND a.name = 'scale') FROM v_partial WHERE run = ?1 AND launch = ?2"
		      " AND slot = ?3 AND head = ?4 AND NOT empty", c->run, launch, at.slot,
		      at.head, shape->place.op));
	print_group(c, shape, at.head);
	status = VIEW_ROWS(c, take_chunk, &r, "SELECT slot, head, kv_head, chunk, key_begin,"
			   " key_end, empty, max_bits, sum_bits, lse, share, acc_data, acc_offset"
			   " FROM v_partial WHERE run = ?1 AND launch = ?2 AND slot = ?3"
			   " AND head = ?4 ORDER BY chunk", c->run, launch, at.slot, at.head);
	if (status == STATUS_OK)
		status = draw_row(c, &r);
	free(r.chunks);
	free(r.share);
	free(r.shown);
	return status;
}
