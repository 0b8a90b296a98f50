/* recorder_run.h - launches of graphs.
 *
 * Serves recorder_launch.c, which hears of nodes, and the table of operations.
 */
#ifndef RECORDER_RUN_H
#define RECORDER_RUN_H

#include "engine/device.h"

struct node;

enum status recorder_graph_launch(struct device *, struct graph_exec *, struct stream *);
/* The device has run a node. */
void recorder_node_begins(const struct node *);
void recorder_node_ended(const struct node *, enum status);

#endif
