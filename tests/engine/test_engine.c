/* test_engine.c - the checks of device.c and device_launch.c, on a fake device that logs its calls.
 *
 * Tests which calls reach the device and which do not. Results are tested on the simulator
 * (test_sim.c) and on GPUs.
 */
#include "config.h"

#include "tests/fake_device.h"

static void check_usage(enum status status, const char *text)
{
	FAILS(status, STATUS_USAGE, text);
}

static struct buffer *alloc(struct device *device, const char *name, int64_t floats)
{
	const struct buffer_spec spec = { name, DTYPE_F32, 1, { floats } };
	struct buffer *buffer;

	OK(device_alloc(device, &spec, &buffer));
	return buffer;
}

START_TEST(devices_are_opened_by_name)
{
	struct device *device;

	check_usage(device_open("tpu", NULL, &device), "tpu");
	OK(device_open("sim", NULL, &device));
	ck_assert_str_eq(device->ops->name, "sim");
	device_close(device);
	device_close(NULL);
}
END_TEST

START_TEST(ranges_stay_inside_their_buffer)
{
	struct fake fake = fake_open();
	struct device *device = &fake.base;
	struct buffer *a = alloc(device, "a", 4);
	float values[8] = { 1, 2, 3, 4 };

	OK(device_upload(device, NULL, a, 4, values, 12));
	check_usage(device_upload(device, NULL, a, 8, values, 12),
		    "12 bytes at offset 8 of buffer a");
	check_usage(device_upload(device, NULL, a, UINT64_MAX, values, 4), "which has 16 bytes");
	check_usage(device_download(device, NULL, a, 0, values, 20), "20 bytes at offset 0");
	check_usage(device_upload(device, NULL, NULL, 0, values, 4), "no buffer");
	check_usage(device_upload(device, NULL, a, 0, NULL, 4), "no host memory for 4 bytes");
	check_usage(device_copy(device, NULL, a, 4, a, 0, 8), "overlap");
	OK(device_copy(device, NULL, a, 8, a, 0, 8));
	/* An empty transfer does not reach the device and needs no host memory. */
	OK(device_upload(device, NULL, a, 16, NULL, 0));
	ck_assert_int_eq(fake.note_count, 2);
	device_free(device, a);
}
END_TEST

START_TEST(buffers_stay_on_their_device)
{
	struct fake one = fake_open(), other = fake_open();
	struct fake recorder = fake_open();
	struct buffer *a = alloc(&one.base, "a", 4);
	float value = 0.0f;

	recorder.base.inner = &one.base;
	other.base.ordinal = 1;
	OK(device_upload(&recorder.base, NULL, a, 0, &value, 4));
	check_usage(device_upload(&other.base, NULL, a, 0, &value, 4), "belongs to device fake 0");
	check_usage(device_free(&other.base, a), "not to fake 1");
	device_free(&one.base, a);
}
END_TEST

START_TEST(shapes_are_checked_before_allocation)
{
	struct fake fake = fake_open();
	const struct buffer_spec negative = { "n", DTYPE_F32, 2, { 2, -1 } };
	const struct buffer_spec huge = { "h", DTYPE_F64, 2, { INT64_MAX, 3 } };
	const struct buffer_spec deep = { "d", DTYPE_F32, MAX_RANK + 1, { 1 } };
	struct buffer *buffer;

	check_usage(device_alloc(&fake.base, &negative, &buffer),
		    "dimension 1 to be 0 or more, got -1");
	check_usage(device_alloc(&fake.base, &huge, &buffer), "does not fit");
	check_usage(device_alloc(&fake.base, &deep, &buffer), "rank of 0 to 5, got 6");
	ck_assert_uint_eq(fake.buffers, 0);
}
END_TEST

START_TEST(operations_that_a_device_lacks_are_named)
{
	struct fake fake = fake_open();
	struct buffer *a = alloc(&fake.base, "a", 4);

	check_usage(device_fill(&fake.base, NULL, a, 0, 0, 4), "fill: the fake device");
	check_usage(device_sync(&fake.base, NULL), "sync: the fake device");
	check_usage(device_sync(NULL, NULL), "sync: no device");
	OK(device_step_begin(&fake.base, 0));
	OK(device_step_end(&fake.base));
	ck_assert(device_last_launch_us(&fake.base) < 0.0);
	check_usage(device_step_begin(NULL, 0), "step_begin: no device");
	device_free(&fake.base, a);
}
END_TEST

START_TEST(streams_events_and_graphs_that_a_device_lacks_are_named)
{
	struct fake fake = fake_open();
	struct device *d = &fake.base;
	struct stream *stream;
	struct event *event;
	struct graph *graph;
	struct graph_exec *exec;
	double us;
	int node;

	check_usage(device_stream_create(d, &stream), "stream_create: the fake device");
	check_usage(device_stream_destroy(d, NULL), "stream_destroy: the fake device");
	check_usage(device_event_create(d, &event), "event_create: the fake device");
	check_usage(device_event_destroy(d, NULL), "event_destroy: the fake device");
	check_usage(device_event_record(d, NULL, NULL), "event_record: the fake device");
	check_usage(device_event_wait(d, NULL, NULL), "event_wait: the fake device");
	check_usage(device_event_elapsed(d, NULL, NULL, &us), "event_elapsed: the fake device");
	check_usage(device_capture_begin(d, NULL, CAPTURE_GLOBAL), "capture_begin: the fake");
	check_usage(device_capture_end(d, NULL, &graph), "capture_end: the fake device");
	check_usage(device_graph_create(d, &graph), "graph_create: the fake device");
	check_usage(device_graph_add_launch(d, NULL, NULL, NULL, 0, &node),
		    "graph_add_launch: the fake device");
	check_usage(device_graph_instantiate(d, NULL, &exec), "graph_instantiate: the fake");
	check_usage(device_graph_launch(d, NULL, NULL), "graph_launch: the fake device");
	check_usage(device_graph_destroy(d, NULL), "graph_destroy: the fake device");
	check_usage(device_graph_exec_destroy(d, NULL), "graph_exec_destroy: the fake device");
	check_usage(device_set_points(d, NULL, NULL, 0), "set_points: the fake device");
}
END_TEST

/* Logs the call; makes the fake device support events. */
static enum status fake_event_record(struct device *device, struct event *event,
				     struct stream *stream)
{
	(void)event;
	(void)stream;
	note(device, "record", "");
	return STATUS_OK;
}

START_TEST(missing_objects_are_refused)
{
	struct device_ops ops = fake_ops;
	struct fake fake = fake_open();

	ops.event_record = fake_event_record;
	fake.base.ops = &ops;
	check_usage(device_event_record(&fake.base, NULL, NULL), "event_record: no event");
	ck_assert_int_eq(fake.note_count, 0);
	OK(device_event_record(&fake.base, (struct event *)&fake, NULL));
	ck_assert_int_eq(fake.note_count, 1);
}
END_TEST

static void check_dim3(struct dim3 d, unsigned x, unsigned y, unsigned z)
{
	ck_assert(d.x == x && d.y == y && d.z == z);
}

START_TEST(devices_get_complete_grids_and_blocks)
{
	struct fake fake = fake_open();
	struct launch_attribute unknown = { .id = ATTRIBUTE_COUNT + 1 };
	struct arg scatter_args[] = {
		ARG_BUFFER(NULL), ARG_BUFFER(NULL), ARG_I32(4), ARG_I32(1), ARG_I32(0),
	};
	struct arg reduce_args[] = {
		ARG_BUFFER(NULL), ARG_BUFFER(NULL), ARG_BUFFER(NULL), ARG_I32(4), ARG_I32(4),
		ARG_I32(1),
	};
	struct launch scatter = {
		.kernel = kernel_find("kv_scatter"), .grid = { 3 }, .block = { 2000 },
		.args = scatter_args, .arg_count = 5,
	};
	struct launch reduce = {
		.kernel = kernel_find("flash_decode_reduce"), .grid = { 0, 2 }, .block = { 8, 4 },
		.args = reduce_args, .arg_count = 6,
	};

	/* Limits of the device are left for the device to enforce. */
	OK(device_launch(&fake.base, &scatter));
	check_dim3(fake.grid, 3, 1, 1);
	check_dim3(fake.block, 2000, 1, 1);
	check_dim3(fake.cluster, 1, 1, 1);
	OK(device_launch(&fake.base, &reduce));
	check_dim3(fake.grid, 0, 2, 1);
	check_dim3(fake.block, 8, 4, 1);
	/* The limit of the kernel is checked first. */
	reduce.block.z = 2;
	check_usage(device_launch(&fake.base, &reduce),
		    "expected blocks of at most 32 threads, got (8,4,2)");
	scatter.attributes = &unknown;
	scatter.attribute_count = 1;
	check_usage(device_launch(&fake.base, &scatter), "unknown attribute 4");
	ck_assert_int_eq(fake.note_count, 2);
}
END_TEST

START_TEST(arguments_must_match_the_kernels_parameters)
{
	struct fake fake = fake_open(), other = fake_open();
	struct buffer *rows = alloc(&fake.base, "rows", 4), *cache = alloc(&fake.base, "cache", 4);
	struct buffer *foreign = alloc(&other.base, "foreign", 4);
	struct arg args[] = {
		ARG_BUFFER(rows), ARG_BUFFER(cache), ARG_I32(4), ARG_I32(1), ARG_I32(0),
	};
	struct launch launch = {
		.kernel = kernel_find("kv_scatter"), .args = args, .arg_count = 5,
	};

	OK(device_launch(&fake.base, &launch));
	launch.arg_count = 4;
	check_usage(device_launch(&fake.base, &launch),
		    "expected 5 arguments (the maximum is 64), got 4");
	launch.arg_count = 5;
	args[3] = ARG_F32(1.0f);
	check_usage(device_launch(&fake.base, &launch),
		    "argument max_len: expected i32 (int), got f32");
	args[3] = ARG_I32(1);
	args[2].name = "length";
	check_usage(device_launch(&fake.base, &launch), "argument 2: expected D, got length");
	args[2].name = "D";
	args[1] = ARG_AT(cache, 17);
	check_usage(device_launch(&fake.base, &launch), "offset 17 of buffer cache");
	args[1] = ARG_BUFFER(foreign);
	check_usage(device_launch(&fake.base, &launch), "launch kv_scatter: cache: buffer foreign");
	launch.kernel = NULL;
	check_usage(device_launch(&fake.base, &launch), "no kernel");
	ck_assert_int_eq(fake.note_count, 1);
	device_free(&other.base, foreign);
	device_free(&fake.base, rows);
	device_free(&fake.base, cache);
}
END_TEST

/* Only a device whose memory the host can read has it: of others a download is needed. */
START_TEST(memory_is_read_in_place)
{
	struct fake fake = fake_open();
	const float wanted[] = { 1, 2, 3, 4 };
	struct buffer *a = alloc(&fake.base, "a", 4), *b;
	struct device *device;
	const float *memory;

	ck_assert_ptr_null(device_peek(&fake.base, a));
	device_free(&fake.base, a);
	OK(device_open("sim", NULL, &device));
	a = alloc(device, "a", 4);
	b = alloc(device, "b", 8);
	OK(device_upload(device, NULL, a, 0, wanted, sizeof wanted));
	OK(device_copy(device, NULL, b, 16, a, 0, 16));
	OK(device_step_aside(device, true));
	memory = device_peek(device, b);
	ck_assert_ptr_nonnull(memory);
	ck_assert_mem_eq(memory + 4, wanted, sizeof wanted);
	ck_assert_mem_ne(memory, wanted, sizeof wanted);
	ck_assert_mem_eq(device_peek(device, a), wanted, sizeof wanted);
	OK(device_step_aside(device, false));
	device_close(device);
}
END_TEST

START_TEST(errors_have_their_cuda_names)
{
	ck_assert_str_eq(cuda_error_name(0), "CUDA_SUCCESS");
	ck_assert_str_eq(cuda_error_name(1), "CUDA_ERROR_INVALID_VALUE");
	ck_assert_str_eq(cuda_error_name(700), "CUDA_ERROR_ILLEGAL_ADDRESS");
	ck_assert_ptr_nonnull(strstr(cuda_error_name(12345), "unnamed"));
}
END_TEST

int main(void)
{
	TCase *calls = tcase_create("device");

	tcase_add_test(calls, devices_are_opened_by_name);
	tcase_add_test(calls, ranges_stay_inside_their_buffer);
	tcase_add_test(calls, buffers_stay_on_their_device);
	tcase_add_test(calls, shapes_are_checked_before_allocation);
	tcase_add_test(calls, operations_that_a_device_lacks_are_named);
	tcase_add_test(calls, streams_events_and_graphs_that_a_device_lacks_are_named);
	tcase_add_test(calls, missing_objects_are_refused);
	tcase_add_test(calls, devices_get_complete_grids_and_blocks);
	tcase_add_test(calls, arguments_must_match_the_kernels_parameters);
	tcase_add_test(calls, memory_is_read_in_place);
	tcase_add_test(calls, errors_have_their_cuda_names);
	return run_suite("engine", calls);
}
