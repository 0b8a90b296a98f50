/* orders.h - replays a recorded run under other seeds, and explains why bits change.
 *
 * Every seed selects an order of lanes, warps, blocks and streams that CUDA allows. A result that
 * depends on the order is a bug in the program, which the checker locates. Used by --all-orders of
 * decode, attend, launch and replay.
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
	uint64_t steps;                 /* per launch; 0: no budget */
	bool check, lint_fail;          /* replays run under the checker too */
	json_t *findings;               /* with check: known findings; new ones are appended */
};

/* Replays the run under each seed and prints the outcome to stderr; `report` gets "all_orders".
 * FINDING if check has new findings that count, else DIFFERS if bits change; or the error of a
 * replay. */
enum status orders_try(const struct orders *, json_t *report);

/* After a replay under `seed` differed: prints both seeds, the first difference and the finding
 * that explains it. If `findings` is NULL, replays the run under the checker to get them. `out`, an
 * object, gets the same information. */
enum status orders_explain(struct store *trace, int64_t run, uint64_t seed,
			   const struct diff_report *, const json_t *findings, FILE *,
			   json_t *out);

#endif
