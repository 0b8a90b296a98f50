/* test_host_graphs.c - guarantees 7 to 9 of the host side of every attention path: kernels are
 * loaded before a capture, what a capture forbids and keeps, graphs captured and built by hand.
 *
 * Runs on the simulator and on a GPU if there is one; see test_host_behaviour.c. Every operation in
 * every capture mode is covered by tests/gpu/capture_table.c, graphs of paths by test_path_graph.c.
 */
#include "config.h"

#include "tests/rig.h"

#include "engine/attention/attention_graph.h"
#include "tests/copy_launch.h"

enum { WORDS = 16, BYTES = WORDS * 4, MODES = CAPTURE_RELAXED + 1 };

/* --- a stream in capture, with a launch that copies `from` to `to` --- */

static struct device *device;
static struct stream *stream;
static struct buffer *from, *to;
static float values[WORDS];

static struct buffer *make_buffer(const char *name)
{
	const struct buffer_spec spec = { name, DTYPE_F32, 1, { WORDS } };
	struct buffer *buffer;

	OK(device_alloc(device, &spec, &buffer));
	OK(device_fill(device, NULL, buffer, 0, 0, WORDS));
	return buffer;
}

static void open_device(const char *name)
{
	OK(device_open(name, NULL, &device));
	spy_on(device);
	OK(device_stream_create(device, &stream));
	from = make_buffer("from");
	to = make_buffer("to");
	for (int i = 0; i < WORDS; i++)
		values[i] = (float)(i + 1);
	OK(device_upload(device, NULL, from, 0, values, BYTES));
	OK(device_sync(device, NULL));
}

static void expect_state(enum capture_state expected)
{
	enum capture_state state;

	OK(device_capture_state(device, stream, &state));
	ck_assert_int_eq(state, expected);
}

static void launch_once(struct graph *graph)
{
	struct graph_exec *exec;

	OK(device_graph_instantiate(device, graph, &exec));
	OK(device_graph_launch(device, exec, stream));
	OK(device_sync(device, stream));
	OK(device_graph_exec_destroy(device, exec));
}

/* --- 7: kernels are loaded before a capture begins --- */

/* Nothing was launched on the device before. */
START_TEST(the_first_launch_may_be_in_a_capture)
{
	struct copy_launch c;
	struct graph *graph;
	float found[WORDS];

	open_device(test_devices[_i / MODES]);
	OK(device_capture_begin(device, stream, (enum capture_mode)(_i % MODES)));
	OK(device_launch(device, copy_launch(&c, from, to, WORDS, stream)));
	expect_state(CAPTURE_ACTIVE);
	OK(device_capture_end(device, stream, &graph));
	launch_once(graph);
	OK(device_download(device, NULL, to, 0, found, BYTES));
	ck_assert_mem_eq(found, values, BYTES);
	device_close(device);
}
END_TEST

START_TEST(a_path_on_a_new_device_is_captured)
{
	struct attention_shape shape = rig_shape(RIG_PATH, 2);
	struct rig r;

	if (!RIG_PATH->replayable)
		return;
	shape.graph = GRAPH_CAPTURE;
	r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	spy_reset();
	rig_run(&r, NULL);
	ck_assert_int_eq(spy.launches, 0);
	ck_assert_int_eq(spy.graph_launches, 1);
	rig_close(&r);
}
END_TEST

/* --- 8: what a capture forbids and keeps --- */

static float landed[WORDS];

static enum status upload(void)
{
	return device_upload(device, stream, from, 0, landed, BYTES);
}

static enum status upload_pointers(void)
{
	return device_upload_pointers(device, stream, from, 0,
				      &(struct pointer_entry){ to, 0 }, 1);
}

static enum status download(void)
{
	return device_download(device, stream, from, 0, landed, BYTES);
}

static enum status sync_stream(void)
{
	return device_sync(device, stream);
}

static enum status (*const synchronous[])(void) = {
	upload, upload_pointers, download, sync_stream,
};
enum { SYNCHRONOUS = 4 };

START_TEST(synchronous_calls_invalidate_a_capture_and_write_nothing)
{
	enum status (*call)(void) = synchronous[_i % SYNCHRONOUS];
	enum capture_mode mode = (enum capture_mode)(_i / SYNCHRONOUS % MODES);
	struct graph *graph;
	struct copy_launch c;
	uint64_t digest;

	open_device(test_devices[_i / SYNCHRONOUS / MODES]);
	digest = spy_digest();
	OK(device_capture_begin(device, stream, mode));
	OK(device_launch(device, copy_launch(&c, from, to, WORDS, stream)));
	CODE(call(), 900);
	expect_state(CAPTURE_INVALIDATED);
	CODE(device_launch(device, &c.launch), 901);
	CODE(device_capture_end(device, stream, &graph), 901);
	expect_state(CAPTURE_NONE);
	ck_assert_uint_eq(spy_digest(), digest);
	for (int i = 0; i < WORDS; i++)
		ck_assert_float_eq(landed[i], 0.0f);
	/* The stream works again. */
	OK(device_launch(device, &c.launch));
	OK(device_sync(device, stream));
	ck_assert_uint_ne(spy_digest(), digest);
	device_close(device);
}
END_TEST

/* As a recorder does during a capture, with new memory filled with poison on a GPU too. */
START_TEST(a_relaxed_thread_may_allocate_and_wait)
{
	const struct device_options options = { .poison = true };
	const struct buffer_spec spec = { "late", DTYPE_F32, 1, { WORDS } };
	struct device *poisoned;
	struct stream *captured;
	enum capture_state state;
	struct buffer *late;
	struct graph *graph;
	uint32_t found[WORDS];

	OK(device_open(test_devices[_i / MODES], &options, &poisoned));
	OK(device_stream_create(poisoned, &captured));
	OK(device_capture_begin(poisoned, captured, (enum capture_mode)(_i % MODES)));
	OK(device_capture_relax(poisoned, true));
	OK(device_alloc(poisoned, &spec, &late));
	OK(device_fill(poisoned, NULL, late, 0, 7, 1));
	OK(device_download(poisoned, NULL, late, 0, found, BYTES));
	OK(device_capture_relax(poisoned, false));
	ck_assert_uint_eq(found[0], 7);
	ck_assert_uint_eq(found[WORDS - 1], DEVICE_POISON);
	OK(device_capture_state(poisoned, captured, &state));
	ck_assert_int_eq(state, CAPTURE_ACTIVE);
	OK(device_capture_end(poisoned, captured, &graph));
	device_close(poisoned);
}
END_TEST

/* They read and write host memory at each launch of the graph. */
START_TEST(asynchronous_copies_become_nodes)
{
	float host[WORDS], out[WORDS] = { 0 };
	struct graph *graph;
	uint64_t digest;

	open_device(test_devices[_i / MODES]);
	digest = spy_digest();
	memcpy(host, values, sizeof host);
	OK(device_capture_begin(device, stream, (enum capture_mode)(_i % MODES)));
	OK(device_upload_async(device, stream, from, 0, host, BYTES));
	OK(device_copy(device, stream, to, 0, from, 0, BYTES));
	OK(device_fill(device, stream, to, 0, 0x40000000, 1));
	OK(device_download_async(device, stream, to, 0, out, BYTES));
	OK(device_capture_end(device, stream, &graph));
	OK(device_sync(device, NULL));
	ck_assert_uint_eq(spy_digest(), digest);
	ck_assert_float_eq(out[1], 0.0f);
	for (int again = 0; again < 2; again++) {
		host[1] = 50.0f + (float)again;
		launch_once(graph);
		ck_assert_float_eq(out[0], 2.0f);
		ck_assert_float_eq(out[1], host[1]);
		ck_assert_float_eq(out[2], values[2]);
	}
	device_close(device);
}
END_TEST

/* A copy of 0 bytes is a node like any other. */
START_TEST(copies_may_be_nodes_made_by_hand)
{
	int first, second, third, unknown = 3;
	struct graph *graph;
	float found[WORDS];

	open_device(test_devices[_i]);
	OK(device_graph_create(device, &graph));
	OK(device_graph_add_copy(device, graph, to, 4, from, 0, 8, NULL, 0, &first));
	OK(device_graph_add_copy(device, graph, to, 0, from, 0, 0, &first, 1, &second));
	OK(device_graph_add_copy(device, graph, to, 16, to, 4, 8, &second, 1, &third));
	ck_assert_int_eq(third, 2);
	FAILS(device_graph_add_copy(device, graph, to, 0, from, 0, 4, &unknown, 1, &third),
	      STATUS_USAGE, "unknown node 3 of a graph of 3");
	launch_once(graph);
	OK(device_download(device, NULL, to, 0, found, BYTES));
	for (int i = 0; i < WORDS; i++) {
		static const float expected[WORDS] = { 0, 1, 2, 0, 1, 2 };

		ck_assert_float_eq(found[i], expected[i]);
	}
	device_close(device);
}
END_TEST

START_TEST(a_captured_launch_keeps_its_arguments)
{
	struct buffer *elsewhere;
	struct copy_launch c;
	struct graph *graph;
	float found[WORDS];
	int32_t position = 0;

	open_device(test_devices[_i]);
	elsewhere = make_buffer("elsewhere");
	OK(device_sync(device, NULL));
	copy_launch(&c, from, to, WORDS, stream);
	c.args[4] = ARG_LIVE_I32(&position);
	OK(device_capture_begin(device, stream, CAPTURE_GLOBAL));
	OK(device_launch(device, &c.launch));
	OK(device_capture_end(device, stream, &graph));
	c.args[1] = ARG_BUFFER(elsewhere);
	position = 1;
	launch_once(graph);
	OK(device_download(device, NULL, elsewhere, 0, found, BYTES));
	ck_assert_float_eq(found[0], 0.0f);
	OK(device_download(device, NULL, to, 0, found, BYTES));
	ck_assert_mem_eq(found, values, BYTES);
	device_close(device);
}
END_TEST

START_TEST(a_capture_changes_no_length_and_writes_no_key)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	size_t bytes = 2 * 2 * 11 * 5 * sizeof(float);
	struct attention_graph *graph;
	struct rig_state before;
	float k[2][2 * 2 * 11 * 5];
	struct rig r;

	if (!RIG_PATH->replayable || RIG_PATH->graph != GRAPH_NONE)
		return;
	r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	for (int n = 0; n < 3; n++)
		rig_run(&r, NULL);
	before = rig_state(&r);
	OK(device_download(r.device, NULL, r.a->cache->k[0], 0, k[0], bytes));
	OK(attention_graph_create(r.a, GRAPH_CAPTURE, 0, 2, &graph));
	OK(device_download(r.device, NULL, r.a->cache->k[0], 0, k[1], bytes));
	ck_assert_mem_eq(k[0], k[1], bytes);
	ck_assert_mem_eq(rig_state(&r).lengths, before.lengths, sizeof before.lengths);
	attention_graph_destroy(graph);
	rig_close(&r);
}
END_TEST

/* If the graph's lengths and positions are overwritten, separate launches work as if there were no
 * graph. */
START_TEST(separate_launches_never_read_the_graphs_lengths)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	float out[2][2 * 4 * 5];

	if (!RIG_PATH->replayable || RIG_PATH->graph != GRAPH_NONE)
		return;
	for (int overwrite = 0; overwrite < 2; overwrite++) {
		struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
		struct attention_graph *graph = NULL;
		struct attention_step step = rig_step(&r, 0, NULL);

		rig_run(&r, NULL);
		if (overwrite)
			OK(attention_graph_create(r.a, GRAPH_CAPTURE, 0, 1, &graph));
		rig_fill(&r);
		OK(attention_upload(r.a, &step));
		if (overwrite) {
			OK(device_fill(r.device, NULL, spy_buffer("graph_seq_lens"), 0, 0, 2));
			OK(device_fill(r.device, NULL, spy_buffer("graph_positions"), 0, ~0u,
				       2));
		}
		OK(attention_launch(r.a, 0));
		OK(device_download(r.device, NULL, spy_buffer("out"), 0, out[overwrite],
				   sizeof out[overwrite]));
		attention_graph_destroy(graph);
		rig_close(&r);
	}
	ck_assert_mem_eq(out[0], out[1], sizeof out[0]);
}
END_TEST

/* --- 9: eager, captured and built by hand give the same bits --- */

enum { RUN_STEPS = 8 };

/* Runs two layers, whose pointers differ, and slots that pause. */
static float *run_mode(const char *name, const struct path *path, enum graph_mode mode)
{
	struct attention_shape shape = rig_shape(path, 2);
	float *outputs;
	struct rig r;

	shape.graph = mode;
	r = rig_open(name, path, &shape);
	outputs = xcalloc((size_t)(2 * RUN_STEPS * r.q_count), sizeof *outputs);
	for (int n = 0; n < 2 * RUN_STEPS; n++) {
		const bool done[] = { n / 2 % 3 == 1, n / 2 % 3 == 2 };
		struct attention_step step = rig_step(&r, n % 2, done);

		rig_fill(&r);
		OK(attention_step(r.a, &step));
		memcpy(outputs + n * r.q_count, r.out, (size_t)r.q_count * sizeof *outputs);
	}
	rig_close(&r);
	return outputs;
}

START_TEST(a_graph_gives_the_bits_of_its_launches)
{
	size_t bytes = 2 * RUN_STEPS * 2 * 4 * 5 * sizeof(float);
	float *eager, *other;

	if (!RIG_PATH->replayable)
		return;
	eager = run_mode(RIG_DEVICE, RIG_PATH, GRAPH_NONE);
	for (int mode = GRAPH_CAPTURE; mode <= GRAPH_MANUAL; mode++) {
		other = run_mode(RIG_DEVICE, RIG_PATH, (enum graph_mode)mode);
		ck_assert_msg(!memcmp(eager, other, bytes), "%s, %s", RIG_PATH->name,
			      graph_mode_name((enum graph_mode)mode));
		free(other);
	}
	free(eager);
}
END_TEST

int main(void)
{
	int devices = test_device_count(), all = devices * RIG_PATHS;
	TCase *tests = tcase_create("host_graphs");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, the_first_launch_may_be_in_a_capture, 0, devices * MODES);
	tcase_add_loop_test(tests, a_path_on_a_new_device_is_captured, 0, all);
	tcase_add_loop_test(tests, synchronous_calls_invalidate_a_capture_and_write_nothing, 0,
			    devices * MODES * SYNCHRONOUS);
	tcase_add_loop_test(tests, a_relaxed_thread_may_allocate_and_wait, 0, devices * MODES);
	tcase_add_loop_test(tests, asynchronous_copies_become_nodes, 0, devices * MODES);
	tcase_add_loop_test(tests, copies_may_be_nodes_made_by_hand, 0, devices);
	tcase_add_loop_test(tests, a_captured_launch_keeps_its_arguments, 0, devices);
	tcase_add_loop_test(tests, a_capture_changes_no_length_and_writes_no_key, 0, all);
	tcase_add_loop_test(tests, separate_launches_never_read_the_graphs_lengths, 0, all);
	tcase_add_loop_test(tests, a_graph_gives_the_bits_of_its_launches, 0, all);
	return run_suite("host_graphs", tests);
}
