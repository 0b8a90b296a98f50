/* store_read.c - reads the operations of a trace back as the events that were recorded.
 *
 * The cursor rebuilds each row_op completely, so that a replay needs nothing else. Files are not
 * trusted: numbers out of range, missing rows and data of the wrong length are DAMAGED, with the
 * operation.
 */
#include "traces/store/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"
#include "traces/store/column.h"
#include "traces/store/overlay.h"

#define MAX_SHAPE 16
#define MAX_LAUNCH (INT64_MAX / 2)       /* so that numbers can go on from there */

enum status store_data(struct store *store, int64_t data, void **bytes, size_t *count)
{
	return data < 0 && !store->writing ? overlay_data(store, data, bytes, count)
		: pages_read(store, data, bytes, count);
}

/* --- the cursor --- */

struct store_cursor {
	struct store *store;
	int64_t run, op;
	int64_t last_launch;            /* its number; -1: none yet */
	sqlite3_stmt *ops, *call, *args, *arg_pointers, *pointers, *buffer, *node, *softmax;
	struct track *track;
	/* What the current event points to. */
	void **owned;
	size_t owned_count, owned_capacity;
	struct row_launch launch;
	struct row_buffer alloc;
	struct row_node node_event;
	struct row_softmax softmax_event;
	int64_t shape[MAX_SHAPE];
};

/* Takes over memory until the next operation. */
static void *own(struct store_cursor *c, void *memory)
{
	if (c->owned_count == c->owned_capacity) {
		c->owned_capacity = c->owned_capacity ? 2 * c->owned_capacity : 16;
		c->owned = xreallocarray(c->owned, c->owned_capacity, sizeof *c->owned);
	}
	c->owned[c->owned_count++] = memory;
	return memory;
}

static void release_owned(struct store_cursor *c)
{
	while (c->owned_count)
		free(c->owned[--c->owned_count]);
}

static const char *own_text(struct store_cursor *c, sqlite3_stmt *row, int column)
{
	return own(c, xstrdup(column_text(row, column)));
}

static enum status damaged(const struct store_cursor *c, const char *what)
{
	return fail(STATUS_DAMAGED, "%s: run %lld op %lld: %s", store_shown_path(c->store),
		    (long long)c->run, (long long)c->op, what);
}

/* Reads data, which must have the length that the event says. */
static enum status own_data(struct store_cursor *c, int64_t data, uint64_t expected,
			    const void **out)
{
	void *bytes;
	size_t count;

	TRY(store_data(c->store, data, &bytes, &count));
	*out = own(c, bytes);
	return count == expected ? STATUS_OK : damaged(c, "its data has the wrong length");
}

/* Resets a statement and binds a new key. */
static sqlite3_stmt *restart(sqlite3_stmt *statement, int64_t a, int64_t b)
{
	sqlite3_reset(statement);
	sqlite3_bind_int64(statement, 1, a);
	sqlite3_bind_int64(statement, 2, b);
	return statement;
}

/* Rows (at, buffer, offset) of a pointer table. */
static enum status read_pointers(struct store_cursor *c, sqlite3_stmt *rows,
				 const struct row_pointer **out, int *count)
{
	struct row_pointer *list = NULL;
	bool good = true;
	int rc;

	*count = 0;
	while ((rc = sqlite3_step(rows)) == SQLITE_ROW) {
		list = xreallocarray(list, (size_t)*count + 1, sizeof *list);
		list[(*count)++] = (struct row_pointer){
			.at = column_size(rows, 0, &good), .buffer = column_u32(rows, 1, &good),
			.offset = column_size(rows, 2, &good),
		};
	}
	*out = own(c, list);
	if (rc != SQLITE_DONE)
		return store_failed(c->store, "read");
	return good ? STATUS_OK : damaged(c, "bad pointer");
}

static enum status read_arg(struct store_cursor *c, int64_t call, struct row_arg *arg)
{
	sqlite3_stmt *row = c->args;
	bool good = true;
	int64_t data = column_int(row, 6, 1, INT64_MAX, 0, &good);
	int64_t position = sqlite3_column_int64(row, 8);
	void *blob;

	*arg = (struct row_arg){
		.name = sqlite3_column_type(row, 0) == SQLITE_NULL ? NULL : own_text(c, row, 0),
		.type = own_text(c, row, 1), .kind = own_text(c, row, 2),
		.bits = (uint64_t)sqlite3_column_int64(row, 3), .buffer = column_u32(row, 4, &good),
		.offset = column_size(row, 5, &good), .live = sqlite3_column_int(row, 7) != 0,
	};
	if (!good)
		return damaged(c, "bad argument");
	if (!data)
		return STATUS_OK;
	TRY(store_data(c->store, data, &blob, &arg->blob_bytes));
	arg->blob = own(c, blob);
	return read_pointers(c, restart(c->arg_pointers, call, position), &arg->pointers,
			     &arg->pointer_count);
}

static enum status read_args(struct store_cursor *c, int64_t call)
{
	struct row_arg *args = NULL;
	enum status status = STATUS_OK;
	int count = 0, rc = SQLITE_DONE;

	sqlite3_reset(c->args);
	sqlite3_bind_int64(c->args, 1, call);
	while (status == STATUS_OK && (rc = sqlite3_step(c->args)) == SQLITE_ROW) {
		args = xreallocarray(args, (size_t)count + 1, sizeof *args);
		status = read_arg(c, call, &args[count++]);
	}
	c->launch.args = own(c, args);
	c->launch.arg_count = count;
	TRY(status);
	return rc == SQLITE_DONE ? STATUS_OK : store_failed(c->store, "read");
}

static enum status read_call(struct store_cursor *c, int64_t call)
{
	struct row_launch *e = &c->launch;
	bool good = true;
	int rc;

	rc = sqlite3_step(restart(c->call, call, c->run));
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? damaged(c, "its call is missing")
					 : store_failed(c->store, "read");
	e->kernel = own_text(c, c->call, 0);
	for (int i = 0; i < 3; i++) {
		e->grid[i] = column_u32(c->call, 1 + i, &good);
		e->block[i] = column_u32(c->call, 4 + i, &good);
		e->cluster[i] = column_u32(c->call, 7 + i, &good);
	}
	e->shared_bytes = column_u32(c->call, 10, &good);
	e->attributes =
		sqlite3_column_type(c->call, 11) == SQLITE_NULL ? NULL : own_text(c, c->call, 11);
	if (!good)
		return damaged(c, "bad launch");
	if (!sqlite3_column_int(c->call, 12))
		return damaged(c, "its kernel is not one of the run's");
	return read_args(c, call);
}

/* "[8,64]"; false unless it has exactly `rank` dimensions. */
static bool parse_shape(const char *text, int rank, int64_t *shape)
{
	char *end;

	for (int i = 0; i < rank; i++) {
		if (*text++ != (i ? ',' : '['))
			return false;
		shape[i] = strtoll(text, &end, 10);
		if (end == text || shape[i] < 0)
			return false;
		text = end;
	}
	return strcmp(text, rank ? "]" : "[]") == 0;
}

static enum status read_buffer(struct store_cursor *c)
{
	sqlite3_stmt *row = restart(c->buffer, c->run, c->op);
	struct row_buffer *e = &c->alloc;
	bool good = true;
	int rc = sqlite3_step(row);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? damaged(c, "its buffer is missing")
			: store_failed(c->store, "read");
	*e = (struct row_buffer){
		.id = column_u32(row, 0, &good), .name = own_text(c, row, 1),
		.rank = (int)column_int(row, 3, 0, MAX_SHAPE, 0, &good), .shape = c->shape,
		.bytes = column_size(row, 5, &good), .ordinal = column_small(row, 6, 0, &good),
	};
	if (!good || !dtype_from_name(column_text(row, 2), &e->dtype)
	    || !parse_shape(column_text(row, 4), e->rank, c->shape))
		return damaged(c, "bad buffer");
	return STATUS_OK;
}

/* "[0,2]" */
static enum status read_after(struct store_cursor *c, const char *text, struct row_node *e)
{
	int *after = own(c, xcalloc(strlen(text), sizeof *after));
	char *end;

	e->after = after;
	if (*text++ != '[')
		return damaged(c, "bad list of nodes");
	while (*text != ']') {
		long number = strtol(text, &end, 10);

		if (end == text || number < 0 || number >= e->node
		    || (*end != ',' && *end != ']'))
			return damaged(c, "bad list of nodes");
		after[e->after_count++] = (int)number;
		text = end + (*end == ',');
	}
	return STATUS_OK;
}

/* *found is false for an operation that does not concern a graph. */
static enum status read_node(struct store_cursor *c, bool *found)
{
	sqlite3_stmt *row = restart(c->node, c->run, c->op);
	struct row_node *e = &c->node_event;
	int rc = sqlite3_step(row);
	bool good = true;

	*found = rc == SQLITE_ROW;
	if (!*found)
		return rc == SQLITE_DONE ? STATUS_OK : store_failed(c->store, "read");
	*e = (struct row_node){
		.graph = (int)column_int(row, 0, 1, INT32_MAX, 0, &good),
		.node = (int)column_int(row, 1, 0, INT32_MAX, -1, &good),
		.work = (enum op_kind)column_int(row, 2, 0, OP_COUNT - 1, 0, &good),
		.own = sqlite3_column_int(row, 3) != 0,
		.launch = column_int(row, 5, 0, INT64_MAX, -1, &good),
	};
	if (!good)
		return damaged(c, "bad node");
	return sqlite3_column_type(row, 4) == SQLITE_NULL
		? STATUS_OK : read_after(c, column_text(row, 4), e);
}

/* The output's size is also that of q. */
static enum status read_softmax(struct store_cursor *c, uint64_t bytes)
{
	sqlite3_stmt *row = restart(c->softmax, c->run, c->op);
	struct row_softmax *e = &c->softmax_event;
	int rc = sqlite3_step(row);
	bool good = true;
	int64_t q;

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? damaged(c, "its softmax is missing")
			: store_failed(c->store, "read");
	*e = (struct row_softmax){
		.layer = column_small(row, 0, -1, &good),
		.heads = (int)column_int(row, 1, 1, INT32_MAX, 0, &good),
		.keys = (int)column_int(row, 2, 1, INT32_MAX, 0, &good),
		.head_dim = (int)column_int(row, 3, 1, INT32_MAX, 0, &good),
		.scale_bits = (uint32_t)column_int(row, 4, INT32_MIN, INT32_MAX, 0, &good),
		.k_buffer = column_u32(row, 5, &good), .k_offset = column_size(row, 6, &good),
		.v_buffer = column_u32(row, 7, &good), .v_offset = column_size(row, 8, &good),
		.stride = column_size(row, 9, &good),
	};
	q = column_int(row, 10, 1, INT64_MAX, 0, &good);
	if (!good || !q || !e->heads || !e->keys || !e->head_dim)
		return damaged(c, "bad softmax");
	return own_data(c, q, bytes, &e->q);
}

/* What an operation's row refers to. */
struct references {
	int64_t data, call;             /* 0: none */
	int64_t launch;                 /* its number, -1: none */
	int layer;
};

/* The columns of the row itself. */
static bool fill_op(sqlite3_stmt *row, struct row_op *e, struct references *f)
{
	bool good = true;

	*e = (struct row_op){
		.kind = (enum op_kind)column_int(row, 1, 0, OP_COUNT - 1, 0, &good),
		.stream = column_small(row, 2, 0, &good),
		.ordinal = column_small(row, 3, 0, &good),
		.code = column_small(row, 4, 0, &good),
		.start_us = column_real(row, 5),
		.duration_us = column_real(row, 6),
		.buffer = column_u32(row, 7, &good),
		.offset = column_size(row, 8, &good),
		.bytes = column_size(row, 9, &good),
		.from_buffer = column_u32(row, 10, &good),
		.from_offset = column_size(row, 11, &good),
		.pattern = column_u32(row, 12, &good),
		.object = column_int(row, 13, 0, INT64_MAX, -1, &good),
	};
	f->data = column_int(row, 14, 1, INT64_MAX, 0, &good);
	f->launch = column_int(row, 15, 0, MAX_LAUNCH, -1, &good);
	f->call = column_int(row, 16, 1, INT64_MAX, 0, &good);
	f->layer = column_small(row, 17, -1, &good);
	return good;
}

/* The call of a launch or graph node, and the launch's number. */
static enum status follow_call(struct store_cursor *c, struct row_op *e, const struct references *f)
{
	if (!f->call)
		return e->kind == OP_LAUNCH ? damaged(c, "its call is missing") : STATUS_OK;
	if (e->kind == OP_LAUNCH) {
		if (f->launch <= c->last_launch)
			return damaged(c, "its launch number does not ascend");
		c->last_launch = f->launch;
	}
	c->launch = (struct row_launch){ .number = f->launch, .layer = f->layer };
	e->launch = &c->launch;
	return read_call(c, f->call);
}

static enum status follow(struct store_cursor *c, struct row_op *e, const struct references *f)
{
	bool has_pointers = e->kind == OP_UPLOAD_POINTERS || (e->kind == OP_RESTORE && !f->data);
	bool has_data = e->kind == OP_UPLOAD || e->kind == OP_RESTORE || e->kind == OP_UPLOAD_ASYNC
			|| e->kind == OP_GRAPH_UPLOAD || e->kind == OP_HOST_SOFTMAX;
	bool has_node;

	if (f->data)
		TRY(own_data(c, f->data, e->bytes, &e->data));
	if (has_pointers)
		TRY(read_pointers(c, restart(c->pointers, c->run, c->op), &e->pointers,
				  &e->pointer_count));
	if (has_data && e->bytes && !e->code && !f->data && !e->pointer_count)
		return damaged(c, "its data is missing");
	if (e->kind == OP_ALLOC || e->kind == OP_VARIABLE) {
		TRY(read_buffer(c));
		e->alloc = &c->alloc;
	}
	if (e->kind == OP_HOST_SOFTMAX) {
		TRY(read_softmax(c, e->bytes));
		e->softmax = &c->softmax_event;
	}
	TRY(read_node(c, &has_node));
	e->node = has_node ? &c->node_event : NULL;
	return follow_call(c, e, f);
}

enum status store_ops_next(struct store_cursor *c, struct row_op *out, int64_t *op, bool *end)
{
	struct references references;
	int64_t expected = c->op + 1;
	const char *wrong;
	int rc;

	release_owned(c);
	rc = sqlite3_step(c->ops);
	*end = rc == SQLITE_DONE;
	if (*end)
		return STATUS_OK;
	if (rc != SQLITE_ROW)
		return store_failed(c->store, "read");
	*op = c->op = sqlite3_column_int64(c->ops, 0);
	if (*op != expected)
		return damaged(c, "the operation before it is missing");
	if (!fill_op(c->ops, out, &references))
		return damaged(c, "a number is out of range");
	TRY(follow(c, out, &references));
	wrong = track_op(c->track, out);
	return wrong ? damaged(c, wrong) : STATUS_OK;
}

static enum status prepare_all(struct store_cursor *c)
{
	TRY(store_select(
		c->store, &c->ops,
		"SELECT op, kind, stream, ordinal, code, start_us, duration_us,"
		" buffer, offset, bytes, from_buffer, from_offset, pattern, object, data, launch,"
		" call, layer FROM t_op WHERE run = ? ORDER BY op",
		&c->run, 1));
	TRY(store_select(c->store, &c->call,
			 "SELECT kernel, grid_x, grid_y, grid_z, block_x, block_y,"
			 " block_z, cluster_x, cluster_y, cluster_z, shared_bytes, attributes,"
			 " EXISTS (SELECT 1 FROM t_kernel k WHERE k.run = ?2"
			 " AND k.kernel = c.kernel) FROM t_call c WHERE call = ?1",
			 NULL, 0));
	TRY(store_select(c->store, &c->args,
			 "SELECT name, type, kind, bits, buffer, offset, data, live,"
			 " position FROM t_arg WHERE call = ? ORDER BY position",
			 NULL, 0));
	TRY(store_select(c->store, &c->arg_pointers, "SELECT at, buffer, offset FROM t_arg_pointer"
			 " WHERE call = ? AND position = ? ORDER BY entry", NULL, 0));
	TRY(store_select(c->store, &c->pointers, "SELECT at, buffer, offset FROM t_pointer"
			 " WHERE run = ? AND op = ? ORDER BY entry", NULL, 0));
	TRY(store_select(c->store, &c->node, "SELECT graph, node, work, own, after, launch"
			 " FROM t_node WHERE run = ? AND op = ?", NULL, 0));
	TRY(store_select(c->store, &c->softmax, "SELECT layer, heads, keys, head_dim, scale,"
			 " k_buffer, k_offset, v_buffer, v_offset, stride, q_data FROM t_softmax"
			 " WHERE run = ? AND op = ?", NULL, 0));
	return store_select(c->store, &c->buffer,
			    "SELECT buffer, name, dtype, rank, shape, bytes, ordinal"
			    " FROM t_buffer WHERE run = ? AND op = ?",
			    NULL, 0);
}

enum status store_ops_open(struct store *store, int64_t run, struct store_cursor **out)
{
	struct store_cursor *c = xcalloc(1, sizeof *c);
	enum status status;

	c->store = store;
	c->run = run;
	c->last_launch = -1;
	c->op = -1;
	c->track = track_new();
	status = prepare_all(c);
	if (status != STATUS_OK) {
		store_ops_close(c);
		c = NULL;
	}
	*out = c;
	return status;
}

void store_ops_close(struct store_cursor *c)
{
	if (!c)
		return;
	sqlite3_finalize(c->ops);
	sqlite3_finalize(c->call);
	sqlite3_finalize(c->args);
	sqlite3_finalize(c->arg_pointers);
	sqlite3_finalize(c->pointers);
	sqlite3_finalize(c->buffer);
	sqlite3_finalize(c->node);
	sqlite3_finalize(c->softmax);
	track_free(c->track);
	release_owned(c);
	free(c->owned);
	free(c);
}
