/* test_rungs.c - parts of `bench --suite decode`: shapes as text, reads, samples, saved results. */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/attention/launch_kernel.h"
#include "engine/attention/path_ladder.h"
#include "kernels/read_rule.h"
#include "tui/bench/bench_rungs.h"

static struct rig rig;

static void open_rig(void)
{
	OK(rig_open("sim", false, 3, 4096, &rig));
}

static void close_rig(void)
{
	rig_close(&rig);
}

/* --- shapes --- */

static void check_text(const char *text, const char *canonical, const char *label, int64_t keys)
{
	struct shape shape;
	char *written, *brief;

	OK(shape_parse("x", text, &shape));
	written = shape_text(&shape);
	brief = shape_label(&shape);
	ck_assert_str_eq(written, canonical);
	ck_assert_str_eq(brief, label);
	ck_assert_int_eq(shape_total_keys(&shape), keys);
	free(written);
	free(brief);
	shape_free(&shape);
}

START_TEST(shapes_have_one_spelling)
{
	check_text("1,32/8,128,32768", "1,32/8,128,32K", "1,32/8,128,32K", 32768);
	check_text("32,32/8,128,4K", "32,32/8,128,4K", "32,32/8,128,4K", 131072);
	check_text("2,4/4,64,100+100", "2,4/4,64,100", "2,4/4,64,100", 200);
	check_text("1,1/1,1,2M", "1,1/1,1,2M", "1,1/1,1,2M", 2 << 20);
	check_text("3,32/8,128,500+2x64K", "3,32/8,128,500+2x64K", "3,32/8,128,500+2x64K",
		   500 + 2 * 65536);
	check_text("6,8/8,128,9+8+3x7+1K", "6,8/8,128,9+8+3x7+1K", "6,8/8,128,9+8+3x7+1K", 1062);
	check_text("5,8/8,128,9+8+7+6+1K", "5,8/8,128,9+8+7+6+1K", "5,8/8,128,6..1K", 1054);
}
END_TEST

START_TEST(a_shape_has_lengths)
{
	struct shape shape;
	int *lengths;

	OK(shape_parse("x", "4,8/2,16,3+2x5+4", &shape));
	lengths = shape_lengths(&shape);
	ck_assert_mem_eq(lengths, ((int[]){ 3, 5, 5, 4 }), 4 * sizeof(int));
	ck_assert_int_eq(shape_max_keys(&shape), 5);
	ck_assert_double_eq(shape_bytes(&shape, 4), 2.0 * 17 * 2 * 16 * 4);
	ck_assert_int_eq(shape_attention(&shape).max_len, 5);
	free(lengths);
	shape_free(&shape);
}
END_TEST

START_TEST(other_texts_are_no_shapes)
{
	static const char *const texts[] = {
		"", "1", "1,32/8,128", "1,32/8,128,", "1,32,128,1K", "0,32/8,128,1K",
		"1,32/0,128,1K", "1,32/8,0,1K", "1,32/8,128,0", "1,32/8,128,1k",
		"1,32/8,128,1K,", "1,32/8,128,1K+", " 1,32/8,128,1K", "1,32/8,128,-1",
		"1,32/8,128,0x5", "2,32/8,128,5x", "1,32/8,128,3M0", "1,32/8,128,2048M",
		"1,32/8,128,99999999999999999999", "99999999999,32/8,128,1K",
		/* Numbers that do not fit together. */
		"2,32/8,128,5+6+7", "2,32/8,128,3x5", "1,32/5,128,1K",
		"2,32/8,128,2147483647x5+2147483647x6",
	};
	struct shape shape;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		ck_assert_msg(shape_parse("--x", texts[i], &shape) == STATUS_USAGE, "%s",
			      texts[i]);
		ck_assert_msg(strncmp(error_text(), "--x: ", 5) == 0
			      && strstr(error_text(), texts[i]), "%s", error_text());
	}
}
END_TEST

/* --- the kernels that read --- */

enum { MAX_WORDS = 4 * 3000 };

/* Reads with a grid of `blocks`, and gives the exclusive or of what the warps publish. */
static uint32_t read_all(const char *kernel, unsigned blocks, unsigned shared,
			 struct buffer *from, int64_t vectors)
{
	const struct buffer_spec spec = { "sums", DTYPE_U32, 1, { blocks * READ_WARPS } };
	const struct launch_target target = { 0 };
	uint32_t *values = calloc(blocks * READ_WARPS, sizeof *values), sum = 0;
	struct buffer *sums;

	OK(device_alloc(rig.device, &spec, &sums));
	const struct arg args[] = { ARG_BUFFER(from), ARG_BUFFER(sums), ARG_I64(vectors) };
	OK(launch_on(rig.device, &target, kernel, &(struct launch){
		.grid = { blocks, 1, 1 }, .block = { 32, READ_WARPS, 1 }, .shared_bytes = shared,
		.args = args, .arg_count = 3, .layer = -1 }));
	OK(device_download(rig.device, NULL, sums, 0, values, sums->bytes));
	for (unsigned i = 0; i < blocks * READ_WARPS; i++)
		sum ^= values[i];
	OK(device_free(rig.device, sums));
	free(values);
	return sum;
}

/* Whole tiles, parts of one, fewer tiles than warps, and more than a ring holds. */
START_TEST(reads_read_everything)
{
	static const int64_t sizes[] = { 1, 31, 255, 256, 257, 1000, 3000 };
	static uint32_t words[MAX_WORDS];
	const struct buffer_spec spec = { "from", DTYPE_U32, 1, { MAX_WORDS } };
	struct buffer *from;

	for (size_t i = 0; i < MAX_WORDS; i++)
		words[i] = (uint32_t)(i * 2654435761u ^ i << 7);
	OK(device_alloc(rig.device, &spec, &from));
	OK(device_upload(rig.device, NULL, from, 0, words, sizeof words));
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		for (unsigned blocks = 1; blocks <= 3; blocks += 2) {
			uint32_t wanted = 0;

			for (int64_t j = 0; j < 4 * sizes[i]; j++)
				wanted ^= words[j];
			ck_assert_uint_eq(read_all("read_direct", blocks, 0, from, sizes[i]),
					  wanted);
			ck_assert_uint_eq(read_all("read_bulk", blocks, READ_RING_BYTES, from,
						   sizes[i]), wanted);
		}
}
END_TEST

/* --- times --- */

static enum status note_copy(struct rig *with, void *context, int copy)
{
	int *calls = context;

	(void)with;
	calls[copy]++;
	return STATUS_OK;
}

START_TEST(every_copy_is_in_the_graph)
{
	struct rungs_time time = { 0 };
	int calls[3] = { 0 };

	OK(rungs_time_work(&rig, 3, note_copy, calls, &time));
	ck_assert_mem_eq(calls, ((int[]){ 1, 1, 1 }), sizeof calls);
	ck_assert_int_eq(time.copies, 3);
	ck_assert_int_eq(time.launches, 3);
	ck_assert_int_eq(time.runs, rig.runs);
	ck_assert(time.p10 > 0 && time.p10 <= time.us && time.us <= time.p90);
}
END_TEST

static struct rungs_time time_of_rung(const char *text, int rung)
{
	struct rungs_time time;
	struct shape shape;

	OK(shape_parse("x", text, &shape));
	OK(rungs_time_rung(&rig, &shape, rung, &time));
	shape_free(&shape);
	return time;
}

START_TEST(rungs_that_cannot_run_have_a_reason)
{
	struct rungs_time time = time_of_rung("2,4/2,64,3+9", 5);

	ck_assert(time.us > 0 && time.p10 <= time.us && time.us <= time.p90);
	ck_assert_str_eq(time.note, "");
	time = time_of_rung("1,4/2,48,9", 5);
	ck_assert(isnan(time.us) && strstr(time.note, "head sizes"));
	time = time_of_rung("1,4/2,48,9", 3);
	ck_assert(time.us > 0);
	time = time_of_rung("2,4/2,64,9", 0);
	ck_assert(isnan(time.us) && strstr(time.note, "host"));
	ck_assert_int_eq(rungs_check(11, DTYPE_F32, 1), STATUS_USAGE);
	ck_assert_int_eq(rungs_check(0, DTYPE_F32, 1), STATUS_OK);
	ck_assert_int_eq(rungs_check(LADDER_BEST, DTYPE_F32, 1), STATUS_OK);
}
END_TEST

START_TEST(what_does_not_fit_is_left_out)
{
	struct shape shape;
	struct rungs_time time;

	/* The device has 140 GiB. */
	OK(shape_parse("x", "1,8/8,256,16M", &shape));
	OK(rungs_time_rung(&rig, &shape, 5, &time));
	ck_assert(isnan(time.us) && strstr(time.note, "do not fit"));
	OK(rungs_time_read(&rig, 200e9, &time));
	ck_assert(isnan(time.us) && strstr(time.note, "does not fit"));
	shape_free(&shape);
}
END_TEST

/* --- lists --- */

START_TEST(ragged_lengths_have_an_equal_twin)
{
	struct rungs_shapes shapes;
	int64_t ragged = 0, equal = 0;

	OK(rungs_shapes(true, "table", DTYPE_F32, 1, &shapes));
	for (size_t i = 0; i < shapes.count; i++) {
		const struct shape *s = &shapes.items[i].shape;

		if (s->run_count > 4)
			ragged = shape_total_keys(s);
		else if (s->run_count == 2)
			equal = shape_total_keys(s);
	}
	ck_assert_int_eq(ragged, 447369);
	ck_assert_int_eq(equal, ragged);
	rungs_shapes_free(&shapes);
}
END_TEST

/* Together, the lists have every power of two from 512 to 128K, once. */
START_TEST(lists_have_all_powers_of_two)
{
	struct rungs_shapes shapes;
	unsigned seen = 0;

	OK(rungs_shapes(true, NULL, DTYPE_F32, 1, &shapes));
	for (size_t i = 0; i < shapes.count; i++) {
		const struct shape *s = &shapes.items[i].shape;

		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(shapes.items[i].text, shapes.items[j].text);
		if (s->sequences == 1 && s->heads == 32 && s->kv_heads == 8 && s->head_dim == 128)
			seen |= (unsigned)s->runs[0].keys;
	}
	ck_assert_uint_eq(seen, 0x3fe00);
	rungs_shapes_free(&shapes);
	ck_assert_int_eq(rungs_shapes(true, "nonsense", DTYPE_BF16, 1, &shapes), STATUS_USAGE);
}
END_TEST

int main(void)
{
	TCase *texts = tcase_create("texts"), *device = tcase_create("device");

	tcase_add_test(texts, shapes_have_one_spelling);
	tcase_add_test(texts, a_shape_has_lengths);
	tcase_add_test(texts, other_texts_are_no_shapes);
	tcase_add_test(texts, ragged_lengths_have_an_equal_twin);
	tcase_add_test(texts, lists_have_all_powers_of_two);
	tcase_add_checked_fixture(device, open_rig, close_rig);
	tcase_add_test(device, reads_read_everything);
	tcase_add_test(device, every_copy_is_in_the_graph);
	tcase_add_test(device, rungs_that_cannot_run_have_a_reason);
	tcase_add_test(device, what_does_not_fit_is_left_out);
	return run_suites("rungs", (TCase *[]){ texts, device }, 2);
}
