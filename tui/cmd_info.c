/* cmd_info.c - `flashtwin info`: describes this flashtwin, this machine or a trace.
 *
 * Gathers everything as one JSON object, which --json prints and tui/info_text.c formats as text:
 * both have the same content. A missing GPU is an error only with --device cuda. Runs no kernels
 * except for --verify-math, which is in tui/info_math.c, and changes nothing.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "engine/attention/path_ladder.h"
#include "engine/device.h"
#include "kernels/kernel_table.h"
#include "kernels/variant.h"
#include "sim/exec/grid.h"
#include "traces/store/store.h"
#include "tui/command.h"
#include "tui/datadir.h"
#include "tui/info_math.h"
#include "tui/info_plan.h"
#include "tui/info_text.h"
#include "tui/launch/programs.h"
#include "tui/launch/sandbox.h"
#include "tui/options.h"
#include "tui/run.h"

/* --- gathering: this program --- */

static json_t *gather_build(void)
{
	json_t *cuda = json_null();

#ifdef HAVE_CUDA
	cuda = json_string(CUDA_TOOLKIT);
#endif
	return json_pack("{s:s, s:s, s:o, s:b, s:b, s:b}", "version", PACKAGE_VERSION,
			 "compiler", __VERSION__, "cuda", cuda,
#ifdef HAVE_AVX2_KERNELS
			 "avx2_kernels", 1,
#else
			 "avx2_kernels", 0,
#endif
#ifdef HAVE_DEBUG_KERNELS
			 "debug_kernels", 1,
#else
			 "debug_kernels", 0,
#endif
#ifdef HAVE_LIBDW
			 "libdw", 1
#else
			 "libdw", 0
#endif
			 );
}

static json_t *gather_params(const struct kernel *kernel)
{
	json_t *params = json_array();
	int count;
	const struct kernel_param *param = kernel_params(kernel, &count);

	for (int i = 0; i < count; i++)
		json_array_append_new(params, json_pack("{s:s, s:s}", "name", param[i].name,
							"type", param[i].type));
	return params;
}

static json_t *gather_kernels(void)
{
	json_t *kernels = json_array();

	for (int i = 0; kernel_table[i] != NULL; i++) {
		const struct kernel *kernel = kernel_table[i];
		size_t shared = grid_static_shared(kernel_sim_code(kernel, SIM_BASELINE, false));
		size_t bytes;

		json_array_append_new(kernels, json_pack(
			"{s:s, s:s, s:s, s:s, s:o, s:I, s:o, s:b, s:b, s:b}",
			"name", kernel->name, "file", kernel_sources(kernel)->file,
			"summary", kernel->summary, "origin", kernel->origin,
			"params", gather_params(kernel),
			"static_shared_bytes", (json_int_t)shared,
			"max_threads", kernel->max_threads ? json_integer(kernel->max_threads)
							   : json_null(),
			"independent_blocks", (int)kernel->independent,
			"points", kernel->points != NULL,
			"gpu_code", kernel_fatbin(kernel, false, &bytes) != NULL));
	}
	return kernels;
}

static json_t *gather_paths(void)
{
	json_t *paths = json_array();

	for (int i = 0; path_table[i] != NULL; i++)
		json_array_append_new(paths, json_pack("{s:s, s:s}", "name", path_table[i]->name,
						       "summary", path_table[i]->summary));
	return paths;
}

/* --- gathering: this machine --- */

static json_t *dim3_json(struct dim3 d)
{
	return json_pack("[I, I, I]", (json_int_t)d.x, (json_int_t)d.y, (json_int_t)d.z);
}

/* The simulator has no device memory and no driver: both are null. */
static json_t *device_json(const char *kind, int ordinal, const struct device_info *info)
{
	return json_pack("{s:s, s:i, s:s, s:s, s:s?, s:[i,i], s:i, s:i, s:i, s:o, s:o, s:I, s:I,"
			 " s:o}", "kind", kind, "ordinal", ordinal, "name", info->name,
			 "profile", info->profile, "driver", *info->driver ? info->driver : NULL,
			 "compute", info->compute_major, info->compute_minor,
			 "multiprocessors", info->multiprocessors,
			 "max_threads_per_block", (int)info->max_threads_per_block,
			 "warp_size", (int)info->warp_size,
			 "max_grid", dim3_json(info->max_grid),
			 "max_block", dim3_json(info->max_block),
			 "shared_per_block", (json_int_t)info->shared_per_block,
			 "shared_per_block_optin", (json_int_t)info->shared_per_block_optin,
			 "memory_bytes", info->memory_bytes
			 ? json_integer((json_int_t)info->memory_bytes) : json_null());
}

/* Appends one device to the list. */
static enum status gather_device(const char *kind, int ordinal, json_t *devices)
{
	struct device_options options = { .ordinal = ordinal };
	struct device *device;
	struct device_info info;
	enum status status;

	TRY(device_open(kind, &options, &device));
	status = device_info(device, &info);
	if (status == STATUS_OK)
		json_array_append_new(devices, device_json(kind, ordinal, &info));
	device_close(device);
	return status;
}

/* All GPUs of this machine. Fails only if there is none. */
static enum status gather_gpus(json_t *devices)
{
	int ordinal = 0;

	TRY(gather_device("cuda", ordinal++, devices));
	while (gather_device("cuda", ordinal, devices) == STATUS_OK)
		ordinal++;
	error_clear();
	return STATUS_OK;
}

/* `only` is "sim", "cuda" or NULL for both; then a missing GPU becomes an entry of the list. */
static enum status gather_devices(const char *only, json_t *devices)
{
	if (!only || strcmp(only, "sim") == 0)
		TRY(gather_device("sim", 0, devices));
	if (only && strcmp(only, "cuda") == 0)
		return gather_gpus(devices);
	if (!only && gather_gpus(devices) != STATUS_OK) {
		json_array_append_new(devices, json_pack("{s:s, s:s}", "kind", "cuda",
							 "missing", error_text()));
		error_clear();
	}
	return STATUS_OK;
}

/* Appends the outcome of a search, `found`, to the list: the compiler, or why there is none. */
static void gather_compiler(const char *kind, enum status found, struct compiler *compiler,
			    json_t *compilers)
{
	char *shown = found == STATUS_OK ? compiler_show(compiler) : xstrdup(error_text());
	json_t *text = json_string(shown);

	free(shown);
	if (!text)                      /* JSON text must be UTF-8; a path may not be */
		text = json_null();
	if (found == STATUS_OK) {
		json_array_append_new(compilers, json_pack(
			"{s:s, s:o, s:s}", "kind", kind, "compiler", text,
			"language", compiler->cplusplus ? "C++" : "C"));
		compiler_free(compiler);
	} else {
		json_array_append_new(compilers, json_pack("{s:s, s:o}", "kind", kind,
							   "missing", text));
		error_clear();
	}
}

/* The compilers that `launch` would use. */
static json_t *gather_compilers(void)
{
	json_t *compilers = json_array();
	struct compiler compiler;
	enum status found = compiler_find_sim(&compiler);

	gather_compiler("sim", found, &compiler, compilers);
	found = compiler_find_cuda(&compiler);
	gather_compiler("cuda", found, &compiler, compilers);
	return compilers;
}

/* What `launch --sandbox=auto` gives here; bubblewrap is tried. */
static json_t *gather_sandbox(void)
{
	bool inside;
	char *text = sandbox_describe(&inside);
	json_t *string = text ? json_string(text) : NULL;

	free(text);
	return json_pack("{s:s, s:o}", "in_force", inside ? "bubblewrap" : "limits",
			 inside ? "program" : "missing", string ? string : json_null());
}

static json_t *gather_environment(void)
{
	static const char *const names[] = {
		"FLASHTWIN_DATADIR", "FLASHTWIN_KERNELS", "CUDA_VISIBLE_DEVICES"
	};
	json_t *variables = json_object();
	struct utsname system;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (getenv(names[i]) != NULL)
			json_object_set_new(variables, names[i], json_string(getenv(names[i])));
	if (uname(&system) != 0)
		memset(&system, 0, sizeof system);
	return json_pack("{s:s, s:s, s:s, s:i, s:b, s:s, s:o}", "system", system.sysname,
			 "release", system.release, "machine", system.machine,
			 "processors", (int)sysconf(_SC_NPROCESSORS_ONLN),
			 "avx2_and_fma", (int)processor_has_avx2(),
			 "sqlite", sqlite3_libversion(), "variables", variables);
}

static enum status gather_machine(const char *only, json_t *out)
{
	json_t *devices = json_array();

	json_object_set_new(out, "build", gather_build());
	json_object_set_new(out, "devices", devices);
	json_object_set_new(out, "kernels", gather_kernels());
	json_object_set_new(out, "paths", gather_paths());
	json_object_set_new(out, "compilers", gather_compilers());
	json_object_set_new(out, "sandbox", gather_sandbox());
	json_object_set_new(out, "environment", gather_environment());
	return gather_devices(only, devices);
}

/* --- gathering: a trace --- */

/* A run on the simulator has no driver, and a run of `launch` has no path: both are null. */
static json_t *run_json(const struct store_run *run)
{
	return json_pack("{s:I, s:s, s:s, s:s, s:s?, s:s, s:i, s:s, s:s?, s:I, s:s, s:s, s:s, s:b,"
			 " s:s, s:s?, s:I, s:I, s:I}",
			 "run", (json_int_t)run->run, "device", run->device,
			 "device_name", run->device_name, "profile", run->profile,
			 "driver", *run->driver ? run->driver : NULL,
			 "compute", run->compute, "ordinal", run->ordinal,
			 "command", run->command, "path", *run->path ? run->path : NULL,
			 "seed", (json_int_t)run->seed,
			 "level", log_level_name(run->level), "version", run->version,
			 "started", run->started, "complete", (int)run->complete,
			 "ended", run->ended, "message", run->message,
			 "ops", (json_int_t)run->ops,
			 "launches", (json_int_t)run->launches, "steps", (json_int_t)run->steps);
}

static enum status gather_runs(struct store *store, json_t *runs)
{
	int64_t count;

	TRY(store_run_count(store, &count));
	for (int64_t i = 1; i <= count; i++) {
		struct store_run run;

		TRY(store_run_read(store, i, &run));
		json_array_append_new(runs, run_json(&run));
		store_run_free(&run);
	}
	return STATUS_OK;
}

static enum status gather_trace(const char *path, json_t *out)
{
	json_t *name = json_string(path);
	json_t *runs = json_array();
	struct store *store;
	struct stat file;
	enum status status;

	/* JSON text must be UTF-8; a file name may not be. */
	json_object_set_new(out, "trace", name ? name : json_null());
	json_object_set_new(out, "runs", runs);
	TRY(store_open(path, &store));
	status = gather_runs(store, runs);
	if (status == STATUS_OK)
		status = store_close(store);
	else
		store_close(store);
	TRY(status);
	if (stat(path, &file) != 0)
		return fail(STATUS_IO, "%s: %s", path, strerror(errno));
	json_object_set_new(out, "bytes", json_integer((json_int_t)file.st_size));
	return STATUS_OK;
}

/* --- the command --- */

struct info_options {
	const char *device, *sample, *plan, *trace;     /* NULL: not given */
	bool json, verify_math;
	bool rung_given;
	int rung;                       /* of --plan */
	const char *kv_dtype;           /* of --plan; NULL: not given */
	int jobs;                       /* of --verify-math; 0: not given */
	char **words;                   /* of --verify-math: the arguments that are no options */
	int word_count;
};

/* Nothing, names of functions, or one trace, and which options go together. */
static enum status take_arguments(int argc, char **argv, int rest, struct info_options *options)
{
	if (options->sample) {
		if (options->device || options->json || options->verify_math || options->jobs
		    || options->plan || options->rung_given || options->kv_dtype)
			return fail(STATUS_USAGE, "--sample %s cannot be used with other options",
				    options->sample);
		return option_none_left(argc, argv, rest);
	}
	if (options->rung_given && !options->plan)
		return fail(STATUS_USAGE, "--rung needs --plan");
	if (options->kv_dtype && !options->plan)
		return fail(STATUS_USAGE, "--kv-dtype needs --plan");
	if (options->plan) {
		if (options->verify_math || options->jobs)
			return fail(STATUS_USAGE, "--plan and --verify-math are mutually "
				    "exclusive");
		return option_none_left(argc, argv, rest);
	}
	if (options->verify_math) {
		options->words = argv + rest;
		options->word_count = argc - rest;
		return STATUS_OK;
	}
	if (options->jobs)
		return fail(STATUS_USAGE, "--jobs needs --verify-math");
	if (rest < argc)
		options->trace = argv[rest++];
	TRY(option_none_left(argc, argv, rest));
	if (options->device && options->trace)
		return fail(STATUS_USAGE, "--device and a trace are mutually exclusive");
	return STATUS_OK;
}

static enum status take_option(void *context, const struct option_value *v)
{
	struct info_options *options = context;

	switch (v->id) {
	case OPTION_INFO_DEVICE: options->device = v->text; break;
	case OPTION_SAMPLE: options->sample = v->text; break;
	case OPTION_INFO_PLAN: options->plan = v->text; break;
	case OPTION_INFO_RUNG:
		options->rung = strcmp(v->text, "best") == 0 ? LADDER_BEST : atoi(v->text);
		options->rung_given = true;
		break;
	case OPTION_INFO_KV_DTYPE: options->kv_dtype = v->text; break;
	case OPTION_INFO_JOBS: options->jobs = (int)v->integer; break;
	case OPTION_VERIFY_MATH: options->verify_math = true; break;
	case OPTION_PRINT_JSON: options->json = true; break;
	default: break;
	}
	return STATUS_OK;
}

static enum status parse_options(int argc, char **argv, struct info_options *options)
{
	int rest;

	TRY(options_parse(COMMAND_INFO, argc, argv, take_option, options, &rest));
	return take_arguments(argc, argv, rest, options);
}

static enum status verify_math(const struct info_options *options)
{
	struct info_math_options how = {
		.device = options->device ? options->device : "cuda", .jobs = options->jobs,
		.words = options->words, .word_count = options->word_count, .json = options->json,
	};

	return info_math(&how);
}

static enum status print_sample(const char *name)
{
	char *path;

	TRY(datadir_sample(name, &path));
	puts(path);
	free(path);
	return STATUS_OK;
}

static enum status info_run(int argc, char **argv)
{
	struct info_options options = { .rung = LADDER_BEST };
	enum dtype kv_dtype = DTYPE_F32;
	enum status status;
	json_t *all;

	TRY(parse_options(argc, argv, &options));
	if (options.sample)
		return print_sample(options.sample);
	/* From here on, JSON functions cannot run out of memory: xmalloc() never fails. */
	json_set_alloc_funcs(xmalloc, free);
	if (options.kv_dtype)           /* one of the option's names */
		dtype_from_name(options.kv_dtype, &kv_dtype);
	if (options.plan)
		return info_plan(options.plan, options.rung, kv_dtype,
				 options.device ? options.device : "sim", options.json);
	if (options.verify_math)
		return verify_math(&options);
	all = json_object();
	status = options.trace ? gather_trace(options.trace, all)
			       : gather_machine(options.device, all);
	if (status == STATUS_OK && options.json)
		status = run_print_json(all);
	else if (status == STATUS_OK && options.trace)
		info_text_trace(options.trace, all);
	else if (status == STATUS_OK)
		info_text_machine(all);
	json_decref(all);
	return status;
}

const struct command cmd_info = {
	.summary = "what this flashtwin, this machine or a trace holds",
	.usage =
"usage: flashtwin info [--device sim|cuda] [--json]\n"
"       flashtwin info TRACE.twin [--json]\n"
"       flashtwin info --sample demo.twin|merge.cu|shakespeare\n"
"       flashtwin info --plan SHAPE [--rung N] [--kv-dtype TYPE] [--device sim|cuda]\n"
"                      [--json]\n"
"       flashtwin info --verify-math [--device sim|cuda] [--jobs N] [--json] [FUNCTION...]\n"
"\n"
"Without a trace: version and build, devices, kernels with their parameters, attention paths,\n"
"compilers and sandbox of launch, environment. With one: its runs, and of each the device, the\n"
"date, the level, how many operations, launches and steps it holds, and whether it is complete.\n"
"\n"
"With --plan: how the path ladder runs a batch of SHAPE. 1,32/8,128,32K is one sequence of\n"
"32,768 keys, with 32 query heads, 8 KV heads and a head size of 128; 3,32/8,128,500+2x64K is\n"
"one of 500 keys and two of 65,536.\n"
"\n"
"With --verify-math: runs every float function whose bits the simulator models over all its\n"
"inputs, every such double function over 2^32 inputs and every instruction of tensor cores over\n"
"2^20 products of matrices, on the GPU (seconds) or, with --device sim, on the simulator (hours),\n"
"and compares with what an H200 gave, for tensor cores an H100; with arguments, only functions\n"
"whose names contain one.\n\n",
	.examples =
"  flashtwin info\n"
"  flashtwin info --device cuda || echo 'no GPU here'\n"
"  flashtwin info --plan 1,32/8,128,32K\n"
"  flashtwin info --plan 32,32/8,128,4K --rung 6\n"
"  flashtwin info --verify-math\n"
"  flashtwin info --verify-math --device sim exp2f rsqrt\n"
"  cp \"$(flashtwin info --sample demo.twin)\" .\n"
"  flashtwin info demo.twin\n"
"  flashtwin info demo.twin --json | jq '.runs[0].launches'\n",
	.run = info_run,
};
