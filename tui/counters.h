/* counters.h - what launches did, as counted by a device, into traces and reports. */
#ifndef TUI_COUNTERS_H
#define TUI_COUNTERS_H

#include <jansson.h>

#include "engine/device.h"
#include "traces/store/store.h"

/* Puts the counters of a device's launches into run `run` of a store (NULL: none) and appends them
 * to a list (NULL: none). The store's errors. */
enum status counters_report(struct device *, struct store *, int64_t run, json_t *list);

#endif
