/* test_recorder.c - what ends up in a trace: operations, digests, attention, points, windows,
 * errors.
 *
 * Flash decoding on the simulator, recorded at every level and read back through the trace's views.
 */
#include "config.h"

#include "tests/recording.h"

#include <stdio.h>

#include "engine/record/ranges.h"
#include "traces/store/log_at.h"

/* --- parts --- */

START_TEST(ranges_merge)
{
	struct ranges set = { 0 };

	ranges_add(&set, 40, 10);
	ranges_add(&set, 0, 10);
	ranges_add(&set, 20, 0);
	ck_assert_uint_eq(set.count, 2);
	ranges_add(&set, 10, 5);                /* touches the first */
	ranges_add(&set, 60, 10);
	ck_assert_uint_eq(set.count, 3);
	ck_assert_uint_eq(set.items[0].end, 15);
	ranges_add(&set, 14, 48);               /* spans all */
	ck_assert_uint_eq(set.count, 1);
	ck_assert_uint_eq(set.items[0].begin, 0);
	ck_assert_uint_eq(set.items[0].end, 70);
	ck_assert_uint_eq(ranges_bytes(&set), 70);
	ranges_clear(&set);
}
END_TEST

START_TEST(log_at_windows)
{
	struct log_at log_at;

	OK(log_at_parse("s0..s63,s883..s898,s900", &log_at));
	ck_assert_int_eq(log_at.unit, 's');
	ck_assert(log_at_holds(&log_at, 0) && log_at_holds(&log_at, 63)
		  && log_at_holds(&log_at, 900));
	ck_assert(!log_at_holds(&log_at, 64) && !log_at_holds(&log_at, 899));
	log_at_free(&log_at);
	OK(log_at_parse(NULL, &log_at));
	ck_assert(log_at_holds(&log_at, 12345));
	FAILS(log_at_parse("", &log_at), STATUS_USAGE, "expected a window");
	FAILS(log_at_parse("s1..", &log_at), STATUS_USAGE, "'s1..'");
	FAILS(log_at_parse("s1..L2", &log_at), STATUS_USAGE, "'s1..L2'");
	FAILS(log_at_parse("s1,L2", &log_at), STATUS_USAGE, "mixed");
	FAILS(log_at_parse("s5..s1", &log_at), STATUS_USAGE, "s1");
	FAILS(log_at_parse("s5,s3", &log_at), STATUS_USAGE, "s3");
	FAILS(log_at_parse("s1,", &log_at), STATUS_USAGE, "'s1,'");
	FAILS(log_at_parse("s99999999999999999999", &log_at), STATUS_USAGE, "window");
}
END_TEST

/* --- operations --- */

START_TEST(operations_in_order)
{
	struct store *store = new_store();
	int64_t launches = 4 * REC_LAYERS * REC_STEPS;

	recording_make(store, &(struct recording_options){ .level = LEVEL_LAUNCH }, NULL);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch"), launches);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_step"), REC_STEPS);
	ck_assert_int_eq(query(store, "SELECT max(op) + 1 - count(*) FROM v_op"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE code <> 0"), 0);
	ck_assert_int_eq(query(store, "SELECT complete AND ended = 'OK' FROM v_run"), 1);
	/* A step of a layer: three uploads, then the four launches, then a download. */
	ck_assert_int_eq(query(store, "SELECT group_concat(kernel) = 'kv_scatter,kv_scatter,"
			       "flash_decode_chunk,flash_decode_reduce' FROM (SELECT kernel"
			       " FROM v_launch WHERE step = 3 AND layer = 1 ORDER BY op)"), 1);
	/* Arguments have the types and names of the source. */
	ck_assert_int_eq(query(store, "SELECT value FROM v_arg WHERE launch = 0 AND name = 'D'"
			       " AND type = 'int' AND kind = 'i32'"), REC_D);
	ck_assert_int_eq(query(store,
			       "SELECT count(*) FROM v_arg a JOIN v_buffer b USING (run, buffer)"
			       " WHERE launch = 2 AND a.name = 'partials'"
			       " AND b.name = 'partials'"), 1);
	/* Uploaded bytes are stored, downloaded ones are not. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'upload'"
			       " AND data IS NULL"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'download'"
			       " AND data IS NOT NULL"), 0);
	/* Every source of a kernel is stored, the .cu first. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_source WHERE entry = 0"
			       " AND file = 'kernels/' || kernel || '.cu'"
			       " AND source LIKE '%' || kernel || '(%'"), 3);
	ck_assert_int_eq(query(store, "SELECT group_concat(file) = 'kernels/online_softmax.cuh,"
			       "kernels/attend_keys.cuh' FROM v_source WHERE entry > 0"
			       " AND kernel = 'flash_decode_chunk'"), 1);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_source WHERE entry > 0"
			       " AND source NOT LIKE '/* %'"), 0);
	OK(store_close(store));
}
END_TEST

START_TEST(digests)
{
	struct store *store = new_store();

	recording_make(store, &(struct recording_options){ .level = LEVEL_LAUNCH }, NULL);
	/* Every launch here writes one buffer. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_digest WHERE NOT after_step"),
			 4 * REC_LAYERS * REC_STEPS);
	/* After a step: q, k_new, v_new, partials, out, seq_lens, and K and V of each layer. */
	ck_assert_int_eq(query(store,
			       "SELECT count(*) FROM v_digest WHERE after_step AND step = 4"),
			 6 + 2 * REC_LAYERS);
	ck_assert_int_eq(query(store,
			       "SELECT count(*) FROM v_digest d JOIN v_buffer b USING (run, buffer)"
			       " WHERE after_step AND (d.offset <> 0 OR d.bytes <> b.bytes)"), 0);
	/* The cache changes from step to step, and so do its digests. */
	ck_assert_int_eq(query(store, "SELECT count(DISTINCT digest) FROM v_digest JOIN v_buffer b"
			       " USING (run, buffer) WHERE after_step AND b.name LIKE 'k%0'"),
			 REC_STEPS);
	OK(store_close(store));
}
END_TEST

START_TEST(kv_rows_name_their_upload)
{
	struct store *store = new_store();

	recording_make(store, &(struct recording_options){ .slots = 2 }, NULL);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_kv"),
			 2 * 2 * REC_KV_HEADS * REC_LAYERS * REC_STEPS);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_kv WHERE tensor = 'v'"),
			 2 * REC_KV_HEADS * REC_LAYERS * REC_STEPS);
	ck_assert_int_eq(query(store,
			       "SELECT count(*) FROM v_kv k JOIN v_launch l USING (run, launch)"
			       " JOIN v_op o ON o.run = k.run AND o.op = k.source_op"
			       " WHERE o.kind <> 'upload' OR k.position <> l.step"
			       " OR k.layer <> l.layer"
			       " OR k.source_offset <> (k.slot * 2 + k.kv_head) * 80"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_kv WHERE source_op IS NULL"), 0);
	OK(store_close(store));
}
END_TEST

/* Rows of 16 bytes: [slots, KV heads, 300 positions, 4]. */
static void alloc_rows(struct device *recorder, const char *name, int rank, struct buffer **out)
{
	struct buffer_spec spec = { name, DTYPE_F32, rank, { 2, 2, 300, 4 } };

	OK(device_alloc(recorder, &spec, out));
}

#define KV_OF(op) "FROM v_kv WHERE op = " #op

START_TEST(kv_rows_of_uploads_and_copies)
{
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });
	static char bytes[64];
	struct buffer *k, *v, *copy, *other;

	alloc_rows(recorder, "k_cache.3", 4, &k);
	alloc_rows(recorder, "v_cache.3", 4, &v);
	alloc_rows(recorder, "copy", 4, &copy);
	alloc_rows(recorder, "k_cache.x", 3, &other);
	/* 4: the last two positions of a head and the first two of the next. */
	OK(device_upload(recorder, NULL, k, 898 * 16, bytes, 64));
	/* 5: parts of two rows. 6: one whole row between two parts. 7: asynchronous. */
	OK(device_upload(recorder, NULL, k, 8, bytes, 16));
	OK(device_upload(recorder, NULL, k, 8, bytes, 32));
	OK(device_upload_async(recorder, NULL, v, 16, bytes, 16));
	/* 8: out of a cache, more than one row of the table. 9: from one cache to the other. */
	OK(device_copy(recorder, NULL, copy, 32, k, 0, 300 * 16));
	OK(device_copy(recorder, NULL, v, 601 * 16, k, 0, 16));
	/* 10 to 13: none of them concerns rows of a cache. */
	OK(device_upload(recorder, NULL, other, 0, bytes, 12));
	OK(device_upload(recorder, NULL, copy, 0, bytes, 16));
	OK(device_fill(recorder, NULL, k, 0, 0, 4));
	OK(device_copy(recorder, NULL, copy, 0, copy, 64, 16));
	OK(recorder_finish(recorder, STATUS_OK));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_kv"), 4 + 0 + 1 + 1 + 300 + 1);
	ck_assert_int_eq(query(store, "SELECT count(launch) FROM v_kv"), 0);
	ck_assert_int_eq(query(store, "SELECT count(DISTINCT op) FROM v_kv"), 5);
	ck_assert_int_eq(query(store, "SELECT sum(layer = 3 AND slot = 1 AND tensor = 'k'"
			       " AND buffer = 1 AND bytes = 16 AND source_op = 4"
			       " AND source_offset = offset - 898 * 16"
			       " AND offset = (600 + kv_head * 300 + position) * 16) "
			       KV_OF(4)), 4);
	ck_assert_int_eq(query(store, "SELECT sum(kv_head * 1000 + position) " KV_OF(4)),
			 298 + 299 + 1000 + 1001);
	ck_assert_int_eq(query(store, "SELECT position = 1 AND offset = 16 AND source_offset = 8 "
			       KV_OF(6)), 1);
	ck_assert_int_eq(query(store, "SELECT tensor = 'v' AND position = 1 AND source_op = 7 "
			       KV_OF(7)), 1);
	ck_assert_int_eq(query(store, "SELECT sum(tensor = 'k' AND slot = 0 AND kv_head = 0"
			       " AND buffer = 3 AND offset = 32 + position * 16"
			       " AND source_op IS NULL) " KV_OF(8)), 300);
	ck_assert_int_eq(query(store, "SELECT count(DISTINCT position) " KV_OF(8)), 300);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM t_kv WHERE op = 8"), 2);
	ck_assert_int_eq(query(store, "SELECT tensor = 'v' AND slot = 1 AND kv_head = 0"
			       " AND position = 1 AND buffer = 2 " KV_OF(9)), 1);
	OK(store_close(store));
}
END_TEST

START_TEST(pointer_tables_are_symbolic)
{
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });
	struct buffer *table, *target;

	OK(device_alloc(recorder, &(struct buffer_spec){ "target", DTYPE_F32, 1, { 8 } }, &target));
	OK(device_alloc(recorder, &(struct buffer_spec){ "table", DTYPE_POINTER, 1, { 4 } },
			&table));
	OK(device_step_begin(recorder, 0));
	OK(device_upload_pointers(recorder, NULL, table, 8,
				  (struct pointer_entry[]){ { target, 12 }, { NULL, 0 } }, 2));
	OK(device_step_end(recorder));
	OK(recorder_finish(recorder, STATUS_OK));
	ck_assert_int_eq(query(store,
			       "SELECT group_concat(at || ' ' || coalesce(buffer, '-') || ' '"
			       " || coalesce(offset, 0)) = '0 1 12,8 - 0' FROM v_pointer"), 1);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_digest WHERE after_step"), 1);
	OK(store_close(store));
}
END_TEST

/* --- levels --- */

START_TEST(partials_and_reductions)
{
	struct store *store = new_store();
	int64_t chunks = 3, rows = REC_HEADS * REC_LAYERS * REC_STEPS;

	recording_make(store, &(struct recording_options){ .level = LEVEL_PARTIALS }, NULL);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_partial"), rows * chunks);
	/* Chunks cover the keys, and their shares add up to 1. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM (SELECT sum(share) AS share, step,"
			       " sum(max(key_end - key_begin, 0)) AS keys FROM v_partial"
			       " JOIN v_launch USING (run, launch) GROUP BY launch, slot, head)"
			       " WHERE keys <> step + 1"
			       " OR abs(share - 1) > 1e-12"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_partial WHERE kv_head <> head / 2"),
			 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_partial WHERE NOT empty"
			       " AND (acc_data IS NULL OR acc_bytes <> 80 OR lse IS NULL)"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_partial WHERE empty"
			       " AND (acc_data IS NOT NULL OR max_kind <> 'inf' OR sum_bits <> 0)"),
			       0);
	/* Reductions merge the chunks that hold keys, in order; no factor is above 1. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_reduce"),
			 query(store, "SELECT count(*) FROM v_partial WHERE NOT empty"));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_reduce WHERE sequence <> chunk"
			       " OR factor > 1"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'download'"
			       " AND data IS NULL"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_point"), 0);
	OK(store_close(store));
}
END_TEST

START_TEST(points_change_no_bit)
{
	struct recording_options plain = { 0 }, probed = { .level = LEVEL_POINTS };
	size_t count = REC_STEPS * REC_LAYERS * REC_HEADS * REC_D;
	float *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
	struct store *store = new_store();
	struct device *sim;

	recording_make(store, &probed, a);
	OK(device_open("sim", NULL, &sim));
	recording_decode(sim, &plain, b);
	device_close(sim);
	ck_assert_mem_eq(a, b, count * sizeof *a);
	/* One score per key and head. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_point WHERE name = 'score'"),
			 REC_LAYERS * REC_HEADS * REC_STEPS * (REC_STEPS + 1) / 2);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch WHERE dropped <> 0"), 0);
	/* Probe buffers are not buffers of the run. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_buffer WHERE name LIKE 'probe%'"), 0);
	OK(store_close(store));
	free(a);
	free(b);
}
END_TEST

START_TEST(point_filter)
{
	struct store *store = new_store();

	recording_make(store, &(struct recording_options){
		.level = LEVEL_POINTS, .points = "reduce" }, NULL);
	ck_assert_int_gt(query(store, "SELECT count(*) FROM v_point WHERE name = 'reduce'"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_point WHERE name <> 'reduce'"), 0);
	OK(store_close(store));
}
END_TEST

/* --- windows --- */

START_TEST(window_of_steps)
{
	struct store *store = new_store();

	recording_make(store, &(struct recording_options){ .log_at = "s1..s2,s7" }, NULL);
	ck_assert_int_eq(query(store, "SELECT group_concat(step) = '1,2,7' FROM v_step"), 1);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch"), 3 * 4 * REC_LAYERS);
	/* Numbers are those of the whole run. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch"
			       " WHERE launch / (4 * 2) NOT IN (1, 2, 7) OR launch / 8 <> step"),
			 0);
	ck_assert_int_eq(query(store, "SELECT log_at = 's1..s2,s7' FROM v_run"), 1);
	ck_assert_int_eq(query(store, "SELECT max(op) + 1 - count(*) FROM v_op"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'restore'"
			       " AND step IS NOT NULL"), 0);
	/* Rows 3 to 6 of each head of one cache were written between the windows. */
	ck_assert_int_eq(query(store, "SELECT group_concat(o.offset || ' ' || o.bytes) ="
			       " '240 320,1200 320' FROM v_op o JOIN v_buffer b USING (run, buffer)"
			       " WHERE kind = 'restore' AND b.name LIKE 'k%1' AND o.op >"
			       " (SELECT last_op FROM v_step WHERE step = 2)"), 1);
	OK(store_close(store));
}
END_TEST

START_TEST(window_of_launches)
{
	struct store *store = new_store();

	recording_make(store, &(struct recording_options){ .log_at = "L10..L19" }, NULL);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch"), 10);
	ck_assert_int_eq(query(store, "SELECT group_concat(step) = '1,2' FROM v_step"), 1);
	ck_assert_int_eq(query(store, "SELECT min(launch) = 10 AND max(launch) = 19"
			       " FROM v_launch"), 1);
	OK(store_close(store));
}
END_TEST

/* Two windows in one step each hold a part of it. Operations after a launch belong to its window;
 * here that is the start of the next step. */
START_TEST(windows_within_a_step)
{
	struct store *store = new_store();

	recording_make(store, &(struct recording_options){ .log_at = "L10..L11,L14..L15" }, NULL);
	ck_assert_int_eq(query(store, "SELECT group_concat(launch) = '10,11,14,15' FROM v_launch"),
			 1);
	ck_assert_int_eq(query(store, "SELECT group_concat(step) = '1,1,2' FROM v_step"),
			 1);
	ck_assert_int_eq(query(store, "SELECT steps FROM v_run"), 2);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'restore'"
			       " AND step IS NOT NULL"), 0);
	OK(store_close(store));
}
END_TEST

/* --- errors --- */

START_TEST(failed_launch_is_recorded)
{
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });
	struct recording_scatter s;

	recording_scatter(recorder, &s);
	s.launch.block.x = 2000;
	FAILS(device_launch(recorder, &s.launch), STATUS_DEVICE,
	      "block.x: expected 1 to 1024, got 2000");
	ck_assert_int_eq(error_code(), 1);
	FAILS(device_upload(recorder, NULL, s.args[0].buffer, 16000, "0123456789abcdef", 16000),
	      STATUS_USAGE, "b");
	OK(recorder_finish(recorder, fail_device(1, "the launch failed")));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op"), 2);
	ck_assert_int_eq(query(store, "SELECT code FROM v_launch WHERE launch = 0"), 1);
	ck_assert_int_eq(query(store, "SELECT complete AND ended = 'DEVICE'"
			       " AND message = 'the launch failed' FROM v_run"), 1);
	OK(store_close(store));
}
END_TEST

/* A launch that reached the device has a number, one that was refused earlier has none. */
START_TEST(failed_launches_count)
{
	struct recording_options window = { .log_at = "L1..L9" };
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &window);
	struct recording_scatter s;

	recording_scatter(recorder, &s);
	s.launch.grid.x = 0;
	FAILS(device_launch(recorder, &s.launch), STATUS_DEVICE,
	      "grid.x: expected 1 to 2147483647, got 0");
	ck_assert_int_eq(error_code(), 1);
	s.launch.arg_count = 4;
	FAILS(device_launch(recorder, &s.launch), STATUS_USAGE, "got 4");
	s.launch.arg_count = 5;
	s.launch.grid.x = 1;
	s.launch.block = (struct dim3){ 0, 1, 0 };
	FAILS(device_launch(recorder, &s.launch), STATUS_DEVICE,
	      "block.x: expected 1 to 1024, got 0");
	s.launch.block.x = 32;
	OK(device_launch(recorder, &s.launch));
	OK(recorder_finish(recorder, STATUS_OK));
	/* Sizes are stored as requested, except that a y or z of 0 counts as 1. */
	ck_assert_int_eq(query(store, "SELECT group_concat(launch || ' ' || code || ' ' || grid_x"
			       " || ' ' || block_x || ' ' || block_z) = '1 1 1 0 1,2 0 1 32 1'"
			       " FROM v_launch"), 1);
	OK(store_close(store));
}
END_TEST

START_TEST(bad_options)
{
	struct store *store = new_store();
	struct recorder_options options = {
		.store = store, .level = LEVEL_POINTS, .command = "test",
	};
	struct device *sim, *recorder;

	OK(device_open("sim", NULL, &sim));
	options.log_at = "s9..s1";
	FAILS(recorder_open(sim, &options, &recorder), STATUS_USAGE, "s9..s1");
	OK(device_open("sim", NULL, &sim));
	options.log_at = NULL;
	options.points = "score,nonsense";
	FAILS(recorder_open(sim, &options, &recorder), STATUS_USAGE, "nonsense");
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("recorder");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, ranges_merge);
	tcase_add_test(tests, log_at_windows);
	tcase_add_test(tests, operations_in_order);
	tcase_add_test(tests, digests);
	tcase_add_test(tests, kv_rows_name_their_upload);
	tcase_add_test(tests, kv_rows_of_uploads_and_copies);
	tcase_add_test(tests, pointer_tables_are_symbolic);
	tcase_add_test(tests, partials_and_reductions);
	tcase_add_test(tests, points_change_no_bit);
	tcase_add_test(tests, point_filter);
	tcase_add_test(tests, window_of_steps);
	tcase_add_test(tests, window_of_launches);
	tcase_add_test(tests, windows_within_a_step);
	tcase_add_test(tests, failed_launch_is_recorded);
	tcase_add_test(tests, failed_launches_count);
	tcase_add_test(tests, bad_options);
	return run_suite("recorder", tests);
}
