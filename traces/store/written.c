/* written.c - collects what a launch wrote from the rows that store it; see written.h. */
#include "traces/store/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "traces/store/column.h"
#include "traces/store/store.h"

#define MAX_DOWNLOAD_DISTANCE 256       /* operations after the launch that are searched */

struct reading {
	struct store *store;
	int64_t run, launch;
	struct written *out;
	int64_t blob;                   /* read last: consecutive rows often share it */
	const uint8_t *blob_bytes;
	size_t blob_size;
};

/* --- pieces --- */

static void *own(struct written *w, void *memory)
{
	w->owned = xreallocarray(w->owned, w->owned_count + 1, sizeof *w->owned);
	w->owned[w->owned_count++] = memory;
	return memory;
}

static size_t element_bytes(const struct written *w)
{
	return dtype_bytes(w->dtype);
}

/* Adds `bytes` bytes at `offset` in the buffer. */
static void add_piece(struct written *w, int64_t offset, int64_t bytes, const uint8_t *at)
{
	int64_t size = (int64_t)element_bytes(w);

	if (offset < 0 || bytes < size || offset % size != 0)
		return;
	w->pieces = xreallocarray(w->pieces, w->piece_count + 1, sizeof *w->pieces);
	w->pieces[w->piece_count++] = (struct written_piece){ offset / size, bytes / size, at };
}

static enum status read_stored(struct reading *r, int64_t data)
{
	void *stored;

	if (data == r->blob)
		return STATUS_OK;
	TRY(store_data(r->store, data, &stored, &r->blob_size));
	r->blob_bytes = own(r->out, stored);
	r->blob = data;
	return STATUS_OK;
}

/* The same from a stored blob; a piece that is not inside the blob is left out. */
static enum status add_stored(struct reading *r, int64_t data, int64_t from, int64_t offset,
			      int64_t bytes)
{
	TRY(read_stored(r, data));
	if (from >= 0 && bytes >= 0 && from <= (int64_t)r->blob_size
	    && bytes <= (int64_t)r->blob_size - from)
		add_piece(r->out, offset, bytes, r->blob_bytes + from);
	return STATUS_OK;
}

/* --- queries --- */

typedef enum status take_fn(struct reading *, sqlite3_stmt *);

/* Calls `take` for each row; ?1 is the run, ?2 the launch or operation, ?3 the buffer or output. */
static enum status each_row(struct reading *r, const char *sql, int64_t second, int64_t third,
			    take_fn *take)
{
	enum status status = STATUS_OK;
	sqlite3_stmt *row;
	int code = sqlite3_prepare_v2(store_db(r->store), sql, -1, &row, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(row, 1, r->run);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(row, 2, second);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(row, 3, third);
	if (code == SQLITE_OK)
		while (status == STATUS_OK && (code = sqlite3_step(row)) == SQLITE_ROW)
			status = take(r, row);
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(r->store);
	sqlite3_finalize(row);
	return status;
}

static bool is_null(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL;
}

/* "[8,64]"; rank 0 for anything else. */
static void parse_shape(const char *text, struct written *w)
{
	char *end;

	for (w->rank = 0; (*text == '[' || *text == ',') && w->rank < WRITTEN_RANK; text = end) {
		int64_t size = strtoll(text + 1, &end, 10);

		if (end == text + 1 || size < 1)
			break;
		w->shape[w->rank++] = size;
	}
	if (strcmp(text, "]") != 0)
		w->rank = 0;
}

enum { OP, BUFFER, OFFSET, BYTES, DIGEST, DATA, NAME, DTYPE, SHAPE };

static enum status take_digest(struct reading *r, sqlite3_stmt *row)
{
	struct written *w = r->out;

	w->op = sqlite3_column_int64(row, OP);
	w->buffer = sqlite3_column_int64(row, BUFFER);
	w->offset = sqlite3_column_int64(row, OFFSET);
	w->bytes = sqlite3_column_int64(row, BYTES);
	w->digest = sqlite3_column_int64(row, DIGEST);
	snprintf(w->name, sizeof w->name, "%s", column_text(row, NAME));
	if (!dtype_from_name(column_text(row, DTYPE), &w->dtype) || w->offset < 0 || w->bytes < 0
	    || w->bytes > INT64_MAX - w->offset)
		return fail(STATUS_DAMAGED, "%s: run %lld op %lld: bad digest",
			    store_shown_path(r->store), (long long)r->run, (long long)w->op);
	parse_shape(column_text(row, SHAPE), w);
	return is_null(row, DATA) ? STATUS_OK
		: add_stored(r, sqlite3_column_int64(row, DATA), 0, w->offset, w->bytes);
}

enum { SLOT, HEAD, CHUNK, MAX, SUM, ACC_DATA, ACC_OFFSET, ACC_BYTES };

/* [slots, heads, chunks, D + 2]: accumulators, then the maximum score, then the sum. */
static enum status take_partial(struct reading *r, sqlite3_stmt *row)
{
	struct written *w = r->out;
	int64_t size = (int64_t)sizeof(float), acc = (w->shape[3] - 2) * size, at = 0;
	int32_t *ends;

	for (int i = 0; i < 3; i++) {
		int64_t index = sqlite3_column_int64(row, SLOT + i);

		if (index < 0 || index >= w->shape[i])
			return STATUS_OK;
		at = at * w->shape[i] + index;
	}
	at *= w->shape[3] * size;
	if (!is_null(row, ACC_DATA) && sqlite3_column_int64(row, ACC_BYTES) == acc)
		TRY(add_stored(r, sqlite3_column_int64(row, ACC_DATA),
			       sqlite3_column_int64(row, ACC_OFFSET), at, acc));
	ends = own(w, xcalloc(2, sizeof *ends));
	ends[0] = (int32_t)sqlite3_column_int64(row, MAX);
	ends[1] = (int32_t)sqlite3_column_int64(row, SUM);
	add_piece(w, at + acc, 2 * size, (const uint8_t *)ends);
	return STATUS_OK;
}

/* A row that the launch rounded to the type of its cache, from f32. */
static enum status add_rounded(struct reading *r, int64_t data, int64_t from, int64_t offset,
			       int64_t bytes)
{
	struct written *w = r->out;
	int64_t size = (int64_t)dtype_bytes(w->dtype), wide;
	uint8_t *rounded;

	TRY(read_stored(r, data));
	if (from < 0 || bytes < 0 || __builtin_mul_overflow(bytes / size, sizeof(float), &wide)
	    || from > (int64_t)r->blob_size || wide > (int64_t)r->blob_size - from)
		return STATUS_OK;
	rounded = own(w, xmalloc((size_t)bytes + 1));
	value_round(w->dtype, r->blob_bytes + from, (size_t)(bytes / size), rounded);
	add_piece(w, offset, bytes, rounded);
	return STATUS_OK;
}

/* A row of a cache: offset, bytes, its upload's data, and the offset in that data. */
static enum status take_kv(struct reading *r, sqlite3_stmt *row)
{
	int64_t data = sqlite3_column_int64(row, 2), from = sqlite3_column_int64(row, 3);
	int64_t offset = sqlite3_column_int64(row, 0), bytes = sqlite3_column_int64(row, 1);

	if (is_null(row, 2))
		return STATUS_OK;
	return value_is_narrow(r->out->dtype) ? add_rounded(r, data, from, offset, bytes)
		: add_stored(r, data, from, offset, bytes);
}

/* The first operation after the launch that names the buffer: kind, offset, bytes, data. */
static enum status take_download(struct reading *r, sqlite3_stmt *row)
{
	const char *kind = column_text(row, 0);

	return strcmp(kind, "download") != 0 || is_null(row, 3) ? STATUS_OK
		: add_stored(r, sqlite3_column_int64(row, 3), 0, sqlite3_column_int64(row, 1),
			     sqlite3_column_int64(row, 2));
}

/* Also checks that the size in bytes does not overflow. */
static bool has_partials_shape(const struct written *w)
{
	int64_t bytes = (int64_t)sizeof(float);

	for (int i = 0; i < w->rank; i++)
		if (__builtin_mul_overflow(bytes, w->shape[i], &bytes))
			return false;
	return w->dtype == DTYPE_F32 && w->rank == 4 && w->shape[3] > 2;
}

static enum status collect(struct reading *r)
{
	struct written *w = r->out;
	char later[400];

	if (!w->piece_count && has_partials_shape(w))
		TRY(each_row(r, "SELECT slot, head, chunk, max_bits, sum_bits, acc_data,"
			     " acc_offset, acc_bytes FROM v_partial WHERE run = ?1 AND launch = ?2"
			     " AND ?3 ORDER BY slot, head, chunk", r->launch, 1, take_partial));
	if (!w->piece_count)
		TRY(each_row(r, "SELECT k.offset, k.bytes, o.data, k.source_offset FROM v_kv k"
			     " JOIN v_op o ON o.run = k.run AND o.op = k.source_op"
			     " WHERE k.run = ?1 AND k.op = ?2 AND k.buffer = ?3"
			     " ORDER BY k.offset", w->op, w->buffer, take_kv));
	if (w->piece_count)
		return STATUS_OK;
	/* Ignored if another launch wrote to the buffer before the download. */
	snprintf(later, sizeof later, "SELECT kind, offset, bytes, data FROM"
		 " (SELECT * FROM v_op WHERE run = ?1 AND op > ?2 AND op <= ?2 + %d"
		 "  AND buffer = ?3 ORDER BY op LIMIT 1) o"
		 " WHERE NOT EXISTS (SELECT 1 FROM v_digest d WHERE d.run = ?1 AND d.op > ?2"
		 "  AND d.op < o.op AND d.after_step = 0 AND d.buffer = ?3)",
		 MAX_DOWNLOAD_DISTANCE);
	return each_row(r, later, w->op, w->buffer, take_download);
}

enum status written_read(struct store *store, int64_t run, int64_t launch, int64_t output,
			 struct written *out, bool *found)
{
	struct reading r = { .store = store, .run = run, .launch = launch, .out = out, .blob = -1 };

	*out = (struct written){ .op = -1, .output = output };
	TRY(each_row(&r, "SELECT d.op, d.buffer, d.offset, d.bytes, d.digest, d.data, b.name,"
		     " b.dtype, b.shape FROM v_launch l JOIN v_digest d ON d.run = l.run"
		     " AND d.op = l.op AND d.after_step = 0 JOIN v_buffer b ON b.run = d.run"
		     " AND b.buffer = d.buffer WHERE l.run = ?1 AND l.launch = ?2"
		     " AND d.entry = ?3", launch, output, take_digest));
	*found = out->op >= 0;
	return *found ? collect(&r) : STATUS_OK;
}

void written_free(struct written *w)
{
	for (size_t i = 0; i < w->owned_count; i++)
		free(w->owned[i]);
	free(w->owned);
	free(w->pieces);
	*w = (struct written){ .op = -1 };
}

/* --- elements --- */

/* The first piece that ends after the element. */
static size_t piece_of(const struct written *w, int64_t element)
{
	size_t low = 0, high = w->piece_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (w->pieces[middle].first + w->pieces[middle].count <= element)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool written_at(const struct written *w, int64_t element, uint64_t *bits)
{
	size_t at = piece_of(w, element);

	if (at == w->piece_count || element < w->pieces[at].first)
		return false;
	*bits = value_load(w->dtype, w->pieces[at].bytes
			   + (size_t)(element - w->pieces[at].first) * element_bytes(w));
	return true;
}

int64_t written_next(const struct written *w, int64_t from, int direction)
{
	int64_t first = written_first(w), last = first + written_count(w) - 1;
	size_t at;

	if (direction > 0 ? from > last : from < first)
		return -1;
	from = from < first ? first : from > last ? last : from;
	at = piece_of(w, from);
	if (at < w->piece_count && w->pieces[at].first <= from)
		return from;
	if (direction > 0)
		return at < w->piece_count && w->pieces[at].first <= last
			? w->pieces[at].first : -1;
	return at > 0 && w->pieces[at - 1].first + w->pieces[at - 1].count > first
		? w->pieces[at - 1].first + w->pieces[at - 1].count - 1 : -1;
}

int64_t written_first(const struct written *w)
{
	return w->offset / (int64_t)element_bytes(w);
}

int64_t written_count(const struct written *w)
{
	return w->bytes / (int64_t)element_bytes(w);
}
