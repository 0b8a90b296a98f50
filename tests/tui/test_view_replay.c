/* test_view_replay.c - the function that `view` hands to the viewer, with a user's kernel.
 *
 * tests/engine/replay/test_replay_points.c has the kernels of the project.
 */
#include "config.h"

#include "tests/support.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "traces/store/store.h"
#include "tui/view_replay.h"

static char folder[] = "/tmp/test_view_replay.XXXXXX";
static char *program;

/* A kernel with two points per thread, as a user writes it. */
static const char source[] =
	"#include \"kernels/points.h\"\n"
	"__global__ void running(float *out)\n"
	"{\n"
	"	float x = threadIdx.x * 0.5f;\n"
	"	POINT(half, x);\n"
	"	POINT(square, x * x, threadIdx.x);\n"
	"	out[threadIdx.x] = x * x;\n"
	"}\n";

/* Records the kernel at a level. */
static void record(const char *options)
{
	char *command = xasprintf("%s launch k.cu --kernel running --grid 1 --block 32"
				  " --arg 'out=>out.npy:f32[32]' %s >/dev/null 2>err", program,
				  options);

	unlink("out.npy");
	ck_assert_msg(system(command) == 0, "%s: see %s/err", command, folder);
	free(command);
}

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(mkdir("tmp", 0700), 0);
	setenv("TMPDIR", "tmp", 1);
	program = xasprintf("%s/flashtwin", getenv("abs_builddir"));
	write_file("k.cu", source, sizeof source - 1);
	record("-o t.twin");
}

static void teardown(void)
{
	static const char *const files[] = { "k.cu", "t.twin", "out.npy", "err" };

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		unlink(files[i]);
	ck_assert_msg(rmdir("tmp") == 0, "%s/tmp is not empty", folder);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_msg(rmdir(folder) == 0, "%s is not empty", folder);
	strcpy(strrchr(folder, '.') + 1, "XXXXXX");
	free(program);
}

static int64_t query(struct store *store, const char *sql)
{
	sqlite3_stmt *rows;
	int64_t value;

	ck_assert_msg(sqlite3_prepare_v2(store_db(store), sql, -1, &rows, NULL) == SQLITE_OK,
		      "%s: %s", sql, sqlite3_errmsg(store_db(store)));
	ck_assert_int_eq(sqlite3_step(rows), SQLITE_ROW);
	value = sqlite3_column_int64(rows, 0);
	sqlite3_finalize(rows);
	return value;
}

static void change(const char *sql)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open("t.twin", &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_gt(sqlite3_changes(db), 0);
	sqlite3_close(db);
}

static void check_points(struct store *trace, int64_t run)
{
	struct store *out;
	char sql[200];

	OK(view_replay(trace, run, 0, true, program, &out));
	snprintf(sql, sizeof sql, "SELECT count(*) FROM w_point WHERE run = %d AND launch = 0"
		 " AND name IN ('half', 'square')", (int)run);
	ck_assert_int_eq(query(out, sql), 64);
	snprintf(sql, sizeof sql, "SELECT v0 = 36 FROM v_point WHERE run = %d AND lane = 12"
		 " AND name = 'square'", (int)run);
	ck_assert_int_eq(query(out, sql), 1);
	OK(store_close(out));
}

START_TEST(a_users_kernel_needs_trust)
{
	struct store *trace, *out;

	OK(store_open("t.twin", &trace));
	FAILS(view_replay(trace, 1, 0, false, program, &out), STATUS_USAGE,
	      "would compile and run a kernel from the trace: --trust allows it");
	ck_assert_ptr_null(out);
	check_points(trace, 1);
	OK(store_close(trace));
}
END_TEST

START_TEST(a_later_run_keeps_its_number)
{
	struct store *trace;

	record("-o t.twin --append");
	record("-o t.twin --append");
	OK(store_open("t.twin", &trace));
	check_points(trace, 3);
	OK(store_close(trace));
}
END_TEST

/* Sums would find the change first: they are removed too. */
static void fails_after(const char *sql, enum status status, const char *text)
{
	struct store *trace, *out;

	change(sql);
	change("DELETE FROM t_sum");
	OK(store_open("t.twin", &trace));
	FAILS(view_replay(trace, 1, 0, true, program, &out), status, text);
	ck_assert_ptr_null(out);
	OK(store_close(trace));
}

START_TEST(other_bits_are_refused)
{
	fails_after("UPDATE t_digest SET digest = digest + 1", STATUS_DIFFERS,
		    "the kernel does not write what was recorded");
}
END_TEST

START_TEST(errors_are_those_of_replay)
{
	struct store *trace, *out;

	OK(store_open("t.twin", &trace));
	FAILS(view_replay(trace, 1, 0, true, "/nonexistent/flashtwin", &out), STATUS_INTERNAL,
	      "/nonexistent/flashtwin: ");
	OK(store_close(trace));
	fails_after("UPDATE t_text SET content = replace(content, 'float x', 'flaot x')",
		    STATUS_COMPILE, "did not compile");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_replay");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_users_kernel_needs_trust);
	tcase_add_test(tests, a_later_run_keeps_its_number);
	tcase_add_test(tests, other_bits_are_refused);
	tcase_add_test(tests, errors_are_those_of_replay);
	tcase_set_timeout(tests, 60);
	return run_suite("view_replay", tests);
}
