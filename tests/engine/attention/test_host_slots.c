/* test_host_slots.c - guarantees 4 to 6 and 10 of the host side of every attention path: empty
 * work, slots that are done, leave and join, buffers larger than needed, and one stream.
 *
 * Runs on the simulator and on a GPU if there is one; see test_host_behaviour.c.
 */
#include "config.h"

#include "tests/rig.h"

#include "engine/attention/prefill.h"

/* --- 4: no work, no keys --- */

START_TEST(no_work_succeeds_and_launches_nothing)
{
	struct attention_shape empty[2] = { rig_shape(RIG_PATH, 2), rig_shape(RIG_PATH, 2) };

	empty[0].slots = 0;
	empty[1].heads = empty[1].kv_heads = 0;
	for (int i = 0; i < 2; i++) {
		struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &empty[i]);
		const struct attention_step step = rig_step(&r, 0, NULL);

		OK(attention_step(r.a, &step));
		OK(attention_prefill(r.a, &(struct attention_prompt){ .rows = 3 }));
		spy_check_untouched("empty work");
		rig_close(&r);
	}
}
END_TEST

START_TEST(a_prompt_of_no_rows_does_nothing)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape);

	rig_run(&r, NULL);
	spy_reset();
	OK(attention_prefill(r.a, &(struct attention_prompt){ .rows = 0 }));
	spy_check_untouched("an empty prompt");
	ck_assert_int_eq(kv_cache_length(r.a->cache, 0, 0), 1);
	rig_close(&r);
}
END_TEST

START_TEST(empty_prefills_launch_nothing)
{
	const struct prefill work = {
		.heads = 2, .kv_heads = 1, .queries = 3, .keys = 4, .stride = 4, .head_dim = 5,
		.value_dim = 6, .scale = 1.0f,
	};
	struct prefill empty[3] = { work, work, work };
	float q[2 * 3 * 5] = { 0 }, kv[4 * 6] = { 0 }, out[2 * 3 * 6], before[2 * 3 * 6];
	struct device *device;

	memset(out, 0xff, sizeof out);
	memcpy(before, out, sizeof out);
	empty[0].heads = 0;
	empty[1].queries = 0;
	empty[2].value_dim = 0;
	OK(device_open(test_devices[_i], NULL, &device));
	spy_on(device);
	for (int i = 0; i < 3; i++)
		OK(prefill_run(device, &empty[i], q, kv, kv, out));
	spy_check_untouched("empty work");
	ck_assert_mem_eq(out, before, sizeof out);
	device_close(device);
}
END_TEST

/* Row i of 7 sees keys 0 to i - 4 of 3, so the first four rows see none. With Nk = 0 no row sees
 * any. */
START_TEST(rows_that_see_no_key_are_zeros)
{
	enum { NQ = 7, NK = 3, D = 5 };
	struct prefill p = {
		.heads = 1, .kv_heads = 1, .queries = NQ, .keys = NK, .stride = NK, .head_dim = D,
		.value_dim = D, .mask = MASK_BOTTOM_RIGHT, .scale = 1.0f, .layer = -1,
	};
	float q[NQ * D], k[NK * D], v[NK * D], out[NQ * D];
	struct device *device;
	uint32_t random = 3;

	recording_fill(q, NQ * D, &random, false);
	recording_fill(k, NK * D, &random, false);
	for (int i = 0; i < NK * D; i++)
		v[i] = 1.0f + (float)i;
	OK(device_open(test_devices[_i], NULL, &device));
	OK(prefill_run(device, &p, q, k, v, out));
	for (int i = 0; i < NQ * D; i++)
		ck_assert_msg(i / D < NQ - NK ? out[i] == 0.0f : out[i] >= 1.0f && out[i] < 16.0f,
			      "row %d, element %d is %g", i / D, i % D, (double)out[i]);
	/* The first row that sees a key sees only the first one. */
	ck_assert_mem_eq(out + (NQ - NK) * D, v, D * sizeof(float));
	p.keys = p.stride = 0;
	OK(prefill_run(device, &p, q, NULL, NULL, out));
	for (int i = 0; i < NQ * D; i++)
		ck_assert_msg(out[i] == 0.0f, "no keys: element %d is %g", i, (double)out[i]);
	device_close(device);
}
END_TEST

/* --- 5: slots that are done, leave and join --- */

/* A hash of one slot's bytes in layer 0's caches. */
static uint64_t slot_digest(const struct rig *r, int slot)
{
	size_t bytes = (size_t)kv_cache_stride(r->a->cache) * sizeof(float);
	unsigned char *k = xmalloc(2 * bytes);
	uint64_t hash = 0;

	OK(device_download(r->device, NULL, r->a->cache->k[0], (size_t)slot * bytes, k, bytes));
	OK(device_download(r->device, NULL, r->a->cache->v[0], (size_t)slot * bytes, k + bytes,
			   bytes));
	for (size_t i = 0; i < 2 * bytes; i++)
		hash = (hash ^ k[i]) * 0x100000001b3u;
	free(k);
	return hash;
}

/* The middle one of three slots has length 0 on the device, or no launches at all. */
static void check_no_keys_are_read(struct rig *r, int launches_of_three)
{
	struct buffer *lengths = spy_buffer("seq_lens");
	int32_t on_device[3];

	if (!lengths)
		lengths = spy_buffer("graph_seq_lens");
	if (!lengths) {
		ck_assert_int_eq(spy.launches * 3, launches_of_three * 2);
		return;
	}
	OK(device_download(r->device, NULL, lengths, 0, on_device, sizeof on_device));
	ck_assert_int_eq(on_device[0], r->lengths[0]);
	ck_assert_int_eq(on_device[1], 0);
}

START_TEST(a_slot_that_is_done_is_skipped)
{
	static const bool done[] = { false, true, false };
	const struct attention_shape shape = rig_shape(RIG_PATH, 3);
	size_t row = (size_t)shape.heads * (size_t)shape.head_dim;
	struct rig r;
	uint64_t digest;
	int length, launches;

	if (rig_single_slot(RIG_PATH))
		return;
	r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	for (int n = 0; n < 4; n++) {
		spy_reset();
		rig_run(&r, NULL);
	}
	launches = spy.launches;
	length = r.lengths[1];
	digest = slot_digest(&r, 1);
	for (int n = 0; n < 3; n++) {
		memset(r.out, 0xff, (size_t)r.q_count * sizeof(float));
		spy_reset();
		rig_run(&r, done);
		check_no_keys_are_read(&r, launches);
		ck_assert_int_eq(r.lengths[1], length);
		ck_assert_int_eq(r.lengths[2], length + n + 1);
		for (size_t i = row; i < 2 * row; i++)
			ck_assert_msg(r.out[i] == 0.0f, "%s: %zu", RIG_PATH->name, i);
		for (size_t i = 2 * row; i < 3 * row; i++)
			ck_assert_msg(isfinite(r.out[i]), "%s: %zu", RIG_PATH->name, i);
	}
	ck_assert_uint_eq(slot_digest(&r, 1), digest);
	/* All slots are done. */
	rig_run(&r, (const bool[]){ true, true, true });
	for (int i = 0; i < r.q_count; i++)
		ck_assert_msg(r.out[i] == 0.0f, "%s: element %d", RIG_PATH->name, i);
	rig_close(&r);
}
END_TEST

enum { STEPS_AFTER_JOIN = 5 };

/* Writes slot 1's output of each step to `out`; the inputs depend only on the step. Slot 0 is done
 * if slot 1 runs alone. */
static void run_second_slot(struct rig *r, bool alone, float *out)
{
	size_t row = (size_t)r->a->shape.heads * (size_t)r->a->shape.head_dim;

	r->random = 99;
	for (int n = 0; n < STEPS_AFTER_JOIN; n++) {
		rig_run(r, (const bool[]){ alone, false });
		ck_assert_int_eq(r->lengths[1], n + 1);
		ck_assert_int_eq(r->lengths[0], alone ? 0 : n + 6);
		memcpy(out + (size_t)n * row, r->out + row, row * sizeof(float));
	}
}

/* Neither the previous sequence in a slot nor other slots affect a sequence that joins. */
START_TEST(slots_leave_and_join_between_steps)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	float joined[STEPS_AFTER_JOIN * 4 * 5], alone[STEPS_AFTER_JOIN * 4 * 5];
	struct rig r;

	if (rig_single_slot(RIG_PATH))
		return;
	r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	for (int n = 0; n < 3; n++)
		rig_run(&r, NULL);
	for (int n = 0; n < 2; n++)
		rig_run(&r, (const bool[]){ false, true });
	kv_cache_clear(r.a->cache, 1);
	run_second_slot(&r, false, joined);
	rig_close(&r);
	r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	run_second_slot(&r, true, alone);
	rig_close(&r);
	ck_assert_mem_eq(joined, alone, sizeof alone);
}
END_TEST

/* --- 6: buffers may be larger than what they hold --- */

START_TEST(partial_uploads_are_legal)
{
	const struct buffer_spec spec = { "b", DTYPE_F32, 1, { 16 } };
	uint32_t words[16], eight[8];
	struct buffer *buffer;
	struct device *device;

	OK(device_open(test_devices[_i], NULL, &device));
	OK(device_alloc(device, &spec, &buffer));
	OK(device_fill(device, NULL, buffer, 0, 5, 16));
	memset(eight, 0x11, sizeof eight);
	OK(device_upload(device, NULL, buffer, 16, eight, sizeof eight));
	FAILS(device_upload(device, NULL, buffer, 36, eight, sizeof eight), STATUS_USAGE,
	      "32 bytes at offset 36 of buffer b, which has 64 bytes");
	OK(device_download(device, NULL, buffer, 0, words, sizeof words));
	for (int i = 0; i < 16; i++)
		ck_assert_uint_eq(words[i], i < 4 || i >= 12 ? 5 : 0x11111111);
	device_close(device);
}
END_TEST

/* A short prompt in the larger buffers of a long one gives what it gives in buffers of its own
 * size. */
START_TEST(a_short_prompt_after_a_long_one)
{
	struct attention_shape shape = rig_shape(RIG_PATH, 1);
	int row = shape.heads * shape.head_dim;
	float in[3][10 * 4 * 5], long_out[10 * 4 * 5], out[4 * 4 * 5], tight[4 * 4 * 5];
	struct attention_prompt prompt = { .q = in[0], .k = in[1], .v = in[2] };
	uint32_t random = 11;
	struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape);

	recording_fill(in[0], 3 * 10 * row, &random, false);
	/* Only layer 0 of two: buffers are freed after the last layer. */
	prompt.rows = 10;
	prompt.out = long_out;
	OK(attention_prefill(r.a, &prompt));
	kv_cache_clear(r.a->cache, 0);
	prompt.rows = 4;
	prompt.out = out;
	OK(attention_prefill(r.a, &prompt));
	rig_close(&r);
	r = rig_open(RIG_DEVICE, RIG_PATH, &shape);
	prompt.out = tight;
	OK(attention_prefill(r.a, &prompt));
	ck_assert_mem_eq(out, tight, sizeof tight);
	ck_assert_mem_eq(out, long_out, sizeof tight);
	rig_close(&r);
}
END_TEST

/* More rows than a grid has blocks in y: K and V rows are scattered by two launches each. The fifth
 * launch, attention, would take too long and is made to fail. */
START_TEST(a_prompt_longer_than_a_grid_is_written)
{
	enum { ROWS = 65537 };
	const struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = 1, .kv_heads = 1, .head_dim = 1, .max_len = ROWS,
		.chunk = 128, .scale = 1.0f,
	};
	struct rig r = rig_open(test_devices[_i], &path_incremental, &shape);
	float *rows = xcalloc(ROWS, sizeof *rows), *found = xcalloc(ROWS, sizeof *found);
	const struct attention_prompt prompt = {
		.rows = ROWS, .q = rows, .k = rows, .v = rows, .out = found,
	};

	recording_fill(rows, ROWS, &r.random, false);
	spy.fail_at = 5;
	FAILS(attention_prefill(r.a, &prompt), STATUS_DEVICE, "injected failure");
	ck_assert_int_eq(kv_cache_length(r.a->cache, 0, 0), 0);
	for (int i = 0; i < 2; i++) {
		const struct buffer *cache = i ? r.a->cache->v[0] : r.a->cache->k[0];

		OK(device_download(r.device, NULL, cache, 0, found, ROWS * sizeof *found));
		ck_assert_mem_eq(found, rows, ROWS * sizeof *found);
	}
	rig_close(&r);
	free(rows);
	free(found);
}
END_TEST

/* --- 10: one stream, and no waits between launches --- */

START_TEST(a_step_is_on_one_stream_without_waits)
{
	const struct attention_shape shape = rig_shape(RIG_PATH, 2);
	struct rig r = rig_open(RIG_DEVICE, RIG_PATH, &shape);

	for (int n = 0; n < 6; n++)
		rig_run(&r, NULL);
	spy_reset();
	rig_run(&r, NULL);
	ck_assert_int_gt(spy.launches + spy.graph_launches, 0);
	ck_assert_int_eq(spy.stream_switches, 0);
	ck_assert_int_eq(spy.waits_between, 0);
	ck_assert_int_eq(spy.syncs, 0);
	rig_close(&r);
}
END_TEST

int main(void)
{
	int devices = test_device_count(), all = devices * RIG_PATHS;
	TCase *tests = tcase_create("host_slots");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, no_work_succeeds_and_launches_nothing, 0, all);
	tcase_add_loop_test(tests, a_prompt_of_no_rows_does_nothing, 0, all);
	tcase_add_loop_test(tests, empty_prefills_launch_nothing, 0, devices);
	tcase_add_loop_test(tests, rows_that_see_no_key_are_zeros, 0, devices);
	tcase_add_loop_test(tests, a_slot_that_is_done_is_skipped, 0, all);
	tcase_add_loop_test(tests, slots_leave_and_join_between_steps, 0, all);
	tcase_add_loop_test(tests, partial_uploads_are_legal, 0, devices);
	tcase_add_loop_test(tests, a_short_prompt_after_a_long_one, 0, all);
	tcase_add_loop_test(tests, a_prompt_longer_than_a_grid_is_written, 0, devices);
	tcase_add_loop_test(tests, a_step_is_on_one_stream_without_waits, 0, all);
	return run_suite("host_slots", tests);
}
