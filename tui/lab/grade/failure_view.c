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
static char *query(struct store *store, const char *sql, const char *text, int64_t number)
{
	sqlite3_stmt *row = NULL;
	char *out = NULL;

	if (sqlite3_prepare_v2(store_db(store), sql, -1, &row, NULL) == SQLITE_OK) {
		sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC);
		sqlite3_bind_int64(row, 2, number);
		if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
			out = xstrdup((const char *)sqlite3_column_text(row, 0));
	}
	sqlite3_finalize(row);
	return out;
}

/* In the last launch that writes the array: the thread that wrote the element, if the lab says
 * which and there are points of it to see; else the element. */
static char *place_of_element(struct store *store, const json_t *failure)
{
	const json_t *thread = json_object_get(failure, "thread");
	char *entry = query(store, "SELECT printf('L%d.o%d', d.launch, d.entry) FROM v_digest d"
			    " JOIN v_buffer b USING (run, buffer) WHERE b.name = ?1"
			    " AND d.launch IS NOT NULL AND d.after_step = ?2"
			    " ORDER BY d.launch DESC LIMIT 1", failure_text(failure, "array"), 0);
	char *lane = NULL, *element = NULL;

	if (entry && thread) {
		char *text = xasprintf("%.*s.b%s", (int)strcspn(entry, "."), entry,
				       failure_text(failure, "block"));

		lane = query(store, "SELECT printf('%s.w%d.l%d', ?1, ?2 / 32, ?2 % 32) FROM v_point"
			     " WHERE ?1 LIKE printf('L%d.%%', launch) LIMIT 1", text,
			     json_integer_value(thread));
		free(text);
	}
	if (entry && !lane)
		element = xasprintf("%s.e%lld", entry, (long long)json_integer_value(
			json_object_get(failure, "element")));
	free(entry);
	return lane ? lane : element;
}

static char *place_of_finding(struct store *store, const json_t *failure)
{
	return query(store, "SELECT printf('L%d.n%d', launch, line) FROM v_finding"
		     " WHERE class = ?1 AND line = ?2 LIMIT 1", failure_text(failure, "finding"),
		     json_integer_value(json_object_get(failure, "line")));
}

/* A kernel that ended with an error has often done what the checker reports before. */
static char *place_of_error(struct store *store)
{
	return query(store, "SELECT printf('L%d.n%d', launch, line) FROM v_finding"
		     " WHERE ?1 <> '' AND line > ?2 LIMIT 1", "any", 0);
}

/* A place in a thread has its named points; the viewer alone would show the launch. */
static const char *screen_of(const json_t *failure, const char *at)
{
	return failure_by(failure) == BY_STRUCTURE ? " --screen counters"
		: failure_by(failure) == BY_CHECKER || (at && strstr(at, ".n")) ? " --screen source"
		: at && strstr(at, ".l") ? " --screen points" : "";
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
			   " AND ?2 = 0 HAVING count(*) > 0", "any", 0);
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
