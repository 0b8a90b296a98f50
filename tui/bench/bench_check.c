/* bench_check.c - measures what the checker costs: each kernel with and without it, alternating.
 *
 * Every kernel of the project, with the launches that its path makes, and a tiled matrix product
 * (doc/samples/matmul.cu), compiled like a user's file. Both devices run a launch in the same order
 * on one thread. Times are the process's processor time, so other programs change them little.
 */
#include "config.h"

#include "tui/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/bench/bench_rig.h"
#include "tui/bench/bench_sample.h"
#include "tui/command.h"
#include "tui/datadir.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_kernel.h"
#include "tui/run.h"

#define ROLES (ROLES_ATTEND | ROLES_SCATTER | 1u << ROLE_NONE)  /* NONE: plans of batches */
#define SAMPLE_SECONDS 0.02             /* at least, without the checker */

enum { PLAIN, CHECKED, MODES };
enum { MATMUL = 128, TILE = 16, SCATTER_HEADS = 4, SCATTER_ROWS = 128, SCATTER_DIM = 128 };

struct suite {
	struct rig rig[MODES];
	int runs;
	json_t *rows;
};

/* --- time --- */

static enum status time_once(struct rig *rig, struct launches *list, int repeats, double *out)
{
	double start = bench_processor();

	for (int i = 0; i < repeats; i++)
		TRY(launches_run(rig, list));
	TRY(device_sync(rig->device, NULL));
	*out = bench_processor() - start;
	return STATUS_OK;
}

/* How often to repeat the launches, so that a sample is long enough. Also warms up. */
static enum status count_repeats(struct rig *rig, struct launches *list, int *out)
{
	double seconds = 0;

	for (*out = 1; ; *out *= 2) {
		TRY(time_once(rig, list, *out, &seconds));
		if (seconds >= SAMPLE_SECONDS || *out >= 1 << 16)
			return STATUS_OK;
	}
}

static enum status sample(struct suite *s, struct launches lists[MODES], int repeats,
			  double *times)
{
	double warm;

	TRY(time_once(&s->rig[CHECKED], &lists[CHECKED], 1, &warm));
	for (int run = 0; run < s->runs; run++)
		for (int mode = 0; mode < MODES; mode++)
			TRY(time_once(&s->rig[mode], &lists[mode], repeats,
				      &times[mode * s->runs + run]));
	return STATUS_OK;
}

/* Adds a row for launches of one kernel, the same on both devices. */
static enum status measure(struct suite *s, const char *kernel, const char *sizes,
			   struct launches lists[MODES])
{
	double *times = xcalloc((size_t)(MODES * s->runs), sizeof *times);
	int repeats;
	enum status status = count_repeats(&s->rig[PLAIN], &lists[PLAIN], &repeats);

	if (status == STATUS_OK)
		status = sample(s, lists, repeats, times);
	if (status == STATUS_OK) {
		double plain = 1e6 * bench_median(times, (size_t)s->runs) / repeats;
		double checked = 1e6 * bench_median(times + s->runs, (size_t)s->runs) / repeats;

		json_array_append_new(s->rows, json_pack(
			"{s:s, s:s, s:f, s:f, s:f}", "kernel", kernel, "sizes", sizes,
			"unchecked_us", plain, "checked_us", checked, "ratio", checked / plain));
	}
	free(times);
	return status;
}

/* --- decode --- */

/* As many sequences as rungs 9 and 10 have two blocks on a multiprocessor for. */
enum { PAIR_SLOTS = 9 };

static const struct check_case {
	const char *path;
	enum graph_mode graph;
	int slots, warps, rung;
	enum dtype kv_dtype;
	int sinks;                      /* not 0: with a window and a softcap */
} cases[] = {
	{ "incremental", GRAPH_NONE, 1, 1, 0, DTYPE_F32, 0 },
	{ "incremental", GRAPH_CAPTURE, 1, 1, 0, DTYPE_F32, 0 },
	{ "incremental-multiwarp", GRAPH_NONE, 1, 1, 0, DTYPE_F32, 0 },
	{ "incremental-multiwarp", GRAPH_CAPTURE, 1, 1, 0, DTYPE_F32, 0 },
	{ "batched", GRAPH_NONE, 4, 1, 0, DTYPE_F32, 0 },
	{ "flash-decoding", GRAPH_NONE, 4, 1, 0, DTYPE_F32, 0 },
	{ "flash-decoding", GRAPH_NONE, 4, 2, 0, DTYPE_F32, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 4, DTYPE_F32, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 5, DTYPE_F32, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 6, DTYPE_F32, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 9, DTYPE_F32, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 10, DTYPE_F32, 0 },
	{ "ladder", GRAPH_NONE, 2, 1, 10, DTYPE_F32, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 5, DTYPE_F16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 6, DTYPE_F16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 7, DTYPE_F16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 9, DTYPE_F16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 10, DTYPE_F16, 0 },
	{ "ladder", GRAPH_NONE, 2, 1, 10, DTYPE_F16, 0 },
	{ "ladder", GRAPH_NONE, PAIR_SLOTS, 1, 9, DTYPE_F16, 0 },
	{ "ladder", GRAPH_NONE, PAIR_SLOTS, 1, 10, DTYPE_F16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 5, DTYPE_BF16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 6, DTYPE_BF16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 7, DTYPE_BF16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 9, DTYPE_BF16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 10, DTYPE_BF16, 0 },
	{ "ladder", GRAPH_NONE, 2, 1, 10, DTYPE_BF16, 0 },
	{ "ladder", GRAPH_NONE, PAIR_SLOTS, 1, 9, DTYPE_BF16, 0 },
	{ "ladder", GRAPH_NONE, PAIR_SLOTS, 1, 10, DTYPE_BF16, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 5, DTYPE_E4M3, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 6, DTYPE_E4M3, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 7, DTYPE_E4M3, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 9, DTYPE_E4M3, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 10, DTYPE_E4M3, 0 },
	{ "ladder", GRAPH_NONE, 2, 1, 10, DTYPE_E4M3, 0 },
	{ "ladder", GRAPH_NONE, PAIR_SLOTS, 1, 9, DTYPE_E4M3, 0 },
	{ "ladder", GRAPH_NONE, PAIR_SLOTS, 1, 10, DTYPE_E4M3, 0 },
	{ "ladder", GRAPH_NONE, 4, 1, 5, DTYPE_F32, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 6, DTYPE_F32, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 9, DTYPE_F32, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 10, DTYPE_F32, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 5, DTYPE_F16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 6, DTYPE_F16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 7, DTYPE_F16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 9, DTYPE_F16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 10, DTYPE_F16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 5, DTYPE_BF16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 6, DTYPE_BF16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 7, DTYPE_BF16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 9, DTYPE_BF16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 10, DTYPE_BF16, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 5, DTYPE_E4M3, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 6, DTYPE_E4M3, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 7, DTYPE_E4M3, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 9, DTYPE_E4M3, 1 },
	{ "ladder", GRAPH_NONE, 4, 1, 10, DTYPE_E4M3, 1 },
};

static const struct attention_shape shape = {
	.layers = 1, .heads = 8, .kv_heads = 4, .head_dim = 128, .max_len = 512, .chunk = 128,
};

/* The launches of a list with one kernel; the items stay the list's. */
static struct launches only(const struct launches *list, const struct kernel *kernel)
{
	struct launches some = { xcalloc((size_t)list->count, sizeof *some.items), 0 };

	for (int i = 0; i < list->count; i++)
		if (list->items[i].kernel == kernel)
			some.items[some.count++] = list->items[i];
	return some;
}

static bool is_measured(const struct suite *s, const char *kernel)
{
	const json_t *row;
	size_t i;

	json_array_foreach(s->rows, i, row)
		if (strcmp(json_string_value(json_object_get(row, "kernel")), kernel) == 0)
			return true;
	return false;
}

static enum status measure_kernels(struct suite *s, const char *sizes,
				   struct launches lists[MODES])
{
	enum status status = STATUS_OK;

	for (int i = 0; i < lists[PLAIN].count && status == STATUS_OK; i++) {
		const struct kernel *kernel = lists[PLAIN].items[i].kernel;
		struct launches some[MODES];

		if (is_measured(s, kernel->name))
			continue;
		for (int mode = 0; mode < MODES; mode++)
			some[mode] = only(&lists[mode], kernel);
		status = measure(s, kernel->name, sizes, some);
		for (int mode = 0; mode < MODES; mode++)
			free(some[mode].items);
	}
	return status;
}

struct made {
	const struct check_case *c;
	struct attention *attention;
};

/* A graph's launches are made when its attention is. */
static enum status make_case(struct rig *rig, void *context)
{
	struct made *made = context;
	const struct check_case *c = made->c;
	struct attention_shape of = shape;

	of.slots = c->slots;
	of.warps = c->warps;
	of.rung = c->rung;
	of.kv_dtype = c->kv_dtype;
	of.sinks = c->sinks;
	of.window = c->sinks ? of.max_len / 2 : 0;
	of.softcap = c->sinks ? 50.0f : 0.0f;
	of.graph = c->graph;
	of.scale = attention_scale(of.head_dim);
	TRY(attention_create(path_find(c->path), rig->device, &of, &made->attention));
	TRY(step_prepare(rig, made->attention, of.max_len));
	return step_run(rig, made->attention);
}

static enum status measure_case(struct suite *s, const struct check_case *c)
{
	struct made made[MODES] = { { c, NULL }, { c, NULL } };
	struct launches lists[MODES] = { { 0 } };
	enum status status = STATUS_OK;
	char sizes[128];

	snprintf(sizes, sizeof sizes, "%d x %d heads, %d KV heads, D %d, %d keys", c->slots,
		 shape.heads, shape.kv_heads, shape.head_dim, shape.max_len);
	for (int mode = 0; mode < MODES && status == STATUS_OK; mode++)
		status = launches_take(&s->rig[mode], ROLES, make_case, &made[mode], &lists[mode]);
	if (status == STATUS_OK)
		status = measure_kernels(s, sizes, lists);
	for (int mode = 0; mode < MODES; mode++) {
		launches_free(&lists[mode]);
		attention_destroy(made[mode].attention);
	}
	return status;
}

/* --- prefill --- */

/* `count` equal arrays of floats, all but the last filled. */
static enum status make_buffers(struct rig *rig, int count, int64_t floats, struct buffer **out)
{
	for (int i = 0; i < count; i++) {
		const struct buffer_spec spec = { "floats", DTYPE_F32, 1, { floats } };

		TRY(device_alloc(rig->device, &spec, &out[i]));
		if (i < count - 1)
			TRY(rig_fill_random(rig, out[i]));
	}
	return STATUS_OK;
}

static enum status measure_prefill(struct suite *s, int dim, bool tiled)
{
	enum { HEADS = 2, ROWS = 128 };
	struct launches lists[MODES] = { { 0 } };
	enum status status = STATUS_OK;
	char sizes[128];

	snprintf(sizes, sizeof sizes, "%d heads, D %d, %d x %d, causal", HEADS, dim, ROWS, ROWS);
	for (int mode = 0; mode < MODES && status == STATUS_OK; mode++)
		status = launches_of_prefill(&s->rig[mode], HEADS, ROWS, dim, tiled, &lists[mode]);
	if (status == STATUS_OK)
		status = measure(s, tiled ? "attention_prefill_tiled" : "attention_prefill", sizes,
				 lists);
	for (int mode = 0; mode < MODES; mode++)
		launches_free(&lists[mode]);
	return status;
}

/* --- single launches --- */

/* The arguments stay in `args`. */
static enum status make_scatter(struct rig *rig, struct arg *args, struct launch *out)
{
	struct buffer *buffers[2];

	TRY(make_buffers(rig, 2, SCATTER_HEADS * SCATTER_ROWS * SCATTER_DIM, buffers));
	args[0] = ARG_BUFFER(buffers[0]);
	args[1] = ARG_BUFFER(buffers[1]);
	args[2] = ARG_I32(SCATTER_DIM);
	args[3] = ARG_I32(SCATTER_ROWS);
	args[4] = ARG_I32(0);
	*out = (struct launch){
		.kernel = kernel_find("kv_scatter_rows"),
		.grid = { SCATTER_HEADS, SCATTER_ROWS, 1 },
		.block = { SCATTER_DIM, 1, 1 }, .args = args, .arg_count = 5, .layer = -1,
	};
	return STATUS_OK;
}

static enum status measure_scatter(struct suite *s)
{
	struct arg args[MODES][5];
	struct launch launch[MODES];
	struct launches lists[MODES];
	char sizes[64];

	snprintf(sizes, sizeof sizes, "%d KV heads, D %d, %d rows", SCATTER_HEADS, SCATTER_DIM,
		 SCATTER_ROWS);
	for (int mode = 0; mode < MODES; mode++) {
		TRY(make_scatter(&s->rig[mode], args[mode], &launch[mode]));
		lists[mode] = (struct launches){ &launch[mode], 1 };
	}
	return measure(s, "kv_scatter_rows", sizes, lists);
}

/* The arguments stay in `args`. */
static enum status make_matmul(struct rig *rig, const struct kernel *kernel, struct arg *args,
			       struct launch *out)
{
	struct buffer *buffers[3];

	TRY(make_buffers(rig, 3, MATMUL * MATMUL, buffers));
	for (int i = 0; i < 3; i++)
		args[i] = ARG_BUFFER(buffers[i]);
	args[3] = ARG_I32(MATMUL);
	*out = (struct launch){
		.kernel = kernel, .grid = { MATMUL / TILE, MATMUL / TILE, 1 },
		.block = { TILE, TILE, 1 }, .args = args, .arg_count = 4, .layer = -1,
	};
	return STATUS_OK;
}

static enum status build_matmul(const char *file, struct sandbox *sandbox, bool check,
				struct user_kernel **built, const struct kernel **kernel)
{
	static const char *const no_flags[] = { NULL };
	const struct user_source source = {
		.file = file, .kernel = "matmul", .flags = no_flags, .sandbox = sandbox,
		.check = check,
	};

	TRY(user_kernel_build(&source, built));
	return user_kernel_load(*built, kernel);
}

static enum status run_matmul(struct suite *s, const char *file, struct sandbox *sandbox)
{
	struct user_kernel *built[MODES] = { NULL };
	struct arg args[MODES][4];
	struct launch launch[MODES];
	struct launches lists[MODES];
	enum status status = STATUS_OK;
	char sizes[64];

	snprintf(sizes, sizeof sizes, "%d x %d, tiles of %d x %d", MATMUL, MATMUL, TILE, TILE);
	for (int mode = 0; mode < MODES && status == STATUS_OK; mode++) {
		const struct kernel *kernel = NULL;

		status = build_matmul(file, sandbox, mode == CHECKED, &built[mode], &kernel);
		if (status == STATUS_OK)
			status = make_matmul(&s->rig[mode], kernel, args[mode], &launch[mode]);
		lists[mode] = (struct launches){ &launch[mode], 1 };
	}
	if (status == STATUS_OK)
		status = measure(s, "matmul", sizes, lists);
	for (int mode = 0; mode < MODES; mode++)
		user_kernel_free(built[mode]);
	return status;
}

static enum status measure_matmul(struct suite *s)
{
	const struct sandbox_options options = { .mode = SANDBOX_NO, .command = "bench" };
	struct sandbox *sandbox = NULL;
	char *file = datadir_matmul();
	enum status status = sandbox_create(&options, &sandbox);

	if (status == STATUS_OK)
		status = run_matmul(s, file, sandbox);
	sandbox_close(sandbox);
	free(file);
	return status;
}

/* --- the suite --- */

static enum status measure_all(struct suite *s)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		TRY(measure_case(s, &cases[i]));
	TRY(measure_scatter(s));
	TRY(measure_prefill(s, 64, false));
	TRY(measure_prefill(s, 128, false));
	TRY(measure_prefill(s, 128, true));
	return measure_matmul(s);
}

/* As Linux names it; the caller frees it. */
static char *processor(void)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256], *name = NULL;

	while (file && !name && fgets(line, sizeof line, file)) {
		const char *colon = strchr(line, ':');

		if (colon && strncmp(line, "model name", 10) == 0)
			name = xasprintf("%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
	}
	if (file)
		fclose(file);
	return name ? name : xstrdup("unknown");
}

static enum status print_rows(const struct suite *s, const char *name)
{
	const json_t *row;
	size_t i;

	printf("%s, one thread, one order; processor time of a launch, medians of %d\n\n", name,
	       s->runs);
	printf("| kernel | sizes | unchecked | checked | ratio |\n|---|---|---:|---:|---:|\n");
	json_array_foreach(s->rows, i, row)
		printf("| %s | %s | %.0f us | %.0f us | %.1f |\n",
		       json_string_value(json_object_get(row, "kernel")),
		       json_string_value(json_object_get(row, "sizes")),
		       json_real_value(json_object_get(row, "unchecked_us")),
		       json_real_value(json_object_get(row, "checked_us")),
		       json_real_value(json_object_get(row, "ratio")));
	return ferror(stdout) ? command_stdout_failed() : STATUS_OK;
}

static enum status print_json(const struct suite *s, const char *name)
{
	json_t *report = json_pack("{s:s, s:s, s:i, s:O}", "suite", "check", "processor", name,
				   "runs", s->runs, "rows", s->rows);
	enum status status = run_print_json(report);

	json_decref(report);
	return status;
}

enum status bench_check(int runs, bool json)
{
	struct suite s = { .runs = runs, .rows = json_array() };
	enum status status = rig_open("sim", false, runs, 4096, &s.rig[PLAIN]);
	char *name = processor();

	if (status == STATUS_OK)
		status = rig_open("sim", true, runs, 4096, &s.rig[CHECKED]);
	if (status == STATUS_OK)
		status = measure_all(&s);
	for (int mode = 0; mode < MODES; mode++)
		rig_close(&s.rig[mode]);
	if (status == STATUS_OK)
		status = json ? print_json(&s, name) : print_rows(&s, name);
	free(name);
	json_decref(s.rows);
	return status;
}
