/* queries.c - SELECTs of a student, read-only, in a process of their own; see queries.h.
 *
 * SQLite's limits end what runs too long or grows too large; the process has limits too, because a
 * single step of SQLite can take long.
 */
#include "config.h"

#include "tui/lab/answers/queries.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/visible.h"
#include "base/xalloc.h"
#include "traces/store/sql_functions.h"
#include "traces/store/store.h"
#include "tui/command.h"
#include "tui/launch/isolate.h"

#define PROCESSOR_SECONDS 10            /* of all queries */
#define SECONDS 600                     /* wall-clock: only what does not run at all gets there */
#define STEPS 200                       /* of the progress handler, for each query */
#define STEP 100000                     /* instructions of SQLite */
#define MAX_VALUE (64 << 10)            /* bytes */
#define MAX_MEMORY ((sqlite3_int64)256 << 20)

struct job {
	const char *trace;
	const char *const *queries;
	int count, steps;
	struct isolated *isolated;
};

static int authorize(void *context, int action, const char *a, const char *b, const char *c,
		     const char *d)
{
	(void)context, (void)a, (void)c, (void)d;
	if (action == SQLITE_FUNCTION)
		return strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE
		? SQLITE_OK : SQLITE_DENY;
}

static int on_progress(void *context)
{
	struct job *job = context;

	return ++job->steps > STEPS;
}

static json_t *error_of(const char *text)
{
	char *shown = visible_text(text);
	json_t *error = json_pack("{s:s}", "error", shown);

	free(shown);
	return error;
}

static json_t *first_value(sqlite3 *db, sqlite3_stmt *row)
{
	int code = sqlite3_step(row);
	const char *value;
	char *shown;
	json_t *answer;

	if (code == SQLITE_DONE)
		return error_of("it gives no row");
	if (code == SQLITE_INTERRUPT)
		return error_of("it takes too long");
	if (code != SQLITE_ROW)
		return error_of(sqlite3_errmsg(db));
	if (sqlite3_column_count(row) != 1)
		return error_of("it gives several columns: expected one");
	value = (const char *)sqlite3_column_text(row, 0);
	shown = visible_text(value ? value : "NULL");
	answer = json_pack("{s:s}", "value", shown);
	free(shown);
	if (sqlite3_step(row) == SQLITE_DONE)
		return answer;
	json_decref(answer);
	return error_of("it gives several rows: expected one");
}

static json_t *run_query(struct job *job, sqlite3 *db, const char *sql)
{
	const char *rest;
	sqlite3_stmt *row = NULL;
	json_t *answer;

	job->steps = 0;
	if (sqlite3_prepare_v2(db, sql, -1, &row, &rest) != SQLITE_OK)
		return error_of(sqlite3_errcode(db) == SQLITE_AUTH
				? "a trace is read-only: SELECT statements only"
				: sqlite3_errmsg(db));
	if (!row || rest[strspn(rest, " ;\t")] != '\0')
		answer = error_of("expected one SELECT");
	else
		answer = first_value(db, row);
	sqlite3_finalize(row);
	return answer;
}

static void limit(struct job *job, sqlite3 *db)
{
	const struct rlimit processor = { PROCESSOR_SECONDS, PROCESSOR_SECONDS };
	const struct rlimit nothing = { 0, 0 };

	setrlimit(RLIMIT_CPU, &processor);
	setrlimit(RLIMIT_FSIZE, &nothing);
	sqlite3_exec(db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	sqlite3_hard_heap_limit64(MAX_MEMORY);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MAX_VALUE);
	sqlite3_progress_handler(db, STEP, on_progress, job);
	sqlite3_set_authorizer(db, authorize, NULL);
}

static enum status run_all(void *context)
{
	struct job *job = context;
	struct store *store;
	json_t *all = json_array();

	TRY(store_open(job->trace, &store));
	TRY(sql_functions_register(store));
	limit(job, store_db(store));
	for (int i = 0; i < job->count; i++)
		json_array_append_new(all, *job->queries[i]
				      ? run_query(job, store_db(store), job->queries[i])
				      : json_object());
	job->isolated->answer = json_pack("{s:o}", "answers", all);
	job->isolated->has_results = true;
	return store_close(store);
}

/* A query that ended the process or reached its limits is the student's; nobody can say which it
 * was. */
static json_t *all_failed(const struct job *job)
{
	json_t *all = json_array();

	for (int i = 0; i < job->count; i++)
		json_array_append_new(all, *job->queries[i]
				      ? error_of("one of the queries takes too long")
				      : json_object());
	error_clear();
	return all;
}

static enum status run_in(struct job *job, struct sandbox *sandbox, json_t **out)
{
	struct isolated isolated = { .fn = run_all, .context = job, .sandbox = sandbox };
	enum status status;

	job->isolated = &isolated;
	TRY(sandbox_start(sandbox));
	status = isolate_run(&isolated);
	*out = json_incref(json_object_get(isolated.answer, "answers"));
	json_decref(isolated.answer);
	if (command_interrupted() || command_ended())
		return fail(STATUS_INTERRUPTED, "interrupted");
	if (status != STATUS_OK && !isolated.started)
		return fail_context(STATUS_INTERNAL, "queries");
	if (json_array_size(*out) != (size_t)job->count) {
		json_decref(*out);
		*out = all_failed(job);
	}
	return STATUS_OK;
}

enum status queries_run(const char *trace, enum sandbox_mode mode, const char *const *queries,
			int count, json_t **out)
{
	const struct sandbox_options options = {
		.mode = mode, .command = "lab", .timeout = SECONDS,
	};
	struct job job = { .trace = trace, .queries = queries, .count = count };
	struct sandbox *sandbox;
	struct error_record error;
	enum status status;

	*out = NULL;
	TRY(sandbox_create(&options, &sandbox));
	sandbox_show(sandbox, trace);
	status = run_in(&job, sandbox, out);
	error_save(&error);
	sandbox_close(sandbox);
	error_restore(&error);
	return status;
}
