/* test_graph.c - graphs built by hand: edges, snapshots, launches, faults, tickets.
 *
 * Runs on every device, on the simulator with many seeds. Captured graphs are in
 * test_stream_capture.c.
 */
#include "config.h"

#include "tests/streams.h"

/* --- nodes --- */

static int add_row_copy(struct scene *t, struct graph *graph, int to, int from, const int *after,
			int count)
{
	struct copy_launch c;
	int node;

	copy_launch(&c, t->b[from], t->b[to], WORDS, NULL);
	OK(device_graph_add_launch(t->device, graph, &c.launch, after, count, &node));
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

	EACH_SCENE(t, "sim", 0, SEEDS) {
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
	}
	ck_assert_int_gt(early, 0);
	ck_assert_int_gt(late, 0);
}
END_TEST

START_TEST(invalid_nodes_are_refused)
{
	EACH_SEED(t) {
		struct graph *graph;
		struct copy_launch c;
		int node, unknown = 1, twice[] = { 0, 0 };

		OK(device_graph_create(t.device, &graph));
		add_row_copy(&t, graph, 1, 0, NULL, 0);
		copy_launch(&c, t.b[0], t.b[1], WORDS, NULL);
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

/* Each launch copies b0 to b1 to b2, then b3 to b0: the second must see the results of the
 * first. */
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

/* Stream 1 may read b1 before the graph writes it, between its nodes, or after it. */
START_TEST(other_streams_run_between_nodes)
{
	int seen[3] = { 0 };

	EACH_SCENE(t, "sim", 1, 4 * SEEDS) {
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
		struct graph *graph;
		struct copy_launch c;
		int node;

		OK(device_graph_create(t.device, &graph));
		OK(device_graph_add_launch(t.device, graph, bad_launch(&c, NULL), NULL, 0, &node));
		exec = exec_of(&t, graph);
		if (device_graph_launch(t.device, exec, t.s[1]) != STATUS_OK)
			ck_assert_int_eq(error_code(), 700);
		CODE(device_sync(t.device, NULL), 700);
	}
}
END_TEST

struct observed {
	int before, after;
};

static void observe_before(void *context, void *ticket)
{
	ck_assert_ptr_eq(ticket, context);
	((struct observed *)context)->before++;
}

static void observe_after(void *context, void *ticket, enum status status)
{
	ck_assert_ptr_eq(ticket, context);
	OK(status);
	((struct observed *)context)->after++;
}

START_TEST(nodes_keep_their_tickets)
{
	struct scene t = scene_open("sim", (uint64_t)_i);
	struct observed observed = { 0 };
	struct graph_exec *exec;
	struct copy_launch c;

	OK(device_observe(t.device, &(struct device_observer){
		&observed, observe_before, observe_after }));
	copy_launch(&c, t.b[0], t.b[1], WORDS, t.s[0]);
	begin_capture(&t, 0);
	OK(device_launch(t.device, &c.launch));
	c.launch.ticket = &observed;
	OK(device_launch(t.device, &c.launch));
	exec = exec_of(&t, end_capture(&t, t.s[0]));
	ck_assert_int_eq(observed.before, 0);
	OK(device_graph_launch(t.device, exec, t.s[0]));
	OK(device_graph_launch(t.device, exec, t.s[1]));
	OK(device_sync(t.device, NULL));
	ck_assert_int_eq(observed.before, 2);
	ck_assert_int_eq(observed.after, 2);
	device_close(t.device);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("graph");
	int devices = test_device_count();

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, nodes_come_after_those_they_name, 0, devices);
	tcase_add_loop_test(tests, invalid_nodes_are_refused, 0, devices);
	tcase_add_loop_test(tests, an_executable_graph_is_a_snapshot, 0, devices);
	tcase_add_loop_test(tests, launches_of_one_graph_do_not_overlap, 0, devices);
	tcase_add_loop_test(tests, a_fault_in_a_graph_sticks, 0, devices);
	tcase_add_test(tests, nodes_without_edges_are_unordered);
	tcase_add_test(tests, other_streams_run_between_nodes);
	tcase_add_loop_test(tests, a_copy_of_freed_memory_faults, 0, 8);       /* seeds */
	tcase_add_loop_test(tests, nodes_keep_their_tickets, 0, 8);            /* seeds */
	return run_suite("graph", tests);
}
