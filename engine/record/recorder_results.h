/* recorder_results.h - what came of a launch, as rows.
 *
 * Serves launches and launches of graphs.
 */
#ifndef RECORDER_RESULTS_H
#define RECORDER_RESULTS_H

#include "base/status.h"

struct probe;
struct recording;

/* Everything the level asks for about a launch that has ended; points: what collected them. */
enum status recorder_results(struct recording *, struct probe *points);

#endif
