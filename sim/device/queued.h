/* queued.h - runs the launch of a task, and those that its kernel makes. */
#ifndef SIM_QUEUED_H
#define SIM_QUEUED_H

#include "sim/device/simulated.h"

/* A launch that is copied from its call. */
struct queued_launch {
	const struct sim_code *code;
	struct dim3 grid, block, cluster;
	size_t dynamic_bytes;
	bool independent, cooperative, programmatic, probed;
	const struct kernel_lint *lint;
	struct point_sink points;       /* those at the call; an observer may set others */
	void *ticket;
	int arg_count;
	void *args[MAX_ARGS];           /* point into values, or to an owned blob */
	uint64_t values[MAX_ARGS];
	bool owned[MAX_ARGS];
	const void *live[MAX_ARGS];     /* sources of the values; NULL: unknown */
};

/* Runs it under the device's seed, and under more where the checker wants that; `points` as in
 * struct device_simulated. DEVICE as for grid_run(), or STEPS. */
enum status queued_run(struct device_simulated *, const struct queued_launch *,
		       const struct point_sink *points);
/* Tries it on a copy of this process. */
bool queued_ends_in_deadlock(struct device_simulated *, const struct queued_launch *);
/* Frees what launches by device code left behind. */
void queued_close(struct device_simulated *);

#endif
