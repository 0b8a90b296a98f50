/* grid.h - runs one launch on the simulator: all blocks of a grid, on one OS thread or several. */
#ifndef SIM_GRID_H
#define SIM_GRID_H

#include "base/status.h"
#include "sim/cuda/runtime.h"

struct device_heap;
struct grid_runner;
struct listener;
struct nested;

/* A launch; the caller has checked it against the limits. */
struct grid_launch {
	const struct sim_code *code;
	void *const *args;              /* one pointer per parameter, to its value */
	struct dim3 grid, block;
	struct dim3 cluster;            /* divides the grid */
	size_t dynamic_bytes;
	const struct point_sink *points;        /* NULL in a plain build */
	bool independent;
	bool cooperative;               /* its blocks may wait for all others */
	bool other_clock;               /* see device_options */
	uint64_t seed;                  /* 0: run in order */
	struct listener *listener;      /* NULL: not checked; otherwise runs on one OS thread */
	struct nested *nested;          /* takes the launches that device code makes */
	struct device_heap *heap;       /* what malloc() in device code uses */
};

struct grid_runner *grid_runner_create(int jobs);
void grid_runner_destroy(struct grid_runner *);

/* DEVICE with error_code() 700 (a fault), 702 (deadlock), 710 (assert), 719 (trap). With several
 * jobs the failure reported is that of the first failing block in order, as with one job. */
enum status grid_run(struct grid_runner *, const struct grid_launch *);

/* Bytes of a kernel's static shared memory, packed in order of declaration. */
size_t grid_static_shared(const struct sim_code *);

#endif
