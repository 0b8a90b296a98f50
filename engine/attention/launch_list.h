/* launch_list.h - launches kept for later: kernel, grid, block, shared bytes and argument values.
 *
 * A list owns copies of all that its launches point to, except kernels, buffers and live sources.
 * What each launch waits for is kept beside it, as a graph's node has it. Serves
 * engine/attention/attention_graph.c.
 */
#ifndef LAUNCH_LIST_H
#define LAUNCH_LIST_H

#include "engine/device.h"

struct launch_record {
	struct launch launch;           /* without a stream: a graph has none */
	int *after, after_count;        /* earlier records of the list */
};

/* All zeros is an empty list. */
struct launch_list {
	struct launch_record *records;
	int count;
};

/* Appends a copy. A scatter waits for nothing; any other launch for the scatters right before it,
 * and for the last launch before those that was given a place in a buffer that it is given too. */
void launch_list_add(struct launch_list *, const struct launch *);
/* A graph with one node for each record, in order. Errors of the device; then there is no graph. */
enum status launch_list_graph(const struct launch_list *, struct device *, struct graph **out);
/* Frees the copies and leaves the list empty. */
void launch_list_free(struct launch_list *);

#endif
