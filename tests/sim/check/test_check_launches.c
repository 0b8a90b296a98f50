/* test_check_launches.c - the checker on launches that may begin before the one before has ended.
 *
 * Kernels and marks are in tests/checker/programmatic.cu. Each bug is found on its line in every
 * order, and each clean twin has no findings.
 */
#include "config.h"

#include "tests/scene.h"

#include "tests/checker/marks.h"

/* --- kernels --- */

static const struct kernel_source sources[] = { { "tests/checker/", "" }, { NULL, NULL } };

#define KERNELS(X) \
	X(launch_copy) X(launch_copy_late) X(launch_copy_only) \
	X(early_read) X(early_read_clean) X(early_write) X(early_write_clean) \
	X(early_once) X(early_once_clean) X(early_never) X(early_never_clean) \
	X(early_others) X(early_others_clean) X(early_flag) X(early_flag_clean) \
	X(early_async) X(early_async_clean) X(early_cluster) X(early_cluster_clean)
#define X(name) extern const struct sim_code ft_code_##name##_checked;
KERNELS(X)
#undef X

static struct kernel_code codes[] = {
#define X(name) \
	{ .sim = { { &ft_code_##name##_checked }, { &ft_code_##name##_checked } }, \
	  .checked = &ft_code_##name##_checked, .sources = sources },
	KERNELS(X)
#undef X
};

static struct kernel kernels[] = {
#define X(word) { .name = #word, .origin = "cuda_c", .programmatic = true },
	KERNELS(X)
#undef X
	{ .name = NULL }
};

static const struct kernel *kernel_named(const char *name)
{
	int i = 0;

	while (kernels[i].name && strcmp(kernels[i].name, name) != 0)
		i++;
	ck_assert_msg(kernels[i].name != NULL, "no kernel %s", name);
	kernels[i].code = &codes[i];
	return &kernels[i];
}

static struct launch launch_of(struct scene *c, const char *name, int to, int from,
			       struct arg args[3])
{
	unsigned blocks = strstr(name, "cluster") ? 2 : 1;

	args[0] = (struct arg)ARG_BUFFER(c->b[from]);
	args[1] = (struct arg)ARG_BUFFER(c->b[to]);
	args[2] = (struct arg)ARG_BUFFER(c->b[3]);
	return (struct launch){
		.kernel = kernel_named(name), .grid = { blocks }, .cluster = { blocks },
		.block = { WORDS }, .stream = c->s[0], .args = args, .arg_count = 3, .layer = -1,
	};
}

static void run(struct scene *c, const char *name, int to, int from)
{
	struct arg args[3];
	struct launch launch = launch_of(c, name, to, from, args);

	OK(device_launch(c->device, &launch));
}

/* --- host programs, around a kernel --- */

static void read_after_write(struct scene *c, const char *kernel)
{
	run(c, "launch_copy", 1, 0);
	run(c, kernel, 2, 1);
}

static void write_after_read(struct scene *c, const char *kernel)
{
	run(c, "launch_copy", 1, 0);
	run(c, kernel, 0, 2);
}

static void write_after_write(struct scene *c, const char *kernel)
{
	run(c, "launch_copy", 1, 0);
	run(c, kernel, 1, 2);
}

/* The launch before does not let others begin, but its writes need not be visible. */
static void after_any_kernel(struct scene *c, const char *kernel)
{
	run(c, "launch_copy_only", 1, 0);
	run(c, kernel, 2, 1);
}

static void captured_launches(struct scene *c, const char *kernel)
{
	struct graph_exec *exec;

	OK(device_capture_begin(c->device, c->s[0], CAPTURE_GLOBAL));
	run(c, "launch_copy", 1, 0);
	run(c, kernel, 2, 1);
	captured(c, &exec);
}

/* The launch between lets the last one begin before it has waited for the first. */
static void two_launches_before(struct scene *c, const char *kernel)
{
	run(c, "launch_copy_only", 1, 0);
	run(c, "launch_copy", 2, 0);
	run(c, kernel, 0, 1);
}

static const struct program {
	void (*run)(struct scene *, const char *kernel);
	const char *kernel;
	const char *other;              /* the operation it races with */
} programs[] = {
	{ read_after_write, "early_read", "launch_copy on stream 1" },
	{ write_after_read, "early_write", "launch_copy on stream 1" },
	{ write_after_write, "early_write", "launch_copy on stream 1" },
	{ read_after_write, "early_once", "launch_copy on stream 1" },
	{ read_after_write, "early_never", "launch_copy on stream 1" },
	{ read_after_write, "early_others", "launch_copy on stream 1" },
	{ read_after_write, "early_flag", "launch_copy on stream 1" },
	{ read_after_write, "early_async", "launch_copy on stream 1" },
	{ read_after_write, "early_cluster", "launch_copy on stream 1" },
	{ after_any_kernel, "early_read", "launch_copy_only on stream 1" },
	{ captured_launches, "early_read", "launch_copy on stream 1" },
	{ two_launches_before, "early_read", "launch_copy_only on stream 1" },
};
#define PROGRAMS ((int)(sizeof programs / sizeof programs[0]))

/* --- programs whose launches do not overlap --- */

static void after_an_upload(struct scene *c)
{
	run(c, "launch_copy", 1, 0);
	OK(device_upload_async(c->device, c->s[0], c->b[1], 0, c->host, BYTES));
	run(c, "early_read", 2, 1);
}

static void after_the_host_waited(struct scene *c)
{
	run(c, "launch_copy", 1, 0);
	OK(device_sync(c->device, c->s[0]));
	run(c, "early_read", 2, 1);
}

static void of_other_bytes(struct scene *c)
{
	run(c, "launch_copy", 1, 0);
	run(c, "early_read", 2, 0);
}

/* The launch between has waited for the first before it lets the last one begin. */
static void after_one_that_waits_first(struct scene *c)
{
	run(c, "launch_copy_only", 1, 0);
	run(c, "launch_copy_late", 2, 0);
	run(c, "early_read", 0, 1);
}

/* The next launch, which is not programmatic, begins when the one before has ended. */
static void before_another(struct scene *c)
{
	run(c, "launch_copy_only", 1, 0);
	run(c, "launch_copy", 2, 0);
	kernel(c, c->s[0], 0, 2);
}

static void in_a_graph_built_by_hand(struct scene *c)
{
	const int first = 0;
	struct graph_exec *exec;
	struct graph *graph;
	struct arg args[3];
	struct launch launch = launch_of(c, "launch_copy", 1, 0, args);
	int node;

	launch.stream = NULL;
	OK(device_graph_create(c->device, &graph));
	OK(device_graph_add_launch(c->device, graph, &launch, NULL, 0, &node));
	launch = launch_of(c, "early_read", 2, 1, args);
	launch.stream = NULL;
	OK(device_graph_add_launch(c->device, graph, &launch, &first, 1, &node));
	OK(device_graph_instantiate(c->device, graph, &exec));
	OK(device_graph_launch(c->device, exec, c->s[0]));
}

static void (*const ordered[])(struct scene *) = {
	after_an_upload, after_the_host_waited, of_other_bytes, after_one_that_waits_first,
	before_another, in_a_graph_built_by_hand,
};
#define ORDERED ((int)(sizeof ordered / sizeof ordered[0]))

/* --- tests --- */

static size_t found_in(struct scene *scene, const struct row_finding **found)
{
	device_sync(scene->device, NULL);
	for (int i = 0; i < 4; i++)
		OK(device_free(scene->device, scene->b[i]));
	return device_findings(scene->device, found);
}

START_TEST(an_early_access_is_found_on_its_line)
{
	const struct program *program = &programs[_i];
	int line = marked_line("programmatic", program->kernel);

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct scene scene = scene_open(seed);
		const struct row_finding *found;
		size_t count, right = 0;

		program->run(&scene, program->kernel);
		count = found_in(&scene, &found);
		for (size_t i = 0; i < count; i++) {
			ck_assert_msg(strcmp(found[i].class, "race-launch") == 0,
				      "program %d, seed %d: %s", _i, (int)seed, found[i].class);
			right += side_is_at(&found[i].sides[0], "programmatic", line)
				&& found[i].sides[1].operation
				&& strcmp(found[i].sides[1].operation, program->other) == 0;
		}
		ck_assert_msg(right > 0, "program %d, seed %d: %zu findings, line %d of %d, %s", _i,
			      (int)seed, count, count ? found[0].sides[0].line : 0, line,
			      count ? found[0].sides[1].operation : "");
		device_close(scene.device);
	}
}
END_TEST

static void expect_none(struct scene *scene, const char *name, uint64_t seed)
{
	const struct row_finding *found;
	size_t count = found_in(scene, &found);

	ck_assert_msg(count == 0, "%s, seed %d: %s at line %d, %s", name, (int)seed,
		      count ? found[0].class : "", count ? found[0].sides[0].line : 0,
		      count ? found[0].sides[1].operation : "");
	device_close(scene->device);
}

START_TEST(its_clean_twin_has_no_findings)
{
	const struct program *program = &programs[_i];
	char twin[64];

	snprintf(twin, sizeof twin, "%s_clean", program->kernel);
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct scene scene = scene_open(seed);

		program->run(&scene, twin);
		expect_none(&scene, twin, seed);
	}
}
END_TEST

START_TEST(launches_that_cannot_overlap_have_no_findings)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct scene scene = scene_open(seed);
		char name[32];

		ordered[_i](&scene);
		snprintf(name, sizeof name, "program %d", _i);
		expect_none(&scene, name, seed);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("check_launches");

	tcase_add_loop_test(tests, an_early_access_is_found_on_its_line, 0, PROGRAMS);
	tcase_add_loop_test(tests, its_clean_twin_has_no_findings, 0, PROGRAMS);
	tcase_add_loop_test(tests, launches_that_cannot_overlap_have_no_findings, 0, ORDERED);
	return run_suite("check_launches", tests);
}
