/* test_store_locks.c - reads a trace while it is written: waiting, and killed writers.
 *
 * Works in a temporary directory. Readers and writers are separate processes where it matters,
 * because SQLite treats locks of its own process differently.
 */
#include "config.h"

#include "tests/limits.h"
#include "tests/trace_file.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static enum status put_upload(struct store *store, int64_t run, int i)
{
	uint32_t values[256], state = (uint32_t)i + 1;

	/* Incompressible, so that the file grows. */
	for (int k = 0; k < 256; k++)
		values[k] = state = state * 1664525u + 1013904223u;
	return store_op(store, run, &(struct row_op){ .kind = OP_UPLOAD, .buffer = 1,
		.bytes = sizeof values, .data = values, .object = -1 }, NULL);
}

/* Makes a closed trace of `count` uploads. */
static void make_trace(int count)
{
	struct store *store;
	int64_t run;

	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	for (int i = 0; i < count; i++)
		OK(put_upload(store, run, i));
	OK(store_run_end(store, run, "OK", NULL));
	OK(store_close(store));
}

static int64_t ops_of(struct store *store)
{
	struct store_run run;
	int64_t ops;

	OK(store_run_read(store, 1, &run));
	ops = run.ops;
	store_run_free(&run);
	return ops;
}

/* The number of operations that a program sees when it opens the trace now. */
static int64_t ops_now(void)
{
	struct store *store;
	int64_t ops;

	OK(store_open(T, &store));
	ops = ops_of(store);
	OK(store_close(store));
	return ops;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* --- a reader that keeps its lock --- */

struct reader {
	pid_t pid;
	int to;                         /* closing it makes the reader exit */
};

/* Children end this way on success, so that they neither clean up what they inherited nor have
 * valgrind report it as leaked. */
static void exit_by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void wait_for_child(pid_t child)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", status);
}

/* Plays another program, such as any SQLite tool, that is still reading the trace. */
static void hold_read_lock(int from, int ready)
{
	sqlite3 *db;
	char byte = 0;

	if (sqlite3_open_v2(T, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK
	    || sqlite3_exec(db, "BEGIN; SELECT count(*) FROM t_op", NULL, NULL, NULL) != SQLITE_OK
	    || write(ready, &byte, 1) != 1)
		_exit(1);
	while (read(from, &byte, 1) > 0)
		;
	exit_by_kill();
}

static struct reader reader_start(void)
{
	int go[2], ready[2];
	struct reader reader;
	char byte;

	ck_assert(pipe(go) == 0 && pipe(ready) == 0);
	reader.pid = fork();
	ck_assert_int_ge(reader.pid, 0);
	if (reader.pid == 0) {
		close(go[1]);
		hold_read_lock(go[0], ready[1]);
	}
	close(go[0]);
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	reader.to = go[1];
	return reader;
}

static void reader_stop(struct reader reader)
{
	close(reader.to);
	wait_for_child(reader.pid);
}

START_TEST(reader_stays)
{
	struct store *store;
	struct reader reader;
	double begin;
	int64_t run;

	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	OK(put_upload(store, run, 0));
	OK(store_commit(store));
	/* Overfills the cache: from then on SQLite tries to write at every row. */
	ck_assert_int_eq(sqlite3_exec(store_db(store), "PRAGMA cache_size = 10", NULL, NULL, NULL),
			 SQLITE_OK);
	reader = reader_start();
	begin = seconds();
	for (int i = 1; i <= 200; i++) {
		OK(put_upload(store, run, i));
		if (i % 50 == 0)
			OK(store_commit(store));
	}
	ck_assert(seconds() - begin < limit_seconds(5));
	reader_stop(reader);
	OK(put_upload(store, run, 201));
	OK(store_commit(store));
	ck_assert_int_eq(ops_now(), 202);
	OK(store_run_end(store, run, "OK", NULL));
	OK(store_close(store));
	ck_assert_int_eq(ops_now(), 202);
}
END_TEST

START_TEST(reader_outlasts_the_run)
{
	struct store *store;
	struct reader reader;
	int64_t run;

	OK(store_create(T, &(struct store_options){ .wait_ms = 50 }, &store));
	run = begin_run(store);
	OK(put_upload(store, run, 0));
	OK(store_commit(store));
	reader = reader_start();
	OK(put_upload(store, run, 1));
	OK(store_commit(store));
	OK(store_run_end(store, run, "OK", NULL));
	ck_assert_int_eq(store_close(store), STATUS_IO);
	ck_assert_ptr_nonnull(strstr(error_text(), T ": another program still reads it"));
	reader_stop(reader);
	ck_assert_int_eq(ops_now(), 1);
}
END_TEST

/* The last commit waits, and the reader exits before the time limit. */
START_TEST(reader_stops_in_time)
{
	struct store *store;
	struct reader reader;
	int64_t run;
	pid_t child;

	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	OK(store_commit(store));
	reader = reader_start();
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		usleep(200000);
		kill(reader.pid, SIGKILL);
		exit_by_kill();
	}
	OK(put_upload(store, run, 0));
	OK(store_close(store));
	reader_stop(reader);
	wait_for_child(child);
	ck_assert_int_eq(ops_now(), 1);
}
END_TEST

/* --- a writer that is killed --- */

/* A writer that is killed in the middle of a transaction and leaves a journal. */
static void killed_writer(void)
{
	pid_t child = fork();
	sqlite3 *db;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if (sqlite3_open(T, &db) != SQLITE_OK
		    || sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA cache_size = 2; BEGIN;"
				    " DELETE FROM t_op; DELETE FROM t_page", NULL, NULL, NULL)
		       != SQLITE_OK)
			_exit(1);
		exit_by_kill();
	}
	wait_for_child(child);
	ck_assert(exists(T "-journal"));
}

/* The killed writer's journal exists before a reader opens the trace, appears while a reader has it
 * open, and is left for the next reader. */
START_TEST(writer_is_killed)
{
	struct store *store;

	make_trace(100);
	killed_writer();
	ck_assert_int_eq(ops_now(), 100);
	ck_assert(!exists(T "-journal"));
	OK(store_open(T, &store));
	killed_writer();
	ck_assert_int_eq(ops_of(store), 100);
	OK(store_close(store));
	ck_assert_int_eq(ops_now(), 100);
	ck_assert(!exists(T "-journal"));
}
END_TEST

static void write_forever(void)
{
	const struct store_options append = { .append = true };
	struct store *store;
	int64_t run;

	if (store_create(T, &append, &store) != STATUS_OK)
		_exit(1);
	run = begin_run(store);
	for (int i = 0;; i++)
		if (put_upload(store, run, i) != STATUS_OK
		    || (i % 7 == 6 && store_commit(store) != STATUS_OK))
			_exit(1);
}

/* Appending writers are killed one after another: readers always find the first run intact. */
START_TEST(writers_are_killed)
{
	make_trace(10);
	for (int i = 0; i < 12; i++) {
		pid_t child = fork();
		double end = seconds() + 0.03 + 0.003 * i;

		ck_assert_int_ge(child, 0);
		if (child == 0)
			write_forever();
		do
			ck_assert_int_eq(ops_now(), 10);
		while (seconds() < end);
		ck_assert_int_eq(kill(child, SIGKILL), 0);
		ck_assert_int_eq(ops_now(), 10);
		wait_for_child(child);
	}
	/* A journal that was not in use at the time of the kill stays; it is harmless. */
	unlink(T "-journal");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("store_locks");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, reader_stays);
	tcase_add_test(tests, reader_outlasts_the_run);
	tcase_add_test(tests, reader_stops_in_time);
	tcase_add_test(tests, writer_is_killed);
	tcase_add_test(tests, writers_are_killed);
	return run_suite("store_locks", tests);
}
