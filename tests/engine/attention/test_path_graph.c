/* test_path_graph.c - attention paths in CUDA graphs on the simulator; and what is refused.
 *
 * Captured graphs, graphs built by hand and separate launches must agree bit for bit, over lengths
 * that grow across chunk boundaries and slots that pause and are replaced. Memory past a sequence's
 * keys holds the simulator's poison, a NaN, so reading it shows. test_graph_twin.c runs the same
 * script on a GPU.
 */
#include "config.h"

#include "tests/step_script.h"

#include "engine/attention/attention_graph.h"

/* --- graphs and separate launches --- */

enum { CASES = 16 };

START_TEST(graphs_change_no_bit)
{
	const struct path *path = graph_paths[_i % GRAPH_PATHS];
	struct script script = script_case(_i / GRAPH_PATHS);
	float *eager = script_run_on("sim", 0, &script, path, GRAPH_NONE);
	float *captured = script_run_on("sim", 3, &script, path, GRAPH_CAPTURE);
	float *manual = script_run_on("sim", (uint64_t)_i, &script, path, GRAPH_MANUAL);

	script_expect(&script, eager, captured, "captured");
	script_expect(&script, eager, manual, "built by hand");
	free(eager);
	free(captured);
	free(manual);
}
END_TEST

START_TEST(flash_decoding_graph_equals_flash_decoding)
{
	struct script script = script_case(4);
	float *eager = script_run_on("sim", 0, &script, &path_flash_decoding, GRAPH_NONE);
	float *graph = script_run_on("sim", 1, &script, &path_flash_decoding_graph, GRAPH_NONE);

	script_expect(&script, eager, graph, "flash-decoding-graph");
	free(eager);
	free(graph);
}
END_TEST

/* Every layer's graph points to the layer's own cache: graphs give what a path without pointer
 * tables gives by separate launches. */
START_TEST(paths_agree_from_graphs)
{
	struct script script = script_case(_i), whole = script;
	float *wanted = script_run_on("sim", 0, &script, &path_incremental, GRAPH_NONE);
	float *batched = script_run_on("sim", 2, &script, &path_batched, GRAPH_CAPTURE);
	float *flash;

	whole.shape.chunk = script.shape.max_len;
	whole.shape.warps = 1;
	flash = script_run_on("sim", 2, &whole, &path_flash_decoding, GRAPH_MANUAL);
	script_expect(&script, wanted, batched, "batched");
	script_expect(&script, wanted, flash, "flash decoding with one chunk");
	free(wanted);
	free(batched);
	free(flash);
}
END_TEST

/* --- several layers in one graph --- */

static void launch_graph(struct attention *a, enum graph_mode mode)
{
	struct attention_graph *graph;

	OK(attention_graph_create(a, mode, 0, SCRIPT_LAYERS, &graph));
	OK(attention_graph_launch(graph));
	OK(device_sync(a->device, NULL));
	attention_graph_destroy(graph);
}

static void launch_captured(struct attention *a)
{
	launch_graph(a, GRAPH_CAPTURE);
}

static void launch_manual(struct attention *a)
{
	launch_graph(a, GRAPH_MANUAL);
}

START_TEST(one_graph_holds_several_layers)
{
	for (int number = 0; number < 8; number++) {
		struct script script = script_case(number);

		script_expect_layers(&script, graph_paths[_i], 3, launch_captured);
		script_expect_layers(&script, graph_paths[_i], (uint64_t)number, launch_manual);
	}
}
END_TEST

/* A graph and separate launches alternate on the same cache; each has lengths of its own. */
START_TEST(graphs_and_launches_alternate)
{
	const struct path *path = graph_paths[_i];
	struct script s = script_case(2);
	uint32_t random = s.random;
	struct attention_graph *graph;
	struct attention *a, *b;
	struct device *device;
	size_t bytes = script_row(&s) * sizeof(float);
	float *wanted = random_values(&random, script_row(&s));
	float *k = random_values(&random, script_row(&s) + s.shape.max_len), *got;

	OK(device_open("sim", NULL, &device));
	OK(attention_create(path, device, &s.shape, &a));
	OK(attention_create(path, device, &s.shape, &b));
	OK(attention_graph_create(a, GRAPH_CAPTURE, 0, 1, &graph));
	for (int step = 0; step < s.shape.max_len; step++) {
		struct attention_step request = { .q = k, .k = k + step, .v = k, .out = wanted };

		OK(attention_step(b, &request));
		if (step % 3 == 1) {
			OK(attention_upload(a, &request));
			OK(attention_graph_launch(graph));
			for (int slot = 0; slot < s.shape.slots; slot++)
				kv_cache_append(a->cache, 0, slot, 1);
		} else {
			OK(attention_step(a, &(struct attention_step){
				.q = k, .k = k + step, .v = k, .out = (float[1 << 16]){ 0 } }));
		}
		got = script_download(device, a->io->out);
		ck_assert_mem_eq(wanted, got, bytes);
		free(got);
	}
	attention_graph_destroy(graph);
	attention_destroy(a);
	attention_destroy(b);
	device_close(device);
	free(wanted);
	free(k);
}
END_TEST

/* --- what is refused --- */

START_TEST(paths_without_graphs_say_so)
{
	static const struct path *const without[] = { &path_prefill, &path_cached, &path_auto };
	struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = 2, .kv_heads = 2, .head_dim = 4, .max_len = 3,
		.chunk = 2, .scale = 1.0f,
	};
	struct attention_graph *graph;
	struct launch_list list = { 0 };
	struct device *device;
	struct attention *a;

	OK(device_open("sim", NULL, &device));
	for (int i = 0; i < 3; i++) {
		shape.graph = GRAPH_MANUAL;
		FAILS(attention_check(without[i], &shape), STATUS_USAGE,
		      "cannot run from a graph (manual), because its launches differ");
		shape.graph = GRAPH_NONE;
		OK(attention_create(without[i], device, &shape, &a));
		FAILS(attention_graph_create(a, GRAPH_CAPTURE, 0, 1, &graph), STATUS_USAGE,
		      "a graph (capture)");
		FAILS(attention_record(a, 0, 1, &list), STATUS_USAGE, without[i]->name);
		attention_destroy(a);
	}
	shape.graph = (enum graph_mode)7;
	FAILS(attention_check(&path_batched, &shape), STATUS_USAGE, "unknown graph mode 7");
	device_close(device);
}
END_TEST

START_TEST(layers_of_a_graph_are_checked)
{
	struct attention_graph *graph;
	struct device *device;
	struct attention *a;

	OK(device_open("sim", NULL, &device));
	a = script_open_small(device, &path_batched, 1);
	FAILS(attention_graph_create(a, GRAPH_NONE, 0, 1, &graph), STATUS_USAGE, "got none");
	FAILS(attention_graph_create(a, GRAPH_CAPTURE, 1, 2, &graph), STATUS_USAGE,
	      "batched: expected layers within 0 to 1 for a graph, got 2 from layer 1 on");
	FAILS(attention_graph_create(a, GRAPH_MANUAL, -1, 1, &graph), STATUS_USAGE, "layer -1");
	FAILS(attention_graph_create(a, GRAPH_MANUAL, 0, 0, &graph), STATUS_USAGE, "got 0 from");
	FAILS(attention_launch(a, 2), STATUS_USAGE, "layer of 0 to 1, got 2");
	FAILS(attention_launch(a, 1), STATUS_USAGE, "call attention_upload() first");
	OK(attention_graph_create(a, GRAPH_CAPTURE, 1, 1, &graph));
	FAILS(attention_graph_launch(graph), STATUS_USAGE, "call attention_upload() first");
	attention_graph_destroy(graph);
	attention_destroy(a);
	a = script_open_small(device, &path_flash_decoding_graph, 1);
	FAILS(attention_launch(a, 0), STATUS_USAGE, "cannot be used with graphs");
	attention_destroy(a);
	device_close(device);
}
END_TEST

/* A full slot is detected before the graph is launched, and nothing changes. */
START_TEST(a_full_slot_changes_nothing)
{
	float values[4 * 5] = { 1.0f }, out[4 * 5], *before, *after;
	struct attention_step step = { .q = values, .k = values, .v = values, .out = out };
	struct device *device;
	struct attention *a;

	OK(device_open("sim", NULL, &device));
	a = script_open_small(device, &path_flash_decoding_graph, 1);
	for (int i = 0; i < 9; i++)
		OK(attention_step(a, &step));
	before = script_download(device, a->cache->k[0]);
	values[0] = 2.0f;
	FAILS(attention_step(a, &step), STATUS_USAGE, "slot 0 is full: 9 of 9");
	after = script_download(device, a->cache->k[0]);
	ck_assert_mem_eq(before, after, a->cache->k[0]->bytes);
	ck_assert_int_eq(kv_cache_length(a->cache, 0, 0), 9);
	free(before);
	free(after);
	attention_destroy(a);
	device_close(device);
}
END_TEST

START_TEST(no_work_needs_no_graph)
{
	const struct attention_shape shape = { .layers = 2, .graph = GRAPH_CAPTURE };
	struct attention_graph *graph;
	struct device *device;
	struct attention *a;

	OK(device_open("sim", NULL, &device));
	OK(attention_create(&path_batched, device, &shape, &a));
	OK(attention_step(a, &(struct attention_step){ 0 }));
	OK(attention_graph_create(a, GRAPH_MANUAL, 0, 2, &graph));
	OK(attention_graph_launch(graph));
	attention_graph_destroy(graph);
	attention_destroy(a);
	device_close(device);
}
END_TEST

int main(void)
{
	TCase *equal = tcase_create("equal"), *refused = tcase_create("refused");

	tcase_set_timeout(equal, 120);
	/* Slow under valgrind: CK_EXCLUDE_TAGS=slow leaves these tests out. */
	tcase_set_tags(equal, "slow");
	tcase_add_loop_test(equal, graphs_change_no_bit, 0, CASES * GRAPH_PATHS);
	tcase_add_test(equal, flash_decoding_graph_equals_flash_decoding);
	tcase_add_loop_test(equal, paths_agree_from_graphs, 0, 8);
	tcase_add_loop_test(equal, one_graph_holds_several_layers, 0, GRAPH_PATHS);
	tcase_add_loop_test(equal, graphs_and_launches_alternate, 0, GRAPH_PATHS);
	tcase_add_test(refused, paths_without_graphs_say_so);
	tcase_add_test(refused, layers_of_a_graph_are_checked);
	tcase_add_test(refused, a_full_slot_changes_nothing);
	tcase_add_test(refused, no_work_needs_no_graph);
	return run_suites("path_graph", (TCase *[]){ equal, refused }, 2);
}
