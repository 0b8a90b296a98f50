/* graph.h - graphs of tasks, and their executable copies. Private to sim/. */
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

#include "sim/device/simulated.h"

struct clock;
struct mark;
struct task;

struct node {
	struct task *task;              /* a reference */
	int *after, after_count;        /* earlier nodes: a graph has no cycles */
	bool overlaps;                  /* it may begin before the only one of them has ended */
};

struct graph {
	struct graph *next;
	struct node *nodes;
	int count;
};

/* A pending launch holds a reference, so destroying an executable graph is always legal. */
struct graph_exec {
	struct device_simulated *sim;
	struct graph_exec *next;
	struct node *nodes;
	int count, references;
	struct mark *last;              /* ends with its last launch; NULL: never launched */
};

void graphs_close(struct device_simulated *);

struct graph *graph_new(void);          /* not in a list yet */
void graph_free(struct graph *);
void graph_own(struct device_simulated *, struct graph *);
/* Takes the task's reference; copies `after`, whose nodes must exist. Returns the node's number. */
int graph_add(struct graph *, struct task *, const int *after, int after_count);
/* Returns a copy in the device's list, which holds the reference. */
struct graph_exec *graph_exec_new(struct device_simulated *, const struct graph *);
void graph_exec_drop(struct graph_exec *);

/* Returns a ready node, one whose dependencies are done: the first, or a random one if the device
 * has a seed. -1: all nodes are done. */
int graph_exec_next(struct graph_exec *, const bool *done);

/* On a checked device: adds an operation for each node, ordered after *order and the node's
 * dependencies, then joins all of them to *order. Returns the number of the first. */
uint64_t graph_exec_order(const struct graph_exec *, struct clock **order, int stream);

#endif
