/* bench_sample.h - helpers of measurements: a clock, medians, inputs, names of temporary traces. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stddef.h>

#include "base/clock.h"

/* A name for a temporary trace of this process, which a signal that ends the process removes. */
char *bench_trace_begin(void);
/* Removes the trace and frees its name. */
void bench_trace_end(char *path);

static inline double bench_now(void)
{
	return 1e-9 * (double)clock_ns();
}

/* Of all threads of this process, in seconds. */
double bench_processor(void);
/* Sorts the samples; the mean of the middle two when their number is even. */
double bench_median(double *samples, size_t count);
/* Floats between -1 and 1 from a generator whose state is *state. The caller frees them. */
float *bench_random(size_t count, unsigned *state);

#endif
