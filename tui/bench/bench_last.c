/* bench_last.c - measures what keeping the last run adds to the time of a decode.
 *
 * The sample model decodes with and without it, in turn, so that both see the same load of the
 * machine; the cost is the median of those of the pairs. Kept includes writing the file. The limit
 * holds on the simulator and for the time that passes, which on a busy machine includes waiting for
 * other programs: the processor time is printed as well. On a GPU the recorder waits for every
 * launch, and the figure has no limit.
 */
#include "config.h"

#include "tui/bench/bench.h"

#include <stddef.h>
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
#include "tui/command.h"
#include "tui/datadir.h"
#include "tui/last_run.h"

#define LIMIT_PERCENT 10.0

/* Seconds, of one decode or the medians of several. */
struct times {
	double wall, processor;
};

static struct times now(void)
{
	return (struct times){ bench_now(), bench_processor() };
}

static struct times since(struct times start)
{
	struct times end = now();

	return (struct times){ end.wall - start.wall, end.processor - start.processor };
}

static enum status decode_plain(const struct llama *llama, const char *name, struct times *out)
{
	struct times start = now();
	struct device *device;
	enum status status;

	TRY(device_open(name, NULL, &device));
	status = bench_decode(llama, device);
	device_close(device);
	*out = since(start);
	return status;
}

static enum status decode_kept(const struct llama *llama, const char *name, const char *path,
			       struct times *out)
{
	const struct device_options poison = { .poison = true };
	struct recorder_options options = {
		.level = LEVEL_LAUNCH, .command = "bench", .path = "flash-decoding",
	};
	struct times start = now();
	struct device *inner, *device;
	enum status status;

	TRY(last_run_record(&options.store));
	status = device_open(name, &poison, &inner);
	if (status == STATUS_OK)
		status = recorder_open(inner, &options, &device);
	if (status == STATUS_OK) {
		status = bench_decode(llama, device);
		status = status_worse(status, recorder_finish(device, status));
		last_run_keep(options.store, path, "bench");
	}
	status = status_worse(status, store_close(options.store));
	*out = since(start);
	return status;
}

static double median_of(const struct times *times, int runs, size_t field)
{
	double *samples = xcalloc((size_t)runs, sizeof *samples), median;

	for (int i = 0; i < runs; i++)
		memcpy(&samples[i], (const char *)&times[i] + field, sizeof *samples);
	median = bench_median(samples, (size_t)runs);
	free(samples);
	return median;
}

static struct times medians(const struct times *times, int runs)
{
	return (struct times){ median_of(times, runs, offsetof(struct times, wall)),
			       median_of(times, runs, offsetof(struct times, processor)) };
}

/* The median of what each kept run took more than the plain one before it, as a part of that one:
 * the two of a pair see the same clock rate and the same neighbours. */
static struct times median_costs(const struct times *plain, const struct times *kept, int runs)
{
	struct times *costs = xcalloc((size_t)runs, sizeof *costs), cost;

	for (int i = 0; i < runs; i++)
		costs[i] = (struct times){ kept[i].wall / plain[i].wall - 1,
					   kept[i].processor / plain[i].processor - 1 };
	cost = medians(costs, runs);
	free(costs);
	return cost;
}

static enum status print(const char *device, const char *path, int runs,
			 const struct times *plain, const struct times *kept)
{
	bool limited = strcmp(device, "sim") == 0;
	struct times without = medians(plain, runs), with = medians(kept, runs);
	struct times cost = median_costs(plain, kept, runs);
	double percent = 100 * cost.wall;
	struct stat file;

	if (stat(path, &file) != 0)
		return fail(STATUS_IO, "%s: cannot read its size", path);
	printf("decode, sample model, %d steps, %s, chunk %d; medians of %d\n", BENCH_STEPS,
	       limited ? "simulator" : "GPU", BENCH_CHUNK, runs);
	printf("not kept           %8.3f ms/step\n", 1e3 * without.wall / BENCH_STEPS);
	printf("kept               %8.3f ms/step  %9.0f bytes/step\n",
	       1e3 * with.wall / BENCH_STEPS, (double)file.st_size / BENCH_STEPS);
	printf("cost of keeping    %8.1f %%", percent);
	if (limited)
		printf("        limit %.0f %%%s", LIMIT_PERCENT,
		       percent > LIMIT_PERCENT ? ": too slow" : "");
	printf("\nprocessor time     %8.1f %% of the run's\n", 100 * cost.processor);
	return limited && percent > LIMIT_PERCENT ? command_differs() : STATUS_OK;
}

static enum status measure(const struct llama *llama, const char *device, const char *path,
			   int runs, struct times *plain, struct times *kept)
{
	/* The first pair warms up. */
	for (int i = -1; i < runs; i++) {
		TRY(decode_plain(llama, device, &plain[i < 0 ? 0 : i]));
		TRY(decode_kept(llama, device, path, &kept[i < 0 ? 0 : i]));
	}
	return print(device, path, runs, plain, kept);
}

enum status bench_last(const char *device, int runs)
{
	struct times *times = xcalloc(2 * (size_t)runs, sizeof *times);
	char *path = bench_trace_begin(), *model = datadir_model();
	struct llama *llama;
	enum status status = llama_open(model, &llama);

	if (status == STATUS_OK) {
		status = measure(llama, device, path, runs, times, times + runs);
		llama_close(llama);
	}
	free(model);
	bench_trace_end(path);
	free(times);
	return status;
}
