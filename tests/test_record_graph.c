/* test_record_graph.c - streams, events, captures and graphs in a trace: every launch a graph makes
 * has its rows, a replay does all of it again, and damage is found.
 *
 * On the simulator; attention is recorded on a GPU too, where there is one, and replayed here.
 */
#include "config.h"

#include "tests/dump_text.h"
#include "tests/recording.h"
#include "tests/streams.h"

#include <stdio.h>

#include "engine/attention_graph.h"
#include "engine/replay.h"
#include "engine/step_io.h"

static struct store *new_store(void)
{
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	return store;
}

/* Replays run 1 on the simulator; how many differences there are. */
static int64_t replay_under(struct store *store, uint64_t seed)
{
	struct replay_options options = { .device = "sim", .target = { .seed = seed } };
	struct replay_report report;
	int64_t differences;

	OK(replay_compare(store, 1, &options, &report));
	differences = report.diff.differences;
	ck_assert_int_gt(report.diff.buffers, 0);
	diff_report_free(&report.diff);
	return differences;
}

static void replay_equal(struct store *store)
{
	for (uint64_t seed = 0; seed < 4; seed++)
		ck_assert_msg(replay_under(store, seed) == 0, "seed %d: bits differ", (int)seed);
}

/* --- attention --- */

/* Both layers attend, in one graph or in two, twice; *out has the last layer's output. */
static void attend(struct device *device, enum graph_mode mode, int layers_each, float *out)
{
	struct attention_shape shape = recording_shape(&(struct recording_options){ .slots = 2 });
	int row = shape.slots * shape.heads * shape.head_dim;
	int kv_row = shape.slots * shape.kv_heads * shape.head_dim;
	float *q = calloc((size_t)row, sizeof *q);
	float *k = calloc((size_t)kv_row, sizeof *k), *v = calloc((size_t)kv_row, sizeof *v);
	struct attention_graph *graphs[REC_LAYERS];
	struct attention *a;
	uint32_t random = 5;

	OK(attention_create(&path_flash_decoding, device, &shape, &a));
	for (int layer = 0; layer < REC_LAYERS; layer++) {
		recording_fill(k, kv_row, &random, false);
		OK(kv_cache_load(a->cache, layer, 1, k, k, 1, 1));
	}
	for (int i = 0; i < REC_LAYERS / layers_each; i++)
		OK(attention_graph_create(a, mode, i * layers_each, layers_each, &graphs[i]));
	for (int step = 0; step < 2; step++) {
		recording_fill(q, row, &random, false);
		recording_fill(k, kv_row, &random, false);
		recording_fill(v, kv_row, &random, false);
		OK(device_step_begin(device, step));
		OK(attention_upload(a, &(struct attention_step){
			.q = q, .k = k, .v = v, .out = out }));
		for (int i = 0; i < REC_LAYERS / layers_each; i++)
			OK(attention_graph_launch(graphs[i]));
		OK(device_step_end(device));
	}
	OK(device_download(device, NULL, a->io->out, 0, out, (size_t)row * sizeof *out));
	for (int i = 0; i < REC_LAYERS / layers_each; i++)
		attention_graph_destroy(graphs[i]);
	attention_destroy(a);
	free(q);
	free(k);
	free(v);
}

static void attend_on(const char *device, struct store *store, enum graph_mode mode,
		      int layers_each, enum log_level level, uint64_t seed)
{
	struct device *recorder = recording_open(store, &(struct recording_options){
		.level = level, .seed = seed, .device = device });
	float out[2 * REC_HEADS * REC_D];

	attend(recorder, mode, layers_each, out);
	OK(recorder_finish(recorder, STATUS_OK));
}

static void attend_recorded(struct store *store, enum graph_mode mode, int layers_each,
			    enum log_level level, uint64_t seed)
{
	attend_on("sim", store, mode, layers_each, level, seed);
}

/* The simulator as a recorder meets a GPU: a device that does not tell when work runs. */
static struct device *silent_recorder(struct store *store, enum log_level level)
{
	static struct device_ops silent;
	const struct device_options options = { .poison = true };
	struct device *inner, *recorder;

	OK(device_open("sim", &options, &inner));
	silent = *inner->ops;
	silent.observe = NULL;
	inner->ops = &silent;
	OK(recorder_open(inner, &(struct recorder_options){
		.store = store, .level = level, .command = "test",
		.path = "flash-decoding" }, &recorder));
	return recorder;
}

/* One graph of both layers, which overwrites the partials and the output of the first, beside a
 * graph of each layer, which does not. */
START_TEST(what_a_graph_overwrites_is_recorded)
{
	enum graph_mode mode = (enum graph_mode)_i;
	struct store *store = new_store();

	attend_recorded(store, mode, 2, LEVEL_POINTS, 0);
	attend_recorded(store, mode, 1, LEVEL_POINTS, 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch WHERE run = 1"), 16);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch WHERE run = 2"), 16);
	/* Marked as the recorder's: partials and the output, before the second layer's kernels. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE run = 1 AND own"), 2);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE run = 2 AND own"), 0);
	ck_assert_int_eq(query(store, "SELECT count(DISTINCT b.name) FROM v_node n"
			       " JOIN v_op o USING (run, op) JOIN v_buffer b USING (run, buffer)"
			       " WHERE run = 1 AND own AND b.name IN ('partials', 'out')"), 2);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_digest a JOIN v_digest b USING"
			       " (launch, after_step, buffer, offset) WHERE a.run = 1 AND b.run = 2"
			       " AND NOT after_step AND a.digest = b.digest"), 16);
	ck_assert_int_gt(query(store, "SELECT count(*) FROM v_partial WHERE run = 1"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_partial WHERE run = 1"),
			 query(store, "SELECT count(*) FROM v_partial a JOIN v_partial b USING"
			       " (launch, slot, head, chunk) WHERE a.run = 1 AND b.run = 2"
			       " AND a.max_bits = b.max_bits AND a.sum_bits = b.sum_bits"));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_reduce WHERE run = 1"),
			 query(store, "SELECT count(*) FROM v_reduce a JOIN v_reduce b USING"
			       " (launch, slot, head, sequence) WHERE a.run = 1 AND b.run = 2"
			       " AND a.weight = b.weight AND a.sum = b.sum"));
	ck_assert_int_gt(query(store, "SELECT count(*) FROM v_point WHERE run = 1"), 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_point WHERE run = 1"),
			 query(store, "SELECT count(*) FROM v_point a JOIN v_point b USING"
			       " (launch, block, warp, lane, sequence) WHERE a.run = 1"
			       " AND b.run = 2 AND a.name = b.name AND a.v0_bits = b.v0_bits"
			       " AND a.v1_bits IS b.v1_bits"));
	/* Layers differ, so none of this was read from the wrong one. */
	ck_assert_int_eq(query(store, "SELECT count(DISTINCT digest) FROM v_digest WHERE run = 1"
			       " AND NOT after_step AND buffer IN (SELECT buffer FROM v_buffer"
			       " WHERE run = 1 AND name = 'partials')"), 4);
	OK(store_close(store));
}
END_TEST

/* Read from the copies when the graph has ended, or at once when a node has: the same. */
START_TEST(copies_hold_what_nodes_wrote)
{
	float out[2][2 * REC_HEADS * REC_D];
	char *dumps[2];

	for (int silent = 0; silent < 2; silent++) {
		struct store *store = new_store();
		struct device *recorder = silent ? silent_recorder(store, LEVEL_POINTS)
			: recording_open(store, &(struct recording_options){
				.level = LEVEL_POINTS });

		attend(recorder, (enum graph_mode)_i, 2, out[silent]);
		OK(recorder_finish(recorder, STATUS_OK));
		dumps[silent] = dump_of(store);
		OK(store_close(store));
	}
	ck_assert_str_eq(dumps[0], dumps[1]);
	ck_assert_mem_eq(out[0], out[1], sizeof out[0]);
	free(dumps[0]);
	free(dumps[1]);
}
END_TEST

START_TEST(rows_of_a_graph)
{
	enum graph_mode mode = (enum graph_mode)_i;
	struct store *store = new_store();

	attend_recorded(store, mode, 2, LEVEL_LAUNCH, 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'graph_launch'"), 2);
	/* Each launch says which graph launch made it, and follows it. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op l JOIN v_op g ON g.run = l.run"
			       " AND g.op = l.object JOIN v_node n ON n.run = g.run AND n.op = g.op"
			       " WHERE l.kind = 'launch' AND g.kind = 'graph_launch'"
			       " AND l.launch - n.launch = l.op - g.op - 1"), 16);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE work = 'launch'"), 8);
	ck_assert_int_eq(query(store, "SELECT group_concat(node) = '0,1,2,3,4,5,6,7' FROM v_node"
			       " WHERE work = 'launch'"), 1);
	/* By hand, edges are in the trace; a capture has its stream. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE after IS NOT NULL"),
			 mode == GRAPH_MANUAL ? 10 : 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'graph_node'"
			       " AND stream > 0"), mode == GRAPH_MANUAL ? 0 : 10);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_kv WHERE source_op >= 0"),
			 query(store, "SELECT count(*) FROM v_kv"));
	OK(store_close(store));
}
END_TEST

START_TEST(recorded_bits_are_unrecorded_bits)
{
	enum graph_mode mode = (enum graph_mode)_i;
	float plain[2 * REC_HEADS * REC_D], recorded[2 * REC_HEADS * REC_D];

	for (uint64_t seed = 0; seed < 3; seed++) {
		struct store *store = new_store();
		struct device_options sim = { .seed = seed };
		struct attention_shape shape = recording_shape(&(struct recording_options){
			.slots = 2, .level = LEVEL_POINTS });
		struct device *devices[2];

		OK(device_open("sim", &sim, &devices[0]));
		devices[1] = recording_open(store, &(struct recording_options){
			.level = LEVEL_POINTS, .seed = seed });
		shape.graph = mode;
		for (int i = 0; i < 2; i++)
			recording_decode(devices[i], &(struct recording_options){
				.shape = &shape, .slots = 2 }, NULL);
		for (int i = 0; i < 2; i++)
			attend(devices[i], mode, 2, i ? recorded : plain);
		ck_assert_mem_eq(plain, recorded, sizeof plain);
		device_close(devices[0]);
		OK(recorder_finish(devices[1], STATUS_OK));
		OK(store_close(store));
	}
}
END_TEST

START_TEST(attention_is_replayed)
{
	for (enum log_level level = LEVEL_LAUNCH; level <= LEVEL_POINTS; level++) {
		struct store *store = new_store();

		attend_recorded(store, (enum graph_mode)_i, 2, level, 3);
		replay_equal(store);
		OK(store_close(store));
	}
}
END_TEST

START_TEST(attention_of_a_gpu_is_replayed)
{
	struct store *store = new_store();

	attend_on("cuda", store, (enum graph_mode)_i, 2, LEVEL_POINTS, 0);
	replay_equal(store);
	OK(store_close(store));
}
END_TEST

/* A window that opens long after a graph was made has its nodes, and brings its buffers up to date;
 * one of launches holds all of a graph's launch or nothing. */
START_TEST(windows)
{
	static const char *const windows[] = { "s3..s5", "s0,s7", "L8..L9", "L3,L41..L42" };

	for (size_t i = 0; i < sizeof windows / sizeof(windows[0]); i++) {
		struct attention_shape shape = recording_shape(&(struct recording_options){ 0 });
		struct store *store = new_store();

		shape.graph = (enum graph_mode)_i;
		recording_make(store, &(struct recording_options){
			.shape = &shape, .log_at = windows[i], .level = LEVEL_POINTS }, NULL);
		ck_assert_int_gt(query(store, "SELECT count(*) FROM v_launch"), 3);
		ck_assert_int_eq(query(store, "SELECT count(*) % 4 FROM v_launch"), 0);
		ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node"
				       " WHERE work = 'launch'"), 4 * REC_LAYERS);
		replay_equal(store);
		OK(store_close(store));
	}
}
END_TEST

START_TEST(same_seed_same_trace)
{
	char *dumps[2];

	for (int i = 0; i < 2; i++) {
		struct store *store = new_store();

		attend_recorded(store, GRAPH_CAPTURE, 2, LEVEL_POINTS, 9);
		dumps[i] = dump_of(store);
		OK(store_close(store));
	}
	ck_assert_str_eq(dumps[0], dumps[1]);
	free(dumps[0]);
	free(dumps[1]);
}
END_TEST

/* The same decode with graphs and without. */
START_TEST(graphs_beside_launches)
{
	struct attention_shape shape = recording_shape(&(struct recording_options){ .slots = 2 });
	struct recording_options options = {
		.shape = &shape, .slots = 2, .level = LEVEL_POINTS };
	struct diff_options diff = { .run_a = 1, .run_b = 2 };
	struct store *store = new_store();
	struct diff_report report;

	recording_make(store, &options, NULL);
	shape.graph = (enum graph_mode)_i;
	recording_make(store, &options, NULL);
	OK(diff_runs(store, store, &diff, &report));
	ck_assert_msg(report.differences == 0, "%s %s", report.items[0].address,
		      report.items[0].what);
	ck_assert_int_eq(report.operations, 4 * REC_LAYERS * REC_STEPS);
	ck_assert_int_ge(report.buffers, report.operations);
	ck_assert_int_eq(report.partials, query(store, "SELECT count(*) FROM v_partial"
						" WHERE run = 2"));
	ck_assert_int_eq(report.points, query(store, "SELECT count(*) FROM v_point WHERE run = 2"));
	diff_report_free(&report);

	/* One other bit of q is found. */
	options.flip_step = 4;
	recording_make(store, &options, NULL);
	diff.run_b = 3;
	OK(diff_runs(store, store, &diff, &report));
	ck_assert_int_gt(report.differences, 0);
	diff_report_free(&report);
	OK(store_close(store));
}
END_TEST

/* --- streams --- */

static struct scene record_scene(struct store *store, uint64_t seed)
{
	struct scene scene = { .device = recording_open(store, &(struct recording_options){
		.level = LEVEL_PARTIALS, .seed = seed }) };
	const struct buffer_spec spec = {
		.name = "words", .dtype = DTYPE_I32, .rank = 1, .shape = { WORDS },
	};

	for (int i = 0; i < 4; i++) {
		OK(device_stream_create(scene.device, &scene.s[i]));
		OK(device_event_create(scene.device, &scene.e[i]));
		OK(device_alloc(scene.device, &spec, &scene.b[i]));
	}
	return scene;
}

/* A row is written in one stream and read in another: with an event between them, or not. */
static void write_and_read(struct store *store, uint64_t seed, bool ordered)
{
	struct scene s = record_scene(store, seed);
	struct row_copy write, read;

	FILL(s, s.s[0], s.b[0], 7);
	OK(device_launch(s.device, row_copy(&write, s.s[0], s.b[1], s.b[0])));
	OK(device_event_record(s.device, s.e[0], s.s[0]));
	if (ordered)
		OK(device_event_wait(s.device, s.s[1], s.e[0]));
	OK(device_launch(s.device, row_copy(&read, s.s[1], s.b[2], s.b[1])));
	OK(device_sync(s.device, NULL));
	OK(recorder_finish(s.device, STATUS_OK));
}

START_TEST(an_order_that_nothing_forces_is_found)
{
	struct store *store = new_store();
	int changed = 0;

	write_and_read(store, 0, false);
	for (uint64_t seed = 1; seed <= 16; seed++)
		changed += replay_under(store, seed) > 0;
	ck_assert_msg(changed > 0 && changed < 16, "%d of 16 orders", changed);
	OK(store_close(store));

	store = new_store();
	write_and_read(store, 0, true);
	for (uint64_t seed = 1; seed <= 16; seed++)
		ck_assert_int_eq(replay_under(store, seed), 0);
	OK(store_close(store));
}
END_TEST

/* What a launch wrote is read when it has run, though its row has the place of its call. */
START_TEST(results_are_of_the_time_they_ran)
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

START_TEST(copies_left_to_a_stream)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct store *store = new_store();
		struct scene s = record_scene(store, seed);
		uint32_t words[WORDS] = { 1, 2, 3 }, back[WORDS];

		OK(device_upload_async(s.device, s.s[0], s.b[0], 0, words, sizeof words));
		memset(words, 0, sizeof words);         /* too early: the trace keeps what it was */
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

/* A capture over two streams, with an upload of memory that changes between two launches. */
static void capture_two_streams(struct store *store, uint64_t seed)
{
	struct scene s = record_scene(store, seed);
	uint32_t words[WORDS] = { 0 };
	struct row_copy first, second;
	struct graph_exec *exec;
	struct graph *graph;

	OK(device_capture_begin(s.device, s.s[0], CAPTURE_THREAD_LOCAL));
	OK(device_upload_async(s.device, s.s[0], s.b[0], 0, words, sizeof words));
	OK(device_event_record(s.device, s.e[0], s.s[0]));
	OK(device_event_wait(s.device, s.s[1], s.e[0]));
	OK(device_launch(s.device, row_copy(&first, s.s[0], s.b[1], s.b[0])));
	OK(device_launch(s.device, row_copy(&second, s.s[1], s.b[2], s.b[0])));
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
		/* The fill is about to overwrite what the second launch wrote. */
		ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE own"), 1);
		ck_assert_int_eq(query(store, "SELECT count(DISTINCT digest) FROM v_digest"
				       " WHERE launch % 2 = 1 AND NOT after_step"), 3);
		replay_equal(store);
		OK(store_close(store));
	}
}
END_TEST

/* What CUDA refuses in a capture is recorded with its code, and refused again. */
START_TEST(captures_that_fail)
{
	struct store *store = new_store();
	struct scene s = record_scene(store, 0);
	uint32_t words[WORDS] = { 0 };
	struct graph *graph;
	struct row_copy copy;

	CODE(device_capture_end(s.device, s.s[3], &graph), 401);
	OK(device_capture_begin(s.device, s.s[0], CAPTURE_GLOBAL));
	OK(device_launch(s.device, row_copy(&copy, s.s[0], s.b[1], s.b[0])));
	CODE(device_upload(s.device, s.s[0], s.b[0], 0, words, sizeof words), 900);
	CODE(device_launch(s.device, row_copy(&copy, s.s[0], s.b[1], s.b[0])), 901);
	CODE(device_capture_end(s.device, s.s[0], &graph), 901);
	OK(device_capture_begin(s.device, s.s[0], CAPTURE_RELAXED));
	OK(device_launch(s.device, row_copy(&copy, s.s[0], s.b[1], s.b[0])));
	OK(device_capture_end(s.device, s.s[0], &graph));
	OK(device_launch(s.device, row_copy(&copy, s.s[0], s.b[1], s.b[0])));
	OK(recorder_finish(s.device, STATUS_OK));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE code = 901"), 2);
	ck_assert_int_eq(query(store, "SELECT launch FROM v_launch"), 0);
	ck_assert_int_eq(replay_under(store, 0), 0);
	OK(store_close(store));
}
END_TEST

/* A launch in a working stream while another one captures. */
START_TEST(work_beside_a_capture)
{
	struct store *store = new_store();
	struct scene s = record_scene(store, 0);
	struct row_copy copy;
	struct graph *graph;

	FILL(s, s.s[1], s.b[0], 4);
	OK(device_capture_begin(s.device, s.s[0], CAPTURE_GLOBAL));
	OK(device_launch(s.device, row_copy(&copy, s.s[1], s.b[1], s.b[0])));
	OK(device_launch(s.device, row_copy(&copy, s.s[0], s.b[2], s.b[0])));
	OK(device_capture_end(s.device, s.s[0], &graph));
	OK(recorder_finish(s.device, STATUS_OK));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch"), 1);
	ck_assert_int_eq(replay_under(store, 0), 0);
	OK(store_close(store));
}
END_TEST

/* Nodes that nothing orders: only what comes before a node in every order is saved for it. */
START_TEST(graphs_built_by_hand)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		struct store *store = new_store();
		struct scene s = record_scene(store, seed);
		struct row_copy copy;
		struct graph_exec *exec;
		struct graph *graph;
		int a, b, c, d;

		FILL(s, NULL, s.b[0], 1);
		FILL(s, NULL, s.b[3], 2);
		OK(device_graph_create(s.device, &graph));
		OK(device_graph_add_launch(s.device, graph, row_copy(&copy, NULL, s.b[1], s.b[0]),
					   NULL, 0, &a));
		OK(device_graph_add_launch(s.device, graph, row_copy(&copy, NULL, s.b[2], s.b[0]),
					   NULL, 0, &b));
		OK(device_graph_add_copy(s.device, graph, s.b[1], 0, s.b[3], 0, 4 * WORDS, &a, 1,
					 &c));
		OK(device_graph_add_launch(s.device, graph, row_copy(&copy, NULL, s.b[2], s.b[1]),
					   (int[]){ b, c }, 2, &d));
		ck_assert(a == 0 && b == 1 && c == 2 && d == 3);
		FAILS(device_graph_add_launch(s.device, graph,
					      row_copy(&copy, NULL, s.b[2], s.b[1]),
					      (int[]){ 4 }, 1, &d), STATUS_USAGE, "node 4");
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

	for (size_t i = 0; i < sizeof changes / sizeof(changes[0]); i++) {
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
	TCase *tests = tcase_create("record graph");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, what_a_graph_overwrites_is_recorded, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_loop_test(tests, copies_hold_what_nodes_wrote, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_loop_test(tests, rows_of_a_graph, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_loop_test(tests, recorded_bits_are_unrecorded_bits, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_loop_test(tests, attention_is_replayed, GRAPH_CAPTURE, GRAPH_MODES);
	if (test_device_count() > 1)
		tcase_add_loop_test(tests, attention_of_a_gpu_is_replayed, GRAPH_CAPTURE,
				    GRAPH_MODES);
	tcase_add_loop_test(tests, windows, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_test(tests, same_seed_same_trace);
	tcase_add_loop_test(tests, graphs_beside_launches, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_test(tests, an_order_that_nothing_forces_is_found);
	tcase_add_test(tests, results_are_of_the_time_they_ran);
	tcase_add_test(tests, copies_left_to_a_stream);
	tcase_add_test(tests, captures_of_two_streams);
	tcase_add_test(tests, captures_that_fail);
	tcase_add_test(tests, work_beside_a_capture);
	tcase_add_test(tests, graphs_built_by_hand);
	tcase_add_test(tests, damaged_graphs);
	return run_suite("record_graph", tests);
}
