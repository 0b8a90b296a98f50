/* test_debug_kernels.c - kernels built for debuggers give the baseline's bits: each of them, in
 * whole recorded runs, on the simulator; a skip where they were not built.
 *
 * tests/engine/cuda/test_twin.c compares them with a GPU.
 */
#include "config.h"

#include "tests/support.h"

#include "engine/attention/ladder_shape.h"
#include "engine/attention/path.h"
#include "kernels/read_rule.h"
#include "kernels/variant.h"
#include "tests/indirect.h"
#include "tests/path_case.h"
#include "tests/same_runs.h"
#include "tests/words.h"

enum { PATH_ROUNDS = 3, CASE_STEP = 13 };

static const char *const variants[] = { "baseline", "debug" };

static void use(const char *variant)
{
	ck_assert_int_eq(setenv("FLASHTWIN_KERNELS", variant, 1), 0);
}

/* --- the choice --- */

START_TEST(every_kernel_has_a_build_of_its_own)
{
	enum sim_variant variant;

	use("debug");
	OK(variant_choose(&variant));
	ck_assert_int_eq(variant, SIM_DEBUG);
	for (int i = 0; kernel_table[i]; i++) {
		const struct sim_code *code = kernel_sim_code(kernel_table[i], variant, false);

		ck_assert_ptr_ne(code, kernel_sim_code(kernel_table[i], SIM_BASELINE, false));
		ck_assert_str_eq(code->name, kernel_table[i]->name);
	}
}
END_TEST

/* --- recorded runs --- */

/* Kernels that compared runs launched, by their place in kernel_table. */
static bool compared[128];

static void note_kernels(struct store *store)
{
	for (int i = 0; kernel_table[i]; i++) {
		char *sql = xasprintf("SELECT count(*) FROM v_launch WHERE kernel = '%s'",
				      kernel_table[i]->name);

		ck_assert_int_lt(i, COUNT(compared));
		compared[i] |= query(store, sql) > 0;
		free(sql);
	}
}

static void compare_runs(struct store *store, const char *what)
{
	ck_assert_int_gt(same_runs(store, what).values, 0);
	note_kernels(store);
	OK(store_close(store));
}

enum { PAIR_HEADS = 67 };               /* two sequences of as many KV heads have 134 splits */

/* room: 0 for that of other paths; rung 10 has clusters unless there is more than they take. */
static const struct ladder_way {
	int rung;
	enum dtype kv_dtype;
	int room, sinks;                /* sinks: with a window and a softcap */
	int kv_heads;                   /* 0: those of recording_shape() */
} ladder_ways[] = {
	{ 4, DTYPE_F32, 0, 0 },
	{ 5, DTYPE_F32, 0, 0 }, { 6, DTYPE_F32, 0, 0 }, { 9, DTYPE_F32, 0, 0 },
	{ 10, DTYPE_F32, 0, 0 }, { 10, DTYPE_F32, LADDER_CLUSTER_LEN + 1, 0 },
	{ 5, DTYPE_F16, 0, 0 }, { 6, DTYPE_F16, 0, 0 }, { 7, DTYPE_F16, 0, 0 },
	{ 9, DTYPE_F16, 0, 0 }, { 10, DTYPE_F16, 0, 0 },
	{ 10, DTYPE_F16, LADDER_CLUSTER_LEN + 1, 0 },
	{ 5, DTYPE_BF16, 0, 0 }, { 6, DTYPE_BF16, 0, 0 }, { 7, DTYPE_BF16, 0, 0 },
	{ 9, DTYPE_BF16, 0, 0 }, { 10, DTYPE_BF16, 0, 0 },
	{ 10, DTYPE_BF16, LADDER_CLUSTER_LEN + 1, 0 },
	{ 5, DTYPE_E4M3, 0, 0 }, { 6, DTYPE_E4M3, 0, 0 }, { 7, DTYPE_E4M3, 0, 0 },
	{ 9, DTYPE_E4M3, 0, 0 }, { 10, DTYPE_E4M3, 0, 0 },
	{ 10, DTYPE_E4M3, LADDER_CLUSTER_LEN + 1, 0 },
	{ 5, DTYPE_F32, 0, 1 }, { 6, DTYPE_F32, 0, 1 }, { 9, DTYPE_F32, 0, 1 },
	{ 10, DTYPE_F32, 0, 1 }, { 5, DTYPE_F16, 0, 1 }, { 6, DTYPE_F16, 0, 1 },
	{ 7, DTYPE_F16, 0, 1 }, { 9, DTYPE_F16, 0, 1 }, { 10, DTYPE_F16, 0, 1 },
	{ 5, DTYPE_BF16, 0, 1 }, { 6, DTYPE_BF16, 0, 1 }, { 7, DTYPE_BF16, 0, 1 },
	{ 9, DTYPE_BF16, 0, 1 }, { 10, DTYPE_BF16, 0, 1 }, { 5, DTYPE_E4M3, 0, 1 },
	{ 6, DTYPE_E4M3, 0, 1 }, { 7, DTYPE_E4M3, 0, 1 }, { 9, DTYPE_E4M3, 0, 1 },
	{ 10, DTYPE_E4M3, 0, 1 },
	/* as many as have two blocks for each multiprocessor */
	{ 9, DTYPE_F16, 0, 0, PAIR_HEADS }, { 9, DTYPE_BF16, 0, 0, PAIR_HEADS },
	{ 9, DTYPE_E4M3, 0, 0, PAIR_HEADS }, { 10, DTYPE_F16, 0, 0, PAIR_HEADS },
	{ 10, DTYPE_BF16, 0, 0, PAIR_HEADS }, { 10, DTYPE_E4M3, 0, 0, PAIR_HEADS },
};

static void compare_path(const struct path *path, int round)
{
	const struct ladder_way *way = &ladder_ways[round % COUNT(ladder_ways)];
	struct attention_shape shape = recording_shape(&(struct recording_options){
		.slots = path == &path_cached ? 1 : 2 });
	struct store *store = new_store();

	if (path == &path_ladder) {
		shape.rung = way->rung;
		shape.kv_dtype = way->kv_dtype;
		shape.max_len = way->room ? way->room : shape.max_len;
		shape.head_dim = 64;
		shape.sinks = way->sinks;
		shape.window = way->sinks ? 2 : 0;
		shape.softcap = way->sinks ? 3.0f : 0.0f;
		if (way->kv_heads)
			shape.heads = shape.kv_heads = way->kv_heads;
	}
	shape.warps = 1 + round % 2;
	if (path == &path_cached)
		shape.heads = shape.kv_heads;
	for (int i = 0; i < 2; i++) {
		use(variants[i]);
		recording_make(store, &(struct recording_options){
			.path = path, .shape = &shape, .prompt = 3, .nan = round == 2,
			.random = (uint32_t)round + 1 }, NULL);
	}
	compare_runs(store, path->name);
}

static void run_indirect(struct device *device, int number)
{
	float out[INDIRECT_H * INDIRECT_D];

	indirect_run(device, 1 + number * 37, number % 2 ? 4 : 1, number < 2, out);
}

static void compare_indirect(int number)
{
	struct store *store = new_store();

	for (int i = 0; i < 2; i++) {
		struct device *recorder;

		use(variants[i]);
		recorder = recording_open(store, &(struct recording_options){ 0 });
		OK(device_step_begin(recorder, 0));
		run_indirect(recorder, number);
		OK(device_step_end(recorder));
		OK(recorder_finish(recorder, STATUS_OK));
	}
	compare_runs(store, "indirect kernels");
}

/* Kernels that measure how fast memory is read: no path launches them. */
static void compare_reads(const char *kernel, unsigned shared)
{
	enum { BLOCKS = 2, VECTORS = 600 };
	struct store *store = new_store();

	for (int i = 0; i < 2; i++) {
		struct buffer *from, *sums;
		struct device *recorder;
		uint32_t random = 7;

		use(variants[i]);
		recorder = recording_open(store, &(struct recording_options){ 0 });
		OK(device_step_begin(recorder, 0));
		from = indirect_buffer(recorder, "from", DTYPE_F32, 4 * VECTORS, &random);
		sums = indirect_buffer(recorder, "sums", DTYPE_F32, BLOCKS * READ_WARPS, &random);
		OK(launch_kernel(recorder, kernel, 0, (struct dim3){ BLOCKS, 1, 1 },
				 (struct dim3){ 32, READ_WARPS, 1 }, shared,
				 (struct arg[]){ ARG_BUFFER(from), ARG_BUFFER(sums),
						 ARG_I64(VECTORS) }, 3));
		free_buffers(recorder, (struct buffer *[]){ from, sums }, 2);
		OK(device_step_end(recorder));
		OK(recorder_finish(recorder, STATUS_OK));
	}
	compare_runs(store, kernel);
}

START_TEST(every_kernel_has_the_same_bits)
{
	for (int i = 0; path_table[i]; i++)
		for (int round = 0; round < PATH_ROUNDS; round++)
			compare_path(path_table[i], round);
	for (int round = PATH_ROUNDS; round < COUNT(ladder_ways); round++)
		compare_path(&path_ladder, round);
	for (int number = 0; number < 4; number++)
		compare_indirect(number);
	compare_reads("read_direct", 0);
	compare_reads("read_bulk", READ_RING_BYTES);
	for (int i = 0; kernel_table[i]; i++)
		ck_assert_msg(compared[i], "no run launched %s", kernel_table[i]->name);
}
END_TEST

/* --- shapes and words --- */

START_TEST(outputs_of_every_path_are_the_same_bits)
{
	const struct path_way *way = &path_ways[_i];

	for (int i = 0; i < PATH_CASES; i += CASE_STEP) {
		struct path_case c = path_case_for(way, i);
		float *out[2];

		for (int v = 0; v < 2; v++) {
			use(variants[v]);
			out[v] = path_run(way->path, &c, 0);
		}
		ck_assert_msg(memcmp(out[0], out[1],
				     path_rows(&c) * (size_t)c.head_dim * sizeof(float)) == 0,
			      "%s, case %d", way->path->name, i);
		free(out[0]);
		free(out[1]);
		path_case_free(&c);
	}
}
END_TEST

START_TEST(every_cuda_built_in_has_the_same_bits)
{
	struct device *devices[2];
	uint32_t *out[2];
	size_t counts[2];
	const char *name;
	int cases = 0;

	for (int v = 0; v < 2; v++) {
		use(variants[v]);
		devices[v] = word_device("sim", 0, 1);
	}
	while ((name = word_case(devices[0], cases, &out[0], &counts[0]))) {
		word_case(devices[1], cases++, &out[1], &counts[1]);
		ck_assert_uint_eq(counts[0], counts[1]);
		ck_assert_msg(memcmp(out[0], out[1], counts[0] * sizeof *out[0]) == 0, "%s", name);
		free(out[0]);
		free(out[1]);
	}
	ck_assert_int_gt(cases, 10);
	device_close(devices[0]);
	device_close(devices[1]);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("debug kernels");

#ifndef HAVE_DEBUG_KERNELS
	puts("1..0 # SKIP built without --enable-debug-kernels");
	return EXIT_SUCCESS;
#endif
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, every_kernel_has_a_build_of_its_own);
	tcase_add_test(tests, every_kernel_has_the_same_bits);
	tcase_add_loop_test(tests, outputs_of_every_path_are_the_same_bits, 0, PATH_WAYS);
	tcase_add_test(tests, every_cuda_built_in_has_the_same_bits);
	return run_suite("debug_kernels", tests);
}
