/* test_record_stream.c - streams, events, captures and graphs in a trace.
 *
 * The trace holds what ran, in its order; a replay repeats it; and damage is detected. Runs on the
 * simulator. Attention by graphs is in test_record_graph.c.
 */
#include "config.h"

#include "tests/replaying.h"

#include "tests/streams.h"

/* --- streams --- */

static struct scene record_scene(struct store *store, uint64_t seed)
{
	return scene_on(recording_open(store, &(struct recording_options){
		.level = LEVEL_PARTIALS, .seed = seed }));
}

/* Writes a row on one stream and reads it on another, with an event between them if `ordered`. */
static void write_and_read(struct store *store, uint64_t seed, bool ordered)
{
	struct scene s = record_scene(store, seed);
	struct copy_launch write, read;

	FILL(s, s.s[0], s.b[0], 7);
	OK(device_launch(s.device, copy_launch(&write, s.b[0], s.b[1], WORDS, s.s[0])));
	OK(device_event_record(s.device, s.e[0], s.s[0]));
	if (ordered)
		OK(device_event_wait(s.device, s.s[1], s.e[0]));
	OK(device_launch(s.device, copy_launch(&read, s.b[1], s.b[2], WORDS, s.s[1])));
	OK(device_sync(s.device, NULL));
	OK(recorder_finish(s.device, STATUS_OK));
}

START_TEST(a_missing_order_is_found)
{
	struct store *store = new_store();
	int changed = 0;

	write_and_read(store, 0, false);
	for (uint64_t seed = 1; seed <= 16; seed++)
		changed += replay_under(store, seed) > 0;
	ck_assert_msg(changed > 0 && changed < 16, "%d of 16 orders differ", changed);
	OK(store_close(store));

	store = new_store();
	write_and_read(store, 0, true);
	for (uint64_t seed = 1; seed <= 16; seed++)
		ck_assert_int_eq(replay_under(store, seed), 0);
	OK(store_close(store));
}
END_TEST

/* What a launch wrote is read when it has run, although its row is at the place of its call. */
START_TEST(results_are_read_when_a_launch_has_run)
{
	bool stale[2] = { false, false };

	for (uint64_t seed = 1; seed <= 16; seed++) {
		struct store *store = new_store();
		int64_t equal;

		write_and_read(store, seed, false);
		ck_assert_int_eq(query(store, "SELECT group_concat(launch) = '0,1' FROM v_op"
				       " WHERE kind = 'launch'"), 1);
		equal = query(store, "SELECT count(DISTINCT digest) = 1 FROM v_digest"
			      " WHERE launch IS NOT NULL AND NOT after_step");
		stale[equal] = true;
		ck_assert_int_eq(replay_under(store, seed), 0);
		OK(store_close(store));
	}
	ck_assert(stale[0] && stale[1]);
}
END_TEST

START_TEST(asynchronous_copies)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct store *store = new_store();
		struct scene s = record_scene(store, seed);
		uint32_t words[WORDS] = { 1, 2, 3 }, back[WORDS];

		OK(device_upload_async(s.device, s.s[0], s.b[0], 0, words, sizeof words));
		memset(words, 0, sizeof words);         /* too early, but the recorder has a copy */
		OK(device_download_async(s.device, s.s[0], s.b[0], 0, back, sizeof back));
		OK(device_event_record(s.device, s.e[0], s.s[0]));
		OK(device_event_sync(s.device, s.e[0]));
		ck_assert_uint_eq(back[2], 3);
		OK(device_step_begin(s.device, 0));
		FILL(s, s.s[1], s.b[1], 5);
		OK(device_step_end(s.device));
		OK(recorder_finish(s.device, STATUS_OK));
		ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE data IS NOT NULL"
				       " AND kind = 'upload_async'"), 1);
		ck_assert_int_eq(replay_under(store, seed + 1), 0);
		OK(store_close(store));
	}
}
END_TEST

/* --- captures --- */

/* Captures two streams, with an upload of memory that changes between launches of the graph. */
static void capture_two_streams(struct store *store, uint64_t seed)
{
	struct scene s = record_scene(store, seed);
	uint32_t words[WORDS] = { 0 };
	struct copy_launch first, second;
	struct graph_exec *exec;
	struct graph *graph;

	OK(device_capture_begin(s.device, s.s[0], CAPTURE_THREAD_LOCAL));
	OK(device_upload_async(s.device, s.s[0], s.b[0], 0, words, sizeof words));
	OK(device_event_record(s.device, s.e[0], s.s[0]));
	OK(device_event_wait(s.device, s.s[1], s.e[0]));
	OK(device_launch(s.device, copy_launch(&first, s.b[0], s.b[1], WORDS, s.s[0])));
	OK(device_launch(s.device, copy_launch(&second, s.b[0], s.b[2], WORDS, s.s[1])));
	FILL(s, s.s[1], s.b[2], 9);
	OK(device_event_record(s.device, s.e[1], s.s[1]));
	OK(device_event_wait(s.device, s.s[0], s.e[1]));
	COPY(s, s.s[0], s.b[3], s.b[1]);
	OK(device_capture_end(s.device, s.s[0], &graph));
	OK(device_graph_instantiate(s.device, graph, &exec));
	OK(device_graph_destroy(s.device, graph));
	for (uint32_t i = 1; i <= 3; i++) {
		for (int w = 0; w < WORDS; w++)
			words[w] = i;
		OK(device_step_begin(s.device, i));
		OK(device_graph_launch(s.device, exec, s.s[2]));
		OK(device_step_end(s.device));
		ck_assert_uint_eq(word_of(&s, NULL, s.b[3]), i);
		ck_assert_uint_eq(word_of(&s, NULL, s.b[2]), 9);
	}
	OK(device_graph_exec_destroy(s.device, exec));
	OK(recorder_finish(s.device, STATUS_OK));
}

START_TEST(captures_of_two_streams)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		struct store *store = new_store();

		capture_two_streams(store, seed);
		ck_assert_int_eq(query(store, "SELECT count(DISTINCT data) FROM v_op"
				       " WHERE kind = 'graph_upload'"), 3);
		/* The fill overwrites what the second launch wrote, so an extra node saves it. */
		ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE own"), 1);
		ck_assert_int_eq(query(store, "SELECT count(DISTINCT digest) FROM v_digest"
				       " WHERE launch % 2 = 1 AND NOT after_step"), 3);
		replay_equal(store);
		OK(store_close(store));
	}
}
END_TEST

/* What CUDA refuses in a capture is recorded with its code, and refused again by a replay. */
START_TEST(captures_that_fail)
{
	struct store *store = new_store();
	struct scene s = record_scene(store, 0);
	uint32_t words[WORDS] = { 0 };
	struct graph *graph;
	struct copy_launch copy;

	CODE(device_capture_end(s.device, s.s[3], &graph), 401);
	OK(device_capture_begin(s.device, s.s[0], CAPTURE_GLOBAL));
	OK(device_launch(s.device, copy_launch(&copy, s.b[0], s.b[1], WORDS, s.s[0])));
	CODE(device_upload(s.device, s.s[0], s.b[0], 0, words, sizeof words), 900);
	CODE(device_launch(s.device, copy_launch(&copy, s.b[0], s.b[1], WORDS, s.s[0])), 901);
	CODE(device_capture_end(s.device, s.s[0], &graph), 901);
	OK(device_capture_begin(s.device, s.s[0], CAPTURE_RELAXED));
	OK(device_launch(s.device, copy_launch(&copy, s.b[0], s.b[1], WORDS, s.s[0])));
	OK(device_capture_end(s.device, s.s[0], &graph));
	OK(device_launch(s.device, copy_launch(&copy, s.b[0], s.b[1], WORDS, s.s[0])));
	OK(recorder_finish(s.device, STATUS_OK));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE code = 901"), 2);
	ck_assert_int_eq(query(store, "SELECT launch FROM v_launch"), 0);
	ck_assert_int_eq(replay_under(store, 0), 0);
	OK(store_close(store));
}
END_TEST

/* A launch on an ordinary stream while another stream captures. */
START_TEST(work_during_a_capture)
{
	struct store *store = new_store();
	struct scene s = record_scene(store, 0);
	struct copy_launch copy;
	struct graph *graph;

	FILL(s, s.s[1], s.b[0], 4);
	OK(device_capture_begin(s.device, s.s[0], CAPTURE_GLOBAL));
	OK(device_launch(s.device, copy_launch(&copy, s.b[0], s.b[1], WORDS, s.s[1])));
	OK(device_launch(s.device, copy_launch(&copy, s.b[0], s.b[2], WORDS, s.s[0])));
	OK(device_capture_end(s.device, s.s[0], &graph));
	OK(recorder_finish(s.device, STATUS_OK));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch"), 1);
	ck_assert_int_eq(replay_under(store, 0), 0);
	OK(store_close(store));
}
END_TEST

/* Before a node overwrites the results of nodes that precede it in every order, an extra node saves
 * them. */
START_TEST(graphs_built_by_hand)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		struct store *store = new_store();
		struct scene s = record_scene(store, seed);
		struct copy_launch first, second, last;
		struct graph_exec *exec;
		struct graph *graph;
		int a, b, c, d;

		FILL(s, NULL, s.b[0], 1);
		FILL(s, NULL, s.b[3], 2);
		copy_launch(&first, s.b[0], s.b[1], WORDS, NULL);
		copy_launch(&second, s.b[0], s.b[2], WORDS, NULL);
		copy_launch(&last, s.b[1], s.b[2], WORDS, NULL);
		OK(device_graph_create(s.device, &graph));
		OK(device_graph_add_launch(s.device, graph, &first.launch, NULL, 0, &a));
		OK(device_graph_add_launch(s.device, graph, &second.launch, NULL, 0, &b));
		OK(device_graph_add_copy(s.device, graph, s.b[1], 0, s.b[3], 0, 4 * WORDS, &a, 1,
					 &c));
		OK(device_graph_add_launch(s.device, graph, &last.launch, (int[]){ b, c }, 2, &d));
		ck_assert(a == 0 && b == 1 && c == 2 && d == 3);
		FAILS(device_graph_add_launch(s.device, graph, &last.launch, (int[]){ 4 }, 1, &d),
		      STATUS_USAGE, "node 4");
		OK(device_graph_instantiate(s.device, graph, &exec));
		OK(device_graph_launch(s.device, exec, s.s[1]));
		OK(device_graph_launch(s.device, exec, s.s[1]));
		ck_assert_uint_eq(final_word(&s, s.b[2]), 2);
		OK(recorder_finish(s.device, STATUS_OK));
		ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE own"), 2);
		/* The first two copied 1, the last one 2. */
		ck_assert_int_eq(query(store, "SELECT count(DISTINCT digest) FROM v_digest"
				       " WHERE launch IN (0, 1)"), 1);
		ck_assert_int_eq(query(store, "SELECT count(DISTINCT digest) FROM v_digest"
				       " WHERE launch IN (0, 1, 2)"), 2);
		replay_equal(store);
		OK(store_close(store));
	}
}
END_TEST

/* --- damage --- */

START_TEST(damaged_graphs)
{
	static const char *const changes[] = {
		"UPDATE t_node SET graph = 9 WHERE work = 7", "UPDATE t_node SET graph = NULL",
		"UPDATE t_node SET node = node + 1 WHERE work = 7",
		"UPDATE t_node SET work = 8 WHERE work = 7", "UPDATE t_node SET work = 99",
		"UPDATE t_node SET after = '[3]' WHERE node = 0",
		"UPDATE t_node SET after = '[-1]' WHERE node = 1",
		"UPDATE t_node SET after = '0' WHERE node = 1", "DELETE FROM t_node",
		"UPDATE t_op SET call = NULL WHERE kind = 17",
		"UPDATE t_op SET object = 2 WHERE kind = 18",
		"UPDATE t_op SET object = 5 WHERE kind = 15",
		"UPDATE t_op SET object = 7 WHERE kind = 7 AND object IS NOT NULL",
		"UPDATE t_op SET object = NULL WHERE kind = 25",
		"UPDATE t_op SET pattern = 3 WHERE kind = 15",
		"UPDATE t_op SET object = 9 WHERE kind IN (13, 14)",
		"UPDATE t_op SET bytes = 1 << 40 WHERE kind = 17 AND buffer IS NOT NULL",
		"UPDATE t_op SET data = NULL WHERE kind = 26",
		"UPDATE t_node SET node = 1 WHERE op IN (SELECT op FROM t_op WHERE kind = 26)",
		"UPDATE t_node SET launch = -5 WHERE launch IS NOT NULL",
	};

	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		struct replay_options options = { .device = "sim" };
		struct replay_report report;
		struct store *store = new_store();
		enum status status;

		capture_two_streams(store, 0);
		OK(store_commit(store));
		ck_assert_msg(sqlite3_exec(store_db(store), changes[i], NULL, NULL,
					   NULL) == SQLITE_OK && sqlite3_changes(store_db(store)),
			      "%s: %s", changes[i], sqlite3_errmsg(store_db(store)));
		status = replay_compare(store, 1, &options, &report);
		ck_assert_msg(status == STATUS_DAMAGED, "%s: %s", changes[i],
			      status ? error_text() : "replayed");
		ck_assert_ptr_null(strchr(error_text(), '\n'));
		diff_report_free(&report.diff);
		store_close(store);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("record stream");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, a_missing_order_is_found);
	tcase_add_test(tests, results_are_read_when_a_launch_has_run);
	tcase_add_test(tests, asynchronous_copies);
	tcase_add_test(tests, captures_of_two_streams);
	tcase_add_test(tests, captures_that_fail);
	tcase_add_test(tests, work_during_a_capture);
	tcase_add_test(tests, graphs_built_by_hand);
	tcase_add_test(tests, damaged_graphs);
	return run_suite("record_stream", tests);
}
