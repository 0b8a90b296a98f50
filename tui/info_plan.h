/* info_plan.h - `flashtwin info --plan SHAPE`: how the path ladder splits a batch, what it moves,
 * and how long that takes at least. */
#ifndef INFO_PLAN_H
#define INFO_PLAN_H

#include <stdbool.h>

#include "base/status.h"

/* Prints the plan for the multiprocessors and the memory of a device, "sim" or "cuda", as text or
 * as JSON. USAGE for text that is no shape, or a shape that the ladder does not take; NO_GPU. */
enum status info_plan(const char *shape, const char *device, bool json);

#endif
