/* replay_graph.h - replays operations on streams, events, captures and graphs.
 *
 * Used by replay.c.
 */
#ifndef REPLAY_GRAPH_H
#define REPLAY_GRAPH_H

#include "base/status.h"

struct replay;
struct row_op;

enum status replay_object(struct replay *, const struct row_op *);

#endif
