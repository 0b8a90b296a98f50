/* info_math.c - `flashtwin info --verify-math`: verifies the arithmetic of a device.
 *
 * Runs the functions of kernels/math_list.h and double_list.h, and the instructions of tensor cores
 * in sim/cuda/tensor_list.h, over all their inputs and compares the hashes of their results with
 * those of an H200, for tensor cores an H100. On a GPU this takes seconds and tells whether its
 * arithmetic is the one that the simulator models. On the simulator (make check-math) it verifies
 * the models and the definitions in sim/cuda/. engine/verify_math.c computes the hashes.
 */
#include "config.h"

#include "tui/info_math.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/verify_math.h"
#include "tui/command.h"
#include "tui/run.h"

struct verification {
	const struct info_math_options *options;
	struct device *device;
	struct device_info info;
	struct buffer *sums;
	json_t *functions;              /* for --json, one object each; NULL: print text */
	int passed, failed;
};

static bool is_wanted(const struct info_math_options *options, const char *name)
{
	for (int i = 0; i < options->word_count; i++)
		if (strstr(name, options->words[i]))
			return true;
	return options->word_count == 0;
}

static void show_progress(const char *name, uint64_t done, uint64_t all)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%-24s %3d%%\033[K", name, (int)(100 * done / all));
}

static void clear_progress(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}

/* Hashes in pieces, to react to interrupts and update the progress line between them. */
static enum status hash_all(struct verification *v, const struct math_function *function,
			    uint64_t *hash)
{
	const uint64_t all = math_inputs(function), piece = (uint64_t)1 << 28;

	*hash = 0;
	for (uint64_t first = 0; first < all; first += piece) {
		struct math_range range = { first, all - first < piece ? all - first : piece, 1 };

		if (command_interrupted())
			return fail(STATUS_INTERRUPTED, "%s: interrupted after %" PRIu64
				    " of %" PRIu64 " inputs", function->name, first, all);
		show_progress(function->name, first, all);
		TRY(verify_math_range(v->device, v->sums, function, range, hash));
	}
	return STATUS_OK;
}

static json_t *hash_json(uint64_t hash)
{
	return json_sprintf("%016" PRIx64, hash);
}

/* The GPU that gave the sums. */
static const char *gpu_of(const struct math_function *function)
{
	return function->kind == MATH_MATRIX ? "H100" : "H200";
}

static void report(struct verification *v, const struct math_function *function,
		   struct math_sums found)
{
	const struct math_sums *hardware = function->sums;
	bool same = found.full == hardware->full && found.sample == hardware->sample;

	*(same ? &v->passed : &v->failed) += 1;
	if (v->functions) {
		json_array_append_new(v->functions, json_pack(
			"{s:s, s:I, s:o, s:o, s:o, s:o, s:b}", "name", function->name,
			"inputs", (json_int_t)math_inputs(function),
			"hash", hash_json(found.full), "hardware", hash_json(hardware->full),
			"sample_hash", hash_json(found.sample),
			"sample_hardware", hash_json(hardware->sample), "same", (int)same));
		return;
	}
	printf("%-4s  %-22s %10" PRIu64 " inputs  %016" PRIx64, same ? "ok" : "FAIL",
	       function->name, math_inputs(function), found.full);
	if (found.full != hardware->full)
		printf("  an %s gives %016" PRIx64, gpu_of(function), hardware->full);
	else if (!same)
		printf("  sample %016" PRIx64 ", an %s gives %016" PRIx64, found.sample,
		       gpu_of(function), hardware->sample);
	putchar('\n');
	fflush(stdout);
}

static enum status verify_each(struct verification *v)
{
	for (int i = 0; i < math_count; i++) {
		const struct math_function *function = &math_table[i];
		struct math_sums found;

		if (!is_wanted(v->options, function->name))
			continue;
		TRY(hash_all(v, function, &found.full));
		TRY(verify_math_sample(v->device, v->sums, function, &found.sample));
		clear_progress();
		report(v, function, found);
	}
	if (v->passed + v->failed == 0)
		return fail(STATUS_USAGE, "--verify-math: no function's name contains '%s'",
			    v->options->words[0]);
	return STATUS_OK;
}

/* Prints the totals and, for a GPU, whether its architecture, as in "sm_90", has the modelled
 * arithmetic. */
static void print_verdict(const struct verification *v)
{
	printf("%d passed, %d failed\n", v->passed, v->failed);
	if (strcmp(v->options->device, "cuda") != 0)
		return;
	if (v->failed == 0)
		printf("sm_%d%d has the arithmetic that the simulator models\n",
		       v->info.compute_major, v->info.compute_minor);
	else
		printf("sm_%d%d differs from the simulator in %d of %d functions\n",
		       v->info.compute_major, v->info.compute_minor, v->failed,
		       v->passed + v->failed);
}

static enum status print_json(struct verification *v)
{
	json_t *all = json_pack("{s:s, s:s, s:s?, s:[i,i], s:i, s:i, s:O}",
				"device", v->options->device, "name", v->info.name,
				"driver", *v->info.driver ? v->info.driver : NULL,
				"compute", v->info.compute_major, v->info.compute_minor,
				"passed", v->passed, "failed", v->failed,
				"functions", v->functions);
	enum status status = run_print_json(all);

	json_decref(all);
	return status;
}

static enum status verify_on(struct verification *v)
{
	TRY(device_info(v->device, &v->info));
	TRY(verify_math_alloc(v->device, &v->sums));
	if (!v->functions)
		printf("%s, compute capability %d.%d%s%s\n", v->info.name, v->info.compute_major,
		       v->info.compute_minor, *v->info.driver ? ", " : "", v->info.driver);
	TRY(verify_each(v));
	if (v->functions)
		TRY(print_json(v));
	else
		print_verdict(v);
	return v->failed ? fail(STATUS_DIFFERS, "%d of %d functions differ from the GPU's",
				v->failed, v->passed + v->failed)
			 : STATUS_OK;
}

enum status info_math(const struct info_math_options *options)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct device_options how = {
		.jobs = options->jobs ? options->jobs : processors > 0 ? (int)processors : 1,
	};
	struct verification v = { .options = options };
	enum status status;

	command_defer_interrupt();
	TRY(device_open(options->device, &how, &v.device));
	v.functions = options->json ? json_array() : NULL;
	status = verify_on(&v);
	clear_progress();
	json_decref(v.functions);
	device_close(v.device);
	return status;
}
