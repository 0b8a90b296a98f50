/* test_store_locks.c - a trace that is read while it is written: who waits for whom, and who is
 * killed.
 *
 * Works in a directory of its own. Readers and writers are processes of their own where it matters,
 * since SQLite knows its own process's locks.
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

	/* Nothing that compresses: the file is to grow. */
	for (int k = 0; k < 256; k++)
		values[k] = state = state * 1664525u + 1013904223u;
	return store_op(store, run, &(struct row_op){ .kind = OP_UPLOAD, .buffer = 1,
		.bytes = sizeof values, .data = values, .object = -1 }, NULL);
}

/* A closed trace of so many uploads. */
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

/* What a program that opens the trace now finds. */
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

/* --- a reader that stays --- */

struct reader {
	pid_t pid;
	int to;                         /* closing it makes the reader leave */
};

/* Children end like this when all went well: what they inherited is not theirs to clean up, nor for
 * valgrind to miss. */
static void vanish(void)
{
	kill(getpid(), SIGKILL);
}

static void await(pid_t child)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", status);
}

/* Another program that reads the trace, any SQLite tool, and has not come to its end. */
static void hold(int from, int ready)
{
	sqlite3 *db;
	char byte = 0;

	if (sqlite3_open_v2(T, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK
	    || sqlite3_exec(db, "BEGIN; SELECT count(*) FROM t_op", NULL, NULL, NULL) != SQLITE_OK
	    || write(ready, &byte, 1) != 1)
		_exit(1);
	while (read(from, &byte, 1) > 0)
		;
	vanish();
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
		hold(go[0], ready[1]);
	}
	close(go[0]);
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	reader.to = go[1];
	return reader;
}

static void reader_leave(struct reader reader)
{
	close(reader.to);
	await(reader.pid);
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
	/* More than a full cache: SQLite tries to write at every row from then on. */
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
	reader_leave(reader);
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
	reader_leave(reader);
	ck_assert_int_eq(ops_now(), 1);
}
END_TEST

/* The last commit waits, and the reader goes in time. */
START_TEST(reader_leaves_in_time)
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
		vanish();
	}
	OK(put_upload(store, run, 0));
	OK(store_close(store));
	reader_leave(reader);
	await(child);
	ck_assert_int_eq(ops_now(), 1);
}
END_TEST

/* --- a writer that is killed --- */

/* A run that is killed in the middle of a transaction leaves a journal. */
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
		vanish();
	}
	await(child);
	ck_assert(exists(T "-journal"));
}

/* It is there before the reader, comes while the reader is there, and is there for the next. */
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

static void write_for_ever(void)
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

/* Runs are killed one after the other while others look on: every look finds the first run. */
START_TEST(writers_are_killed)
{
	make_trace(10);
	for (int i = 0; i < 12; i++) {
		pid_t child = fork();
		double end = seconds() + 0.03 + 0.003 * i;

		ck_assert_int_ge(child, 0);
		if (child == 0)
			write_for_ever();
		do
			ck_assert_int_eq(ops_now(), 10);
		while (seconds() < end);
		ck_assert_int_eq(kill(child, SIGKILL), 0);
		ck_assert_int_eq(ops_now(), 10);
		await(child);
	}
	/* One that was not used yet when the kill came stays, and does no harm. */
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
	tcase_add_test(tests, reader_leaves_in_time);
	tcase_add_test(tests, writer_is_killed);
	tcase_add_test(tests, writers_are_killed);
	return run_suite("store_locks", tests);
}
