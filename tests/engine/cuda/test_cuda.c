/* test_cuda.c - the operations of the CUDA device on a GPU; skipped without one.
 *
 * Tests memory, streams, events, graphs, limits and faults, with kv_scatter as the kernel, because
 * its result is easy to check. Then it compares each CUDA built-in on the GPU with the simulator.
 * Whole attention steps are compared in test_twin.c.
 */
#include "config.h"

#include "tests/support.h"

#include <stdint.h>

#include "engine/device.h"
#include "tests/gpu.h"
#include "tests/words.h"

enum { HEADS = 3, D = 5, MAX_LEN = 4, POSITION = 2 };
enum { ROWS = HEADS * D, CACHE = HEADS * MAX_LEN * D };

static struct device *device;
static struct buffer *rows, *cache;
static float row_values[ROWS];

static struct buffer *make(const char *name, enum dtype dtype, int64_t count)
{
	struct buffer_spec spec = { .name = name, .dtype = dtype, .rank = 1, .shape = { count } };
	struct buffer *buffer;

	OK(device_alloc(device, &spec, &buffer));
	return buffer;
}

static void open_device(const struct device_options *options)
{
	OK(device_open("cuda", options, &device));
	rows = make("rows", DTYPE_F32, ROWS);
	cache = make("cache", DTYPE_F32, CACHE);
	for (int i = 0; i < ROWS; i++)
		row_values[i] = (float)(i + 1);
	OK(device_upload(device, NULL, rows, 0, row_values, sizeof row_values));
}

static void setup(void)
{
	open_device(&(struct device_options){ .poison = true });
}

static void teardown(void)
{
	device_close(device);
}

/* --- the kernel --- */

struct scatter {
	struct arg args[5];
	struct launch launch;
};

static const struct launch *scatter(struct scatter *s, struct stream *stream)
{
	struct arg args[] = {
		ARG_BUFFER(rows), ARG_BUFFER(cache), ARG_I32(D), ARG_I32(MAX_LEN),
		ARG_I32(POSITION),
	};

	memcpy(s->args, args, sizeof args);
	s->launch = (struct launch){
		.kernel = kernel_find("kv_scatter"), .grid = { HEADS, 1, 1 }, .block = { D, 1, 1 },
		.args = s->args, .arg_count = 5, .stream = stream, .layer = -1,
	};
	return &s->launch;
}

/* The row of each head is at POSITION, and everything else is still poison. */
static void check_scattered(void)
{
	uint32_t found[CACHE];

	OK(device_download(device, NULL, cache, 0, found, sizeof found));
	for (int i = 0; i < CACHE; i++) {
		int head = i / (MAX_LEN * D), position = i / D % MAX_LEN;
		uint32_t expected = DEVICE_POISON;

		if (position == POSITION)
			memcpy(&expected, &row_values[head * D + i % D], sizeof expected);
		ck_assert_msg(found[i] == expected, "element %d is 0x%08x, not 0x%08x", i, found[i],
			      expected);
	}
}

/* --- memory --- */

START_TEST(device_info_is_complete)
{
	struct device_info info;

	OK(device_info(device, &info));
	ck_assert_uint_eq(info.warp_size, 32);
	ck_assert_int_ge(info.compute_major, 8);
	ck_assert_int_gt(info.multiprocessors, 0);
	ck_assert_uint_eq(info.max_grid.z, 65535);
	ck_assert_uint_ge(info.shared_per_block_optin, info.shared_per_block);
	ck_assert_uint_gt(info.memory_bytes, 1u << 30);
	ck_assert_ptr_nonnull(strstr(info.driver, "CUDA "));
	ck_assert_int_ne(info.profile[0], '\0');
}
END_TEST

START_TEST(new_memory_is_poison)
{
	struct buffer *odd = make("odd", DTYPE_U8, 7), *empty = make("empty", DTYPE_F32, 0);
	static const unsigned char poison[7] = { 0xad, 0xde, 0xa0, 0x7f, 0xad, 0xde, 0xa0 };
	unsigned char found[7];

	OK(device_download(device, NULL, odd, 0, found, sizeof found));
	ck_assert_mem_eq(found, poison, sizeof poison);
	OK(device_upload(device, NULL, empty, 0, NULL, 0));
	OK(device_free(device, odd));
	OK(device_free(device, empty));
}
END_TEST

START_TEST(bytes_are_copied)
{
	struct buffer *other = make("other", DTYPE_F32, ROWS);
	uint32_t found[ROWS];

	OK(device_fill(device, NULL, other, 0, 0x11223344, ROWS));
	OK(device_copy(device, NULL, other, 8, rows, 4, 12));
	OK(device_download(device, NULL, other, 0, found, sizeof found));
	ck_assert_uint_eq(found[1], 0x11223344);
	ck_assert_mem_eq(found + 2, row_values + 1, 12);
	ck_assert_uint_eq(found[5], 0x11223344);
}
END_TEST

START_TEST(pointer_tables_hold_addresses)
{
	struct buffer *table = make("table", DTYPE_POINTER, 3);
	struct pointer_entry entries[] = { { rows, 4 }, { NULL, 0 }, { cache, 0 } };
	uint64_t found[3];

	OK(device_upload_pointers(device, NULL, table, 0, entries, 3));
	OK(device_download(device, NULL, table, 0, found, sizeof found));
	ck_assert_uint_eq(found[0], rows->address + 4);
	ck_assert_uint_eq(found[1], 0);
	ck_assert_uint_eq(found[2], cache->address);
}
END_TEST

START_TEST(buffers_of_another_device_are_refused)
{
	struct buffer_spec spec = {
		.name = "theirs", .dtype = DTYPE_F32, .rank = 1, .shape = { 4 },
	};
	struct device *sim;
	struct buffer *theirs;

	OK(device_open("sim", NULL, &sim));
	OK(device_alloc(sim, &spec, &theirs));
	ck_assert_int_eq(device_upload(device, NULL, theirs, 0, row_values, 16), STATUS_USAGE);
	ck_assert_ptr_nonnull(strstr(error_text(), "theirs"));
	device_close(sim);
}
END_TEST

START_TEST(a_missing_gpu_is_an_error)
{
	struct device_options options = { .ordinal = 1000 };
	struct device *none;

	ck_assert_int_eq(device_open("cuda", &options, &none), STATUS_NO_GPU);
	ck_assert_ptr_nonnull(strstr(error_text(), "1000"));
}
END_TEST

/* --- launches --- */

START_TEST(a_kernel_runs_and_is_timed)
{
	struct scatter s;
	double us;

	OK(device_launch(device, scatter(&s, NULL)));
	OK(device_sync(device, NULL));
	us = device_last_launch_us(device);
	ck_assert_msg(us > 0.0 && us < 1e6, "%g us", us);
	check_scattered();
}
END_TEST

START_TEST(launches_can_be_untimed)
{
	struct scatter s;

	device_close(device);
	open_device(&(struct device_options){ .poison = true, .untimed = true });
	OK(device_launch(device, scatter(&s, NULL)));
	OK(device_sync(device, NULL));
	ck_assert(device_last_launch_us(device) < 0.0);
	check_scattered();
}
END_TEST

START_TEST(limits_are_error_1_and_do_not_stick)
{
	struct scatter s;

	scatter(&s, NULL);
	s.launch.grid.z = 65536;
	FAILS(device_launch(device, &s.launch), STATUS_DEVICE, "65536");
	ck_assert_int_eq(error_code(), 1);
	ck_assert_ptr_nonnull(strstr(error_text(), "kv_scatter"));
	/* Only a y or z of 0 counts as 1. */
	scatter(&s, NULL);
	s.launch.grid.x = 0;
	FAILS(device_launch(device, &s.launch), STATUS_DEVICE, "grid 0x1x1");
	ck_assert_int_eq(error_code(), 1);
	scatter(&s, NULL);
	s.launch.block.x = 0;
	FAILS(device_launch(device, &s.launch), STATUS_DEVICE, "block 0x1x1");
	ck_assert_int_eq(error_code(), 1);
	OK(device_launch(device, scatter(&s, NULL)));
	check_scattered();
}
END_TEST

START_TEST(large_shared_memory_needs_the_attribute_once)
{
	struct launch_attribute attribute = { ATTRIBUTE_MAX_DYNAMIC_SHARED, 64 << 10 };
	struct launch_attribute too_much = { ATTRIBUTE_MAX_DYNAMIC_SHARED, 1 << 30 };
	struct scatter s;

	scatter(&s, NULL);
	s.launch.shared_bytes = 64 << 10;
	ck_assert_int_eq(device_launch(device, &s.launch), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 1);
	s.launch.attributes = &too_much;
	s.launch.attribute_count = 1;
	ck_assert_int_eq(device_launch(device, &s.launch), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 1);
	s.launch.attributes = &attribute;
	OK(device_launch(device, &s.launch));
	s.launch.attribute_count = 0;
	OK(device_launch(device, &s.launch));
	check_scattered();
}
END_TEST

START_TEST(a_fault_sticks_and_names_the_kernel)
{
	struct scatter s;
	float value;

	scatter(&s, NULL);
	s.args[1] = ARG_BUFFER(NULL);
	if (device_launch(device, &s.launch) == STATUS_OK)
		ck_assert_int_eq(device_sync(device, NULL), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 700);
	ck_assert_ptr_nonnull(strstr(error_text(), "kv_scatter"));
	ck_assert_ptr_nonnull(strstr(error_text(), "CUDA_ERROR_ILLEGAL_ADDRESS"));
	ck_assert_int_eq(device_download(device, NULL, rows, 0, &value, 4), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 700);
	ck_assert(device_last_launch_us(device) < 0.0);
}
END_TEST

/* --- streams, events, graphs --- */

START_TEST(an_event_orders_two_streams)
{
	struct stream *first, *second;
	struct event *begin, *done;
	struct scatter s;
	double us;

	OK(device_stream_create(device, &first));
	OK(device_stream_create(device, &second));
	OK(device_event_create(device, &begin));
	OK(device_event_create(device, &done));
	OK(device_event_record(device, begin, first));
	OK(device_fill(device, first, rows, 0, 0, ROWS));
	OK(device_upload(device, first, rows, 0, row_values, sizeof row_values));
	OK(device_event_record(device, done, first));
	OK(device_event_wait(device, second, done));
	OK(device_launch(device, scatter(&s, second)));
	OK(device_sync(device, second));
	check_scattered();
	OK(device_event_elapsed(device, begin, done, &us));
	ck_assert(us >= 0.0);
	OK(device_event_destroy(device, begin));
	OK(device_stream_destroy(device, first));
}
END_TEST

START_TEST(a_captured_launch_runs_when_replayed)
{
	struct stream *stream;
	struct graph *graph;
	struct graph_exec *exec;
	struct scatter s;

	OK(device_stream_create(device, &stream));
	OK(device_capture_begin(device, stream, CAPTURE_GLOBAL));
	OK(device_launch(device, scatter(&s, stream)));
	ck_assert(device_last_launch_us(device) < 0.0);
	OK(device_capture_end(device, stream, &graph));
	OK(device_graph_instantiate(device, graph, &exec));
	OK(device_graph_launch(device, exec, stream));
	OK(device_sync(device, stream));
	check_scattered();
	OK(device_graph_exec_destroy(device, exec));
	OK(device_graph_destroy(device, graph));
}
END_TEST

START_TEST(a_synchronous_copy_ends_a_capture)
{
	struct stream *stream;
	struct graph *graph;

	OK(device_stream_create(device, &stream));
	OK(device_capture_begin(device, stream, CAPTURE_GLOBAL));
	ck_assert_int_eq(device_upload(device, stream, rows, 0, row_values, sizeof row_values),
			 STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 900);
	ck_assert_int_eq(device_capture_end(device, stream, &graph), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 901);
	OK(device_sync(device, NULL));
}
END_TEST

START_TEST(a_graph_made_by_hand_runs_in_order)
{
	struct buffer *staging = make("staging", DTYPE_F32, ROWS);
	struct scatter copy, s;
	struct graph *graph;
	struct graph_exec *exec;
	int first, second, unknown = 7;

	/* With one head, max_len 1 and position 0 the kernel copies rows. */
	scatter(&copy, NULL);
	copy.args[1] = ARG_BUFFER(staging);
	copy.args[2] = ARG_I32(ROWS);
	copy.args[3] = ARG_I32(1);
	copy.args[4] = ARG_I32(0);
	copy.launch.grid.x = 1;
	copy.launch.block.x = ROWS;
	scatter(&s, NULL);
	s.args[0] = ARG_BUFFER(staging);

	OK(device_graph_create(device, &graph));
	OK(device_graph_add_launch(device, graph, &copy.launch, NULL, 0, &first));
	OK(device_graph_add_launch(device, graph, &s.launch, &first, 1, &second));
	ck_assert_int_eq(device_graph_add_launch(device, graph, &s.launch, &unknown, 1, &second),
			 STATUS_USAGE);
	OK(device_graph_instantiate(device, graph, &exec));
	OK(device_graph_launch(device, exec, NULL));
	OK(device_sync(device, NULL));
	check_scattered();
}
END_TEST

/* --- CUDA built-ins --- */

static bool same_bits(uint32_t a, uint32_t b)
{
	return a == b || ((a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000);
}

START_TEST(builtins_do_what_the_simulator_does)
{
	struct device *sim = word_device("sim", 0, 1);
	uint32_t *real, *twin;
	size_t real_count, twin_count;
	const char *name;

	for (int i = 0; (name = word_case(device, i, &real, &real_count)); i++) {
		ck_assert_ptr_nonnull(word_case(sim, i, &twin, &twin_count));
		ck_assert_uint_eq(real_count, twin_count);
		for (size_t w = 0; w < real_count; w++)
			ck_assert_msg(same_bits(real[w], twin[w]),
				      "%s: word %zu is 0x%08x on the GPU, 0x%08x on the simulator",
				      name, w, real[w], twin[w]);
		free(real);
		free(twin);
	}
	device_close(sim);
}
END_TEST

/* Returns the error code of a kernel that fails on device `where`. */
static int failure(struct device *where, const char *kernel)
{
	bool store = strcmp(kernel, "fail_store") == 0;
	struct buffer *out = word_buffer(where, "out", 64, (int[64]){ 0 });
	/* a null pointer, because it depends on the driver what is mapped far from a buffer */
	const struct arg args[] = { ARG_BUFFER(store ? NULL : out), ARG_I32(4) };
	int count = store ? 2 : 1;
	enum status status = word_launch(where, kernel, (struct dim3){ 8, 1, 1 },
					 (struct dim3){ 32, 1, 1 }, 0, args, count);

	if (status == STATUS_OK)
		status = device_sync(where, NULL);
	ck_assert_int_eq(status, STATUS_DEVICE);
	return error_code();
}

START_TEST(faults_have_the_simulators_codes)
{
	static const char *const kernels[] = { "fail_store", "fail_trap" };
	struct device *sim = word_device("sim", 0, 1);

	ck_assert_int_eq(failure(device, kernels[_i]), failure(sim, kernels[_i]));
	device_close(sim);
}
END_TEST

int main(void)
{
	TCase *tests;

	if (!gpu_or_skip())
		return EXIT_SUCCESS;
	tests = tcase_create("cuda");
	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, device_info_is_complete);
	tcase_add_test(tests, new_memory_is_poison);
	tcase_add_test(tests, bytes_are_copied);
	tcase_add_test(tests, pointer_tables_hold_addresses);
	tcase_add_test(tests, buffers_of_another_device_are_refused);
	tcase_add_test(tests, a_missing_gpu_is_an_error);
	tcase_add_test(tests, a_kernel_runs_and_is_timed);
	tcase_add_test(tests, launches_can_be_untimed);
	tcase_add_test(tests, limits_are_error_1_and_do_not_stick);
	tcase_add_test(tests, large_shared_memory_needs_the_attribute_once);
	tcase_add_test(tests, a_fault_sticks_and_names_the_kernel);
	tcase_add_test(tests, an_event_orders_two_streams);
	tcase_add_test(tests, a_captured_launch_runs_when_replayed);
	tcase_add_test(tests, a_synchronous_copy_ends_a_capture);
	tcase_add_test(tests, a_graph_made_by_hand_runs_in_order);
	tcase_add_test(tests, builtins_do_what_the_simulator_does);
	tcase_add_loop_test(tests, faults_have_the_simulators_codes, 0, 2);
	return run_suite("cuda", tests);
}
