/* recorder_graph.h - saves the bytes that nodes of graphs overwrite; operations on whole graphs.
 *
 * Used by recorder_capture.c and the table of operations.
 */
#ifndef RECORDER_GRAPH_H
#define RECORDER_GRAPH_H

#include "engine/device.h"

struct node;
struct recorder;
struct recording;

void node_keep(struct recorder *, struct node *);       /* appends it to the graph's nodes */
/* Begins a recording for the node's launch that does not read device memory. */
void node_recording(struct recorder *, const struct node *, struct recording *);
/* Saves the output of earlier kernels of the graph that the node may overwrite. In a capture, the
 * copies go to the stream. In a graph built by hand, they are nodes: *copies has their numbers, on
 * which the node must depend; the caller frees it. */
enum status graph_save(struct recorder *, struct node *, struct stream *, bool by_hand,
		       int **copies, int *copy_count);

enum status recorder_graph_instantiate(struct device *, struct graph *, struct graph_exec **out);
enum status recorder_graph_destroy(struct device *, struct graph *);
enum status recorder_graph_exec_destroy(struct device *, struct graph_exec *);

#endif
