/* test_view_time.c - the timeline's axis: overlaps and waits.
 *
 * Uses a trace of two streams with two launches each. The second launch on stream 1 waits for an
 * event that stream 0 records after its first launch.
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/row.h"
#include "traces/store/store_index.h"
#include "tui/views/kernel/view_axis.h"
#include "tui/views/view_list.h"

static struct store *store;
static int64_t launches;

static void add_op(struct row_op op, double us)
{
	op.start_us = NAN;
	op.duration_us = us;
	OK(store_op(store, 1, &op, NULL));
}

static void add_launch(int stream, double us)
{
	const struct row_launch what = {
		.number = launches++, .kernel = "kernel", .grid = { 2, 1, 1 },
		.block = { 32, 1, 1 }, .cluster = { 1, 1, 1 }, .layer = -1,
	};

	add_op((struct row_op){ .kind = OP_LAUNCH, .stream = stream, .object = -1,
				  .launch = &what }, us);
}

static void make_trace(const char *device, double us)
{
	const struct row_run run = {
		.device = device, .device_name = "a device", .profile = "h200", .driver = "",
		.command = "launch", .path = "", .options = "{}", .level = LEVEL_LAUNCH,
		.version = "1", .started = "2000-01-01T00:00:00Z", .compute = "9.0",
	};
	int64_t number;

	launches = 0;
	OK(store_create(NULL, &(struct store_options){ 0 }, &store));
	OK(store_run_begin(store, &run, &number));
	OK(store_kernel(store, 1, &(struct row_kernel){
		.name = "kernel", .params = "[]", .origin = "cuda_c" }));
	add_launch(0, us);
	add_op((struct row_op){ .kind = OP_EVENT_RECORD, .object = 1 }, NAN);
	add_launch(1, us / 2.0);
	add_op((struct row_op){ .kind = OP_EVENT_WAIT, .stream = 1, .object = 1 }, NAN);
	add_launch(1, us);
	add_launch(0, us);
	OK(store_run_end(store, number, "OK", NULL));
	OK(store_commit(store));
	OK(store_index_views(store));
}

static char *draw(void)
{
	struct view_context c = { .store = store, .run = 1, .at = address_none };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	c.out = display_create(file, &c.at);
	OK(view_find("time")->draw(&c));
	display_finish(c.out);
	display_free(c.out);
	ck_assert_int_eq(fclose(file), 0);
	OK(store_close(store));
	return text;
}

static void assert_has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text);
}

START_TEST(measured_launches_overlap_and_wait)
{
	char *text;

	make_trace("cuda", 4.0);
	text = draw();
	assert_has(text, " bars: measured us; starts are the earliest");
	assert_has(text, " L0       kernel                                 #| #########"
		    "              4.0  2x1x1     32x1x1\n");
	assert_has(text, " op 1     event_record 1                         E|          E\n");
	assert_has(text, " L1       kernel                                 |# #####"
		    "                  2.0 ");
	/* Stream 1 finishes its first launch after 2 us and waits for the event at 4 us. */
	assert_has(text, " op 3     event_wait 1 of op 1                   |W     ----W\n");
	assert_has(text, " L2       kernel                                 |#          #########"
		    "     4.0 ");
	assert_has(text, " L3       kernel                                 #|          #########"
		    "     4.0 ");
	free(text);
}
END_TEST

START_TEST(without_times_each_launch_takes_one)
{
	char *text;

	make_trace("sim", NAN);
	text = draw();
	assert_has(text, " bars: logical time, 1 per operation");
	assert_has(text, " L1       kernel                                 |# #########  ");
	assert_has(text, " L3       kernel                                 #|          #####");
	free(text);
}
END_TEST

START_TEST(the_axis_names_the_event_waited_for)
{
	struct view_context c = { .run = 1, .at = address_none };
	struct view_axis axis;

	make_trace("cuda", 4.0);
	c.store = store;
	OK(view_axis_read(&c, 0, 5, -1, &axis));
	ck_assert_int_eq(axis.count, 6);
	ck_assert_ptr_null(view_axis_find(&axis, 6));
	ck_assert_int_eq(view_axis_find(&axis, 3)->waited_for, 1);
	ck_assert_double_eq(view_axis_find(&axis, 4)->begin, 4.0);
	ck_assert_double_eq(axis.end, 8.0);
	view_axis_free(&axis);
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_time");

	tcase_add_test(tests, measured_launches_overlap_and_wait);
	tcase_add_test(tests, without_times_each_launch_takes_one);
	tcase_add_test(tests, the_axis_names_the_event_waited_for);
	return run_suite("view_time", tests);
}
