/* launch_list.h - launches kept for later: kernel, grid, block, shared bytes and argument values.
 *
 * A list owns copies of everything that its launches point to, except kernels, buffers and live
 * sources. Each launch is kept with its dependencies, as in a graph node. Used by
 * engine/attention/attention_graph.c.
 */
#ifndef LAUNCH_LIST_H
#define LAUNCH_LIST_H

#include "engine/device.h"

struct launch_record {
	struct launch launch;           /* without a stream: a graph has none */
	int *after, after_count;        /* the earlier records that it waits for */
};

/* All zeros is an empty list. */
struct launch_list {
	struct launch_record *records;
	int count;
};

/* Appends a copy. A scatter waits for nothing. Any other launch waits for the scatters right before
 * it, and for the last launch before those that has a pointer argument in common with it. */
void launch_list_add(struct launch_list *, const struct launch *);
/* Creates a graph with one node for each record, in order. Errors of the device; then no graph is
 * created. */
enum status launch_list_graph(const struct launch_list *, struct device *, struct graph **out);
/* Frees the copies and leaves the list empty. */
void launch_list_free(struct launch_list *);

#endif
