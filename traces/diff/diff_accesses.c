/* diff_accesses.c - compares loads and stores of blocks that both runs recorded.
 *
 * Joined on launch, block, warp, request and lane, whose numbers do not depend on the seed.
 */
#include <inttypes.h>
#include <stdio.h>

#include "traces/diff/diff_join.h"
#include "traces/diff/diff_passes.h"
#include "traces/diff/diff_report.h"
#include "traces/diff/diff_walk.h"
#include "traces/row.h"

enum { LAUNCH, BLOCK, WARP, REQUEST, LANE, WARP_IN_BLOCK, BITS, BUFFER, OFFSET, BYTES, KIND, SPACE,
       COLUMNS };

static const char *const names[COLUMNS] = {
	[BITS] = "bits", [BUFFER] = "buffer", [OFFSET] = "offset", [BYTES] = "bytes",
	[KIND] = "kind", [SPACE] = "space",
};

static struct diff_place access_place(const struct diff *d, sqlite3_stmt *row)
{
	int64_t launch = sqlite3_column_int64(row, LAUNCH);
	struct diff_place place = { .op = diff_launch_op(d, launch), .pass = PASS_POINT };

	snprintf(place.address, sizeof place.address, "L%" PRId64 ".b%lld.w%d.l%d.a%lld", launch,
		 sqlite3_column_int64(row, BLOCK), diff_int(row, WARP_IN_BLOCK),
		 diff_int(row, LANE), sqlite3_column_int64(row, REQUEST));
	return place;
}

static void format_value(sqlite3_stmt *row, int column, char *text, size_t size)
{
	if (sqlite3_column_type(row, column) == SQLITE_NULL)
		snprintf(text, size, "none");
	else
		snprintf(text, size, column == BITS ? "0x%llx" : "%lld",
			 sqlite3_column_int64(row, column));
}

/* Reports the first column that differs: the others follow from it. */
static enum status access_both(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	d->report->accesses++;
	for (int i = COLUMNS - 1; i >= BITS; i--) {
		struct diff_item item = { .ulp = -1 };
		struct diff_place place;

		if (sqlite3_column_type(a, i) == sqlite3_column_type(b, i)
		    && sqlite3_column_int64(a, i) == sqlite3_column_int64(b, i))
			continue;
		place = access_place(d, a);
		snprintf(item.what, sizeof item.what, "%s of an access", names[i]);
		format_value(a, i, item.a, sizeof item.a);
		format_value(b, i, item.b, sizeof item.b);
		if (i == BITS)
			item.bits = (uint64_t)__builtin_popcountll(
				(uint64_t)(sqlite3_column_int64(a, i)
					   ^ sqlite3_column_int64(b, i)));
		diff_add(d, &place, &item);
		return STATUS_OK;
	}
	return STATUS_OK;
}

/* Whether the windows of a run have the block; d->log_at is empty if both have the same windows. */
static bool has_block(const struct diff *d, int side, int64_t launch, int64_t block)
{
	const struct block_range *ranges;
	int count = log_at_blocks(&d->log_at[side], launch, &ranges);

	for (int i = 0; i < count; i++)
		if (block >= ranges[i].first && block <= ranges[i].last)
			return true;
	return !d->log_at[side].blocks;
}

static enum status access_one(struct diff *d, sqlite3_stmt *row, int side)
{
	struct diff_place place = access_place(d, row);

	if (has_block(d, !side, sqlite3_column_int64(row, LAUNCH),
		      sqlite3_column_int64(row, BLOCK)))
		diff_missing(d, &place, "access", side);
	return STATUS_OK;
}

enum status diff_accesses(struct diff *d)
{
	static const struct diff_join accesses = {
		/* In the order of the table's key: nothing is sorted. */
		.query = "SELECT a.launch, a.warp / ((l.threads + 31) / 32), a.warp, a.request,"
			 " a.lane, a.warp % ((l.threads + 31) / 32), a.bits, a.buffer, a.offset,"
			 " a.bytes, r.kind, r.space FROM t_access a"
			 " CROSS JOIN t_launch l ON l.run = a.run AND l.launch = a.launch"
			 " LEFT JOIN t_request r ON r.run = a.run AND r.launch = a.launch"
			 "  AND r.warp = a.warp AND r.request = a.request WHERE a.run = ?1"
			 " ORDER BY a.launch, a.warp, a.request, a.lane",
		.keys = 5, .common = diff_common_launch, .both = access_both, .one = access_one,
	};

	return diff_join(d, &accesses);
}
