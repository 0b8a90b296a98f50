/* verified.c - checks digests against the rows they stand for; see verified.h. */
#include "traces/store/verified.h"

#include <stdlib.h>
#include <string.h>

#include "traces/digest.h"
#include "traces/row.h"
#include "traces/store/column.h"
#include "traces/store/store_internal.h"
#include "traces/store/store_sums.h"

/* --- digests of stored bytes --- */

struct digests {
	struct store *store;
	int64_t run;
	/* The last one: consecutive rows often have the same bytes. */
	int64_t data;
	enum dtype type;
	uint64_t bytes, digest;
};

enum { OP, BUFFER, BYTES, DIGEST, DATA, DTYPE };

static enum status read_digest(struct digests *d, int64_t data, enum dtype type)
{
	size_t count;
	void *bytes;

	if (data == d->data && type == d->type)
		return STATUS_OK;
	TRY(store_data(d->store, data, &bytes, &count));
	d->digest = digest_bytes(type, bytes, count);
	d->bytes = count;
	d->data = data;
	d->type = type;
	free(bytes);
	return STATUS_OK;
}

static enum status take_digest(void *context, sqlite3_stmt *row)
{
	struct digests *d = context;
	uint64_t stored = (uint64_t)sqlite3_column_int64(row, DIGEST);
	const char *path = store_shown_path(d->store);
	long long run = d->run, op = sqlite3_column_int64(row, OP);
	long long buffer = sqlite3_column_int64(row, BUFFER);
	enum dtype type;

	if (!dtype_from_name(column_text(row, DTYPE), &type))
		return fail(STATUS_DAMAGED, "%s: run %lld op %lld: a digest of buffer %lld, which"
			    " does not exist", path, run, op, buffer);
	TRY(read_digest(d, sqlite3_column_int64(row, DATA), type));
	if (d->bytes != (uint64_t)sqlite3_column_int64(row, BYTES))
		return fail(STATUS_DAMAGED, "%s: run %lld op %lld: expected %lld stored bytes of"
			    " buffer %lld, got %llu", path, run, op,
			    sqlite3_column_int64(row, BYTES), buffer,
			    (unsigned long long)d->bytes);
	if (d->digest != stored)
		return fail(STATUS_DAMAGED, "%s: run %lld op %lld: the digest of buffer %lld is"
			    " %016llx, but its stored bytes have %016llx", path, run, op, buffer,
			    (unsigned long long)stored, (unsigned long long)d->digest);
	return STATUS_OK;
}

enum status verify_digests(struct store *store, int64_t run)
{
	struct digests d = { .store = store, .run = run, .data = -1 };

	return store_each(store, "SELECT d.op, d.buffer, d.bytes, d.digest, d.data,"
			  " (SELECT b.dtype FROM t_buffer b WHERE b.run = d.run"
			  "  AND b.buffer = d.buffer) FROM t_digest d WHERE d.run = ?1"
			  " AND d.data IS NOT NULL ORDER BY d.op, d.after_step, d.entry", &run, 1,
			  take_digest, &d);
}

/* --- digests of points --- */

struct points {
	struct store *store;
	sqlite3_stmt *sums;             /* t_point_sum */
	int64_t run, launch, count;     /* launch -1: none yet */
	uint64_t digest;
	bool compared;                  /* t_point_sum has rows */
};

enum { POINT_LAUNCH, POINT_THREAD, POINT_SEQUENCE, POINT_THREADS, POINT_NAME, POINT_VALUE };

static enum status points_wrong(const struct points *p, int64_t launch, const char *what,
				int64_t stored, int64_t found)
{
	return fail(STATUS_DAMAGED, "%s: run %lld launch %lld: expected %s %lld of its points by"
		    " t_point_sum, got %lld", store_shown_path(p->store), (long long)p->run,
		    (long long)launch, what, (long long)stored, (long long)found);
}

/* Compares the points of the launches from the next sum on up to p->launch; those without points
 * have none in t_point. */
static enum status end_launch(struct points *p, bool all)
{
	int rc;

	while (p->compared && (rc = sqlite3_step(p->sums)) == SQLITE_ROW) {
		int64_t launch = sqlite3_column_int64(p->sums, 0);
		int64_t count = sqlite3_column_int64(p->sums, 1);
		int64_t digest = sqlite3_column_int64(p->sums, 2);
		bool here = launch == p->launch && !all;

		if (count != (here ? p->count : 0))
			return points_wrong(p, launch, "the number", count, here ? p->count : 0);
		if (digest != (here ? (int64_t)p->digest : 0))
			return points_wrong(p, launch, "the digest", digest,
					    here ? (int64_t)p->digest : 0);
		if (here)
			return STATUS_OK;
	}
	if (!p->compared || all)
		return !p->compared || rc == SQLITE_DONE ? STATUS_OK
							 : store_failed(p->store, "read");
	return rc == SQLITE_DONE ? points_wrong(p, p->launch, "the number", 0, p->count)
				 : store_failed(p->store, "read");
}

static enum status take_point(void *context, sqlite3_stmt *row)
{
	int64_t launch = sqlite3_column_int64(row, POINT_LAUNCH);
	int64_t threads = sqlite3_column_int64(row, POINT_THREADS);
	int64_t thread = sqlite3_column_int64(row, POINT_THREAD);
	struct points *p = context;
	struct row_point e = {
		.sequence = (uint32_t)sqlite3_column_int64(row, POINT_SEQUENCE),
		.name = column_text(row, POINT_NAME),
	};

	if (launch != p->launch && p->launch >= 0)
		TRY(end_launch(p, false));
	if (launch != p->launch)
		p->count = 0, p->digest = 0;
	p->launch = launch;
	if (threads < 1 || thread < 0)
		return fail(STATUS_DAMAGED, "%s: run %lld launch %lld: thread %lld of blocks of"
			    " %lld", store_shown_path(p->store), (long long)p->run,
			    (long long)launch, (long long)thread, (long long)threads);
	e.block = (uint64_t)(thread / threads);
	e.thread = (uint32_t)(thread % threads);
	while (e.count < 4 && sqlite3_column_type(row, POINT_VALUE + e.count) != SQLITE_NULL) {
		e.bits[e.count] = (uint32_t)sqlite3_column_int64(row, POINT_VALUE + e.count);
		e.count++;
	}
	p->count++;
	p->digest += store_point_digest(&e, threads);
	return STATUS_OK;
}

static enum status compare_points(struct points *p)
{
	int64_t some;

	TRY(store_integer(p->store, "SELECT EXISTS (SELECT 1 FROM t_point_sum WHERE run = ?)",
			  &p->run, 1, 0, &some));
	p->compared = some;
	TRY(store_each(p->store, "SELECT p.launch, p.thread, p.sequence, l.threads, n.content,"
		       " p.v0, p.v1, p.v2, p.v3 FROM t_point p"
		       " LEFT JOIN t_launch l ON l.run = p.run AND l.launch = p.launch"
		       " LEFT JOIN t_point_name n ON n.name = p.name"
		       " WHERE p.run = ?1 ORDER BY p.launch, p.thread, p.sequence", &p->run, 1,
		       take_point, p));
	if (p->launch >= 0)
		TRY(end_launch(p, false));
	return end_launch(p, true);
}

enum status verify_points(struct store *store, int64_t run)
{
	struct points p = { .store = store, .run = run, .launch = -1 };
	enum status status;

	TRY(store_select(store, &p.sums, "SELECT launch, points, digest FROM t_point_sum"
			 " WHERE run = ? ORDER BY launch", &run, 1));
	status = compare_points(&p);
	sqlite3_finalize(p.sums);
	return status;
}

/* --- remembered --- */

struct sum_of {
	const char *name;
	bool shared;
};

/* Whether sums cover all of the tables. */
static enum status covered_by_sums(struct store *store, int64_t run, const struct sum_of *tables,
				   size_t count, bool *covered)
{
	*covered = true;
	for (size_t i = 0; i < count; i++) {
		bool one;

		TRY(store_sum_check(store, tables[i].shared ? SUM_SHARED : run, tables[i].name,
				    &one));
		*covered = *covered && one;
	}
	return STATUS_OK;
}

static enum status verified(struct store *store, int64_t run, const struct sum_of *tables,
			    size_t count, const char *what,
			    enum status (*read)(struct store *, int64_t), enum verified *how)
{
	bool covered, done;

	*how = VERIFIED_WRITTEN;
	if (store_is_own(store, run))
		return STATUS_OK;
	TRY(covered_by_sums(store, run, tables, count, &covered));
	*how = covered ? VERIFIED_SUM : VERIFIED_READ;
	if (covered || store_checked(store, run, what, &done))
		return STATUS_OK;
	TRY(read(store, run));
	store_check_done(store, run, what, true);
	return STATUS_OK;
}

enum status verified_digests(struct store *store, int64_t run, enum verified *how)
{
	static const struct sum_of tables[] = {
		{ "t_digest", false }, { "t_blob", true }, { "t_piece", true }, { "t_page", true },
	};

	return verified(store, run, tables, COUNT_OF(tables), "digests", verify_digests, how);
}

enum status verified_points(struct store *store, int64_t run, enum verified *how)
{
	static const struct sum_of tables[] = {
		{ "t_point", false }, { "t_point_sum", false }, { "t_launch", false },
		{ "t_point_name", true },
	};

	return verified(store, run, tables, COUNT_OF(tables), "points", verify_points, how);
}
