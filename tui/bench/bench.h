/* bench.h - the measurements behind `flashtwin bench`: each prints its lines, medians of several
 * runs. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>

#include "base/status.h"

/* Simulated chunk + reduce against plain C over the same data, in turn, in one run. */
enum status bench_sim(int runs);
/* What recording costs: bytes and seconds per decode step of the sample model, level by level. */
enum status bench_trace(int runs);
/* What the attention paths claim to gain, measured: kernels, launches, waits, graphs. `device` is
 * "cuda", or "sim", where sizes are cut down and times are the simulator's. NO_GPU without one. */
enum status bench_seeds(const char *device, int runs, bool json);

/* How fast the viewer opens a big trace and answers its keys; path NULL: one that is recorded for
 * it. DIFFERS when something takes longer than it may. */
enum status bench_view(const char *path);

#endif
