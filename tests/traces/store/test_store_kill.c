/* test_store_kill.c - an unfinished trace holds everything that was committed.
 *
 * Covers full disks, kills at any moment, leftover journals and read-only media. Other damage is in
 * test_store_file.c.
 */
#include "config.h"

#include "tests/trace_file.h"

#include <signal.h>
#include <sys/wait.h>

START_TEST(disk_full)
{
	struct store *store, *other;
	int64_t run;
	float values[256];
	enum status status = STATUS_OK;

	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	OK(store_commit(store));
	sqlite3_exec(store_db(store), "PRAGMA max_page_count = 120", NULL, NULL, NULL);
	for (int i = 0; i < 10000 && status == STATUS_OK; i++) {
		fill_random(values, 256);
		status = store_op(store, run, &(struct row_op){ .kind = OP_UPLOAD, .buffer = 1,
			.bytes = 1024, .data = values, .object = -1 }, NULL);
		if (status == STATUS_OK && i % 10 == 9)
			status = store_commit(store);
	}
	ck_assert_int_eq(status, STATUS_IO);
	ck_assert_ptr_nonnull(strstr(error_text(), T ": disk full"));
	FAILS(store_commit(store), STATUS_IO, "disk full");
	FAILS(store_close(store), STATUS_IO, "disk full");
	OK(store_open(T, &other));
	QUERY(other, "SELECT ops > 10 AND ops % 10 = 0 AND complete = 0 FROM v_run", "1");
	OK(store_close(other));
}
END_TEST

/* --- kills --- */

/* The child of the kill test: writes forever, and reports the number of operations after each
 * commit. */
static void write_until_killed(int to)
{
	struct store *store;
	int64_t run;
	float values[256];

	if (store_create(T, NULL, &store) != STATUS_OK)
		_exit(1);
	run = begin_run(store);
	for (int32_t i = 1;; i++) {
		fill_random(values, 256);
		if (store_op(store, run,
			     &(struct row_op){ .kind = OP_UPLOAD,
						 .buffer = 1,
						 .bytes = 1024,
						 .data = values,
						 .object = -1 },
			     NULL)
		    != STATUS_OK)
			_exit(1);
		if (i % 7 == 0
		    && (store_commit(store) != STATUS_OK || write(to, &i, sizeof i) < 0))
			_exit(1);
	}
}

static void check_after_kill(int32_t committed)
{
	struct store *store;
	struct store_run info;
	int64_t last;
	void *bytes;
	size_t count;

	if (!exists(T)) {
		ck_assert_int_eq(committed, 0);
		return;
	}
	OK(store_open(T, &store));
	OK(store_run_read(store, 1, &info));
	/* The last commit may not have been reported. */
	ck_assert(!info.complete && (info.ops == committed || info.ops == committed + 7));
	store_run_free(&info);
	for (last = 1; last <= info.ops; last++) {
		OK(store_data(store, last, &bytes, &count));
		free(bytes);
	}
	ck_assert_int_eq(store_data(store, last, &bytes, &count), STATUS_DAMAGED);
	OK(store_close(store));
	/* A journal that was not in use at the time of the kill stays; it is harmless. */
	unlink(T "-journal");
}

START_TEST(kills)
{
	char temporary[64];
	int32_t committed, reported;
	int ends[2];
	pid_t child;

	srand(13);
	for (int i = 0; i < 50; i++) {
		ck_assert_int_eq(pipe(ends), 0);
		child = fork();
		ck_assert_int_ge(child, 0);
		if (child == 0)
			write_until_killed(ends[1]);
		close(ends[1]);
		usleep((useconds_t)(rand() % 60000));
		ck_assert_int_eq(kill(child, SIGKILL), 0);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		for (committed = 0; read(ends[0], &reported, sizeof reported) == sizeof reported;)
			committed = reported;
		close(ends[0]);
		check_after_kill(committed);
		unlink(T);
		/* Left if it was killed before its first commit. */
		snprintf(temporary, sizeof temporary, "%s.tmp.%d", T, (int)child);
		unlink(temporary);
		strcat(temporary, "-journal");
		unlink(temporary);
	}
}
END_TEST

/* A kill in the middle of a commit leaves a hot journal. */
START_TEST(hot_journal)
{
	struct store *store;
	sqlite3 *db;
	pid_t child;

	OK(store_create(T, NULL, &store));
	put_uploads(store, 200, 1000);
	OK(store_close(store));
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		/* With a cache of two pages, SQLite writes to the file before it commits. */
		if (sqlite3_open(T, &db) != SQLITE_OK
		    || sqlite3_exec(
			       db,
			       "PRAGMA cache_size = 2; BEGIN; DELETE FROM t_op; DELETE FROM t_page;"
			       "UPDATE t_piece SET page = 0",
			       NULL, NULL, NULL)
			       != SQLITE_OK)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(exists(T "-journal"));
	OK(store_open(T, &store));
	QUERY(store, "SELECT ops FROM v_run", "200");
	OK(store_close(store));
	ck_assert(!exists(T "-journal"));
}
END_TEST

START_TEST(read_only_media)
{
	struct store *store;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	ck_assert_int_eq(chmod(T, 0444), 0);
	ck_assert_int_eq(chmod(".", 0555), 0);
	OK(store_open(T, &store));
	QUERY(store, "SELECT count(*) FROM v_op", "6");
	OK(store_close(store));
	ck_assert_int_eq(chmod(".", 0755), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("kill");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, disk_full);
	tcase_add_test(tests, kills);
	tcase_add_test(tests, hot_journal);
	tcase_add_test(tests, read_only_media);
	return run_suite("store_kill", tests);
}
