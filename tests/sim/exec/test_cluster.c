/* test_cluster.c - clusters of blocks on the simulator: ranks, barriers, shared memory of other
 * blocks, asynchronous stores and copies between them, limits, and what misuse ends with.
 *
 * The kernels are in tests/words.cu. Each runs in order, under seeds and with two jobs.
 */
#include "config.h"

#include "tests/support.h"

#include "tests/words.h"

#include "engine/device.h"

enum { WORDS = 4096 };

/* Seed 0 is the order of the blocks and threads. */
static struct device *open_order(uint64_t seed)
{
	return word_device("sim", seed, seed % 2 ? 2 : 1);
}

static enum status launch(struct device *device, const char *kernel, struct dim3 grid,
			  struct dim3 cluster, unsigned threads, const struct arg *args, int count)
{
	enum status status = device_launch(device, &(struct launch){
		.kernel = word_kernel(kernel), .grid = grid, .cluster = cluster,
		.block = { threads }, .layer = -1, .args = args, .arg_count = count });

	return status == STATUS_OK ? device_sync(device, NULL) : status;
}

#define ARGS(...) (struct arg[]){ __VA_ARGS__ }, \
	(int)(sizeof (struct arg[]){ __VA_ARGS__ } / sizeof(struct arg))
#define DIM(x, y, z) (struct dim3){ x, y, z }

/* Launches a kernel whose first argument is `out`, and reads it. */
static void run(struct device *device, const char *kernel, struct dim3 grid, struct dim3 cluster,
		unsigned threads, const struct arg *more, int32_t out[WORDS])
{
	struct buffer *buffer = word_buffer(device, "out", WORDS, NULL);
	struct arg args[2] = { ARG_BUFFER(buffer), more ? *more : ARG_I32(0) };

	OK(launch(device, kernel, grid, cluster, threads, args, more ? 2 : 1));
	word_read(device, buffer, out);
	OK(device_free(device, buffer));
}

/* --- what kernels see --- */

START_TEST(ranks_count_along_x_then_y_then_z)
{
	static const struct dim3 sizes[] = { { 3, 2, 1 }, { 2, 2, 2 }, { 1, 1, 2 }, { 6, 1, 1 } };
	struct device *device = open_order((uint64_t)_i);
	int32_t out[WORDS];

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		const int w = (int)sizes[i].x, h = (int)sizes[i].y, d = (int)sizes[i].z;

		run(device, "word_cluster_ranks", DIM(6, 4, 2), sizes[i], 32, NULL, out);
		for (int z = 0; z < 2; z++)
			for (int y = 0; y < 4; y++)
				for (int x = 0; x < 6; x++)
					ck_assert_int_eq(out[x + 6 * (y + 4 * z)],
							 100 * w * h * d + x % w
							 + w * (y % h + h * (z % d)));
	}
	run(device, "word_cluster_ranks", DIM(5, 1, 1), DIM(0, 0, 0), 32, NULL, out);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(out[i], 100);
	device_close(device);
}
END_TEST

START_TEST(blocks_write_and_read_each_others_memory)
{
	struct device *device = open_order((uint64_t)_i);
	int32_t out[WORDS];

	run(device, "word_cluster_memory", DIM(12, 1, 1), DIM(4, 1, 1), 32, NULL, out);
	for (int b = 0; b < 12; b++)
		for (int t = 0; t < 32; t++) {
			int before = b / 4 * 4 + (b + 3) % 4;

			ck_assert_int_eq(out[2 * (32 * b + t)], 100 * before + 31 - t);
			ck_assert_int_eq(out[2 * (32 * b + t) + 1], 32 * (1 + 2 + 3 + 4));
		}
	device_close(device);
}
END_TEST

START_TEST(barriers_separate_turns)
{
	struct device *device = open_order((uint64_t)_i);
	const struct arg turns = ARG_I32(9);
	int32_t out[WORDS];

	run(device, "word_cluster_turns", DIM(8, 1, 1), DIM(4, 1, 1), 64, &turns, out);
	for (int b = 0; b < 8; b++)
		ck_assert_int_eq(out[b], 1000 * ((b + 9) % 4) + 9);
	device_close(device);
}
END_TEST

START_TEST(asynchronous_data_lands_at_the_wait)
{
	struct device *device = open_order((uint64_t)_i);
	struct buffer *from;
	int32_t out[WORDS], values[32];
	struct arg arg;

	for (int t = 0; t < 32; t++)
		values[t] = 500 + t;
	from = word_buffer(device, "from", 32, values);
	arg = ARG_BUFFER(from);
	run(device, "word_cluster_async", DIM(6, 1, 1), DIM(3, 1, 1), 32, &arg, out);
	for (int b = 0; b < 6; b++)
		for (int t = 0; t < 32; t++) {
			const int32_t *at = out + 6 * (32 * b + t);
			int rank = (b + 2) % 3, before = b / 3 * 3 + rank;

			ck_assert_uint_eq((uint32_t)at[0], DEVICE_POISON);
			ck_assert_int_eq(at[1], 1000 * rank + t);
			ck_assert_int_eq(at[2], 100 * rank + t);
			ck_assert_int_eq(at[3], 1000 * rank + 700 + t);
			ck_assert_int_eq(at[4], 10 * before + t);
			ck_assert_int_eq(at[5], 500 + t);
		}
	device_close(device);
}
END_TEST

START_TEST(threads_of_all_blocks_arrive)
{
	struct device *device = open_order((uint64_t)_i);
	int32_t out[WORDS];

	run(device, "word_cluster_arrivals", DIM(4, 1, 1), DIM(4, 1, 1), 40, NULL, out);
	ck_assert_int_eq(out[0], 4 * (39 * 40 / 2) + 40 * 100 * (1 + 2 + 3));
	device_close(device);
}
END_TEST

/* --- limits: the driver's codes --- */

static void expect_code(struct dim3 grid, struct dim3 cluster, int allowed, int code)
{
	struct device *device = open_order(0);
	struct buffer *out = word_buffer(device, "out", WORDS, NULL);
	const struct launch_attribute allow = { ATTRIBUTE_NONPORTABLE_CLUSTER, allowed };
	enum status status = device_launch(device, &(struct launch){
		.kernel = word_kernel("word_cluster_ranks"), .grid = grid, .cluster = cluster,
		.block = { 32 }, .layer = -1, .attributes = &allow, .attribute_count = allowed >= 0,
		.args = (struct arg[]){ ARG_BUFFER(out) }, .arg_count = 1 });

	ck_assert_int_eq(status, code ? STATUS_DEVICE : STATUS_OK);
	if (code)
		ck_assert_int_eq(error_code(), code);
	/* a refused launch leaves the device usable */
	OK(launch(device, "word_cluster_ranks", DIM(2, 1, 1), DIM(2, 1, 1), 32,
		  ARGS(ARG_BUFFER(out))));
	device_close(device);
}

START_TEST(sizes_have_limits)
{
	expect_code(DIM(8, 1, 1), DIM(8, 1, 1), -1, 0);
	expect_code(DIM(4, 4, 4), DIM(2, 2, 2), -1, 0);
	expect_code(DIM(9, 1, 1), DIM(9, 1, 1), -1, 912);
	expect_code(DIM(9, 1, 1), DIM(9, 1, 1), 0, 912);
	expect_code(DIM(16, 1, 1), DIM(16, 1, 1), 1, 0);
	expect_code(DIM(17, 1, 1), DIM(17, 1, 1), 1, 912);
	expect_code(DIM(65536, 65535, 1), DIM(65536, 65535, 1), 1, 912);
	expect_code(DIM(8, 1, 1), DIM(3, 1, 1), -1, 912);
	expect_code(DIM(2, 1, 1), DIM(4, 1, 1), -1, 912);
	expect_code(DIM(2, 3, 1), DIM(2, 2, 1), -1, 912);
	expect_code(DIM(2, 1, 3), DIM(2, 1, 2), -1, 912);
}
END_TEST

/* The kernel keeps the attribute for later launches. */
START_TEST(large_clusters_stay_allowed)
{
	struct device *device = open_order(0);
	struct buffer *out = word_buffer(device, "out", WORDS, NULL);
	struct launch_attribute allow = { ATTRIBUTE_NONPORTABLE_CLUSTER, 1 };
	struct launch large = {
		.kernel = word_kernel("word_cluster_ranks"), .grid = { 12 }, .cluster = { 12 },
		.block = { 32 }, .layer = -1, .attributes = &allow, .attribute_count = 1,
		.args = (struct arg[]){ ARG_BUFFER(out) }, .arg_count = 1 };

	OK(device_launch(device, &large));
	large.attribute_count = 0;
	OK(device_launch(device, &large));
	allow.value = 0;
	large.attribute_count = 1;
	ck_assert_int_eq(device_launch(device, &large), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 912);
	device_close(device);
}
END_TEST

/* --- misuse --- */

static const struct { int code; const char *part; } misuses[] = {
	{ 0, "" },
	{ 719, "rank 2 in a cluster of 2 blocks" },
	{ 700, "is not in the shared memory of the cluster" },
	{ 719, "a second arrival at the barrier of a cluster without a wait" },
	{ 719, "a wait at the barrier of a cluster without an arrival" },
	{ 719, "access to the shared memory of a block that has exited" },
	{ 719, "a block of a cluster exited while a bulk copy had yet to read its shared memory" },
	{ 702, "deadlock in fail_cluster" },
	{ 719, "access past the end of another block's shared memory" },
	{ 700, "illegal address" },
};
enum { MISUSES = sizeof misuses / sizeof misuses[0] };

START_TEST(misuse_ends_the_launch)
{
	struct device *device = open_order((uint64_t)(_i / MISUSES));
	struct buffer *out = word_buffer(device, "out", WORDS, NULL);
	int how = _i % MISUSES;
	enum status status = launch(device, "fail_cluster", DIM(2, 1, 1), DIM(2, 1, 1), 32,
				    ARGS(ARG_BUFFER(out), ARG_I32(how)));

	ck_assert_int_eq(status, misuses[how].code ? STATUS_DEVICE : STATUS_OK);
	if (misuses[how].code) {
		ck_assert_int_eq(error_code(), misuses[how].code);
		ck_assert_msg(strstr(error_text(), misuses[how].part) != NULL,
			      "misuse %d: expected \"%s\", got \"%s\"", how, misuses[how].part,
			      error_text());
	}
	device_close(device);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("cluster");
	enum { SEEDS = 6 };

	tcase_add_loop_test(tests, ranks_count_along_x_then_y_then_z, 0, SEEDS);
	tcase_add_loop_test(tests, blocks_write_and_read_each_others_memory, 0, SEEDS);
	tcase_add_loop_test(tests, barriers_separate_turns, 0, SEEDS);
	tcase_add_loop_test(tests, asynchronous_data_lands_at_the_wait, 0, SEEDS);
	tcase_add_loop_test(tests, threads_of_all_blocks_arrive, 0, SEEDS);
	tcase_add_test(tests, sizes_have_limits);
	tcase_add_test(tests, large_clusters_stay_allowed);
	tcase_add_loop_test(tests, misuse_ends_the_launch, 0, 2 * MISUSES);
	return run_suite("cluster", tests);
}
