/* replay_launch.h - launches of a trace become launches of this build's kernels.
 *
 * Serves the walk, and nodes of graphs.
 */
#ifndef REPLAY_LAUNCH_H
#define REPLAY_LAUNCH_H

#include "base/status.h"

struct launch;
struct replay;
struct row_op;

/* Launches, or adds the launch to a graph, as `give` does. */
typedef enum status give_launch(struct replay *, const struct row_op *, const struct launch *);
enum status replay_build_launch(struct replay *, const struct row_op *, give_launch *give);
enum status replay_launch(struct replay *, const struct row_op *);

#endif
