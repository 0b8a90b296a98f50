/* test_check_operations.c - details of findings on operations: sides, bytes and values; and that a
 * recorder between the program and the checker changes nothing.
 *
 * Which programs have findings is tested in test_check_streams.c.
 */
#include "config.h"

#include "tests/scene.h"

#include <math.h>

#include "engine/record/recorder.h"
#include "traces/row.h"
#include "traces/store/store.h"

/* The kernel's side has a thread and a line; the bytes are those that both sides access. */
START_TEST(a_race_names_thread_line_and_bytes)
{
	struct scene scene = scene_open(0);
	const struct row_finding *found;

	kernel(&scene, scene.s[0], 1, 0);
	OK(device_upload(scene.device, scene.s[1], scene.b[1], 6, scene.host, 4));
	ck_assert_uint_gt(device_findings(scene.device, &found), 0);
	ck_assert_str_eq(found[0].class, "race-stream");
	ck_assert_str_eq(found[0].kernel, "kv_scatter");
	ck_assert_int_eq(found[0].launch, 0);
	ck_assert_str_eq(found[0].sides[0].what, "write");
	ck_assert_ptr_nonnull(strstr(found[0].sides[0].file, "kv_scatter.cu"));
	ck_assert_int_gt(found[0].sides[0].line, 0);
	ck_assert_str_eq(found[0].sides[1].operation, "upload on stream 2");
	ck_assert_int_eq(found[0].sides[1].launch, -1);
	ck_assert_uint_eq(found[0].buffer, scene.b[1]->id);
	ck_assert_uint_eq(found[0].offset, 6);
	ck_assert_uint_eq(found[0].bytes, 4);
	device_close(scene.device);
}
END_TEST

START_TEST(a_stale_argument_is_reported_with_its_values)
{
	struct scene scene = scene_open(0);
	const struct row_finding *found;
	struct graph_exec *exec;

	OK(device_capture_begin(scene.device, scene.s[0], CAPTURE_GLOBAL));
	kernel(&scene, scene.s[0], 1, 0);
	captured(&scene, &exec);
	scene.position = 3;
	OK(device_graph_launch(scene.device, exec, scene.s[0]));
	ck_assert_uint_gt(device_findings(scene.device, &found), 0);
	ck_assert_str_eq(found[0].class, "stale-graph-arg");
	ck_assert_ptr_nonnull(strstr(found[0].detail, "is 0 in the graph"));
	ck_assert_ptr_nonnull(strstr(found[0].detail, "holds 3 now"));
	device_close(scene.device);
}
END_TEST

START_TEST(a_refusal_is_reported_with_its_code)
{
	struct scene scene = scene_open(0);
	const struct row_finding *found;

	OK(device_capture_begin(scene.device, scene.s[1], CAPTURE_THREAD_LOCAL));
	ck_assert_int_eq(device_sync(scene.device, scene.s[1]), STATUS_DEVICE);
	ck_assert_uint_gt(device_findings(scene.device, &found), 0);
	ck_assert_str_eq(found[0].class, "capture-forbidden");
	ck_assert_ptr_nonnull(strstr(found[0].detail, "(900)"));
	ck_assert_str_eq(found[0].sides[1].operation, "thread-local mode, begun on stream 2");
	device_close(scene.device);
}
END_TEST

/* --- parts of words --- */

extern const struct sim_code ft_code_write_bytes_checked;

/* Writes bytes [first, first + count) of b[1], one thread per byte. */
static void write_bytes(struct scene *scene, struct stream *stream, int first, int count)
{
	static const struct kernel_code built = {
		.sim = { { &ft_code_write_bytes_checked }, { &ft_code_write_bytes_checked } },
		.checked = &ft_code_write_bytes_checked,
	};
	static const struct kernel kernel = {
		.name = "write_bytes", .origin = "cuda_c", .code = &built,
	};

	OK(device_launch(scene->device, &(struct launch){
		.kernel = &kernel, .grid = { 1 }, .block = { 32 }, .layer = -1, .stream = stream,
		.args = (struct arg[]){ ARG_BUFFER(scene->b[1]), ARG_I32(first), ARG_I32(count) },
		.arg_count = 3 }));
}

/* Returns the number of races between streams, and the last one in *out. */
static size_t stream_races(struct device *device, const struct row_finding **out)
{
	const struct row_finding *found;
	size_t count = device_findings(device, &found), races = 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(found[i].class, "race-stream") == 0) {
			*out = &found[i];
			races++;
		}
	return races;
}

/* Two ordered launches write three bytes of a word; a third launch, not ordered with them, writes
 * one of these bytes or the fourth. */
START_TEST(parts_of_words_race_down_to_the_byte)
{
	for (int byte = 0; byte < 4; byte++)
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			struct scene scene = scene_open(seed);
			const struct row_finding *found;
			size_t count;

			write_bytes(&scene, scene.s[0], 4, 2);
			write_bytes(&scene, scene.s[0], 6, 1);
			write_bytes(&scene, scene.s[1], 4 + byte, 1);
			OK(device_sync(scene.device, NULL));
			count = stream_races(scene.device, &found);
			ck_assert_uint_eq(count, byte < 3 ? 1 : 0);
			if (count) {
				ck_assert_uint_eq(found->offset, 4 + (uint64_t)byte);
				ck_assert_uint_eq(found->bytes, 1);
			}
			device_close(scene.device);
		}
}
END_TEST

/* --- reductions --- */

enum { D = 4, CHUNKS = 3 };

extern const struct sim_code ft_code_split_reduce_checked, ft_code_split_reduce_clean_checked;

/* Merges three partials, the last of an empty chunk; returns the number of findings. */
static size_t found_in_reduction(struct device *device, const struct sim_code *code,
				 const struct row_finding **found)
{
	const struct kernel_code built = { .sim = { { code }, { code } }, .checked = code };
	const struct kernel kernel = {
		.name = "split_reduce", .origin = "cuda_c", .code = &built,
		.lint = kernel_find("flash_decode_reduce")->lint,
	};
	const struct buffer_spec specs[] = {
		{ .name = "partials", .dtype = DTYPE_F32, .rank = 1,
		  .shape = { CHUNKS * (D + 2) } },
		{ .name = "out", .dtype = DTYPE_F32, .rank = 1, .shape = { D } },
	};
	float partials[CHUNKS][D + 2];
	struct buffer *b[2];

	for (int c = 0; c < CHUNKS; c++) {
		for (int d = 0; d < D; d++)
			partials[c][d] = 1.0f;
		partials[c][D] = c == CHUNKS - 1 ? -INFINITY : 0.5f;
		partials[c][D + 1] = c == CHUNKS - 1 ? 0.0f : 1.0f;
	}
	for (int i = 0; i < 2; i++)
		OK(device_alloc(device, &specs[i], &b[i]));
	OK(device_upload(device, NULL, b[0], 0, partials, sizeof partials));
	OK(device_launch(device, &(struct launch){
		.kernel = &kernel, .grid = { 1 }, .block = { 32 }, .layer = -1,
		.args = (struct arg[]){ ARG_BUFFER(b[0]), ARG_BUFFER(b[1]), ARG_BUFFER(NULL),
					ARG_I32(D), ARG_I32(1), ARG_I32(CHUNKS) },
		.arg_count = 6 }));
	for (int i = 0; i < 2; i++)
		OK(device_free(device, b[i]));
	return device_findings(device, found);
}

START_TEST(an_empty_chunk_is_not_read)
{
	const struct device_options options = { .check = true };
	const struct row_finding *found;
	struct device *device;

	OK(device_open("sim", &options, &device));
	ck_assert_uint_eq(found_in_reduction(device, &ft_code_split_reduce_clean_checked, &found),
			  0);
	ck_assert_uint_eq(found_in_reduction(device, &ft_code_split_reduce_checked, &found), 1);
	ck_assert_str_eq(found[0].class, "empty-split-read");
	ck_assert(found[0].lint);
	ck_assert_uint_eq(found[0].count, D);
	ck_assert_int_eq(found[0].sides[0].line, 16);
	ck_assert_ptr_nonnull(strstr(found[0].detail, "partial 2"));
	device_close(device);
}
END_TEST

/* --- recorded --- */

/* Returns the number of races of two fills, with the end of a recorded step between them. `waited`:
 * the program itself waits there too. */
static size_t races_across_a_step(uint64_t seed, bool waited)
{
	struct scene scene = scene_open(seed);
	const struct row_finding *found;
	struct store *store;
	size_t races;

	OK(store_create(NULL, NULL, &store));
	OK(recorder_open(scene.device, &(struct recorder_options){
		.store = store, .command = "test", .seed = seed }, &scene.device));
	/* A recorder knows only the objects that it has created. */
	OK(device_alloc(scene.device, &(struct buffer_spec){
		.name = "recorded", .dtype = DTYPE_I32, .rank = 1, .shape = { WORDS } },
		&scene.b[1]));
	for (int i = 0; i < 2; i++)
		OK(device_stream_create(scene.device, &scene.s[i]));
	for (int step = 0; step < 2; step++) {
		OK(device_step_begin(scene.device, step));
		OK(device_fill(scene.device, scene.s[step], scene.b[1], 0, 7, WORDS));
		if (waited)
			OK(device_sync(scene.device, NULL));
		OK(device_step_end(scene.device));
	}
	races = stream_races(scene.device, &found);
	device_close(scene.device);
	store_close(store);
	return races;
}

START_TEST(a_recorder_orders_nothing)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		ck_assert_uint_eq(races_across_a_step(seed, false), 1);
}
END_TEST

START_TEST(a_recorded_wait_of_the_program_orders)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		ck_assert_uint_eq(races_across_a_step(seed, true), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("check_operations");

	tcase_add_test(tests, a_race_names_thread_line_and_bytes);
	tcase_add_test(tests, a_stale_argument_is_reported_with_its_values);
	tcase_add_test(tests, a_refusal_is_reported_with_its_code);
	tcase_add_test(tests, parts_of_words_race_down_to_the_byte);
	tcase_add_test(tests, an_empty_chunk_is_not_read);
	tcase_add_test(tests, a_recorder_orders_nothing);
	tcase_add_test(tests, a_recorded_wait_of_the_program_orders);
	return run_suite("check_operations", tests);
}
