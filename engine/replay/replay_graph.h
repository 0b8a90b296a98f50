/* replay_graph.h - streams, events, captures and graphs of a trace, done again.
 *
 * Serves the walk.
 */
#ifndef REPLAY_GRAPH_H
#define REPLAY_GRAPH_H

#include "base/status.h"

struct replay;
struct row_op;

enum status replay_object(struct replay *, const struct row_op *);

#endif
