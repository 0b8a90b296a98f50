/* counters.h - writes the counters of a device's launches to traces and reports. */
#ifndef TUI_COUNTERS_H
#define TUI_COUNTERS_H

#include <jansson.h>

#include "engine/device.h"
#include "traces/store/store.h"

/* Writes the counters of a device's launches to run `run` of a store (NULL: none) and appends them
 * to a list (NULL: none). Fails only if the store does. */
enum status counters_report(struct device *, struct store *, int64_t run, json_t *list);

#endif
