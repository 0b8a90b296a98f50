/* test_check_limits.c - the checker with few addresses: gaps, reuse, too little memory.
 *
 * Every test lowers RLIMIT_AS to a little more than what the process uses. Skipped where a
 * sanitizer or valgrind needs addresses itself. tests/sim/check/test_limits.sh tests the commands.
 */
#include "config.h"

#include "tests/support.h"

#include <sys/resource.h>
#include <unistd.h>
#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "engine/device.h"
#include "tests/checker/corpus.h"
#include "traces/row.h"

static struct rlimit before;

/* Leaves so many MiB of addresses. */
static void limit_addresses(size_t mebibytes)
{
	FILE *file = fopen("/proc/self/statm", "r");
	struct rlimit limit;
	unsigned long pages;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + (mebibytes << 20);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

static struct device *open_limited(size_t mebibytes, uint64_t seed)
{
	const struct device_options options = { .check = true, .seed = seed };
	struct device *device;

	limit_addresses(mebibytes);
	OK(device_open("sim", &options, &device));
	ck_assert_ptr_nonnull(device_spacing(device));
	return device;
}

static void close_limited(struct device *device)
{
	device_close(device);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
}

static const struct corpus_case *case_named(const char *name)
{
	for (int i = 0; i < corpus_count; i++)
		if (strcmp(corpus_cases[i].name, name) == 0)
			return &corpus_cases[i];
	ck_abort_msg("no kernel %s in the corpus", name);
}

START_TEST(too_few_addresses_are_an_error)
{
	const struct device_options options = { .check = true };
	struct device *device = NULL;

	limit_addresses(4);
	CODE(device_open("sim", &options, &device), 2);
	ck_assert_ptr_null(device);
	ck_assert_ptr_nonnull(strstr(error_text(), "(ulimit -v)"));
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
}
END_TEST

START_TEST(gaps_are_at_least_64_kib)
{
	struct device *device = open_limited(256, 0);
	uint64_t at[2000];
	struct buffer *buffer;
	int count = 0;

	while (corpus_buffer(device, "page", DTYPE_F32, 1024, NULL, &buffer) == STATUS_OK) {
		ck_assert_int_lt(count, 2000);
		at[count++] = buffer->address;
	}
	CODE(corpus_buffer(device, "page", DTYPE_F32, 1024, NULL, &buffer), 2);
	ck_assert_int_gt(count, 100);
	for (int i = 0; i < count; i++)
		for (int k = 0; k < i; k++)
			ck_assert_uint_ge(at[i] > at[k] ? at[i] - at[k] : at[k] - at[i], 68 << 10);
	close_limited(device);
}
END_TEST

/* Each launch allocates four buffers. What a freed one contained must not matter. */
START_TEST(addresses_of_freed_buffers_are_used_again)
{
	struct device *device = open_limited(128, 0);
	const struct row_finding *found;
	uint64_t low = UINT64_MAX, high = 0;
	struct buffer *buffer;

	for (int i = 0; i < 300; i++) {
		OK(corpus_launch(device, case_named(i % 2 ? "grid_same_output" : "uninit_tail"), 1,
				 NULL));
		OK(corpus_buffer(device, "page", DTYPE_F32, 1024, NULL, &buffer));
		low = buffer->address < low ? buffer->address : low;
		high = buffer->address > high ? buffer->address : high;
		OK(device_free(device, buffer));
	}
	ck_assert_uint_eq(device_findings(device, &found), 0);
	ck_assert_uint_lt(high - low, 300u * (68 << 10));
	OK(corpus_launch(device, case_named("uninit_tail"), 0, NULL));
	ck_assert_uint_eq(device_findings(device, &found), 1);
	ck_assert_str_eq(found[0].class, "uninit");
	close_limited(device);
}
END_TEST

/* With a seed, four blocks are resident. Which of them waits for another depends on it. */
START_TEST(a_block_without_shared_memory_ends_the_launch)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct device *device = open_limited(36, seed);

		CODE(corpus_launch(device, case_named("grid_no_acquire"), 1, NULL), 2);
		ck_assert_ptr_nonnull(strstr(error_text(), "shared memory of a block"));
		close_limited(device);
	}
}
END_TEST

/* Why the tests cannot run; NULL: they can. */
static const char *other_user_of_addresses(void)
{
#ifdef __SANITIZE_ADDRESS__
	return "a sanitizer";
#endif
	return RUNNING_ON_VALGRIND ? "valgrind" : NULL;
}

int main(void)
{
	TCase *tests;

	if (other_user_of_addresses()) {
		printf("1..0 # SKIP %s needs more addresses\n", other_user_of_addresses());
		return 0;
	}
	tests = tcase_create("limits");
	tcase_add_test(tests, too_few_addresses_are_an_error);
	tcase_add_test(tests, gaps_are_at_least_64_kib);
	tcase_add_test(tests, addresses_of_freed_buffers_are_used_again);
	tcase_add_test(tests, a_block_without_shared_memory_ends_the_launch);
	return run_suite("check limits", tests);
}
