/* attention_graph.h - the launches of an attention path in a CUDA graph.
 *
 * A graph holds all launches of one layer or of several consecutive layers, from scatter to
 * output. Its launches keep their pointers, and read positions and lengths from device memory that
 * only graphs use and that attention_upload() writes before each launch of the graph. One graph
 * therefore works for all lengths, and for slots that end or begin. Used by attention_step(), with
 * one layer per graph, and by benchmarks.
 */
#ifndef ATTENTION_GRAPH_H
#define ATTENTION_GRAPH_H

#include "engine/attention/attention.h"
#include "engine/attention/launch_list.h"

/* Appends the launches of `layers` layers from `first` on to the list, with the dependencies that
 * they have in a graph. USAGE for a path without graphs (path_check_graph()) and for layers out of
 * range.
 *
 * Unlike the models: this launches nothing, where their recording runs each launch too. */
enum status attention_record(struct attention *, int first, int layers, struct launch_list *);

/* Creates an executable graph of these launches, captured on a stream of its own or built from a
 * list. All of its layers use the q, k and v of attention_upload(); the output is that of the last
 * layer. The attention must outlive the graph. Errors as attention_record(), and the device's.
 *
 * Unlike the models: a capture that fails is an error, which ends the run with its code. Theirs go
 * on launch by launch. */
enum status attention_graph_create(struct attention *, enum graph_mode, int first, int layers,
				   struct attention_graph **out);
/* Launches on the device's default stream, which the attention's uploads and downloads use too.
 * USAGE before the first attention_upload() or attention_step(). */
enum status attention_graph_launch(struct attention_graph *);
/* NULL is allowed. Does not change the error record. */
void attention_graph_destroy(struct attention_graph *);

#endif
