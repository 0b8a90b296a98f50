/* bench_trace.c - measures the cost of a trace: bytes and seconds per decode step.
 *
 * The sample model decodes on the simulator (tui/bench/bench_decode.h), unrecorded, and recorded at
 * each level into a temporary file.
 */
#include "config.h"

#include "tui/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "engine/model/llama.h"
#include "engine/record/recorder.h"
#include "traces/store/store.h"
#include "tui/bench/bench_decode.h"
#include "tui/bench/bench_sample.h"
#include "tui/datadir.h"

#define STEPS BENCH_STEPS

static enum status decode_plain(const struct llama *llama, double *seconds)
{
	struct device *device;
	enum status status;
	double start = bench_now();

	TRY(device_open("sim", NULL, &device));
	status = bench_decode(llama, device);
	device_close(device);
	*seconds = bench_now() - start;
	return status;
}

static enum status decode_recorded(const struct llama *llama, enum log_level level,
				   const char *path, double *seconds, double *bytes)
{
	struct recorder_options options = { .level = level,
					    .command = "bench",
					    .path = "flash-decoding" };
	struct store_options force = { .force = true };
	struct device *inner, *device;
	struct stat file;
	enum status status;
	double start = bench_now();

	TRY(store_create(path, &force, &options.store));
	status = device_open("sim", NULL, &inner);
	if (status == STATUS_OK)
		status = recorder_open(inner, &options, &device);
	if (status == STATUS_OK) {
		status = bench_decode(llama, device);
		status = status_worse(status, recorder_finish(device, status));
	}
	status = status_worse(status, store_close(options.store));
	*seconds = bench_now() - start;
	if (status == STATUS_OK && stat(path, &file) != 0)
		return fail(STATUS_IO, "%s: cannot read its size", path);
	*bytes = status == STATUS_OK ? (double)file.st_size : 0;
	return status;
}

static enum status measure(const struct llama *llama, const char *path, int runs, double *seconds)
{
	static const enum log_level levels[] = { LEVEL_LAUNCH, LEVEL_PARTIALS, LEVEL_POINTS };
	static const char *const names[] = { "launch", "partials", "points" };
	double bytes = 0;

	for (int i = 0; i < runs; i++)
		TRY(decode_plain(llama, &seconds[i]));
	printf("decode, sample model, %d steps, simulator, chunk %d; medians of %d\n", STEPS,
	       BENCH_CHUNK, runs);
	printf("not recorded       %8.3f ms/step\n",
	       1e3 * bench_median(seconds, (size_t)runs) / STEPS);
	for (size_t level = 0; level < sizeof levels / sizeof levels[0]; level++) {
		for (int i = 0; i < runs; i++)
			TRY(decode_recorded(llama, levels[level], path, &seconds[i], &bytes));
		printf("--log %-9s    %8.3f ms/step  %9.0f bytes/step\n", names[level],
		       1e3 * bench_median(seconds, (size_t)runs) / STEPS, bytes / STEPS);
	}
	return STATUS_OK;
}

enum status bench_trace(int runs)
{
	char *path = bench_trace_begin();
	char *model = datadir_model();
	double *seconds = xcalloc((size_t)runs, sizeof *seconds);
	struct llama *llama;
	enum status status = llama_open(model, &llama);

	if (status == STATUS_OK) {
		status = measure(llama, path, runs, seconds);
		llama_close(llama);
	}
	free(seconds);
	free(model);
	bench_trace_end(path);
	return status;
}
