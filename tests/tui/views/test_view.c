/* test_view.c - what each view shows of a small synthetic trace, and the addresses it rejects.
 *
 * The trace has one sequence of three keys in chunks of two: two cache rows, two chunks and an
 * empty one, and their reduction. The second run of the trace differs in one partial.
 */
#include "tests/drawing.h"

#include <math.h>

#include "base/xalloc.h"
#include "traces/row.h"
#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"

static struct store *store;

static uint32_t bits(float value)
{
	uint32_t out;

	memcpy(&out, &value, sizeof out);
	return out;
}

static void must(enum status status)
{
	ck_assert_msg(status == STATUS_OK, "%s", error_text());
}

static void add_launch(int64_t run, int64_t number, const char *kernel, uint32_t x, uint32_t z)
{
	const struct row_arg args[] = {
		{ .name = "k", .type = "const float *", .kind = "pointer", .buffer = 1,
		  .offset = 8 },
		{ .name = "scale", .type = "float", .kind = "f32", .bits = bits(0.125f) },
		{ .name = "C", .type = "int", .kind = "i32", .bits = 2 },
	};
	const struct row_launch what = {
		.number = number, .kernel = kernel, .grid = { x, 1, z }, .block = { 32, 1, 1 },
		.cluster = { 1, 1, 1 },
		.layer = 0, .args = args, .arg_count = 3,
	};
	const struct row_op op = {
		.kind = OP_LAUNCH, .start_us = NAN, .duration_us = NAN, .object = -1,
		.launch = &what
	};

	must(store_kernel(store, run, &(struct row_kernel){
		.name = kernel, .params = "[]", .origin = "cuda_c" }));
	must(store_op(store, run, &op, NULL));
}

static void add_attention(int64_t run, float last_max)
{
	const struct row_kv kv[] = {
		{ .tensor = 'k', .layer = 0, .position = 0, .buffer = 1, .bytes = 16,
		  .source_op = -1 },
		{ .tensor = 'k', .layer = 0, .position = 2, .buffer = 1, .bytes = 16,
		  .source_op = -1 },
	};
	const struct row_partial partials[] = {
		{ .chunk = 0, .key_begin = 0, .key_end = 2, .max_bits = bits(2.0f),
		  .sum_bits = bits(1.5f),
		  .lse = 2.405, .share = 0.75 },
		{ .chunk = 1, .key_begin = 2, .key_end = 3, .max_bits = bits(last_max),
		  .sum_bits = bits(1.0f),
		  .lse = 1.3, .share = 0.25 },
		{ .chunk = 2, .key_begin = 4, .key_end = 3, .max_bits = bits(-INFINITY),
		  .lse = NAN },
	};
	const struct row_reduce reduces[] = {
		{ .chunk = 0, .order = 0, .factor = 1.0, .sum = 1.5 },
		{ .chunk = 1, .order = 1, .factor = 0.5, .sum = 2.0 },
	};
	const struct row_point points[] = {
		{ .thread = 0, .sequence = 0, .name = "score", .count = 2,
		  .bits = { bits(2.0f), bits(1.0f) } },
		{ .thread = 0, .sequence = 1, .name = "softmax", .count = 3,
		  .bits = { bits(2.0f), bits(0.0f), bits(1.5f) } },
		{ .thread = 1, .sequence = 0, .name = "score", .count = 2,
		  .bits = { bits(2.0f - logf(2.0f)), bits(0.5f) } },
	};

	/* Two lanes that load from two sectors, and store to one bank. */
	const struct row_access loads[] = {
		{ .lane = 0, .bytes = 4, .buffer = 1, .known = true, .bits = 5 },
		{ .lane = 1, .bytes = 4, .buffer = 1, .offset = 32 },
	}, stores[] = {
		{ .lane = 0, .bytes = 4 }, { .lane = 1, .bytes = 4, .offset = 128 },
	};
	struct row_request requests[] = {
		{ .block = 1, .counted = true, .file = "k.cu", .line = 7, .accesses = loads,
		  .count = 2 },
		{ .block = 1, .number = 1, .kind = ACCESS_STORE, .space = SPACE_SHARED,
		  .counted = true, .file = "k.cu", .line = 8, .accesses = stores, .count = 2 },
	};

	add_launch(run, 0, "kv_scatter", 1, 1);
	must(store_kv(store, run, 2, kv, 2));
	must(store_digests(store, run, 2, false, &(struct row_digest){
		.buffer = 1, .bytes = 48, .digest = 42 }, 1));
	add_launch(run, 1, "flash_decode_chunk", 1, 3);
	must(store_partials(store, run, 1, partials, 3));
	must(store_points(store, run, 1, 32, points, 3, 0));
	must(store_memory(store, run, 1, 32, &(struct row_memory){
		.requests = requests, .request_count = 2, .access_count = 4 }));
	add_launch(run, 2, "flash_decode_reduce", 1, 1);
	must(store_reduces(store, run, 2, reduces, 2));
}

static void add_run(uint64_t seed, float last_max)
{
	const struct row_run run = {
		.device = "sim", .device_name = "simulator", .profile = "h200", .driver = "",
		.seed = seed,
		.command = "decode", .path = "flash-decoding", .options = "{}",
		.level = LEVEL_POINTS,
		.version = "1", .started = "2000-01-01T00:00:00Z", .compute = "9.0",
	};
	const struct row_buffer buffer = {
		.id = 1, .name = "k_cache.0", .rank = 4,
		.shape = (const int64_t[]){ 1, 1, 4, 4 }, .bytes = 64
	};
	const struct row_op alloc = {
		.kind = OP_ALLOC, .start_us = NAN, .duration_us = NAN, .buffer = 1, .bytes = 64,
		.object = -1,
		.alloc = &buffer,
	};
	/* The row of key 3 is uploaded, not written by a kernel. */
	const struct row_op load = {
		.kind = OP_UPLOAD, .start_us = NAN, .duration_us = NAN, .buffer = 1, .offset = 48,
		.bytes = 16, .object = -1, .data = "a row of 16 byte",
	};
	int64_t number;

	must(store_run_begin(store, &run, &number));
	must(store_op(store, number, &alloc, NULL));
	must(store_op(store, number, &load, NULL));
	must(store_step_begin(store, number, 0));
	must(store_token(store, number, &(struct row_token){ .byte = 'A', .prompt = true }));
	must(store_token(store, number, &(struct row_token){ .position = 2, .byte = '\n' }));
	add_attention(number, last_max);
	must(store_step_end(store, number, 0));
	must(store_run_end(store, number, "OK", NULL));
}

static void make_trace(void)
{
	must(store_create(NULL, &(struct store_options){ 0 }, &store));
	add_run(0, 1.25f);
	add_run(7, 1.5f);
	must(store_commit(store));
	must(store_index_views(store));
}

static void close_trace(void)
{
	must(store_close(store));
}

static enum status draw(const char *screen, const char *at, char **text)
{
	return draw_screen((struct view_context){ .store = store }, screen, at ? at : "", text);
}

static void assert_shows(const char *screen, const char *at, const char *part)
{
	char *text;

	must(draw(screen, at, &text));
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text);
	free(text);
}

static void assert_rejected(const char *screen, const char *at, const char *message)
{
	char *text;

	ck_assert_int_eq(draw(screen, at, &text), STATUS_USAGE);
	ck_assert_ptr_nonnull(strstr(error_text(), message));
	free(text);
}

START_TEST(summary_names_runs_and_text)
{
	assert_shows("summary", NULL,
		     "> r1  decode flash-decoding  on sim (simulator, profile h200)  seed 0");
	assert_shows("summary", "r2", "> r2  decode flash-decoding");
	assert_shows("summary", NULL, "prompt\n    A\n  slot 0 generated\n    \\n\n");
	assert_shows("summary", NULL,
		     "flash_decode_chunk        1 launch    L1 to L1  grids up to 1x1x3\n");
	assert_shows("summary", NULL, "3 launches, 1 step, level points, ended OK\n");
}
END_TEST

START_TEST(timeline_lists_operations)
{
	assert_shows("time", NULL, " op 0     alloc k_cache.0, 64 B ");
	assert_shows("time", NULL,
		     " s0  slot 0  key 0 'A'  -> byte 2 '\\n'\n");
	assert_shows(
		"time", "L1",
		">L1       flash_decode_chunk  layer 0             0    #####                     "
		"1x1x3     32x1x1\n"
		"          args    k=k_cache.0 scale=0.125 C=2\n"
		/* The other run has a different maximum in chunk 1. */
		"          blocks      0 .de\n"
		"                  . nothing against it  e empty split  d differs in the other"
		" run\n");
	assert_shows("time", "L0", ">L0       kv_scatter k layer 0                    0 ####"
		     "                equal    1x1x1     32x1x1\n");
	assert_shows("time", "L1", " L0       kv_scatter k layer 0 ");
	assert_shows("time", NULL, " bars: logical time, 1 per operation");
	assert_shows("time", "op 2", " s0  slot 0");
	assert_rejected("time", "op 9", "no op 9");
	assert_shows("time", "r2.s0", " r2.L1    flash_decode_chunk  layer 0 ");
	assert_rejected("time", "s1", "no step s1");
	assert_rejected("time", "L3", "no launch L3");
}
END_TEST

START_TEST(launch_lists_arguments)
{
	assert_shows("launch", "L1",
		     "LAUNCH L1 flash_decode_chunk, step 0, layer 0\n  grid (1, 1, 3)");
	assert_shows("launch", "L1", "k            k_cache.0 + 8  (buffer 1, f32[1,1,4,4])");
	assert_shows("launch", "L1", "float                scale        0.125");
	assert_shows("launch", "L1", "CHUNKS of L1");
	assert_shows("launch", "L2", "REDUCTION of L2");
	assert_shows("launch", "L0", "k row  layer 0  slot 0  kv head 0  position 2  from op -");
	assert_shows("launch", "L0", "32 B in 2 pieces from 0 on  digest");
	assert_rejected("launch", "L1.b3", "L1 has blocks b0 to b2, not b3");
	assert_rejected("launch", "L1.b0.w1", "L1 has warps w0 to w0, not w1");
	assert_rejected("launch", "L1.b0.w0.l32", "L1 has lanes l0 to l31, not l32");
}
END_TEST

START_TEST(cache_shows_holes_and_writers)
{
	assert_shows("kv", NULL, "0..3            3  k_cache.0    L0");
	assert_shows("kv", NULL, "  #.#=  holes\n");
	assert_shows("kv", NULL, "         2  '\\n'   generated     0  L0        -");
	/* Key 1 was never written; chunks 0 and 1 read keys 0 to 2. */
	assert_shows("kv", "L1", "      0  A-$-\n written W.W=\n read    RUR\n");
	assert_shows("kv", "L1.b1", " read      R\n # filled");
	assert_shows("kv", "L1", "KV CACHE at L1.end, layer 0\n");
	assert_shows("kv", "s0", "KV CACHE at s0.end, layer 0\n");
	assert_shows("kv", NULL, "KV CACHE at the end of the run, layer 0\n");
	assert_shows("kv", "L0", " written W.W=\n # filled");
	assert_shows("kv", "L0", ". never written: poison 7fa0dead\n");
	assert_shows("kv", NULL, "         3  -      -             -  op 1      -\n");
}
END_TEST

START_TEST(chunks_show_partials)
{
	assert_shows("chunks", NULL,
		     " L1.b0    0    0   0     0 0..1   2.0000   1.5000  75.0 %"
		     "  |###############\n");
	assert_shows("chunks", "r2.L1",
		     " r2.L1.b1    0    0   0     1 2..2   1.5000   1.0000  25.0 %  |####=\n");
	assert_shows("chunks", NULL,
		     "slot 0 head 0: no keys in chunk 2, max -inf and sum 0 as it must be");
	assert_shows("chunks", NULL, "shares of each head add up to 1: ok");
	assert_shows("chunks", "L2", "CHUNKS of L1");
	assert_shows("chunks", "L0", "no partials here");
}
END_TEST

START_TEST(one_chunk_shows_scores_and_checks)
{
	assert_shows("chunks", "L1.b0",
		     "    0      0        -inf ->           2           0         1.5"
		     "            -\n");
	assert_shows("chunks", "L1.b0", "      0 'A'     2.000000  66.7% |      1");
	assert_shows("chunks", "L1.b0", "partial is the last tile's: ok\n");
	assert_shows("chunks", "L1.b0", "m = max s: ok  l = sum exp(s-m): ok  no NaN: ok\n");
	assert_shows("chunks", "L1.b0", "convex hull: outputs were not recorded");
	assert_shows("chunks", "L1.b1", "scores were not recorded");
}
END_TEST

START_TEST(attention_is_shown_below_the_text)
{
	assert_shows("text", NULL, " slot 0, 3 keys; the step gave byte '\\n' for position 2,"
		     " logit 0.00\n"
		     "               0\n               A $  -> '\\n'\n head 0      0 @@@\n");
	/* Parts of chunk 0 times its share, 0.75; chunk 1 has no scores. */
	assert_shows("text", "L1.b0",
		     ">head 0      0 @@@\n head 0 chunks | |\n"
		     " weights: ' ' under 1 %, . under 5 %, : under 20 %, @ more; $ is"
		     " '\\n'\n head 0 looks most at\n"
		     "   50.0 %  key     0 'A'               [A] $\n");
	assert_shows("text", "L1.b0", "   25.0 %  key     2 '\\n'            A [$]\n");
	assert_shows("text", "L1.b0", "   25.0 %  key     1\n");
	assert_shows("text", "L2", "no scores here");
}
END_TEST

START_TEST(reduction_is_listed_in_order)
{
	assert_shows("reduce", NULL,
		     " L2.b0    0    0     0 1.000000  75.0 %"
		     "  |############       1.500000          -\n");
	assert_shows("reduce", NULL,
		     " L2.b0    0    0     1 0.500000  25.0 %"
		     "  |####               2.000000          -\n");
}
END_TEST

START_TEST(points_are_counted_and_listed)
{
	assert_shows("points", "L1", "  score            2 points of 2 threads\n");
	assert_shows("points", "L1", "  softmax          1 point of 1 thread\n");
	assert_shows("points", "L1.b0.w0.l0",
		     " L1.b0.w0.l0.p1           softmax  max 2  rescale 0  sum 1.5  from key 0\n");
	assert_shows("points", "L1.b0.w0.l1.p0",
		     ">L1.b0.w0.l1.p0           score 1.3068528"
		     "  exp(score - running max) 0.5  key 1\n");
	assert_rejected("points", "L1.b0.w0.l1.p1", "L1.b0.w0.l1 has points p0 to p0, not p1");
	assert_shows("points", "L1.b1.w0.l0.p0", "published");
}
END_TEST

START_TEST(requests_are_drawn_lane_by_lane)
{
	assert_shows("memory", "L1", " b1.w0.a1 of a0 to a1: store of shared memory by 2 lanes");
	assert_shows("memory", "L1.b1.w0.a0",
		     ">b1.w0.a0 of a0 to a1: load of global memory by 2 lanes, 4 bytes each\n"
		     "  k.cu:7\n  8 bytes in 2 sectors of 32 (64 moved), 1 line of 128:"
		     " 56 wasted, 88%\n");
	assert_shows("memory", "L1.b1.w0", "  k_cache.0+0              |0.......|1.......|        |"
		     "        | lanes 0 to 1\n");
	assert_shows("memory", "L1.b1.w0.a1", ">b1.w0.a1 of a0 to a1: store of shared memory by 2");
	assert_shows("memory", "L1.b1.w0.a1", " 1 conflict\n");
	assert_shows("memory", "L1.b1.w0.a1", "  1                        |0       |        |"
		     "        |        | lane 0\n  2                        |1       |");
	assert_shows("memory", "L1.b0", "no loads and stores were recorded here");
	assert_rejected("memory", "L1.b1.w0.a2", "L1 has no request a2 here");
	assert_shows("memory", "L2", "no loads and stores were recorded here");
}
END_TEST

/* A trace may hold anything. */
START_TEST(a_damaged_access_is_refused)
{
	char *text;

	must(sqlite3_exec(store_db(store), "UPDATE t_access SET lane = 99 WHERE lane = 1", NULL,
			  NULL, NULL) == SQLITE_OK ? STATUS_OK : STATUS_INTERNAL);
	ck_assert_int_eq(draw("memory", "L1.b1.w0.a0", &text), STATUS_DAMAGED);
	ck_assert_ptr_nonnull(strstr(error_text(), "a load or store is damaged"));
	free(text);
}
END_TEST

START_TEST(differences_are_counted)
{
	assert_shows("diff", NULL, "run 1 against run 2\n");
	assert_shows("diff", NULL, "  1 difference, ");
	assert_shows("diff", NULL, " 1 buffer, 4 values, 3 partials, 3 points, 2 tokens\n");
	assert_shows("diff", NULL, "L1 slot 0 head 0 chunk 1");
}
END_TEST

START_TEST(no_line_is_too_wide)
{
	char *text, *save = NULL;

	for (int i = 0; view_table[i]; i++) {
		must(draw(view_table[i]->name, "L1", &text));
		for (char *line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			ck_assert_msg(strlen(line) <= 100, "%zu columns: %s", strlen(line), line);
		free(text);
	}
	ck_assert_ptr_null(view_find("nothing"));
}
END_TEST

START_TEST(cells_are_exact)
{
	view_cell cell;

	ck_assert_str_eq(view_byte_cell('\'', cell), "'\\''");
	ck_assert_str_eq(view_byte_cell(0, cell), "0x00");
	ck_assert_str_eq(view_byte_cell(0xe4, cell), "0xe4");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("view");
	TCase *tests = tcase_create("view");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, make_trace, close_trace);
	tcase_add_test(tests, summary_names_runs_and_text);
	tcase_add_test(tests, timeline_lists_operations);
	tcase_add_test(tests, launch_lists_arguments);
	tcase_add_test(tests, cache_shows_holes_and_writers);
	tcase_add_test(tests, chunks_show_partials);
	tcase_add_test(tests, one_chunk_shows_scores_and_checks);
	tcase_add_test(tests, attention_is_shown_below_the_text);
	tcase_add_test(tests, reduction_is_listed_in_order);
	tcase_add_test(tests, points_are_counted_and_listed);
	tcase_add_test(tests, requests_are_drawn_lane_by_lane);
	tcase_add_test(tests, a_damaged_access_is_refused);
	tcase_add_test(tests, differences_are_counted);
	tcase_add_test(tests, no_line_is_too_wide);
	tcase_add_test(tests, cells_are_exact);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
