/* graph_shadow.h - the recorder's data on graphs: nodes, and copies of the bytes they overwrite.
 *
 * Used by the files of the recorder. recorder_capture.c creates the nodes.
 */
#ifndef GRAPH_SHADOW_H
#define GRAPH_SHADOW_H

#include "engine/device.h"
#include "traces/op.h"

struct graph_shadow;
struct probe;
struct recorder;

/* Passed to the device with a launch or a kernel node. The device passes it back to the observer
 * when the launch begins and ends. */
struct ticket {
	struct recorder *recorder;
	struct node *node;              /* NULL: a launch that is not part of a graph */
	struct launch launch;           /* a copy */
};

struct node {
	struct graph_shadow *graph;
	int number, device_node;        /* the caller's; the device's, if added by hand */
	enum op_kind work;
	struct ticket ticket;           /* LAUNCH: contains the launch */
	struct probe *probe;            /* LAUNCH: collects its points, NULL: not probed */
	struct buffer *buffer;          /* others: written by the node, or read by a download */
	uint64_t offset, bytes;
	const void *source;             /* UPLOAD_ASYNC: the caller's memory */
	int *after, after_count;        /* by hand: numbers of earlier nodes */
};

/* The bytes that node `position` overwrites, as they were before. */
struct saved {
	int position;
	const struct buffer *buffer;    /* NULL: freed */
	uint64_t offset, bytes;
	struct buffer *copy;            /* the recorder's */
};

/* Bytes that a kernel of the graph wrote and no later node has overwritten. */
struct fresh {
	int node;
	struct buffer *buffer;          /* NULL: freed */
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
	struct graph_run *runs;         /* launches that have not ended, in order */
	int launched;                   /* nodes of the launch whose results are being read */
};

struct exec_shadow {
	struct graph_exec *exec;        /* NULL: destroyed */
	struct graph_shadow *graph;
	int node_count;                 /* of the graph when it was instantiated */
};

/* A launch of a graph that has not ended. */
struct graph_run {
	struct graph_run *next;
	struct graph_shadow *graph;
	int node_count;
	int64_t op, number;             /* of the first launch it makes */
	bool *ran;                      /* [node_count] */
	int left;                       /* launches that have not ended */
	bool stored, noted, calling, given;     /* as in struct pending (recorder_launch.c) */
};

/* Creates the shadow of a new graph, with the next number and one reference. */
struct graph_shadow *graph_shadow_add(struct recorder *, struct graph *);
void graph_shadow_drop(struct recorder *, struct graph_shadow *);
struct graph_shadow *graph_shadow_find(const struct recorder *, const struct graph *);
struct node *node_new(struct graph_shadow *, enum op_kind work);
void node_free(struct node *);
void graph_run_free(struct graph_run *);
/* Reads bytes as they were after the node had run, in the launch that ended last. */
enum status graph_read(struct recorder *, const struct node *, const struct buffer *,
		       uint64_t offset, void *out, uint64_t bytes);
void graphs_forget_buffer(struct recorder *, const struct buffer *);    /* call when it is freed */
void graphs_free(struct recorder *);    /* call before the device is closed */

#endif
