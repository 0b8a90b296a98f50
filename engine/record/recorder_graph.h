/* recorder_graph.h - what nodes of graphs overwrite is saved; operations on whole graphs.
 *
 * Serves recorder_capture.c and the table of operations.
 */
#ifndef RECORDER_GRAPH_H
#define RECORDER_GRAPH_H

#include "engine/device.h"

struct node;
struct recorder;
struct recording;

void node_keep(struct recorder *, struct node *);       /* it is the graph's next */
/* For what the kernel table says of the node's launch without asking device memory. */
void node_recording(struct recorder *, const struct node *, struct recording *);
/* Saves what the graph has that the node may overwrite, in the stream that captures it, or (stream
 * and graph by hand) by nodes before it: *copies are those, which it must come after; the caller
 * frees. */
enum status graph_save(struct recorder *, struct node *, struct stream *, bool by_hand,
		       int **copies, int *copy_count);

enum status recorder_graph_instantiate(struct device *, struct graph *, struct graph_exec **out);
enum status recorder_graph_destroy(struct device *, struct graph *);
enum status recorder_graph_exec_destroy(struct device *, struct graph_exec *);

#endif
