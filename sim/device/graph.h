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
};

struct graph {
	struct graph *next;
	struct node *nodes;
	int count;
};

/* A launch under way holds a reference, so that destroying an executable graph is always legal. */
struct graph_exec {
	struct device_simulated *sim;
	struct graph_exec *next;
	struct node *nodes;
	int count, references;
	struct mark *last;              /* ends with its last launch; NULL: never launched */
};

void graphs_close(struct device_simulated *);

struct graph *graph_new(void);          /* in no list yet */
void graph_free(struct graph *);
void graph_own(struct device_simulated *, struct graph *);
/* Takes the task's reference; copies `after`, whose nodes must be there. The new node's number. */
int graph_add(struct graph *, struct task *, const int *after, int after_count);
/* A copy in the device's list, which holds the reference. */
struct graph_exec *graph_exec_new(struct device_simulated *, const struct graph *);
void graph_exec_drop(struct graph_exec *);

/* A node that is not done and comes after none that is not: the first, or one that is drawn. -1:
 * all are done. */
int graph_exec_next(struct graph_exec *, const bool *done);

/* On a checked device: makes operations of the nodes, behind *order and the nodes each comes after.
 * All of them are before what comes after *order then. The number of the first. */
uint64_t graph_exec_order(const struct graph_exec *, struct clock **order, int stream);

#endif
