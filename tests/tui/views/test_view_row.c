/* test_view_row.c - the chunks of one row and their merge: none is left out without a mark, columns
 * line up, and points of the reduction move the merge.
 *
 * Two synthetic traces, of 5 chunks with keys and 3 without, and of 100 chunks.
 */
#include "config.h"

#include "tests/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"
#include "traces/store/store_index.h"

enum { D = 2, FEW = 5, EMPTY = 3, MANY = 100, KEYS = 16, LARGE = 70, TOO_MANY = 4098 };

static struct store *few, *many;

static uint32_t bits(float value)
{
	uint32_t out;

	memcpy(&out, &value, sizeof out);
	return out;
}

/* Of five, the last has nearly all of the row; of many, chunk LARGE. Some scores are negative, some
 * have two digits. */
static float max_of(int chunk, int count)
{
	static const float maxima[FEW] = { 0.198f, -12.25f, 1.5f, 3.547f, 7.622f };

	if (count == FEW)
		return maxima[chunk];
	return chunk == LARGE ? 4.0f : (float)(chunk % 7) / 8.0f - 0.5f;
}

static float sum_of(int chunk)
{
	return 1.0f + (float)(chunk % 3) / 2.0f;
}

static void add_launch(struct store *store, int64_t number, const char *kernel, uint32_t blocks)
{
	const struct row_arg args[] = {
		{ .name = "D", .type = "int", .kind = "i32", .bits = D },
	};
	const struct row_launch what = {
		.number = number, .kernel = kernel, .grid = { 1, 1, blocks },
		.block = { 32, 1, 1 }, .cluster = { 1, 1, 1 }, .layer = 0, .args = args,
		.arg_count = 1,
	};

	OK(store_kernel(store, 1, &(struct row_kernel){
		.name = kernel, .params = "[]", .origin = "cuda_c" }));
	OK(store_op(store, 1, &(struct row_op){
		.kind = OP_LAUNCH, .start_us = NAN, .duration_us = NAN, .object = -1,
		.launch = &what }, NULL));
}

/* Two runs over the chunks, as the recorder makes them: the total first. */
static void add_rows(struct store *store, int count, int empty)
{
	struct row_partial *partials = xcalloc((size_t)(count + empty), sizeof *partials);
	struct row_reduce *reduces = xcalloc((size_t)count, sizeof *reduces);
	struct row_point *points = xcalloc((size_t)count, sizeof *points);
	static const float acc[D] = { 1.0f, 2.0f };
	double g = -INFINITY, total = 0.0, sum = 0.0;

	for (int i = 0; i < count; i++)
		g = fmax(g, max_of(i, count));
	for (int i = 0; i < count; i++)
		total += exp(max_of(i, count) - g) * sum_of(i);
	for (int i = 0; i < count; i++) {
		double factor = exp(max_of(i, count) - g);

		sum += factor * sum_of(i);
		partials[i] = (struct row_partial){
			.chunk = i, .key_begin = i * KEYS, .key_end = (i + 1) * KEYS,
			.max_bits = bits(max_of(i, count)), .sum_bits = bits(sum_of(i)),
			.lse = max_of(i, count) + log(sum_of(i)),
			.share = factor * sum_of(i) / total, .acc = acc, .acc_bytes = sizeof acc };
		reduces[i] = (struct row_reduce){ .chunk = i, .order = i, .factor = factor,
						  .sum = sum };
		points[i] = (struct row_point){
			.sequence = (uint32_t)i, .name = "reduce", .count = 3,
			.bits = { bits((float)factor), bits((float)sum), bits((float)-sum) } };
	}
	for (int i = count; i < count + empty; i++)
		partials[i] = (struct row_partial){
			.chunk = i, .key_begin = i * KEYS, .key_end = count * KEYS,
			.max_bits = bits(-INFINITY), .lse = NAN };
	add_launch(store, 0, "flash_decode_chunk", (uint32_t)(count + empty));
	OK(store_partials(store, 1, 0, partials, (size_t)(count + empty)));
	add_launch(store, 1, "flash_decode_reduce", 1);
	OK(store_reduces(store, 1, 1, reduces, (size_t)count));
	OK(store_points(store, 1, 1, 32, points, (size_t)count, 0));
	free(partials);
	free(reduces);
	free(points);
}

static struct store *make_trace(int count, int empty)
{
	const struct row_run run = {
		.device = "sim", .device_name = "simulator", .profile = "h200", .driver = "",
		.command = "attend", .path = "flash-decoding", .options = "{}",
		.level = LEVEL_POINTS, .version = "1", .started = "2000-01-01T00:00:00Z",
		.compute = "9.0",
	};
	struct store *store;
	int64_t number;

	OK(store_create(NULL, NULL, &store));
	OK(store_run_begin(store, &run, &number));
	add_rows(store, count, empty);
	OK(store_run_end(store, number, "OK", NULL));
	OK(store_commit(store));
	OK(store_index_views(store));
	return store;
}

static void open_traces(void)
{
	few = make_trace(FEW, EMPTY);
	many = make_trace(MANY, 0);
}

static void close_traces(void)
{
	OK(store_close(few));
	OK(store_close(many));
}

static char *draw_as(struct store *store, const char *screen, const char *at, bool all,
		     enum view_number number)
{
	const struct view_context c = { .store = store, .all = all, .looks.number = number };
	char *text;

	OK(draw_screen(c, screen, at, &text));
	return text;
}

static char *draw(struct store *store, const char *screen, const char *at)
{
	return draw_as(store, screen, at, false, NUMBER_DEC);
}

static void assert_has(struct store *store, const char *screen, const char *at, const char *part)
{
	char *text = draw(store, screen, at);

	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text);
	free(text);
}

/* --- no chunk is left out without a mark --- */

START_TEST(a_chunk_far_from_the_address_is_listed)
{
	assert_has(few, "chunks", "L0.b0", ">L0.b0     0 0..15 ");
	assert_has(few, "chunks", "L0.b0", " L0.b4     4 64..79 ");
	assert_has(few, "chunks", "L0.b0", "  98.6 %  |#####################=\n");
	assert_has(few, "chunks", "L0.b0",
		   "  no keys in chunks 5..7: max -inf and sum 0 as it must be\n");
	assert_has(few, "chunks", "L0.b6", ">L0.b6     6 none ");
	assert_has(few, "chunks", "L0.b6", " 0.0000         -   0.0 %  |\n");
}
END_TEST

struct listed {
	int rows, gaps, in_gaps;
	double percent;
	bool chunk[MANY];
};

/* Reads the table of a screen: its lines with a bar. Addresses are left out. */
static struct listed read_table(const char *text)
{
	struct listed l = { 0 };

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		const char *bar = memchr(line, '|', strcspn(line, "\n"));
		const char *cell = line + 1, *share;
		int number;

		if (!bar || bar[-1] != ' ' || bar[-3] != '%')
			continue;
		for (share = bar - 4; share[-1] != ' ' || share[0] == ' '; )
			share--;
		l.percent += atof(share);
		cell += strncmp(cell, "L0.b", 4) ? 0 : strcspn(cell, " ");
		if (sscanf(cell, " ... %d chunks ", &number) == 1) {
			l.gaps++;
			l.in_gaps += number;
		} else if (sscanf(cell, " %d ", &number) == 1) {
			l.rows++;
			l.chunk[number] = true;
		}
	}
	return l;
}

static void assert_complete(const char *screen, const char *at)
{
	char *text = draw(many, screen, at);
	struct listed l = read_table(text);

	ck_assert_msg(l.rows + l.in_gaps == MANY, "%d + %d chunks in:\n%s", l.rows, l.in_gaps,
		      text);
	ck_assert_msg(fabs(l.percent - 100.0) < 1.5, "%.1f %% in:\n%s", l.percent, text);
	ck_assert_msg(l.gaps > 1 && l.rows < 30, "%s", text);
	ck_assert_msg(l.chunk[0] && l.chunk[LARGE] && l.chunk[MANY - 1], "%s", text);
	free(text);
}

START_TEST(gaps_have_their_share)
{
	struct listed l;
	char *text;

	assert_complete("chunks", "L0.b30");
	assert_complete("reduce", "L1.b0");
	assert_complete("reduce", "L1.b0.w0.l0.p30");
	for (int i = 0; i < 2; i++) {
		text = draw(many, i ? "reduce" : "chunks", i ? "L1.b0.w0.l0.p30" : "L0.b30");
		l = read_table(text);
		for (int chunk = 27; chunk <= 33; chunk++)
			ck_assert_msg(l.chunk[chunk], "no chunk %d in:\n%s", chunk, text);
		free(text);
	}
	text = draw_as(many, "chunks", "L0.b30", true, NUMBER_DEC);
	l = read_table(text);
	ck_assert_msg(l.rows == MANY && l.gaps == 0, "%s", text);
	free(text);
}
END_TEST

START_TEST(chunks_that_are_not_read_are_mentioned)
{
	struct store *store = make_trace(TOO_MANY, 0);

	assert_has(store, "reduce", "L1.b0", "  ... 2 more chunks not read: shares and float64");
	assert_has(store, "chunks", "L0.b0", " L0.b4097  4097 65552..65567 ");
	OK(store_close(store));
}
END_TEST

/* --- columns --- */

/* The bars begin in one column, and so do the digits after the points of each number. */
static void assert_aligned(const char *text)
{
	long bar = -1, point[8];
	int points = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		const char *end = memchr(line, '|', strcspn(line, "\n"));
		int n = 0;

		if (!end || end[-3] != '%' || strstr(line, "...") == line + 2)
			continue;
		if (bar >= 0)
			ck_assert_msg(end - line == bar, "bars in:\n%s", text);
		bar = end - line;
		for (const char *at = line; at < end; at++) {
			if (*at != '.' || at[1] == '.' || at[-1] == '.' || at[1] == 'b')
				continue;
			if (n == points)
				point[points++] = at - line;
			ck_assert_msg(at - line == point[n] || at[2] == 'e', "number %d in:\n%s",
				      n, text);
			n++;
		}
	}
	ck_assert_int_gt(bar, 0);
	ck_assert_int_gt(points, 1);
}

START_TEST(columns_line_up)
{
	static const char *const at[][2] = {
		{ "chunks", "L0.b0" }, { "chunks", "L0" },
		{ "reduce", "L1.b0" }, { "reduce", "L1" },
	};

	for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
		char *text = draw(few, at[i][0], at[i][1]);

		assert_aligned(text);
		free(text);
	}
}
END_TEST

/* Rounded numbers fit into a terminal of 80 columns, all digits into 100. */
START_TEST(no_line_is_too_wide)
{
	static const char *const at[][2] = {
		{ "chunks", "L0.b30" }, { "chunks", "L0" },
		{ "reduce", "L1.b0" }, { "reduce", "L1" },
	};

	for (size_t i = 0; i < 4 * NUMBER_COUNT; i++) {
		enum view_number number = i / 4;
		char *save = NULL, *text = draw_as(many, at[i % 4][0], at[i % 4][1], false, number);

		for (char *line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			bool table = strchr(line, '|') || strstr(line, " chunk ") == line;

			ck_assert_msg(strlen(line) <= (number || !table ? 100 : 80),
				      "%zu columns, %s: %s", strlen(line),
				      view_number_names[number], line);
		}
		free(text);
	}
}
END_TEST

START_TEST(all_digits_are_shown_on_request)
{
	char *text = draw_as(few, "reduce", "L1.b0", false, NUMBER_FULL);

	ck_assert_msg(strstr(text, "     0          0.198              1   0.0005967572   0.0 % -+ "
			     "   0.0005967572"), "%s", text);
	ck_assert_msg(strstr(text, "acc[0]\n"), "%s", text);
	free(text);
	assert_has(few, "reduce", "L1.b0", "     0 0..15     0.198   1.0000 0.000597   0.0 %  |");
}
END_TEST

/* --- the merge --- */

START_TEST(points_move_the_merge)
{
	assert_has(few, "reduce", "L1.b0",
		   ">slot 0 head 0: 5 chunks merged, relative to g = 7.622, the maximum of all\n");
	assert_has(few, "reduce", "L1.b0.w0.l0.p0", ": 1 of 5 chunks merged so far, ");
	assert_has(few, "reduce", "L1.b0.w0.l0.p2", ": 3 of 5 chunks merged so far, ");
	assert_has(few, "reduce", "L1.b0.w0.l0.p2", "\n>    2 32..47 ");
	assert_has(few, "reduce", "L1.b0.w0.l0.p3", "\n>    3 48..63 ");
	assert_has(few, "reduce", "L1.b0.w0.l0.p4", ": 5 chunks merged, ");
	assert_has(few, "reduce", "L1.b0.w0.l0.p2", "of this row, after the last chunk\n");
}
END_TEST

START_TEST(the_merge_ends_at_the_point)
{
	char *text = draw(few, "reduce", "L1.b0.w0.l0.p2");
	int before = 0, here = 0, after = 0;

	for (char *line = strstr(text, "     0 0..15"); line && *line;
	     line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n");

		if (!memchr(line, '|', length))
			break;
		before += memmem(line, length, " -+  ", 5) != NULL;
		here += memmem(line, length, " -+- ", 5) != NULL;
		after += memmem(line, length, "-+", 2) == NULL;
	}
	ck_assert_msg(before == 2 && here == 1 && after == 2, "%d %d %d in:\n%s", before, here,
		      after, text);
	free(text);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_row");

	tcase_add_checked_fixture(tests, open_traces, close_traces);
	tcase_add_test(tests, a_chunk_far_from_the_address_is_listed);
	tcase_add_test(tests, gaps_have_their_share);
	tcase_add_test(tests, chunks_that_are_not_read_are_mentioned);
	tcase_add_test(tests, columns_line_up);
	tcase_add_test(tests, no_line_is_too_wide);
	tcase_add_test(tests, all_digits_are_shown_on_request);
	tcase_add_test(tests, points_move_the_merge);
	tcase_add_test(tests, the_merge_ends_at_the_point);
	return run_suite("view_row", tests);
}
