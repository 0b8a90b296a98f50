/* recorder_internal.h - what the parts of the recorder share; nobody else includes it.
 *
 *   recorder.c            opens, closes, marks steps and windows, keeps track of buffers
 *   recorder_ops.c        memory, and the table of operations
 *   recorder_stream.c     streams, events, copies left to a stream
 *   recorder_launch.c     launches: before them, after them, tickets
 *   recorder_describe.c   rows of launches and kernels
 *   recorder_digest.c     digests of what a launch wrote, and of whole buffers
 *   recorder_decode.c     what it means as attention
 *   recorder_capture.c    captures, graphs and their nodes
 *   recorder_graph.c      what nodes overwrite is saved; graphs and executable graphs by number
 *   recorder_run.c        launches of graphs
 */
#ifndef RECORDER_INTERNAL_H
#define RECORDER_INTERNAL_H

#include <math.h>

#include "engine/record/probe.h"
#include "engine/record/ranges.h"
#include "engine/record/recorder.h"
#include "traces/row.h"
#include "traces/store/log_at.h"
#include "traces/store/store.h"

/* What the recorder knows of a live buffer. */
struct shadow {
	struct buffer *buffer;
	uint32_t id;                    /* in the trace: 1, 2, ... in order of allocation */
	bool written;                   /* since its last digest after a step */
	struct ranges unsaved;          /* written while nothing was recorded */
	/* The upload that wrote it last; -1: something else did, or the trace does not have it. */
	int64_t upload_op;
	uint64_t upload_offset, upload_bytes;
	/* A pointer table: {buffer id, offset} of each 8 bytes. Addresses differ between devices,
	 * so this stands for the bytes. NULL: plain bytes. */
	uint64_t (*pointers)[2];
};

/* What a launch is about to write to one buffer. */
struct written {
	struct shadow *shadow;
	struct ranges ranges;
};

/* Objects the caller holds by pointer, numbered 1, 2, ... in order of creation. */
struct numbers {
	const void **items;             /* NULL: destroyed */
	int count;
};

/* A launch, or a launch that a graph made, while it is being recorded. */
struct recording {
	struct recorder *recorder;
	const struct launch *launch;
	const struct node *node;        /* of a graph that has run; NULL: a launch of its own */
	int64_t op, number;             /* of the launch in the trace */
	const struct kernel_param *params;
	struct kernel_value values[MAX_ARGS];
	struct kernel_call call;
	struct written written[MAX_ARGS];
	int written_count;
};

/* A launch under way, or a node of a graph: what the device is given and hands back when the work
 * begins and ends. */
struct ticket {
	struct recorder *recorder;
	struct ticket *next;            /* in recorder.tickets; not of a node */
	struct node *node;              /* NULL: a launch of its own */
	struct launch launch;           /* a copy */
	struct recording recording;
	bool stored, noted;             /* in a window; its row is there */
	bool calling, given, ended;     /* in device_launch(); the device took it; it has ended */
};

/* --- graphs --- */

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
	bool stored, noted, calling, given;     /* as in a ticket */
};

/* Of a stream that captures, or an event recorded in one. */
struct member {
	const void *object;
	struct graph_shadow *graph;
};
struct members {
	struct member *items;
	int count;
};

/* --- the recorder --- */

struct recorder {
	struct device device;           /* first: callers hold a struct device */
	struct store *store;
	int64_t run;
	enum log_level level;
	struct log_at log_at;
	char *points;                   /* filter, NULL: all */
	struct probe *probe;            /* NULL below level points */

	/* The device tells when a launch begins and ends; else launches are waited for. */
	bool observed;
	struct device_observer observer;
	struct ticket *tickets;         /* of launches that have not ended */
	enum status late;               /* of what failed while the device ran work */
	struct error_record late_error;
	void **staged;                  /* bytes of uploads left to a stream */
	size_t staged_count;

	bool storing;                   /* inside a window */
	bool in_step, step_stored;      /* between step_begin and step_end; its row was begun */
	int64_t step;                   /* the number the caller gave */
	int64_t step_first;             /* operation the stored step begins with */
	int64_t launches;               /* of the whole run so far, recorded or not */
	int64_t last_op;                /* stored last, -1: none */
	int uncommitted;                /* operations */

	struct shadow *shadows;         /* of live buffers, ascending id */
	int shadow_count;
	uint32_t last_id;
	struct numbers streams, events;
	struct graph_shadow **graphs;   /* by number - 1; NULL: gone */
	int graph_count;
	struct exec_shadow *execs;      /* by number - 1 */
	int exec_count;
	struct members capturing, captured;     /* streams; events */
	bool relaxed;                   /* by the caller */
	const struct kernel **kernels;  /* whose source is in the trace */
	int kernel_count;
};

extern const struct device_ops device_recorder;

static inline struct recorder *recorder_of(struct device *device)
{
	return (struct recorder *)device;
}

/* A row, not measured, about an object that has a number; about none. */
#define OP_ON(kind_, object_, ...) \
	((struct row_op){ .kind = (kind_), .start_us = NAN, .duration_us = NAN, \
			    .object = (object_), __VA_ARGS__ })
#define OP(kind_, ...) OP_ON(kind_, -1, __VA_ARGS__)

/* --- recorder.c --- */

/* NULL when it was not allocated through the recorder. */
struct shadow *shadow_find(struct recorder *, const struct buffer *);
struct shadow *shadow_add(struct recorder *, struct buffer *, uint32_t id);
void shadow_remove(struct recorder *, struct shadow *);
uint32_t shadow_id(struct recorder *, const struct buffer *);           /* 0 for NULL */
/* Something wrote [offset, offset + bytes). */
void shadow_written(struct recorder *, struct shadow *, uint64_t offset, uint64_t bytes);

void numbers_add(struct numbers *, const void *object);
void numbers_remove(struct numbers *, const void *object);
int numbers_find(const struct numbers *, const void *object);           /* 0 for NULL */

/* Whether an operation that ended so never reached the device: then it is none. */
bool recorder_refused(enum status done);
/* Stores an operation that ended with `done` and returns `done`, or the store's error. op: -1
 * unless stored. */
enum status recorder_note(struct recorder *, struct row_op *, enum status done, int64_t *op);
/* The same for callers that need no number. */
enum status recorder_add(struct recorder *, struct row_op, enum status done);
enum status recorder_step_begin(struct device *, int64_t step);
enum status recorder_step_end(struct device *);
void recorder_close(struct device *);
/* Opens or closes a window before step `number`, or before `count` launches from `number` on, which
 * are kept together. */
enum status recorder_window(struct recorder *, char unit, int64_t number, int64_t count);
/* Waits for all work, and lets go of the bytes it needed. */
enum status recorder_wait(struct recorder *);
/* The same, and what the recorder does until it steps back, as no part of the program: to a checker
 * nobody has waited. Step back after a failure too. */
enum status recorder_step_aside(struct recorder *);
void recorder_step_back(struct recorder *);

/* --- recorder_stream.c --- */

enum status recorder_upload_async(struct device *, struct stream *, struct buffer *,
				  uint64_t offset, const void *source, size_t bytes);
enum status recorder_download_async(struct device *, struct stream *, const struct buffer *,
				    uint64_t offset, void *destination, size_t bytes);
enum status recorder_sync(struct device *, struct stream *);
enum status recorder_stream_create(struct device *, struct stream **out);
enum status recorder_stream_destroy(struct device *, struct stream *);
enum status recorder_event_create(struct device *, struct event **out);
enum status recorder_event_destroy(struct device *, struct event *);
enum status recorder_event_record(struct device *, struct event *, struct stream *);
enum status recorder_event_wait(struct device *, struct stream *, struct event *);
enum status recorder_event_sync(struct device *, struct event *);
enum status recorder_event_elapsed(struct device *, struct event *from, struct event *to,
				   double *us);

/* --- recorder_launch.c --- */

enum status recorder_launch(struct device *, const struct launch *);
/* Begins to record a launch, of a graph's node unless that is NULL. */
void recording_begin(struct recording *, struct recorder *, const struct launch *,
		     const struct node *);
/* Asks the kernel table what the launch writes. */
void recording_find_written(struct recording *);
/* Everything the level asks for about a launch that has ended; points: what collected them. */
enum status recording_results(struct recording *, struct probe *points);
void recording_mark_written(const struct recording *);
void recording_end(struct recording *);
/* Bytes of a buffer as they were when the launch had ended. */
enum status recording_read(const struct recording *, const struct buffer *, uint64_t offset,
			   void *out, uint64_t bytes);
void tickets_free(struct recorder *);   /* of work that never ran */
/* An error outside of the caller's reach: the next operation returns it. */
void recorder_keep_error(struct recorder *, enum status);
extern const struct device_observer recorder_observer;  /* its context is the recorder */
/* The recorder's own operations are allowed whatever is being captured. */
enum status recorder_own_begin(struct recorder *);
void recorder_own_end(struct recorder *);

/* --- recorder_describe.c --- */

/* Notes an operation that is a launch, or a node that makes one. */
enum status recorder_note_launch(struct recorder *, const struct launch *, int64_t number,
				 struct row_op *, enum status done, int64_t *op);
enum status recorder_store_kernel(struct recorder *, const struct kernel *);    /* once a run */

/* --- recorder_digest.c --- */

/* One row for what the launch wrote. keep: its bytes too, if they are contiguous. */
enum status recorder_digest_written(const struct recording *, const struct written *, bool keep);
/* Digests of the buffers written since the last call; after_step rows. */
enum status recorder_digest_state(struct recorder *);

/* --- recorder_decode.c --- */

/* Reads what a launch of an attention kernel did: K and V rows, and from level partials on partials
 * or reduction steps. Does nothing for other kernels. */
enum status recorder_decode(const struct recording *);

/* --- recorder_capture.c --- */

/* What a stream captures into; NULL: nothing, it works. */
struct graph_shadow *recorder_capture_of(const struct recorder *, const struct stream *);
/* Notes work that became a node, or did not, as `done` says. The node is NULL or has what it
 * writes. */
enum status recorder_note_node(struct recorder *, struct graph_shadow *, struct row_op,
			       struct node *, enum status done);
enum status recorder_capture_launch(struct recorder *, struct graph_shadow *,
				    const struct launch *);
/* A move of bytes that a stream captures: saves what it overwrites; *out is for
 * recorder_note_node(). */
enum status recorder_capture_move(struct recorder *, struct graph_shadow *, enum op_kind work,
				  struct stream *, const struct buffer *, uint64_t offset,
				  uint64_t bytes, struct node **out);
/* An event was recorded in a capture; NULL: elsewhere, or it is gone. */
void recorder_event_moved(struct recorder *, const struct event *, struct graph_shadow *);
/* A stream waits for an event, and so joins its capture. */
void recorder_stream_joins(struct recorder *, const struct stream *, const struct event *);
void recorder_stream_leaves(struct recorder *, const struct stream *);  /* it is destroyed */

enum status recorder_capture_begin(struct device *, struct stream *, enum capture_mode);
enum status recorder_capture_end(struct device *, struct stream *, struct graph **out);
enum status recorder_capture_state(struct device *, struct stream *, enum capture_state *out);
enum status recorder_capture_relax(struct device *, bool relaxed);
enum status recorder_graph_create(struct device *, struct graph **out);
enum status recorder_graph_add_launch(struct device *, struct graph *, const struct launch *,
				      const int *after, int after_count, int *node);
enum status recorder_graph_add_copy(struct device *, struct graph *, struct buffer *to,
				    uint64_t to_offset, const struct buffer *from,
				    uint64_t from_offset, size_t bytes, const int *after,
				    int after_count, int *node);

/* --- recorder_graph.c --- */

/* A new graph's shadow, with the next number and one reference. */
struct graph_shadow *graph_shadow_add(struct recorder *, struct graph *);
void graph_shadow_drop(struct recorder *, struct graph_shadow *);
struct graph_shadow *graph_shadow_find(const struct recorder *, const struct graph *);
struct node *node_new(struct graph_shadow *, enum op_kind work);
void node_keep(struct recorder *, struct node *);       /* it is the graph's next */
/* For what the kernel table says of the node's launch without asking device memory. */
void node_recording(struct recorder *, const struct node *, struct recording *);
void node_free(struct node *);
/* Saves what the graph has that the node may overwrite, in the stream that captures it, or (stream
 * and graph by hand) by nodes before it: *copies are those, which it must come after; the caller
 * frees. */
enum status graph_save(struct recorder *, struct node *, struct stream *, bool by_hand,
		       int **copies, int *copy_count);
/* Bytes as they were when the node had run, in the launch that ended last. */
enum status graph_read(struct recorder *, const struct node *, const struct buffer *,
		       uint64_t offset, void *out, uint64_t bytes);
void graphs_forget_buffer(struct recorder *, const struct buffer *);    /* it is freed */
void graphs_free(struct recorder *);    /* before the device is closed */

enum status recorder_graph_instantiate(struct device *, struct graph *, struct graph_exec **out);
enum status recorder_graph_destroy(struct device *, struct graph *);
enum status recorder_graph_exec_destroy(struct device *, struct graph_exec *);

/* --- recorder_run.c --- */

enum status recorder_graph_launch(struct device *, struct graph_exec *, struct stream *);
/* The device has run a node. */
void recorder_node_begins(const struct node *);
void recorder_node_ended(const struct node *, enum status);
void graph_run_free(struct graph_run *);

#endif
