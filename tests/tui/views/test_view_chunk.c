/* test_view_chunk.c - the checks that the chunk view makes, on correct and on wrong results.
 *
 * Uses a synthetic trace of one chunk: 40 keys in two tiles, where the maximum rises at key 35.
 * Each test changes the accumulator, the sum or the maximum and checks the verdict and the reason
 * given.
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/row.h"
#include "traces/store/store_index.h"
#include "tui/views/view_list.h"

enum { KEYS = 40, TILE = 32, D = 3, RISE = 35 };

static struct store *store;
static float scores[KEYS], terms[KEYS], values[KEYS][D], acc[D], sums[2], maxima[2];

static uint32_t bits(float value)
{
	uint32_t out;

	memcpy(&out, &value, sizeof out);
	return out;
}

/* Computes acc, with the terms of the first tile times `first` and that of `key` times
 * `times`. */
static void compute_acc(double first, int key, double times)
{
	for (int d = 0; d < D; d++) {
		double sum = 0.0;

		for (int i = 0; i < KEYS; i++)
			sum += exp((double)scores[i] - maxima[1]) * (i < TILE ? first : 1.0)
				* (i == key ? times : 1.0) * values[i][d];
		acc[d] = (float)sum;
	}
}

static void make_chunk(void)
{
	for (int i = 0; i < KEYS; i++) {
		scores[i] = i == RISE ? 4.0f : (float)(i * 7 % 11) / 8.0f;
		for (int d = 0; d < D; d++)
			values[i][d] = (float)((i * 13 + d * 5) % 17) - 8.0f;
	}
	maxima[0] = 10.0f / 8.0f;
	maxima[1] = 4.0f;
	sums[0] = sums[1] = 0.0f;
	for (int i = 0; i < KEYS; i++) {
		terms[i] = expf(scores[i] - maxima[i / TILE]);
		sums[i / TILE] += terms[i];
	}
	sums[1] += sums[0] * expf(maxima[0] - maxima[1]);
	compute_acc(1.0, 0, 1.0);
}

static void add_buffer(uint32_t id, const char *name, int64_t elements)
{
	const struct row_buffer buffer = {
		.id = id, .name = name, .rank = 1, .shape = &elements,
		.bytes = (uint64_t)elements * sizeof(float)
	};

	OK(store_op(store, 1, &(struct row_op){
		.kind = OP_ALLOC, .start_us = NAN, .duration_us = NAN, .buffer = id,
		.bytes = buffer.bytes, .object = -1, .alloc = &buffer }, NULL));
}

static void add_launch(int64_t number, const char *kernel)
{
	const struct row_arg args[] = {
		{ .name = "Hkv", .type = "int", .kind = "i32", .bits = 1 },
		{ .name = "D", .type = "int", .kind = "i32", .bits = D },
		{ .name = "scale", .type = "float", .kind = "f32", .bits = bits(0.5f) },
	};
	const struct row_source source = {
		.file = "kernels/attend.cuh", .text = "a\n\tPOINT(softmax, max);\n"
	};
	const struct row_launch what = {
		.number = number, .kernel = kernel, .grid = { 1, 1, 1 }, .block = { 32, 1, 1 },
		.cluster = { 1, 1, 1 }, .layer = 0, .args = args, .arg_count = 3,
	};

	OK(store_kernel(store, 1, &(struct row_kernel){
		.name = kernel, .params = "[]", .origin = "cuda_c", .sources = &source,
		.source_count = 1 }));
	OK(store_op(store, 1, &(struct row_op){
		.kind = OP_LAUNCH, .start_us = NAN, .duration_us = NAN, .object = -1,
		.launch = &what }, NULL));
}

/* Records the rows of V, which operation 2 uploads. */
static void add_rows(void)
{
	struct row_kv rows[KEYS];

	for (int i = 0; i < KEYS; i++)
		rows[i] = (struct row_kv){
			.tensor = 'v', .position = i, .buffer = 1,
			.offset = (uint64_t)i * D * sizeof(float), .bytes = D * sizeof(float),
			.source_op = 2, .source_offset = (uint64_t)i * D * sizeof(float)
		};
	OK(store_kv(store, 1, 3, rows, KEYS));
}

static void add_points(void)
{
	struct row_point points[KEYS + 2];
	int count = 0;

	for (int lane = 0; lane < TILE; lane++) {
		uint32_t sequence = 0;

		for (int key = lane; key < KEYS; key += TILE) {
			int tile = key / TILE;

			points[count++] = (struct row_point){
				.thread = (uint32_t)lane, .sequence = sequence++, .name = "score",
				.count = 2, .bits = { bits(scores[key]), bits(terms[key]) } };
			if (lane)
				continue;
			points[count++] = (struct row_point){
				.sequence = sequence++, .name = "softmax", .count = 3,
				.bits = { bits(maxima[tile]),
					  bits(tile ? expf(maxima[0] - maxima[1]) : 0.0f),
					  bits(sums[tile]) } };
		}
	}
	OK(store_points(store, 1, 1, 32, points, (size_t)count, 0));
}

static void add_partial(void)
{
	const struct row_partial partial = {
		.key_end = KEYS, .max_bits = bits(maxima[1]), .sum_bits = bits(sums[1]),
		.lse = maxima[1] + log(sums[1]), .share = 1.0, .acc = acc, .acc_bytes = sizeof acc
	};

	OK(store_partials(store, 1, 1, &partial, 1));
}

/* Stores the chunk in a trace and draws its screen; the caller frees the text. */
static char *draw(void)
{
	const struct row_run run = {
		.device = "sim", .device_name = "simulator", .profile = "h200", .driver = "",
		.command = "attend", .path = "flash-decoding", .options = "{}",
		.level = LEVEL_POINTS, .version = "1", .started = "2000-01-01T00:00:00Z",
		.compute = "9.0",
	};
	struct view_context c = { .run = 1, .at = address_none };
	int64_t number;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	OK(store_create(NULL, &(struct store_options){ 0 }, &store));
	OK(store_run_begin(store, &run, &number));
	add_buffer(1, "v_cache.0", KEYS * D);
	add_buffer(2, "v_new", KEYS * D);
	OK(store_op(store, 1, &(struct row_op){
		.kind = OP_UPLOAD, .start_us = NAN, .duration_us = NAN, .buffer = 2,
		.bytes = sizeof values, .object = -1, .data = values }, NULL));
	add_launch(0, "kv_scatter_rows");
	add_rows();
	add_launch(1, "flash_decode_chunk");
	add_points();
	add_partial();
	OK(store_run_end(store, number, "OK", NULL));
	OK(store_commit(store));
	OK(store_index_views(store));

	OK(address_parse("--at", "L1.b0", &c.at));
	c.store = store;
	c.out = display_create(file, &c.at);
	OK(view_chunks.draw(&c));
	display_finish(c.out);
	display_free(c.out);
	ck_assert_int_eq(fclose(file), 0);
	OK(store_close(store));
	return text;
}

static void assert_has(const char *part)
{
	char *text = draw();

	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text);
	free(text);
}

START_TEST(a_correct_chunk_passes_every_check)
{
	char *text = draw();

	ck_assert_msg(!strstr(text, "FAIL") && !strstr(text, " why "), "%s", text);
	free(text);
	assert_has("of its keys: ok ");
	assert_has("acc = sum exp(s-m) v: ok\n");
	/* The second tile's factor is exp(1.25 - 4). */
	assert_has("    1     32        1.25 ->           4  0.06392786");
}
END_TEST

START_TEST(a_missing_rescale_is_named)
{
	compute_acc(exp((double)maxima[1] - maxima[0]), 0, 1.0);
	assert_has("acc = sum exp(s-m) v: FAIL\n");
	assert_has(" why    acc was not multiplied by 0.06393 when the running max rose at"
		    " key 35\n");
}
END_TEST

START_TEST(a_missing_key_is_named)
{
	compute_acc(1.0, 17, 0.0);
	assert_has(" why    key 17 is missing in acc\n");
	assert_has("        max, factor and sum of a tile are published at kernels/attend.cuh:2\n");
	compute_acc(1.0, 17, 2.0);
	assert_has(" why    key 17 counts twice in acc\n");
}
END_TEST

START_TEST(a_row_outside_the_hull_is_named)
{
	acc[1] = 9.0f * sums[1];
	assert_has("not d = 1: FAIL\n");
	assert_has(" why    acc does not match the recorded scores and V rows\n");
}
END_TEST

START_TEST(a_sum_that_was_not_rescaled_is_named)
{
	sums[1] += sums[0] * (1.0f - expf(maxima[0] - maxima[1]));
	assert_has("l = sum exp(s-m): FAIL");
	assert_has(" why    sum was not multiplied by 0.06393 when the running max rose at"
		    " key 35\n");
}
END_TEST

START_TEST(a_maximum_that_fell_is_named)
{
	maxima[1] = 1.0f;
	assert_has("m = max s: FAIL");
	assert_has(" why    the running max fell from 1.25 to 1 at key 32\n");
}
END_TEST

START_TEST(a_nan_is_named)
{
	scores[3] = NAN;
	assert_has("no NaN: FAIL");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_chunk");

	tcase_add_checked_fixture(tests, make_chunk, NULL);
	tcase_add_test(tests, a_correct_chunk_passes_every_check);
	tcase_add_test(tests, a_missing_rescale_is_named);
	tcase_add_test(tests, a_missing_key_is_named);
	tcase_add_test(tests, a_row_outside_the_hull_is_named);
	tcase_add_test(tests, a_sum_that_was_not_rescaled_is_named);
	tcase_add_test(tests, a_maximum_that_fell_is_named);
	tcase_add_test(tests, a_nan_is_named);
	return run_suite("view_chunk", tests);
}
