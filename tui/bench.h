/* bench.h - the measurements behind `flashtwin bench`: each prints its lines, medians of several runs. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <time.h>

#include "traces/status.h"

/* Simulated chunk + reduce against plain C over the same data, in turn, in one run. */
enum status bench_sim(int runs);
/* What recording costs: bytes and seconds per decode step of the sample model, level by level. */
enum status bench_trace(int runs);

static inline double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sorts the samples; the mean of the middle two when their number is even. */
double bench_median(double *samples, size_t count);

#endif
