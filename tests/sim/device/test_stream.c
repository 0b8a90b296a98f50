/* test_stream.c - streams and events: what waits for what, error codes, faults, the observer.
 *
 * Runs on every device, on the simulator with many seeds. Orders are in test_stream_order.c.
 */
#include "config.h"

#include "tests/streams.h"

/* --- what waits for what --- */

START_TEST(a_blocking_call_waits_for_its_own_stream_only)
{
	struct seen seen = { 0 };

	EACH_RANDOM_SEED(t) {
		uint32_t value[WORDS] = { 0 };

		FILL(t, t.s[0], t.b[0], 1);
		OK(device_upload(t.device, t.s[1], t.b[1], 0, value, sizeof value));
		see(&seen, word_of(&t, t.s[1], t.b[0]));
		ck_assert_uint_eq(word_of(&t, t.s[0], t.b[0]), 1);
	}
	ck_assert_int_gt(seen.first, 0);
	ck_assert_int_gt(seen.none, 0);
}
END_TEST

START_TEST(an_upload_is_in_order_with_its_stream)
{
	EACH_SEED(t) {
		uint32_t value[WORDS], back[WORDS] = { 0 };

		for (int i = 0; i < WORDS; i++)
			value[i] = 5;
		FILL(t, t.s[0], t.b[0], 1);
		OK(device_upload(t.device, t.s[0], t.b[0], 0, value, sizeof value));
		memset(value, 0, sizeof value);
		COPY(t, t.s[0], t.b[1], t.b[0]);
		OK(device_download_async(t.device, t.s[0], t.b[1], 0, back, sizeof back));
		OK(device_sync(t.device, t.s[0]));
		ck_assert_uint_eq(back[WORDS - 1], 5);
	}
}
END_TEST

START_TEST(an_asynchronous_upload_reads_when_it_runs)
{
	struct seen seen = { 0 };

	EACH_RANDOM_SEED(t) {
		uint32_t value[WORDS];

		for (int i = 0; i < WORDS; i++)
			value[i] = 1;
		OK(device_upload_async(t.device, t.s[0], t.b[0], 0, value, sizeof value));
		for (int i = 0; i < WORDS; i++)
			value[i] = 2;
		see(&seen, word_of(&t, t.s[0], t.b[0]));
	}
	ck_assert_int_gt(seen.first, 0);
	ck_assert_int_gt(seen.second, 0);
	ck_assert_int_eq(seen.none, 0);
}
END_TEST

START_TEST(freeing_waits_for_the_device)
{
	EACH_SEED(t) {
		FILL(t, t.s[0], t.b[0], 3);
		COPY(t, t.s[0], t.b[1], t.b[0]);
		OK(device_free(t.device, t.b[0]));
		ck_assert_uint_eq(word_of(&t, t.s[1], t.b[1]), 3);
	}
}
END_TEST

START_TEST(closing_waits_for_the_device)
{
	static uint32_t back[WORDS];

	for (int seed = 0; seed < seeds_of(_i); seed++) {
		struct scene t = scene_open(test_devices[_i], (uint64_t)seed);

		back[0] = 9;
		FILL(t, t.s[0], t.b[0], 5);
		OK(device_download_async(t.device, t.s[0], t.b[0], 0, back, sizeof back));
		device_close(t.device);
		ck_assert_uint_eq(back[0], 5);
	}
}
END_TEST

START_TEST(work_outlives_its_stream_and_event)
{
	EACH_SEED(t) {
		FILL(t, t.s[0], t.b[0], 4);
		OK(device_event_record(t.device, t.e[0], t.s[0]));
		OK(device_event_wait(t.device, t.s[1], t.e[0]));
		COPY(t, t.s[1], t.b[1], t.b[0]);
		OK(device_event_destroy(t.device, t.e[0]));
		OK(device_stream_destroy(t.device, t.s[0]));
		OK(device_stream_destroy(t.device, t.s[1]));
		ck_assert_uint_eq(final_word(&t, t.b[1]), 4);
	}
}
END_TEST

START_TEST(arguments_are_copied_at_the_call)
{
	EACH_SEED(t) {
		struct copy_launch c;

		FILL(t, t.s[0], t.b[0], 6);
		OK(device_launch(t.device, copy_launch(&c, t.b[0], t.b[1], WORDS, t.s[0])));
		memset(&c, 0xff, sizeof c);
		ck_assert_uint_eq(word_of(&t, t.s[0], t.b[1]), 6);
	}
}
END_TEST

/* --- events and the host --- */

START_TEST(event_sync_waits_for_the_record)
{
	struct seen seen = { 0 };

	EACH_SEED(t) {
		FILL(t, t.s[0], t.b[0], 1);
		OK(device_event_record(t.device, t.e[0], t.s[0]));
		FILL(t, t.s[0], t.b[0], 2);
		OK(device_event_sync(t.device, t.e[0]));
		see(&seen, word_of(&t, t.s[1], t.b[0]));
	}
	ck_assert_int_eq(seen.none, 0);
	if (_i == 0)
		ck_assert_int_gt(seen.first, 0);
}
END_TEST

START_TEST(time_between_events)
{
	struct scene t = scene_open(test_devices[_i], 0);
	double us = 77.0;

	CODE(device_event_elapsed(t.device, t.e[0], t.e[1], &us), 400);
	OK(device_event_record(t.device, t.e[0], t.s[0]));
	CODE(device_event_elapsed(t.device, t.e[0], t.e[1], &us), 400);
	OK(device_event_record(t.device, t.e[1], t.s[0]));
	OK(device_event_sync(t.device, t.e[1]));
	OK(device_event_elapsed(t.device, t.e[0], t.e[1], &us));
	if (_i == 0)
		ck_assert(us < 0.0);    /* not measured */
	else
		ck_assert(us >= 0.0 && us < 77.0);
	device_close(t.device);
}
END_TEST

START_TEST(an_event_that_has_not_run_has_no_time)
{
	int early = 0, late = 0;

	EACH_RANDOM_SEED(t) {
		double us;

		OK(device_event_record(t.device, t.e[0], t.s[0]));
		if (device_event_elapsed(t.device, t.e[0], t.e[0], &us) == STATUS_OK) {
			late++;
		} else {
			ck_assert_int_eq(error_code(), 600);
			early++;
		}
	}
	ck_assert_int_gt(early, 0);
	ck_assert_int_gt(late, 0);
}
END_TEST

START_TEST(another_devices_streams_and_events_are_refused)
{
	struct scene t = scene_open("sim", 0), other = scene_open("sim", 0);

	FAILS(device_fill(t.device, other.s[0], t.b[0], 0, 1, 1), STATUS_USAGE, "stream");
	FAILS(device_event_record(t.device, other.e[0], t.s[0]), STATUS_USAGE, "event");
	FAILS(device_event_wait(t.device, t.s[0], other.e[0]), STATUS_USAGE, "event");
	FAILS(device_sync(t.device, other.s[0]), STATUS_USAGE, "stream");
	device_close(t.device);
	device_close(other.device);
}
END_TEST

/* --- faults and limits --- */

START_TEST(a_fault_sticks_and_names_the_kernel)
{
	EACH_SEED(t) {
		struct copy_launch c;
		uint32_t word;

		FILL(t, t.s[1], t.b[1], 1);
		if (device_launch(t.device, bad_launch(&c, t.s[0])) == STATUS_OK)
			CODE(device_sync(t.device, t.s[0]), 700);
		ck_assert_int_eq(error_code(), 700);
		ck_assert_msg(strstr(error_text(), "fail_store") != NULL, "%s", error_text());
		CODE(device_sync(t.device, t.s[1]), 700);
		CODE(device_fill(t.device, t.s[1], t.b[1], 0, 1, 1), 700);
		CODE(device_download(t.device, NULL, t.b[1], 0, &word, 4), 700);
		CODE(device_event_sync(t.device, t.e[0]), 700);
	}
}
END_TEST

START_TEST(nothing_runs_after_a_fault)
{
	static uint32_t back[WORDS];

	EACH_RANDOM_SEED(t) {
		struct copy_launch c;

		back[0] = 9;
		if (device_launch(t.device, bad_launch(&c, t.s[0])) == STATUS_OK)
			device_download_async(t.device, t.s[0], t.b[0], 0, back, sizeof back);
		CODE(device_sync(t.device, NULL), 700);
		ck_assert_uint_eq(back[0], 9);
	}
}
END_TEST

START_TEST(limits_are_reported_at_once)
{
	EACH_SEED(t) {
		struct copy_launch c;

		FILL(t, t.s[0], t.b[0], 1);
		copy_launch(&c, t.b[0], t.b[1], WORDS, t.s[0]);
		c.launch.grid.z = 65536;
		CODE(device_launch(t.device, &c.launch), 1);
		OK(device_launch(t.device, copy_launch(&c, t.b[0], t.b[1], WORDS, t.s[0])));
		ck_assert_uint_eq(word_of(&t, t.s[0], t.b[1]), 1);
	}
}
END_TEST

/* word_indices has no shared memory, so the arguments of the launch alone limit residency. */
static enum status cooperative(struct scene *t, unsigned blocks, unsigned threads, unsigned shared,
			       int64_t value, struct buffer *out)
{
	const struct launch_attribute attribute = { ATTRIBUTE_COOPERATIVE, value };
	const struct arg arg = ARG_BUFFER(out);

	return device_launch(t->device, &(struct launch){
		.kernel = word_kernel("word_indices"), .grid = { blocks }, .block = { threads },
		.shared_bytes = shared, .attributes = &attribute, .attribute_count = 1,
		.args = &arg, .arg_count = 1, .layer = -1 });
}

/* An H200 has 132 multiprocessors, each for 32 blocks, 2,048 threads or 228 KiB of shared
 * memory. */
START_TEST(a_cooperative_grid_must_be_resident)
{
	struct scene t = scene_open(test_devices[_i], 0);
	struct device_info info;
	struct buffer *out;
	unsigned sm;

	OK(device_info(t.device, &info));
	sm = (unsigned)info.multiprocessors;
	if (strcmp(info.profile, "h200"))
		return;
	out = word_buffer(t.device, "out", (size_t)sm * 4096, NULL);
	OK(cooperative(&t, sm * 32, 32, 0, 1, out));
	CODE(cooperative(&t, sm * 32 + 1, 32, 0, 1, out), 720);
	OK(cooperative(&t, sm * 2, 1000, 0, 1, out));
	CODE(cooperative(&t, sm * 2 + 1, 1000, 0, 1, out), 720);
	OK(cooperative(&t, sm * 4, 32, 48 << 10, 1, out));
	CODE(cooperative(&t, sm * 4 + 1, 32, 48 << 10, 1, out), 720);
	ck_assert_ptr_nonnull(strstr(error_text(), "word_indices"));
	OK(cooperative(&t, sm * 32 + 1, 32, 0, 0, out));
	OK(device_sync(t.device, NULL));
	device_close(t.device);
}
END_TEST

/* --- the observer --- */

struct watch {
	struct scene *scene;
	struct buffer *made;
	uint32_t before, after, other;
	int calls;
	enum status status;
	uint32_t words[WORDS];
};

static void watch_before(void *context, void *ticket)
{
	struct watch *w = context;
	const struct buffer_spec spec = {
		.name = "made", .dtype = DTYPE_I32, .rank = 1, .shape = { WORDS },
	};

	ck_assert_ptr_eq(ticket, w);
	ck_assert_int_eq(w->calls++, 0);
	w->before = word_of(w->scene, w->scene->s[0], w->scene->b[1]);
	w->other = word_of(w->scene, w->scene->s[1], w->scene->b[2]);
	OK(device_alloc(w->scene->device, &spec, &w->made));
	OK(device_set_points(w->scene->device, NULL, NULL, 0));
	OK(device_sync(w->scene->device, NULL));
	FILL(*w->scene, w->scene->s[2], w->made, 11);
	ck_assert_uint_eq(word_of(w->scene, NULL, w->made), 11);
}

static void watch_after(void *context, void *ticket, enum status status)
{
	struct watch *w = context;

	ck_assert_ptr_eq(ticket, w);
	ck_assert_int_eq(w->calls++, 1);
	w->status = status;
	if (status != STATUS_OK)
		return;
	w->after = word_of(w->scene, w->scene->s[0], w->scene->b[1]);
	OK(device_free(w->scene->device, w->made));
}

/* A fill waits in stream 1 and stream 2 captures while a launch of stream 0 is watched. */
static void watch_launch(struct scene *t, struct watch *w, struct buffer *to)
{
	const struct device_observer observer = { w, watch_before, watch_after };
	struct copy_launch c;

	*w = (struct watch){ .scene = t };
	OK(device_observe(t->device, &observer));
	OK(device_capture_begin(t->device, t->s[2], CAPTURE_GLOBAL));
	FILL(*t, t->s[0], t->b[0], 1);
	OK(device_launch(t->device, copy_launch(&c, t->b[0], t->b[3], WORDS, t->s[0])));
	copy_launch(&c, t->b[0], to, WORDS, t->s[0]);
	c.launch.ticket = w;
	device_launch(t->device, &c.launch);
	FILL(*t, t->s[1], t->b[2], 2);
}

START_TEST(an_observer_sees_memory_around_a_launch)
{
	struct seen seen = { 0 };

	EACH_RANDOM_SEED(t) {
		struct graph *graph;
		struct watch w;

		watch_launch(&t, &w, t.b[1]);
		OK(device_capture_end(t.device, t.s[2], &graph));
		OK(device_sync(t.device, NULL));
		ck_assert_int_eq(w.calls, 2);
		ck_assert_int_eq(w.status, STATUS_OK);
		ck_assert_uint_eq(w.before, POISON);
		ck_assert_uint_eq(w.after, 1);
		see(&seen, w.other);
		OK(device_observe(t.device, NULL));
	}
	ck_assert_int_gt(seen.none, 0);
	ck_assert_int_gt(seen.second, 0);
}
END_TEST

START_TEST(an_observer_is_called_after_a_fault)
{
	struct scene t = scene_open("sim", 0);
	struct copy_launch c;
	struct watch w = { .scene = &t };

	OK(device_observe(t.device, &(struct device_observer){ &w, watch_before, watch_after }));
	bad_launch(&c, t.s[0]);
	c.launch.ticket = &w;
	CODE(device_launch(t.device, &c.launch), 700);
	ck_assert_int_eq(w.calls, 2);
	ck_assert_int_eq(w.status, STATUS_DEVICE);
	device_close(t.device);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("stream");
	int devices = test_device_count();

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, an_upload_is_in_order_with_its_stream, 0, devices);
	tcase_add_loop_test(tests, freeing_waits_for_the_device, 0, devices);
	tcase_add_loop_test(tests, closing_waits_for_the_device, 0, devices);
	tcase_add_loop_test(tests, work_outlives_its_stream_and_event, 0, devices);
	tcase_add_loop_test(tests, arguments_are_copied_at_the_call, 0, devices);
	tcase_add_loop_test(tests, event_sync_waits_for_the_record, 0, devices);
	tcase_add_loop_test(tests, time_between_events, 0, devices);
	tcase_add_loop_test(tests, a_fault_sticks_and_names_the_kernel, 0, devices);
	tcase_add_loop_test(tests, limits_are_reported_at_once, 0, devices);
	tcase_add_loop_test(tests, a_cooperative_grid_must_be_resident, 0, devices);
	tcase_add_test(tests, a_blocking_call_waits_for_its_own_stream_only);
	tcase_add_test(tests, an_asynchronous_upload_reads_when_it_runs);
	tcase_add_test(tests, an_event_that_has_not_run_has_no_time);
	tcase_add_test(tests, another_devices_streams_and_events_are_refused);
	tcase_add_test(tests, nothing_runs_after_a_fault);
	tcase_add_test(tests, an_observer_sees_memory_around_a_launch);
	tcase_add_test(tests, an_observer_is_called_after_a_fault);
	return run_suite("stream", tests);
}
