/* export_rows.c - chunk partials and reductions of a launch as arrays; see export_npz.c.
 *
 * The arrays have shape (slots, heads, chunks); a chunk without a row, such as an empty chunk for
 * which the kernel wrote nothing, is NaN or -1.
 */
#include "tui/export/export_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

#define MAX_ELEMENTS ((int64_t)1 << 32) /* of an array: larger ones mean a damaged trace */

struct arrays {
	int64_t launch;
	int64_t shape[4];               /* slots, heads, chunks or steps, and D of acc */
	size_t count;                   /* of the first three */
	float *max, *sum, *acc;
	double *lse, *share, *factor, *running;
	int32_t *key_begin, *key_end, *chunk;
	void *bytes;                    /* last data read, with accumulators */
	size_t size;
	int64_t data;                   /* its number; -1: none yet */
};

static float *floats(size_t count)
{
	float *out = xreallocarray(NULL, count, sizeof *out);

	for (size_t i = 0; i < count; i++)
		out[i] = NAN;
	return out;
}

static double *doubles(size_t count)
{
	double *out = xreallocarray(NULL, count, sizeof *out);

	for (size_t i = 0; i < count; i++)
		out[i] = NAN;
	return out;
}

static int32_t *integers(size_t count)
{
	int32_t *out = xreallocarray(NULL, count, sizeof *out);

	memset(out, 0xff, count * sizeof *out);
	return out;
}

static enum status take_shape(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct arrays *a = state;
	int64_t count = 1;

	(void)c;
	for (int i = 0; i < 4; i++) {
		a->shape[i] = view_null(row, i) ? i == 3 : view_int(row, i);
		if (a->shape[i] < 0 || __builtin_mul_overflow(count, a->shape[i], &count)
		    || count > MAX_ELEMENTS)
			return fail(STATUS_DAMAGED, "L%" PRId64 ": too many chunks", a->launch);
	}
	a->count = (size_t)(a->shape[0] * a->shape[1] * a->shape[2]);
	return STATUS_OK;
}

/* The array index of a row: columns 0 to 2 are slot, head and chunk or step. */
static enum status find_place(const struct arrays *a, sqlite3_stmt *row, size_t *at)
{
	*at = 0;
	for (int i = 0; i < 3; i++) {
		if (view_int(row, i) < 0 || view_int(row, i) >= a->shape[i])
			return fail(STATUS_DAMAGED, "L%" PRId64 ": chunk out of range", a->launch);
		*at = *at * (size_t)a->shape[i] + (size_t)view_int(row, i);
	}
	return STATUS_OK;
}

/* --- partials --- */

enum { MAX = 3, SUM, LSE, SHARE, KEY_BEGIN, KEY_END, ACC_DATA, ACC_OFFSET, ACC_BYTES };

static enum status take_acc(const struct view_context *c, struct arrays *a, sqlite3_stmt *row,
			    float *out)
{
	size_t offset = (size_t)view_int(row, ACC_OFFSET), bytes = (size_t)view_int(row, ACC_BYTES);

	if (view_null(row, ACC_DATA))
		return STATUS_OK;
	if (view_int(row, ACC_DATA) != a->data) {
		free(a->bytes);
		a->bytes = NULL;
		a->data = -1;
		TRY(store_data(c->store, view_int(row, ACC_DATA), &a->bytes, &a->size));
		a->data = view_int(row, ACC_DATA);
	}
	if (bytes > (size_t)a->shape[3] * sizeof *out || offset > a->size
	    || bytes > a->size - offset)
		return fail(STATUS_DAMAGED, "L%" PRId64 ": accumulators out of range", a->launch);
	memcpy(out, (const char *)a->bytes + offset, bytes);
	return STATUS_OK;
}

static enum status take_partial(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct arrays *a = state;
	size_t at;

	TRY(find_place(a, row, &at));
	if (!view_null(row, MAX))
		a->max[at] = view_f32(row, MAX);
	if (!view_null(row, SUM))
		a->sum[at] = view_f32(row, SUM);
	if (!view_null(row, LSE))
		a->lse[at] = sqlite3_column_double(row, LSE);
	if (!view_null(row, SHARE))
		a->share[at] = sqlite3_column_double(row, SHARE);
	a->key_begin[at] = (int32_t)view_int(row, KEY_BEGIN);
	a->key_end[at] = (int32_t)view_int(row, KEY_END);
	return take_acc(c, a, row, a->acc + at * (size_t)a->shape[3]);
}

static enum status add(const struct arrays *a, struct npz *npz, const char *field,
		       enum dtype dtype, int rank, const void *values)
{
	char *name = xasprintf("L%" PRId64 ".%s", a->launch, field);
	enum status status = npz_add(npz, name, dtype, rank, a->shape, values);

	free(name);
	return status;
}

static enum status add_partials(const struct arrays *a, struct npz *npz)
{
	TRY(add(a, npz, "partial.max", DTYPE_F32, 3, a->max));
	TRY(add(a, npz, "partial.sum", DTYPE_F32, 3, a->sum));
	TRY(add(a, npz, "partial.lse", DTYPE_F64, 3, a->lse));
	TRY(add(a, npz, "partial.share", DTYPE_F64, 3, a->share));
	TRY(add(a, npz, "partial.key_begin", DTYPE_I32, 3, a->key_begin));
	TRY(add(a, npz, "partial.key_end", DTYPE_I32, 3, a->key_end));
	return add(a, npz, "partial.acc", DTYPE_F32, 4, a->acc);
}

static enum status put_partials(const struct view_context *c, struct arrays *a, struct npz *npz)
{
	TRY(VIEW_ROWS(c, take_shape, a,
		      "SELECT max(slot) + 1, max(head) + 1, max(chunk) + 1, max(acc_bytes) / 4"
		      " FROM v_partial WHERE run = ?1 AND launch = ?2 HAVING count(*) > 0",
		      c->run, a->launch));
	if (a->count == 0)
		return STATUS_OK;
	a->max = floats(a->count);
	a->sum = floats(a->count);
	a->acc = floats(a->count * (size_t)a->shape[3]);
	a->lse = doubles(a->count);
	a->share = doubles(a->count);
	a->key_begin = integers(a->count);
	a->key_end = integers(a->count);
	TRY(VIEW_ROWS(c, take_partial, a,
		      "SELECT slot, head, chunk, max_bits, sum_bits, lse, share, key_begin,"
		      " key_end, acc_data, acc_offset, acc_bytes FROM v_partial"
		      " WHERE run = ?1 AND launch = ?2", c->run, a->launch));
	return add_partials(a, npz);
}

/* --- reductions --- */

static enum status take_reduce(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct arrays *a = state;
	size_t at;

	(void)c;
	TRY(find_place(a, row, &at));
	a->chunk[at] = (int32_t)view_int(row, 3);
	if (!view_null(row, 4))
		a->factor[at] = sqlite3_column_double(row, 4);
	if (!view_null(row, 5))
		a->running[at] = sqlite3_column_double(row, 5);
	return STATUS_OK;
}

static enum status put_reduce(const struct view_context *c, struct arrays *a, struct npz *npz)
{
	TRY(VIEW_ROWS(c, take_shape, a,
		      "SELECT max(slot) + 1, max(head) + 1, max(sequence) + 1, 1 FROM v_reduce"
		      " WHERE run = ?1 AND launch = ?2 HAVING count(*) > 0", c->run, a->launch));
	if (a->count == 0)
		return STATUS_OK;
	a->chunk = integers(a->count);
	a->factor = doubles(a->count);
	a->running = doubles(a->count);
	TRY(VIEW_ROWS(c, take_reduce, a, "SELECT slot, head, sequence, chunk, factor, sum"
		      " FROM v_reduce WHERE run = ?1 AND launch = ?2", c->run, a->launch));
	TRY(add(a, npz, "reduce.chunk", DTYPE_I32, 3, a->chunk));
	TRY(add(a, npz, "reduce.factor", DTYPE_F64, 3, a->factor));
	return add(a, npz, "reduce.sum", DTYPE_F64, 3, a->running);
}

static void free_arrays(struct arrays *a)
{
	free(a->max);
	free(a->sum);
	free(a->acc);
	free(a->lse);
	free(a->share);
	free(a->factor);
	free(a->running);
	free(a->key_begin);
	free(a->key_end);
	free(a->chunk);
	free(a->bytes);
}

enum status export_launch_rows(const struct view_context *c, int64_t launch, struct npz *npz)
{
	struct arrays partials = { .launch = launch, .data = -1 };
	struct arrays reduce = { .launch = launch, .data = -1 };
	enum status status = put_partials(c, &partials, npz);

	if (status == STATUS_OK)
		status = put_reduce(c, &reduce, npz);
	free_arrays(&partials);
	free_arrays(&reduce);
	return status;
}
