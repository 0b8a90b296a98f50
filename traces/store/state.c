/* state.c - rebuilds device memory from a trace; see state.h.
 *
 * sparse.c keeps the bytes of each buffer, and which are known. Copies, fills and
 * uploads in a graph are not recorded when they run, so a graph launch makes the bytes that they
 * write unknown.
 */
#include "traces/store/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "traces/row.h"
#include "traces/store/sparse.h"
#include "traces/store/store.h"

struct range {
	uint32_t buffer;
	uint64_t offset, bytes;
};

struct state {
	struct store *store;
	struct store_cursor *ops;
	int64_t run;
	struct row_op next;           /* already read, and its number; next_op -1: none */
	int64_t next_op;
	bool end;
	struct state_buffer *buffers;
	size_t count;
	struct range *nodes;            /* what copies, fills and uploads in graphs write */
	size_t node_count;
	sqlite3_stmt *digests, *rows, *downloads;
	void *source;                   /* bytes of the last upload that rows came from */
	size_t source_bytes;
	int64_t source_data;
};

/* --- buffers --- */

static enum status add_buffer(struct state *s, const struct row_buffer *e)
{
	struct state_buffer b = {
		.id = e->id, .dtype = e->dtype, .rank = e->rank, .elements = 1, .bytes = e->bytes
	};
	size_t bytes;

	for (int i = 0; i < e->rank; i++)
		if (__builtin_mul_overflow(b.elements, (size_t)e->shape[i], &b.elements))
			return fail(STATUS_DAMAGED, "%s: buffer %u is too large",
				    store_shown_path(s->store), e->id);
	if (__builtin_mul_overflow(b.elements, dtype_bytes(e->dtype), &bytes) || bytes != e->bytes)
		return fail(STATUS_DAMAGED, "%s: buffer %u: expected %zu bytes by its shape, got"
			    " %llu", store_shown_path(s->store), e->id, bytes,
			    (unsigned long long)e->bytes);
	b.name = xstrdup(e->name ? e->name : "");
	b.shape = xreallocarray(NULL, (size_t)e->rank + 1, sizeof *b.shape);
	for (int i = 0; i < e->rank; i++)
		b.shape[i] = e->shape[i];
	s->buffers = xreallocarray(s->buffers, s->count + 1, sizeof *s->buffers);
	s->buffers[s->count++] = b;
	return STATUS_OK;
}

/* Returns the buffer with that id, or NULL. Ids are not reused. */
static struct state_buffer *find(const struct state *s, uint32_t id)
{
	for (size_t i = s->count; i-- > 0;)
		if (s->buffers[i].id == id)
			return &s->buffers[i];
	return NULL;
}

static enum status allocate_bytes(const struct state *s, struct state_buffer *b)
{
	if (!b->content)
		b->content = sparse_new(b->bytes);
	return b->content ? STATUS_OK
		: fail(STATUS_INTERNAL, "%s: out of memory for buffer %u (%zu bytes)",
		       store_shown_path(s->store), b->id, b->bytes);
}

/* Finds the range's buffer; DAMAGED if the range is not inside one. */
static enum status find_range(const struct state *s, const struct range *r,
			      struct state_buffer **out)
{
	*out = find(s, r->buffer);
	if (!*out || r->offset > (*out)->bytes || r->bytes > (*out)->bytes - r->offset)
		return fail(STATUS_DAMAGED, "%s: bytes %llu..%llu are outside buffer %u",
			    store_shown_path(s->store), (unsigned long long)r->offset,
			    (unsigned long long)(r->offset + r->bytes), r->buffer);
	return STATUS_OK;
}

static enum status forget(const struct state *s, const struct range *r)
{
	struct state_buffer *b;

	TRY(find_range(s, r, &b));
	if (b->content)
		sparse_forget(b->content, r->offset, r->bytes);
	return STATUS_OK;
}

/* bytes NULL: they were not recorded. */
static enum status learn(const struct state *s, const struct range *r, const void *bytes)
{
	struct state_buffer *b;

	if (!bytes || r->bytes == 0)
		return forget(s, r);
	TRY(find_range(s, r, &b));
	TRY(allocate_bytes(s, b));
	sparse_write(b->content, r->offset, bytes, NULL, r->bytes);
	return STATUS_OK;
}

static enum status copy(const struct state *s, const struct row_op *e)
{
	const struct range to = { e->buffer, e->offset, e->bytes };
	const struct range from = { e->from_buffer, e->from_offset, e->bytes };
	struct state_buffer *source, *target;

	TRY(find_range(s, &from, &source));
	if (!source->content)
		return forget(s, &to);
	TRY(find_range(s, &to, &target));
	TRY(allocate_bytes(s, target));
	sparse_copy(target->content, to.offset, source->content, from.offset, e->bytes);
	return STATUS_OK;
}

static enum status fill(const struct state *s, const struct row_op *e)
{
	const struct range to = { e->buffer, e->offset, e->bytes };
	struct state_buffer *b;

	TRY(find_range(s, &to, &b));
	TRY(allocate_bytes(s, b));
	sparse_fill(b->content, e->offset, e->pattern, e->bytes);
	return STATUS_OK;
}

/* --- what launches wrote --- */

/* Runs fn on each row of a statement with ?1 = run, ?2 = key. */
static enum status each(struct state *s, sqlite3_stmt *rows, int64_t key,
			enum status (*fn)(struct state *, sqlite3_stmt *))
{
	enum status status = STATUS_OK;
	int code = SQLITE_DONE;

	sqlite3_reset(rows);
	sqlite3_bind_int64(rows, 1, s->run);
	sqlite3_bind_int64(rows, 2, key);
	while (status == STATUS_OK && (code = sqlite3_step(rows)) == SQLITE_ROW)
		status = fn(s, rows);
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(s->store);
	sqlite3_reset(rows);
	return status;
}

static struct range row_range(sqlite3_stmt *row)
{
	return (struct range){
		(uint32_t)sqlite3_column_int64(row, 0), (uint64_t)sqlite3_column_int64(row, 1),
		(uint64_t)sqlite3_column_int64(row, 2)
	};
}

static enum status take_digest(struct state *s, sqlite3_stmt *row)
{
	const struct range r = row_range(row);
	enum status status;
	void *bytes;
	size_t count;

	if (sqlite3_column_type(row, 3) == SQLITE_NULL)
		return forget(s, &r);
	TRY(store_data(s->store, sqlite3_column_int64(row, 3), &bytes, &count));
	status = count == r.bytes ? learn(s, &r, bytes)
		: fail(STATUS_DAMAGED, "%s: expected %llu stored bytes, got %zu",
		       store_shown_path(s->store), (unsigned long long)r.bytes, count);
	free(bytes);
	return status;
}

/* A row that the launch rounded to the type of its cache. */
static enum status learn_rounded(const struct state *s, const struct range *r, enum dtype type,
				 const char *from)
{
	void *bytes = xmalloc(r->bytes);
	enum status status;

	value_round(type, from, r->bytes / dtype_bytes(type), bytes);
	status = learn(s, r, bytes);
	free(bytes);
	return status;
}

static enum status take_kv_row(struct state *s, sqlite3_stmt *row)
{
	const struct range r = row_range(row);
	struct state_buffer *cache;
	uint64_t bytes;
	int64_t data = sqlite3_column_int64(row, 3);
	uint64_t offset = (uint64_t)sqlite3_column_int64(row, 4);

	if (sqlite3_column_type(row, 3) == SQLITE_NULL)
		return forget(s, &r);
	if (data != s->source_data) {
		free(s->source);
		s->source = NULL;
		s->source_data = -1;
		TRY(store_data(s->store, data, &s->source, &s->source_bytes));
		s->source_data = data;
	}
	TRY(find_range(s, &r, &cache));
	bytes = r.bytes;
	if (value_is_narrow(cache->dtype) && bytes <= s->source_bytes)
		bytes = bytes / dtype_bytes(cache->dtype) * sizeof(float);
	if (offset > s->source_bytes || bytes > s->source_bytes - offset)
		return fail(STATUS_DAMAGED, "%s: a row of a KV cache is outside its upload",
			    store_shown_path(s->store));
	return value_is_narrow(cache->dtype)
		? learn_rounded(s, &r, cache->dtype, (const char *)s->source + offset)
		: learn(s, &r, (const char *)s->source + offset);
}

/* Where a launch scattered rows, v_kv has the bytes written; the digest's range is only their
 * span. */
static const char digests_sql[] =
	"SELECT d.buffer, d.offset, d.bytes, d.data FROM v_digest d WHERE d.run = ?1 AND d.op = ?2"
	" AND d.after_step = 0 AND NOT (d.data IS NULL AND EXISTS (SELECT 1 FROM v_kv k"
	"  WHERE k.run = d.run AND k.op = d.op AND k.buffer = d.buffer)) ORDER BY d.entry";
/* A join with v_op would build all of v_op for each launch. */
static const char rows_sql[] =
	"SELECT k.buffer, k.offset, k.bytes, (SELECT o.data FROM v_op o WHERE o.run = k.run"
	"  AND o.op = k.source_op), k.source_offset FROM v_kv k WHERE k.run = ?1 AND k.op = ?2";
/* Downloads after the launch that show its results: before the next launch, with nothing else
 * written to the buffer in between. */
static const char downloads_sql[] =
	"SELECT d.buffer, d.offset, d.bytes, d.data FROM v_op d WHERE d.run = ?1 AND d.op > ?2"
	" AND d.op < coalesce((SELECT n.op FROM v_op n WHERE n.run = ?1 AND n.op > ?2"
	"  AND n.launch IS NOT NULL ORDER BY n.op LIMIT 1), 9223372036854775807)"
	" AND d.kind IN ('download', 'download_async') AND d.data IS NOT NULL AND NOT EXISTS"
	"  (SELECT 1 FROM v_op w WHERE w.run = ?1 AND w.op > ?2 AND w.op < d.op"
	"   AND w.buffer = d.buffer AND w.kind NOT IN ('download', 'download_async'))"
	" ORDER BY d.op";

/* --- operations --- */

static void take_node(struct state *s, const struct row_op *e)
{
	if (e->node->own || (e->node->work != OP_COPY && e->node->work != OP_FILL
			     && e->node->work != OP_UPLOAD && e->node->work != OP_UPLOAD_ASYNC
			     && e->node->work != OP_UPLOAD_POINTERS))
		return;
	s->nodes = xreallocarray(s->nodes, s->node_count + 1, sizeof *s->nodes);
	s->nodes[s->node_count++] = (struct range){ e->buffer, e->offset, e->bytes };
}

static enum status forget_nodes(const struct state *s)
{
	for (size_t i = 0; i < s->node_count; i++) {
		const struct state_buffer *b = find(s, s->nodes[i].buffer);

		if (b && !b->freed)
			TRY(forget(s, &s->nodes[i]));
	}
	return STATUS_OK;
}

static void free_buffer(const struct state *s, uint32_t id)
{
	struct state_buffer *b = find(s, id);

	if (!b)
		return;
	b->freed = true;
	sparse_free(b->content);
	b->content = NULL;
}

static enum status apply(struct state *s, const struct row_op *e)
{
	const struct range to = { e->buffer, e->offset, e->bytes };

	switch (e->kind) {
	case OP_ALLOC: case OP_VARIABLE:
		return e->alloc ? add_buffer(s, e->alloc) : STATUS_OK;
	case OP_FREE: free_buffer(s, e->buffer); return STATUS_OK;
	case OP_UPLOAD: case OP_UPLOAD_ASYNC: case OP_RESTORE: return learn(s, &to, e->data);
	case OP_DOWNLOAD: case OP_DOWNLOAD_ASYNC:
		return e->data ? learn(s, &to, e->data) : STATUS_OK;
	case OP_UPLOAD_POINTERS: return forget(s, &to);
	case OP_COPY: return copy(s, e);
	case OP_FILL: return fill(s, e);
	case OP_GRAPH_NODE: take_node(s, e); return STATUS_OK;
	case OP_GRAPH_LAUNCH: return forget_nodes(s);
	default: return STATUS_OK;
	}
}

static enum status do_op(struct state *s)
{
	const struct row_op *e = &s->next;

	/* A failed operation did nothing, except a launch, whose effects are unknown. */
	if (e->code == 0)
		TRY(apply(s, e));
	TRY(each(s, s->digests, s->next_op, take_digest));
	/* Uploads and copies were applied already. */
	if (e->kind == OP_LAUNCH)
		TRY(each(s, s->rows, s->next_op, take_kv_row));
	if (e->kind == OP_LAUNCH)
		TRY(each(s, s->downloads, s->next_op, take_digest));
	s->next_op = -1;
	return STATUS_OK;
}

enum status state_advance(struct state *s, int64_t op)
{
	for (;;) {
		if (s->next_op < 0 && !s->end)
			TRY(store_ops_next(s->ops, &s->next, &s->next_op, &s->end));
		if (s->end || s->next_op > op)
			return STATUS_OK;
		TRY(do_op(s));
	}
}

/* --- interface --- */

static enum status prepare(struct state *s, const char *sql, sqlite3_stmt **out)
{
	if (sqlite3_prepare_v2(store_db(s->store), sql, -1, out, NULL) != SQLITE_OK)
		return store_read_failed(s->store);
	return STATUS_OK;
}

enum status state_open(struct store *store, int64_t run, struct state **out)
{
	struct state *s = xcalloc(1, sizeof *s);
	enum status status;

	s->store = store;
	s->run = run;
	s->next_op = s->source_data = -1;
	status = store_ops_open(store, run, &s->ops);
	if (status == STATUS_OK)
		status = prepare(s, digests_sql, &s->digests);
	if (status == STATUS_OK)
		status = prepare(s, rows_sql, &s->rows);
	if (status == STATUS_OK)
		status = prepare(s, downloads_sql, &s->downloads);
	if (status != STATUS_OK) {
		state_close(s);
		return status;
	}
	*out = s;
	return STATUS_OK;
}

void state_close(struct state *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		free(s->buffers[i].name);
		free(s->buffers[i].shape);
		sparse_free(s->buffers[i].content);
	}
	free(s->buffers);
	free(s->nodes);
	free(s->source);
	sqlite3_finalize(s->digests);
	sqlite3_finalize(s->rows);
	sqlite3_finalize(s->downloads);
	store_ops_close(s->ops);
	free(s);
}

size_t state_count(const struct state *s)
{
	return s->count;
}

const struct state_buffer *state_buffer(const struct state *s, size_t number)
{
	return &s->buffers[number];
}

const struct state_buffer *state_find(const struct state *s, uint32_t id)
{
	return find(s, id);
}

enum state_known state_known(const struct state_buffer *b)
{
	unsigned char known[4096];
	bool some = false, all = true;

	for (size_t at = 0; b->content && at < b->bytes && !(some && !all); at += sizeof known) {
		size_t count = b->bytes - at < sizeof known ? b->bytes - at : sizeof known;

		sparse_read(b->content, at, NULL, known, count);
		some = some || memchr(known, 1, count);
		all = all && !memchr(known, 0, count);
	}
	if (!b->content)
		return STATE_NOTHING;
	return all ? STATE_ALL : some ? STATE_PARTLY : STATE_NOTHING;
}
