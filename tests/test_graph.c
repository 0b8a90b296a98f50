/* test_graph.c - capture and graphs: what becomes a node, in which order nodes run, what is refused.
 *
 * The same on every device there is; on the simulator with many seeds, where several orders are
 * legal. Each operation in each capture mode is held to an H200's answers in test_capture.sh.
 */
#include "config.h"

#include "tests/streams.h"

#include <pthread.h>

/* --- helpers --- */

static struct graph *end_of(struct scene *t, struct stream *stream)
{
	struct graph *graph;

	OK(device_capture_end(t->device, stream, &graph));
	return graph;
}

static struct graph_exec *exec_of(struct scene *t, struct graph *graph)
{
	struct graph_exec *exec;

	OK(device_graph_instantiate(t->device, graph, &exec));
	return exec;
}

static void begin(struct scene *t, int stream)
{
	OK(device_capture_begin(t->device, t->s[stream], CAPTURE_GLOBAL));
}

/* Makes stream `to` go on after all that is in stream `from`. */
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

#define EACH_SEED(t) \
	for (int seed = 0; seed < seeds_of(_i); seed++) \
		for (struct scene t = scene_open(device_at(_i), (uint64_t)seed); t.device; \
		     device_close(t.device), t.device = NULL)

/* --- what is captured --- */

START_TEST(captured_work_runs_at_each_launch_only)
{
	EACH_SEED(t) {
		uint32_t in[WORDS], out[WORDS];
		struct graph_exec *exec;
		struct row_copy c;

		set(in, 1);
		set(out, 0);
		OK(device_sync(t.device, NULL));
		begin(&t, 0);
		OK(device_upload_async(t.device, t.s[0], t.b[0], 0, in, sizeof in));
		OK(device_launch(t.device, row_copy(&c, t.s[0], t.b[1], t.b[0])));
		COPY(t, t.s[0], t.b[2], t.b[1]);
		OK(device_download_async(t.device, t.s[0], t.b[2], 0, out, sizeof out));
		FILL(t, t.s[0], t.b[0], 9);
		exec = exec_of(&t, end_of(&t, t.s[0]));
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

/* kv_scatter with a live length: head size 1 at position `at`. */
START_TEST(a_live_argument_keeps_its_captured_value)
{
	EACH_SEED(t) {
		int32_t at = 2;
		struct graph_exec *exec;
		struct row_copy c;
		uint32_t found[WORDS];

		FILL(t, NULL, t.b[0], 1);
		OK(device_sync(t.device, NULL));
		row_copy(&c, t.s[0], t.b[1], t.b[0]);
		c.args[2] = ARG_I32(1);
		c.args[3] = ARG_I32(WORDS);
		c.args[4] = ARG_LIVE_I32(&at);
		c.launch.block.x = 1;
		begin(&t, 0);
		OK(device_launch(t.device, &c.launch));
		at = 5;
		exec = exec_of(&t, end_of(&t, t.s[0]));
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
		begin(&t, 0);
		FILL(t, t.s[1], t.b[0], 2);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_ACTIVE);
		ck_assert_int_eq(state_of(&t, t.s[1]), CAPTURE_NONE);
		ck_assert_int_eq(state_of(&t, NULL), CAPTURE_NONE);
		end_of(&t, t.s[0]);
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
		exec = exec_of(&t, end_of(&t, NULL));
		ck_assert_uint_eq(final_word(&t, t.b[0]), POISON);
		OK(device_graph_launch(t.device, exec, NULL));
		ck_assert_uint_eq(final_word(&t, t.b[0]), 3);
	}
}
END_TEST

START_TEST(an_empty_graph_is_legal)
{
	EACH_SEED(t) {
		begin(&t, 0);
		OK(device_graph_launch(t.device, exec_of(&t, end_of(&t, t.s[0])), t.s[0]));
		OK(device_sync(t.device, t.s[0]));
	}
}
END_TEST

/* --- several streams in one capture --- */

/* 0: b0 = 7; then 1: b1 = b0 and 2: b2 = b0 and both race for b3; then 0: b0 = 8. */
static struct graph_exec *capture_diamond(struct scene *t)
{
	begin(t, 0);
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
	return exec_of(t, end_of(t, t->s[0]));
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

		begin(&t, 0);
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

		begin(&t, 0);
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
		begin(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		order(&t, 0, 1);
		CODE(device_capture_end(t.device, t.s[1], &graph), 903);
	}
}
END_TEST

START_TEST(two_captures_stay_apart)
{
	EACH_SEED(t) {
		begin(&t, 0);
		begin(&t, 1);
		FILL(t, t.s[1], t.b[1], 1);
		OK(device_event_record(t.device, t.e[1], t.s[1]));
		CODE(device_event_wait(t.device, t.s[0], t.e[1]), 902);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_INVALIDATED);
	}
}
END_TEST

START_TEST(work_from_before_is_out_of_reach)
{
	EACH_SEED(t) {
		FILL(t, t.s[1], t.b[1], 1);
		OK(device_event_record(t.device, t.e[1], t.s[1]));
		begin(&t, 0);
		CODE(device_event_wait(t.device, t.s[0], t.e[1]), 905);
		ck_assert_int_eq(state_of(&t, t.s[0]), CAPTURE_INVALIDATED);
	}
}
END_TEST

/* --- what a capture forbids --- */

START_TEST(a_synchronous_copy_invalidates)
{
	static const uint32_t words[WORDS];

	EACH_SEED(t) {
		struct graph *graph = NULL;

		begin(&t, 0);
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

		begin(&t, 0);
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
	struct scene t = scene_open(device_at(_i), 0);

	ck_assert_int_eq(end_in_thread(&t, CAPTURE_RELAXED), 0);
	ck_assert_int_eq(end_in_thread(&t, CAPTURE_THREAD_LOCAL), 908);
	device_close(t.device);
}
END_TEST

START_TEST(a_device_closes_in_the_middle_of_a_capture)
{
	EACH_SEED(t) {
		begin(&t, 0);
		FILL(t, t.s[0], t.b[0], 1);
		order(&t, 0, 1);
		FILL(t, t.s[1], t.b[0], 1);
	}
}
END_TEST

/* --- graphs made by hand --- */

static int add_row_copy(struct scene *t, struct graph *graph, int to, int from, const int *after,
			int count)
{
	struct row_copy c;
	int node;

	OK(device_graph_add_launch(t->device, graph, row_copy(&c, NULL, t->b[to], t->b[from]),
				   after, count, &node));
	return node;
}

static int add_copy(struct scene *t, struct graph *graph, int to, int from, const int *after,
		    int count)
{
	int node;

	OK(device_graph_add_copy(t->device, graph, t->b[to], 0, t->b[from], 0, 4 * WORDS, after,
				 count, &node));
	return node;
}

START_TEST(nodes_come_after_those_they_name)
{
	EACH_SEED(t) {
		struct graph *graph;
		int a, b, c;

		FILL(t, t.s[0], t.b[0], 5);
		OK(device_graph_create(t.device, &graph));
		a = add_row_copy(&t, graph, 1, 0, NULL, 0);
		b = add_copy(&t, graph, 2, 1, &a, 1);
		c = add_row_copy(&t, graph, 3, 2, &b, 1);
		add_copy(&t, graph, 0, 3, (int[]){ b, c }, 2);
		ck_assert(a == 0 && b == 1 && c == 2);
		OK(device_graph_launch(t.device, exec_of(&t, graph), t.s[0]));
		ck_assert_uint_eq(word_of(&t, t.s[0], t.b[3]), 5);
		ck_assert_uint_eq(word_of(&t, t.s[0], t.b[0]), 5);
	}
}
END_TEST

START_TEST(nodes_without_edges_are_unordered)
{
	int early = 0, late = 0;

	for (int seed = 0; seed <= SEEDS; seed++) {
		struct scene t = scene_open("sim", (uint64_t)seed);
		struct graph *graph;
		uint32_t found;

		FILL(t, t.s[0], t.b[0], 5);
		OK(device_graph_create(t.device, &graph));
		add_copy(&t, graph, 1, 0, NULL, 0);
		add_copy(&t, graph, 2, 1, NULL, 0);
		OK(device_graph_launch(t.device, exec_of(&t, graph), t.s[0]));
		found = word_of(&t, t.s[0], t.b[2]);
		ck_assert(found == 5 || (found == POISON && seed > 0));
		early += found == POISON;
		late += seed > 0 && found == 5;
		device_close(t.device);
	}
	ck_assert_int_gt(early, 0);
	ck_assert_int_gt(late, 0);
}
END_TEST

START_TEST(wrong_nodes_are_refused)
{
	EACH_SEED(t) {
		struct graph *graph;
		struct row_copy c;
		int node, unknown = 1, twice[] = { 0, 0 };

		OK(device_graph_create(t.device, &graph));
		add_row_copy(&t, graph, 1, 0, NULL, 0);
		row_copy(&c, NULL, t.b[1], t.b[0]);
		FAILS(device_graph_add_launch(t.device, graph, &c.launch, &unknown, 1, &node),
		      STATUS_USAGE, "node 1");
		FAILS(device_graph_add_copy(t.device, graph, t.b[1], 0, t.b[0], 0, 4, &unknown, 1,
					    &node), STATUS_USAGE, "node 1");
		CODE(device_graph_add_launch(t.device, graph, &c.launch, twice, 2, &node), 1);
		c.launch.grid.z = 65536;
		CODE(device_graph_add_launch(t.device, graph, &c.launch, NULL, 0, &node), 1);
	}
}
END_TEST

START_TEST(an_executable_graph_is_a_snapshot)
{
	EACH_SEED(t) {
		struct graph_exec *exec;
		struct graph *graph;

		FILL(t, t.s[0], t.b[0], 5);
		OK(device_graph_create(t.device, &graph));
		add_copy(&t, graph, 1, 0, NULL, 0);
		exec = exec_of(&t, graph);
		add_copy(&t, graph, 2, 0, NULL, 0);
		OK(device_graph_destroy(t.device, graph));
		OK(device_graph_launch(t.device, exec, t.s[0]));
		OK(device_graph_exec_destroy(t.device, exec));
		ck_assert_uint_eq(word_of(&t, t.s[0], t.b[1]), 5);
		ck_assert_uint_eq(word_of(&t, t.s[0], t.b[2]), POISON);
	}
}
END_TEST

/* Each launch copies b0 to b1 to b2, then b3 to b0: the second must find what the first left. */
START_TEST(launches_of_one_graph_do_not_overlap)
{
	EACH_SEED(t) {
		struct graph_exec *exec;
		struct graph *graph;
		int node;

		OK(device_graph_create(t.device, &graph));
		node = add_copy(&t, graph, 1, 0, NULL, 0);
		node = add_copy(&t, graph, 2, 1, &node, 1);
		node = add_copy(&t, graph, 0, 3, &node, 1);
		exec = exec_of(&t, graph);
		FILL(t, NULL, t.b[0], 5);
		FILL(t, NULL, t.b[3], 6);
		OK(device_sync(t.device, NULL));
		OK(device_graph_launch(t.device, exec, t.s[0]));
		OK(device_event_record(t.device, t.e[0], t.s[0]));
		OK(device_graph_launch(t.device, exec, t.s[1]));
		OK(device_sync(t.device, t.s[1]));
		OK(device_event_sync(t.device, t.e[0]));
		ck_assert_uint_eq(word_of(&t, t.s[2], t.b[2]), 6);
	}
}
END_TEST

/* Stream 1 may read b1 before the graph wrote it, between its nodes and after it. */
START_TEST(other_streams_run_between_nodes)
{
	int seen[3] = { 0 };

	for (int seed = 1; seed <= 4 * SEEDS; seed++) {
		struct scene t = scene_open("sim", (uint64_t)seed);
		struct graph *graph;
		uint32_t found;
		int node;

		FILL(t, t.s[0], t.b[0], 0);
		FILL(t, t.s[0], t.b[3], 1);
		OK(device_sync(t.device, NULL));
		OK(device_graph_create(t.device, &graph));
		node = add_copy(&t, graph, 1, 0, NULL, 0);
		add_copy(&t, graph, 1, 3, &node, 1);
		OK(device_graph_launch(t.device, exec_of(&t, graph), t.s[0]));
		COPY(t, t.s[1], t.b[2], t.b[1]);
		found = final_word(&t, t.b[2]);
		seen[found == POISON ? 2 : found]++;
		device_close(t.device);
	}
	for (int i = 0; i < 3; i++)
		ck_assert_int_gt(seen[i], 0);
}
END_TEST

/* --- faults and observers --- */

START_TEST(a_copy_of_freed_memory_faults)
{
	struct scene t = scene_open("sim", (uint64_t)_i);
	struct graph_exec *exec;
	struct graph *graph;

	OK(device_graph_create(t.device, &graph));
	add_copy(&t, graph, 1, 0, NULL, 0);
	exec = exec_of(&t, graph);
	OK(device_free(t.device, t.b[0]));
	if (device_graph_launch(t.device, exec, t.s[0]) == STATUS_OK)
		CODE(device_sync(t.device, NULL), 700);
	ck_assert_int_eq(error_code(), 700);
	CODE(device_sync(t.device, NULL), 700);
	device_close(t.device);
}
END_TEST

START_TEST(a_fault_in_a_graph_sticks)
{
	EACH_SEED(t) {
		struct graph_exec *exec;
		struct row_copy c;

		begin(&t, 0);
		OK(device_launch(t.device, row_copy(&c, t.s[0], NULL, t.b[0])));
		exec = exec_of(&t, end_of(&t, t.s[0]));
		if (device_graph_launch(t.device, exec, t.s[1]) != STATUS_OK)
			ck_assert_int_eq(error_code(), 700);
		CODE(device_sync(t.device, NULL), 700);
	}
}
END_TEST

struct heard {
	int before, after;
};

static void hear_before(void *context, void *ticket)
{
	ck_assert_ptr_eq(ticket, context);
	((struct heard *)context)->before++;
}

static void hear_after(void *context, void *ticket, enum status status)
{
	ck_assert_ptr_eq(ticket, context);
	OK(status);
	((struct heard *)context)->after++;
}

START_TEST(nodes_keep_their_tickets)
{
	struct scene t = scene_open("sim", (uint64_t)_i);
	struct heard heard = { 0 };
	struct graph_exec *exec;
	struct row_copy c;

	OK(device_observe(t.device, &(struct device_observer){ &heard, hear_before, hear_after }));
	row_copy(&c, t.s[0], t.b[1], t.b[0]);
	begin(&t, 0);
	OK(device_launch(t.device, &c.launch));
	c.launch.ticket = &heard;
	OK(device_launch(t.device, &c.launch));
	exec = exec_of(&t, end_of(&t, t.s[0]));
	ck_assert_int_eq(heard.before, 0);
	OK(device_graph_launch(t.device, exec, t.s[0]));
	OK(device_graph_launch(t.device, exec, t.s[1]));
	OK(device_sync(t.device, NULL));
	ck_assert_int_eq(heard.before, 2);
	ck_assert_int_eq(heard.after, 2);
	device_close(t.device);
}
END_TEST

static TCase *captures(int devices)
{
	TCase *tests = tcase_create("capture");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, captured_work_runs_at_each_launch_only, 0, devices);
	tcase_add_loop_test(tests, a_live_argument_keeps_its_captured_value, 0, devices);
	tcase_add_loop_test(tests, other_streams_work_during_a_capture, 0, devices);
	tcase_add_loop_test(tests, the_default_stream_can_be_captured, 0, devices);
	tcase_add_loop_test(tests, an_empty_graph_is_legal, 0, devices);
	tcase_add_loop_test(tests, events_become_edges, 0, devices);
	tcase_add_loop_test(tests, a_fork_must_be_joined, 0, devices);
	tcase_add_loop_test(tests, work_after_the_join_must_be_joined_too, 0, devices);
	tcase_add_loop_test(tests, a_capture_ends_in_its_first_stream, 0, devices);
	tcase_add_loop_test(tests, two_captures_stay_apart, 0, devices);
	tcase_add_loop_test(tests, work_from_before_is_out_of_reach, 0, devices);
	tcase_add_loop_test(tests, a_synchronous_copy_invalidates, 0, devices);
	tcase_add_loop_test(tests, relaxed_threads_may_allocate, 0, devices);
	tcase_add_loop_test(tests, a_capture_ends_in_its_thread_unless_relaxed, 0, devices);
	tcase_add_loop_test(tests, a_device_closes_in_the_middle_of_a_capture, 0, devices);
	return tests;
}

static TCase *graphs(int devices)
{
	TCase *tests = tcase_create("graphs");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, nodes_come_after_those_they_name, 0, devices);
	tcase_add_loop_test(tests, wrong_nodes_are_refused, 0, devices);
	tcase_add_loop_test(tests, an_executable_graph_is_a_snapshot, 0, devices);
	tcase_add_loop_test(tests, launches_of_one_graph_do_not_overlap, 0, devices);
	tcase_add_loop_test(tests, a_fault_in_a_graph_sticks, 0, devices);
	tcase_add_test(tests, nodes_without_edges_are_unordered);
	tcase_add_test(tests, other_streams_run_between_nodes);
	/* here the number is a seed */
	tcase_add_loop_test(tests, a_copy_of_freed_memory_faults, 0, 8);
	tcase_add_loop_test(tests, nodes_keep_their_tickets, 0, 8);
	return tests;
}

int main(void)
{
	int devices = device_count();
	TCase *cases[] = { captures(devices), graphs(devices) };

	return run_suites("graph", cases, 2);
}
