/* diff_spot.c - searches for the next difference launch by launch; see diff_spot.h.
 *
 * Reads the bytes of a launch only if its digests, which are verified first, differ. Points that a
 * kernel got after one of the runs was recorded are no difference (point_text.h).
 */
#include "traces/diff/diff_spot.h"

#include <string.h>

#include "base/value.h"
#include "traces/diff/point_text.h"
#include "traces/store/column.h"
#include "traces/store/store.h"
#include "traces/store/verified.h"
#include "traces/store/written.h"

/* Prepared queries of both runs. */
struct search {
	const struct diff_pair *pair;
	int direction;
	sqlite3_stmt *next;             /* launch after or before one, in the first run */
	sqlite3_stmt *digests[2], *sums[2], *points[2];
	struct point_text *point_text;
};

static const char *const next_launch[] = {
	"SELECT min(launch) FROM t_launch WHERE run = ?1 AND launch > ?2",
	"SELECT max(launch) FROM t_launch WHERE run = ?1 AND launch < ?2",
};
static const char digests[] =
	"SELECT d.entry, d.digest FROM t_launch l JOIN t_digest d ON d.run = l.run"
	" AND d.op = l.op AND d.after_step = 0 WHERE l.run = ?1 AND l.launch = ?2 ORDER BY d.entry";
static const char sums[] =
	"SELECT points, digest FROM t_point_sum WHERE run = ?1 AND launch = ?2";
static const char *const points[] = {
	"SELECT p.thread, p.sequence, n.content, p.v0, p.v1, p.v2, p.v3 FROM t_point p"
	" LEFT JOIN t_point_name n USING (name) WHERE p.run = ?1 AND p.launch = ?2"
	" AND (p.thread, p.sequence) > (?3, ?4) ORDER BY p.thread, p.sequence",
	"SELECT p.thread, p.sequence, n.content, p.v0, p.v1, p.v2, p.v3 FROM t_point p"
	" LEFT JOIN t_point_name n USING (name) WHERE p.run = ?1 AND p.launch = ?2"
	" AND (p.thread, p.sequence) < (?3, ?4) ORDER BY p.thread DESC, p.sequence DESC",
};

/* Before the first element and after the last. */
#define BEGIN (-2)
#define END (INT64_MAX - 1)

/* --- queries --- */

static enum status prepare(struct store *store, const char *sql, sqlite3_stmt **out)
{
	return sqlite3_prepare_v2(store_db(store), sql, -1, out, NULL) == SQLITE_OK
		? STATUS_OK : store_read_failed(store);
}

static enum status open_search(struct search *s, const struct diff_pair *pair, int direction)
{
	*s = (struct search){ .pair = pair, .direction = direction };
	for (int i = 0; i < 2; i++) {
		enum verified how;

		TRY(verified_digests(pair->store[i], pair->run[i], &how));
		TRY(verified_points(pair->store[i], pair->run[i], &how));
	}
	s->point_text = point_text_new(pair->store, pair->run);
	TRY(prepare(pair->store[0], next_launch[direction < 0], &s->next));
	for (int i = 0; i < 2; i++) {
		TRY(prepare(pair->store[i], digests, &s->digests[i]));
		TRY(prepare(pair->store[i], sums, &s->sums[i]));
		TRY(prepare(pair->store[i], points[direction < 0], &s->points[i]));
	}
	return STATUS_OK;
}

static void close_search(struct search *s)
{
	point_text_free(s->point_text);
	sqlite3_finalize(s->next);
	for (int i = 0; i < 2; i++) {
		sqlite3_finalize(s->digests[i]);
		sqlite3_finalize(s->sums[i]);
		sqlite3_finalize(s->points[i]);
	}
}

static enum status start(struct store *store, sqlite3_stmt *query, const int64_t *values, int count)
{
	sqlite3_reset(query);
	for (int i = 0; i < count; i++)
		if (sqlite3_bind_int64(query, i + 1, values[i]) != SQLITE_OK)
			return store_read_failed(store);
	return STATUS_OK;
}

static enum status step(struct store *store, sqlite3_stmt *query, bool *row)
{
	int code = sqlite3_step(query);

	*row = code == SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : store_read_failed(store);
}

/* --- points --- */

/* Negative: the row of run a comes first in the direction of the search. */
static int compare_keys(const struct search *s)
{
	for (int i = 0; i < 2; i++) {
		int64_t a = sqlite3_column_int64(s->points[0], i);
		int64_t b = sqlite3_column_int64(s->points[1], i);

		if (a != b)
			return (a < b ? -1 : 1) * s->direction;
	}
	return 0;
}

static bool same_point(sqlite3_stmt *a, sqlite3_stmt *b)
{
	if (strcmp(column_text(a, 2), column_text(b, 2)) != 0)
		return false;
	for (int i = 3; i < 7; i++)
		if (sqlite3_column_type(a, i) != sqlite3_column_type(b, i)
		    || !value_equal(DTYPE_F32, (uint32_t)sqlite3_column_int64(a, i),
				    (uint32_t)sqlite3_column_int64(b, i)))
			return false;
	return true;
}

/* Whether both runs have the same digest of the launch's points, which then need not be read. */
static enum status same_sums(const struct search *s, int64_t launch, bool *same)
{
	bool row[2];

	for (int i = 0; i < 2; i++) {
		const int64_t values[] = { s->pair->run[i], launch };

		TRY(start(s->pair->store[i], s->sums[i], values, 2));
		TRY(step(s->pair->store[i], s->sums[i], &row[i]));
	}
	*same = row[0] && row[1];
	for (int i = 0; i < 2 && *same; i++)
		*same = sqlite3_column_int64(s->sums[0], i) == sqlite3_column_int64(s->sums[1], i);
	return STATUS_OK;
}

/* Whether both runs have points of the launch that may differ. */
static enum status both_have_points(const struct search *s, int64_t launch, bool *both)
{
	bool same;

	TRY(same_sums(s, launch, &same));
	*both = !same;
	for (int i = 0; i < 2 && *both; i++) {
		struct store *store = s->pair->store[i];
		const int64_t all[] = { s->pair->run[i], launch,
					s->direction > 0 ? -1 : INT64_MAX, -1 };

		TRY(start(store, s->points[i], all, 4));
		TRY(step(store, s->points[i], both));
	}
	return STATUS_OK;
}

/* Whether the two rows differ that the search is at: `order` is which of them comes first. A point
 * that the other run's kernel does not publish is no difference. */
static enum status points_differ(const struct search *s, int64_t launch, int order, bool *differ)
{
	const char *kernel;
	bool lacks;

	if (order == 0) {
		*differ = !same_point(s->points[0], s->points[1]);
		return STATUS_OK;
	}
	TRY(point_text_lacks(s->point_text, order < 0, launch,
			     column_text(s->points[order > 0], 2), &lacks, &kernel));
	*differ = !lacks;
	return STATUS_OK;
}

/* Searches from a thread and sequence, exclusive. */
static enum status find_point(const struct search *s, struct diff_spot *spot, bool *found)
{
	bool row[2], differ = false;
	int order = 0;

	*found = false;
	TRY(both_have_points(s, spot->launch, &row[0]));
	if (!row[0])
		return STATUS_OK;
	for (int i = 0; i < 2; i++) {
		const int64_t from[] = { s->pair->run[i], spot->launch, spot->major, spot->minor };

		TRY(start(s->pair->store[i], s->points[i], from, 4));
	}
	row[0] = row[1] = true;
	while (!differ) {
		/* Those that have been compared, if they have not ended. */
		for (int i = 0; i < 2; i++)
			if (row[i] && order * (i ? 1 : -1) >= 0)
				TRY(step(s->pair->store[i], s->points[i], &row[i]));
		if (!row[0] && !row[1])
			return STATUS_OK;
		order = row[0] && row[1] ? compare_keys(s) : row[0] ? -1 : 1;
		TRY(points_differ(s, spot->launch, order, &differ));
	}
	spot->part = SPOT_POINT;
	spot->major = sqlite3_column_int64(s->points[order > 0], 0);
	spot->minor = sqlite3_column_int64(s->points[order > 0], 1);
	*found = true;
	return STATUS_OK;
}

/* --- what was written --- */

static bool element_differs(const struct written w[2], int64_t element)
{
	uint64_t a, b;

	return written_at(&w[0], element, &a) && written_at(&w[1], element, &b)
		&& !value_equal(w[0].dtype, a, b);
}

/* The next element that differs after or before `from`; -1: none. */
static int64_t next_element(const struct written w[2], int direction, int64_t from)
{
	int64_t at = written_next(&w[0], from + direction, direction);

	while (at >= 0 && !element_differs(w, at))
		at = written_next(&w[0], at + direction, direction);
	return at;
}

/* Searches one output, whose digests differ. If no known element differs, the output differs as a
 * whole; that spot comes before its elements. */
static enum status find_in_output(const struct search *s, struct diff_spot *spot,
				  const struct written w[2], bool *found)
{
	int64_t element = next_element(w, s->direction, spot->minor);

	*found = element >= 0;
	if (!*found && spot->minor == (s->direction > 0 ? BEGIN : END))
		*found = next_element(w, 1, BEGIN) < 0;
	spot->part = SPOT_WRITTEN;
	spot->minor = element;
	return STATUS_OK;
}

static enum status find_written(const struct search *s, struct diff_spot *spot, bool *found)
{
	const int64_t restart = s->direction > 0 ? BEGIN : END;
	bool there = true;

	for (*found = false; !*found && there && spot->major >= 0; ) {
		struct written w[2];
		enum status status;
		bool other;

		status = written_read(s->pair->store[0], s->pair->run[0], spot->launch,
				      spot->major, &w[0], &there);
		if (status == STATUS_OK)
			status = written_read(s->pair->store[1], s->pair->run[1], spot->launch,
					      spot->major, &w[1], &other);
		else
			w[1] = (struct written){ 0 };
		if (status == STATUS_OK && there && other && w[0].dtype == w[1].dtype
		    && w[0].digest != w[1].digest)
			status = find_in_output(s, spot, w, found);
		written_free(&w[0]);
		written_free(&w[1]);
		TRY(status);
		if (!*found) {
			spot->major += s->direction;
			spot->minor = restart;
		}
	}
	return STATUS_OK;
}

/* --- launches --- */

static enum status digests_differ(const struct search *s, int64_t launch, int64_t *last,
				  bool *differ)
{
	bool row[2] = { true, true };

	*differ = false;
	*last = -1;
	for (int i = 0; i < 2; i++) {
		const int64_t values[] = { s->pair->run[i], launch };

		TRY(start(s->pair->store[i], s->digests[i], values, 2));
	}
	while (row[0] && row[1]) {
		for (int i = 0; i < 2; i++)
			TRY(step(s->pair->store[i], s->digests[i], &row[i]));
		if (row[0])
			*last = sqlite3_column_int64(s->digests[0], 0);
		/* Not the extents: see digest_both() in diff_rows.c. */
		if (row[0] && row[1])
			*differ = *differ || sqlite3_column_int64(s->digests[0], 1)
				!= sqlite3_column_int64(s->digests[1], 1);
	}
	return STATUS_OK;
}

/* Searches after or before the spot in its own launch. */
static enum status find_in_launch(const struct search *s, struct diff_spot *spot, bool *found)
{
	const int64_t end = s->direction > 0 ? -1 : INT64_MAX;
	struct diff_spot at = *spot;
	int64_t last;
	bool differ;

	*found = false;
	TRY(digests_differ(s, at.launch, &last, &differ));
	if (s->direction > 0 && at.part <= SPOT_POINT) {
		if (at.part == SPOT_BEFORE)
			at.major = at.minor = end;
		TRY(find_point(s, &at, found));
		if (!*found)
			at.part = SPOT_BEFORE;
	}
	if (!*found && differ && (s->direction < 0 || at.part < SPOT_AFTER)
	    && (s->direction > 0 || at.part > SPOT_POINT)) {
		if (at.part != SPOT_WRITTEN) {
			at.major = s->direction > 0 ? 0 : last;
			at.minor = s->direction > 0 ? BEGIN : END;
		}
		TRY(find_written(s, &at, found));
	}
	if (!*found && s->direction < 0 && spot->part >= SPOT_POINT) {
		at = *spot;
		if (at.part != SPOT_POINT)
			at.major = at.minor = end;
		TRY(find_point(s, &at, found));
	}
	if (*found)
		*spot = at;
	return STATUS_OK;
}

static enum status next_of(const struct search *s, int64_t *launch, bool *some)
{
	const int64_t values[] = { s->pair->run[0], *launch };
	struct store *store = s->pair->store[0];
	bool good = true;

	TRY(start(store, s->next, values, 2));
	TRY(step(store, s->next, some));
	*some = *some && sqlite3_column_type(s->next, 0) != SQLITE_NULL;
	if (*some)
		*launch = column_int(s->next, 0, 0, INT64_MAX, 0, &good);
	/* A text comes after every number: the search would return to the same launch for ever. */
	return good ? STATUS_OK : fail(STATUS_DAMAGED, "%s: run %lld: the number of a launch is"
				       " '%.40s'", store_shown_path(store),
				       (long long)s->pair->run[0], column_text(s->next, 0));
}

static enum status walk(const struct search *s, struct diff_spot *spot, diff_stop_fn *stop,
			void *context, enum diff_outcome *outcome)
{
	bool found, some;

	*outcome = DIFF_NONE;
	TRY(find_in_launch(s, spot, &found));
	while (!found) {
		TRY(next_of(s, &spot->launch, &some));
		if (!some)
			return STATUS_OK;
		spot->part = s->direction > 0 ? SPOT_BEFORE : SPOT_AFTER;
		TRY(find_in_launch(s, spot, &found));
		if (!found)
			spot->part = s->direction > 0 ? SPOT_AFTER : SPOT_BEFORE;
		if (!found && stop && stop(context)) {
			*outcome = DIFF_STOPPED;
			return STATUS_OK;
		}
	}
	*outcome = DIFF_FOUND;
	return STATUS_OK;
}

enum status diff_spot_step(const struct diff_pair *pair, int direction, struct diff_spot *spot,
			   diff_stop_fn *stop, void *context, enum diff_outcome *outcome)
{
	struct search search;
	enum status status = open_search(&search, pair, direction);

	if (status == STATUS_OK)
		status = walk(&search, spot, stop, context, outcome);
	close_search(&search);
	return status;
}
