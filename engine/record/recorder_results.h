/* recorder_results.h - stores the results of a launch as rows.
 *
 * Used by launches and launches of graphs.
 */
#ifndef RECORDER_RESULTS_H
#define RECORDER_RESULTS_H

#include "base/status.h"

struct probe;
struct recording;

/* Stores everything that the level requires of a launch that has ended. points: its probe. */
enum status recorder_results(struct recording *, struct probe *points);

#endif
