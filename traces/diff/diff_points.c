/* diff_points.c - compares named points: what single threads of a launch published.
 *
 * Joined on launch, block, warp, lane and sequence. A name that one run does not have at all was
 * left out of its recording: it is not compared, and the report has a note. Nor are points that a
 * kernel got after the other run was recorded (point_text.h); the report lists them. Points with a
 * name that both runs have must match one by one. A launch whose points have the same digest in
 * both runs is skipped: diff.c has verified these digests.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/diff/diff_join.h"
#include "traces/diff/diff_passes.h"
#include "traces/diff/diff_report.h"
#include "traces/diff/diff_value.h"
#include "traces/diff/diff_walk.h"
#include "traces/diff/point_text.h"

enum { POINT_LAUNCH, POINT_BLOCK, POINT_WARP, POINT_LANE, POINT_SEQUENCE, POINT_NAME, POINT_VALUE };
#define POINT_VALUES 4

static bool names_hold(const struct diff_names *names, const char *name)
{
	for (int i = 0; i < names->count; i++)
		if (!strcmp(names->items[i], name))
			return true;
	return false;
}

/* True if `side` recorded points, but none called `name`. A run without any points did not leave
 * out a name: its points are missing. */
static bool left_out(const struct diff *d, int side, const char *name)
{
	const struct diff_names *names = &d->names[side];

	return !d->options.replayed && names->count && !names_hold(names, name);
}

static struct diff_place point_place(const struct diff *d, sqlite3_stmt *row)
{
	int64_t launch = sqlite3_column_int64(row, POINT_LAUNCH);
	struct diff_place place = { .op = diff_launch_op(d, launch), .pass = PASS_POINT };

	snprintf(place.address, sizeof place.address, "L%" PRId64 ".b%lld.w%d.l%d.p%lld", launch,
		 sqlite3_column_int64(row, POINT_BLOCK), diff_int(row, POINT_WARP),
		 diff_int(row, POINT_LANE), sqlite3_column_int64(row, POINT_SEQUENCE));
	return place;
}

static const char *point_name(sqlite3_stmt *row)
{
	const unsigned char *name = sqlite3_column_text(row, POINT_NAME);

	return name ? (const char *)name : "?";
}

static void compare_point_value(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b, int value)
{
	int column = POINT_VALUE + value;
	bool none_a = sqlite3_column_type(a, column) == SQLITE_NULL;
	bool none_b = sqlite3_column_type(b, column) == SQLITE_NULL;
	struct diff_place place;
	char name[64];

	if (none_a == none_b && diff_bits(a, column) == diff_bits(b, column))
		return;
	place = point_place(d, a);
	snprintf(name, sizeof name, "%.40s v%d", point_name(a), value);
	if (none_a != none_b)
		diff_missing(d, &place, name, none_a);
	else
		diff_f32(d, &place, name, diff_bits(a, column), diff_bits(b, column));
}

static enum status point_both(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	d->report->points++;
	if (strcmp(point_name(a), point_name(b)) != 0) {
		struct diff_place place = point_place(d, a);
		struct diff_item item = { .what = "name of the point", .ulp = -1 };

		snprintf(item.a, sizeof item.a, "%.60s", point_name(a));
		snprintf(item.b, sizeof item.b, "%.60s", point_name(b));
		diff_add(d, &place, &item);
		return STATUS_OK;
	}
	for (int i = 0; i < POINT_VALUES; i++)
		compare_point_value(d, a, b, i);
	return STATUS_OK;
}

/* Adds "softmax of attention_prefill" to the points left out of the report. */
static void add_lacking(struct diff *d, const char *name, const char *kernel)
{
	char *one = xasprintf("%s of %s", name, kernel), *list = d->report->points_lacking;

	for (int i = 0; i < d->lacking.count; i++)
		if (!strcmp(d->lacking.items[i], one)) {
			free(one);
			return;
		}
	d->lacking.items = xreallocarray(d->lacking.items, (size_t)d->lacking.count + 1,
					 sizeof *d->lacking.items);
	d->lacking.items[d->lacking.count++] = one;
	d->report->points_lacking = list ? xasprintf("%s, %s", list, one) : xstrdup(one);
	free(list);
}

static enum status point_one(struct diff *d, sqlite3_stmt *row, int side)
{
	struct diff_place place = point_place(d, row);
	const char *kernel;
	char what[64];
	bool lacks;

	if (left_out(d, !side, point_name(row)))
		return STATUS_OK;
	TRY(point_text_lacks(d->point_text, !side, sqlite3_column_int64(row, POINT_LAUNCH),
			     point_name(row), &lacks, &kernel));
	if (lacks) {
		add_lacking(d, point_name(row), kernel);
		return STATUS_OK;
	}
	snprintf(what, sizeof what, "point %.40s", point_name(row));
	diff_missing(d, &place, what, side);
	return STATUS_OK;
}

static enum status read_names(struct diff *d, int side)
{
	sqlite3_stmt *rows = NULL;
	struct diff_names *names = &d->names[side];
	int code;

	if (sqlite3_prepare_v2(store_db(d->store[side]),
			       "SELECT content FROM t_point_name n WHERE EXISTS (SELECT 1"
			       " FROM t_point p WHERE p.run = ?1 AND p.name = n.name)"
			       " ORDER BY content", -1, &rows, NULL) != SQLITE_OK)
		return store_read_failed(d->store[side]);
	sqlite3_bind_int64(rows, 1, d->run[side].run);
	while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
		const unsigned char *name = sqlite3_column_text(rows, 0);

		names->items = xreallocarray(names->items, (size_t)names->count + 1,
					     sizeof *names->items);
		names->items[names->count++] = xstrdup(name ? (const char *)name : "?");
	}
	sqlite3_finalize(rows);
	return code == SQLITE_DONE ? STATUS_OK : store_read_failed(d->store[side]);
}

static void note_names(struct diff *d)
{
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < d->names[side].count; i++)
			if (left_out(d, !side, d->names[side].items[i]))
				diff_note(d, "%c has no points called %s: not compared",
					  side ? 'A' : 'B', d->names[side].items[i]);
}

static void names_free(struct diff_names *names)
{
	for (int i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct diff_names){ 0 };
}

/* --- launches --- */

static const struct diff_join points = {
	/* In the order of the table's key: nothing is sorted. */
	.query = "SELECT p.launch, p.thread / l.threads, p.thread % l.threads / 32,"
		 " p.thread % l.threads % 32, p.sequence, n.content, p.v0, p.v1, p.v2, p.v3"
		 " FROM t_point p CROSS JOIN t_launch l ON l.run = p.run AND l.launch = p.launch"
		 " LEFT JOIN t_point_name n ON n.name = p.name"
		 " WHERE p.run = ?1 AND p.launch BETWEEN ?2 AND ?3"
		 " ORDER BY p.launch, p.thread, p.sequence",
	.keys = 5, .common = diff_common_launch, .both = point_both, .one = point_one,
};

/* State of a walk over the digests of launches. Launches with equal digests are only counted; the
 * points of others, from launch `first` on, are compared when an equal one follows them. */
struct diff_skip {
	int64_t first;
	bool pending;                   /* a launch from there on may differ */
	bool digests[2];                /* the run has any */
	bool named;                     /* names of points have been read */
};

enum { SUM_LAUNCH, SUM_POINTS, SUM_DIGEST };

/* Equal digests mean equal names too, so names are read only when a digest differs. */
static enum status compare_until(struct diff *d, struct diff_skip *skip, int64_t last)
{
	struct diff_join join = points;

	if (!skip->named) {
		TRY(read_names(d, 0));
		TRY(read_names(d, 1));
		note_names(d);
		skip->named = true;
	}
	join.min_key = skip->first;
	join.max_key = last;
	return diff_join(d, &join);
}

static enum status sum_both(struct diff *d, sqlite3_stmt *a, sqlite3_stmt *b)
{
	struct diff_skip *skip = d->skip;
	int64_t launch = sqlite3_column_int64(a, SUM_LAUNCH);

	skip->digests[0] = skip->digests[1] = true;
	if (sqlite3_column_int64(a, SUM_POINTS) != sqlite3_column_int64(b, SUM_POINTS)
	    || sqlite3_column_int64(a, SUM_DIGEST) != sqlite3_column_int64(b, SUM_DIGEST)) {
		skip->pending = true;
		return STATUS_OK;
	}
	if (skip->pending)
		TRY(compare_until(d, skip, launch - 1));
	d->report->points += sqlite3_column_int64(a, SUM_POINTS);
	if (d->by_sum)
		d->report->points_by_sum += sqlite3_column_int64(a, SUM_POINTS);
	skip->first = launch + 1;
	skip->pending = false;
	return STATUS_OK;
}

static enum status sum_one(struct diff *d, sqlite3_stmt *row, int side)
{
	struct diff_skip *skip = d->skip;

	(void)row;
	skip->pending = true;
	skip->digests[side] = true;
	return STATUS_OK;
}

static enum status compare_launches(struct diff *d)
{
	static const struct diff_join sums = {
		.query = "SELECT launch, points, digest FROM v_point_sum WHERE run = ?1"
			 " ORDER BY launch",
		.keys = 1, .common = diff_common_launch, .both = sum_both, .one = sum_one,
	};
	struct diff_skip skip = { 0 };

	d->skip = &skip;
	TRY(diff_join(d, &sums));
	d->skip = NULL;
	/* Traces before version 4 have no digests of points. */
	return skip.pending || !skip.digests[0] || !skip.digests[1]
		? compare_until(d, &skip, INT64_MAX) : STATUS_OK;
}

enum status diff_points(struct diff *d)
{
	enum status status;

	d->point_text = point_text_new(d->store, (int64_t[]){ d->run[0].run, d->run[1].run });
	status = compare_launches(d);
	point_text_free(d->point_text);
	names_free(&d->names[0]);
	names_free(&d->names[1]);
	names_free(&d->lacking);
	return status;
}
