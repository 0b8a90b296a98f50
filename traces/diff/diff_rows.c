/* diff_rows.c - compares what was recorded about operations: digests, partials, tokens.
 *
 * Each kind of row is read from its view in the order of its key on both sides and joined by
 * diff_join.c. Only rows of operations that diff_ops.c found on both sides are compared. Points are
 * in diff_points.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/diff/diff_join.h"
#include "traces/diff/diff_passes.h"
#include "traces/diff/diff_report.h"
#include "traces/diff/diff_value.h"
#include "traces/diff/diff_walk.h"

/* --- digests --- */

enum { DIGEST_OP, DIGEST_AFTER_STEP, DIGEST_BUFFER, DIGEST_OFFSET, DIGEST_BYTES, DIGEST_LAUNCH,
	DIGEST_STEP, DIGEST_DIGEST, DIGEST_DATA };

static struct diff_place digest_place(const struct diff *d, sqlite3_stmt *row, int side)
{
	struct diff_place place = {
		.op = sqlite3_column_int64(row, DIGEST_OP), .pass = PASS_DIGEST,
	};
	size_t size = sizeof place.address;

	diff_common_op(d, side, &place.op);

	if (diff_int(row, DIGEST_AFTER_STEP))
		snprintf(place.address, size, "s%lld.end", sqlite3_column_int64(row, DIGEST_STEP));
	else if (sqlite3_column_type(row, DIGEST_LAUNCH) != SQLITE_NULL)
		snprintf(place.address, size, "L%lld.end",
			 sqlite3_column_int64(row, DIGEST_LAUNCH));
	else
		snprintf(place.address, size, "op %" PRId64, place.op);
	return place;
}

static const struct diff_buffer *digest_buffer(const struct diff *d, sqlite3_stmt *row)
{
	return diff_buffer(d, diff_bits(row, DIGEST_BUFFER));
}

/* Compares the bytes, which both sides recorded. */
static enum status compare_kept(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b, bool *compared)
{
	const struct diff_buffer *buffer = digest_buffer(d, a);
	struct diff_place place = digest_place(d, a, 0);
	int64_t first = sqlite3_column_int64(a,
					     DIGEST_OFFSET) / (int64_t)dtype_bytes(buffer->dtype);
	void *bytes_a = NULL, *bytes_b = NULL;
	size_t count_a = 0, count_b = 0;
	enum status status;

	status = store_data(d->store[0], sqlite3_column_int64(a, DIGEST_DATA), &bytes_a, &count_a);
	if (status == STATUS_OK)
		status = store_data(d->store[1], sqlite3_column_int64(b, DIGEST_DATA), &bytes_b,
				    &count_b);
	*compared = status == STATUS_OK && count_a == count_b;
	if (*compared)
		diff_values(d, &place, buffer->name, buffer->dtype, bytes_a, bytes_b, count_a,
			    first);
	free(bytes_a);
	free(bytes_b);
	return status;
}

/* Whether the bytes of the digest vary, as a whole. */
static bool digest_varies(struct diff *d, sqlite3_stmt *a)
{
	struct diff_place place = digest_place(d, a, 0);

	return diff_varies(d, &place, digest_buffer(d, a)->name,
			   -2 - sqlite3_column_int64(a, DIGEST_OFFSET));
}

static void digests_differ(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	struct diff_place place = digest_place(d, a, 0);
	struct diff_item item = { .ulp = -1 };

	if (digest_varies(d, a)) {
		d->report->varying_digests++;
		d->report->buffers--;
		return;
	}
	d->report->digests++;
	/* At these levels every result is also recorded as values, to which --ulp applies. */
	if (d->options.ulp && d->report->level >= LEVEL_PARTIALS) {
		d->digests_only++;
		return;
	}
	snprintf(item.what, sizeof item.what, "digest of %s", digest_buffer(d, a)->name);
	snprintf(item.a, sizeof item.a, "%016llx", sqlite3_column_int64(a, DIGEST_DIGEST));
	snprintf(item.b, sizeof item.b, "%016llx", sqlite3_column_int64(b, DIGEST_DIGEST));
	diff_add_known(d, &place, &item);
}

static enum status digest_both(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	bool kept_a = sqlite3_column_type(a, DIGEST_DATA) != SQLITE_NULL;
	bool kept_b = sqlite3_column_type(b, DIGEST_DATA) != SQLITE_NULL;
	bool compared = false;

	d->report->buffers++;
	/* Not their extents: scattered rows are farther apart in a larger cache. */
	if (sqlite3_column_int64(a, DIGEST_DIGEST) == sqlite3_column_int64(b, DIGEST_DIGEST)) {
		d->report->buffers_by_sum += d->by_sum && (kept_a || kept_b);
		return STATUS_OK;
	}
	if (kept_a && kept_b)
		TRY(compare_kept(d, a, b, &compared));
	/* Other runs may have the digest alone. */
	if (compared && d->options.collect)
		digest_varies(d, a);
	if (!compared)
		digests_differ(d, a, b);
	return STATUS_OK;
}

static enum status digest_one(struct diff *d, sqlite3_stmt *row, int side)
{
	struct diff_place place = digest_place(d, row, side);
	char what[64];

	/* Windows decide where a step is split, and so which buffers have changed by then. */
	if (d->narrowed && diff_int(row, DIGEST_AFTER_STEP))
		return STATUS_OK;
	snprintf(what, sizeof what, "digest of %s", digest_buffer(d, row)->name);
	diff_missing(d, &place, what, side);
	return STATUS_OK;
}

enum status diff_digests(struct diff *d)
{
	return diff_join(d, &(struct diff_join){
		.query = "SELECT op, after_step, buffer, offset, bytes, launch, step, digest, data"
			 " FROM v_digest WHERE run = ?1"
			 " ORDER BY op, after_step, buffer, offset",
		.keys = 4, .common = diff_common_op, .both = digest_both, .one = digest_one,
	});
}

/* --- partials --- */

enum { PARTIAL_LAUNCH, PARTIAL_SLOT, PARTIAL_HEAD, PARTIAL_CHUNK, PARTIAL_BEGIN, PARTIAL_END,
	PARTIAL_MAX, PARTIAL_SUM, PARTIAL_DATA, PARTIAL_OFFSET, PARTIAL_BYTES };

static struct diff_place partial_place(const struct diff *d, sqlite3_stmt *row)
{
	int64_t launch = sqlite3_column_int64(row, PARTIAL_LAUNCH);
	struct diff_place place = { .op = diff_launch_op(d, launch), .pass = PASS_PARTIAL };

	snprintf(place.address, sizeof place.address, "L%" PRId64 " slot %d head %d chunk %d",
		 launch, diff_int(row, PARTIAL_SLOT), diff_int(row, PARTIAL_HEAD),
		 diff_int(row, PARTIAL_CHUNK));
	return place;
}

/* The accumulators of a launch are in one blob, so the last blob read is cached. */
static enum status read_acc(struct diff *d, int side, sqlite3_stmt *row, const char **acc)
{
	int64_t data = sqlite3_column_int64(row, PARTIAL_DATA);
	uint64_t offset = (uint64_t)sqlite3_column_int64(row, PARTIAL_OFFSET);
	uint64_t bytes = (uint64_t)sqlite3_column_int64(row, PARTIAL_BYTES);
	struct diff_blob *blob = &d->blob[side];

	if (!blob->bytes || blob->data != data) {
		free(blob->bytes);
		blob->bytes = NULL;
		TRY(store_data(d->store[side], data, &blob->bytes, &blob->count));
		blob->data = data;
	}
	if (offset > blob->count || bytes > blob->count - offset)
		return fail(STATUS_DAMAGED, "%s: accumulators at offset %" PRIu64 ", %" PRIu64
			    " bytes, exceed the %zu bytes of data %" PRId64,
			    store_shown_path(d->store[side]), offset, bytes, blob->count, data);
	*acc = (const char *)blob->bytes + offset;
	return STATUS_OK;
}

static enum status compare_acc(struct diff *d, const struct diff_place *place, sqlite3_stmt *a,
			       sqlite3_stmt *b)
{
	bool has_a = sqlite3_column_type(a, PARTIAL_DATA) != SQLITE_NULL;
	bool has_b = sqlite3_column_type(b, PARTIAL_DATA) != SQLITE_NULL;
	int64_t bytes = sqlite3_column_int64(a, PARTIAL_BYTES);
	const char *acc_a, *acc_b;

	if (!has_a && !has_b)
		return STATUS_OK;
	if (!has_a || !has_b || bytes != sqlite3_column_int64(b, PARTIAL_BYTES)) {
		diff_missing(d, place, "acc", has_b);
		return STATUS_OK;
	}
	TRY(read_acc(d, 0, a, &acc_a));
	TRY(read_acc(d, 1, b, &acc_b));
	diff_values(d, place, "acc", DTYPE_F32, acc_a, acc_b, (size_t)bytes, 0);
	return STATUS_OK;
}

static enum status partial_both(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	struct diff_place place = partial_place(d, a);
	bool keys = sqlite3_column_int64(a, PARTIAL_BEGIN) == sqlite3_column_int64(b, PARTIAL_BEGIN)
		    && sqlite3_column_int64(a, PARTIAL_END) == sqlite3_column_int64(b, PARTIAL_END);

	d->report->partials++;
	if (!keys)
		diff_add(d, &place, &(struct diff_item){ .what = "different keys", .ulp = -1 });
	diff_f32(d, &place, "max", diff_bits(a, PARTIAL_MAX), diff_bits(b, PARTIAL_MAX));
	diff_f32(d, &place, "sum", diff_bits(a, PARTIAL_SUM), diff_bits(b, PARTIAL_SUM));
	return compare_acc(d, &place, a, b);
}

static enum status partial_one(struct diff *d, sqlite3_stmt *row, int side)
{
	struct diff_place place = partial_place(d, row);

	diff_missing(d, &place, "partial", side);
	return STATUS_OK;
}

enum status diff_partials(struct diff *d)
{
	enum status status = diff_join(d, &(struct diff_join){
		/* v_partial in the order of its table's key: nothing is sorted. */
		.query = "SELECT launch, slot, head, chunk + e.n,"
			 " key_begin + e.n * coalesce(key_step, 0), key_end, max, sum,"
			 " acc_data, acc_offset, acc_bytes FROM t_partial"
			 " CROSS JOIN t_byte e ON e.n <= coalesce(more, 0)"
			 " WHERE run = ?1 ORDER BY launch, slot, head, chunk, e.n",
		.keys = 4, .common = diff_common_launch, .both = partial_both, .one = partial_one,
	});

	for (int side = 0; side < 2; side++) {
		free(d->blob[side].bytes);
		d->blob[side].bytes = NULL;
	}
	return status;
}

/* --- tokens --- */

enum { TOKEN_STEP, TOKEN_SLOT, TOKEN_POSITION, TOKEN_BYTE, TOKEN_LOGIT,
	TOKEN_PROMPT };

static struct diff_place token_place(sqlite3_stmt *row)
{
	/* Sorted after all operations, because they produce the bytes. */
	struct diff_place place = { .op = INT64_MAX, .pass = PASS_TOKEN };

	snprintf(place.address, sizeof place.address, "s%lld slot %d position %lld",
		 sqlite3_column_int64(row, TOKEN_STEP), diff_int(row, TOKEN_SLOT),
		 sqlite3_column_int64(row, TOKEN_POSITION));
	return place;
}

/* All other differences follow from it, so it is reported once, before them. */
static void prompts_differ(struct diff *d, sqlite3_stmt *row)
{
	struct diff_item item = { .what = "prompts differ", .ulp = -1 };
	struct diff_place place = token_place(row);

	if (d->prompted)
		return;
	d->prompted = true;
	place.op = -1;
	diff_add(d, &place, &item);
}

static enum status token_both(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	struct diff_place place = token_place(a);
	uint8_t byte_a = (uint8_t)diff_int(a, TOKEN_BYTE);
	uint8_t byte_b = (uint8_t)diff_int(b, TOKEN_BYTE);

	d->report->tokens++;
	if (diff_int(a, TOKEN_PROMPT) && diff_int(b, TOKEN_PROMPT)) {
		if (byte_a != byte_b)
			prompts_differ(d, a);
		return STATUS_OK;
	}
	diff_values(d, &place, "byte", DTYPE_U8, &byte_a, &byte_b, 1, -1);
	diff_f32(d, &place, "logit", diff_bits(a, TOKEN_LOGIT), diff_bits(b, TOKEN_LOGIT));
	return STATUS_OK;
}

static enum status token_one(struct diff *d, sqlite3_stmt *row, int side)
{
	struct diff_place place = token_place(row);

	/* A killed run may lack the byte of its last step. */
	if (!d->run[!side].complete)
		return STATUS_OK;
	if (diff_int(row, TOKEN_PROMPT))
		prompts_differ(d, row);
	else
		diff_missing(d, &place, "token", side);
	return STATUS_OK;
}

static enum status has_tokens(struct diff *d, int side, bool *has)
{
	struct store *store = d->store[side];
	sqlite3_stmt *rows = NULL;
	int code;

	if (sqlite3_prepare_v2(store_db(store), "SELECT 1 FROM v_token WHERE run = ?1 LIMIT 1", -1,
			       &rows, NULL) != SQLITE_OK)
		return store_read_failed(store);
	sqlite3_bind_int64(rows, 1, d->run[side].run);
	code = sqlite3_step(rows);
	sqlite3_finalize(rows);
	*has = code == SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : store_read_failed(store);
}

enum status diff_tokens(struct diff *d)
{
	const struct diff_join join = {
		.query = "SELECT step, slot, position, byte, logit_bits, prompt FROM v_token"
			 " WHERE run = ?1 ORDER BY step, slot, position",
		.keys = 3, .both = token_both, .one = token_one,
	};
	bool has[2];

	TRY(has_tokens(d, 0, &has[0]));
	TRY(has_tokens(d, 1, &has[1]));
	if (has[0] && has[1])
		return diff_join(d, &join);
	/* A replay repeats operations, not the choice of bytes. */
	if (has[0] != has[1])
		diff_note(d, "%c has no tokens: not compared", has[0] ? 'B' : 'A');
	return STATUS_OK;
}
