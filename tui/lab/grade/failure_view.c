/* failure_view.c - finds the place of a failure in a trace; see grade_case.h.
 *
 * The trace was recorded by the student's process: it is read like a stranger's.
 */
#include "tui/lab/grade/grade_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/store.h"
#include "tui/lab/case/failure.h"

/* The first column of the first row; the caller frees it. NULL if there is none. */
static char *query(struct store *store, const char *sql, const char *text, int64_t number,
		   int64_t other)
{
	sqlite3_stmt *row = NULL;
	char *out = NULL;

	if (sqlite3_prepare_v2(store_db(store), sql, -1, &row, NULL) == SQLITE_OK) {
		sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC);
		sqlite3_bind_int64(row, 2, number);
		sqlite3_bind_int64(row, 3, other);
		if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
			out = xstrdup((const char *)sqlite3_column_text(row, 0));
	}
	sqlite3_finalize(row);
	return out;
}

/* "L2.o0": the last launch that writes the array. */
static char *find_entry(struct store *store, const char *array)
{
	return query(store, "SELECT printf('L%d.o%d', d.launch, d.entry) FROM v_digest d"
		     " JOIN v_buffer b USING (run, buffer) WHERE b.name = ?1"
		     " AND d.launch IS NOT NULL AND d.after_step = ?2"
		     " ORDER BY d.launch DESC LIMIT 1", array, 0, 0);
}

/* The thread that wrote the element, if the lab says which, and if there are points of its launch
 * to see. */
static char *place_of_thread(struct store *store, const char *entry, const json_t *failure)
{
	char *text = xasprintf("%.*s.b%s", (int)strcspn(entry, "."), entry,
			       failure_text(failure, "block"));
	char *lane = query(store, "SELECT printf('%s.w%d.l%d', ?1, ?2 / 32, ?2 % 32) FROM v_point"
			   " WHERE ?1 LIKE printf('L%d.%%', launch) LIMIT 1", text,
			   json_integer_value(json_object_get(failure, "thread")), 0);

	free(text);
	return lane;
}

/* The last thread that passed the element's number as value `point_value` to the point that the
 * lab names: data decides which thread writes it. If none did, the first one that came to the
 * point. */
static char *place_of_point(struct store *store, const json_t *failure, int64_t element)
{
	return query(store, "SELECT printf('L%d.b%d.w%d.l%d', launch, block, warp, lane) FROM"
		     " (SELECT *, CASE ?3 WHEN 0 THEN v0 WHEN 1 THEN v1 WHEN 2 THEN v2 ELSE v3 END"
		     "  = ?2 AS wrote FROM v_point WHERE name = ?1)"
		     " ORDER BY wrote DESC, iif(wrote, -launch, launch), block, warp, lane LIMIT 1",
		     failure_text(failure, "point"), element,
		     json_integer_value(json_object_get(failure, "point_value")));
}

static char *place_of_element(struct store *store, const json_t *failure)
{
	int64_t element = json_integer_value(json_object_get(failure, "element"));
	char *entry = find_entry(store, failure_text(failure, "array")), *place = NULL;

	if (entry && json_object_get(failure, "thread"))
		place = place_of_thread(store, entry, failure);
	else if (entry && json_object_get(failure, "point"))
		place = place_of_point(store, failure, element);
	if (entry && !place)
		place = xasprintf("%s.e%lld", entry, (long long)element);
	free(entry);
	return place;
}

#define FINDING_PLACE "SELECT printf('L%d.b%d.w%d.l%d.n%d', f.launch, f.thread / s.threads," \
	" f.thread % s.threads / 32, f.thread % s.threads % 32, f.line) FROM v_finding f" \
	" JOIN (SELECT run, launch, block_x * block_y * block_z AS threads FROM v_launch) s" \
	" USING (run, launch) "

static char *place_of_finding(struct store *store, const json_t *failure)
{
	return query(store, FINDING_PLACE "WHERE class = ?1 AND line = ?2 LIMIT 1",
		     failure_text(failure, "finding"),
		     json_integer_value(json_object_get(failure, "line")), 0);
}

/* A kernel that ended with an error has often done what the checker reports before. */
static char *place_of_error(struct store *store)
{
	return query(store, FINDING_PLACE "WHERE ?1 <> '' AND line > ?2 LIMIT 1", "any", 0, 0);
}

/* A place in a thread has its named points; the viewer alone would show the launch. */
static const char *screen_of(const json_t *failure, const char *at)
{
	return failure_by(failure) == BY_STRUCTURE ? " --screen counters"
		: failure_by(failure) == BY_CHECKER || (at && strstr(at, ".n")) ? " --screen source"
		: at && strstr(at, ".l") ? " --screen points"
		: at && strstr(at, ".e") ? " --screen launch" : "";
}

static void point(struct store *store, json_t *failure, const char *trace)
{
	char *at = NULL, *view;

	if (json_object_get(failure, "array"))
		at = place_of_element(store, failure);
	else if (json_object_get(failure, "finding"))
		at = place_of_finding(store, failure);
	else if (failure_by(failure) == BY_OUTPUT)
		at = place_of_error(store);
	if (!at)
		at = query(store, "SELECT printf('L%d', max(launch)) FROM v_launch WHERE ?1 <> ''"
			   " AND ?2 = 0 HAVING count(*) > 0", "any", 0, 0);
	view = xasprintf("flashtwin view %s%s%s%s", trace, at ? " --at " : "", at ? at : "",
			 screen_of(failure, at));
	json_object_set_new(failure, "view", json_string(view));
	free(view);
	free(at);
}

void failures_point(json_t *failures, const char *trace)
{
	struct store *store;

	if (store_open(trace, &store) != STATUS_OK) {
		error_clear();
		return;
	}
	for (size_t i = 0; i < json_array_size(failures); i++)
		point(store, json_array_get(failures, i), trace);
	store_close(store);
}
