/* test_view_diff.c - steps through the differences of runs, and the screens that show them.
 *
 * Also tests the source and findings screens and breakpoints. The synthetic trace has three runs of
 * a kernel. In run 2, launches 0 and 4 equal those of run 1; launch 1 differs in a point and two
 * elements, launch 2 only in a digest, launch 3 only in a point. Run 3 is run 2 without points.
 */
#include "tests/drawing.h"

#include <math.h>

#include "traces/digest.h"
#include "traces/row.h"
#include "traces/store/store_index.h"
#include "tui/views/element/view_element.h"
#include "tui/views/element/view_element_spot.h"
#include "tui/views/kernel/breakpoints.h"
#include "tui/views/kernel/view_findings.h"
#include "tui/views/kernel/view_point_names.h"

static struct store *store;

static const char text[] =
	"__global__ void k(float *y)\n"
	"{\n"
	"\tfloat score = y[0];\n"
	"\tPOINT(score, score, 2.0f);\n"
	"\ty[threadIdx.x] = score;\n"
	"}\n";

static uint32_t bits(float value)
{
	uint32_t out;

	memcpy(&out, &value, sizeof out);
	return out;
}

static void add_digest(int64_t run, int64_t op, const float *y, bool bytes)
{
	struct row_digest digest = {
		.buffer = 1, .bytes = 8 * sizeof(float),
		.digest = digest_bytes(DTYPE_F32, y, 8 * sizeof(float)),
		.data = bytes ? y : NULL,
	};

	OK(store_digests(store, run, op, false, &digest, 1));
}

static void add_points(int64_t run, int64_t launch, float second)
{
	const struct row_point points[] = {
		{ .thread = 0, .name = "score", .count = 2, .bits = { bits(1.0f), bits(2.0f) } },
		{ .thread = 0, .sequence = 1, .name = "score", .count = 2,
		  .bits = { bits(second), bits(2.0f) } },
	};

	OK(store_points(store, run, launch, 4, points, 2, 0));
}

/* Adds a launch; some launches of the second and third run differ from those of the first. */
static void add_launch(int64_t run, int64_t launch)
{
	float y[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct row_launch what = {
		.number = launch, .kernel = "k", .grid = { 2, 1, 1 }, .block = { 4, 1, 1 },
		.cluster = { 1, 1, 1 }, .layer = -1,
		.args = &(struct row_arg){ .name = "y", .type = "float *", .kind = "pointer",
					     .buffer = 1 },
		.arg_count = 1,
	};
	const struct row_op op = { .kind = OP_LAUNCH, .start_us = NAN, .duration_us = NAN,
				     .object = -1, .launch = &what };
	bool other = run > 1;
	int64_t number;

	OK(store_op(store, run, &op, &number));
	if (launch == 1 && other) {
		y[3] = nextafterf(y[3], 9.0f);
		y[6] = NAN;
	}
	if (launch == 2 && other)
		y[0] = 0.0f;
	add_digest(run, number, y, launch != 2);
	if (run < 3)
		add_points(run, launch, other && (launch == 1 || launch == 3) ? 3.5f : 3.0f);
}

static void add_run(uint64_t seed, enum log_level level)
{
	const struct row_run run = {
		.device = "sim", .device_name = "simulator", .profile = "h200", .driver = "",
		.seed = seed, .command = "launch", .path = "", .options = "{}", .level = level,
		.version = "1", .started = "2000-01-01T00:00:00Z", .compute = "9.0",
	};
	const struct row_buffer buffer = { .id = 1, .name = "y", .rank = 2,
					     .shape = (const int64_t[]){ 2, 4 }, .bytes = 32 };
	const struct row_op alloc = { .kind = OP_ALLOC, .start_us = NAN, .duration_us = NAN,
					.buffer = 1, .bytes = 32, .object = -1, .alloc = &buffer };
	const struct row_source source = { "dir/k.cu", text };
	int64_t number;

	OK(store_run_begin(store, &run, &number));
	OK(store_op(store, number, &alloc, NULL));
	OK(store_kernel(store, number, &(struct row_kernel){
		.name = "k", .params = "[]", .origin = "cuda_c", .sources = &source,
		.source_count = 1 }));
	for (int64_t launch = 0; launch < 5; launch++)
		add_launch(number, launch);
	OK(store_run_end(store, number, "OK", NULL));
}

static void add_facts(void)
{
	static const char message[] =
		"{\"count\":3,\"lint\":false,\"what\":\"write\",\"block\":[1,0,0],"
		"\"thread\":[2,0,0],\"epoch\":1,\"file\":\"dir/k.cu\",\"line\":5,"
		"\"other\":{\"what\":\"read\",\"block\":[0,0,0],\"thread\":[1,0,0],\"epoch\":1,"
		"\"file\":\"dir/k.cu\",\"line\":3},\"detail\":\"4 bytes of y\","
		"\"why\":\"nothing orders them\",\"fix\":\"order them\"}";
	const struct row_side write = { .what = "write",
					.launch = 1,
					.file = "dir/k.cu",
					.line = 5,
					.block = { 1, 0, 0 },
					.thread = { 2, 0, 0 },
					.place = 6 };
	const struct row_side read = { .what = "read",
				       .launch = 1,
				       .file = "dir/k.cu",
				       .line = 3,
				       .block = { 0, 0, 0 },
				       .thread = { 1, 0, 0 },
				       .place = 1 };
	const struct row_finding finding = { .class = "race-grid", .launch = 1, .kernel = "k",
					       .sides = { write, read }, .detail = "", .why = "",
					       .fix = "" };
	const struct row_line_count lines[] = { { "dir/k.cu", 3, 8 }, { "dir/k.cu", 5, 8 } };
	const struct row_counters counters = { .launch = 1, .kernel = "k", .counted = true,
						 .barriers = 6,
						 .lines = lines, .line_count = 2 };

	OK(store_finding(store, 1, &finding, message));
	OK(store_counters(store, 1, &counters));
}

static void make_trace(void)
{
	OK(store_create(NULL, &(struct store_options){ 0 }, &store));
	add_run(0, LEVEL_POINTS);
	add_run(7, LEVEL_POINTS);
	add_run(9, LEVEL_PARTIALS);
	add_facts();
	OK(store_commit(store));
	OK(store_index_views(store));
}

static void close_trace(void)
{
	OK(store_close(store));
}

/* --- stepping --- */

static const char *const spots[] = { "L1.b0.w0.l0.p1", "L1.o0.e3", "L1.o0.e6", "L2.o0",
				     "L3.b0.w0.l0.p1" };
#define SPOTS ((int)(sizeof spots / sizeof spots[0]))

static enum diff_outcome step(int direction, struct address *at)
{
	struct view_context c = { .store = store, .run = 1, .at = *at };
	struct diff_pair pair;
	struct diff_spot spot;
	enum diff_outcome outcome;
	bool some;

	OK(element_pair(&c, &pair, &some));
	ck_assert(some);
	OK(element_address_spot(&c, at, &spot));
	OK(diff_spot_step(&pair, direction, &spot, NULL, NULL, &outcome));
	if (outcome == DIFF_FOUND)
		OK(element_spot_address(&c, &spot, at));
	return outcome;
}

static void assert_at(const struct address *at, const char *wanted)
{
	char found[ADDRESS_TEXT];

	address_format(at, found);
	ck_assert_str_eq(found, wanted);
}

START_TEST(every_difference_is_stepped_to)
{
	struct address at;

	OK(address_parse("", "L0", &at));
	for (int i = 0; i < SPOTS; i++) {
		ck_assert_int_eq(step(1, &at), DIFF_FOUND);
		assert_at(&at, spots[i]);
	}
	ck_assert_int_eq(step(1, &at), DIFF_NONE);
	for (int i = SPOTS - 2; i >= 0; i--) {
		ck_assert_int_eq(step(-1, &at), DIFF_FOUND);
		assert_at(&at, spots[i]);
	}
	ck_assert_int_eq(step(-1, &at), DIFF_NONE);
}
END_TEST

START_TEST(the_next_difference_is_found_from_between)
{
	static const struct {
		const char *from, *after, *before;
	} cases[] = {
		{ "L1", "L1.b0.w0.l0.p1", NULL },
		{ "L1.end", "L2.o0", "L1.o0.e6" },
		{ "L1.o0.e4", "L1.o0.e6", "L1.o0.e3" },
		{ "L1.o0", "L1.o0.e3", "L1.b0.w0.l0.p1" },
		{ "L1.b1", "L1.o0.e3", "L1.b0.w0.l0.p1" },
		{ "L4", NULL, "L3.b0.w0.l0.p1" },
		{ "op 0", "L1.b0.w0.l0.p1", NULL },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (int direction = -1; direction < 2; direction += 2) {
			const char *to = direction > 0 ? cases[i].after : cases[i].before;
			struct address at;

			OK(address_parse("", cases[i].from, &at));
			ck_assert_msg(step(direction, &at) == (to ? DIFF_FOUND : DIFF_NONE),
				      "from %s by %d", cases[i].from, direction);
			if (to)
				assert_at(&at, to);
		}
}
END_TEST

/* It comes after every number, and reads as 0. */
START_TEST(a_text_as_a_launch_ends_the_search)
{
	const struct diff_pair pair = { { store, store }, { 1, 2 } };
	struct diff_spot spot = { 3, SPOT_AFTER, 0, 0 };
	enum diff_outcome outcome;

	ck_assert_int_eq(sqlite3_exec(store_db(store), "INSERT INTO t_launch VALUES (1, 'x', 0, 1)",
				      NULL, NULL, NULL), SQLITE_OK);
	FAILS(diff_spot_step(&pair, 1, &spot, NULL, NULL, &outcome), STATUS_DAMAGED,
	      "the number of a launch is 'x'");
}
END_TEST

static bool stop(void *context)
{
	++*(int *)context;
	return true;
}

START_TEST(a_stopped_search_can_be_resumed)
{
	const struct diff_pair pair = { { store, store }, { 1, 2 } };
	struct diff_spot spot = { 3, SPOT_AFTER, 0, 0 };
	enum diff_outcome outcome;
	int asked = 0;

	OK(diff_spot_step(&pair, 1, &spot, stop, &asked, &outcome));
	ck_assert_int_eq(outcome, DIFF_STOPPED);
	ck_assert_int_eq(asked, 1);
	ck_assert_int_eq(spot.launch, 4);
	OK(diff_spot_step(&pair, 1, &spot, stop, &asked, &outcome));
	ck_assert_int_eq(outcome, DIFF_NONE);
}
END_TEST

/* --- screens --- */

static struct view_context context;

static enum status draw(const char *screen, const char *at, char **out)
{
	context.store = store;
	return draw_screen(context, screen, at, out);
}

static void assert_shows(const char *screen, const char *at, const char *part)
{
	char *out;

	OK(draw(screen, at, &out));
	ck_assert_msg(strstr(out, part) != NULL, "%s at %s has no '%s':\n%s", screen, at, part,
		      out);
	for (char *line = out, *end; *line; line = end + (*end != '\0')) {
		end = line + strcspn(line, "\n");
		ck_assert_msg(end - line <= 100, "%s at %s, %td columns:\n%s", screen, at,
			      end - line, out);
	}
	free(out);
}

static void assert_rejected(const char *screen, const char *at, const char *message)
{
	char *out;

	ck_assert_int_eq(draw(screen, at, &out), STATUS_USAGE);
	ck_assert_msg(strstr(error_text(), message) != NULL, "%s", error_text());
	free(out);
}

static void reset(void)
{
	context = (struct view_context){ 0 };
	make_trace();
}

START_TEST(elements_are_shown_side_by_side)
{
	assert_shows("diff", "L1.o0.e3",
		     ">[0,3]                        4       4.0000005           1"
		     " 40800000 40800001\n");
	assert_shows("diff", "L1", " [1,2]                        7             nan     one NaN");
	assert_shows("diff", "L1", "first difference: L1.b0.w0.l0.p1   launches before it: all");
	assert_shows("diff", "L1", "output o0  y f32 [2,4], 32 B from 0: DIFFERS\n");
	assert_shows("diff", "L1",
		     "  8 elements: equal 6  1..4 ulp 1  OVER 0  one NaN 1  inf mismatch 0\n");
	assert_shows("diff", "L1", "      1..4 |#### 1");
	assert_shows("diff", "L1", "   0 ...:\n");
	assert_shows("diff", "L1", "   1 ..n.\n");
	assert_shows("diff", "L0", "y f32 [2,4], 32 B from 0: equal, to the bit\n");
	assert_shows("diff", "L3", "first point of the launch that differs: L3.b0.w0.l0.p1\n");
	assert_shows("diff", "L3", "may have reached the inputs of this launch\n");
	assert_shows("diff", "L2", "both runs kept the digest alone, no bytes");
	assert_shows("diff", "L2", " provenance  y written by L2;");
	assert_rejected("diff", "L1.o1", "L1 has outputs o0 to o0, not o1");
	assert_rejected("diff", "L1.o0.e8", "L1.o0 has elements e0 to e7, not e8");
}
END_TEST

START_TEST(elements_are_shown_in_the_chosen_format)
{
	context.looks.number = NUMBER_HEX;
	assert_shows("diff", "L1.o0.e3", "     0x40800000      0x40800001           1\n");
	context.looks.number = NUMBER_BITS;
	assert_shows("diff", "L1.o0.e3", "0 10000001 00000000000000000000001");
	context.looks = (struct view_format){ .distance = DISTANCE_REL };
	assert_shows("diff", "L1.o0.e3", "     1.2e-07 40800000 40800001\n");
	assert_shows("diff", "L1", "   to 1e-6 |#### 1");
}
END_TEST

START_TEST(a_difference_is_explained)
{
	assert_shows("diff", "L1.o0.e3", " provenance  y[0,3] written by L1; by which block is"
		     " not in the trace\n");
	assert_shows("diff", "L1.o0.e3", " likely cause  race-grid (screen 7, #0) dir/k.cu:5 and"
		     " :3\n");
	assert_shows("diff", "L2", ", at another launch of the kernel\n");
	assert_shows("diff", "L1.o0.e3", " other orders   A r3 sim seed 9 -> 4.0000005 = B\n");
	context.other_run = 3;
	assert_shows("diff", "L1.o0.e3", " other orders   A r2 sim seed 7 -> 4.0000005 = B\n");
}
END_TEST

START_TEST(points_are_shown_side_by_side)
{
	assert_shows("diff", "L1.b0.w0.l0.p1", "point p1 score  at dir/k.cu:4\n");
	assert_shows("diff", "L1.b0.w0.l0.p1",
		     "  v0                          3             3.5     2097152\n");
	context.other_run = 3;
	assert_shows("diff", "L1.b0.w0.l0.p1", "B has no such point");
}
END_TEST

/* The project's own kernels also have a point named "score", whose second value is exp(). */
START_TEST(points_of_users_keep_their_own_values)
{
	bool own;

	context = (struct view_context){ .store = store, .run = 1 };
	OK(view_own_points(&context, "k", &own));
	ck_assert(!own);
	assert_shows("points", "L1.b0.w0.l0.p0", "score  v0 1  v1 2\n");
	ck_assert_str_eq(view_point_value(true, "score", 1),
			 "exp(score - running max)");
}
END_TEST

START_TEST(source_annotates_lines)
{
	assert_shows("source", "L1", ">     1            __global__ void k(float *y)\n");
	assert_shows("source", "L1", "  !   3        8x      float score = y[0];  <- race-grid #0");
	assert_shows("source", "L1.b0.w0.l0.p1",
		     ">     4                POINT(score, score, 2.0f);\n"
		     "                   = p1  v0 1 -> 3  v1 2 -> 2\n");
	assert_shows("source", "L1.b0.w0.l0.p0", "= p0  v0 1  v1 2\n");
	assert_shows("source", "L1.b0.w0.l0.p1", " lanes that passed score 2 times: #");
	assert_shows("source", "L1.b0.w0.l0.p1", " w0    @...");
	assert_shows("source", "L1", " barriers  6 completed by the blocks of this launch");
	assert_shows("source", "L2", "lines executed: not recorded (add --count or --check");
	assert_shows("source", "L2", " barriers  not counted");
	assert_shows("source", "L1.n5", "> !   5 ");
	assert_rejected("source", "L1.n7", "dir/k.cu has lines n1 to n6, not n7");
	assert_rejected("source", "L1.f1", "k has files f0 to f0, not f1");
}
END_TEST

START_TEST(findings_show_both_sides)
{
	assert_shows("findings", "L1", "  #0   race-grid          L1     k  dir/k.cu:5 and :3"
		     "  3 times\n");
	assert_shows("findings", "L1", "      what 4 bytes of y\n");
	assert_shows("findings", "L1",
		     "write by block (1,0,0) thread (2,0,0) after 1 barriers, dir/k.cu:5\n");
	assert_shows("findings", "L1", "      and  read by block (0,0,0) thread (1,0,0)");
	assert_shows("findings", "L1", "      why  nothing orders them\n      fix  order them\n");
	assert_shows("findings", "L1", "  r2 sim seed 7: 0 findings\n");
	assert_shows("findings", "L1", "--check --seed 10\n");
	assert_shows("findings", "L1.b1.w0.l2.f0.n5", "> #0   race-grid");
}
END_TEST

START_TEST(findings_are_stepped_to)
{
	struct view_context c = { .store = store, .run = 1 };
	struct address at;
	bool found;

	OK(address_parse("", "L0", &at));
	OK(view_findings_step(&c, 1, &at, &found));
	ck_assert(found);
	assert_at(&at, "L1.b1.w0.l2.f0.n5");
	OK(view_findings_step(&c, 1, &at, &found));
	ck_assert(!found);
	OK(address_parse("", "L2", &at));
	OK(view_findings_step(&c, -1, &at, &found));
	ck_assert(found);
	assert_at(&at, "L1.b1.w0.l2.f0.n5");
}
END_TEST

/* --- breakpoints --- */

static void assert_stops(const char *breakpoint, const char *from, int direction, const char *to)
{
	struct view_context c = { .store = store, .run = 1 };
	struct breakpoints list = { .count = 1 };
	struct address at;
	bool found;

	OK(breakpoint_parse(breakpoint, &list.items[0]));
	OK(address_parse("", from, &at));
	OK(breakpoints_next(&c, &list, direction, &at, &found));
	ck_assert_msg(found == (to != NULL), "%s from %s", breakpoint, from);
	if (to)
		assert_at(&at, to);
}

START_TEST(breakpoints_stop)
{
	/* The finding in L1 stops as well. */
	assert_stops("k", "L2", 1, "L3");
	assert_stops("k", "L2.b0", -1, "L2");
	assert_stops("k", "L4", 1, NULL);
	assert_stops("other", "L0", 1, "L1");
	assert_stops("other", "L3", -1, "L1");
	assert_stops("k.cu:4", "L0", 1, "L0.b0.w0.l0.p0");
	assert_stops("k.cu:4", "L2.b0.w0.l0.p0", 1, "L2.b0.w0.l0.p1");
	assert_stops("k.cu:4", "L3.b0.w0.l0.p0", -1, "L2.b0.w0.l0.p1");
	assert_stops("dir/k.cu:3", "L0", 1, "L1.f0.n3");
	assert_stops("ir/k.cu:3", "L2", 1, NULL);
	assert_stops("L3.b1", "L2", 1, "L3.b1");
	assert_stops("L3.b1", "L4", -1, "L3.b1");
	assert_stops("L3.b1", "L3.b1", 1, NULL);
}
END_TEST

START_TEST(breakpoints_are_named)
{
	struct breakpoints list = { 0 };
	struct breakpoint b;
	char named[BREAKPOINT_TEXT];
	bool set;

	OK(breakpoint_parse("dir/k.cu:88", &b));
	breakpoint_format(&b, named);
	ck_assert_str_eq(named, "dir/k.cu:88");
	OK(breakpoints_toggle(&list, &b, &set));
	ck_assert(set && breakpoints_at_line(&list, "some/dir/k.cu", 88));
	ck_assert(!breakpoints_at_line(&list, "some/dir/k.cu", 89));
	OK(breakpoints_toggle(&list, &b, &set));
	ck_assert(!set && list.count == 0);
	FAILS(breakpoint_parse("k.cu:0", &b), STATUS_USAGE, "'0' is not a line");
	FAILS(breakpoint_parse("", &b), STATUS_USAGE, "FILE:LINE");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_diff");

	tcase_add_checked_fixture(tests, reset, close_trace);
	tcase_add_test(tests, every_difference_is_stepped_to);
	tcase_add_test(tests, the_next_difference_is_found_from_between);
	tcase_add_test(tests, a_text_as_a_launch_ends_the_search);
	tcase_add_test(tests, a_stopped_search_can_be_resumed);
	tcase_add_test(tests, elements_are_shown_side_by_side);
	tcase_add_test(tests, elements_are_shown_in_the_chosen_format);
	tcase_add_test(tests, a_difference_is_explained);
	tcase_add_test(tests, points_are_shown_side_by_side);
	tcase_add_test(tests, points_of_users_keep_their_own_values);
	tcase_add_test(tests, source_annotates_lines);
	tcase_add_test(tests, findings_show_both_sides);
	tcase_add_test(tests, findings_are_stepped_to);
	tcase_add_test(tests, breakpoints_stop);
	tcase_add_test(tests, breakpoints_are_named);
	return run_suite("view_diff", tests);
}
