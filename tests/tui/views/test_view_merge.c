/* test_view_merge.c - the view of one reduction: its merge, the rows of all runs, other orders.
 *
 * Uses a synthetic trace of three runs: two chunks of two elements merge into (2, 4). The first run
 * has exactly this row, the second is off by one ulp, the third is wrong.
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/row.h"
#include "traces/store/store_index.h"
#include "tui/views/view_list.h"

enum { D = 2 };

static struct store *store;

static uint32_t bits(float value)
{
	uint32_t out;

	memcpy(&out, &value, sizeof out);
	return out;
}

static void add_launch(int64_t run, int64_t number, const char *kernel)
{
	const struct row_arg args[] = {
		{ .name = "D", .type = "int", .kind = "i32", .bits = D },
	};
	const struct row_launch what = {
		.number = number, .kernel = kernel, .grid = { 1, 1, number ? 1 : 2 },
		.block = { 32, 1, 1 }, .cluster = { 1, 1, 1 }, .layer = 0, .args = args,
		.arg_count = 1,
	};

	OK(store_kernel(store, run, &(struct row_kernel){
		.name = kernel, .params = "[]", .origin = "cuda_c" }));
	OK(store_op(store, run, &(struct row_op){
		.kind = OP_LAUNCH, .start_us = NAN, .duration_us = NAN, .object = -1,
		.launch = &what }, NULL));
}

static void add_run(const char *device, uint64_t seed, const float *out)
{
	const struct row_run begin = {
		.device = device, .device_name = "a device", .profile = "h200", .driver = "",
		.seed = seed, .command = "attend", .path = "flash-decoding", .options = "{}",
		.level = LEVEL_PARTIALS, .version = "1", .started = "2000-01-01T00:00:00Z",
		.compute = "9.0",
	};
	const float acc[2][D] = { { 2.0f, 4.0f }, { 1.0f, 2.0f } };
	/* The maxima differ by log(2), so the factor of chunk 1 is 0.5. */
	const struct row_partial partials[] = {
		{ .chunk = 0, .key_end = 2, .max_bits = bits(logf(2.0f)), .sum_bits = bits(1.0f),
		  .lse = log(2.0), .share = 0.8, .acc = acc[0], .acc_bytes = sizeof acc[0] },
		{ .chunk = 1, .key_begin = 2, .key_end = 4, .max_bits = bits(0.0f),
		  .sum_bits = bits(0.5f), .lse = log(0.5), .share = 0.2, .acc = acc[1],
		  .acc_bytes = sizeof acc[1] },
	};
	const struct row_reduce reduces[] = {
		{ .chunk = 0, .order = 0, .factor = 1.0, .sum = 1.0 },
		{ .chunk = 1, .order = 1, .factor = 0.5, .sum = 1.25 },
	};
	int64_t run;

	OK(store_run_begin(store, &begin, &run));
	add_launch(run, 0, "flash_decode_chunk");
	OK(store_partials(store, run, 0, partials, 2));
	add_launch(run, 1, "flash_decode_reduce");
	OK(store_reduces(store, run, 1, reduces, 2));
	OK(store_digests(store, run, 1, false, &(struct row_digest){
		.buffer = 1, .bytes = D * sizeof(float), .digest = bits(out[0]), .data = out }, 1));
	OK(store_run_end(store, run, "OK", NULL));
}

static void make_trace(void)
{
	OK(store_create(NULL, &(struct store_options){ 0 }, &store));
	add_run("cuda", 0, (const float[]){ 2.0f, 4.0f });
	add_run("sim", 7, (const float[]){ nextafterf(2.0f, 3.0f), 4.0f });
	add_run("sim", 8, (const float[]){ 2.0f, 5.0f });
	OK(store_commit(store));
	OK(store_index_views(store));
}

static void close_trace(void)
{
	OK(store_close(store));
}

static char *draw(struct view_context c, const char *screen, const char *at)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	c.store = store;
	c.run = 1;
	OK(address_parse("--at", at, &c.at));
	c.out = display_create(file, &c.at);
	OK(view_find(screen)->draw(&c));
	display_finish(c.out);
	display_free(c.out);
	ck_assert_int_eq(fclose(file), 0);
	return text;
}

static void assert_drawn(struct view_context c, const char *at, const char *part, bool there)
{
	char *text = draw(c, "reduce", at);

	ck_assert_msg((strstr(text, part) != NULL) == there, "%s '%s' in:\n%s", there ? "no" : "a",
		      part, text);
	free(text);
}

static void assert_has(const char *screen, const char *at, const char *part)
{
	char *text = draw((struct view_context){ .at = address_none }, screen, at);

	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text);
	free(text);
}

START_TEST(the_merge_is_recomputed_without_points)
{
	assert_has("reduce", "L1.b0", " out = acc / last sum\n factors and sums are recomputed");
	assert_has("reduce", "L1.b0", ">slot 0 head 0: 2 chunks merged, relative to g = 0.6931472,"
		   " the maximum of all\n chunk keys        max      sum   factor   share"
		   "  of all keys         sum so far\n");
	assert_has("reduce", "L1.b0", "     0 0..1     0.6931   1.0000 1.000000  80.0 %"
		   "  |###########    -+    1.000000\n");
	assert_has("reduce", "L1.b0", "     1 2..3     0.0000   0.5000 0.500000  20.0 %"
		   "  |###            -+-   1.250000\n");
}
END_TEST

START_TEST(rows_of_runs_are_compared)
{
	assert_has("reduce", "L1.b0", "    GPU r1                      2            4\n");
	assert_has("reduce", "L1.b0", "  d SIM r2 seed 7       2.0000002            4\n");
	assert_has("reduce", "L1.b0", " !d SIM r3 seed 8               2            5\n");
	assert_has("reduce", "L1.b0", "    f64                         2            4\n");
	assert_has("reduce", "L1.b0",
		    " d other bits than the first row  ! more than 1e-5 off float64\n");
}
END_TEST

START_TEST(other_orders_are_measured)
{
	const struct view_context asked = { .what_if = true };

	assert_drawn(asked, "L1.b0", " what if, from float64 of partials", true);
	assert_drawn(asked, "L1.b0",
		     "  as executed (this run)                    0            0\n", true);
	assert_drawn(asked, "L1.b0",
		     "  two by two, last to first                 0            0\n", true);
}
END_TEST

START_TEST(other_orders_are_behind_a_key)
{
	struct view_context c = { .output = OUTPUT_VIEWER };

	assert_drawn(c, "L1.b0", "what if", false);
	assert_drawn(c, "L1.b0", " the same merge in other orders: W\n", true);
	c.output = OUTPUT_PLAIN;
	assert_drawn(c, "L1.b0", " the same merge in other orders: --all\n", true);
	c.all = true;
	assert_drawn(c, "L1.b0", " what if, from float64 of partials", true);
}
END_TEST

/* Half of a terminal of 120 columns. */
START_TEST(a_narrow_merge_fits)
{
	const struct view_context c = { .columns = 59 };
	char *text = draw(c, "reduce", "L1.b0"), *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		ck_assert_msg(strlen(line) <= 59 || strstr(line, "factor") || strstr(line, " d "),
			      "%zu columns: %s", strlen(line), line);
	free(text);
}
END_TEST

START_TEST(a_block_with_different_bytes_is_marked)
{
	assert_has("time", "L1", "          blocks      0 d\n");
	assert_has("time", "L1", ">L1       flash_decode_reduce  layer 0 ");
	assert_has("time", "L0", "          blocks      0 ..\n");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_merge");

	tcase_add_checked_fixture(tests, make_trace, close_trace);
	tcase_add_test(tests, the_merge_is_recomputed_without_points);
	tcase_add_test(tests, rows_of_runs_are_compared);
	tcase_add_test(tests, other_orders_are_measured);
	tcase_add_test(tests, other_orders_are_behind_a_key);
	tcase_add_test(tests, a_narrow_merge_fits);
	tcase_add_test(tests, a_block_with_different_bytes_is_marked);
	return run_suite("view_merge", tests);
}
