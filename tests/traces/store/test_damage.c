/* test_damage.c - changes values in a real trace and runs every command on it.
 *
 * Runs the program itself, in a temporary directory, and checks its exit code: equal (0), different
 * (1) or damaged (6, with one line of error). It must never run out of memory or time, or die of a
 * signal. The random changes are the same in every run; SEED=N picks others.
 */
#include "config.h"

#include "tests/recording.h"
#include "tests/trace_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define WHOLE "whole.twin"
#define CHANGES 60
#define SECONDS 60              /* CPU time limit; sanitizers are slow */

static const char *program(void)
{
	static char path[4096];
	const char *builddir = getenv("abs_builddir");

	if (!path[0])
		snprintf(path, sizeof path, "%s/flashtwin", builddir ? builddir : ".");
	return path;
}

/* After the graph modes of flash decoding: the path cached. */
enum { KIND_CACHED = GRAPH_MODES, KINDS };

static void record_whole(int kind)
{
	struct recording_options options = { .level = LEVEL_POINTS };
	struct attention_shape shape = recording_shape(&options);
	struct store *store;

	if (kind == KIND_CACHED) {
		options.path = &path_cached;
		shape.kv_heads = shape.heads;
		shape.head_dim = 5;
	} else {
		shape.graph = (enum graph_mode)kind;
	}
	options.shape = &shape;
	OK(store_create(WHOLE, NULL, &store));
	recording_make(store, &options, NULL);
	OK(store_close(store));
}

/* Returns false when the table's constraints forbid the change. */
static bool change(const char *sql)
{
	sqlite3 *db;
	int rc;

	ck_assert_int_eq(sqlite3_open(T, &db), SQLITE_OK);
	rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	ck_assert_msg(rc == SQLITE_OK || rc == SQLITE_CONSTRAINT || rc == SQLITE_MISMATCH,
		      "%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
	return rc == SQLITE_OK;
}

/* stderr goes to the file `errors`. */
static void exec_program(const char *const *args, const char *errors)
{
	const struct rlimit time = { SECONDS, SECONDS };
	int null = open("/dev/null", O_WRONLY);
	int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (null < 0 || err < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0
	    || setrlimit(RLIMIT_CPU, &time) != 0)
		_exit(99);
	execv(program(), (char *const *)args);
	_exit(99);
}

struct running {
	pid_t child;
	char err[8];            /* the file for its stderr */
};

/* Starts flashtwin; up to 10 at once, told apart by `number`. */
static struct running start(const char *const *args, int number)
{
	struct running r;

	snprintf(r.err, sizeof r.err, "err%d", number % 10);
	r.child = fork();
	ck_assert_int_ge(r.child, 0);
	if (r.child == 0)
		exec_program(args, r.err);
	return r;
}

/* Returns its status as of waitpid(), and the start of its stderr in `errors`. */
static int finish(const struct running *r, char *errors, size_t size)
{
	int status;
	FILE *err;

	ck_assert_int_eq(waitpid(r->child, &status, 0), r->child);
	err = fopen(r->err, "r");
	ck_assert_ptr_nonnull(err);
	errors[fread(errors, 1, size - 1, err)] = '\0';
	fclose(err);
	unlink(r->err);
	return status;
}

static const char *const commands[][8] = {
	{ "flashtwin", "info", T },
	{ "flashtwin", "view", "--plain", "--all", T },
	{ "flashtwin", "view", "--plain", "--screen", "diff", WHOLE, T },
	{ "flashtwin", "diff", WHOLE, T },
	{ "flashtwin", "replay", T },
	{ "flashtwin", "sql", "--dump", T },
};
enum { INFO, VIEW, VIEW_DIFF, DIFF, REPLAY, DUMP, COMMANDS };

/* Checks the exit code, and that damage is reported in one line. (UBSan reports and continues, so
 * its reports are searched for.) */
static void check_command(const char *what, const char *const *args, const struct running *r)
{
	char errors[4096];
	int status = finish(r, errors, sizeof errors);
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	const char *end = strchr(errors, '\n');

	ck_assert_msg(code == 0 || code == 1 || code == 6, "%s: %s ends with %d: %s", what, args[1],
		      code, errors);
	ck_assert_msg(!strstr(errors, "runtime error:"), "%s: %s: %s", what, args[1], errors);
	ck_assert_msg(code != 6 || (end && end[1] == '\0'), "%s: %s: expected one line, got: %s",
		      what, args[1], errors);
}

/* --- changes that once went undetected --- */

START_TEST(known)
{
	static const struct {
		const char *sql;
		int command;
	} cases[] = {
		{ "UPDATE t_buffer SET buffer = 4294967295", REPLAY },
		{ "UPDATE t_buffer SET buffer = 4294967295", DIFF },
		{ "UPDATE t_buffer SET buffer = 4294967295 WHERE name = 'out'", REPLAY },
		{ "UPDATE t_op SET buffer = 4294967295 WHERE kind = 4", DIFF },
		{ "UPDATE t_op SET stream = 1000000000 WHERE kind = 7", REPLAY },
		{ "UPDATE t_arg SET kind = 'i64' WHERE kind = 'i32'", REPLAY },
		{ "DELETE FROM t_arg WHERE position = 2", REPLAY },
		{ "UPDATE t_arg SET name = 'x'", REPLAY },
		{ "UPDATE t_run SET run = 1 << 40", INFO },
		{ "UPDATE t_point_name SET content = 'x'", REPLAY },
		{ "UPDATE t_run SET run = 2", DIFF },
		{ "UPDATE t_step SET first_op = first_op - 1 WHERE step = 4", REPLAY },
		{ "UPDATE t_reduce SET launch = launch + (1 << 40)", VIEW },
		{ "UPDATE t_call SET grid_y = -1", VIEW },
	};
	char errors[4096];

	record_whole(GRAPH_NONE);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct running r;
		int status;

		copy_file(WHOLE, T);
		ck_assert_msg(change(cases[i].sql), "%s", cases[i].sql);
		r = start(commands[cases[i].command], 0);
		status = finish(&r, errors, sizeof errors);
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 6, "%s: status %x: %s",
			      cases[i].sql, status, errors);
		ck_assert_ptr_eq(strchr(errors, '\n'), errors + strlen(errors) - 1);
	}
	unlink(WHOLE);
}
END_TEST

/* --- random changes --- */

/* The first column of a random row of the query's result; the caller frees it. */
static char *pick(sqlite3 *db, const char *query)
{
	sqlite3_stmt *rows;
	int count = 0, chosen;
	char *text;

	ck_assert_msg(sqlite3_prepare_v2(db, query, -1, &rows, NULL) == SQLITE_OK, "%s", query);
	while (sqlite3_step(rows) == SQLITE_ROW)
		count++;
	ck_assert_int_gt(count, 0);
	chosen = rand() % count;
	sqlite3_reset(rows);
	for (int i = 0; i <= chosen; i++)
		ck_assert_int_eq(sqlite3_step(rows), SQLITE_ROW);
	text = xstrdup((const char *)sqlite3_column_text(rows, 0));
	sqlite3_finalize(rows);
	return text;
}

/* An UPDATE that sets one column, in one row or in all. */
static char *random_change(sqlite3 *db)
{
	static const char *const values[] = {
		"0", "-1", "1", "2", "3", "31", "255", "256", "65535", "65536", "0x7fffffff",
		"-0x80000000", "0xffffffff", "0x100000000", "1 << 40", "1 << 62",
		"0x7fffffffffffffff", "0x8000000000000000", "'x'", "''", "NULL", "x'00ff'", "1.5",
		"'[4294967296,4294967296]'",
	};
	char *table = pick(db, "SELECT name FROM sqlite_schema WHERE type = 'table'"
			   " AND name NOT IN ('t_byte', 't_access', 't_access_line', 't_line',"
			   " 't_request', 't_finding', 't_token', 't_model', 't_attention',"
			   " 't_pointer', 't_arg_pointer')");
	char *columns = xasprintf("SELECT '\"' || name || '\"'"
				  " FROM pragma_table_info('%s')", table);
	char *column = pick(db, columns);
	char *keys = xasprintf("SELECT group_concat('\"' || name || '\"')"
			       " FROM pragma_table_info('%s') WHERE pk", table);
	char *key = pick(db, keys), *where, *sql;

	where = rand() % 3 ? xasprintf(" WHERE (%s) IN (SELECT %s FROM %s LIMIT 1 OFFSET %d %%"
				       " (SELECT count(*) FROM %s))", key, key, table, rand(),
				       table) : xstrdup("");
	sql = xasprintf("UPDATE OR REPLACE %s SET %s = %s%s", table, column,
			values[(size_t)rand() % (sizeof values / sizeof values[0])], where);
	free(table);
	free(columns);
	free(column);
	free(keys);
	free(key);
	free(where);
	return sql;
}

/* All at once: they only read. */
static void run_commands(const char *what)
{
	struct running running[COMMANDS];

	for (int i = 0; i < COMMANDS; i++)
		running[i] = start(commands[i], i);
	for (int i = 0; i < COMMANDS; i++)
		check_command(what, commands[i], &running[i]);
}

START_TEST(changed_values)
{
	const char *seed = getenv("SEED");
	sqlite3 *db;

	record_whole(_i);
	ck_assert_int_eq(sqlite3_open(WHOLE, &db), SQLITE_OK);
	srand(seed ? (unsigned)strtoul(seed, NULL, 10) : 5 + (unsigned)_i);
	for (int i = 0; i < CHANGES; i++) {
		char *sql = random_change(db);

		copy_file(WHOLE, T);
		if (change(sql))
			run_commands(sql);
		free(sql);
	}
	sqlite3_close(db);
	unlink(WHOLE);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("damage");

	/* Checked here because setup() changes the directory. */
	if (access(program(), X_OK) != 0)
		return 99;
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, known);
	tcase_add_loop_test(tests, changed_values, GRAPH_NONE, KINDS);
	return run_suite("damage", tests);
}
