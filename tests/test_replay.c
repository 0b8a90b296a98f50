/* test_replay.c - recorded runs done again: no bit differs, and one that was changed is found.
 *
 * All on the simulator; traces of a GPU are replayed by tests/h200.
 */
#include "config.h"

#include "tests/recording.h"

#include "engine/replay.h"

static struct store *record(const struct recording_options *options)
{
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	recording_make(store, options, NULL);
	return store;
}

static void replay(struct store *store, uint64_t seed, struct replay_report *report)
{
	struct replay_options options = { .device = "sim", .target = { .seed = seed, .jobs = 2 } };

	OK(replay_compare(store, 1, &options, report));
}

/* Records, replays under another seed, and wants every bit equal. Returns what was compared. */
static struct diff_report replay_equal(const struct recording_options *options)
{
	struct store *store = record(options);
	struct replay_report report;
	struct diff_report compared;

	replay(store, 7, &report);
	ck_assert_msg(report.diff.differences == 0, "%lld differences, first: %s %s",
		      (long long)report.diff.differences, report.diff.items[0].address,
		      report.diff.items[0].what);
	ck_assert_int_eq(report.operations, query(store, "SELECT count(*) FROM v_op"
						  " WHERE kind <> 'restore'"));
	ck_assert_int_eq(report.diff.buffers, query(store, "SELECT count(*) FROM v_digest"));
	ck_assert_int_eq(report.diff.partials, query(store, "SELECT count(*) FROM v_partial"));
	ck_assert_int_eq(report.diff.points, query(store, "SELECT count(*) FROM v_point"));
	ck_assert(!report.other_profile);
	compared = report.diff;
	diff_report_free(&report.diff);
	OK(store_close(store));
	return compared;
}

START_TEST(every_level)
{
	struct diff_report r = replay_equal(&(struct recording_options){ .level = LEVEL_LAUNCH });

	ck_assert(r.buffers > 0 && r.partials == 0 && r.points == 0);
	r = replay_equal(&(struct recording_options){ .level = LEVEL_PARTIALS });
	ck_assert(r.partials > 0 && r.points == 0);
	r = replay_equal(&(struct recording_options){ .level = LEVEL_POINTS });
	ck_assert(r.partials > 0 && r.points > 0);
}
END_TEST

START_TEST(point_filter)
{
	struct diff_report r = replay_equal(&(struct recording_options){ .level = LEVEL_POINTS,
									 .points = "softmax" });

	ck_assert_int_gt(r.points, 0);
}
END_TEST

START_TEST(batched_with_nan)
{
	replay_equal(&(struct recording_options){ .level = LEVEL_POINTS, .slots = 3, .nan = true });
}
END_TEST

START_TEST(windows)
{
	replay_equal(&(struct recording_options){ .level = LEVEL_PARTIALS, .log_at = "s1..s2,s7" });
	replay_equal(&(struct recording_options){
		.level = LEVEL_POINTS, .log_at = "s6..s8", .slots = 2 });
	replay_equal(&(struct recording_options){ .log_at = "L10..L19,L40" });
}
END_TEST

START_TEST(cut_off)
{
	struct store *store = record(&(struct recording_options){ .cut = true });
	struct replay_report report;

	replay(store, 0, &report);
	ck_assert_int_eq(report.diff.differences, 0);
	ck_assert_int_gt(report.diff.operations, 0);
	diff_report_free(&report.diff);
	OK(store_close(store));
}
END_TEST

static void change(struct store *store, const char *sql)
{
	ck_assert_int_eq(sqlite3_exec(store_db(store), sql, NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_gt(sqlite3_changes(store_db(store)), 0);
}

/* Records, changes the trace, and wants the replay to differ first there. */
static struct diff_report replay_differs(const char *sql, const char *address, const char *what)
{
	struct store *store = record(&(struct recording_options){ .level = LEVEL_POINTS });
	struct diff_report compared;
	struct replay_report report;

	change(store, sql);
	replay(store, 0, &report);
	ck_assert_int_gt(report.diff.differences, 0);
	ck_assert_str_eq(report.diff.items[0].address, address);
	ck_assert_msg(strstr(report.diff.items[0].what, what) != NULL, "%s",
		      report.diff.items[0].what);
	compared = report.diff;
	diff_report_free(&report.diff);
	OK(store_close(store));
	return compared;
}

START_TEST(changes_are_found)
{
	struct diff_report r;

	r = replay_differs("UPDATE t_point SET v1 = v1 + 1 WHERE launch = 10 AND thread = 33"
			   " AND sequence = 0", "L10.b1.w0.l1.p0", "score v1");
	ck_assert(r.differences == 1 && r.bits >= 1);
	r = replay_differs("UPDATE t_digest SET digest = digest + 1 WHERE op ="
			   " (SELECT op FROM t_op WHERE launch = 4)", "L4.end",
			   "digest of k_cache.1");
	ck_assert(r.differences == 1 && r.bits == 0 && r.digests == 1);
	r = replay_differs("UPDATE t_partial SET sum = sum + 1 WHERE launch = 14 AND head = 2"
			   " AND chunk = 0", "L14 slot 0 head 2 chunk 0", "sum");
	ck_assert_int_eq(r.differences, 1);
	replay_differs("DELETE FROM t_point WHERE launch = 10 AND thread = 0 AND sequence = 1",
		       "L10.b0.w0.l0.p1", "softmax is missing in A");
	r = replay_differs("UPDATE t_op SET code = 700 WHERE launch = 3", "L3", "status code");
	ck_assert_int_eq(r.differences, 1);
}
END_TEST

/* One bit of an input: the difference is found there, and in what came of it. */
START_TEST(another_input)
{
	struct recording_options options = { .level = LEVEL_POINTS };
	struct diff_options diff = { .run_a = 1, .run_b = 2 };
	struct store *store = record(&options);
	struct diff_report report;

	options.flip_step = 4;
	recording_make(store, &options, NULL);
	OK(diff_runs(store, store, &diff, &report));
	ck_assert_str_eq(report.items[0].what, "q[5]");
	ck_assert_uint_eq(report.items[0].bits, 1);
	ck_assert_int_gt(report.item_count, 1);
	ck_assert_int_eq(strncmp(report.items[1].address, "L26.b0", 6), 0);
	diff_report_free(&report);
	OK(store_close(store));
}
END_TEST

START_TEST(failed_launch_fails_again)
{
	struct store *store;
	struct device *recorder;
	struct buffer *buffer;
	struct replay_report report;
	struct launch launch = {
		.kernel = kernel_find("kv_scatter"), .grid = { 1, 1, 1 }, .block = { 2000, 1, 1 },
		.arg_count = 5, .layer = -1,
	};

	OK(store_create(NULL, NULL, &store));
	recorder = recording_open(store, &(struct recording_options){ 0 });
	OK(device_alloc(recorder, &(struct buffer_spec){ "b", DTYPE_F32, 1, { 4096 } }, &buffer));
	launch.args = (const struct arg[]){
		ARG_BUFFER(buffer), ARG_BUFFER(buffer), ARG_I32(4), ARG_I32(4), ARG_I32(0),
	};
	FAILS(device_launch(recorder, &launch), STATUS_DEVICE, "");
	OK(recorder_finish(recorder, fail_device(1, "the launch failed")));
	replay(store, 0, &report);
	ck_assert_int_eq(report.diff.differences, 0);
	ck_assert_int_eq(report.diff.operations, 2);
	diff_report_free(&report.diff);
	OK(store_close(store));
}
END_TEST

START_TEST(unknown_kernel)
{
	struct store *store = record(&(struct recording_options){ 0 });
	struct replay_options options = { .device = "sim" };
	struct replay_report report;

	change(store, "UPDATE t_call SET kernel = 'nonsense' WHERE kernel = 'kv_scatter'");
	FAILS(replay_compare(store, 1, &options, &report), STATUS_USAGE, "nonsense");
	FAILS(replay_compare(store, 99, &options, &report), STATUS_USAGE, "99");
	OK(store_close(store));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay");
	TCase *tcase = tcase_create("replay");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, every_level);
	tcase_add_test(tcase, point_filter);
	tcase_add_test(tcase, batched_with_nan);
	tcase_add_test(tcase, windows);
	tcase_add_test(tcase, cut_off);
	tcase_add_test(tcase, changes_are_found);
	tcase_add_test(tcase, another_input);
	tcase_add_test(tcase, failed_launch_fails_again);
	tcase_add_test(tcase, unknown_kernel);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
