/* test_versions.c - reads one file of each version of the format, as a flashtwin of that version
 * recorded it (tests/traces/store/versions/).
 */
#include "config.h"

#include "tests/dump_text.h"
#include "tests/recording.h"
#include "tests/trace_file.h"

#include <zstd.h>

#include "engine/replay/replay.h"
#include "traces/store/verify.h"

#define FIRST_WITH_SUMS 5
#define FIRST_WITH_ACCESSES 8
#define FIRST_WITH_ATTENTION 9

static const char *const versions[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9" };

/* Writes the file of that version as T. */
static void unpack(const char *version)
{
	const char *srcdir = getenv("abs_srcdir");
	char *path = xasprintf("%s/tests/traces/store/versions/v%s.twin.zst", srcdir ? srcdir : ".",
			       version);
	FILE *file = fopen(path, "rb");
	size_t capacity = 1 << 20, packed;
	char *from = xmalloc(capacity), *to = xmalloc(capacity);

	ck_assert_msg(file, "%s", path);
	packed = fread(from, 1, capacity, file);
	ck_assert_msg(packed < 100000, "%s: %zu bytes", path, packed);
	fclose(file);
	capacity = ZSTD_decompress(to, capacity, from, packed);
	ck_assert_msg(!ZSTD_isError(capacity), "%s", path);
	write_file(T, to, capacity);
	free(from);
	free(to);
	free(path);
}

static void take_line(void *context, bool wrong, const char *text)
{
	(void)context;
	ck_assert_msg(!wrong, "%s", text);
}

/* Returns the number of warnings. */
static int64_t verified(struct store *store)
{
	struct verify_report report;

	OK(verify_trace(store, take_line, NULL, &report));
	ck_assert_int_eq(report.wrong, 0);
	ck_assert_int_gt(report.bytes, 0);
	return report.warnings;
}

static void replays(struct store *store)
{
	const struct replay_options options = { .device = "sim" };
	struct replay_report report;

	OK(replay_compare(store, 1, &options, &report));
	ck_assert_int_eq(report.diff.differences, 0);
	ck_assert_int_gt(report.diff.points, 0);
	ck_assert_int_gt(report.diff.buffers, 0);
	diff_report_free(&report.diff);
}

/* The names of version 6, in a file of any version. */
static void has_shares(struct store *store)
{
	QUERY(store, "SELECT count(*) > 0 AND max(abs(share - 1)) < 1e-9 FROM (SELECT sum(share)"
	      " AS share FROM v_partial GROUP BY run, launch, slot, head)", "1");
	QUERY(store, "SELECT count(*) > 0 AND max(factor) = 1 AND min(factor) > 0 FROM v_reduce",
	      "1");
	QUERY(store, "SELECT (SELECT count(*) FROM v_partial WHERE share IS NOT weight)"
	      " + (SELECT count(*) FROM v_reduce WHERE factor IS NOT weight)", "0");
}

/* An upgrade alone changes the schema, whose sum is written again. */
static void upgrades(bool had_sums)
{
	const struct store_options append = { .append = true };
	struct store *store;

	OK(store_create(T, &append, &store));
	OK(store_close(store));
	OK(store_open(T, &store));
	QUERY(store, "PRAGMA user_version", "9");
	has_shares(store);
	ck_assert_int_eq(verified(store), !had_sums);
	OK(store_close(store));
}

/* Adding a run upgrades the file. It does not vouch for the runs that were there before. */
static void adds_a_run(bool had_sums)
{
	const struct store_options append = { .append = true };
	struct store *store;

	OK(store_create(T, &append, &store));
	recording_make(store, &(struct recording_options){ .level = LEVEL_POINTS, .steps = 1 },
		       NULL);
	OK(store_close(store));
	OK(store_open(T, &store));
	QUERY(store, "PRAGMA user_version", "9");
	QUERY(store, "SELECT count(*) FROM t_run", "2");
	has_shares(store);
	QUERY(store, "SELECT count(*) > 20 FROM t_sum WHERE run = 2", "1");
	QUERY(store, "SELECT kv_dtype FROM main.v_attention WHERE run = 2", "f32");
	ck_assert_int_eq(verified(store), !had_sums);
	replays(store);
	OK(store_close(store));
}

START_TEST(every_version_is_read)
{
	const char *version = versions[_i];
	bool has_sums = _i + 1 >= FIRST_WITH_SUMS;
	struct store *store;
	char *dump;

	unpack(version);
	OK(store_open(T, &store));
	QUERY(store, "PRAGMA user_version", version);
	dump = dump_of(store);
	ck_assert_ptr_nonnull(strstr(dump, "\nv_point\t"));
	ck_assert_ptr_nonnull(strstr(dump, "\nv_reduce\t"));
	free(dump);
	ck_assert_int_eq(verified(store) == 0, has_sums);
	has_shares(store);
	QUERY(store, "SELECT (SELECT count(*) FROM v_access) > 0 AND (SELECT count(*) FROM v_line)"
	      " > 0 AND (SELECT count(*) FROM v_request) > 0 AND (SELECT count(*)"
	      " FROM v_access_line) > 0", _i + 1 >= FIRST_WITH_ACCESSES ? "1" : "0");
	QUERY(store, "SELECT group_concat(path || kv_dtype) FROM v_attention",
	      _i + 1 >= FIRST_WITH_ATTENTION ? "flash-decodingf32" : "NULL");
	replays(store);
	OK(store_close(store));
	upgrades(has_sums);
	unpack(version);
	adds_a_run(has_sums);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("versions");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, every_version_is_read, 0,
			    sizeof versions / sizeof versions[0]);
	return run_suite("versions", tests);
}
