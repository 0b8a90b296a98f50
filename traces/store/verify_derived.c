/* verify_derived.c - floats that the recorder computed from partials, and digests of bytes that
 * other rows have.
 *
 * Repeats the computations of engine/record/recorder_decode.c. Another C library may round exp()
 * and log() differently, so floats are compared with a tolerance; sums tell the rest.
 */
#include "traces/store/verify_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/digest.h"
#include "traces/store/column.h"
#include "traces/store/written.h"

#define TOLERANCE 1e-12

static bool is_close(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return a == b || fabs(a - b) <= TOLERANCE * fmax(fabs(a), fabs(b));
}

static double f32_column(sqlite3_stmt *row, int column)
{
	uint32_t bits = (uint32_t)sqlite3_column_int64(row, column);
	float value;

	memcpy(&value, &bits, sizeof value);
	return (double)value;
}

/* exp(max - row_max) as the kernels define it: equal maxima give 1, even if infinite. */
static double exp_below(double max, double row_max)
{
	return max == row_max ? 1.0 : exp(max - row_max);
}

/* --- partials --- */

enum { LAUNCH, SLOT, HEAD, CHUNK, MAX, SUM, LSE, SHARE, USED, KEYS };

struct chunk {
	int64_t key[KEYS];
	double max, sum, lse, share;
	bool used;
};

struct partials {
	struct store *store;
	int64_t run;
	struct chunk *chunks;           /* [count] of one launch, slot and head */
	size_t count, capacity;
};

static enum status partial_wrong(const struct partials *p, const struct chunk *c,
				 const char *column, double expected, double got)
{
	return fail(STATUS_DAMAGED, "%s: run %" PRId64 ": t_partial.%s does not follow from max and"
		    " sum: launch %" PRId64 " slot %" PRId64 " head %" PRId64 " chunk %" PRId64
		    ": expected %.17g, got %.17g", store_shown_path(p->store), p->run, column,
		    c->key[LAUNCH], c->key[SLOT], c->key[HEAD], c->key[CHUNK], expected, got);
}

/* Checks the row that was collected, and empties it. */
static enum status end_row(struct partials *p)
{
	double row_max = -INFINITY, total = 0;

	for (size_t i = 0; i < p->count; i++)
		if (p->chunks[i].used)
			row_max = fmax(row_max, p->chunks[i].max);
	for (size_t i = 0; i < p->count; i++)
		if (p->chunks[i].used)
			total += exp_below(p->chunks[i].max, row_max) * p->chunks[i].sum;
	for (size_t i = 0; i < p->count; i++) {
		const struct chunk *c = &p->chunks[i];
		double lse = c->used ? c->max + log(c->sum) : NAN;
		double share = c->used ? exp_below(c->max, row_max) * c->sum : 0;

		share = share != 0 ? share / total : share;
		if (!is_close(lse, c->lse))
			return partial_wrong(p, c, "lse", lse, c->lse);
		if (!is_close(share, c->share))
			return partial_wrong(p, c, "weight (share)", share, c->share);
	}
	p->count = 0;
	return STATUS_OK;
}

static enum status take_partial(void *context, sqlite3_stmt *row)
{
	struct partials *p = context;
	struct chunk c = {
		.max = f32_column(row, MAX), .sum = f32_column(row, SUM),
		.lse = column_real(row, LSE), .share = column_real(row, SHARE),
		.used = sqlite3_column_int(row, USED) != 0,
	};

	for (int i = LAUNCH; i <= CHUNK; i++)
		c.key[i] = sqlite3_column_int64(row, i);
	if (p->count && memcmp(c.key, p->chunks[0].key, CHUNK * sizeof c.key[0]) != 0)
		TRY(end_row(p));
	if (p->count == p->capacity) {
		p->capacity = p->capacity ? 2 * p->capacity : 64;
		p->chunks = xreallocarray(p->chunks, p->capacity, sizeof *p->chunks);
	}
	p->chunks[p->count++] = c;
	return STATUS_OK;
}

enum status verify_partials(struct store *store, int64_t run)
{
	struct partials p = { .store = store, .run = run };
	enum status status;

	status = store_each(store, "SELECT launch, slot, head, chunk, max, sum, lse, weight,"
			    " acc_data IS NOT NULL FROM t_partial WHERE run = ?"
			    " ORDER BY launch, slot, head, chunk", &run, 1, take_partial, &p);
	if (status == STATUS_OK)
		status = end_row(&p);
	free(p.chunks);
	return status;
}

/* --- reductions --- */

enum { REDUCE_LAUNCH, REDUCE_SLOT, REDUCE_HEAD, REDUCE_SEQUENCE, REDUCE_MAX, REDUCE_SUM,
	REDUCE_FACTOR, REDUCE_RUNNING, REDUCE_ROW_MAX };

struct reduces {
	struct store *store;
	int64_t run;
	double sum;                     /* running */
};

/* The row's partial is joined by the query. */
static enum status take_reduce(void *context, sqlite3_stmt *row)
{
	struct reduces *r = context;
	double factor = exp_below(f32_column(row, REDUCE_MAX), column_real(row, REDUCE_ROW_MAX));
	double got_factor = column_real(row, REDUCE_FACTOR);
	double got = column_real(row, REDUCE_RUNNING);

	if (sqlite3_column_int64(row, REDUCE_SEQUENCE) == 0)
		r->sum = 0;
	r->sum += factor * f32_column(row, REDUCE_SUM);
	if (is_close(factor, got_factor) && is_close(r->sum, got))
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "%s: run %" PRId64 ": t_reduce does not follow from t_partial:"
		    " launch %lld slot %lld head %lld sequence %lld: expected factor %.17g and sum"
		    " %.17g, got %.17g and %.17g", store_shown_path(r->store), r->run,
		    sqlite3_column_int64(row, REDUCE_LAUNCH),
		    sqlite3_column_int64(row, REDUCE_SLOT), sqlite3_column_int64(row, REDUCE_HEAD),
		    sqlite3_column_int64(row, REDUCE_SEQUENCE), factor, r->sum, got_factor, got);
}

/* The partials of a reduction, if they were recorded, are those of the launch before it that wrote
 * the same buffer. The + lets SQLite use the index: t_op.launch has no declared type. */
enum status verify_reduces(struct store *store, int64_t run)
{
	struct reduces r = { .store = store, .run = run };

#define F32(x) \
	"((" x " & 0x7fffff) + b.hidden) * b.scale * iif(" x " < 0, -1, 1)"
#define PARTIALS(launch) \
	"(SELECT a.buffer || ' ' || a.offset FROM t_op o CROSS JOIN t_arg a ON a.call = o.call" \
	" WHERE o.run = r.run AND o.launch = +" launch " AND a.name = 'partials')"
	return store_each(store, "SELECT r.launch, r.slot, r.head, r.sequence, p.max, p.sum,"
			  " r.weight, r.sum, (SELECT max(" F32("m.max") ") FROM t_partial m"
			  "  CROSS JOIN t_byte b ON b.n = (m.max >> 23) & 255 WHERE m.run = r.run"
			  "  AND m.launch = r.launch - 1 AND m.slot = r.slot AND m.head = r.head"
			  "  AND m.acc_data IS NOT NULL AND (m.max & 0x7fffffff) <= 0x7f800000)"
			  " FROM t_reduce r CROSS JOIN t_partial p ON p.run = r.run"
			  "  AND p.launch = r.launch - 1 AND p.slot = r.slot AND p.head = r.head"
			  "  AND p.chunk = r.chunk"
			  " WHERE r.run = ?1 AND " PARTIALS("r.launch") " = "
			  PARTIALS("r.launch - 1")
			  " ORDER BY r.launch, r.slot, r.head, r.sequence", &run, 1, take_reduce,
			  &r);
#undef PARTIALS
#undef F32
}

/* --- what launches wrote --- */

struct outputs {
	struct store *store;
	int64_t run;
};

/* Compares if the pieces are all that the launch wrote: without gaps, or rows of a cache. */
static enum status compare_written(struct outputs *o, const struct written *w, bool rows)
{
	struct digest_state *state;
	uint64_t digest;
	size_t size = dtype_bytes(w->dtype);
	int64_t next = written_first(w);

	for (size_t i = 0; i < w->piece_count && !rows; i++) {
		if (w->pieces[i].first != next)
			return STATUS_OK;
		next += w->pieces[i].count;
	}
	if (!rows && next != written_first(w) + written_count(w))
		return STATUS_OK;
	state = digest_begin(w->dtype);
	for (size_t i = 0; i < w->piece_count; i++)
		digest_add(state, w->pieces[i].bytes, (size_t)w->pieces[i].count * size);
	digest = digest_end(state);
	if (digest == (uint64_t)w->digest)
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "%s: run %" PRId64 " op %" PRId64 ": the digest of buffer %"
		    PRId64 " is %016" PRIx64 ", but the rows of what was written have %016" PRIx64,
		    store_shown_path(o->store), o->run, w->op, w->buffer, w->digest, digest);
}

static enum status take_output(void *context, sqlite3_stmt *row)
{
	struct outputs *o = context;
	struct written w;
	enum status status;
	bool found;

	status = written_read(o->store, o->run, sqlite3_column_int64(row, 0),
			      sqlite3_column_int64(row, 1), &w, &found);
	if (status == STATUS_OK && found && w.piece_count)
		status = compare_written(o, &w, sqlite3_column_int(row, 2) != 0);
	written_free(&w);
	return status;
}

/* Rows of a cache count if the source of all of them is known and none overwrites another. */
enum status verify_written(struct store *store, int64_t run)
{
	struct outputs o = { store, run };

	return store_each(store, "SELECT l.launch, d.entry, (SELECT count(k.source_op) = count(*)"
			  "  AND count(DISTINCT k.offset) = count(*) AND count(*) > 0"
			  "  FROM v_kv k WHERE k.run = l.run AND k.launch = l.launch"
			  "  AND k.buffer = d.buffer)"
			  " FROM t_launch l JOIN t_digest d ON d.run = l.run AND d.op = l.op"
			  " AND d.after_step = 0 WHERE l.run = ?1 AND d.data IS NULL"
			  " ORDER BY l.launch, d.entry", &run, 1, take_output, &o);
}
