/* orders.h - schedules as an oracle: a recorded run again under other seeds, and why bits change.
 *
 * Every seed is an order of lanes, warps, blocks and streams that CUDA allows. A result that
 * depends on it is a bug of the program, which the checker names. Serves --all-orders of decode,
 * attend, launch and replay.
 */
#ifndef ORDERS_H
#define ORDERS_H

#include <jansson.h>
#include <stdio.h>

#include "engine/device.h"
#include "traces/diff/diff.h"
#include "traces/store/store.h"

#define MAX_ORDERS 100000

struct orders {
	struct store *trace;            /* holds the run, at any level */
	int64_t run;
	int64_t count;                  /* seeds 1 to count */
	int jobs;
	uint64_t steps;                 /* of each launch; 0: no budget */
	bool check, lint_fail;          /* replays run under the checker too */
	json_t *findings;               /* with check: those known so far; gets what is new */
};

/* Replays the run under each seed and says on stderr what came of it; `report` gets "all_orders".
 * FINDING when check finds more than was known, else DIFFERS when bits change, else what failed. */
enum status orders_try(const struct orders *, json_t *report);

/* After a replay under `seed` differed: prints both seeds, the first difference and the finding that
 * explains it, for which the run is replayed under the checker unless `findings` says what was
 * found. `out`, an object, gets the same. */
enum status orders_explain(struct store *trace, int64_t run, uint64_t seed,
			   const struct diff_report *, const json_t *findings, FILE *,
			   json_t *out);

#endif
