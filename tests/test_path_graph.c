/* test_path_graph.c - attention paths whose launches are in CUDA graphs, on the simulator: captured
 * = built by hand = launched one by one, bit for bit, over lengths that grow across chunk borders
 * and slots that pause and are replaced; and what a recorded launch is.
 *
 * Memory beyond a sequence's keys is the simulator's poison, a NaN, so that a read of it shows. On
 * a GPU the same script is run by test_graph_twin.c.
 */
#include "config.h"

#include "tests/step_script.h"

#include "engine/attention_graph.h"
#include "engine/step_io.h"

/* --- graphs and launches one by one --- */

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

START_TEST(flash_decoding_graph_is_flash_decoding_captured)
{
	struct script script = script_case(4);
	float *eager = script_run_on("sim", 0, &script, &path_flash_decoding, GRAPH_NONE);
	float *graph = script_run_on("sim", 1, &script, &path_flash_decoding_graph, GRAPH_NONE);

	script_expect(&script, eager, graph, "flash-decoding-graph");
	free(eager);
	free(graph);
}
END_TEST

/* Every layer's graph has the pointers of its own cache: what one path gives launch by launch,
 * without pointer tables, others give from graphs. */
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

/* The cache of a layer and the output after both layers of one step. */
struct after_step {
	float *k[SCRIPT_LAYERS], *v[SCRIPT_LAYERS], *out;
};

static float *download(struct device *device, const struct buffer *buffer)
{
	float *values = xmalloc(buffer->bytes);

	OK(device_download(device, NULL, buffer, 0, values, buffer->bytes));
	return values;
}

/* Both layers of a step, with the same q, k and v: in one graph, or launched one by one. */
static struct after_step run_layers(const struct script *s, const struct path *path,
				    enum graph_mode mode, uint64_t seed)
{
	int kv_row = s->shape.slots * s->shape.kv_heads * s->shape.head_dim;
	uint32_t random = s->random;
	struct attention_graph *graph = NULL;
	struct after_step result;
	struct attention *a;
	struct device *device;
	float *q, *k, *v;
	bool done[SCRIPT_SLOTS];

	OK(device_open("sim", &(struct device_options){ .seed = seed }, &device));
	OK(attention_create(path, device, &s->shape, &a));
	if (mode != GRAPH_NONE)
		OK(attention_graph_create(a, mode, 0, SCRIPT_LAYERS, &graph));
	script_load(s, a, &random);
	script_next(s, a, &random, done);
	q = script_values(&random, (int)script_row(s));
	k = script_values(&random, kv_row);
	v = script_values(&random, kv_row);
	OK(attention_upload(a, &(struct attention_step){
		.q = q, .k = k, .v = v, .done = done, .out = q }));
	for (int layer = 0; mode == GRAPH_NONE && layer < SCRIPT_LAYERS; layer++)
		OK(attention_launch(a, layer));
	if (mode != GRAPH_NONE)
		OK(attention_graph_launch(graph));
	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		result.k[layer] = download(device, a->cache->k[layer]);
		result.v[layer] = download(device, a->cache->v[layer]);
	}
	result.out = download(device, a->io->out);
	attention_graph_destroy(graph);
	attention_destroy(a);
	device_close(device);
	free(q);
	free(k);
	free(v);
	return result;
}

static void free_result(struct after_step *result)
{
	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		free(result->k[layer]);
		free(result->v[layer]);
	}
	free(result->out);
}

/* Launched one by one, a slot that is done keeps the output it had; in a graph it gets zeros. */
static void check_result(const struct script *s, const struct after_step *wanted,
			 const struct after_step *got)
{
	const struct attention_shape *shape = &s->shape;
	size_t cache = (size_t)(shape->slots * shape->kv_heads * shape->max_len * shape->head_dim);

	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		ck_assert_mem_eq(wanted->k[layer], got->k[layer], cache * sizeof(float));
		ck_assert_mem_eq(wanted->v[layer], got->v[layer], cache * sizeof(float));
	}
	for (size_t i = 0; i < script_row(s); i++)
		if (got->out[i] != 0.0f)
			ck_assert_mem_eq(&wanted->out[i], &got->out[i], sizeof(float));
		else
			ck_assert(isnan(wanted->out[i]) || wanted->out[i] == 0.0f);
}

START_TEST(one_graph_holds_several_layers)
{
	const struct path *path = graph_paths[_i];

	for (int number = 0; number < 8; number++) {
		struct script script = script_case(number);
		struct after_step eager = run_layers(&script, path, GRAPH_NONE, 0);

		for (int mode = GRAPH_CAPTURE; mode <= GRAPH_MANUAL; mode++) {
			struct after_step graph = run_layers(&script, path, (enum graph_mode)mode,
							     (uint64_t)number);

			check_result(&script, &eager, &graph);
			free_result(&graph);
		}
		free_result(&eager);
	}
}
END_TEST

/* A graph and launches one by one take turns over the same cache: each has lengths of its own. */
START_TEST(graphs_and_launches_take_turns)
{
	const struct path *path = graph_paths[_i];
	struct script s = script_case(2);
	uint32_t random = s.random;
	struct attention_graph *graph;
	struct attention *a, *b;
	struct device *device;
	size_t bytes = script_row(&s) * sizeof(float);
	float *wanted = script_values(&random, (int)script_row(&s));
	float *k = script_values(&random, (int)script_row(&s) + s.shape.max_len), *got;

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
			kv_cache_advance(a->cache, 0, NULL);
		} else {
			OK(attention_step(a, &(struct attention_step){
				.q = k, .k = k + step, .v = k, .out = (float[1 << 16]){ 0 } }));
		}
		got = download(device, a->io->out);
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

/* --- recorded launches --- */

static struct attention *open_small(struct device *device, const struct path *path, int slots)
{
	const struct attention_shape shape = {
		.layers = 2, .slots = slots, .heads = 4, .kv_heads = 2, .head_dim = 5,
		.max_len = 9, .chunk = 4, .scale = 0.5f,
	};
	struct attention *a;

	OK(attention_create(path, device, &shape, &a));
	return a;
}

/* "kernel<after,after" for every record, in order. */
static char *describe(const struct launch_list *list)
{
	char *text = xstrdup("");

	for (int i = 0; i < list->count; i++) {
		const struct launch_record *record = &list->records[i];
		char *longer = xasprintf("%s%s%s", text, i > 0 ? " " : "",
					 record->launch.kernel->name);

		free(text);
		text = longer;
		for (int j = 0; j < record->after_count; j++) {
			longer = xasprintf("%s%c%d", text, j > 0 ? ',' : '<', record->after[j]);
			free(text);
			text = longer;
		}
	}
	return text;
}

static void check_records(const struct path *path, int slots, int layers, const char *wanted)
{
	struct launch_list list = { 0 };
	struct attention *a;
	struct device *device;
	char *text;

	OK(device_open("sim", NULL, &device));
	a = open_small(device, path, slots);
	OK(attention_record(a, 0, layers, &list));
	text = describe(&list);
	ck_assert_str_eq(text, wanted);
	free(text);
	launch_list_free(&list);
	attention_destroy(a);
	device_close(device);
}

START_TEST(launches_wait_for_what_they_read)
{
	check_records(&path_flash_decoding, 1, 2,
		      "kv_scatter_indirect kv_scatter_indirect flash_decode_chunk<1,0 "
		      "flash_decode_reduce<2 kv_scatter_indirect kv_scatter_indirect "
		      "flash_decode_chunk<5,4,3 flash_decode_reduce<6");
	check_records(&path_flash_decoding, 3, 1,
		      "kv_scatter_batched kv_scatter_batched flash_decode_chunk<1,0 "
		      "flash_decode_reduce<2");
	check_records(&path_batched, 3, 2,
		      "kv_scatter_batched kv_scatter_batched attention_batched<1,0 "
		      "kv_scatter_batched kv_scatter_batched attention_batched<4,3,2");
	check_records(&path_incremental, 2, 2,
		      "kv_scatter_indirect kv_scatter_indirect attention_incremental_indirect<1,0 "
		      "kv_scatter_indirect kv_scatter_indirect attention_incremental_indirect<4,3 "
		      "kv_scatter_indirect kv_scatter_indirect "
		      "attention_incremental_indirect<7,6,2 kv_scatter_indirect "
		      "kv_scatter_indirect attention_incremental_indirect<10,9,5");
	check_records(&path_incremental_multiwarp, 1, 1,
		      "kv_scatter_indirect kv_scatter_indirect "
		      "attention_incremental_multiwarp_indirect<1,0");
}
END_TEST

static void check_same_launch(const struct launch *one, const struct launch *other)
{
	ck_assert_ptr_eq(one->kernel, other->kernel);
	ck_assert_mem_eq(&one->grid, &other->grid, sizeof(one->grid));
	ck_assert_mem_eq(&one->block, &other->block, sizeof(one->block));
	ck_assert_uint_eq(one->shared_bytes, other->shared_bytes);
	ck_assert_int_eq(one->arg_count, other->arg_count);
	for (int i = 0; i < one->arg_count; i++) {
		ck_assert_int_eq(one->args[i].kind, other->args[i].kind);
		ck_assert_ptr_eq(one->args[i].buffer, other->args[i].buffer);
		ck_assert_uint_eq(one->args[i].offset, other->args[i].offset);
		ck_assert_mem_eq(&one->args[i].value, &other->args[i].value,
				 sizeof(one->args[i].value));
	}
}

/* What may change from step to step is in device memory, and not where launches one by one have
 * it. */
START_TEST(recorded_launches_are_those_of_every_length)
{
	float values[3 * 4 * 5] = { 0 }, out[3 * 4 * 5];
	struct launch_list empty = { 0 }, later = { 0 };
	struct attention *a;
	struct device *device;

	OK(device_open("sim", NULL, &device));
	a = open_small(device, graph_paths[_i], 3);
	OK(attention_record(a, 0, 2, &empty));
	for (int step = 0; step < 6; step++)
		OK(attention_step(a, &(struct attention_step){
			.q = values, .k = values, .v = values, .out = out,
			.done = (const bool[]){ step > 4, false, step > 2 } }));
	OK(attention_record(a, 0, 2, &later));
	ck_assert_int_eq(empty.count, later.count);
	for (int i = 0; i < empty.count; i++) {
		const struct launch *launch = &empty.records[i].launch;

		check_same_launch(launch, &later.records[i].launch);
		for (int arg = 0; arg < launch->arg_count; arg++) {
			const struct buffer *buffer = launch->args[arg].buffer;

			ck_assert(buffer == NULL || (buffer != a->io->eager.seq_lens.buffer
						     && buffer != a->io->eager.positions.buffer));
		}
	}
	launch_list_free(&empty);
	launch_list_free(&later);
	attention_destroy(a);
	device_close(device);
}
END_TEST

/* Recorded launches, made one by one, are a step. */
START_TEST(recorded_launches_can_be_made)
{
	struct script s = script_case(_i / GRAPH_PATHS);
	const struct path *path = graph_paths[_i % GRAPH_PATHS];
	struct after_step wanted = run_layers(&s, path, GRAPH_NONE, 0), got;
	int kv_row = s.shape.slots * s.shape.kv_heads * s.shape.head_dim;
	struct launch_list list = { 0 };
	uint32_t random = s.random;
	struct attention *a;
	struct device *device;
	bool done[SCRIPT_SLOTS];
	float *q, *k, *v;

	OK(device_open("sim", NULL, &device));
	OK(attention_create(path, device, &s.shape, &a));
	OK(attention_record(a, 0, SCRIPT_LAYERS, &list));
	script_load(&s, a, &random);
	script_next(&s, a, &random, done);
	q = script_values(&random, (int)script_row(&s));
	k = script_values(&random, kv_row);
	v = script_values(&random, kv_row);
	OK(attention_upload(a, &(struct attention_step){
		.q = q, .k = k, .v = v, .done = done, .out = q }));
	for (int i = 0; i < list.count; i++)
		OK(device_launch(device, &list.records[i].launch));
	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		got.k[layer] = download(device, a->cache->k[layer]);
		got.v[layer] = download(device, a->cache->v[layer]);
	}
	got.out = download(device, a->io->out);
	check_result(&s, &wanted, &got);
	free_result(&wanted);
	free_result(&got);
	launch_list_free(&list);
	attention_destroy(a);
	device_close(device);
	free(q);
	free(k);
	free(v);
}
END_TEST

START_TEST(a_list_owns_copies)
{
	struct buffer buffer = { .id = 1 };
	struct pointer_field field = { .at = 0, .buffer = &buffer };
	struct launch_attribute attribute = { ATTRIBUTE_MAX_DYNAMIC_SHARED, 50000 };
	char name[] = "blob";
	unsigned char blob[16] = { 7 };
	struct arg args[] = {
		{ .name = name, .kind = PARAM_BLOB, .value.blob = blob, .bytes = sizeof(blob),
		  .alignment = 8, .fields = &field, .field_count = 1 },
		ARG_I32(41),
	};
	const struct launch launch = {
		.kernel = kernel_find("kv_scatter"), .grid = { 2, 3, 4 }, .block = { 5, 6, 7 },
		.shared_bytes = 8, .args = args, .arg_count = 2, .attributes = &attribute,
		.attribute_count = 1, .layer = 9,
	};
	struct launch_list list = { 0 };
	const struct launch *kept;

	launch_list_add(&list, &launch);
	memset(args, 0, sizeof(args));
	memset(name, 0, sizeof(name));
	memset(blob, 0, sizeof(blob));
	field.buffer = NULL;
	attribute.value = 0;
	kept = &list.records[0].launch;
	ck_assert_ptr_eq(kept->kernel, launch.kernel);
	ck_assert_mem_eq(&kept->grid, &launch.grid, sizeof(launch.grid));
	ck_assert_mem_eq(&kept->block, &launch.block, sizeof(launch.block));
	ck_assert_uint_eq(kept->shared_bytes, 8);
	ck_assert_int_eq(kept->layer, 9);
	ck_assert_int_eq(kept->attributes[0].value, 50000);
	ck_assert_str_eq(kept->args[0].name, "blob");
	ck_assert_int_eq(((const unsigned char *)kept->args[0].value.blob)[0], 7);
	ck_assert_ptr_eq(kept->args[0].fields[0].buffer, &buffer);
	ck_assert_int_eq(kept->args[1].value.i32, 41);
	launch_list_free(&list);
	ck_assert_int_eq(list.count, 0);
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
		      "launches differ from step to step, a graph (manual)");
		shape.graph = GRAPH_NONE;
		OK(attention_create(without[i], device, &shape, &a));
		FAILS(attention_graph_create(a, GRAPH_CAPTURE, 0, 1, &graph), STATUS_USAGE,
		      "a graph (capture)");
		FAILS(attention_record(a, 0, 1, &list), STATUS_USAGE, without[i]->name);
		attention_destroy(a);
	}
	shape.graph = (enum graph_mode)7;
	FAILS(attention_check(&path_batched, &shape), STATUS_USAGE, "no graph mode 7");
	device_close(device);
}
END_TEST

START_TEST(graphs_have_layers)
{
	struct attention_graph *graph;
	struct device *device;
	struct attention *a;

	OK(device_open("sim", NULL, &device));
	a = open_small(device, &path_batched, 1);
	FAILS(attention_graph_create(a, GRAPH_NONE, 0, 1, &graph), STATUS_USAGE, "not none");
	FAILS(attention_graph_create(a, GRAPH_CAPTURE, 1, 2, &graph), STATUS_USAGE,
	      "batched: a graph of 2 layers from layer 1 on, there are 2");
	FAILS(attention_graph_create(a, GRAPH_MANUAL, -1, 1, &graph), STATUS_USAGE, "layer -1");
	FAILS(attention_graph_create(a, GRAPH_MANUAL, 0, 0, &graph), STATUS_USAGE, "0 layers");
	FAILS(attention_launch(a, 2), STATUS_USAGE, "layer 2 of 2");
	attention_destroy(a);
	a = open_small(device, &path_flash_decoding_graph, 1);
	FAILS(attention_launch(a, 0), STATUS_USAGE, "its launches are in graphs");
	attention_destroy(a);
	device_close(device);
}
END_TEST

/* A full slot is found before the graph is launched, and nothing changes. */
START_TEST(a_full_slot_changes_nothing)
{
	float values[4 * 5] = { 1.0f }, out[4 * 5], *before, *after;
	struct attention_step step = { .q = values, .k = values, .v = values, .out = out };
	struct device *device;
	struct attention *a;

	OK(device_open("sim", NULL, &device));
	a = open_small(device, &path_flash_decoding_graph, 1);
	for (int i = 0; i < 9; i++)
		OK(attention_step(a, &step));
	before = download(device, a->cache->k[0]);
	values[0] = 2.0f;
	FAILS(attention_step(a, &step), STATUS_USAGE, "slot 0 is full: it holds 9 of 9");
	after = download(device, a->cache->k[0]);
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
	TCase *equal = tcase_create("equal"), *records = tcase_create("records");
	TCase *refused = tcase_create("refused");

	tcase_set_timeout(equal, 120);
	tcase_add_loop_test(equal, graphs_change_no_bit, 0, CASES * GRAPH_PATHS);
	tcase_add_test(equal, flash_decoding_graph_is_flash_decoding_captured);
	tcase_add_loop_test(equal, paths_agree_from_graphs, 0, 8);
	tcase_add_loop_test(equal, one_graph_holds_several_layers, 0, GRAPH_PATHS);
	tcase_add_loop_test(equal, graphs_and_launches_take_turns, 0, GRAPH_PATHS);
	tcase_add_test(records, launches_wait_for_what_they_read);
	tcase_add_loop_test(records, recorded_launches_are_those_of_every_length, 0, GRAPH_PATHS);
	tcase_add_loop_test(records, recorded_launches_can_be_made, 0, 4 * GRAPH_PATHS);
	tcase_add_test(records, a_list_owns_copies);
	tcase_add_test(refused, paths_without_graphs_say_so);
	tcase_add_test(refused, graphs_have_layers);
	tcase_add_test(refused, a_full_slot_changes_nothing);
	tcase_add_test(refused, no_work_needs_no_graph);
	return run_suites("path_graph", (TCase *[]){ equal, records, refused }, 3);
}
