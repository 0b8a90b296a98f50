/* bench_sample.c - medians, pseudo-random inputs, names of temporary traces; see bench_sample.h. */
#include "tui/bench/bench_sample.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/output.h"
#include "base/xalloc.h"

double bench_processor(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *samples, size_t count)
{
	qsort(samples, count, sizeof *samples, ascending);
	return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

float *bench_random(size_t count, unsigned *state)
{
	float *values = xmalloc(count * sizeof *values);

	for (size_t i = 0; i < count; i++) {
		*state = *state * 1664525u + 1013904223u;
		values[i] = (float)(*state >> 8) / (1 << 23) - 1.0f;
	}
	return values;
}

/* SQLite's name for the trace's journal. A process has one trace at a time. */
static char *journal;

char *bench_trace_begin(void)
{
	const char *directory = getenv("TMPDIR");
	char *path = xasprintf("%s/flashtwin-bench.%ld.twin", directory ? directory : "/tmp",
			       (long)getpid());

	journal = xasprintf("%s-journal", path);
	output_remember(path);
	output_remember(journal);
	return path;
}

void bench_trace_end(char *path)
{
	unlink(path);                   /* may not exist */
	output_forget(path);
	output_forget(journal);
	free(journal);
	free(path);
}
