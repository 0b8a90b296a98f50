/* attention_graph.h - the launches of an attention path in a CUDA graph.
 *
 * A graph holds one layer or several that follow each other: scatter, attention, and what comes in
 * between. Its launches keep the pointers they were given, and read positions and lengths from
 * device memory of the graph's own, which attention_upload() writes before each launch of it; so
 * one graph serves every length, and slots that end or begin. Serves attention_step(), where a
 * graph is one layer, and those that measure.
 */
#ifndef ATTENTION_GRAPH_H
#define ATTENTION_GRAPH_H

#include "engine/attention/attention.h"
#include "engine/attention/launch_list.h"

/* Appends the launches of `layers` layers from `first` on to the list, as they would be in a graph:
 * with what each waits for. Launches nothing. USAGE for a path without graphs (path_check_graph())
 * and for layers that there are not. */
enum status attention_record(struct attention *, int first, int layers, struct launch_list *);

/* A graph of these launches, captured on a stream of its own or built from the list of them; ready
 * to be launched. All of its layers attend with the same q, k and v, those of attention_upload(),
 * and leave the last one's output. The attention outlives it. Errors as attention_record(), and the
 * device's. */
enum status attention_graph_create(struct attention *, enum graph_mode, int first, int layers,
				   struct attention_graph **out);
/* On the stream that the attention's uploads and downloads are on, the device's default one. USAGE
 * before the first attention_upload() or attention_step(). */
enum status attention_graph_launch(struct attention_graph *);
/* NULL is fine. Leaves the error record as it was. */
void attention_graph_destroy(struct attention_graph *);

#endif
