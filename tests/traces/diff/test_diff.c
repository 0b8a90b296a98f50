/* test_diff.c - what counts as a difference between two runs, and how it is reported.
 *
 * Writes the runs directly to the store, so that each test changes exactly one thing.
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>

#include "traces/diff/diff.h"
#include "traces/diff/diff_spot.h"
#include "traces/diff/point_text.h"
#include "traces/digest.h"
#include "traces/row.h"
#include "traces/store/store.h"

enum { VALUES = 4, LAUNCHES = 3 };

/* The contents of a run, for make_run(). */
struct run_spec {
	int64_t extent;                 /* of the output, in bytes; 0: its size */
	enum log_level level;
	float input[VALUES], output[VALUES], max;
	uint32_t point;                 /* bits of one value of the point of launch 1, block 1 */
	const char *point_name, *kernel;
	int scale_bits, grid, code, launches;
	bool incomplete, no_output_bytes, no_token;
	uint8_t byte;
	uint32_t blocks;                /* number of blocks that publish a point */
	const char *text;               /* of the kernel; NULL: not recorded */
	bool reduces;                   /* thread 3 of block 0 has a second point, "reduce" */
};

static struct run_spec default_run(void)
{
	return (struct run_spec){
		.level = LEVEL_POINTS, .input = { 1, 2, 3, 4 }, .output = { 0.5f, NAN, -0.0f, 8 },
		.max = 3.5f, .point = 0x3f800000, .point_name = "score", .kernel = "k",
		.scale_bits = 5,
		.grid = 2, .launches = LAUNCHES, .byte = 'x', .blocks = 2,
	};
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

static void put_op(struct store *store, int64_t run, struct row_op op, int64_t *number)
{
	op.start_us = op.duration_us = NAN;
	op.object = -1;
	OK(store_op(store, run, &op, number));
}

static void put_launch(struct store *store, int64_t run, int64_t number, const struct run_spec *m)
{
	struct row_arg args[] = {
		{ .name = "out", .type = "float *", .kind = "pointer", .buffer = 1 },
		{ .name = "n", .type = "int", .kind = "i32", .bits = (uint32_t)m->scale_bits },
	};
	struct row_launch launch = {
		.number = number, .kernel = m->kernel, .grid = { (uint32_t)m->grid, 1, 1 },
		.block = { 32, 1, 1 }, .cluster = { 1, 1, 1 }, .layer = 0, .args = args,
		.arg_count = 2,
	};
	struct row_digest digest = {
		.buffer = 1, .bytes = m->extent ? m->extent : (int64_t)sizeof m->output,
		.digest = digest_bytes(DTYPE_F32, m->output, sizeof m->output),
		.data = m->no_output_bytes ? NULL : m->output,
	};
	struct row_partial partial = {
		.key_end = 4, .max_bits = bits_of(m->max), .sum_bits = bits_of(1), .lse = m->max,
		.share = 1, .acc = m->output, .acc_bytes = sizeof m->output,
	};
	struct row_point *points = calloc(m->blocks + 2, sizeof *points);
	int64_t op;

	put_op(store, run, (struct row_op){
		.kind = OP_LAUNCH, .code = m->code, .launch = &launch }, &op);
	OK(store_digests(store, run, op, false, &digest, 1));
	if (m->level >= LEVEL_PARTIALS)
		OK(store_partials(store, run, number, &partial, 1));
	for (uint32_t b = 0; b < m->blocks; b++)
		points[b] = (struct row_point){
			.block = b, .thread = 7, .sequence = 1, .name = m->point_name, .count = 2,
			.bits = { bits_of(1), number == 1 && b == 1 ? m->point : 0x3f800000 },
		};
	points[m->blocks] = (struct row_point){
		.thread = 3, .sequence = 2, .name = "reduce", .count = 1 };
	if (m->level >= LEVEL_POINTS)
		OK(store_points(store, run, number, 32, points, m->blocks + m->reduces, 0));
	free(points);
}

static int64_t make_run(struct store *store, const struct run_spec *m)
{
	static const int64_t shape[] = { VALUES };
	struct row_run run = {
		.device = "sim", .device_name = "test", .profile = "h200", .driver = "",
		.command = "test",
		.path = "", .options = "{}", .level = m->level, .version = "0", .started = "now",
		.compute = "9.0",
	};
	struct row_buffer alloc = {
		.id = 1, .name = "out", .dtype = DTYPE_F32, .rank = 1, .shape = shape,
		.bytes = sizeof m->output,
	};
	struct row_token token = { .byte = m->byte, .logit_bits = bits_of(2) };
	int64_t number;

	OK(store_run_begin(store, &run, &number));
	OK(store_kernel(store, number, &(struct row_kernel){
		.name = m->kernel, .params = "[]", .origin = "cuda_c",
		.sources = &(struct row_source){ "k.cu", m->text }, .source_count = !!m->text }));
	put_op(store, number, (struct row_op){
		.kind = OP_ALLOC, .buffer = 1, .bytes = alloc.bytes, .alloc = &alloc }, NULL);
	OK(store_step_begin(store, number, 0));
	put_op(store, number, (struct row_op){
		.kind = OP_UPLOAD, .buffer = 1, .bytes = sizeof m->input, .data = m->input }, NULL);
	for (int i = 0; i < m->launches; i++)
		put_launch(store, number, i, m);
	OK(store_step_end(store, number, 0));
	if (!m->no_token)
		OK(store_token(store, number, &token));
	if (!m->incomplete)
		OK(store_run_end(store, number, "OK", NULL));
	OK(store_commit(store));
	return number;
}

static struct diff_report diff_specs(const struct run_spec *a, const struct run_spec *b,
				     struct diff_options options)
{
	struct diff_report report;
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	options.run_a = make_run(store, a);
	options.run_b = make_run(store, b);
	OK(diff_runs(store, store, &options, &report));
	OK(store_close(store));
	return report;
}

/* Compares the default run with another. */
static struct diff_report diff_with(const struct run_spec *other, uint32_t ulp)
{
	struct run_spec base = default_run();

	return diff_specs(&base, other, (struct diff_options){ .ulp = ulp });
}

/* Compares a run with its replay. */
static struct diff_report diff_replay(const struct run_spec *run, const struct run_spec *replay)
{
	return diff_specs(run, replay, (struct diff_options){ .replayed = true });
}

static void check_first(const struct diff_report *report, const char *address, const char *what)
{
	ck_assert_int_gt(report->differences, 0);
	ck_assert_str_eq(report->items[0].address, address);
	ck_assert_msg(strstr(report->items[0].what, what) != NULL, "%s", report->items[0].what);
}

START_TEST(equal_runs)
{
	struct run_spec other = default_run();
	struct diff_report report;
	uint32_t another_nan = 0xffc00001;

	memcpy(&other.output[1], &another_nan, sizeof another_nan);
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 0);
	ck_assert_uint_eq(report.bits, 0);
	ck_assert_int_eq(report.operations, 2 + LAUNCHES);
	ck_assert_int_eq(report.buffers, LAUNCHES);
	ck_assert_int_eq(report.partials, LAUNCHES);
	ck_assert_int_eq(report.points, 2 * LAUNCHES);
	ck_assert_int_eq(report.tokens, 1);
	ck_assert_ptr_null(report.notes);
	diff_report_free(&report);
}
END_TEST

START_TEST(input_bit)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.input[2] = nextafterf(3, 4);
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 1);
	check_first(&report, "op 1", "out[2]");
	ck_assert_uint_eq(report.bits, 1);
	ck_assert_int_eq(report.items[0].ulp, 1);
	ck_assert_str_eq(report.items[0].a, "3 (0x40400000)");
	ck_assert_str_eq(report.items[0].b, "3.00000024 (0x40400001)");
	diff_report_free(&report);
}
END_TEST

START_TEST(point_value)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.point = 0x3f800003;
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 1);
	check_first(&report, "L1.b1.w0.l7.p1", "score v1");
	ck_assert_uint_eq(report.bits, 2);
	ck_assert_int_eq(report.max_ulp, 3);
	diff_report_free(&report);
	report = diff_with(&other, 2);
	ck_assert_int_eq(report.differences, 1);
	diff_report_free(&report);
	report = diff_with(&other, 3);
	ck_assert_int_eq(report.differences, 0);
	ck_assert_int_eq(report.within_ulp, 1);
	diff_report_free(&report);
	other.point = 0x7fc00000;
	report = diff_with(&other, 1000);
	ck_assert_int_eq(report.differences, 1);
	ck_assert_int_eq(report.items[0].ulp, -1);
	diff_report_free(&report);
}
END_TEST

START_TEST(output_and_partial)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.output[2] = 0.0f;         /* was -0.0: one bit differs, 0 ulp apart */
	report = diff_with(&other, 0);
	/* Per launch: the accumulators of its partial, and the bytes it wrote. */
	ck_assert_int_eq(report.differences, 2 * LAUNCHES);
	check_first(&report, "L0 slot 0 head 0 chunk 0", "acc[2]");
	ck_assert_str_eq(report.items[1].address, "L0.end");
	ck_assert_str_eq(report.items[1].what, "out[2]");
	ck_assert_uint_eq(report.bits, 2 * LAUNCHES);
	ck_assert_int_eq(report.digests, 0);
	diff_report_free(&report);
	report = diff_with(&other, 1);
	ck_assert_int_eq(report.differences, 0);
	diff_report_free(&report);
	other = default_run();
	other.max = 4;
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, LAUNCHES);
	check_first(&report, "L0 slot 0 head 0 chunk 0", "max");
	diff_report_free(&report);
}
END_TEST

/* Rows of a cache are farther apart if it is larger, with the same digest. */
START_TEST(equal_digests_of_other_extents)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.no_output_bytes = true;
	other.level = LEVEL_LAUNCH;
	other.extent = 64;
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 0);
	ck_assert_int_eq(report.digests, 0);
	diff_report_free(&report);
}
END_TEST

START_TEST(digest_alone)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.output[3] = 9;
	other.no_output_bytes = true;
	other.level = LEVEL_LAUNCH;
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, LAUNCHES);
	ck_assert_int_eq(report.digests, LAUNCHES);
	ck_assert_uint_eq(report.bits, 0);
	ck_assert_int_eq(report.partials + report.points, 0);
	check_first(&report, "L0.end", "digest of out");
	ck_assert_ptr_nonnull(strstr(report.notes, "compared at level launch"));
	diff_report_free(&report);
}
END_TEST

START_TEST(arguments)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.scale_bits = 6;
	other.grid = 3;
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 2 * LAUNCHES);
	check_first(&report, "L0", "launch grid");
	ck_assert_str_eq(report.items[1].what, "launch n");
	ck_assert_str_eq(report.items[1].a, "5");
	diff_report_free(&report);
	other = default_run();
	other.code = 700;
	report = diff_with(&other, 0);
	check_first(&report, "L0", "status code");
	diff_report_free(&report);
}
END_TEST

START_TEST(runs_diverge)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.kernel = "another";
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 1);
	ck_assert_int_eq(report.operations, 2);
	check_first(&report, "L0", "diverge here");
	diff_report_free(&report);
}
END_TEST

START_TEST(shorter_run)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.launches = 2;
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 1);
	check_first(&report, "L2", "k is missing in B");
	diff_report_free(&report);
	other.incomplete = true;
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 0);
	ck_assert_int_eq(report.points, 4);
	ck_assert_ptr_nonnull(strstr(report.notes, "B is incomplete: compared up to operation 4"));
	diff_report_free(&report);
}
END_TEST

START_TEST(points_missing)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.blocks = 1;
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, LAUNCHES);
	check_first(&report, "L0.b1.w0.l7.p1", "point score is missing in B");
	diff_report_free(&report);
	other.blocks = 0;               /* all points lost, not just a narrower selection */
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 2 * LAUNCHES);
	diff_report_free(&report);
	other = default_run();
	other.point_name = "softmax";   /* at the same place */
	report = diff_with(&other, 0);
	check_first(&report, "L0.b0.w0.l7.p1", "name");
	diff_report_free(&report);
}
END_TEST

START_TEST(points_in_a_text)
{
	static const struct {
		const char *text;
		int count;
	} cases[] = {
		{ "POINT(sum, a);", 1 },
		{ "if (x)\n\tPOINT (\n\tsum , a); POINT(sum, b)", 2 },
		{ "POINT(sums, a); MY_POINT(sum, a); POINTS(sum); POINT_1(sum, a); POINT sum", 0 },
		{ "// POINT(sum, a)\n/* POINT(sum, a) */ \"POINT(sum, \\\" POINT(sum, a)\"", 0 },
		{ "/* it's */ '\"' POINT(sum, a) // don't", 1 },
		{ "#error don't\nPOINT(sum, a) /* the end is missing POINT(sum, a)", 1 },
		{ "\"", 0 }, { "'\\", 0 }, { "POINT(", 0 }, { "", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		ck_assert_msg(point_text_count(cases[i].text, "sum") == cases[i].count,
			      "%s: %d", cases[i].text, point_text_count(cases[i].text, "sum"));
}
END_TEST

/* The next difference, in the direction, of the default run with `a` and another. */
static enum diff_outcome find_spot(struct run_spec a, const struct run_spec *b, int direction,
				   struct diff_spot *spot)
{
	enum diff_outcome outcome;
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	make_run(store, &a);
	make_run(store, b);
	OK(diff_spot_step(&(struct diff_pair){ { store, store }, { 1, 2 } }, direction, spot, NULL,
			  NULL, &outcome));
	OK(store_close(store));
	return outcome;
}

#define OLD_TEXT "POINT(score, a, b); /* POINT(reduce, sum) is not here yet */"
#define NEW_TEXT "POINT(score, a, b); POINT(reduce, sum);"

/* A kernel gets a new point: what was recorded before has none, and still compares as equal. */
START_TEST(points_that_a_kernel_got_later)
{
	struct run_spec old = default_run(), new = default_run();
	struct diff_spot spot = { 0, SPOT_BEFORE, 0, 0 };
	struct diff_report report;

	old.text = OLD_TEXT;
	new.text = NEW_TEXT;
	new.reduces = true;
	for (int side = 0; side < 2; side++) {
		report = diff_replay(side ? &new : &old, side ? &old : &new);
		ck_assert_msg(report.differences == 0, "%s %s", report.items[0].address,
			      report.items[0].what);
		ck_assert_int_eq(report.points, 2 * LAUNCHES);
		ck_assert_str_eq(report.points_lacking, "reduce of k");
		diff_report_free(&report);
	}
	ck_assert_int_eq(find_spot(old, &new, 1, &spot), DIFF_NONE);
	spot = (struct diff_spot){ LAUNCHES - 1, SPOT_AFTER, 0, 0 };
	ck_assert_int_eq(find_spot(new, &old, -1, &spot), DIFF_NONE);

	new.point = 0x3f800001;         /* a difference next to it is found */
	report = diff_replay(&old, &new);
	ck_assert_int_eq(report.differences, 1);
	check_first(&report, "L1.b1.w0.l7.p1", "score v1");
	diff_report_free(&report);
	spot = (struct diff_spot){ 0, SPOT_BEFORE, 0, 0 };
	ck_assert_int_eq(find_spot(old, &new, 1, &spot), DIFF_FOUND);
	ck_assert_int_eq(spot.launch, 1);
	ck_assert_int_eq(spot.major, 32 + 7);
}
END_TEST

/* A point that the text has is missing; so is one of a kernel whose text was not recorded. */
START_TEST(points_lost)
{
	static const char *const texts[][2] = {
		{ NEW_TEXT, NEW_TEXT }, { NEW_TEXT, OLD_TEXT }, { NULL, NEW_TEXT },
		{ OLD_TEXT, NULL },
	};
	struct run_spec lost = default_run(), other = default_run();
	struct diff_spot spot = { 0, SPOT_BEFORE, 0, 0 };

	other.reduces = true;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct diff_report report;

		lost.text = texts[i][0];
		other.text = texts[i][1];
		report = diff_replay(&lost, &other);
		ck_assert_int_eq(report.differences, LAUNCHES);
		check_first(&report, "L0.b0.w0.l3.p2", "point reduce is missing in A");
		ck_assert_ptr_null(report.points_lacking);
		diff_report_free(&report);
	}
	ck_assert_int_eq(find_spot(lost, &other, 1, &spot), DIFF_FOUND);
	ck_assert_int_eq(spot.major, 3);
}
END_TEST

START_TEST(tokens)
{
	struct run_spec other = default_run();
	struct diff_report report;

	other.byte = 'y';
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 1);
	check_first(&report, "s0 slot 0 position 0", "byte");
	diff_report_free(&report);
	other.no_token = true;          /* as in a replay */
	report = diff_with(&other, 0);
	ck_assert_int_eq(report.differences, 0);
	ck_assert_ptr_nonnull(strstr(report.notes, "B has no tokens"));
	diff_report_free(&report);
}
END_TEST

START_TEST(unknown_run)
{
	struct run_spec base = default_run();
	struct diff_options options = { .run_a = 1, .run_b = 5 };
	struct diff_report report;
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	make_run(store, &base);
	ck_assert_int_eq(diff_runs(store, store, &options, &report), STATUS_USAGE);
	ck_assert_ptr_nonnull(strstr(error_text(), "5"));
	diff_report_free(&report);
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("diff");

	tcase_add_test(tests, equal_runs);
	tcase_add_test(tests, input_bit);
	tcase_add_test(tests, point_value);
	tcase_add_test(tests, output_and_partial);
	tcase_add_test(tests, equal_digests_of_other_extents);
	tcase_add_test(tests, digest_alone);
	tcase_add_test(tests, arguments);
	tcase_add_test(tests, runs_diverge);
	tcase_add_test(tests, shorter_run);
	tcase_add_test(tests, points_missing);
	tcase_add_test(tests, points_in_a_text);
	tcase_add_test(tests, points_that_a_kernel_got_later);
	tcase_add_test(tests, points_lost);
	tcase_add_test(tests, tokens);
	tcase_add_test(tests, unknown_run);
	return run_suite("diff", tests);
}
