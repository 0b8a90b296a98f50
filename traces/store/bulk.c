/* bulk.c - collects rows by table, sorts them by their keys, and builds a database of them; see
 * bulk.h.
 *
 * Nearly all rows come in the order of their keys. Used by store_sql.c and store_image.c.
 */
#include "traces/store/bulk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/btree.h"
#include "traces/store/bulk_schema.h"
#include "traces/store/bulk_sum.h"
#include "traces/store/record.h"
#include "traces/store/store_sums.h"

#define MAX_KEY 8               /* columns, at least those of every key */

/* Rows that are not a table's which is written row by row. t_op_launch is in two parts, each of
 * them usually in order: its rows without a launch come first. */
enum {
	ROWS_BYTE = TABLE_COUNT, ROWS_OP_OTHER, ROWS_OP_LAUNCH, ROWS_BUFFER_ID, ROWS_SCHEMA,
	ROWS_COUNT,
};

struct rows {
	struct heap heap;               /* of each row the size of its cell, a uint32_t, and that */
	size_t count;
	bool unordered;
	int64_t last[MAX_KEY];          /* the key of the last row */
};

struct bulk {
	struct bulk_schema schema;
	const struct object *objects[TABLE_COUNT];
	struct rows rows[ROWS_COUNT];
	uint64_t bytes;                 /* of all rows */
};

/* --- rows --- */

/* Whether the row comes after the last one; takes its key. NULL comes first. */
static bool ascends(struct rows *r, const struct value *values, size_t key)
{
	bool after = r->count == 0;

	for (size_t i = 0; i < key; i++) {
		bool is_null = values[i].type == VALUE_NULL;
		int64_t part = is_null ? INT64_MIN : values[i].integer;

		if (!is_null && values[i].type != VALUE_INT)
			return after;
		if (!after && part < r->last[i])
			return false;
		after = after || part > r->last[i];
		r->last[i] = part;
	}
	return after;
}

/* rowid: of a row in a tree of rowids, whose first value it replaces, else 0. */
static void add_row(struct bulk *b, struct rows *r, size_t key, bool rowids, int64_t rowid,
		    const struct value *values, size_t count)
{
	struct record_plan plan;
	size_t record_bytes;
	unsigned char *at;
	uint32_t size;

	record_plan(&plan, values, count);
	record_bytes = plan.header + plan.body;
	size = (uint32_t)(varint_bytes(record_bytes) + record_bytes
			  + (rowids ? varint_bytes((uint64_t)rowid) : 0));
	at = heap_reserve(&r->heap, sizeof size + size + RECORD_ROOM);
	r->heap.used += sizeof size + size;
	memcpy(at, &size, sizeof size);
	at += sizeof size;
	at += varint_put(at, record_bytes);
	if (rowids)
		at += varint_put(at, (uint64_t)rowid);
	record_put(at, &plan, values, count);
	r->unordered = r->unordered
		|| !(rowids ? ascends(r, &V_INT(rowid), 1) : ascends(r, values, key));
	r->count++;
	b->bytes += size;
}

/* The rows of the indexes, which end with what of the table's key is missing. */
static void add_index_row(struct bulk *b, enum table table, const struct value *v)
{
	if (table == TABLE_OP)
		add_row(b, &b->rows[v[17].type == VALUE_NULL ? ROWS_OP_OTHER : ROWS_OP_LAUNCH], 4,
			false, 0, (const struct value[]){ v[0], v[17], v[18], v[1] }, 4);
	else if (table == TABLE_BUFFER)
		add_row(b, &b->rows[ROWS_BUFFER_ID], 3, false, 0,
			(const struct value[]){ v[0], v[2], v[1] }, 3);
}

enum status bulk_put(struct store *store, enum table table, const struct value *values,
		     size_t count)
{
	struct bulk *b = store->bulk;
	const struct object *o = b->objects[table];
	struct value row[RECORD_COLUMNS];
	int64_t rowid = 0;

	if (!o->rowids) {
		add_row(b, &b->rows[table], o->key, false, 0, values, count);
		add_index_row(b, table, values);
	} else {
		rowid = values[0].type == VALUE_NULL ? ++store->ids[table] : values[0].integer;
		memcpy(row, values, count * sizeof *row);
		row[0] = V_NULL;
		add_row(b, &b->rows[table], o->key, true, rowid, row, count);
	}
	if (store->max_bytes && b->bytes > (uint64_t)store->max_bytes)
		return fail(STATUS_IO, "larger than %lld MiB", (long long)store->max_bytes >> 20);
	return STATUS_OK;
}

/* The rows that schema.sql inserts into t_byte. */
static void add_bytes(struct bulk *b)
{
	for (int n = 0; n < 256; n++) {
		double scale = n == 255 ? INFINITY : ldexp(1, (n ? n : 1) - 150);

		add_row(b, &b->rows[ROWS_BYTE], 1, true, n, (const struct value[]){
			V_NULL, V_INT(n ? 8388608 : 0), V_REAL(scale) }, 3);
	}
}

static struct bulk *bulk_new(void)
{
	struct bulk *b = xcalloc(1, sizeof *b);

	bulk_schema_read(&b->schema);
	for (size_t i = 0; i < b->schema.count; i++) {
		const struct object *o = &b->schema.objects[i];
		enum table table = store_table(o->name);

		if (table != TABLE_COUNT)
			b->objects[table] = o;
	}
	add_bytes(b);
	return b;
}

enum status bulk_create(struct store *store)
{
	store->bulk = bulk_new();
	return store_fill_op_kinds(store);
}

void bulk_free(struct bulk *b)
{
	if (!b)
		return;
	for (int i = 0; i < ROWS_COUNT; i++)
		heap_free(&b->rows[i].heap);
	bulk_schema_free(&b->schema);
	free(b);
}

/* --- order --- */

struct order {
	bool rowids;
	size_t key;
};

static int compare(const struct order *order, const struct cell *a, const struct cell *b)
{
	const unsigned char *one, *other;
	int64_t x, y;

	one = cell_record(a, order->rowids, &x);
	other = cell_record(b, order->rowids, &y);
	return order->rowids ? (x > y) - (x < y) : record_compare(one, other, order->key);
}

/* Merges sorted halves; of equal rows, those of the first half come first. */
static void merge(const struct order *order, struct cell *cells, size_t middle, size_t count,
		  struct cell *spare)
{
	size_t a = 0, b = middle, at = 0;

	memcpy(spare, cells, middle * sizeof *cells);
	while (a < middle && b < count)
		cells[at++] = compare(order, &cells[b], &spare[a]) < 0 ? cells[b++] : spare[a++];
	memcpy(cells + at, spare + a, (middle - a) * sizeof *cells);
}

static void sort(const struct order *order, struct cell *cells, size_t count, struct cell *spare)
{
	size_t middle = count / 2;

	if (count < 2)
		return;
	sort(order, cells, middle, spare);
	sort(order, cells + middle, count - middle, spare);
	merge(order, cells, middle, count, spare);
}

/* Of rows with the same key, keeps the one that was put last. Returns how many are left. */
static size_t keep_last(const struct order *order, struct cell *cells, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		bool again = left > 0 && compare(order, &cells[left - 1], &cells[i]) == 0;

		cells[again ? left - 1 : left++] = cells[i];
	}
	return left;
}

/* Writes the rows' cells in the order of their keys; returns how many. */
static size_t put_in_order(const struct rows *r, const struct order *order, struct cell *cells)
{
	const unsigned char *at = r->heap.bytes;
	struct cell *spare;
	uint32_t size;

	for (size_t i = 0; i < r->count; i++) {
		memcpy(&size, at, sizeof size);
		at += sizeof size;
		cells[i] = (struct cell){ at, size };
		at += size;
	}
	if (!r->unordered)
		return r->count;
	spare = xcalloc(r->count, sizeof *spare);
	sort(order, cells, r->count, spare);
	free(spare);
	return keep_last(order, cells, r->count);
}

/* --- sums --- */

static enum status put_sum(struct store *store, const char *name, bool rowids,
			   const struct cell *cells, size_t count, int64_t run)
{
	int64_t rows;
	uint64_t sum = bulk_sum(cells, count, rowids, run, &rows);

	return bulk_put(store, TABLE_SUM, (const struct value[]){
		V_INT(run), V_TEXT(name), V_INT(rows), V_INT(sum) }, 4);
}

static enum status put_sums(struct store *store, const struct object *o, const struct cell *cells,
			    size_t count)
{
	if (o->shared)
		return put_sum(store, o->name, o->rowids, cells, count, SUM_SHARED);
	for (int i = 0; i < store->run_count; i++)
		if (store->runs[i].ended)
			TRY(put_sum(store, o->name, o->rowids, cells, count, store->runs[i].run));
	return STATUS_OK;
}

/* --- the database --- */

/* Where the rows of an object are: two numbers in bulk.rows, or -1. */
static void parts_of(const struct object *o, int parts[2])
{
	enum table table = store_table(o->name);

	parts[0] = table != TABLE_COUNT ? (int)table : -1;
	parts[1] = -1;
	if (strcmp(o->name, "t_byte") == 0)
		parts[0] = ROWS_BYTE;
	else if (strcmp(o->name, "t_buffer_id") == 0)
		parts[0] = ROWS_BUFFER_ID;
	if (strcmp(o->name, "t_op_launch") != 0)
		return;
	parts[0] = ROWS_OP_OTHER;
	parts[1] = ROWS_OP_LAUNCH;
}

/* Adds the rows of a part to those of the one before, with which it forms an order. */
static size_t put_part(const struct bulk *b, int part, const struct order *order,
		       struct cell *cells, size_t before)
{
	size_t added = part < 0 ? 0 : put_in_order(&b->rows[part], order, cells + before);
	struct cell *spare;

	/* With one run, all rows of one part come before those of the other. */
	if (!before || !added || compare(order, &cells[before - 1], &cells[before]) < 0)
		return added;
	spare = xcalloc(before, sizeof *spare);
	merge(order, cells, before, before + added, spare);
	free(spare);
	return added;
}

/* SQLite's error for a row whose key another row has. */
static enum status check_keys(const struct store *store, const struct object *o, size_t twice)
{
	enum table table = store_table(o->name);

	if (twice == 0 || (table != TABLE_COUNT && store_replaces(table)))
		return STATUS_OK;
	return fail(STATUS_INTERNAL, "%s: cannot write: %zu rows of %s have keys of others",
		    store_shown_path(store), twice, o->name);
}

static enum status build(struct store *store, struct image *image, const struct object *o,
			 bool sums)
{
	struct bulk *b = store->bulk;
	const struct order order = { o->rowids, o->type[0] == 't' ? o->key : MAX_KEY };
	size_t all = 0, count = 0;
	enum status status;
	struct cell *cells;
	int parts[2];

	parts_of(o, parts);
	for (int i = 0; i < 2; i++)
		all += parts[i] < 0 ? 0 : b->rows[parts[i]].count;
	cells = xcalloc(all + 1, sizeof *cells);
	for (int i = 0; i < 2; i++)
		count += put_part(b, parts[i], &order, cells, count);
	status = check_keys(store, o, all - count);
	btree_build(image, o->root, o->rowids, cells, count);
	if (status == STATUS_OK && sums && o->type[0] == 't' && strcmp(o->name, "t_sum") != 0)
		status = put_sums(store, o, cells, count);
	free(cells);
	return status;
}

/* Its sum is over other columns than the table has, in another order. */
static enum status sum_schema(struct store *store)
{
	const struct bulk_schema *s = &store->bulk->schema;
	const struct order order = { false, 2 };
	struct rows rows = { .unordered = true };
	struct cell *cells = xcalloc(s->count, sizeof *cells);
	enum status status;

	for (size_t i = 0; i < s->count; i++) {
		const struct object *o = &s->objects[i];

		add_row(store->bulk, &rows, 0, false, 0, (const struct value[]){
			V_TEXT(o->type), V_TEXT(o->name), V_TEXT(o->table),
			V_TEXT(o->sql) }, 4);
	}
	put_in_order(&rows, &order, cells);
	status = put_sum(store, "sqlite_schema", false, cells, s->count, SUM_SHARED);
	free(cells);
	heap_free(&rows.heap);
	return status;
}

static void build_schema(struct bulk *b, struct image *image)
{
	struct rows *rows = &b->rows[ROWS_SCHEMA];
	struct cell *cells = xcalloc(b->schema.count, sizeof *cells);

	for (size_t i = 0; i < b->schema.count && rows->count < b->schema.count; i++) {
		const struct object *o = &b->schema.objects[i];

		add_row(b, rows, 1, true, (int64_t)i + 1, (const struct value[]){
			V_TEXT(o->type), V_TEXT(o->name), V_TEXT(o->table), V_INT(o->root),
			V_TEXT(o->sql) }, 5);
	}
	put_in_order(rows, &(struct order){ true, 1 }, cells);
	btree_build(image, 1, true, cells, b->schema.count);
	free(cells);
}

static enum status build_all(struct store *store, struct image *image, bool sums)
{
	const struct bulk_schema *s = &store->bulk->schema;
	const struct object *last = NULL;

	/* Nearly always enough: pages are filled, but for the last of each tree. */
	image_reserve(image, 4 * s->pages + (uint32_t)(store->bulk->bytes / TRACE_PAGE * 9 / 8));
	image_add(image, s->pages);
	for (size_t i = 0; i < s->count; i++) {
		const struct object *o = &s->objects[i];

		if (strcmp(o->name, "t_sum") == 0)
			last = o;
		else if (o->root)
			TRY(build(store, image, o, sums));
	}
	if (sums)
		TRY(sum_schema(store));
	TRY(build(store, image, last, sums));
	build_schema(store->bulk, image);
	image_finish(image, s->application, s->version);
	return STATUS_OK;
}

enum status bulk_image(struct store *store, bool sums, void **bytes, size_t *count)
{
	struct image image = { 0 };
	enum status status = build_all(store, &image, sums);

	if (status != STATUS_OK) {
		sqlite3_free(image.bytes);
		return status;
	}
	*bytes = image.bytes;
	*count = (size_t)image.pages * TRACE_PAGE;
	return STATUS_OK;
}
