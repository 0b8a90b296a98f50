/* bench_rungs.c - `flashtwin bench --suite decode`: measures each rung of the ladder with each
 * shape, or lists what it would measure, or prints and draws what was measured before.
 */
#include "config.h"

#include "tui/bench/bench_rungs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/xalloc.h"
#include "engine/attention/path_ladder.h"
#include "tui/bench/bench.h"
#include "tui/bench/bench_seeds.h"
#include "tui/run.h"

#ifndef CUDA_TOOLKIT
#define CUDA_TOOLKIT "none"
#endif

#define FLUSH_BYTES 4096                /* copies that are read in turn make the L2 cold */

/* --- rungs --- */

struct rungs {
	int items[RUNGS_MAX + 2];
	int count;
};

static void add_rung(struct rungs *rungs, int rung)
{
	for (int i = 0; i < rungs->count; i++)
		if (rungs->items[i] == rung)
			return;
	rungs->items[rungs->count++] = rung;
}

static void add_all(struct rungs *rungs, enum dtype kv_dtype, int queries)
{
	/* The best is the last rung, the shape table. */
	for (int rung = 0; rung < RUNGS_MAX; rung++)
		if (rungs_check(rung, kv_dtype, queries) == STATUS_OK)
			add_rung(rungs, rung);
	error_clear();
	add_rung(rungs, LADDER_BEST);
}

static enum status take_rung(struct rungs *rungs, const char *text, enum dtype kv_dtype,
			     int queries)
{
	char *end;
	long rung = strtol(text, &end, 10);

	if (strcmp(text, "best") == 0) {
		add_rung(rungs, LADDER_BEST);
		return STATUS_OK;
	}
	if (*text < '0' || *text > '9' || *end || rung > RUNGS_MAX)
		return fail(STATUS_USAGE, "--rung: expected all, or numbers of 0 to %d and best, "
			    "separated by commas, got '%s'", RUNGS_MAX, text);
	TRY(rungs_check((int)rung, kv_dtype, queries));
	add_rung(rungs, (int)rung);
	return STATUS_OK;
}

static enum status parse_rungs(const char *text, enum dtype kv_dtype, int queries,
			       struct rungs *out)
{
	char *copy, *rest, *item;
	enum status status = STATUS_OK;

	*out = (struct rungs){ 0 };
	if (!text || strcmp(text, "all") == 0) {
		add_all(out, kv_dtype, queries);
		return STATUS_OK;
	}
	copy = rest = xstrdup(text);
	while (status == STATUS_OK && (item = strsep(&rest, ",")))
		status = take_rung(out, item, kv_dtype, queries);
	free(copy);
	return status;
}

static void rung_name(int rung, char name[16])
{
	if (rung == LADDER_BEST)
		snprintf(name, 16, "best");
	else
		snprintf(name, 16, "rung %d", rung);
}

/* Of keys and values. */
static double bytes_of(const struct shape *shape)
{
	return shape_bytes(shape, dtype_bytes(shape->kv_dtype));
}

/* --- the object --- */

/* Leaves attributes out that the device does not have. */
static void add_attribute(json_t *about, struct rig *rig, const char *name, int attribute,
			  double unit)
{
	int value;

	if (device_attribute(rig->device, attribute, &value) == STATUS_OK)
		json_object_set_new(about, name, json_integer((json_int_t)(value / unit)));
	error_clear();
}

static json_t *about(struct rig *rig, int queries)
{
	char date[32];
	time_t now = time(NULL);
	struct tm utc;
	json_t *about;

	gmtime_r(&now, &utc);
	strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
	about = json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:s}", "device", rig->info.name,
			  "driver", *rig->info.driver ? rig->info.driver : "none",
			  "flashtwin", PACKAGE_VERSION, "kernels built with CUDA", CUDA_TOOLKIT,
			  "date", date, "runs", rig->runs,
			  "clock", rig->on_gpu
			  ? "CUDA events around graphs; GPU clocks as the driver sets them"
			  : "wall clock of the simulator, small sizes: not the speed of a GPU");
	if (queries > 1)
		json_object_set_new(about, "queries of each sequence", json_integer(queries));
	add_attribute(about, rig, "SM clock at most, MHz", DEVICE_CLOCK_KHZ, 1e3);
	add_attribute(about, rig, "memory clock, MHz", DEVICE_MEMORY_KHZ, 1e3);
	add_attribute(about, rig, "memory bus, bits", DEVICE_MEMORY_BITS, 1);
	add_attribute(about, rig, "L2, bytes", DEVICE_L2_BYTES, 1);
	return about;
}

static void add_row(json_t *rows, const struct rungs_shape *shape, const char *kernel,
		    const struct rungs_time *t)
{
	json_array_append_new(rows, json_pack(
		"{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:i, s:i, s:s}", "list", shape->list,
		"shape", shape->text, "kernel", kernel, "dtype",
		dtype_name(shape->shape.kv_dtype), "us", seeds_number(t->us),
		"p10", seeds_number(t->p10), "p90", seeds_number(t->p90), "runs", t->runs,
		"copies", t->copies, "launches", t->launches, "note", t->note));
	if (shape->shape.queries > 1)
		json_object_set_new(json_array_get(rows, json_array_size(rows) - 1), "queries",
				    json_integer(shape->shape.queries));
}

/* --- measuring --- */

static void show_progress(const char *shape, const char *kernel)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "%s  %s\n", shape, kernel);
}

static const char *const prompt_kernels[] = { "attention_prefill", "attention_prefill_tiled" };

static enum status measure_prompt(struct rig *rig, const struct rungs_shape *shape, json_t *rows)
{
	int heads, positions, head_dim;
	struct rungs_time time;

	rungs_prompt(rig->on_gpu, &heads, &positions, &head_dim);
	for (int tiled = 0; tiled < 2; tiled++) {
		show_progress(shape->text, prompt_kernels[tiled]);
		TRY(rungs_time_prompt(rig, heads, positions, head_dim, tiled, &time));
		add_row(rows, shape, prompt_kernels[tiled], &time);
		json_object_set_new(json_array_get(rows, json_array_size(rows) - 1), "flop",
				    json_real(2.0 * heads * head_dim * positions
					      * (positions + 1.0)));
	}
	return STATUS_OK;
}

static enum status measure_shape(struct rig *rig, const struct rungs *rungs,
				 const struct rungs_shape *shape, json_t *rows)
{
	struct rungs_time time;
	char name[16];

	if (!shape->shape.runs)
		return measure_prompt(rig, shape, rows);
	show_progress(shape->text, RUNGS_READ);
	TRY(rungs_time_read(rig, bytes_of(&shape->shape), &time));
	add_row(rows, shape, RUNGS_READ, &time);
	for (int i = 0; i < rungs->count; i++) {
		rung_name(rungs->items[i], name);
		show_progress(shape->text, name);
		TRY(rungs_time_rung(rig, &shape->shape, rungs->items[i], &time));
		add_row(rows, shape, name, &time);
	}
	return STATUS_OK;
}

static enum status measure(const struct bench_decode_request *request,
			   const struct rungs_shapes *shapes, const struct rungs *rungs,
			   json_t **out)
{
	json_t *rows = json_array();
	struct rig rig;
	enum status status = rig_open(request->device, false,
				      request->runs ? request->runs : RUNGS_RUNS, FLUSH_BYTES,
				      &rig);

	for (size_t i = 0; status == STATUS_OK && i < shapes->count; i++)
		status = measure_shape(&rig, rungs, &shapes->items[i], rows);
	if (status == STATUS_OK)
		*out = json_pack("{s:s, s:o, s:o}", "suite", "decode", "about",
				 about(&rig, request->queries),
				 "rows", rows);
	else
		json_decref(rows);
	rig_close(&rig);
	return status;
}

/* --- without a device: what would be measured --- */

static json_t *rungs_of_shape(const struct rungs *rungs, const struct shape *shape)
{
	json_t *list = json_array();
	char name[16];

	for (int i = 0; i < rungs->count; i++) {
		struct attention_shape s = rungs_attention(shape, rungs->items[i]);

		if (attention_check(ladder_path(rungs->items[i]), &s) != STATUS_OK)
			continue;
		rung_name(rungs->items[i], name);
		json_array_append_new(list, json_string(name));
	}
	error_clear();
	return list;
}

static json_t *listing(const struct rungs_shapes *shapes, const struct rungs *rungs)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < shapes->count; i++) {
		const struct rungs_shape *s = &shapes->items[i];
		bool decode = s->shape.runs;

		json_array_append_new(rows, json_pack(
			"{s:s, s:s, s:o, s:o}", "list", s->list, "shape", s->text, "bytes",
			decode ? json_integer((json_int_t)bytes_of(&s->shape))
			: json_null(), "kernels", decode ? rungs_of_shape(rungs, &s->shape)
			: json_pack("[s, s]", prompt_kernels[0], prompt_kernels[1])));
	}
	return json_pack("{s:s, s:o}", "suite", "decode", "list", rows);
}

static void print_listing(const json_t *list)
{
	json_t *row, *kernel;
	size_t i, j;

	json_array_foreach(list, i, row) {
		double bytes = json_number_value(json_object_get(row, "bytes"));

		printf("%-8s %s", json_string_value(json_object_get(row, "list")),
		       json_string_value(json_object_get(row, "shape")));
		if (bytes > 0)
			printf("  %.1f MB", 1e-6 * bytes);
		json_array_foreach(json_object_get(row, "kernels"), j, kernel)
			printf("%s%s", j ? ", " : ": ", json_string_value(kernel));
		putchar('\n');
	}
}

static enum status print_list(const struct rungs_shapes *shapes, const struct rungs *rungs,
			      bool json)
{
	json_t *list = listing(shapes, rungs);
	enum status status = STATUS_OK;

	if (json)
		status = run_print_json(list);
	else
		print_listing(json_object_get(list, "list"));
	json_decref(list);
	return status;
}

/* --- the suite --- */

static enum status show(json_t *results, bool json, const char *plot)
{
	enum status status;

	if (json)
		rungs_add_rates(results);
	status = json ? run_print_json(results) : rungs_print(results);
	if (status == STATUS_OK && plot)
		status = rungs_plot(results, plot);
	json_decref(results);
	return status;
}

/* Rungs that were asked for by number must take a shape that was asked for. */
static enum status check_asked(const struct rungs *rungs, const struct rungs_shapes *shapes)
{
	for (int i = 0; i < rungs->count; i++) {
		struct attention_shape s = rungs_attention(&shapes->items[0].shape,
							   rungs->items[i]);

		TRY(attention_check(ladder_path(rungs->items[i]), &s));
	}
	return STATUS_OK;
}

static enum status run_suite(const struct bench_decode_request *request,
			     const struct rungs_shapes *shapes, enum dtype kv_dtype)
{
	struct rungs rungs;
	json_t *results;

	TRY(parse_rungs(request->rungs, kv_dtype, request->queries, &rungs));
	if (request->rungs && strcmp(request->rungs, "all") != 0
	    && strcmp(shapes->items[0].list, RUNGS_LIST_SHAPE) == 0)
		TRY(check_asked(&rungs, shapes));
	if (request->list)
		return print_list(shapes, &rungs, request->json);
	TRY(measure(request, shapes, &rungs, &results));
	return show(results, request->json, request->plot);
}

enum status bench_decode_rungs(const struct bench_decode_request *request)
{
	enum dtype kv_dtype = DTYPE_F32;
	struct rungs_shapes shapes;
	json_t *results;
	enum status status;

	if (request->kv_dtype)          /* one of the option's names */
		dtype_from_name(request->kv_dtype, &kv_dtype);
	/* JSON functions cannot run out of memory: xmalloc() never fails. */
	json_set_alloc_funcs(xmalloc, free);
	if (request->file_count > 0) {
		TRY(rungs_load(request->files, request->file_count, &results));
		return show(results, request->json, request->plot);
	}
	TRY(rungs_shapes(strcmp(request->device, "cuda") == 0, request->shape, kv_dtype,
			 request->queries, &shapes));
	status = run_suite(request, &shapes, kv_dtype);
	rungs_shapes_free(&shapes);
	return status;
}
