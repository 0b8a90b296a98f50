/* recorder_run.h - records launches of graphs.
 *
 * Used by recorder_launch.c, whose observer is called for nodes, and the table of operations.
 */
#ifndef RECORDER_RUN_H
#define RECORDER_RUN_H

#include "engine/device.h"

struct node;

enum status recorder_graph_launch(struct device *, struct graph_exec *, struct stream *);
/* Called before and after the device runs a node. */
void recorder_node_begins(const struct node *);
void recorder_node_ended(const struct node *, enum status);

#endif
