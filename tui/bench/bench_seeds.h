/* bench_seeds.h - the results of `flashtwin bench --suite seeds`.
 *
 * bench_seeds.c and bench_traffic.c measure them, bench_claims.c adds verdicts, bench_report.c
 * prints them.
 */
#ifndef BENCH_SEEDS_H
#define BENCH_SEEDS_H

#include <jansson.h>

#include "tui/bench/bench_rig.h"

enum { SEEDS_LENGTHS = 11, SEEDS_CASES = 8, TRAFFIC_LENGTHS = 3 };

/* One variant of decode attention. */
struct seeds_case {
	const char *path;
	int chunk, warps;               /* chunk 0: not chunked */
};
/* bench_cases.c; the first is one warp. */
extern const struct seeds_case seeds_cases[SEEDS_CASES];

struct seeds_sizes {
	int heads, kv_heads, head_dim;
	int lengths[SEEDS_LENGTHS];     /* keys; ends at a 0 */
	int layers, slots, keys;        /* of whole steps; slots: several sequences */
	int prefill_heads, prefill_rows;
	size_t flush_bytes;
};

/* Indexes of two ways of doing the same: the one claimed to be slow, and the other. */
enum { SLOW, FAST };

/* Bytes that one token moves in all layers: to the device, back, and within it. */
struct seeds_traffic {
	double up, down, inside;
};
/* bench_traffic.c; how many keys there are with the token. */
extern const int traffic_keys[TRAFFIC_LENGTHS];

/* Microseconds; NaN: not measured. */
struct seeds_results {
	const struct seeds_sizes *sizes;
	struct device_info info;
	bool on_gpu;
	int runs;
	double decode[SEEDS_CASES][SEEDS_LENGTHS];
	int scatter_launches[2];        /* a step's: a sequence at a time, batched */
	double scatter[2];
	struct rig_times wait[2];       /* a step's attention: waiting after chunk kernels, not */
	int step_launches;
	struct rig_times step[2];       /* a step's launches: one by one, as a graph */
	double prefill;
	struct seeds_traffic traffic[2][TRAFFIC_LENGTHS];       /* paths cached, incremental */
	double blocks[2];               /* of a step's attention: one warp a head, chunks */
};

/* --- bench_traffic.c --- */

enum status seeds_measure_traffic(struct rig *, struct seeds_results *);

/* --- bench_claims.c --- */

enum verdict { NOT_MEASURED, NOT_REPRODUCED, REPRODUCED, BEATEN };

/* A claim is reproduced from `worst` to `best`, and beaten beyond `best`, which is below `worst`
 * where less is better. */
enum verdict claim_verdict(double measured, double worst, double best);
const char *verdict_name(enum verdict);
/* A number, null for NaN. */
json_t *seeds_number(double);
/* An array of { claim, of, cited, measured, unit, verdict }. */
json_t *seeds_claims(const struct seeds_results *);

/* --- bench_report.c --- */

/* Prints everything as Markdown, or as one JSON object. */
enum status seeds_print(const struct seeds_results *, bool json);
/* Draws the times of decode attention against its keys, as an SVG. */
enum status seeds_plot(const struct seeds_results *, const char *path);

#endif
