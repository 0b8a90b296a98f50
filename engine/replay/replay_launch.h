/* replay_launch.h - turns launches of a trace into launches of this build's kernels.
 *
 * Used by replay.c and, for nodes of graphs, replay_graph.c.
 */
#ifndef REPLAY_LAUNCH_H
#define REPLAY_LAUNCH_H

#include "base/status.h"

struct launch;
struct replay;
struct row_op;

/* Builds a launch and passes it to `give`, which launches it or adds it to a graph. */
typedef enum status give_launch(struct replay *, const struct row_op *, const struct launch *);
enum status replay_build_launch(struct replay *, const struct row_op *, give_launch *give);
enum status replay_launch(struct replay *, const struct row_op *);

#endif
