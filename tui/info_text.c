/* info_text.c - prints as text what tui/cmd_info.c has gathered.
 *
 * Reads only the JSON object that --json prints, so that text and JSON have the same content.
 */
#include "config.h"

#include "tui/info_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tui/shown_json.h"

/* --- members of an object; "", 0 or false if absent --- */

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static int64_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool truth(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static void print_build(const json_t *build)
{
	const char *cuda = text(build, "cuda");

	printf("flashtwin %s\n  built by gcc %s; kernels for the simulator%s%s; %s%s\n",
	       text(build, "version"), text(build, "compiler"),
	       truth(build, "avx2_kernels") ? ", also for AVX2 + FMA" : "",
	       truth(build, "debug_kernels") ? ", also for debuggers" : "",
	       *cuda ? "for GPUs with CUDA " : "none for GPUs", cuda);
}

static void print_device(const json_t *device)
{
	const json_t *compute = json_object_get(device, "compute");

	if (*text(device, "missing")) {
		printf("  %-8s %s\n", text(device, "kind"), text(device, "missing"));
		return;
	}
	printf("  %s:%-*" PRId64 " %s, profile %s, compute %d.%d, %" PRId64 " multiprocessors",
	       text(device, "kind"), (int)(7 - strlen(text(device, "kind"))),
	       number(device, "ordinal"), text(device, "name"), text(device, "profile"),
	       (int)json_integer_value(json_array_get(compute, 0)),
	       (int)json_integer_value(json_array_get(compute, 1)),
	       number(device, "multiprocessors"));
	if (number(device, "memory_bytes") > 0)
		printf(", %.1f GiB", (double)number(device, "memory_bytes") / (1 << 30));
	printf("\n           shared memory of a block: %" PRId64 " bytes, %" PRId64
	       " when asked for\n", number(device, "shared_per_block"),
	       number(device, "shared_per_block_optin"));
	if (*text(device, "driver"))
		printf("           %s\n", text(device, "driver"));
}

/* As in the source, with line breaks where a line would become too long. */
static void print_params(const json_t *params)
{
	int column = printf("    (");

	for (size_t i = 0; i < json_array_size(params); i++) {
		const json_t *param = json_array_get(params, i);
		const char *type = text(param, "type"), *name = text(param, "name");
		bool pointer = *type && type[strlen(type) - 1] == '*';

		if (i > 0)
			column += printf(",");
		if (column + strlen(type) + strlen(name) > 92)
			column = printf("\n    ") - 1;
		column += printf("%s%s%s%s", i > 0 ? " " : "", type, pointer ? "" : " ", name);
	}
	puts(")");
}

static void print_kernel(const json_t *kernel)
{
	printf("  %s: %s\n", text(kernel, "name"), text(kernel, "summary"));
	print_params(json_object_get(kernel, "params"));
	printf("    ");
	if (json_is_integer(json_object_get(kernel, "max_threads")))
		printf("at most %" PRId64 " threads a block, ", number(kernel, "max_threads"));
	printf("%" PRId64 " bytes of static shared memory%s%s\n",
	       number(kernel, "static_shared_bytes"),
	       truth(kernel, "independent_blocks") ? ", independent blocks" : "",
	       truth(kernel, "points") ? ", named points" : "");
}

static void print_compiler(const json_t *compiler)
{
	bool found = *text(compiler, "language");

	printf("  %-8s %s%s\n", text(compiler, "kind"),
	       text(compiler, found ? "compiler" : "missing"),
	       strcmp(text(compiler, "language"), "C") == 0 ? ", as C" : "");
}

static void print_sandbox(const json_t *sandbox)
{
	if (*text(sandbox, "program"))
		printf("  bubblewrap: %s\n", text(sandbox, "program"));
	else
		printf("  only resource limits: %s\n", text(sandbox, "missing"));
}

static void print_environment(const json_t *environment)
{
	json_t *variables = json_object_get(environment, "variables");
	const char *name;
	json_t *value;

	printf("  %s %s %s, %" PRId64 " processors%s, SQLite %s\n", text(environment, "system"),
	       text(environment, "release"), text(environment, "machine"),
	       number(environment, "processors"),
	       truth(environment, "avx2_and_fma") ? " with AVX2 + FMA" : "",
	       text(environment, "sqlite"));
	json_object_foreach(variables, name, value)
		printf("  %s=%s\n", name, json_string_value(value));
}

void info_text_machine(const json_t *all)
{
	const json_t *list;

	print_build(json_object_get(all, "build"));
	puts("\ndevices");
	list = json_object_get(all, "devices");
	for (size_t i = 0; i < json_array_size(list); i++)
		print_device(json_array_get(list, i));
	puts("\nkernels");
	list = json_object_get(all, "kernels");
	for (size_t i = 0; i < json_array_size(list); i++)
		print_kernel(json_array_get(list, i));
	puts("\npaths");
	list = json_object_get(all, "paths");
	for (size_t i = 0; i < json_array_size(list); i++)
		printf("  %s: %s\n", text(json_array_get(list, i), "name"),
		       text(json_array_get(list, i), "summary"));
	puts("\ncompilers of launch");
	list = json_object_get(all, "compilers");
	for (size_t i = 0; i < json_array_size(list); i++)
		print_compiler(json_array_get(list, i));
	puts("\nsandbox of launch, and of replay for users' kernels");
	print_sandbox(json_object_get(all, "sandbox"));
	puts("\nenvironment");
	print_environment(json_object_get(all, "environment"));
}

static void print_run(const json_t *run)
{
	const char *path = text(run, "path"), *driver = text(run, "driver");

	printf("run %" PRId64 ": %s%s%s on %s, %s%s%s, profile %s, seed %" PRIu64 "\n",
	       number(run, "run"), text(run, "command"), *path ? " by " : "", path,
	       text(run, "device"), text(run, "device_name"), *driver ? ", " : "", driver,
	       text(run, "profile"), (uint64_t)number(run, "seed"));
	printf("  started %s by flashtwin %s, logged at level %s\n", text(run, "started"),
	       text(run, "version"), text(run, "level"));
	printf("  %" PRId64 " operation%s, %" PRId64 " launch%s, %" PRId64 " step%s; ",
	       number(run, "ops"), number(run, "ops") == 1 ? "" : "s", number(run, "launches"),
	       number(run, "launches") == 1 ? "" : "es", number(run, "steps"),
	       number(run, "steps") == 1 ? "" : "s");
	if (!truth(run, "complete"))
		puts("cut off: it holds what was committed");
	else if (*text(run, "message"))
		printf("closed properly, %s\n", text(run, "message"));
	else
		printf("complete, ended %s\n", text(run, "ended"));
}

void info_text_trace(const char *path, const json_t *all)
{
	json_t *runs = shown_json(json_object_get(all, "runs"));

	printf("%s: %" PRId64 " bytes, %zu run%s\n", path, number(all, "bytes"),
	       json_array_size(runs), json_array_size(runs) == 1 ? "" : "s");
	for (size_t i = 0; i < json_array_size(runs); i++)
		print_run(json_array_get(runs, i));
	json_decref(runs);
}
