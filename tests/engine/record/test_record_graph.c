/* test_record_graph.c - attention by graphs in a trace: every launch of a graph has the rows that a
 * separate launch has, and a replay repeats all of it.
 *
 * Recorded on the simulator, and on a GPU if there is one; replayed on the simulator. Other uses of
 * streams, captures and graphs are in test_record_stream.c.
 */
#include "config.h"

#include "tests/replaying.h"

#include "engine/attention/attention_graph.h"
#include "engine/attention/step_io.h"
#include "tests/dump_text.h"
#include "tests/gpu.h"

/* Runs two steps of both layers, in one graph or in two; *out receives the last layer's output. */
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

/* A recorder on a simulator that, like a GPU, has no observer to report when work runs. */
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

/* One graph of both layers, which overwrites the first layer's partials and output, must record the
 * same as one graph per layer, which does not. */
START_TEST(what_a_graph_overwrites_is_recorded)
{
	enum graph_mode mode = (enum graph_mode)_i;
	struct store *store = new_store();

	attend_recorded(store, mode, 2, LEVEL_POINTS, 0);
	attend_recorded(store, mode, 1, LEVEL_POINTS, 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch WHERE run = 1"), 16);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_launch WHERE run = 2"), 16);
	/* The recorder's own nodes save partials and output before the second layer's kernels. */
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
			       " AND a.factor = b.factor AND a.sum = b.sum"));
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

/* Copies read after the graph has ended hold the same as memory read after each node. */
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
	/* Each launch names the graph launch that made it, and follows it. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op l JOIN v_op g ON g.run = l.run"
			       " AND g.op = l.object JOIN v_node n ON n.run = g.run AND n.op = g.op"
			       " WHERE l.kind = 'launch' AND g.kind = 'graph_launch'"
			       " AND l.launch - n.launch = l.op - g.op - 1"), 16);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE work = 'launch'"), 8);
	ck_assert_int_eq(query(store, "SELECT group_concat(node) = '0,1,2,3,4,5,6,7' FROM v_node"
			       " WHERE work = 'launch'"), 1);
	/* A graph built by hand has its edges in the trace, a captured one its stream. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_node WHERE after IS NOT NULL"),
			 mode == GRAPH_MANUAL ? 10 : 0);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_op WHERE kind = 'graph_node'"
			       " AND stream > 0"), mode == GRAPH_MANUAL ? 0 : 10);
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_kv WHERE source_op >= 0"),
			 query(store, "SELECT count(*) FROM v_kv"));
	OK(store_close(store));
}
END_TEST

START_TEST(recording_changes_no_bit)
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

/* A window that opens long after a graph was made has its nodes and restores its buffers. A window
 * of launches holds a whole graph launch or none of it. */
START_TEST(windows)
{
	static const char *const windows[] = { "s3..s5", "s0,s7", "L8..L9", "L3,L41..L42" };

	for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
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

/* The same decode with graphs and without gives equal traces. */
START_TEST(graphs_and_launches_record_the_same)
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

	/* One changed bit of q is found. */
	options.flip_step = 4;
	recording_make(store, &options, NULL);
	diff.run_b = 3;
	OK(diff_runs(store, store, &diff, &report));
	ck_assert_int_gt(report.differences, 0);
	diff_report_free(&report);
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("record graph");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, what_a_graph_overwrites_is_recorded, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_loop_test(tests, copies_hold_what_nodes_wrote, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_loop_test(tests, rows_of_a_graph, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_loop_test(tests, recording_changes_no_bit, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_loop_test(tests, attention_is_replayed, GRAPH_CAPTURE, GRAPH_MODES);
	if (test_device_count() > 1)
		tcase_add_loop_test(tests, attention_of_a_gpu_is_replayed, GRAPH_CAPTURE,
				    GRAPH_MODES);
	tcase_add_loop_test(tests, windows, GRAPH_CAPTURE, GRAPH_MODES);
	tcase_add_test(tests, same_seed_same_trace);
	tcase_add_loop_test(tests, graphs_and_launches_record_the_same, GRAPH_CAPTURE, GRAPH_MODES);
	return run_suite("record_graph", tests);
}
