/* test_stream_capture.c - capture: what becomes a node, how streams join, what is refused.
 *
 * Runs on every device, on the simulator with many seeds, because several orders can be legal.
 * test_capture.sh compares each operation in each capture mode with an H200.
 */
#include "config.h"

#include "tests/streams.h"

#include <pthread.h>

/* --- helpers --- */

/* Makes stream `to` wait for all work in stream `from`. */
static void order(struct scene *t, int from, int to)
{
	OK(device_event_record(t->device, t->e[from], t->s[from]));
	OK(device_event_wait(t->device, t->s[to], t->e[from]));
}

static enum capture_state state_of(struct scene *t, struct stream *stream)
{
	enum capture_state state;

	OK(device_capture_state(t->device, stream, &state));
	return state;
}

static void set(uint32_t *words, uint32_t value)
{
	for (int i = 0; i < WORDS; i++)
		words[i] = value;
}

/* --- what is captured --- */

START_TEST(captured_work_runs_at_each_launch_only)
{
	EACH_SEED(t) {
		uint32_t in[WORDS], out[WORDS];
		struct graph_exec *exec;
		struct copy_launch c;

		set(in, 1);
		set(out, 0);
		OK(device_sync(t.device, NULL));
		begin_capture(&t, 0);
		OK(device_upload_async(t.device, t.s[0], t.b[0], 0, in, sizeof in));
		OK(device_launch(t.device, copy_launch(&c, t.b[0], t.b[1], WORDS, t.s[0])));
		COPY(t, t.s[0], t.b[2], t.b[1]);
		OK(device_download_async(t.device, t.s[0], t.b[2], 0, out, sizeof out));
		FILL(t, t.s[0], t.b[0], 9);
		exec = exec_of(&t, end_capture(&t, t.s[0]));
		memset(&c, 0xff, sizeof c);
		for (int i = 0; i < 3; i++)
			ck_assert_uint_eq(final_word(&t, t.b[i]), POISON);
		ck_assert_uint_eq(out[0], 0);
		for (uint32_t value = 4; value < 6; value++) {
			set(in, value);
			OK(device_graph_launch(t.device, exec, t.s[1]));
			OK(device_sync(t.device, t.s[1]));
			ck_assert_uint_eq(out[WORDS - 1], value);
			ck_assert_uint_eq(final_word(&t, t.b[0]), 9);
		}
	}
}
END_TEST

/* Runs kv_scatter of head size 1 with a live position, `at`. */
START_TEST(a_live_argument_keeps_its_captured_value)
{
	EACH_SEED(t) {
		int32_t at = 2;
		struct graph_exec *exec;
		struct copy_launch c;
		uint32_t found[WORDS];

		FILL(t, NULL, t.b[0], 1);
		OK(device_sync(t.device, NULL));
		copy_launch(&c, t.b[0], t.b[1], WORDS, t.s[0]);
		c.args[2] = ARG_I32(1);
		c.args[3] = ARG_I32(WORDS);
		c.args[4] = ARG_LIVE_I32(&at);
		c.launch.block.x = 1;
		begin_capture(&t, 0);
		OK(device_launch(t.device, &c.launch));
		at = 5;
		exec = exec_of(&t, end_capture(&t, t.s[0]));
		at = 6;
		OK(device_graph_launch(t.device, exec, t.s[0]));
		OK(device_download(t.device, t.s[0], t.b[1], 0, found, sizeof found));
		for (int i = 0; i < WORDS; i++)
			ck_assert_uint_eq(found[i], i == 2 ? 1 : POISON);
	}
}
END_TEST

START_TEST(other_streams_work_during_a_capture)
{
	EACH_SEED(t) {
		begin_capture(&t, 0);
		FILL(t, t.s[1], t.b[0], 2);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_ACTIVE);
		ck_assert_int_eq(state_of(&t, t.s[1]), CAPTURE_NONE);
		ck_assert_int_eq(state_of(&t, NULL), CAPTURE_NONE);
		end_capture(&t, t.s[0]);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_NONE);
		ck_assert_uint_eq(final_word(&t, t.b[0]), 2);
	}
}
END_TEST

START_TEST(the_default_stream_can_be_captured)
{
	EACH_SEED(t) {
		struct graph_exec *exec;

		OK(device_capture_begin(t.device, NULL, CAPTURE_RELAXED));
		FILL(t, NULL, t.b[0], 3);
		exec = exec_of(&t, end_capture(&t, NULL));
		ck_assert_uint_eq(final_word(&t, t.b[0]), POISON);
		OK(device_graph_launch(t.device, exec, NULL));
		ck_assert_uint_eq(final_word(&t, t.b[0]), 3);
	}
}
END_TEST

START_TEST(an_empty_graph_is_legal)
{
	EACH_SEED(t) {
		begin_capture(&t, 0);
		OK(device_graph_launch(t.device, exec_of(&t, end_capture(&t, t.s[0])), t.s[0]));
		OK(device_sync(t.device, t.s[0]));
	}
}
END_TEST

START_TEST(a_graph_cannot_be_launched_into_a_capture)
{
	EACH_SEED(t) {
		struct graph_exec *exec;
		struct graph *graph;

		begin_capture(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		exec = exec_of(&t, end_capture(&t, t.s[0]));
		begin_capture(&t, 0);
		CODE(device_graph_launch(t.device, exec, t.s[0]), 900);
		CODE(device_capture_end(t.device, t.s[0], &graph), 901);
		ck_assert_uint_eq(final_word(&t, t.b[0]), POISON);
	}
}
END_TEST

START_TEST(a_graph_launch_in_another_stream_works)
{
	EACH_SEED(t) {
		struct graph_exec *exec;

		begin_capture(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		exec = exec_of(&t, end_capture(&t, t.s[0]));
		begin_capture(&t, 0);
		OK(device_graph_launch(t.device, exec, t.s[1]));
		end_capture(&t, t.s[0]);
		ck_assert_uint_eq(final_word(&t, t.b[0]), 1);
	}
}
END_TEST

/* --- several streams in one capture --- */

/* Stream 0 fills b0 with 7; streams 1 and 2 copy it to b1 and b2 and race on b3; then stream 0
 * fills b0 with 8. */
static struct graph_exec *capture_diamond(struct scene *t)
{
	begin_capture(t, 0);
	FILL(*t, t->s[0], t->b[0], 7);
	for (int i = 1; i <= 2; i++) {
		order(t, 0, i);
		ck_assert_int_eq(state_of(t, t->s[i]), CAPTURE_ACTIVE);
		COPY(*t, t->s[i], t->b[i], t->b[0]);
		FILL(*t, t->s[i], t->b[3], (uint32_t)i);
	}
	order(t, 1, 0);
	order(t, 2, 0);
	FILL(*t, t->s[0], t->b[0], 8);
	return exec_of(t, end_capture(t, t->s[0]));
}

START_TEST(events_become_edges)
{
	int first = 0, second = 0;

	EACH_SEED(t) {
		struct graph_exec *exec = capture_diamond(&t);
		uint32_t last;

		ck_assert_int_eq(state_of(&t, t.s[1]), CAPTURE_NONE);
		OK(device_graph_launch(t.device, exec, t.s[3]));
		OK(device_sync(t.device, t.s[3]));
		ck_assert_uint_eq(word_of(&t, NULL, t.b[0]), 8);
		ck_assert_uint_eq(word_of(&t, NULL, t.b[1]), 7);
		ck_assert_uint_eq(word_of(&t, NULL, t.b[2]), 7);
		last = word_of(&t, NULL, t.b[3]);
		ck_assert(last == 1 || last == 2);
		first += last == 1;
		second += last == 2;
	}
	if (_i == 0) {
		ck_assert_int_gt(first, 0);
		ck_assert_int_gt(second, 0);
	}
}
END_TEST

START_TEST(a_fork_must_be_joined)
{
	EACH_SEED(t) {
		struct graph *graph;

		begin_capture(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		order(&t, 0, 1);
		FILL(t, t.s[1], t.b[1], 1);
		CODE(device_capture_end(t.device, t.s[0], &graph), 904);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_NONE);
		FILL(t, t.s[1], t.b[1], 2);
		ck_assert_uint_eq(final_word(&t, t.b[1]), 2);
		ck_assert_uint_eq(word_of(&t, NULL, t.b[0]), POISON);
	}
}
END_TEST

START_TEST(work_after_the_join_must_be_joined_too)
{
	EACH_SEED(t) {
		struct graph *graph;

		begin_capture(&t, 0);
		order(&t, 0, 1);
		FILL(t, t.s[1], t.b[1], 1);
		order(&t, 1, 0);
		FILL(t, t.s[1], t.b[1], 2);
		CODE(device_capture_end(t.device, t.s[0], &graph), 904);
	}
}
END_TEST

START_TEST(a_capture_ends_in_its_first_stream)
{
	EACH_SEED(t) {
		struct graph *graph;

		CODE(device_capture_end(t.device, t.s[0], &graph), 401);
		begin_capture(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		order(&t, 0, 1);
		CODE(device_capture_end(t.device, t.s[1], &graph), 903);
	}
}
END_TEST

START_TEST(a_capture_cannot_wait_for_another)
{
	EACH_SEED(t) {
		begin_capture(&t, 0);
		begin_capture(&t, 1);
		FILL(t, t.s[1], t.b[1], 1);
		OK(device_event_record(t.device, t.e[1], t.s[1]));
		CODE(device_event_wait(t.device, t.s[0], t.e[1]), 902);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_INVALIDATED);
	}
}
END_TEST

START_TEST(a_capture_cannot_wait_for_earlier_work)
{
	EACH_SEED(t) {
		FILL(t, t.s[1], t.b[1], 1);
		OK(device_event_record(t.device, t.e[1], t.s[1]));
		begin_capture(&t, 0);
		CODE(device_event_wait(t.device, t.s[0], t.e[1]), 905);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_INVALIDATED);
	}
}
END_TEST

START_TEST(an_event_may_leave_a_capture)
{
	EACH_SEED(t) {
		begin_capture(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		OK(device_event_record(t.device, t.e[0], t.s[0]));
		FILL(t, t.s[1], t.b[1], 2);
		OK(device_event_record(t.device, t.e[0], t.s[1]));
		OK(device_event_wait(t.device, t.s[2], t.e[0]));
		ck_assert_int_eq(state_of(&t, t.s[2]), CAPTURE_NONE);
		COPY(t, t.s[2], t.b[2], t.b[1]);
		end_capture(&t, t.s[0]);
		ck_assert_uint_eq(word_of(&t, t.s[2], t.b[2]), 2);
	}
}
END_TEST

/* --- what a capture forbids --- */

START_TEST(a_synchronous_copy_invalidates)
{
	static const uint32_t words[WORDS];

	EACH_SEED(t) {
		struct graph *graph = NULL;

		begin_capture(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		CODE(device_upload(t.device, t.s[0], t.b[1], 0, words, sizeof words), 900);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_INVALIDATED);
		CODE(device_fill(t.device, t.s[0], t.b[0], 0, 2, WORDS), 901);
		CODE(device_capture_end(t.device, t.s[0], &graph), 901);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_NONE);
		FILL(t, t.s[0], t.b[0], 3);
		ck_assert_uint_eq(final_word(&t, t.b[0]), 3);
	}
}
END_TEST

START_TEST(relaxed_threads_may_allocate)
{
	const struct buffer_spec spec = {
		.name = "late", .dtype = DTYPE_I32, .rank = 1, .shape = { WORDS },
	};

	EACH_SEED(t) {
		struct graph *graph;
		struct buffer *late;

		begin_capture(&t, 0);
		OK(device_capture_relax(t.device, true));
		OK(device_alloc(t.device, &spec, &late));
		OK(device_capture_relax(t.device, false));
		FILL(t, t.s[0], late, 1);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_ACTIVE);
		CODE(device_alloc(t.device, &spec, &late), 900);
		CODE(device_capture_end(t.device, t.s[0], &graph), 901);
	}
}
END_TEST

struct ending {
	struct scene *t;
	int code;
};

static void *end_elsewhere(void *context)
{
	struct ending *ending = context;
	struct graph *graph;

	ending->code = device_capture_end(ending->t->device, ending->t->s[0], &graph)
		? error_code() : 0;
	return NULL;
}

static int end_in_thread(struct scene *t, enum capture_mode mode)
{
	struct ending ending = { t, -1 };
	pthread_t thread;

	OK(device_capture_begin(t->device, t->s[0], mode));
	ck_assert_int_eq(pthread_create(&thread, NULL, end_elsewhere, &ending), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	return ending.code;
}

START_TEST(a_capture_ends_in_its_thread_unless_relaxed)
{
	struct scene t = scene_open(test_devices[_i], 0);

	ck_assert_int_eq(end_in_thread(&t, CAPTURE_RELAXED), 0);
	ck_assert_int_eq(end_in_thread(&t, CAPTURE_THREAD_LOCAL), 908);
	device_close(t.device);
}
END_TEST

START_TEST(a_device_closes_in_the_middle_of_a_capture)
{
	EACH_SEED(t) {
		begin_capture(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		order(&t, 0, 1);
		FILL(t, t.s[1], t.b[0], 1);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("stream capture");
	int devices = test_device_count();

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, captured_work_runs_at_each_launch_only, 0, devices);
	tcase_add_loop_test(tests, a_live_argument_keeps_its_captured_value, 0, devices);
	tcase_add_loop_test(tests, other_streams_work_during_a_capture, 0, devices);
	tcase_add_loop_test(tests, the_default_stream_can_be_captured, 0, devices);
	tcase_add_loop_test(tests, an_empty_graph_is_legal, 0, devices);
	tcase_add_loop_test(tests, a_graph_cannot_be_launched_into_a_capture, 0, devices);
	tcase_add_loop_test(tests, a_graph_launch_in_another_stream_works, 0, devices);
	tcase_add_loop_test(tests, events_become_edges, 0, devices);
	tcase_add_loop_test(tests, a_fork_must_be_joined, 0, devices);
	tcase_add_loop_test(tests, work_after_the_join_must_be_joined_too, 0, devices);
	tcase_add_loop_test(tests, a_capture_ends_in_its_first_stream, 0, devices);
	tcase_add_loop_test(tests, a_capture_cannot_wait_for_another, 0, devices);
	tcase_add_loop_test(tests, a_capture_cannot_wait_for_earlier_work, 0, devices);
	tcase_add_loop_test(tests, an_event_may_leave_a_capture, 0, devices);
	tcase_add_loop_test(tests, a_synchronous_copy_invalidates, 0, devices);
	tcase_add_loop_test(tests, relaxed_threads_may_allocate, 0, devices);
	tcase_add_loop_test(tests, a_capture_ends_in_its_thread_unless_relaxed, 0, devices);
	tcase_add_loop_test(tests, a_device_closes_in_the_middle_of_a_capture, 0, devices);
	return run_suite("stream capture", tests);
}
