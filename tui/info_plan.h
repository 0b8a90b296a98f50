/* info_plan.h - `flashtwin info --plan SHAPE`: how a rung of the path ladder splits a batch, what
 * it moves, and how long that takes at least. */
#ifndef INFO_PLAN_H
#define INFO_PLAN_H

#include <stdbool.h>

#include "base/dtype.h"
#include "base/status.h"

/* Prints the plan of a rung, or of the one that the shape table names for LADDER_BEST, with keys
 * and values of a type, for the multiprocessors and the memory of a device, "sim" or "cuda", as
 * text or as JSON. USAGE for text that is no shape, or a shape that the rung does not take;
 * NO_GPU. */
enum status info_plan(const char *shape, int rung, enum dtype kv_dtype, const char *device,
		      bool json);

#endif
