/* graph_shadow.h - what the recorder knows of graphs: nodes, and copies of what they overwrite.
 *
 * Serves the recorder. How nodes come to be is recorder_capture.c's part.
 */
#ifndef GRAPH_SHADOW_H
#define GRAPH_SHADOW_H

#include "engine/device.h"
#include "traces/op.h"

struct graph_shadow;
struct probe;
struct recorder;

/* What the device is given with a launch, or with a node that makes one, and hands back when the
 * work begins and ends. */
struct ticket {
	struct recorder *recorder;
	struct node *node;              /* NULL: a launch of its own */
	struct launch launch;           /* a copy */
};

struct node {
	struct graph_shadow *graph;
	int number, device_node;        /* for the caller; for the device, when added by hand */
	enum op_kind work;
	struct ticket ticket;           /* LAUNCH: has its launch */
	struct probe *probe;            /* LAUNCH: its points, NULL: it is not probed */
	struct buffer *buffer;          /* others: what they write, or what a download reads */
	uint64_t offset, bytes;
	const void *source;             /* UPLOAD_ASYNC: the caller's memory */
	int *after, after_count;        /* by hand: numbers of earlier nodes */
};

/* Bytes that node `position` overwrites, as they were before. */
struct saved {
	int position;
	const struct buffer *buffer;    /* NULL: gone */
	uint64_t offset, bytes;
	struct buffer *copy;            /* the recorder's */
};

/* What a kernel of the graph wrote, and no later node has overwritten. */
struct fresh {
	int node;
	struct buffer *buffer;          /* NULL: gone */
	uint64_t begin, end;
};

struct graph_shadow {
	struct graph *graph;            /* NULL: being captured, or destroyed */
	int number, references;
	struct node **nodes;
	int count;
	struct saved *saved;
	int saved_count;
	struct fresh *fresh;
	int fresh_count;
	struct graph_run *runs;         /* that have not ended, in the order launched */
	int launched;                   /* nodes of the launch that is being read */
};

struct exec_shadow {
	struct graph_exec *exec;        /* NULL: destroyed */
	struct graph_shadow *graph;
	int node_count;                 /* of the graph when it was instantiated */
};

/* A launch of a graph under way. */
struct graph_run {
	struct graph_run *next;
	struct graph_shadow *graph;
	int node_count;
	int64_t op, number;             /* of its first launch */
	bool *ran;                      /* [node_count] */
	int left;                       /* launches that have not ended */
	bool stored, noted, calling, given;     /* as of a launch */
};

/* A new graph's shadow, with the next number and one reference. */
struct graph_shadow *graph_shadow_add(struct recorder *, struct graph *);
void graph_shadow_drop(struct recorder *, struct graph_shadow *);
struct graph_shadow *graph_shadow_find(const struct recorder *, const struct graph *);
struct node *node_new(struct graph_shadow *, enum op_kind work);
void node_free(struct node *);
void graph_run_free(struct graph_run *);
/* Bytes as they were when the node had run, in the launch that ended last. */
enum status graph_read(struct recorder *, const struct node *, const struct buffer *,
		       uint64_t offset, void *out, uint64_t bytes);
void graphs_forget_buffer(struct recorder *, const struct buffer *);    /* it is freed */
void graphs_free(struct recorder *);    /* before the device is closed */

#endif
