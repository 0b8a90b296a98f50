/* test_replay.c - replays of recorded runs: no bit differs, and a changed bit is found.
 *
 * Runs on the simulator; test_h200.sh replays traces of a GPU.
 */
#include "config.h"

#include "tests/recording.h"

#include "engine/replay/replay.h"

static struct store *record(const struct recording_options *options)
{
	struct store *store = new_store();

	recording_make(store, options, NULL);
	return store;
}

static void replay(struct store *store, uint64_t seed, struct replay_report *report)
{
	struct replay_options options = { .device = "sim", .target = { .seed = seed, .jobs = 2 } };

	OK(replay_compare(store, 1, &options, report));
}

/* Records, replays under another seed, and expects equal bits. Returns what was compared. */
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
	/* Two windows in one step. */
	replay_equal(&(struct recording_options){
		.level = LEVEL_PARTIALS, .log_at = "L10..L11,L14..L15" });
}
END_TEST

/* A replay keeps the numbers of the run, so addresses keep their meaning. */
START_TEST(windows_keep_their_numbers)
{
	struct store *store = record(&(struct recording_options){ .log_at = "L10..L11,L40" });
	struct replay_options options = { .device = "sim", .out = store };
	struct replay_report report;

	OK(replay_compare(store, 1, &options, &report));
	ck_assert_int_eq(report.diff.differences, 0);
	ck_assert_int_eq(report.run, 2);
	diff_report_free(&report.diff);
	ck_assert_int_eq(query(store, "SELECT group_concat(launch) = '10,11,40' FROM v_launch"
			       " WHERE run = 2"), 1);
	ck_assert_int_eq(query(store, "SELECT log_at = 'L10..L11,L40' FROM v_run WHERE run = 2"),
			 1);
	OK(store_close(store));
}
END_TEST

/* Compares a whole run with one of windows: only what both hold is compared. */
static struct diff_report compare_with_windows(struct recording_options *options,
						 const char *windows)
{
	struct diff_options diff = { .run_a = 1, .run_b = 2 };
	struct diff_report report;
	struct store *store;

	options->log_at = NULL;
	store = record(options);
	options->log_at = windows;
	recording_make(store, options, NULL);
	OK(diff_runs(store, store, &diff, &report));
	ck_assert_int_eq(report.partials, query(store, "SELECT count(*) FROM v_partial"
						" WHERE run = 2"));
	ck_assert_int_eq(report.points, query(store, "SELECT count(*) FROM v_point WHERE run = 2"));
	ck_assert_int_eq(report.operations, query(store, "SELECT count(*) FROM v_op WHERE run = 2"
						  " AND kind <> 'restore'"));
	ck_assert_int_ge(report.buffers, query(store, "SELECT count(*) FROM v_launch"
					       " WHERE run = 2"));
	ck_assert_int_eq(query(store, "SELECT count(*) > 0 FROM v_diff"), report.differences > 0);
	OK(store_close(store));
	return report;
}

START_TEST(windows_against_a_whole_run)
{
	static const char *const windows[] = {
		"s0..s2", "s1..s2,s7", "s8", "L0..L9", "L10..L12", "L10..L11,L14..L15,L71", "L500",
	};
	struct recording_options options = { .level = LEVEL_POINTS };

	for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
		struct diff_report report = compare_with_windows(&options, windows[i]);

		ck_assert_msg(report.differences == 0, "%s: %s %s", windows[i],
			      report.items[0].address, report.items[0].what);
		ck_assert_msg(strstr(report.notes, windows[i]) != NULL, "%s", report.notes);
		ck_assert_ptr_nonnull(strstr(report.notes, "operations of A are left out"));
		diff_report_free(&report);
	}
}
END_TEST

START_TEST(a_window_shows_what_differs_in_it)
{
	struct recording_options options = { .level = LEVEL_POINTS };
	struct diff_options diff = { .run_a = 1, .run_b = 2 };
	struct store *store = record(&options);
	struct diff_report report;

	/* q differs in step 3, layer 0, whose chunk launch is L26. */
	options.flip_step = 4;
	options.log_at = "L20..L30";
	recording_make(store, &options, NULL);
	OK(diff_runs(store, store, &diff, &report));
	ck_assert_int_gt(report.differences, 0);
	ck_assert_str_eq(report.items[0].what, "q[5]");
	ck_assert_int_eq(strncmp(report.items[1].address, "L26.b0", 6), 0);
	diff_report_free(&report);
	OK(store_close(store));
}
END_TEST

/* Windows of steps on one side, of launches on the other: only what is in both is compared. */
START_TEST(windows_of_two_kinds)
{
	struct recording_options options = { .level = LEVEL_PARTIALS, .log_at = "s2,s7" };
	struct diff_options diff = { .run_a = 1, .run_b = 2 };
	struct store *store = record(&options);
	struct diff_report report;

	options.log_at = "L12..L18,L55..L60";
	recording_make(store, &options, NULL);
	OK(diff_runs(store, store, &diff, &report));
	ck_assert_msg(report.differences == 0, "%s %s", report.items[0].address,
		      report.items[0].what);
	ck_assert_int_eq(report.partials, query(store, "SELECT count(*) FROM v_partial"
						" WHERE run = 2 AND (launch BETWEEN 16 AND 18"
						" OR launch BETWEEN 56 AND 60)"));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_diff"), 0);
	diff_report_free(&report);
	OK(store_close(store));
}
END_TEST

/* A pointer table that changed between windows is restored as pointers, also in a replay. */
START_TEST(pointer_table_between_windows)
{
	struct replay_options options = { .device = "sim" };
	struct replay_report report;
	struct buffer *table, *target;
	struct device *recorder;
	struct store *store = new_store();

	options.out = store;
	recorder = recording_open(store, &(struct recording_options){ .log_at = "s1" });
	OK(device_alloc(recorder, &(struct buffer_spec){ "target", DTYPE_F32, 1, { 8 } }, &target));
	OK(device_alloc(recorder, &(struct buffer_spec){ "table", DTYPE_POINTER, 1, { 2 } },
			&table));
	for (int step = 0; step < 2; step++) {
		OK(device_step_begin(recorder, step));
		if (step == 0)
			OK(device_upload_pointers(recorder, NULL, table, 0,
						  (struct pointer_entry[]){ { target, 12 } }, 1));
		OK(device_fill(recorder, NULL, target, 0, 1, 8));
		OK(device_step_end(recorder));
	}
	OK(recorder_finish(recorder, STATUS_OK));
	OK(replay_compare(store, 1, &options, &report));
	ck_assert_int_eq(report.diff.differences, 0);
	diff_report_free(&report.diff);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op JOIN v_pointer USING (run, op)"
			       " WHERE kind = 'restore' AND v_pointer.buffer = 1"), 2);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'upload_pointers'"),
			 0);
	OK(store_close(store));
}
END_TEST

START_TEST(unfinished_run)
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

/* Records, changes the trace by `sql`, after deleting the digests of points, and expects the first
 * difference of the replay to be `what` at `address`. */
static struct diff_report replay_differs(const char *sql, const char *address, const char *what)
{
	struct store *store = record(&(struct recording_options){ .level = LEVEL_POINTS });
	struct diff_report compared;
	struct replay_report report;

	change(store, "DELETE FROM t_point_sum");
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

/* One changed bit of an input is found there and in its results. */
START_TEST(changed_input)
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
	struct recording_scatter s;
	struct replay_report report;
	struct device *recorder;
	struct store *store = new_store();

	recorder = recording_open(store, &(struct recording_options){ 0 });
	recording_scatter(recorder, &s);
	s.launch.block.x = 2000;
	FAILS(device_launch(recorder, &s.launch), STATUS_DEVICE,
	      "block.x: expected 1 to 1024, got 2000");
	s.launch.block.x = 0;
	FAILS(device_launch(recorder, &s.launch), STATUS_DEVICE,
	      "block.x: expected 1 to 1024, got 0");
	OK(recorder_finish(recorder, fail_device(1, "the launch failed")));
	replay(store, 0, &report);
	ck_assert_int_eq(report.diff.differences, 0);
	ck_assert_int_eq(report.diff.operations, 3);
	diff_report_free(&report.diff);
	OK(store_close(store));
}
END_TEST

/* Fewer than 5 keys are attended to by the host, more on the device. */
static struct recording_options cached(enum log_level level, const char *log_at)
{
	static const struct attention_shape shape = {
		.slots = 1, .heads = 4, .kv_heads = 4, .head_dim = 5, .max_len = 12, .chunk = 4,
		.scale = 0.5f,
	};

	return (struct recording_options){ .level = level, .log_at = log_at, .shape = &shape,
					   .path = &path_cached };
}

START_TEST(the_host_computes_again)
{
	for (enum log_level level = LEVEL_LAUNCH; level <= LEVEL_POINTS; level++) {
		struct recording_options options = cached(level, NULL);
		struct store *store = record(&options);
		const char *inputs = "SELECT count(*) FROM v_softmax s JOIN v_op o USING (run, op)"
			" WHERE q_data IS NOT NULL AND o.data IS NOT NULL AND o.bytes = 80";

		/* One for each of 2 layers and 4 steps. Downloads have bytes at higher levels. */
		ck_assert_int_eq(query(store, inputs), 8);
		ck_assert_int_eq(query(store, "SELECT count(data) > 0 FROM v_op"
				       " WHERE kind = 'download'"), level > LEVEL_LAUNCH);
		OK(store_close(store));
		replay_equal(&options);
		options.log_at = "s2..s5";
		replay_equal(&options);
		options.log_at = "s1,s3";
		replay_equal(&options);
	}
}
END_TEST

START_TEST(the_host_computes_something_else)
{
	static const struct {
		const char *change, *what;
	} changes[] = {
		{ "UPDATE t_softmax SET scale = scale + 1 WHERE keys = 2", "host_softmax out[0]" },
		{ "UPDATE t_softmax SET q_data = (SELECT max(q_data) FROM t_softmax)"
		  " WHERE keys = 2", "host_softmax out" },
		{ "UPDATE t_op SET data = (SELECT data FROM t_op WHERE kind = 2 ORDER BY op"
		  " LIMIT 1 OFFSET 2) WHERE"
		  " op = (SELECT min(op) FROM t_op WHERE kind = 2)", NULL },
	};
	const struct recording_options options = cached(LEVEL_LAUNCH, NULL);

	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		struct store *store = record(&options);
		struct replay_report report;
		bool found = false;

		change(store, changes[i].change);
		replay(store, 0, &report);
		for (int k = 0; k < report.diff.item_count; k++)
			found |= strstr(report.diff.items[k].what, changes[i].what
					? changes[i].what : "host_softmax out") != NULL;
		ck_assert_msg(found, "not found: %s", changes[i].change);
		diff_report_free(&report.diff);
		OK(store_close(store));
	}
}
END_TEST

START_TEST(the_host_reads_what_was_not_downloaded)
{
	const struct recording_options options = cached(LEVEL_LAUNCH, NULL);
	struct store *store = record(&options);
	struct replay_options sim = { .device = "sim" };
	struct replay_report report;

	change(store, "UPDATE t_softmax SET keys = 1 WHERE keys = 3");
	FAILS(replay_compare(store, 1, &sim, &report), STATUS_DAMAGED,
	      "host_softmax reads 20 bytes at offset 0 of buffer");
	change(store, "UPDATE t_softmax SET stride = 0 WHERE keys = 1");
	FAILS(replay_compare(store, 1, &sim, &report), STATUS_DAMAGED, "keys of 4 heads, 0 bytes");
	change(store, "UPDATE t_softmax SET heads = 5");
	FAILS(replay_compare(store, 1, &sim, &report), STATUS_DAMAGED,
	      "a softmax of 5 heads with 80 bytes");
	change(store, "UPDATE t_softmax SET heads = 4000000000000");
	FAILS(replay_compare(store, 1, &sim, &report), STATUS_DAMAGED, "bad softmax");
	change(store, "UPDATE t_softmax SET heads = 4, stride = 240, k_buffer = 99");
	FAILS(replay_compare(store, 1, &sim, &report), STATUS_DAMAGED, "buffer 99 does not exist");
	change(store, "DELETE FROM t_softmax");
	FAILS(replay_compare(store, 1, &sim, &report), STATUS_DAMAGED, "its softmax is missing");
	OK(store_close(store));
}
END_TEST

START_TEST(unknown_kernel)
{
	struct store *store = record(&(struct recording_options){ 0 });
	struct replay_options options = { .device = "sim" };
	struct replay_report report;

	change(store, "UPDATE t_call SET kernel = 'nonsense' WHERE kernel = 'kv_scatter'");
	FAILS(replay_compare(store, 1, &options, &report), STATUS_DAMAGED, "its kernel is not");
	change(store, "UPDATE t_kernel SET kernel = 'nonsense' WHERE kernel = 'kv_scatter'");
	FAILS(replay_compare(store, 1, &options, &report), STATUS_USAGE, "nonsense");
	FAILS(replay_compare(store, 99, &options, &report), STATUS_USAGE, "99");
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("replay");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, every_level);
	tcase_add_test(tests, point_filter);
	tcase_add_test(tests, batched_with_nan);
	tcase_add_test(tests, windows);
	tcase_add_test(tests, windows_keep_their_numbers);
	tcase_add_test(tests, windows_against_a_whole_run);
	tcase_add_test(tests, a_window_shows_what_differs_in_it);
	tcase_add_test(tests, windows_of_two_kinds);
	tcase_add_test(tests, pointer_table_between_windows);
	tcase_add_test(tests, unfinished_run);
	tcase_add_test(tests, changes_are_found);
	tcase_add_test(tests, changed_input);
	tcase_add_test(tests, failed_launch_fails_again);
	tcase_add_test(tests, the_host_computes_again);
	tcase_add_test(tests, the_host_computes_something_else);
	tcase_add_test(tests, the_host_reads_what_was_not_downloaded);
	tcase_add_test(tests, unknown_kernel);
	return run_suite("replay", tests);
}
