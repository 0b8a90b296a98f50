/* bench.h - the suites of `flashtwin bench`: each measures, and prints medians of several runs. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>

#include "base/status.h"

/* `plot` is the file for an SVG of the table, or NULL. */

/* Compares simulated chunk + reduce with plain C over the same data, alternating in one run. */
enum status bench_sim(int runs, const char *plot);
/* Measures users' kernels on the simulator: barriers, a matrix product with plain C, start-up. */
enum status bench_speed(int runs);
/* Measures what recording costs by level: bytes and seconds per decode step of the sample model. */
enum status bench_trace(int runs);
/* Measures what the attention paths claim to gain: kernels, launches, waits, graphs. `device` is
 * "cuda", or "sim", where sizes are reduced and times are the simulator's. NO_GPU without a GPU. */
enum status bench_seeds(const char *device, int runs, bool json, const char *plot);

/* What --suite decode is to do; NULL or 0: not given. */
struct bench_decode_request {
	const char *device;             /* "cuda", or "sim", whose times say nothing about a GPU */
	const char *rungs;              /* "all", "4,6,best" */
	const char *shape;              /* one shape (tui/shape.h), or the name of a list */
	const char *kv_dtype;           /* of keys and values; NULL: f32 */
	int queries;                    /* of each sequence; 0: 1 */
	int runs;
	bool list;                      /* print what would be measured; needs no device */
	bool json;
	const char *plot;
	char *const *files;             /* [file_count] saved results to print, measuring nothing */
	int file_count;
};
/* Measures decode attention by rung of the ladder, or prints what was measured before. NO_GPU
 * without a GPU. */
enum status bench_decode_rungs(const struct bench_decode_request *);

/* Measures what keeping the last run costs, on "sim" or "cuda". DIFFERS if that is above its limit
 * on the simulator. */
enum status bench_last(const char *device, int runs);

/* Measures what the checker costs, by kernel. */
enum status bench_check(int runs, bool json);

/* Measures how fast the viewer opens a big trace and responds to keys; path NULL: a trace recorded
 * for this. DIFFERS if something takes longer than its limit. */
enum status bench_view(const char *path, const char *plot);

#endif
