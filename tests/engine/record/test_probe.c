/* test_probe.c - engine/record/probe.c on a fake device whose memory is a few arrays.
 *
 * The fake device counts allocations and downloaded bytes, so these are checked too. Points of real
 * kernels are compared between devices in test_twin.c.
 */
#include "config.h"

#include "tests/support.h"

#include <stdint.h>

#include "engine/record/probe.h"
#include "kernels/points.h"
#include "traces/row.h"

/* --- the fake device --- */

struct fake {
	struct device base;
	int allocs, frees;
	size_t downloaded;
	const struct buffer *records, *counts;
	unsigned capacity;
};

static enum status fake_alloc(struct device *device, const struct buffer_spec *spec,
			      struct buffer **out)
{
	struct buffer *b = calloc(1, sizeof *b);

	ck_assert_ptr_nonnull(b);
	b->device = device;
	b->bytes = (size_t)spec->shape[0] * dtype_bytes(spec->dtype);
	b->address = (uintptr_t)malloc(b->bytes);
	ck_assert_uint_ne(b->address, 0);
	memset((void *)(uintptr_t)b->address, 0xa5, b->bytes);
	((struct fake *)device)->allocs++;
	*out = b;
	return STATUS_OK;
}

static enum status fake_free(struct device *device, struct buffer *b)
{
	if (!b)
		return STATUS_OK;
	((struct fake *)device)->frees++;
	free((void *)(uintptr_t)b->address);
	free(b);
	return STATUS_OK;
}

static enum status fake_fill(struct device *device, struct stream *stream, struct buffer *b,
			     uint64_t offset, uint32_t pattern, size_t words)
{
	(void)device, (void)stream;
	ck_assert_uint_eq(pattern, 0);
	memset((char *)(uintptr_t)b->address + offset, 0, 4 * words);
	return STATUS_OK;
}

static enum status fake_download(struct device *device, struct stream *stream,
				 const struct buffer *b, uint64_t offset, void *to, size_t bytes)
{
	(void)stream;
	((struct fake *)device)->downloaded += bytes;
	memcpy(to, (const char *)(uintptr_t)b->address + offset, bytes);
	return STATUS_OK;
}

static enum status fake_sync(struct device *device, struct stream *stream)
{
	(void)device, (void)stream;
	return STATUS_OK;
}

static enum status fake_set_points(struct device *device, const struct buffer *records,
				   const struct buffer *counts, unsigned capacity)
{
	struct fake *fake = (struct fake *)device;

	fake->records = records;
	fake->counts = counts;
	fake->capacity = capacity;
	return STATUS_OK;
}

static const struct device_ops fake_ops = {
	.name = "fake", .alloc = fake_alloc, .free = fake_free, .fill = fake_fill,
	.download = fake_download, .sync = fake_sync, .set_points = fake_set_points,
};

/* Does what POINT does in a kernel. */
static void pass_point(struct fake *fake, unsigned thread, int id, int count, float a, float b)
{
	unsigned *counts = (unsigned *)(uintptr_t)fake->counts->address;
	struct point_record *records = (struct point_record *)(uintptr_t)fake->records->address;
	unsigned at = counts[thread]++;

	if (at < fake->capacity)
		records[thread * (size_t)fake->capacity + at] = (struct point_record){
			.head = (unsigned)count << 16 | (unsigned)id, .value = { a, b },
		};
}

/* --- fixture --- */

static struct fake fake;
static struct probe *probe;
static unsigned points_per_thread;
static struct row_point *points;
static size_t count;
static uint64_t dropped;

static unsigned kernel_points(const struct kernel_call *call)
{
	(void)call;
	return points_per_thread;
}

static const struct kernel with_points = { .name = "with_points", .points = kernel_points };
static const struct kernel without_points = { .name = "without_points" };

static void setup(void)
{
	fake = (struct fake){ .base.ops = &fake_ops };
	probe = probe_new(&fake.base);
	points = NULL;
}

static void teardown(void)
{
	free(points);
	probe_free(probe);
	ck_assert_int_eq(fake.allocs, fake.frees);
}

static enum status prepare(unsigned blocks, unsigned threads, unsigned capacity, bool *active)
{
	struct kernel_call call = { .grid = { blocks, 1, 1 }, .block = { threads, 1, 1 } };

	points_per_thread = capacity;
	return probe_prepare(probe, &with_points, &call, active);
}

static void prepare_ok(unsigned blocks, unsigned threads, unsigned capacity)
{
	bool active;

	ck_assert_int_eq(prepare(blocks, threads, capacity, &active), STATUS_OK);
	ck_assert(active);
}

static void collect_ok(const char *filter)
{
	free(points);
	ck_assert_int_eq(probe_collect(probe, filter, &points, &count, &dropped), STATUS_OK);
}

/* --- tests --- */

START_TEST(kernel_without_points_is_not_probed)
{
	struct kernel_call call = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 } };
	bool active = true;

	ck_assert_int_eq(probe_prepare(probe, &without_points, &call, &active), STATUS_OK);
	ck_assert(!active);
	ck_assert_int_eq(fake.allocs, 0);
	ck_assert_ptr_null(fake.records);
}
END_TEST

START_TEST(points_come_in_order)
{
	prepare_ok(2, 32, 4);
	pass_point(&fake, 33, POINT_score, 2, 1.5f, 0.25f);     /* block 1, thread 1 */
	pass_point(&fake, 5, POINT_reduce, 1, -2.0f, 0.0f);
	pass_point(&fake, 33, POINT_softmax, 2, 3.0f, 4.0f);
	collect_ok(NULL);

	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(dropped, 0);
	ck_assert_uint_eq(points[0].block, 0);
	ck_assert_uint_eq(points[0].thread, 5);
	ck_assert_str_eq(points[0].name, "reduce");
	ck_assert_int_eq(points[0].count, 1);
	ck_assert_uint_eq(points[0].bits[0], 0xc0000000);
	ck_assert_uint_eq(points[1].block, 1);
	ck_assert_uint_eq(points[1].thread, 1);
	ck_assert_uint_eq(points[1].sequence, 0);
	ck_assert_str_eq(points[1].name, "score");
	ck_assert_uint_eq(points[1].bits[1], 0x3e800000);
	ck_assert_uint_eq(points[2].sequence, 1);
	ck_assert_str_eq(points[2].name, "softmax");
}
END_TEST

START_TEST(filter_keeps_sequence_numbers)
{
	prepare_ok(1, 1, 4);
	pass_point(&fake, 0, POINT_score, 1, 1.0f, 0.0f);
	pass_point(&fake, 0, POINT_softmax, 1, 2.0f, 0.0f);
	pass_point(&fake, 0, POINT_reduce, 1, 3.0f, 0.0f);
	collect_ok("reduce,softmax");
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(points[0].sequence, 1);
	ck_assert_uint_eq(points[1].sequence, 2);
}
END_TEST

START_TEST(unknown_filter_lists_known_points)
{
	ck_assert_int_eq(probe_check_filter(NULL), STATUS_OK);
	ck_assert_int_eq(probe_check_filter("score,softmax"), STATUS_OK);
	ck_assert_int_eq(probe_check_filter("score,max"), STATUS_USAGE);
	ck_assert_ptr_nonnull(strstr(error_text(), "'max'"));
	ck_assert_ptr_nonnull(strstr(error_text(), "softmax"));
	ck_assert_int_eq(probe_check_filter(""), STATUS_USAGE);
	ck_assert_int_eq(probe_check_filter("score,"), STATUS_USAGE);
}
END_TEST

START_TEST(overflow_is_counted)
{
	prepare_ok(1, 2, 2);
	for (int i = 0; i < 5; i++)
		pass_point(&fake, 0, POINT_score, 1, (float)i, 0.0f);
	pass_point(&fake, 1, POINT_score, 1, 9.0f, 0.0f);
	collect_ok(NULL);
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(dropped, 3);
}
END_TEST

START_TEST(buffers_grow_only_and_counts_start_at_zero)
{
	prepare_ok(4, 32, 8);
	ck_assert_int_eq(fake.allocs, 2);
	pass_point(&fake, 3, POINT_score, 1, 1.0f, 0.0f);
	prepare_ok(1, 32, 2);
	ck_assert_int_eq(fake.allocs, 2);
	collect_ok(NULL);
	ck_assert_uint_eq(count, 0);
	ck_assert_ptr_null(points);
	prepare_ok(8, 32, 8);
	ck_assert_int_eq(fake.allocs, 4);
	ck_assert_int_eq(fake.frees, 2);
}
END_TEST

START_TEST(empty_regions_are_not_read)
{
	const unsigned blocks = 1000, capacity = 64;
	size_t region = capacity * sizeof(struct point_record);

	prepare_ok(blocks, 32, capacity);
	pass_point(&fake, 0, POINT_score, 1, 1.0f, 0.0f);
	pass_point(&fake, 2, POINT_score, 1, 2.0f, 0.0f);       /* close by: one download */
	pass_point(&fake, 31999, POINT_score, 1, 3.0f, 0.0f);
	collect_ok(NULL);
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(points[2].bits[0], 0x40400000);
	/* All counts, four regions, and the word whose download waits for the fill. */
	ck_assert_uint_eq(fake.downloaded, 32001 * sizeof(unsigned) + 4 * region);
}
END_TEST

START_TEST(too_large_a_launch_is_refused_with_its_size)
{
	bool active = true;

	ck_assert_int_eq(prepare(1u << 20, 1024, 16, &active), STATUS_USAGE);
	ck_assert(!active);
	ck_assert_ptr_nonnull(strstr(error_text(), "1048576 blocks of 1024 threads"));
	ck_assert_ptr_nonnull(strstr(error_text(), "2147483648"));
	ck_assert_int_eq(fake.allocs, 0);
	/* Sizes that overflow 64 bits are too large as well. */
	ck_assert_int_eq(prepare(UINT32_MAX, UINT32_MAX, UINT32_MAX, &active), STATUS_USAGE);
}
END_TEST

START_TEST(an_invalid_record_is_an_internal_error)
{
	prepare_ok(1, 1, 1);
	pass_point(&fake, 0, POINT_COUNT, 1, 0.0f, 0.0f);
	ck_assert_int_eq(probe_collect(probe, NULL, &points, &count, &dropped), STATUS_INTERNAL);
	ck_assert_ptr_null(points);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("probe");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, kernel_without_points_is_not_probed);
	tcase_add_test(tests, points_come_in_order);
	tcase_add_test(tests, filter_keeps_sequence_numbers);
	tcase_add_test(tests, unknown_filter_lists_known_points);
	tcase_add_test(tests, overflow_is_counted);
	tcase_add_test(tests, buffers_grow_only_and_counts_start_at_zero);
	tcase_add_test(tests, empty_regions_are_not_read);
	tcase_add_test(tests, too_large_a_launch_is_refused_with_its_size);
	tcase_add_test(tests, an_invalid_record_is_an_internal_error);
	return run_suite("probe", tests);
}
