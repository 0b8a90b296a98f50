/* test_path_calls.c - the device calls of an attention path: which, in which order, and what state
 * is left if one of them fails.
 *
 * Runs on the fake device of tests/fake_device.h. Results are tested in test_attend.c and
 * test_paths.c.
 */
#include "config.h"

#include "tests/fake_device.h"

#include "engine/attention/path.h"

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

	OK(create_path(fake, slots, &attention));
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

	for (; notes[i]; i++) {
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
	FAILS(attention_create(&path_incremental_multiwarp, &fake.base, &shape, &attention),
	      STATUS_USAGE,
	      "incremental-multiwarp: needs 4128 bytes of shared memory, the maximum per "
	      "block of fake is 4096");
	/* One warp merges nothing, but prompts take two tiles of 32 rows of 256 floats. */
	FAILS(attention_create(&path_incremental, &fake.base, &shape, &attention),
	      STATUS_USAGE,
	      "incremental: needs 65536 bytes of shared memory, the maximum per block "
	      "of fake is 4096");
	ck_assert_int_eq(fake.buffers, 0);
	fake.shared_bytes = 65536;
	OK(attention_create(&path_incremental, &fake.base, &shape, &attention));
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
	/* The length is already on the device. */
	static const char *const second[] = {
		"upload q", "upload k_new", "upload v_new",
		"launch kv_scatter 2,1,1", "launch kv_scatter 2,1,1",
		"launch flash_decode_chunk 4,1,3", "launch flash_decode_reduce 4,1,1",
		"download out", NULL
	};
	struct fake fake = fake_open();
	struct attention *attention = open_path(&fake, 1);

	OK(step(attention, 0, NULL));
	expect_notes(&fake, first);
	OK(step(attention, 1, NULL));
	expect_notes(&fake, second);
	OK(step(attention, 0, NULL));
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

	OK(step(attention, 0, (const bool[]){ false, true }));
	expect_notes(&fake, wanted);
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 0), 1);
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 1), 0);
	attention_destroy(attention);
}
END_TEST

/* Each allocation fails in turn, in the KV cache (4 buffers) and after it. All buffers are freed,
 * and the error is preserved. */
START_TEST(a_failed_allocation_is_reported)
{
	for (int after = 0; after < 10; after++) {
		struct fake fake = fake_open();
		struct attention *attention;

		fake.allocs_until_failure = after;
		ck_assert_int_eq(create_path(&fake, 1, &attention), STATUS_DEVICE);
		ck_assert_int_eq(error_code(), 2);
		ck_assert_int_eq(strncmp(error_text(), "out of memory for ", 18), 0);
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
	/* Freeing preserves the error. */
	attention_destroy(attention);
	ck_assert_int_eq(error_code(), 700);
	ck_assert_str_eq(error_text(), "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("path");

	tcase_add_test(tests, shared_memory_of_the_device_is_a_limit);
	tcase_add_test(tests, one_sequence_passes_its_position_by_value);
	tcase_add_test(tests, several_sequences_scatter_in_two_launches);
	tcase_add_test(tests, a_failed_allocation_is_reported);
	tcase_add_test(tests, a_failed_launch_advances_no_length);
	return run_suite("path_calls", tests);
}
