/* test_check_streams.c - the checker above the kernel: host programs with one planted bug each.
 *
 * Each program comes with a clean twin of the same shape, which differs by the one call that orders
 * the work. Both are run in order and under several seeds: what is found must not depend on the
 * order that happened. Findings within kernels are test_check.c's part.
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>

#include "engine/device.h"
#include "traces/event.h"

enum { WORDS = 8, BYTES = 4 * WORDS, SEEDS = 6 };

/* Streams s, events e and buffers b of one checked device; b[0] is written, others are not. */
struct scene {
	struct device *device;
	struct stream *s[2];
	struct event *e;
	struct buffer *b[4];
	uint32_t host[WORDS];
	int32_t position;
};

static struct scene scene_open(uint64_t seed)
{
	const struct device_options options = { .seed = seed, .check = true };
	const struct buffer_spec spec = {
		.name = "row", .dtype = DTYPE_I32, .rank = 1, .shape = { WORDS },
	};
	struct scene scene = { 0 };

	OK(device_open("sim", &options, &scene.device));
	for (int i = 0; i < 2; i++)
		OK(device_stream_create(scene.device, &scene.s[i]));
	OK(device_event_create(scene.device, &scene.e));
	for (int i = 0; i < 4; i++) {
		OK(device_alloc(scene.device, &spec, &scene.b[i]));
		OK(device_upload(scene.device, NULL, scene.b[i], 0, scene.host, BYTES));
	}
	return scene;
}

/* A kernel that reads b[from] and writes b[to]. */
static struct launch row_launch(struct scene *scene, struct stream *stream, int to, int from,
				struct arg *args)
{
	const struct arg all[] = {
		ARG_BUFFER(scene->b[from]), ARG_BUFFER(scene->b[to]), ARG_I32(WORDS), ARG_I32(1),
		ARG_LIVE_I32(&scene->position),
	};

	memcpy(args, all, sizeof all);
	return (struct launch){
		.kernel = kernel_find("kv_scatter"), .grid = { 1 }, .block = { WORDS },
		.stream = stream, .args = args, .arg_count = 5, .layer = -1,
	};
}

static void kernel(struct scene *scene, struct stream *stream, int to, int from)
{
	struct arg args[5];
	struct launch launch = row_launch(scene, stream, to, from, args);

	OK(device_launch(scene->device, &launch));
}

static void wait_for(struct scene *scene, struct stream *waits, struct stream *recorded)
{
	OK(device_event_record(scene->device, scene->e, recorded));
	OK(device_event_wait(scene->device, waits, scene->e));
}

/* --- the programs: `bug` says which of the two --- */

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

/* Work on the default stream from before there was any other. */
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

/* Launches of one executable graph come one after another, those of two do not. */
static void two_graphs(struct scene *c, bool bug)
{
	struct graph_exec *one = graph_of(c, true), *other = graph_of(c, true);

	OK(device_graph_launch(c->device, one, c->s[0]));
	OK(device_graph_launch(c->device, bug ? other : one, c->s[1]));
}

static void captured(struct scene *c, struct graph_exec **exec)
{
	struct graph *graph;

	OK(device_capture_end(c->device, c->s[0], &graph));
	OK(device_graph_instantiate(c->device, graph, exec));
	OK(device_graph_launch(c->device, *exec, c->s[0]));
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
	const char *side, *other;       /* what the two operations are called */
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

/* Runs the program, frees what the scene allocated, and asks what was found. */
static size_t found_by(struct scene *scene, const struct program *program, bool bug,
		       const struct event_finding **found)
{
	program->run(scene, bug);
	device_sync(scene->device, NULL);
	for (int i = 0; i < 3; i++)
		OK(device_free(scene->device, scene->b[i]));
	if (!(bug && program->run == buffer_kept))
		OK(device_free(scene->device, scene->b[3]));
	return device_findings(scene->device, found);
}

static bool is_called(const struct event_side *side, const char *name)
{
	return name ? side->operation && strstr(side->operation, name) : side->operation == NULL;
}

START_TEST(a_planted_bug_is_found_whatever_the_order)
{
	const struct program *program = &programs[_i];

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct scene scene = scene_open(seed);
		const struct event_finding *found;
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

START_TEST(its_clean_twin_has_none)
{
	const struct program *program = &programs[_i];

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct scene scene = scene_open(seed);
		const struct event_finding *found;
		size_t count = found_by(&scene, program, false, &found);

		ck_assert_msg(count == 0, "program %d, seed %d: %s: %s", _i, (int)seed,
			      found[0].class, found[0].detail);
		device_close(scene.device);
	}
}
END_TEST

/* The kernel's side has a thread and a line; the bytes are those that both touch. */
START_TEST(a_race_names_thread_line_and_bytes)
{
	struct scene scene = scene_open(0);
	const struct event_finding *found;

	kernel(&scene, scene.s[0], 1, 0);
	OK(device_upload(scene.device, scene.s[1], scene.b[1], 6, scene.host, 4));
	ck_assert_uint_gt(device_findings(scene.device, &found), 0);
	ck_assert_str_eq(found[0].class, "race-stream");
	ck_assert_str_eq(found[0].kernel, "kv_scatter");
	ck_assert_int_eq(found[0].launch, 0);
	ck_assert_str_eq(found[0].sides[0].what, "write");
	ck_assert_ptr_nonnull(strstr(found[0].sides[0].file, "kv_scatter.cu"));
	ck_assert_int_gt(found[0].sides[0].line, 0);
	ck_assert_str_eq(found[0].sides[1].operation, "upload on stream 2");
	ck_assert_int_eq(found[0].sides[1].launch, -1);
	ck_assert_uint_eq(found[0].buffer, scene.b[1]->id);
	ck_assert_uint_eq(found[0].offset, 6);
	ck_assert_uint_eq(found[0].bytes, 4);
	device_close(scene.device);
}
END_TEST

START_TEST(a_stale_argument_is_told_with_its_values)
{
	struct scene scene = scene_open(0);
	const struct event_finding *found;
	struct graph_exec *exec;

	OK(device_capture_begin(scene.device, scene.s[0], CAPTURE_GLOBAL));
	kernel(&scene, scene.s[0], 1, 0);
	captured(&scene, &exec);
	scene.position = 3;
	OK(device_graph_launch(scene.device, exec, scene.s[0]));
	ck_assert_uint_gt(device_findings(scene.device, &found), 0);
	ck_assert_str_eq(found[0].class, "stale-graph-arg");
	ck_assert_ptr_nonnull(strstr(found[0].detail, "is 0 in the graph"));
	ck_assert_ptr_nonnull(strstr(found[0].detail, "holds 3 now"));
	device_close(scene.device);
}
END_TEST

START_TEST(a_refusal_is_told_with_its_code)
{
	struct scene scene = scene_open(0);
	const struct event_finding *found;

	OK(device_capture_begin(scene.device, scene.s[1], CAPTURE_THREAD_LOCAL));
	ck_assert_int_eq(device_sync(scene.device, scene.s[1]), STATUS_DEVICE);
	ck_assert_uint_gt(device_findings(scene.device, &found), 0);
	ck_assert_str_eq(found[0].class, "capture-forbidden");
	ck_assert_ptr_nonnull(strstr(found[0].detail, "(900)"));
	ck_assert_str_eq(found[0].sides[1].operation, "thread-local mode, begun on stream 2");
	device_close(scene.device);
}
END_TEST

/* --- parts of words --- */

extern const struct sim_code ft_code_write_bytes_checked;

/* Bytes [first, first + count) of b[1], by a thread each. */
static void write_bytes(struct scene *scene, struct stream *stream, int first, int count)
{
	static const struct kernel_code built = {
		.sim = { { &ft_code_write_bytes_checked }, { &ft_code_write_bytes_checked } },
		.checked = &ft_code_write_bytes_checked,
	};
	static const struct kernel kernel = {
		.name = "write_bytes", .origin = "cuda_c", .code = &built,
	};

	OK(device_launch(scene->device, &(struct launch){
		.kernel = &kernel, .grid = { 1 }, .block = { 32 }, .layer = -1, .stream = stream,
		.args = (struct arg[]){ ARG_BUFFER(scene->b[1]), ARG_I32(first), ARG_I32(count) },
		.arg_count = 3 }));
}

static size_t race_of(struct device *device, const struct event_finding **out)
{
	const struct event_finding *found;
	size_t count = device_findings(device, &found), races = 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(found[i].class, "race-stream") == 0) {
			*out = &found[i];
			races++;
		}
	return races;
}

/* Threads of two launches in order write three bytes of a word; a third launch, in no order
 * with them, writes one byte more, or one of theirs. */
START_TEST(parts_of_words_race_down_to_the_byte)
{
	for (int byte = 0; byte < 4; byte++)
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			struct scene scene = scene_open(seed);
			const struct event_finding *found;
			size_t count;

			write_bytes(&scene, scene.s[0], 4, 2);
			write_bytes(&scene, scene.s[0], 6, 1);
			write_bytes(&scene, scene.s[1], 4 + byte, 1);
			OK(device_sync(scene.device, NULL));
			count = race_of(scene.device, &found);
			ck_assert_uint_eq(count, byte < 3 ? 1 : 0);
			if (count) {
				ck_assert_uint_eq(found->offset, 4 + (uint64_t)byte);
				ck_assert_uint_eq(found->bytes, 1);
			}
			device_close(scene.device);
		}
}
END_TEST

/* --- reductions --- */

enum { D = 4, CHUNKS = 3 };

extern const struct sim_code ft_code_split_reduce_checked, ft_code_split_reduce_clean_checked;

/* Merges three partials, the last of which holds no key. */
static size_t found_in_reduction(struct device *device, const struct sim_code *code,
				 const struct event_finding **found)
{
	const struct kernel_code built = { .sim = { { code }, { code } }, .checked = code };
	const struct kernel kernel = {
		.name = "split_reduce", .origin = "cuda_c", .code = &built, .role = ROLE_REDUCE,
	};
	const struct buffer_spec specs[] = {
		{ .name = "partials", .dtype = DTYPE_F32, .rank = 1, .shape = { CHUNKS * (D + 2) } },
		{ .name = "out", .dtype = DTYPE_F32, .rank = 1, .shape = { D } },
	};
	float partials[CHUNKS][D + 2];
	struct buffer *b[2];

	for (int c = 0; c < CHUNKS; c++) {
		for (int d = 0; d < D; d++)
			partials[c][d] = 1.0f;
		partials[c][D] = c == CHUNKS - 1 ? -INFINITY : 0.5f;
		partials[c][D + 1] = c == CHUNKS - 1 ? 0.0f : 1.0f;
	}
	for (int i = 0; i < 2; i++)
		OK(device_alloc(device, &specs[i], &b[i]));
	OK(device_upload(device, NULL, b[0], 0, partials, sizeof partials));
	OK(device_launch(device, &(struct launch){
		.kernel = &kernel, .grid = { 1 }, .block = { 32 }, .layer = -1,
		.args = (struct arg[]){ ARG_BUFFER(b[0]), ARG_BUFFER(b[1]), ARG_I32(D),
					ARG_I32(CHUNKS) }, .arg_count = 4 }));
	for (int i = 0; i < 2; i++)
		OK(device_free(device, b[i]));
	return device_findings(device, found);
}

START_TEST(an_empty_chunk_is_not_read)
{
	const struct device_options options = { .check = true };
	const struct event_finding *found;
	struct device *device;

	OK(device_open("sim", &options, &device));
	ck_assert_uint_eq(found_in_reduction(device, &ft_code_split_reduce_clean_checked, &found),
			  0);
	ck_assert_uint_eq(found_in_reduction(device, &ft_code_split_reduce_checked, &found), 1);
	ck_assert_str_eq(found[0].class, "empty-split-read");
	ck_assert(found[0].lint);
	ck_assert_uint_eq(found[0].count, D);
	ck_assert_int_eq(found[0].sides[0].line, 15);
	ck_assert_ptr_nonnull(strstr(found[0].detail, "partial 2"));
	device_close(device);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("check_streams");

	tcase_add_loop_test(tests, a_planted_bug_is_found_whatever_the_order, 0, PROGRAMS);
	tcase_add_loop_test(tests, its_clean_twin_has_none, 0, PROGRAMS);
	tcase_add_test(tests, a_race_names_thread_line_and_bytes);
	tcase_add_test(tests, a_stale_argument_is_told_with_its_values);
	tcase_add_test(tests, a_refusal_is_told_with_its_code);
	tcase_add_test(tests, parts_of_words_race_down_to_the_byte);
	tcase_add_test(tests, an_empty_chunk_is_not_read);
	return run_suite("check_streams", tests);
}
