/* test_replay_points.c - one launch replayed for its points: those of a run recorded with points.
 */
#include "config.h"

#include "tests/recording.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/attention/path_table.h"
#include "engine/replay/replay_points.h"
#include "traces/store/store_index.h"

static char folder[] = "/tmp/test_replay_points.XXXXXX";

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
}

/* Nothing is left behind, whatever a test did. */
static void teardown(void)
{
	ck_assert_msg(rmdir(folder) == 0, "%s is not empty", folder);
	strcpy(strrchr(folder, '.') + 1, "XXXXXX");
}

static void change(struct store *store, const char *sql)
{
	ck_assert_int_eq(sqlite3_exec(store_db(store), sql, NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_gt(sqlite3_changes(store_db(store)), 0);
}

/* Expects the rows of the two queries for run 1, or `run`, and the launch to be equal. Returns how
 * many there are. */
static int same_rows(struct store *a, int64_t run_a, struct store *b, int64_t run_b, int64_t launch,
		     const char *sql)
{
	sqlite3_stmt *rows[2];
	int count = 0, code[2];

	ck_assert_int_eq(sqlite3_prepare_v2(store_db(a), sql, -1, &rows[0], NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(store_db(b), sql, -1, &rows[1], NULL), SQLITE_OK);
	for (int i = 0; i < 2; i++) {
		sqlite3_bind_int64(rows[i], 1, i ? run_b : run_a);
		sqlite3_bind_int64(rows[i], 2, launch);
	}
	do {
		code[0] = sqlite3_step(rows[0]);
		code[1] = sqlite3_step(rows[1]);
		ck_assert_msg(code[0] == code[1], "L%d: row %d of %s", (int)launch, count, sql);
		for (int i = 0; code[0] == SQLITE_ROW && i < sqlite3_column_count(rows[0]); i++) {
			const char *text[2];

			for (int k = 0; k < 2; k++)
				text[k] = (const char *)sqlite3_column_text(rows[k], i);
			ck_assert_msg(!text[0] == !text[1]
				      && (!text[0] || !strcmp(text[0], text[1])),
				      "L%d: row %d column %d of %s: %s and %s", (int)launch, count,
				      i, sql, text[0], text[1]);
		}
		count += code[0] == SQLITE_ROW;
	} while (code[0] == SQLITE_ROW);
	sqlite3_finalize(rows[0]);
	sqlite3_finalize(rows[1]);
	return count;
}

/* Replays each launch of the last run of `trace`, and compares its points with those of run 1 of
 * `recorded`, which made the same launches. */
static void check_launches(struct store *trace, int64_t run, struct store *recorded)
{
	int64_t launches = query(recorded, "SELECT max(launch) + 1 FROM v_launch WHERE run = 1");
	int points = 0;

	OK(store_index_views(recorded));
	for (int64_t launch = 0; launch < launches; launch += launch < 8 ? 1 : 7) {
		struct store *out;

		ck_assert_msg(replay_launch_points(trace, run, launch, false, &out) == STATUS_OK,
			      "L%d: %s", (int)launch, error_text());
		OK(store_index_views(out));
		points += same_rows(recorded, 1, out, run, launch, "SELECT thread, sequence, name,"
				    " v0_bits, v1_bits, v2_bits, v3_bits FROM w_point"
				    " WHERE run = ?1 AND launch = ?2 ORDER BY thread, sequence");
		same_rows(recorded, 1, out, run, launch, "SELECT slot, head, chunk, max_bits,"
			  " sum_bits, acc_bytes FROM v_partial WHERE run = ?1 AND launch = ?2"
			  " ORDER BY slot, head, chunk");
		same_rows(recorded, 1, out, run, launch, "SELECT slot, head, sequence, chunk,"
			  " weight, sum FROM v_reduce WHERE run = ?1 AND launch = ?2"
			  " ORDER BY slot, head, sequence");
		ck_assert_int_eq(same_rows(recorded, 1, out, run, launch, "SELECT step, kernel,"
					   " grid_x, grid_y, grid_z, layer FROM v_launch"
					   " WHERE run = ?1 AND launch = ?2"), 1);
		same_rows(recorded, 1, out, run, launch, "SELECT a.name, a.buffer, a.offset"
			  " FROM v_launch l JOIN v_arg a ON a.run = l.run AND a.op = l.op"
			  " WHERE l.run = ?1 AND l.launch = ?2 ORDER BY a.position");
		OK(store_close(out));
	}
	ck_assert_int_gt(points, 0);
}

/* Records at a level, and at level points, and compares every launch. */
static void check_recording(struct recording_options options, enum log_level level)
{
	struct store *trace = new_store(), *recorded = new_store();

	options.level = LEVEL_POINTS;
	recording_make(recorded, &options, NULL);
	options.level = level;
	recording_make(trace, &options, NULL);
	check_launches(trace, 1, recorded);
	OK(store_close(trace));
	OK(store_close(recorded));
}

START_TEST(every_path)
{
	const struct attention_shape shape = {
		.slots = 2, .heads = REC_HEADS, .kv_heads = REC_KV_HEADS, .head_dim = REC_D,
		.max_len = 50, .chunk = 8, .scale = 0.7f, .warps = 1 + _i % 2,
	};

	if (path_table[_i]->repeat_kv || path_table[_i] == &path_cached)
		return;                 /* the host does its work */
	check_recording((struct recording_options){
		.path = path_table[_i], .shape = &shape, .prompt = 36, .steps = 3 },
			(enum log_level)(_i % 3));
}
END_TEST

START_TEST(every_level)
{
	check_recording((struct recording_options){ .slots = 2 }, (enum log_level)_i);
}
END_TEST

START_TEST(graphs)
{
	const struct attention_shape shape = {
		.slots = 2, .heads = REC_HEADS, .kv_heads = REC_KV_HEADS, .head_dim = REC_D,
		.max_len = 30, .chunk = 8, .scale = 0.7f, .graph = (enum graph_mode)_i,
	};

	check_recording((struct recording_options){ .shape = &shape, .prompt = 5, .steps = 4 },
			LEVEL_LAUNCH);
	check_recording((struct recording_options){
		.path = &path_batched, .shape = &shape, .prompt = 5, .steps = 4 }, LEVEL_LAUNCH);
}
END_TEST

/* Memory that the trace lacks is a NaN too, and must not be taken for these. */
START_TEST(inputs_with_nan)
{
	check_recording((struct recording_options){ .nan = true, .slots = 3 }, LEVEL_LAUNCH);
	check_recording((struct recording_options){
		.nan = true, .slots = 3, .path = &path_batched }, LEVEL_LAUNCH);
}
END_TEST

START_TEST(later_runs_keep_their_number)
{
	struct recording_options options = { .level = LEVEL_POINTS, .random = 9 };
	struct store *trace = new_store(), *recorded = new_store();
	int64_t count;

	recording_make(recorded, &options, NULL);
	options.level = LEVEL_LAUNCH;
	options.random = 1;
	recording_make(trace, &options, NULL);
	recording_make(trace, &options, NULL);
	options.random = 9;
	ck_assert_int_eq(recording_make(trace, &options, NULL), 3);
	check_launches(trace, 3, recorded);
	OK(store_run_count(trace, &count));
	ck_assert_int_eq(count, 3);
	OK(store_close(trace));
	OK(store_close(recorded));
}
END_TEST

/* A window begins with what the gap before it had changed. */
START_TEST(windows)
{
	struct store *trace = new_store(), *recorded = new_store(), *out;
	struct recording_options options = { .level = LEVEL_POINTS };

	recording_make(recorded, &options, NULL);
	options.level = LEVEL_PARTIALS;
	options.log_at = "s6..s7";
	recording_make(trace, &options, NULL);
	for (int64_t launch = query(trace, "SELECT min(launch) FROM v_launch"); launch
	     <= query(trace, "SELECT max(launch) FROM v_launch"); launch++) {
		ck_assert_msg(replay_launch_points(trace, 1, launch, false, &out) == STATUS_OK,
			      "L%d: %s", (int)launch, error_text());
		same_rows(recorded, 1, out, 1, launch, "SELECT block, warp, lane, sequence,"
			  " v0_bits, v1_bits, v2_bits FROM v_point WHERE run = ?1 AND launch = ?2"
			  " ORDER BY 1, 2, 3, 4");
		OK(store_close(out));
	}
	FAILS(replay_launch_points(trace, 1, 3, false, &out), STATUS_USAGE, "has no launch L3");
	OK(store_close(trace));
	OK(store_close(recorded));
}
END_TEST

/* Traces of a GPU: the same points, and those that its kernels did not have yet. */
START_TEST(traces_of_a_gpu)
{
	static const struct {
		const char *trace;
		int64_t launch, points;
		bool recorded;
	} cases[] = {
		{ "demo", 1018, 528, true }, { "demo", 1019, 16, true },
		{ "flash-decoding-graph", 22, 64, true }, { "flash-decoding-graph", 23, 8, true },
		{ "batched-graph", 35, 152, true }, { "manual-graph", 38, 160, true },
		{ "flash-decoding", 2, 48, false }, { "prefill", 0, 16032, false },
		{ "long", 14, 5784, false }, { "long", 15, 48, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct store *trace, *out;
		char path[512];

		snprintf(path, sizeof path, "%s/tests/h200/%s.twin", getenv("abs_srcdir"),
			 cases[i].trace);
		OK(store_open(path, &trace));
		ck_assert_msg(replay_launch_points(trace, 1, cases[i].launch, false, &out)
			      == STATUS_OK, "%s L%d: %s", cases[i].trace, (int)cases[i].launch,
			      error_text());
		ck_assert_int_eq(query(out, "SELECT count(*) FROM v_point"), cases[i].points);
		if (cases[i].recorded)
			same_rows(trace, 1, out, 1, cases[i].launch, "SELECT block, warp, lane,"
				  " sequence, name, v0_bits, v1_bits, v2_bits FROM v_point"
				  " WHERE run = ?1 AND launch = ?2 ORDER BY 1, 2, 3, 4");
		OK(store_close(out));
		OK(store_close(trace));
	}
}
END_TEST

#define OF_LAUNCH(n) " WHERE op = (SELECT op FROM t_launch WHERE launch = " #n ")"

START_TEST(other_bits_are_refused)
{
	struct store *trace = new_store(), *out;

	recording_make(trace, &(struct recording_options){ 0 }, NULL);
	change(trace, "UPDATE t_digest SET digest = digest + 1" OF_LAUNCH(20));
	FAILS(replay_launch_points(trace, 1, 20, false, &out), STATUS_DIFFERS,
	      "L20 does not write what was recorded");
	ck_assert_ptr_null(out);
	change(trace, "UPDATE t_digest SET digest = digest - 1" OF_LAUNCH(20));
	OK(replay_launch_points(trace, 1, 20, false, &out));
	OK(store_close(out));
	change(trace, "DELETE FROM t_digest" OF_LAUNCH(20));
	FAILS(replay_launch_points(trace, 1, 20, false, &out), STATUS_DIFFERS, "L20 does not");
	/* A launch of other blocks. */
	change(trace, "UPDATE t_call SET grid_x = grid_x - 1 WHERE call ="
	       " (SELECT call FROM t_op" OF_LAUNCH(21) ")");
	FAILS(replay_launch_points(trace, 1, 21, false, &out), STATUS_DIFFERS, "L21 does not");
	OK(store_close(trace));
}
END_TEST

START_TEST(what_cannot_be_replayed)
{
	struct store *trace = new_store(), *out;

	recording_make(trace, &(struct recording_options){ 0 }, NULL);
	FAILS(replay_launch_points(trace, 1, 4000, false, &out), STATUS_USAGE,
	      "run 1 has no launch L4000");
	FAILS(replay_launch_points(trace, 2, 0, false, &out), STATUS_USAGE, "no run 2");
	change(trace, "UPDATE t_op SET code = 700" OF_LAUNCH(10));
	FAILS(replay_launch_points(trace, 1, 10, false, &out), STATUS_USAGE,
	      "L10 failed when it was recorded, with error 700");
	change(trace, "UPDATE t_kernel SET kernel = 'attack' WHERE kernel = 'kv_scatter'");
	change(trace, "UPDATE t_call SET kernel = 'attack' WHERE kernel = 'kv_scatter'");
	FAILS(replay_launch_points(trace, 1, 0, false, &out), STATUS_USAGE,
	      "kernel attack of the trace is not in this build");
	/* Sizes that lead outside of the buffers of a reduction. */
	change(trace, "UPDATE t_arg SET bits = 100000, value = 100000 WHERE name = 'max_chunks'");
	FAILS(replay_launch_points(trace, 1, 7, false, &out), STATUS_DAMAGED,
	      "L7 reaches outside of its buffers");
	/* So many empty runs before it would fill the disk. */
	change(trace, "UPDATE t_run SET run = 1 << 40");
	FAILS(replay_launch_points(trace, INT64_C(1) << 40, 0, false, &out), STATUS_DAMAGED,
	      "1 runs, but the last is 1099511627776");
	ck_assert_ptr_null(out);
	OK(store_close(trace));
}
END_TEST

/* The run of a user's kernel, even if this build has one of that name. */
START_TEST(users_kernels_need_trust)
{
	struct store *trace = new_store(), *out;

	recording_make(trace, &(struct recording_options){ 0 }, NULL);
	change(trace, "UPDATE t_run SET command = 'launch'");
	FAILS(replay_launch_points(trace, 1, 2, false, &out), STATUS_USAGE,
	      "would compile and run a kernel from the trace: --trust allows it");
	ck_assert_ptr_null(out);
	OK(replay_launch_points(trace, 1, 2, true, &out));
	OK(store_close(out));
	OK(store_close(trace));
}
END_TEST

START_TEST(no_folder_for_the_trace)
{
	struct store *trace = new_store(), *out;

	recording_make(trace, &(struct recording_options){ .steps = 1 }, NULL);
	setenv("TMPDIR", "/nonexistent", 1);
	FAILS(replay_launch_points(trace, 1, 2, false, &out), STATUS_IO,
	      "/nonexistent/flashtwin-points.");
	OK(store_close(trace));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("replay_points");
	int paths = 0;

	while (path_table[paths])
		paths++;
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, every_path, 0, paths);
	tcase_add_loop_test(tests, every_level, LEVEL_LAUNCH, LEVEL_POINTS + 1);
	tcase_add_loop_test(tests, graphs, GRAPH_CAPTURE, GRAPH_MANUAL + 1);
	tcase_add_test(tests, inputs_with_nan);
	tcase_add_test(tests, later_runs_keep_their_number);
	tcase_add_test(tests, windows);
	tcase_add_test(tests, traces_of_a_gpu);
	tcase_add_test(tests, other_bits_are_refused);
	tcase_add_test(tests, what_cannot_be_replayed);
	tcase_add_test(tests, users_kernels_need_trust);
	tcase_add_test(tests, no_folder_for_the_trace);
	tcase_set_timeout(tests, 120);
	return run_suite("replay_points", tests);
}
