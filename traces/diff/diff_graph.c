/* diff_graph.c - compares a run that launched graphs with one that launched each kernel directly.
 *
 * Their operations do not correspond, because graphs have buffers and kernels of their own. What is
 * compared is the state after each step, for buffers of the same name, and, if both runs made the
 * same launches layer by layer, what these wrote. The other passes compare partials, points and
 * tokens of the launches that were joined here.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/diff/diff_passes.h"
#include "traces/diff/diff_report.h"

static enum status prepare(struct diff *d, int side, const char *sql, sqlite3_stmt **rows)
{
	if (sqlite3_prepare_v2(store_db(d->store[side]), sql, -1, rows, NULL) == SQLITE_OK
	    && sqlite3_bind_int64(*rows, 1, d->run[side].run) == SQLITE_OK)
		return STATUS_OK;
	return store_read_failed(d->store[side]);
}

static enum status next(struct diff *d, int side, sqlite3_stmt *rows, bool *end)
{
	int code = sqlite3_step(rows);

	*end = code == SQLITE_DONE;
	return code == SQLITE_ROW || *end ? STATUS_OK : store_read_failed(d->store[side]);
}

enum status diff_uses_graphs(struct diff *d, int side, bool *uses)
{
	sqlite3_stmt *rows = NULL;
	enum status status = prepare(d, side, "SELECT 1 FROM v_op WHERE run = ?1"
				     " AND kind = 'graph_launch' LIMIT 1", &rows);
	bool end = true;

	if (status == STATUS_OK)
		status = next(d, side, rows, &end);
	sqlite3_finalize(rows);
	*uses = !end;
	return status;
}

/* --- launches --- */

enum { LAUNCH, LAUNCH_OP, LAUNCH_LAYER, LAUNCH_STEP };
static const char launches[] =
	"SELECT launch, op, coalesce(layer, -1), coalesce(step, -1) FROM v_launch WHERE run = ?1"
	" ORDER BY launch";

static void join_launch(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	d->ops = xreallocarray(d->ops, d->op_count + 1, sizeof *d->ops);
	d->ops[d->op_count++] = (struct diff_op){ {
		[KEY_OP_A] = sqlite3_column_int64(a, LAUNCH_OP),
		[KEY_OP_B] = sqlite3_column_int64(b, LAUNCH_OP),
		[KEY_LAUNCH] = sqlite3_column_int64(a, LAUNCH),
	} };
	d->report->operations++;
}

/* Joins all launches if they correspond, otherwise none. */
static enum status join_rows(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b, bool *same)
{
	bool end_a = false, end_b = false;

	for (*same = true; *same; ) {
		TRY(next(d, 0, a, &end_a));
		TRY(next(d, 1, b, &end_b));
		*same = end_a == end_b;
		if (end_a || end_b)
			break;
		for (int i = LAUNCH; i <= LAUNCH_STEP; i++)
			*same = *same && (i == LAUNCH_OP || sqlite3_column_int64(a, i)
					  == sqlite3_column_int64(b, i));
		if (*same)
			join_launch(d, a, b);
	}
	if (*same)
		return STATUS_OK;
	d->op_count = 0;
	d->report->operations = 0;
	diff_note(d, "launches do not correspond: compared after each step");
	return STATUS_OK;
}

static enum status join_launches(struct diff *d, bool *same)
{
	sqlite3_stmt *rows[2] = { NULL, NULL };
	enum status status = prepare(d, 0, launches, &rows[0]);

	if (status == STATUS_OK)
		status = prepare(d, 1, launches, &rows[1]);
	if (status == STATUS_OK)
		status = join_rows(d, rows[0], rows[1], same);
	sqlite3_finalize(rows[0]);
	sqlite3_finalize(rows[1]);
	return status;
}

/* --- digests by the names of buffers --- */

enum { DIGEST_AFTER_STEP, DIGEST_NUMBER, DIGEST_NAME, DIGEST_OFFSET, DIGEST_BYTES, DIGEST_DIGEST,
	DIGEST_OP };
static const char digests[] =
	"SELECT d.after_step, iif(d.after_step, d.step, d.launch) AS number, b.name, d.offset,"
	" d.bytes, d.digest, d.op FROM v_digest d JOIN v_buffer b USING (run, buffer)"
	" WHERE d.run = ?1 AND number IS NOT NULL ORDER BY 1, 2, 3, 4, 5";

static int compare_rows(sqlite3_stmt *a, sqlite3_stmt *b)
{
	int names;

	for (int i = DIGEST_AFTER_STEP; i <= DIGEST_NUMBER; i++)
		if (sqlite3_column_int64(a, i) != sqlite3_column_int64(b, i))
			return sqlite3_column_int64(a, i) < sqlite3_column_int64(b, i) ? -1 : 1;
	names = strcmp((const char *)sqlite3_column_text(a, DIGEST_NAME),
		       (const char *)sqlite3_column_text(b, DIGEST_NAME));
	if (names)
		return names;
	for (int i = DIGEST_OFFSET; i <= DIGEST_BYTES; i++)
		if (sqlite3_column_int64(a, i) != sqlite3_column_int64(b, i))
			return sqlite3_column_int64(a, i) < sqlite3_column_int64(b, i) ? -1 : 1;
	return 0;
}

static void compare_digests(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	struct diff_place place = {
		.op = sqlite3_column_int64(a, DIGEST_OP), .pass = PASS_DIGEST,
	};
	struct diff_item item = { .ulp = -1 };

	d->report->buffers++;
	if (sqlite3_column_int64(a, DIGEST_DIGEST) == sqlite3_column_int64(b, DIGEST_DIGEST))
		return;
	d->report->digests++;
	snprintf(place.address, sizeof place.address, "%c%lld.end",
		 sqlite3_column_int(a, DIGEST_AFTER_STEP) ? 's' : 'L',
		 sqlite3_column_int64(a, DIGEST_NUMBER));
	snprintf(item.what, sizeof item.what, "digest of %.60s",
		 (const char *)sqlite3_column_text(a, DIGEST_NAME));
	snprintf(item.a, sizeof item.a, "%016llx", sqlite3_column_int64(a, DIGEST_DIGEST));
	snprintf(item.b, sizeof item.b, "%016llx", sqlite3_column_int64(b, DIGEST_DIGEST));
	diff_add(d, &place, &item);
}

/* Digests that only one of the runs has, of a graph's lengths for example, are not compared. */
static enum status merge_digests(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b, bool launched)
{
	bool end_a, end_b;

	TRY(next(d, 0, a, &end_a));
	TRY(next(d, 1, b, &end_b));
	while (!end_a && !end_b) {
		int order = compare_rows(a, b);

		if (order == 0 && (launched || sqlite3_column_int(a, DIGEST_AFTER_STEP)))
			compare_digests(d, a, b);
		if (order <= 0)
			TRY(next(d, 0, a, &end_a));
		if (order >= 0)
			TRY(next(d, 1, b, &end_b));
	}
	return STATUS_OK;
}

enum status diff_graph(struct diff *d)
{
	sqlite3_stmt *rows[2] = { NULL, NULL };
	bool launched = false;
	enum status status;

	diff_note(d, "one run launched graphs, the other each kernel directly: compared by buffer"
		  " name");
	TRY(join_launches(d, &launched));
	status = prepare(d, 0, digests, &rows[0]);
	if (status == STATUS_OK)
		status = prepare(d, 1, digests, &rows[1]);
	if (status == STATUS_OK)
		status = merge_digests(d, rows[0], rows[1], launched);
	sqlite3_finalize(rows[0]);
	sqlite3_finalize(rows[1]);
	return status;
}
