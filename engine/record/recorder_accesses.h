/* recorder_accesses.h - records the loads and stores of blocks of launches: level access.
 *
 * The device collects them, on the simulator only. Used by launches and launches of graphs.
 */
#ifndef RECORDER_ACCESSES_H
#define RECORDER_ACCESSES_H

#include <stdint.h>

#include "base/status.h"

struct launch;
struct recorder;
struct recorder_options;
struct recording;

/* Which blocks to record. The level becomes points at a device that cannot record any, and in a
 * replay of a run without. Otherwise USAGE if the windows name no blocks. */
enum status recorder_accesses_open(struct recorder *, const struct recorder_options *);
/* The launch of this number is about to run. USAGE if it lacks a block of a window. */
enum status recorder_accesses_watch(struct recorder *, const struct launch *, int64_t number);
/* The launch has ended: stores its accesses. LIMIT if the run has too many. */
enum status recorder_accesses_store(struct recording *);

#endif
