/* test_check.c - the checker against its corpus: each planted bug on its line, none on its twin.
 *
 * Kernels and markers are in tests/checker/; what is launched how is in tests/checker/cases.h. All
 * run in one process: a kernel that faults ends its launch only.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device.h"
#include "traces/event.h"
#include "traces/xalloc.h"

enum { N = 60, FLAGS = 64, DYNAMIC = 32 * sizeof(float) };

struct checked_case {
	const char *file, *name, *class;
	unsigned blocks, threads;
	const struct sim_code *code[2];         /* with the bug, and clean */
};

#define CASE(file, name, class, blocks, threads) \
	extern const struct sim_code ft_code_##name##_checked, ft_code_##name##_clean_checked;
#include "tests/checker/cases.h"
#undef CASE

static const struct checked_case cases[] = {
#define CASE(file, name, class, blocks, threads) \
	{ #file, #name, class, blocks, threads, \
	  { &ft_code_##name##_checked, &ft_code_##name##_clean_checked } },
#include "tests/checker/cases.h"
#undef CASE
};
#define CASES (sizeof cases / sizeof cases[0])

static void must(enum status status)
{
	ck_assert_msg(status == STATUS_OK, "%s", error_text());
}

static struct buffer *place(struct device *device, const char *name, enum dtype dtype, int count,
			    const void *values)
{
	const struct buffer_spec spec = {
		.name = name, .dtype = dtype, .rank = 1, .shape = { count },
	};
	struct buffer *buffer;

	must(device_alloc(device, &spec, &buffer));
	if (values)
		must(device_upload(device, NULL, buffer, 0, values, buffer->bytes));
	return buffer;
}

/* What the last kernel that ended well left in y. */
static uint32_t left_in_y[N];

/* Launches with the corpus's arguments. The error code of a kernel that faults; 0: it did not. */
static int launch(struct device *device, const struct checked_case *c, const struct sim_code *code)
{
	const struct kernel_code built = { .sim = { { code }, { code } }, .checked = code };
	const struct kernel kernel = { .name = c->name, .origin = "cuda_c", .code = &built };
	static const int zeros[FLAGS];
	float values[N];
	struct buffer *buffers[3];
	enum status status;
	int error = 0;

	for (int i = 0; i < N; i++)
		values[i] = (float)i;
	buffers[0] = place(device, "x", DTYPE_F32, N, values);
	buffers[1] = place(device, "y", DTYPE_F32, N, NULL);
	buffers[2] = place(device, "flags", DTYPE_I32, FLAGS, zeros);
	status = device_launch(device, &(struct launch){
		.kernel = &kernel, .grid = { c->blocks }, .block = { c->threads },
		.shared_bytes = DYNAMIC, .layer = -1,
		.args = (struct arg[]){ ARG_BUFFER(buffers[0]), ARG_BUFFER(buffers[1]),
					ARG_BUFFER(buffers[2]), ARG_I32(N) }, .arg_count = 4 });
	if (status == STATUS_OK)
		status = device_download(device, NULL, buffers[1], 0, left_in_y, sizeof left_in_y);
	if (status != STATUS_OK)
		error = error_code();
	for (int i = 0; i < 3; i++)
		device_free(device, buffers[i]);
	return error;
}

static struct device *open_checked(uint64_t seed)
{
	const struct device_options options = { .check = true, .seed = seed };
	struct device *device;

	must(device_open("sim", &options, &device));
	return device;
}

/* The line that is marked in a kernel of the corpus. */
static int marked_line(const struct checked_case *c)
{
	const char *top = getenv("abs_srcdir");
	char *path = xasprintf("%s/tests/checker/%s.cu", top ? top : ".", c->file);
	char *head = xasprintf("KERNEL %s(", c->name);
	FILE *file = fopen(path, "r");
	char text[200];
	bool within = false;
	int line = 0, found = 0;

	ck_assert_msg(file != NULL, "%s: cannot be read", path);
	while (!found && fgets(text, sizeof text, file)) {
		line++;
		if (strncmp(text, "KERNEL ", 7) == 0)
			within = strncmp(text, head, strlen(head)) == 0;
		if (within && strstr(text, "/* BUG */"))
			found = line;
	}
	fclose(file);
	free(path);
	free(head);
	ck_assert_msg(found > 0, "%s has no marked line", c->name);
	return found;
}

static bool is_at(const struct event_side *side, const struct checked_case *c, int line)
{
	return side->what && side->line == line && side->file && strstr(side->file, c->file);
}

static char *list_of(const struct event_finding *found, size_t count)
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
	const struct checked_case *c = &cases[_i];
	struct device *device = open_checked(0);
	const struct event_finding *found;
	int line = marked_line(c);
	bool right = false;
	size_t count;
	char *list;

	launch(device, c, c->code[0]);
	count = device_findings(device, &found);
	for (size_t i = 0; i < count; i++)
		right |= strcmp(found[i].class, c->class) == 0
			&& (is_at(&found[i].sides[0], c, line)
			    || is_at(&found[i].sides[1], c, line));
	list = list_of(found, count);
	ck_assert_msg(right, "%s: no %s at line %d; found%s", c->name, c->class, line, list);
	free(list);
	device_close(device);
}
END_TEST

START_TEST(its_clean_twin_has_none)
{
	const struct checked_case *c = &cases[_i];

	for (uint64_t seed = 0; seed < 4; seed++) {
		struct device *device = open_checked(seed);
		const struct event_finding *found;
		size_t count;

		launch(device, c, c->code[1]);
		count = device_findings(device, &found);
		if (count > 0) {
			char *list = list_of(found, count);

			ck_abort_msg("%s_clean, seed %d:%s", c->name, (int)seed, list);
		}
		device_close(device);
	}
}
END_TEST

START_TEST(findings_are_complete)
{
	struct device *device = open_checked(0);
	const struct event_finding *found;

	for (size_t i = 0; i < CASES; i++)
		if (strcmp(cases[i].name, "race_no_barrier") == 0)
			launch(device, &cases[i], cases[i].code[0]);
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

START_TEST(an_asynchronous_copy_lands_at_its_wait)
{
	struct device *device = open_checked(0);
	uint32_t one = 0x3f800000;

	for (size_t i = 0; i < CASES; i++)
		if (strcmp(cases[i].name, "uninit_async") == 0) {
			ck_assert_int_eq(launch(device, &cases[i], cases[i].code[0]), 0);
			ck_assert_uint_eq(left_in_y[1], 0);
			ck_assert_uint_eq(left_in_y[33], DEVICE_POISON);
			ck_assert_int_eq(launch(device, &cases[i], cases[i].code[1]), 0);
			ck_assert_uint_eq(left_in_y[33], 0);
			ck_assert_uint_eq(left_in_y[34], one);
		}
	device_close(device);
}
END_TEST

/* As on a GPU. */
START_TEST(a_misaligned_access_ends_the_launch)
{
	for (size_t i = 0; i < CASES; i++) {
		struct device *device = open_checked(0);

		if (strcmp(cases[i].class, "misaligned") == 0) {
			ck_assert_int_eq(launch(device, &cases[i], cases[i].code[0]), 716);
		}
		device_close(device);
	}
}
END_TEST

START_TEST(a_freed_buffer_and_a_leak)
{
	struct device *device = open_checked(0);
	const struct event_finding *found;
	struct buffer *kept = place(device, "kept", DTYPE_F32, 8, NULL);

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

	tcase_add_loop_test(tests, a_planted_bug_is_found_on_its_line, 0, (int)CASES);
	tcase_add_loop_test(tests, its_clean_twin_has_none, 0, (int)CASES);
	tcase_add_test(tests, findings_are_complete);
	tcase_add_test(tests, an_asynchronous_copy_lands_at_its_wait);
	tcase_add_test(tests, a_misaligned_access_ends_the_launch);
	tcase_add_test(tests, a_freed_buffer_and_a_leak);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
