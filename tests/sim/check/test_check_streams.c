/* test_check_streams.c - the checker on host programs with one planted bug each.
 *
 * Each program has a clean twin that differs only in the call that orders the work. Both run in
 * call order and under several seeds: findings must not depend on the order that happened. Findings
 * within kernels are tested in test_check.c.
 */
#include "config.h"

#include "tests/scene.h"

#include "traces/row.h"

/* --- the programs; `bug` selects the version with the bug --- */

static void scatter_elsewhere(struct scene *c, bool bug)
{
	kernel(c, c->s[0], 1, 0);
	if (!bug)
		wait_for(c, c->s[1], c->s[0]);
	kernel(c, c->s[1], 2, 1);
}

static void event_too_early(struct scene *c, bool bug)
{
	if (bug)
		OK(device_event_record(c->device, c->e, c->s[0]));
	kernel(c, c->s[0], 1, 0);
	if (!bug)
		OK(device_event_record(c->device, c->e, c->s[0]));
	OK(device_event_wait(c->device, c->s[1], c->e));
	kernel(c, c->s[1], 2, 1);
}

static void download_elsewhere(struct scene *c, bool bug)
{
	kernel(c, c->s[0], 1, 0);
	OK(device_download(c->device, c->s[bug], c->b[1], 0, c->host, BYTES));
}

static void upload_while_running(struct scene *c, bool bug)
{
	kernel(c, c->s[0], 1, 0);
	if (!bug)
		OK(device_sync(c->device, c->s[0]));
	OK(device_upload(c->device, NULL, c->b[0], 0, c->host, BYTES));
}

static void wrong_stream_waited_for(struct scene *c, bool bug)
{
	kernel(c, c->s[0], 1, 0);
	OK(device_sync(c->device, c->s[bug]));
	OK(device_upload(c->device, c->s[1], c->b[1], 0, c->host, BYTES));
}

static void fill_elsewhere(struct scene *c, bool bug)
{
	kernel(c, c->s[0], 1, 0);
	OK(device_event_record(c->device, c->e, c->s[0]));
	if (!bug)
		OK(device_event_sync(c->device, c->e));
	OK(device_fill(c->device, c->s[1], c->b[1], 0, 7, WORDS));
}

/* The first of two readers is forgotten. */
static void reader_forgotten(struct scene *c, bool bug)
{
	kernel(c, c->s[0], 1, 0);
	if (!bug)
		wait_for(c, c->s[1], c->s[0]);
	kernel(c, c->s[1], 2, 0);
	kernel(c, c->s[1], 0, 3);
}

static void copies_overlap(struct scene *c, bool bug)
{
	OK(device_copy(c->device, c->s[0], c->b[1], 0, c->b[0], 0, BYTES / 2));
	OK(device_copy(c->device, c->s[1], c->b[1], BYTES / 2 - bug, c->b[0], 0, BYTES / 2));
}

static void host_memory_reused(struct scene *c, bool bug)
{
	OK(device_download_async(c->device, c->s[0], c->b[0], 0, c->host, BYTES));
	if (!bug)
		wait_for(c, c->s[1], c->s[0]);
	OK(device_upload_async(c->device, c->s[1], c->b[1], 0, c->host, BYTES));
}

/* Work on the default stream from before another stream was created. */
static void before_streams(struct scene *c, bool bug)
{
	struct stream *late;

	kernel(c, NULL, 1, 0);
	OK(device_stream_create(c->device, &late));
	if (!bug)
		wait_for(c, late, NULL);
	kernel(c, late, 2, 1);
}

static struct graph_exec *graph_of(struct scene *c, bool edge)
{
	const int first = 0;
	struct graph_exec *exec;
	struct graph *graph;
	struct arg args[5];
	struct launch launch = row_launch(c, NULL, 1, 0, args);
	int node;

	OK(device_graph_create(c->device, &graph));
	OK(device_graph_add_launch(c->device, graph, &launch, NULL, 0, &node));
	launch = row_launch(c, NULL, 2, 1, args);
	OK(device_graph_add_launch(c->device, graph, &launch, &first, edge, &node));
	OK(device_graph_instantiate(c->device, graph, &exec));
	return exec;
}

static void edge_missing(struct scene *c, bool bug)
{
	OK(device_graph_launch(c->device, graph_of(c, !bug), c->s[0]));
}

/* Launches of one executable graph run one after another, those of two graphs may overlap. */
static void two_graphs(struct scene *c, bool bug)
{
	struct graph_exec *one = graph_of(c, true), *other = graph_of(c, true);

	OK(device_graph_launch(c->device, one, c->s[0]));
	OK(device_graph_launch(c->device, bug ? other : one, c->s[1]));
}

static void captured_fork(struct scene *c, bool bug)
{
	struct graph_exec *exec;

	OK(device_capture_begin(c->device, c->s[0], CAPTURE_GLOBAL));
	if (bug)
		wait_for(c, c->s[1], c->s[0]);
	kernel(c, c->s[0], 1, 0);
	if (!bug)
		wait_for(c, c->s[1], c->s[0]);
	kernel(c, c->s[1], 2, 1);
	wait_for(c, c->s[0], c->s[1]);
	captured(c, &exec);
}

static void position_by_value(struct scene *c, bool bug)
{
	struct graph_exec *exec;

	OK(device_capture_begin(c->device, c->s[0], CAPTURE_GLOBAL));
	kernel(c, c->s[0], 1, 0);
	captured(c, &exec);
	c->position += bug;
	OK(device_graph_launch(c->device, exec, c->s[0]));
}

static void download_in_capture(struct scene *c, bool bug)
{
	struct graph *graph;

	OK(device_capture_begin(c->device, c->s[0], CAPTURE_GLOBAL));
	kernel(c, c->s[0], 1, 0);
	if (bug) {
		ck_assert_int_eq(device_download(c->device, c->s[0], c->b[1], 0, c->host, BYTES),
				 STATUS_DEVICE);
		ck_assert_int_eq(device_capture_end(c->device, c->s[0], &graph), STATUS_DEVICE);
		return;
	}
	OK(device_download_async(c->device, c->s[0], c->b[1], 0, c->host, BYTES));
	OK(device_capture_end(c->device, c->s[0], &graph));
}

static void allocation_in_capture(struct scene *c, bool bug)
{
	const struct buffer_spec spec = {
		.name = "late", .dtype = DTYPE_I32, .rank = 1, .shape = { 1 },
	};
	struct buffer *late = NULL;
	struct graph *graph;

	if (!bug)
		OK(device_alloc(c->device, &spec, &late));
	OK(device_capture_begin(c->device, c->s[0], CAPTURE_GLOBAL));
	if (bug)
		ck_assert_int_eq(device_alloc(c->device, &spec, &late), STATUS_DEVICE);
	device_capture_end(c->device, c->s[0], &graph);
	if (late)
		OK(device_free(c->device, late));
}

static void buffer_kept(struct scene *c, bool bug)
{
	kernel(c, c->s[0], 1, 0);
	if (!bug)
		return;
	OK(device_alloc(c->device, &(struct buffer_spec){
		.name = "kept", .dtype = DTYPE_I32, .rank = 1, .shape = { 1 } }, &c->b[3]));
}

static const struct program {
	const char *class;
	void (*run)(struct scene *, bool bug);
	const char *side, *other;       /* names of the two operations */
} programs[] = {
	{ "race-stream", scatter_elsewhere, "kv_scatter on stream", "kv_scatter on stream" },
	{ "race-stream", event_too_early, "kv_scatter on stream", "kv_scatter on stream" },
	{ "race-stream", download_elsewhere, "kv_scatter on stream 1", "download on stream 2" },
	{ "race-stream", upload_while_running, "kv_scatter on stream 1",
	  "upload on the default stream" },
	{ "race-stream", wrong_stream_waited_for, "kv_scatter on stream 1", "upload on stream 2" },
	{ "race-stream", fill_elsewhere, "kv_scatter on stream 1", "fill on stream 2" },
	{ "race-stream", reader_forgotten, "kv_scatter on stream", "kv_scatter on stream" },
	{ "race-stream", copies_overlap, "copy on stream", "copy on stream" },
	{ "race-stream", host_memory_reused, "load on stream", "load on stream" },
	{ "race-stream", before_streams, "kv_scatter on", "kv_scatter on" },
	{ "race-stream", edge_missing, "kv_scatter on stream 1", "kv_scatter on stream 1" },
	{ "race-stream", two_graphs, "kv_scatter on stream", "kv_scatter on stream" },
	{ "race-stream", captured_fork, "kv_scatter on stream 1", "kv_scatter on stream 1" },
	{ "stale-graph-arg", position_by_value, "kv_scatter, node 0, on stream 1", NULL },
	{ "capture-forbidden", download_in_capture, "download", "global mode, begun on stream 1" },
	{ "capture-forbidden", allocation_in_capture, "alloc", "global mode, begun on stream 1" },
	{ "leak", buffer_kept, NULL, NULL },
};
#define PROGRAMS ((int)(sizeof programs / sizeof programs[0]))

/* Runs the program, frees what the scene allocated, and returns the number of findings. */
static size_t found_by(struct scene *scene, const struct program *program, bool bug,
		       const struct row_finding **found)
{
	program->run(scene, bug);
	device_sync(scene->device, NULL);
	for (int i = 0; i < 3; i++)
		OK(device_free(scene->device, scene->b[i]));
	if (!(bug && program->run == buffer_kept))
		OK(device_free(scene->device, scene->b[3]));
	return device_findings(scene->device, found);
}

static bool is_called(const struct row_side *side, const char *name)
{
	return name ? side->operation && strstr(side->operation, name) : !side->operation;
}

START_TEST(a_planted_bug_is_found_in_any_order)
{
	const struct program *program = &programs[_i];

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct scene scene = scene_open(seed);
		const struct row_finding *found;
		size_t count = found_by(&scene, program, true, &found), right = 0;

		for (size_t i = 0; i < count; i++) {
			ck_assert_msg(strcmp(found[i].class, program->class) == 0,
				      "program %d, seed %d: %s", _i, (int)seed, found[i].class);
			right += is_called(&found[i].sides[0], program->side)
				&& is_called(&found[i].sides[1], program->other);
		}
		ck_assert_msg(right > 0, "program %d, seed %d: %zu findings, %s and %s", _i,
			      (int)seed, count, count ? found[0].sides[0].operation : "",
			      count ? found[0].sides[1].operation : "");
		device_close(scene.device);
	}
}
END_TEST

START_TEST(its_clean_twin_has_no_findings)
{
	const struct program *program = &programs[_i];

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct scene scene = scene_open(seed);
		const struct row_finding *found;
		size_t count = found_by(&scene, program, false, &found);

		ck_assert_msg(count == 0, "program %d, seed %d: %s: %s", _i, (int)seed,
			      found[0].class, found[0].detail);
		device_close(scene.device);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("check_streams");

	tcase_add_loop_test(tests, a_planted_bug_is_found_in_any_order, 0, PROGRAMS);
	tcase_add_loop_test(tests, its_clean_twin_has_no_findings, 0, PROGRAMS);
	return run_suite("check_streams", tests);
}
