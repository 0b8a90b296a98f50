/* test_host_behaviour.c - guarantees 1 to 3 and 11 of the host side of every attention path:
 * shapes, overflow, returned lengths, and builds without CUDA.
 *
 * Tests run on the simulator and on a GPU if there is one, and expect the same status and error
 * code from both. After an error, all buffers and lengths must be as before. Guarantees 4 to 6 and
 * 10 are in test_host_slots.c; 7 to 9, captures and graphs, are in test_host_graphs.c.
 */
#include "config.h"

#include "tests/rig.h"

#include "engine/attention/step_io.h"

/* --- 1: shapes are checked before anything is launched --- */

START_TEST(a_shape_that_cannot_run_is_refused_by_name)
{
	const struct attention_shape good = rig_shape(RIG_PATH, 2);
	struct attention_shape bad[9];
	static const char *const texts[9] = {
		"head size of 1 to 256, got 0", "head size of 1 to 256, got 257",
		"3 query heads are not a multiple of 2 KV heads",
		"4 query heads are not a multiple of 0 KV heads", "keys, got -1",
		"keys, got 0", "-1 slots", "got 0 layers", "got -1 query heads",
	};
	struct device *device;
	struct attention *a;

	for (int i = 0; i < 9; i++)
		bad[i] = good;
	bad[0].head_dim = 0;
	bad[1].head_dim = 257;
	bad[2].heads = 3;
	bad[2].kv_heads = 2;
	bad[3].kv_heads = 0;
	bad[4].chunk = -1;
	bad[5].max_len = 0;
	bad[6].slots = -1;
	bad[7].layers = 0;
	bad[8].heads = -1;
	OK(device_open(RIG_DEVICE, NULL, &device));
	spy_on(device);
	for (int i = 0; i < 9; i++) {
		FAILS(attention_create(RIG_PATH, device, &bad[i], &a), STATUS_USAGE, texts[i]);
		ck_assert_msg(strstr(error_text(), RIG_PATH->name), "not named: %s", error_text());
		ck_assert_int_eq(error_code(), 0);
	}
	spy_check_untouched("a bad shape");
	device_close(device);
}
END_TEST

/* Any head size works, and memory past a row is not read as part of it. */
START_TEST(any_head_size_up_to_256_runs)
{
	static const int sizes[] = { 1, 33, 129, 256 };

	for (int i = 0; i < 4; i++) {
		struct attention_shape shape = rig_shape(RIG_PATH, 2);
		struct rig r;

		shape.head_dim = sizes[i];
		r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
		rig_run(&r, NULL);
		/* One key: its value is the output. */
		for (int d = 0; d < r.q_count; d++) {
			int row = d / sizes[i] / shape.heads * shape.kv_heads
				+ d / sizes[i] % shape.heads * shape.kv_heads / shape.heads;

			ck_assert_msg(r.out[d] == r.v[row * sizes[i] + d % sizes[i]],
				      "%s, D %d: element %d", RIG_PATH->name, sizes[i], d);
		}
		rig_close(&r);
	}
}
END_TEST

START_TEST(shared_memory_beyond_the_device_is_refused)
{
	struct device *device;
	struct device_info info;

	OK(device_open(test_devices[_i], NULL, &device));
	spy_on(device);
	OK(device_info(device, &info));
	OK(check_shared(device, "batched", info.shared_per_block_optin));
	FAILS(check_shared(device, "batched", info.shared_per_block_optin + 1), STATUS_USAGE,
	      "batched: ");
	spy_check_untouched("a check");
	device_close(device);
}
END_TEST

START_TEST(a_step_without_tensors_or_layer_writes_nothing)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	struct attention_step bad[6];
	struct rig_state before;

	rig_run(&r, NULL);
	before = rig_state(&r);
	for (int i = 0; i < 6; i++)
		bad[i] = rig_step(&r, 0, NULL);
	bad[0].q = NULL;
	bad[1].k = NULL;
	bad[2].v = NULL;
	bad[3].out = NULL;
	bad[4].layer = 2;
	bad[5].layer = -1;
	spy_reset();
	for (int i = 0; i < 6; i++)
		FAILS(attention_step(r.a, &bad[i]), STATUS_USAGE, i < 4 ? "missing" : "layer");
	spy_check_untouched("a bad step");
	rig_check_unchanged(&r, &before);
	rig_close(&r);
}
END_TEST

/* Two simulated devices, or a GPU and a simulated one: each refuses the other's buffers. */
START_TEST(a_buffer_of_another_device_is_refused)
{
	const struct device_options second = { .ordinal = 1 };
	struct recording_scatter ours, theirs;
	struct device *device, *other;
	uint64_t digest;

	OK(device_open("sim", &second, &other));
	recording_scatter(other, &theirs);
	OK(device_open(test_devices[_i], NULL, &device));
	spy_on(device);
	recording_scatter(device, &ours);
	digest = spy_digest();
	spy_reset();
	ours.args[1] = theirs.args[1];
	FAILS(device_launch(device, &ours.launch), STATUS_USAGE, "belongs to device sim 1");
	ck_assert_msg(strstr(error_text(), "kv_scatter"), "%s", error_text());
	FAILS(device_copy(device, NULL, ours.args[0].buffer, 0, theirs.args[0].buffer, 0, 8),
	      STATUS_USAGE, "belongs to device sim 1");
	FAILS(device_upload(device, NULL, theirs.args[0].buffer, 0, "abcd", 4), STATUS_USAGE,
	      "belongs to device sim 1");
	FAILS(device_upload_pointers(device, NULL, ours.args[0].buffer, 0,
				     &(struct pointer_entry){ theirs.args[0].buffer, 0 }, 1),
	      STATUS_USAGE, "belongs to device sim 1");
	FAILS(device_free(device, theirs.args[0].buffer), STATUS_USAGE, "belongs to device sim 1");
	FAILS(device_fill(other, NULL, ours.args[0].buffer, 0, 0, 1), STATUS_USAGE,
	      "not to sim 1");
	spy_check_untouched("a buffer of another device");
	ck_assert_uint_eq(spy_digest(), digest);
	device_close(device);
	device_close(other);
}
END_TEST

/* --- 2: overflow is detected before the append; a failed launch changes no length --- */

START_TEST(a_full_slot_is_named_and_nothing_is_written)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 3);
	bool single = rig_single_slot(RIG_PATH);
	int full = single ? 0 : 1;
	struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	const struct attention_prompt prompt = {
		.slot = full, .rows = 1, .q = r.q, .k = r.k, .v = r.v, .out = r.out,
	};
	struct rig_state before;
	char text[16];

	for (int n = 0; n < shape.max_len; n++)
		rig_run(&r, single ? NULL : (const bool[]){ n % 2, false, n > 3 });
	before = rig_state(&r);
	spy_reset();
	snprintf(text, sizeof text, "slot %d is full", full);
	rig_fill(&r);
	for (int again = 0; again < 2; again++) {
		const struct attention_step step = rig_step(&r, 0, NULL);

		FAILS(attention_step(r.a, &step), STATUS_USAGE, text);
		ck_assert_msg(strstr(error_text(), RIG_PATH->name), "not named: %s", error_text());
		FAILS(attention_prefill(r.a, &prompt), STATUS_USAGE, "does not fit");
	}
	spy_check_untouched("a full slot");
	rig_check_unchanged(&r, &before);
	/* A full slot that is done does not stop the others. */
	if (!single)
		rig_run(&r, (const bool[]){ false, true, false });
	rig_close(&r);
}
END_TEST

/* Each launch of a step fails in turn; then the step is repeated and gives its normal result. */
START_TEST(a_failed_launch_changes_no_length)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape), sound;
	int before[RIG_SLOTS], launches;
	float *out = xcalloc((size_t)r.q_count, sizeof *out);

	for (int n = 0; n < 6; n++)
		rig_run(&r, NULL);
	memcpy(before, r.lengths, sizeof before);
	rig_fill(&r);
	for (launches = 1; ; launches++) {
		const struct attention_step step = rig_step(&r, 0, NULL);

		spy.fail_at = launches;
		if (attention_step(r.a, &step) == STATUS_OK)
			break;
		ck_assert_int_eq(error_code(), SPY_FAILURE);
		for (int slot = 0; slot < shape.slots; slot++)
			ck_assert_int_eq(kv_cache_length(r.a->cache, 0, slot), before[slot]);
		ck_assert_mem_eq(r.lengths, before, sizeof before);
	}
	ck_assert_int_gt(launches, 1);
	ck_assert_int_eq(r.lengths[0], before[0] + 1);
	memcpy(out, r.out, (size_t)r.q_count * sizeof *out);
	rig_close(&r);

	sound = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	for (int n = 0; n < 7; n++)
		rig_run(&sound, NULL);
	ck_assert_mem_eq(out, sound.out, (size_t)sound.q_count * sizeof *out);
	rig_close(&sound);
	free(out);
}
END_TEST

/* --- 3: the new length is returned; a missing call is named --- */

START_TEST(a_step_returns_the_new_lengths)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape);

	for (int n = 1; n <= shape.max_len; n++) {
		rig_run(&r, NULL);
		for (int slot = 0; slot < shape.slots; slot++)
			ck_assert_int_eq(r.lengths[slot], n);
		ck_assert_int_eq(kv_cache_length(r.a->cache, 1, 0), 0);
	}
	rig_close(&r);
}
END_TEST

START_TEST(a_missing_call_is_named)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	const struct attention_step step = rig_step(&r, 0, NULL);
	const struct attention_step other_layer = rig_step(&r, 2, NULL);

	FAILS(attention_step(NULL, &step), STATUS_USAGE, "call attention_create() first");
	FAILS(attention_prefill(NULL, &(struct attention_prompt){ 0 }), STATUS_USAGE,
	      "call attention_create() first");
	FAILS(attention_step(r.a, &other_layer), STATUS_USAGE,
	      "expected a layer of 0 to 1, got 2");
	rig_close(&r);
}
END_TEST

/* --- 11: without CUDA there is a clear error, and the simulator works --- */

#define device_cuda device_without_cuda
#define device_cuda_capability capability_without_cuda
enum status capability_without_cuda(int ordinal, int *out);
#include "engine/cuda/device_cuda_none.c"
#undef device_cuda

START_TEST(a_build_without_cuda_says_so)
{
	const struct device_options options = { .ordinal = 3 };
	struct device *device = NULL;

	FAILS(device_without_cuda.open(&options, &device), STATUS_NO_GPU,
	      "no GPU 3: this flashtwin was built without CUDA");
	ck_assert_int_eq(status_exit_code(STATUS_NO_GPU), 77);
	ck_assert_ptr_null(device);
}
END_TEST

START_TEST(the_simulator_needs_no_gpu)
{
	const struct attention_shape shape = rig_shape(&path_auto, 1);
	struct device *device;
	struct rig r;

	if (device_open("cuda", NULL, &device) == STATUS_OK)
		device_close(device);
	else
		ck_assert_msg(strncmp(error_text(), "no GPU", 6) == 0, "%s", error_text());
	r = rig_open("sim", &path_auto, &shape);
	rig_run(&r, NULL);
	rig_close(&r);
}
END_TEST

int main(void)
{
	int devices = test_device_count(), all = devices * RIG_PATHS;
	TCase *tests = tcase_create("host_behaviour");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, a_shape_that_cannot_run_is_refused_by_name, 0, all);
	tcase_add_loop_test(tests, any_head_size_up_to_256_runs, 0, all);
	tcase_add_loop_test(tests, shared_memory_beyond_the_device_is_refused, 0, devices);
	tcase_add_loop_test(tests, a_step_without_tensors_or_layer_writes_nothing, 0, all);
	tcase_add_loop_test(tests, a_buffer_of_another_device_is_refused, 0, devices);
	tcase_add_loop_test(tests, a_full_slot_is_named_and_nothing_is_written, 0, all);
	tcase_add_loop_test(tests, a_failed_launch_changes_no_length, 0, all);
	tcase_add_loop_test(tests, a_step_returns_the_new_lengths, 0, all);
	tcase_add_loop_test(tests, a_missing_call_is_named, 0, all);
	tcase_add_test(tests, a_build_without_cuda_says_so);
	tcase_add_test(tests, the_simulator_needs_no_gpu);
	return run_suite("host_behaviour", tests);
}
