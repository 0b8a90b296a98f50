/* test_engine.c - the checks of device.c and device_launch.c, and the launches of a path, on a
 * device that only takes notes.
 *
 * The fake device holds its buffers in host memory and runs no kernel: what reaches it, and what
 * does not, is the subject. Results are tested on the simulator (test_attend.c) and on GPUs.
 */
#include "tests/sample.h"

#include <stdint.h>

#include "engine/device.h"
#include "engine/path.h"

/* --- a device that takes notes --- */

#define MAX_NOTES 64
#define POISON_BYTE 0xa5

struct fake {
	struct device base;
	char notes[MAX_NOTES][64];      /* "upload q", "launch kv_scatter 2,1,1" */
	int note_count;
	int launches_until_failure;     /* -1: none fails */
	int allocs_until_failure;       /* and then freeing fails too */
	struct dim3 grid, block, cluster;       /* of the last launch */
	uint32_t buffers;
	size_t shared_bytes;            /* a block may have */
};

static void note(struct device *device, const char *what, const char *name)
{
	struct fake *fake = (struct fake *)device;

	ck_assert_int_lt(fake->note_count, MAX_NOTES);
	snprintf(fake->notes[fake->note_count++], sizeof(fake->notes[0]), "%s %s", what, name);
}

/* A buffer and its memory behind it. */
struct fake_buffer {
	struct buffer base;
	unsigned char *bytes;
};

static unsigned char *bytes_of(const struct buffer *buffer)
{
	return ((const struct fake_buffer *)buffer)->bytes;
}

static enum status fake_alloc(struct device *device, const struct buffer_spec *spec,
			      struct buffer **out)
{
	struct fake *fake = (struct fake *)device;
	struct fake_buffer *buffer;
	size_t bytes = dtype_bytes(spec->dtype);

	if (fake->allocs_until_failure == 0)
		return fail_device(2, "no room for %s", spec->name);
	if (fake->allocs_until_failure > 0)
		fake->allocs_until_failure--;
	buffer = calloc(1, sizeof(*buffer));
	ck_assert_ptr_nonnull(buffer);
	for (int i = 0; i < spec->rank; i++)
		bytes *= (size_t)spec->shape[i];
	buffer->base.device = device;
	buffer->base.id = ++fake->buffers;
	snprintf(buffer->base.name, sizeof(buffer->base.name), "%s", spec->name);
	buffer->base.bytes = bytes;
	buffer->bytes = malloc(bytes + 1);
	memset(buffer->bytes, POISON_BYTE, bytes);
	*out = &buffer->base;
	return STATUS_OK;
}

static enum status fake_free(struct device *device, struct buffer *buffer)
{
	note(device, "free", buffer->name);
	free(bytes_of(buffer));
	free(buffer);
	if (((struct fake *)device)->allocs_until_failure == 0)
		return fail(STATUS_IO, "cannot free either");
	return STATUS_OK;
}

static enum status fake_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			       uint64_t offset, const void *source, size_t bytes)
{
	(void)stream;
	note(device, "upload", buffer->name);
	memcpy(bytes_of(buffer) + offset, source, bytes);
	return STATUS_OK;
}

static enum status fake_download(struct device *device, struct stream *stream,
				 const struct buffer *buffer, uint64_t offset, void *destination,
				 size_t bytes)
{
	(void)stream;
	note(device, "download", buffer->name);
	memcpy(destination, bytes_of(buffer) + offset, bytes);
	return STATUS_OK;
}

static enum status fake_copy(struct device *device, struct stream *stream, struct buffer *to,
			     uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			     size_t bytes)
{
	(void)stream;
	note(device, "copy", to->name);
	memcpy(bytes_of(to) + to_offset, bytes_of(from) + from_offset, bytes);
	return STATUS_OK;
}

static enum status fake_launch(struct device *device, const struct launch *launch)
{
	struct fake *fake = (struct fake *)device;
	char what[64];

	if (fake->launches_until_failure == 0)
		return fail_device(700, "%s (700)", cuda_error_name(700));
	if (fake->launches_until_failure > 0)
		fake->launches_until_failure--;
	fake->grid = launch->grid;
	fake->block = launch->block;
	fake->cluster = launch->cluster;
	snprintf(what, sizeof(what), "%s %u,%u,%u", launch->kernel->name, launch->grid.x,
		 launch->grid.y, launch->grid.z);
	note(device, "launch", what);
	return STATUS_OK;
}

static enum status fake_info(struct device *device, struct device_info *out)
{
	*out = (struct device_info){
		.name = "fake", .shared_per_block_optin = ((struct fake *)device)->shared_bytes,
	};
	return STATUS_OK;
}

static const struct device_ops fake_ops = {
	.name = "fake",
	.info = fake_info,
	.alloc = fake_alloc,
	.free = fake_free,
	.upload = fake_upload,
	.download = fake_download,
	.copy = fake_copy,
	.launch = fake_launch,
};

static struct fake fake_open(void)
{
	return (struct fake){
		.base.ops = &fake_ops, .launches_until_failure = -1, .allocs_until_failure = -1,
		.shared_bytes = 100 << 10,
	};
}

static void check_usage(enum status status, const char *text)
{
	check_fails(status, STATUS_USAGE, text);
}

static struct buffer *alloc(struct device *device, const char *name, int64_t floats)
{
	const struct buffer_spec spec = { name, DTYPE_F32, 1, { floats } };
	struct buffer *buffer;

	check_ok(device_alloc(device, &spec, &buffer));
	return buffer;
}

/* --- device.c --- */

START_TEST(devices_are_opened_by_name)
{
	struct device *device;

	check_usage(device_open("tpu", NULL, &device), "tpu");
	check_ok(device_open("sim", NULL, &device));
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

	check_ok(device_upload(device, NULL, a, 4, values, 12));
	check_usage(device_upload(device, NULL, a, 8, values, 12),
		    "12 bytes at offset 8 of buffer a");
	check_usage(device_upload(device, NULL, a, UINT64_MAX, values, 4), "which has 16 bytes");
	check_usage(device_download(device, NULL, a, 0, values, 20), "20 bytes at offset 0");
	check_usage(device_upload(device, NULL, NULL, 0, values, 4), "no buffer");
	check_usage(device_upload(device, NULL, a, 0, NULL, 4), "no host memory for 4 bytes");
	check_usage(device_copy(device, NULL, a, 4, a, 0, 8), "overlap");
	check_ok(device_copy(device, NULL, a, 8, a, 0, 8));
	/* Nothing to do never reaches the device, not even without memory. */
	check_ok(device_upload(device, NULL, a, 16, NULL, 0));
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
	check_ok(device_upload(&recorder.base, NULL, a, 0, &value, 4));
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

	check_usage(device_alloc(&fake.base, &negative, &buffer), "dimension 1 is -1");
	check_usage(device_alloc(&fake.base, &huge, &buffer), "does not fit");
	check_usage(device_alloc(&fake.base, &deep, &buffer), "rank 6");
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
	check_ok(device_step_begin(&fake.base, 0));
	check_ok(device_step_end(&fake.base));
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

/* A device that has events, and says when it is asked for one. */
static enum status fake_event_record(struct device *device, struct event *event,
				     struct stream *stream)
{
	(void)event;
	(void)stream;
	note(device, "record", "");
	return STATUS_OK;
}

START_TEST(objects_must_be_there)
{
	struct device_ops ops = fake_ops;
	struct fake fake = fake_open();

	ops.event_record = fake_event_record;
	fake.base.ops = &ops;
	check_usage(device_event_record(&fake.base, NULL, NULL), "event_record: no event");
	ck_assert_int_eq(fake.note_count, 0);
	check_ok(device_event_record(&fake.base, (struct event *)&fake, NULL));
	ck_assert_int_eq(fake.note_count, 1);
}
END_TEST

static void check_dim3(struct dim3 d, unsigned x, unsigned y, unsigned z)
{
	ck_assert(d.x == x && d.y == y && d.z == z);
}

START_TEST(devices_see_whole_grids_and_blocks)
{
	struct fake fake = fake_open();
	struct launch_attribute unknown = { .id = 3 };
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

	/* Limits of the device are for the device to enforce. */
	check_ok(device_launch(&fake.base, &scatter));
	check_dim3(fake.grid, 3, 1, 1);
	check_dim3(fake.block, 2000, 1, 1);
	check_dim3(fake.cluster, 1, 1, 1);
	check_ok(device_launch(&fake.base, &reduce));
	check_dim3(fake.grid, 0, 2, 1);
	check_dim3(fake.block, 8, 4, 1);
	/* The kernel's own is not. */
	reduce.block.z = 2;
	check_usage(device_launch(&fake.base, &reduce),
		    "blocks of (8,4,2) threads, the kernel takes at most 32");
	scatter.attributes = &unknown;
	scatter.attribute_count = 1;
	check_usage(device_launch(&fake.base, &scatter), "there is no attribute 3");
	ck_assert_int_eq(fake.note_count, 2);
}
END_TEST

START_TEST(arguments_are_the_kernels_parameters)
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

	check_ok(device_launch(&fake.base, &launch));
	launch.arg_count = 4;
	check_usage(device_launch(&fake.base, &launch), "4 arguments given, the kernel has 5");
	launch.arg_count = 5;
	args[3] = ARG_F32(1.0f);
	check_usage(device_launch(&fake.base, &launch), "max_len is f32, the kernel takes i32");
	args[3] = ARG_I32(1);
	args[2].name = "length";
	check_usage(device_launch(&fake.base, &launch), "argument 2 is length, the kernel has D");
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

START_TEST(errors_have_their_cuda_names)
{
	ck_assert_str_eq(cuda_error_name(0), "CUDA_SUCCESS");
	ck_assert_str_eq(cuda_error_name(1), "CUDA_ERROR_INVALID_VALUE");
	ck_assert_str_eq(cuda_error_name(700), "CUDA_ERROR_ILLEGAL_ADDRESS");
	ck_assert_ptr_nonnull(strstr(cuda_error_name(12345), "unnamed"));
}
END_TEST

/* --- what flash decoding asks of a device --- */

static enum status create_path(struct fake *fake, int slots, struct attention **out)
{
	const struct attention_shape shape = {
		.layers = 2, .slots = slots, .heads = 4, .kv_heads = 2, .head_dim = 8,
		.max_len = 20, .chunk = 8, .scale = 1.0f,
	};

	return attention_create(path_find("flash-decoding"), &fake->base, &shape, out);
}

static struct attention *open_path(struct fake *fake, int slots)
{
	struct attention *attention;

	check_ok(create_path(fake, slots, &attention));
	return attention;
}

static enum status step(struct attention *attention, int layer, const bool *done)
{
	static float q[2 * 4 * 8], kv[2 * 2 * 8], out[2 * 4 * 8];

	return attention_step(attention, &(struct attention_step){
		.layer = layer, .q = q, .k = kv, .v = kv, .done = done, .out = out });
}

static void expect_notes(struct fake *fake, const char *const *notes)
{
	int i = 0;

	for (; notes[i] != NULL; i++) {
		ck_assert_int_lt(i, fake->note_count);
		ck_assert_str_eq(fake->notes[i], notes[i]);
	}
	ck_assert_int_eq(fake->note_count, i);
	fake->note_count = 0;
}

START_TEST(shared_memory_of_the_device_is_a_limit)
{
	const struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = 4, .kv_heads = 2, .head_dim = 256, .max_len = 20,
		.chunk = 8, .scale = 1.0f,
	};
	struct fake fake = fake_open();
	struct attention *attention;

	/* Four warps merge 258 floats each. */
	fake.shared_bytes = 4096;
	check_usage(attention_create(&path_incremental_multiwarp, &fake.base, &shape, &attention),
		    "incremental-multiwarp: 4128 bytes of shared memory, a block of fake "
		    "has at most 4096");
	/* One warp merges nothing, but prompts take two tiles of 32 rows of 256 floats. */
	check_usage(attention_create(&path_incremental, &fake.base, &shape, &attention),
		    "incremental: 65536 bytes of shared memory, a block of fake has at most 4096");
	ck_assert_int_eq(fake.buffers, 0);
	fake.shared_bytes = 65536;
	check_ok(attention_create(&path_incremental, &fake.base, &shape, &attention));
	attention_destroy(attention);
}
END_TEST

START_TEST(one_sequence_passes_its_position_by_value)
{
	static const char *const first[] = {
		"upload q", "upload k_new", "upload v_new", "upload seq_lens",
		"launch kv_scatter 2,1,1", "launch kv_scatter 2,1,1",
		"launch flash_decode_chunk 4,1,3", "launch flash_decode_reduce 4,1,1",
		"download out", NULL
	};
	/* The length is on the device already. */
	static const char *const second[] = {
		"upload q", "upload k_new", "upload v_new",
		"launch kv_scatter 2,1,1", "launch kv_scatter 2,1,1",
		"launch flash_decode_chunk 4,1,3", "launch flash_decode_reduce 4,1,1",
		"download out", NULL
	};
	struct fake fake = fake_open();
	struct attention *attention = open_path(&fake, 1);

	check_ok(step(attention, 0, NULL));
	expect_notes(&fake, first);
	check_ok(step(attention, 1, NULL));
	expect_notes(&fake, second);
	check_ok(step(attention, 0, NULL));
	expect_notes(&fake, first);
	attention_destroy(attention);
}
END_TEST

START_TEST(several_sequences_scatter_in_two_launches)
{
	static const char *const wanted[] = {
		"upload q", "upload k_new", "upload v_new", "upload seq_lens", "upload positions",
		"launch kv_scatter_batched 2,2,1", "launch kv_scatter_batched 2,2,1",
		"launch flash_decode_chunk 4,2,3", "launch flash_decode_reduce 4,2,1",
		"download out", NULL
	};
	struct fake fake = fake_open();
	struct attention *attention = open_path(&fake, 2);

	check_ok(step(attention, 0, (const bool[]){ false, true }));
	expect_notes(&fake, wanted);
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 0), 1);
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 1), 0);
	attention_destroy(attention);
}
END_TEST

/* Wherever it fails: in the KV cache (4 buffers) or after. All is freed, and the error stays. */
START_TEST(a_failed_allocation_is_what_is_told)
{
	for (int after = 0; after < 10; after++) {
		struct fake fake = fake_open();
		struct attention *attention;

		fake.allocs_until_failure = after;
		ck_assert_int_eq(create_path(&fake, 1, &attention), STATUS_DEVICE);
		ck_assert_int_eq(error_code(), 2);
		ck_assert_int_eq(strncmp(error_text(), "no room for ", 12), 0);
		ck_assert_int_eq(fake.note_count, after);
	}
}
END_TEST

START_TEST(a_failed_launch_advances_no_length)
{
	struct fake fake = fake_open();
	struct attention *attention = open_path(&fake, 1);

	for (int after = 0; after < 4; after++) {
		fake.launches_until_failure = after;
		ck_assert_int_eq(step(attention, 0, NULL), STATUS_DEVICE);
		ck_assert_int_eq(error_code(), 700);
		ck_assert_int_eq(kv_cache_length(attention->cache, 0, 0), 0);
		fake.note_count = 0;
	}
	/* Freeing leaves the error as it was. */
	attention_destroy(attention);
	ck_assert_int_eq(error_code(), 700);
	ck_assert_str_eq(error_text(), "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
}
END_TEST

int main(void)
{
	TCase *calls = tcase_create("device"), *path = tcase_create("path");

	tcase_add_test(calls, devices_are_opened_by_name);
	tcase_add_test(calls, ranges_stay_inside_their_buffer);
	tcase_add_test(calls, buffers_stay_on_their_device);
	tcase_add_test(calls, shapes_are_checked_before_allocation);
	tcase_add_test(calls, operations_that_a_device_lacks_are_named);
	tcase_add_test(calls, streams_events_and_graphs_that_a_device_lacks_are_named);
	tcase_add_test(calls, objects_must_be_there);
	tcase_add_test(calls, devices_see_whole_grids_and_blocks);
	tcase_add_test(calls, arguments_are_the_kernels_parameters);
	tcase_add_test(calls, errors_have_their_cuda_names);
	tcase_add_test(path, shared_memory_of_the_device_is_a_limit);
	tcase_add_test(path, one_sequence_passes_its_position_by_value);
	tcase_add_test(path, several_sequences_scatter_in_two_launches);
	tcase_add_test(path, a_failed_allocation_is_what_is_told);
	tcase_add_test(path, a_failed_launch_advances_no_length);
	return run_suites("engine", (TCase *[]){ calls, path }, 2);
}
