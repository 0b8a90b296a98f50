/* test_sim.c - the simulator: CUDA built-ins, orders, jobs, limits, faults and deadlocks.
 *
 * Expected values are computed here lane by lane from the PTX and CUDA documentation, without the
 * simulator's code; tests/engine/cuda/test_cuda.c runs the same cases on a GPU.
 */
#include "config.h"

#include "tests/support.h"

#include "base/xalloc.h"
#include "tests/words.h"

#define ARGS(...) (const struct arg[]){ __VA_ARGS__ }, \
	(int)(sizeof((const struct arg[]){ __VA_ARGS__ }) / sizeof(struct arg))
#define DIM(x, y, z) ((struct dim3){ x, y, z })

static uint32_t *case_named(struct device *device, const char *name)
{
	const char *found;
	uint32_t *out;
	size_t count;

	for (int i = 0; (found = word_case(device, i, &out, &count)); i++) {
		if (strcmp(found, name) == 0)
			return out;
		free(out);
	}
	ck_abort_msg("no case %s", name);
}

#define WITH_CASE(name, out) \
	struct device *device = word_device("sim", 0, 1); \
	uint32_t *out = case_named(device, name)
#define END_CASE(out) \
	free(out); \
	device_close(device)

START_TEST(indices_cover_the_grid)
{
	WITH_CASE("indices", out);
	for (unsigned block = 0; block < 24; block++)
		for (unsigned thread = 0; thread < 30; thread++)
			ck_assert_uint_eq(out[30 * block + thread],
					  32000000 + 1000 * block + thread);
	END_CASE(out);
}
END_TEST

/* Checks one case of shuffles for every lane, as the CUDA programming guide defines them. */
static void expect_shuffles(const uint32_t *out, uint32_t mask, int by, int width)
{
	for (int lane = 0; lane < 32; lane++) {
		int base = lane / width * width;
		int idx = base + by % width;
		int up = lane - by % 32 >= base ? lane - by % 32 : lane;
		int down = lane + by % 32 < base + width ? lane + by % 32 : lane;
		int across = (lane ^ (by % 32)) < base + width ? lane ^ (by % 32) : lane;
		float half = 0.5f * (float)across;
		uint32_t bits;

		if (!(mask >> lane & 1)) {
			ck_assert_uint_eq(out[8 * lane], DEVICE_POISON);
			continue;
		}
		memcpy(&bits, &half, 4);
		if (mask >> idx & 1) {
			ck_assert_int_eq((int)out[8 * lane], 100 + idx);
			ck_assert_uint_eq(out[8 * lane + 5],
					  (uint32_t)((1000000000000ll + idx) >> 32));
			ck_assert_uint_eq(out[8 * lane + 6], (uint32_t)(1000000000000ll + idx));
			ck_assert_int_eq((int)out[8 * lane + 7], 250 * idx);
		}
		if (mask >> up & 1)
			ck_assert_int_eq((int)out[8 * lane + 1], 100 + up);
		if (mask >> down & 1)
			ck_assert_int_eq((int)out[8 * lane + 2], 100 + down);
		if (mask >> across & 1) {
			ck_assert_int_eq((int)out[8 * lane + 3], 100 + across);
			ck_assert_uint_eq(out[8 * lane + 4], bits);
		}
	}
}

START_TEST(shuffles_follow_the_programming_guide)
{
	static const struct { uint32_t mask; int by, width; } in[] = {
		{ 0xffffffffu, 0, 32 }, { 0xffffffffu, 5, 32 }, { 0xffffffffu, 31, 32 },
		{ 0xffffffffu, 16, 32 }, { 0xffffffffu, 3, 16 }, { 0xffffffffu, 9, 8 },
		{ 0xffffffffu, 1, 4 }, { 0xffffffffu, 1, 2 }, { 0xffffffffu, 7, 1 },
		{ 0xffffffffu, 17, 16 }, { 0x0000ffffu, 2, 16 }, { 0xff00ff00u, 1, 8 },
		{ 0x0000000fu, 1, 4 }, { 0xffffffffu, 40, 32 },
	};
	WITH_CASE("shuffles", out);
	for (size_t i = 0; i < sizeof in / sizeof in[0]; i++)
		expect_shuffles(out + 256 * i, in[i].mask, in[i].by, in[i].width);
	END_CASE(out);
}
END_TEST

START_TEST(votes_and_matches)
{
	static const unsigned masks[] = { 0xffffffffu, 0x0000ffffu, 0xfffffffeu, 0x80000001u,
					  0x000000f0u };
	static const unsigned yes[] = { 0xffffffffu, 0, 0xf0f0f0f0u, 1u };

	WITH_CASE("votes", out);
	for (unsigned i = 0; i < 20; i++)
		for (unsigned lane = 0; lane < 32; lane++) {
			const uint32_t *mine = out + 256 * i + 8 * lane;
			unsigned mask = masks[i % 5], voted = yes[i / 5] & mask, same = 0;

			if (!(mask >> lane & 1))
				continue;
			for (unsigned other = lane % 3; other < 32; other += 3)
				same |= 1u << other;
			ck_assert_uint_eq(mine[0], voted == mask);
			ck_assert_uint_eq(mine[1], voted != 0);
			ck_assert_uint_eq(mine[2], voted);
			ck_assert_uint_eq(mine[3], same & mask);
			ck_assert_uint_eq(mine[4], mask);
			ck_assert_uint_eq(mine[5], 1);
			ck_assert_uint_eq(mine[6], (mask & (mask - 1)) == 0 ? mask : 0);
			ck_assert_uint_eq(mine[7], (mask & (mask - 1)) == 0);
		}
	END_CASE(out);
}
END_TEST

START_TEST(warp_reductions)
{
	WITH_CASE("reductions", out);
	/* all lanes: sum of lane - 7; signed and unsigned extremes of 5 - lane */
	ck_assert_int_eq((int)out[0], 31 * 16 - 7 * 32);
	ck_assert_int_eq((int)out[1], -26);
	ck_assert_int_eq((int)out[2], 5);
	ck_assert_uint_eq(out[3], 0);
	ck_assert_uint_eq(out[4], 0xffffffffu);
	ck_assert_uint_eq(out[5], 0xff00u);
	ck_assert_uint_eq(out[6], 31u << 8);
	/* lanes 4 to 7 only */
	ck_assert_int_eq((int)out[4 * 256 + 8 * 4], 22 - 28);
	ck_assert_int_eq((int)out[4 * 256 + 8 * 7 + 1], -2);
	ck_assert_uint_eq(out[4 * 256 + 8 * 5 + 5], 0xff04u);
	END_CASE(out);
}
END_TEST

/* Shuffles with lanes 16, 8, 4, 2 and 1 away, in x: what each lane has at the end. */
static void shuffle_and_combine(float *x, bool sum)
{
	for (int step = 16; step > 0; step /= 2) {
		float from[32];

		memcpy(from, x, sizeof from);
		for (int lane = 0; lane < 32; lane++) {
			float other = from[lane ^ step];

			if (sum)
				x[lane] = from[lane] + other;
			else if (isnan(from[lane]) || other > from[lane]
				 || (other == from[lane] && signbit(from[lane])))
				x[lane] = other;
		}
	}
}

static void expect_float(float is, float expected, int number, int lane)
{
	if (isnan(expected))
		ck_assert_msg(isnan(is), "case %d, lane %d: %g is no NaN", number, lane, is);
	else
		ck_assert_msg(memcmp(&is, &expected, sizeof is) == 0,
			      "case %d, lane %d: %a, not %a", number, lane, is, expected);
}

START_TEST(butterflies)
{
	WITH_CASE("butterflies", out);
	const float *is = (const float *)out;

	for (int i = 0; i < BUTTERFLY_CASES; i++, is += 64) {
		float max[32], sum[32];

		for (int lane = 0; lane < 32; lane++)
			max[lane] = sum[lane] = butterfly_value(i, lane);
		shuffle_and_combine(max, false);
		shuffle_and_combine(sum, true);
		for (int lane = 0; lane < 32; lane++) {
			expect_float(is[2 * lane], max[lane], i, lane);
			expect_float(is[2 * lane + 1], sum[lane], i, lane);
		}
	}
	END_CASE(out);
}
END_TEST

START_TEST(parts_of_a_warp_meet_separately)
{
	WITH_CASE("subwarps", out);
	for (int lane = 0; lane < 32; lane++) {
		int want = lane % 2 == 0 ? 4 + (lane ^ 2) : lane ^ 2;

		ck_assert_int_eq((int)out[lane], want);
		ck_assert_int_eq((int)out[32 + 31 - lane], want);
	}
	END_CASE(out);
}
END_TEST

START_TEST(static_shared_variables)
{
	WITH_CASE("static shared", out);
	for (int block = 0; block < 3; block++) {
		int total = 0;

		for (int t = 0; t < 256; t++)
			total += (256 * block + t) * (256 * block + t) % 1009;
		for (int t = 0; t < 256; t++)
			ck_assert_int_eq((int)out[256 * block + t],
					 total + 2 * (t % 4) + t / 4 % 2 + 1024);
	}
	END_CASE(out);
}
END_TEST

START_TEST(dynamic_shared_memory)
{
	WITH_CASE("dynamic shared", out);
	for (int i = 0; i < 4 * 70; i++)
		ck_assert_int_eq((int)out[i], 7 * (69 - i % 70) + 10000 * (i / 70));
	END_CASE(out);
}
END_TEST

START_TEST(block_votes)
{
	WITH_CASE("block votes", out);
	for (int t = 0; t < 64; t++) {
		ck_assert_uint_eq(out[4 * t], 22);
		ck_assert_uint_eq(out[4 * t + 1], 1);
		ck_assert_uint_eq(out[4 * t + 2], 0);
		ck_assert_uint_eq(out[4 * t + 3], 1);
	}
	END_CASE(out);
}
END_TEST

START_TEST(exited_threads_are_not_waited_for)
{
	WITH_CASE("early exit", out);
	for (int t = 0; t < 128; t++)
		if (t % 32 >= 20 || t / 32 == 2)
			ck_assert_int_eq((int)out[t], -1);
		else
			ck_assert_int_eq((int)out[t], 60 + (t % 32 < 19 ? 1000 * (t + 1) : 0));
	END_CASE(out);
}
END_TEST

START_TEST(atomics_are_atomic)
{
	WITH_CASE("atomics", out);
	float sum;
	uint32_t ors = 0, xors = 0;

	for (int t = 0; t < 128; t++) {
		ors |= 1u << t % 31;
		xors ^= (uint32_t)t;
	}
	memcpy(&sum, &out[8], 4);
	ck_assert_int_eq((int)out[0], 127 * 64);
	ck_assert_int_eq((int)out[1], 127);
	ck_assert_int_eq((int)out[2], -127);
	ck_assert_uint_eq(out[3], ors);
	ck_assert_uint_eq(out[4], xors);
	ck_assert_int_eq((int)out[5], -256);
	ck_assert_uint_eq(out[6], 0xc0000000u);
	ck_assert_float_eq(sum, 64.0f);
	ck_assert_uint_eq(out[10], 128 % 10);   /* atomicInc wraps past 9 */
	ck_assert_uint_eq(out[11], (10 - 128 % 10) % 10);
	ck_assert_uint_eq(out[13], 128);
	END_CASE(out);
}
END_TEST

START_TEST(blocks_that_wait_for_each_other_finish)
{
	WITH_CASE("flags", out);
	for (uint32_t b = 0; b < 16; b++)
		ck_assert_uint_eq(out[16 + b], 16 - b);
	END_CASE(out);
}
END_TEST

START_TEST(blobs_and_pointer_tables)
{
	WITH_CASE("by value", out);
	uint32_t *table = case_named(device, "pointer table");

	for (int t = 0; t < 32; t++) {
		ck_assert_int_eq((int)out[t], (int)(2.5 * 11 * t) + 3 + 1000 - 50 + 200);
		ck_assert_int_eq((int)table[t], t % 5 ? 900 + 2 * t : -1);
	}
	free(table);
	END_CASE(out);
}
END_TEST

/* Every case under many seeds and with several jobs: no kernel has a race, so no bit may change. */
START_TEST(orders_do_not_change_results)
{
	struct device *plain = word_device("sim", 0, 1), *other;
	uint32_t *want, *got;
	size_t count, other_count;

	for (int i = 0; word_case(plain, i, &want, &count); i++) {
		for (uint64_t seed = 1; seed <= 10; seed++) {
			other = word_device("sim", seed, seed % 2 ? 1 : 2);
			word_case(other, i, &got, &other_count);
			ck_assert_uint_eq(count, other_count);
			ck_assert_mem_eq(got, want, 4 * count);
			free(got);
			device_close(other);
		}
		free(want);
	}
	device_close(plain);
}
END_TEST

/* --- limits: the driver's codes --- */

static void expect_code(const char *kernel, struct dim3 grid, struct dim3 block, unsigned shared,
			int code)
{
	struct device *device = word_device("sim", 0, 1);
	struct buffer *out = word_buffer(device, "out", 4096, NULL);
	enum status status = word_launch(device, kernel, grid, block, shared,
					 ARGS(ARG_BUFFER(out)));

	ck_assert_int_eq(status, code ? STATUS_DEVICE : STATUS_OK);
	if (code)
		ck_assert_int_eq(error_code(), code);
	/* a refused launch leaves the device usable */
	ck_assert_int_eq(word_launch(device, "word_bounded", DIM(1, 1, 1), DIM(32, 1, 1), 0,
				     ARGS(ARG_BUFFER(out))), STATUS_OK);
	device_close(device);
}

START_TEST(launch_limits)
{
	expect_code("word_bounded", DIM(1, 1, 1), DIM(64, 1, 1), 0, 0);
	expect_code("word_bounded", DIM(1, 1, 1), DIM(65, 1, 1), 0, 1);
	expect_code("word_bounded", DIM(0, 1, 1), DIM(32, 1, 1), 0, 1);
	expect_code("word_bounded", DIM(1, 65536, 1), DIM(32, 1, 1), 0, 1);
	expect_code("word_bounded", DIM(1, 1, 65536), DIM(32, 1, 1), 0, 1);
	expect_code("word_bounded", DIM(1, 1, 1), DIM(0, 1, 1), 0, 1);
	expect_code("word_bounded", DIM(1, 1, 1), DIM(1, 1, 65), 0, 1);
	expect_code("word_subwarps", DIM(1, 1, 1), DIM(1025, 1, 1), 0, 1);
	expect_code("word_bounded", DIM(1, 1, 1), DIM(32, 1, 1), 48 << 10, 0);
	expect_code("word_bounded", DIM(1, 1, 1), DIM(32, 1, 1), (48 << 10) + 1, 1);
	/* its 4 static bytes count too */
	expect_code("word_dynamic_shared", DIM(1, 1, 1), DIM(32, 1, 1), 48 << 10, 1);
}
END_TEST

START_TEST(dynamic_shared_above_48_kib_needs_the_attribute)
{
	struct device *device = word_device("sim", 0, 1);
	struct buffer *out = word_buffer(device, "out", 4096, NULL);
	struct launch_attribute attribute = { ATTRIBUTE_MAX_DYNAMIC_SHARED, 100 << 10 };
	struct arg args[] = { ARG_BUFFER(out) };
	struct launch launch = {
		.kernel = word_kernel("word_dynamic_shared"), .grid = { 1, 1, 1 },
		.block = { 32, 1, 1 }, .shared_bytes = 100 << 10, .args = args, .arg_count = 1,
		.attributes = &attribute, .attribute_count = 1,
	};

	ck_assert_int_eq(device_launch(device, &launch), STATUS_OK);
	launch.attribute_count = 0;             /* the attribute stays with the kernel */
	ck_assert_int_eq(device_launch(device, &launch), STATUS_OK);
	attribute.value = 1 << 10;              /* it is a limit below 48 KiB too */
	launch.attribute_count = 1;
	launch.shared_bytes = (1 << 10) + 1;
	ck_assert_int_eq(device_launch(device, &launch), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 1);
	launch.shared_bytes--;
	ck_assert_int_eq(device_launch(device, &launch), STATUS_OK);
	attribute.value = 228 << 10;
	ck_assert_int_eq(device_launch(device, &launch), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 1);
	device_close(device);
}
END_TEST

/* --- failures inside kernels --- */

/* Launches a kernel that must fail with `code`; the message must contain `text`, and the error must
 * stick. The kernel's first argument is a buffer of 64 words, or null. */
static void expect_failure(int jobs, const char *kernel, bool null, int index, int code,
			   const char *text)
{
	struct device *device = word_device("sim", 0, jobs);
	struct buffer *out = word_buffer(device, "out", 64, (int[64]){ 0 });
	struct arg args[] = { ARG_BUFFER(null ? NULL : out), ARG_I32(index) };
	bool two = strcmp(kernel, "fail_store") == 0 || strcmp(kernel, "fail_stack") == 0;
	int word;

	ck_assert_int_eq(word_launch(device, kernel, DIM(8, 1, 1), DIM(32, 1, 1), 0, args,
				     two ? 2 : 1), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), code);
	ck_assert_msg(strstr(error_text(), text), "'%s' is not in: %s", text, error_text());
	ck_assert_int_eq(device_download(device, NULL, out, 0, &word, 4), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), code);
	device_close(device);
	/* the next device is not affected */
	device = word_device("sim", 0, 1);
	out = word_buffer(device, "out", 64, NULL);
	ck_assert_int_eq(word_launch(device, "word_subwarps", DIM(1, 1, 1), DIM(32, 1, 1), 0,
				     ARGS(ARG_BUFFER(out))), STATUS_OK);
	device_close(device);
}

START_TEST(a_wild_store_is_error_700)
{
	/* through a null pointer, just past the end of a buffer, before its beginning */
	expect_failure(1, "fail_store", true, 5, 700, "fail_store, block (2,0,0) thread (3,0,0)");
	expect_failure(1, "fail_store", false, 64, 700, "illegal address");
	expect_failure(1, "fail_store", false, -1200, 700, "illegal address");
	expect_failure(2, "fail_store", true, 5, 700, "fail_store, block (2,0,0) thread (3,0,0)");
}
END_TEST

START_TEST(the_line_of_a_fault_is_named)
{
	expect_failure(1, "fail_store", true, 5, 700, "words.cu:");
}
END_TEST

START_TEST(a_trap_is_error_719)
{
	expect_failure(1, "fail_trap", false, 0, 719,
		       "__trap() in fail_trap, block (0,0,0) thread (5,0,0)");
}
END_TEST

START_TEST(endless_recursion_is_a_stack_overflow)
{
	expect_failure(1, "fail_stack", false, 100000, 700, "stack overflow");
}
END_TEST

START_TEST(a_deadlock_names_lanes_and_lines)
{
	expect_failure(1, "fail_deadlock", false, 0, 702, "lanes 0-15 wait at __shfl_xor_sync");
	expect_failure(1, "fail_deadlock", false, 0, 702, "lanes 16-31 wait at __syncthreads");
}
END_TEST

/* --- memory --- */

START_TEST(memory_starts_as_poison)
{
	struct device *device = word_device("sim", 0, 1);
	struct buffer *out = word_buffer(device, "out", 1000, NULL);
	uint32_t words[1000];

	word_read(device, out, words);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(words[i], DEVICE_POISON);
	device_close(device);
}
END_TEST

START_TEST(memory_runs_out_with_error_2)
{
	struct device *device = word_device("sim", 0, 1);
	struct buffer_spec spec = {
		.name = "all", .dtype = DTYPE_U8, .rank = 1, .shape = { 1ll << 41 },
	};
	struct buffer *buffer = word_buffer(device, "out", 64, NULL);

	ck_assert_int_eq(device_alloc(device, &spec, &buffer), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 2);
	ck_assert_msg(strstr(error_text(), "2199023255552"), "%s", error_text());
	ck_assert_int_eq(device_free(device, buffer), STATUS_OK);
	device_close(device);
}
END_TEST

START_TEST(unwritten_shared_memory_is_poison)
{
	struct device *device = word_device("sim", 0, 1);
	struct buffer *out = word_buffer(device, "out", 64, NULL);
	uint32_t words[64];

	/* 40 threads write word t and read word 39 - t; the other words keep their first value */
	ck_assert_int_eq(word_launch(device, "word_dynamic_shared", DIM(1, 1, 1), DIM(40, 1, 1),
				     160, ARGS(ARG_BUFFER(out))), STATUS_OK);
	word_read(device, out, words);
	ck_assert_uint_eq(words[0], 7 * 39);
	ck_assert_uint_eq(words[40], DEVICE_POISON);
	device_close(device);
}
END_TEST

START_TEST(buffers_of_another_device_are_refused)
{
	struct device *one = word_device("sim", 0, 1), *two = word_device("sim", 0, 1);
	struct buffer *out = word_buffer(one, "out", 64, NULL);

	ck_assert_int_eq(word_launch(two, "word_subwarps", DIM(1, 1, 1), DIM(32, 1, 1), 0,
				     ARGS(ARG_BUFFER(out))), STATUS_USAGE);
	device_close(one);
	device_close(two);
}
END_TEST

int main(void)
{
	TCase *builtins = tcase_create("builtins"), *limits = tcase_create("limits");
	TCase *failures = tcase_create("failures"), *memory = tcase_create("memory");

	tcase_add_test(builtins, indices_cover_the_grid);
	tcase_add_test(builtins, shuffles_follow_the_programming_guide);
	tcase_add_test(builtins, votes_and_matches);
	tcase_add_test(builtins, warp_reductions);
	tcase_add_test(builtins, butterflies);
	tcase_add_test(builtins, parts_of_a_warp_meet_separately);
	tcase_add_test(builtins, static_shared_variables);
	tcase_add_test(builtins, dynamic_shared_memory);
	tcase_add_test(builtins, block_votes);
	tcase_add_test(builtins, exited_threads_are_not_waited_for);
	tcase_add_test(builtins, atomics_are_atomic);
	tcase_add_test(builtins, blocks_that_wait_for_each_other_finish);
	tcase_add_test(builtins, blobs_and_pointer_tables);
	tcase_add_test(builtins, orders_do_not_change_results);
	tcase_add_test(limits, launch_limits);
	tcase_add_test(limits, dynamic_shared_above_48_kib_needs_the_attribute);
	tcase_add_test(failures, a_wild_store_is_error_700);
	tcase_add_test(failures, the_line_of_a_fault_is_named);
	tcase_add_test(failures, a_trap_is_error_719);
	tcase_add_test(failures, endless_recursion_is_a_stack_overflow);
	tcase_add_test(failures, a_deadlock_names_lanes_and_lines);
	tcase_add_test(memory, memory_starts_as_poison);
	tcase_add_test(memory, memory_runs_out_with_error_2);
	tcase_add_test(memory, unwritten_shared_memory_is_poison);
	tcase_add_test(memory, buffers_of_another_device_are_refused);
	return run_suites("sim", (TCase *[]){ builtins, limits, failures, memory }, 4);
}
