/* test_check.c - the checker on its corpus: finds each planted bug on its line, none in the twin.
 *
 * Kernels, BUG marks and launches are in tests/checker/. All run in one process: a fault ends only
 * its own launch.
 */
#include "config.h"

#include "tests/support.h"

#include "base/xalloc.h"
#include "engine/device.h"
#include "tests/checker/corpus.h"
#include "tests/checker/marks.h"

static void must(enum status status)
{
	ck_assert_msg(status == STATUS_OK, "%s", error_text());
}

static struct device *open_checked(uint64_t seed)
{
	const struct device_options options = { .check = true, .seed = seed, .check_orders = 4 };
	struct device *device;

	must(device_open("sim", &options, &device));
	return device;
}

static char *list_of(const struct row_finding *found, size_t count)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < count; i++) {
		char *longer = xasprintf("%s %s:%d,%d", text, found[i].class,
					 found[i].sides[0].line, found[i].sides[1].line);

		free(text);
		text = longer;
	}
	return text;
}

START_TEST(a_planted_bug_is_found_on_its_line)
{
	const struct corpus_case *c = &corpus_cases[_i];
	struct device *device = open_checked(0);
	const struct row_finding *found;
	int line = marked_line(c->file, c->name);
	bool right = false;
	size_t count;
	char *list;

	corpus_launch(device, c, 0, NULL);
	count = device_findings(device, &found);
	for (size_t i = 0; i < count; i++)
		right |= strcmp(found[i].class, c->class) == 0
			&& (side_is_at(&found[i].sides[0], c->file, line)
			    || side_is_at(&found[i].sides[1], c->file, line));
	list = list_of(found, count);
	ck_assert_msg(right, "%s: no %s at line %d; found%s", c->name, c->class, line, list);
	free(list);
	device_close(device);
}
END_TEST

START_TEST(its_clean_twin_has_no_findings)
{
	const struct corpus_case *c = &corpus_cases[_i];

	for (uint64_t seed = 0; seed < 4; seed++) {
		struct device *device = open_checked(seed);
		const struct row_finding *found;
		size_t count;

		must(corpus_launch(device, c, 1, NULL));
		count = device_findings(device, &found);
		if (count > 0) {
			char *list = list_of(found, count);

			ck_abort_msg("%s_clean, seed %d:%s", c->name, (int)seed, list);
		}
		device_close(device);
	}
}
END_TEST

/* Poison in unwritten memory is a signalling NaN; reading it does not create a NaN. */
START_TEST(unwritten_memory_is_not_a_new_nan)
{
	for (int i = 0; i < corpus_count; i++) {
		struct device *device = open_checked(0);
		const struct row_finding *found;
		size_t count;

		if (strcmp(corpus_cases[i].class, "uninit") == 0) {
			must(corpus_launch(device, &corpus_cases[i], 0, NULL));
			count = device_findings(device, &found);
			for (size_t k = 0; k < count; k++)
				ck_assert_msg(strcmp(found[k].class, "nan-born") != 0, "%s",
					      corpus_cases[i].name);
		}
		device_close(device);
	}
}
END_TEST

START_TEST(findings_are_complete)
{
	struct device *device = open_checked(0);
	const struct row_finding *found;

	for (int i = 0; i < corpus_count; i++)
		if (strcmp(corpus_cases[i].name, "race_no_barrier") == 0)
			corpus_launch(device, &corpus_cases[i], 0, NULL);
	ck_assert_uint_eq(device_findings(device, &found), 1);
	ck_assert_str_eq(found[0].class, "race-shared");
	ck_assert_str_eq(found[0].kernel, "race_no_barrier");
	ck_assert_int_eq(found[0].launch, 0);
	ck_assert_uint_gt(found[0].count, 1);
	ck_assert_uint_eq(found[0].bytes, 4);
	ck_assert_str_ne(found[0].sides[0].what, found[0].sides[1].what);
	ck_assert_uint_ne(found[0].sides[0].thread[0], found[0].sides[1].thread[0]);
	ck_assert(!found[0].lint && *found[0].why && *found[0].fix);
	device_close(device);
}
END_TEST

/* The first finding in a kernel with its bug must have this detail. */
static void expect_detail(const char *kernel, const char *detail)
{
	struct device *device = open_checked(0);
	const struct row_finding *found;

	for (int i = 0; i < corpus_count; i++)
		if (strcmp(corpus_cases[i].name, kernel) == 0)
			corpus_launch(device, &corpus_cases[i], 0, NULL);
	ck_assert_uint_gt(device_findings(device, &found), 0);
	ck_assert_msg(strstr(found[0].detail, detail) != NULL,
		      "%s: expected \"%s\", got \"%s\"", kernel, detail, found[0].detail);
	device_close(device);
}

START_TEST(findings_name_what_was_touched)
{
	expect_detail("oob_off_by_one", "0 bytes past the end of y");
	expect_detail("oob_other_buffer", "inside another allocation: byte 0 of other");
	expect_detail("oob_table_freed", "byte 0 of freed, which was freed");
	expect_detail("race_no_barrier", "of the shared s");
	expect_detail("race_dynamic", "of shared memory");
	expect_detail("race_of_file", "of the shared file_tile");
	expect_detail("grid_device_count",
		      "4 bytes at byte 0 of the __device__ variable device_count");
	expect_detail("block_device_table", "of the __device__ variable device_table");
}
END_TEST

/* At least 8 GiB, as doc/checker.md says, if the address space is that of a usual 64-bit Linux. */
START_TEST(buffers_are_far_apart)
{
	struct device *device = open_checked(0);
	struct buffer *buffer;
	uint64_t last = 0, distance;

	for (int i = 0; i < 350; i++) {
		must(corpus_buffer(device, "one", DTYPE_F32, 8, NULL, &buffer));
		distance = buffer->address - last;
		last = buffer->address;
		if (i == 1 && distance < (uint64_t)30 << 30)
			break;          /* limited address space, or valgrind */
		ck_assert_uint_ge(distance, (uint64_t)8 << 30);
	}
	device_close(device);
}
END_TEST

START_TEST(an_asynchronous_copy_arrives_at_its_wait)
{
	struct device *device = open_checked(0);
	uint32_t one = 0x3f800000, y[CORPUS_N];

	for (int i = 0; i < corpus_count; i++)
		if (strcmp(corpus_cases[i].name, "uninit_async") == 0) {
			must(corpus_launch(device, &corpus_cases[i], 0, y));
			ck_assert_uint_eq(y[1], 0);
			ck_assert_uint_eq(y[33], DEVICE_POISON);
			must(corpus_launch(device, &corpus_cases[i], 1, y));
			ck_assert_uint_eq(y[33], 0);
			ck_assert_uint_eq(y[34], one);
		}
	device_close(device);
}
END_TEST

/* As on a GPU. */
START_TEST(a_misaligned_access_ends_the_launch)
{
	for (int i = 0; i < corpus_count; i++) {
		struct device *device = open_checked(0);

		if (strcmp(corpus_cases[i].class, "misaligned") == 0) {
			ck_assert_int_eq(corpus_launch(device, &corpus_cases[i], 0, NULL),
					 STATUS_DEVICE);
			ck_assert_int_eq(error_code(), 716);
		}
		device_close(device);
	}
}
END_TEST

START_TEST(a_freed_buffer_and_a_leak)
{
	struct device *device = open_checked(0);
	const struct row_finding *found;
	struct buffer *kept;

	must(corpus_buffer(device, "kept", DTYPE_F32, 8, NULL, &kept));
	ck_assert_uint_eq(device_findings(device, &found), 1);
	ck_assert_str_eq(found[0].class, "leak");
	ck_assert(strstr(found[0].detail, "kept") != NULL);
	must(device_free(device, kept));
	device_close(device);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("check");
	Suite *suite = suite_create("check");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tests, a_planted_bug_is_found_on_its_line, 0, corpus_count);
	tcase_add_loop_test(tests, its_clean_twin_has_no_findings, 0, corpus_count);
	tcase_add_test(tests, unwritten_memory_is_not_a_new_nan);
	tcase_add_test(tests, findings_are_complete);
	tcase_add_test(tests, findings_name_what_was_touched);
	tcase_add_test(tests, buffers_are_far_apart);
	tcase_add_test(tests, an_asynchronous_copy_arrives_at_its_wait);
	tcase_add_test(tests, a_misaligned_access_ends_the_launch);
	tcase_add_test(tests, a_freed_buffer_and_a_leak);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
