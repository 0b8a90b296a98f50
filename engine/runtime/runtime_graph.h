/* runtime_graph.h - pieces of work on a stream, graphs of them, and captures.
 *
 * A piece of work runs at once on its stream, becomes a node of a capture, or is a node that a
 * program adds to a graph. The runtime keeps the nodes of every graph, because programs ask for
 * them and change them; the device's graph comes from its own capture where possible.
 */
#ifndef RUNTIME_GRAPH_H
#define RUNTIME_GRAPH_H

#include "engine/runtime/runtime_state.h"

/* --- work --- */

enum work_kind {
	WORK_EMPTY, WORK_LAUNCH, WORK_COPY, WORK_FILL, WORK_HOST, WORK_GRAPH, WORK_RECORD,
	WORK_WAIT,
	WORK_ALLOC, WORK_FREE,          /* of lasting memory: nothing to do */
	WORK_CONDITION
};

struct launch_work {
	const struct kernel *kernel;
	const void *func;               /* as the program named it */
	struct dim3 grid, block;
	size_t shared;
	bool cooperative;
	struct dim3 cluster;            /* 0: the kernel's own */
	void **args;                    /* one for each parameter */
	unsigned char *values;          /* of a copy: what args point into; else NULL */
};

/* `depth` slices of `height` rows of `width` bytes. */
struct copy_work {
	char *to;
	size_t to_pitch, to_slice;
	const char *from;
	size_t from_pitch, from_slice;
	size_t width, height, depth;
	enum cudaMemcpyKind kind;
	bool waited;                    /* the call returns after host memory was read or written */
	bool is_box;                    /* params are what the program gave, and reads back */
	struct cudaMemcpy3DParms params;
};

/* The same of elements of 1, 2 or 4 bytes with the value. */
struct fill_work {
	char *to;
	size_t pitch, slice;
	unsigned value, element;
	size_t width, height, depth;    /* width in elements */
};

/* Which body runs depends on the 4 bytes of device memory that the handle is the address of. */
struct condition_work {
	cudaGraphConditionalHandle handle;
	enum cudaGraphConditionalNodeType type;
	struct CUgraph_st **bodies;     /* owned by a copy of the work */
	unsigned count;
};

struct work {
	enum work_kind kind;
	union {
		struct launch_work launch;
		struct copy_work copy;
		struct fill_work fill;
		struct cudaHostNodeParams host;
		struct CUgraph_st *graph;       /* WORK_GRAPH: owned by a copy of the work */
		struct CUevent_st *event;       /* WORK_RECORD, WORK_WAIT */
		struct memory_work {            /* WORK_ALLOC, WORK_FREE */
			void *address;
			size_t bytes;
		} memory;
		struct condition_work condition;
	};
};

/* Runs the work in the order of the stream, or captures it. */
cudaError_t work_submit(struct CUstream_st *, const struct work *);
/* Runs it on a stream of the device. captured: the device captures the stream. */
cudaError_t work_run(struct runtime_device *, struct stream *, const struct work *, bool captured);
/* Whether no device can do it: it has to wait for the work before it, then do it here. */
bool work_is_hosted(const struct work *);
/* A copy that owns what it points to. */
struct work work_copy(const struct work *);
void work_free(struct work *);

/* The parts of work_run(). */
cudaError_t copy_run(struct runtime_device *, struct stream *, const struct copy_work *,
		     bool captured);
bool copy_is_hosted(const struct copy_work *);
cudaError_t copy_check(const struct copy_work *);
cudaError_t fill_run(struct runtime_device *, struct stream *, const struct fill_work *);
bool fill_is_hosted(const struct fill_work *);
cudaError_t fill_check(const struct fill_work *);
cudaError_t launch_run(struct runtime_device *, struct stream *, const struct launch_work *,
		       bool captured);
/* Shows a recorder or checker the host's memory that the arguments point to, before a launch. */
cudaError_t launch_show(struct runtime_device *, struct stream *, const struct launch_work *);
/* The work that a kernel node's parameters describe; its arguments stay theirs. */
cudaError_t launch_from_params(const struct cudaKernelNodeParams *, struct launch_work *out);

/* The work that parameters of a node describe. */
cudaError_t copy_from_params(const struct cudaMemcpy3DParms *, struct copy_work *out);
cudaError_t copy_linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind,
			struct copy_work *out);
cudaError_t copy_rectangle(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			   size_t width, size_t height, enum cudaMemcpyKind, struct copy_work *out);
/* Gives a copy to a stream, if `checked` is no error; a copy of nothing does nothing. */
cudaError_t copy_submit(cudaStream_t, cudaError_t checked, struct copy_work, bool waited);

/* --- graphs --- */

struct CUgraphNode_st {
	struct CUgraph_st *graph;
	struct work work;
	struct CUgraphNode_st **after;
	size_t after_count;
	const struct CUgraphNode_st *origin;    /* the node that this is a copy of */
	size_t mark;                            /* scratch of runtime_graph_sort() */
};

struct CUgraph_st {
	struct CUgraph_st *next;        /* of all that programs hold */
	struct CUgraphNode_st **nodes;
	size_t count;
	struct runtime_device *device;
	struct graph *captured;         /* the device's own; NULL: none, or the nodes changed */
	bool edited;                    /* by calls, also during its capture */
	bool inside;                    /* a node owns it: a body, or a child graph with a handle */
	struct condition *conditions;   /* runtime_condition.c */
	size_t condition_count;
};

struct CUgraph_st *runtime_graph_new(struct runtime_device *);
void runtime_graph_free(struct CUgraph_st *);
void runtime_graph_publish(struct CUgraph_st *);        /* the program gets its handle */
struct CUgraph_st *runtime_graph_copy(const struct CUgraph_st *);
/* Copies the work. */
struct CUgraphNode_st *runtime_graph_add(struct CUgraph_st *, const struct work *,
				 struct CUgraphNode_st *const *after, size_t after_count);
void runtime_graph_changed(struct CUgraph_st *);
/* The nodes so that each comes after those it waits for; NULL if they wait in a circle. The caller
 * frees the list. */
struct CUgraphNode_st **runtime_graph_sort(const struct CUgraph_st *);
/* A node that waits in a circle; NULL: none does. */
struct CUgraphNode_st *runtime_graph_circle(const struct CUgraph_st *);
cudaError_t runtime_graph_of(cudaGraph_t, struct CUgraph_st **out);
struct CUgraphNode_st *runtime_graph_node_in(struct CUgraph_st *, cudaGraphNode_t handle);
cudaError_t runtime_graph_node_of(cudaGraphNode_t, struct CUgraphNode_st **out);
cudaError_t runtime_graph_run(struct runtime_device *, struct stream *, const struct CUgraph_st *);
/* The device's executable graph of these nodes, and of a graph of its own. */
cudaError_t runtime_graph_build(const struct CUgraph_st *, struct graph_exec **out);
cudaError_t runtime_graph_instantiate(struct runtime_device *, struct graph *,
				      struct graph_exec **out);
void runtime_graph_node_free(struct CUgraphNode_st *);
void runtime_graphs_close(void);
void runtime_execs_close(void);

/* --- conditions (runtime_condition.c) --- */

/* A new handle of a graph, as cudaGraphConditionalHandleCreate() makes. */
struct condition {
	cudaGraphConditionalHandle handle;
	unsigned value;                 /* at each launch, if `assigned` */
	bool assigned;
};

/* Gives the conditions of a graph, and of those in it, their values for a launch. */
cudaError_t conditions_begin(struct runtime_device *, struct stream *, const struct CUgraph_st *);
/* Adds the conditions of one graph to another. */
void conditions_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
cudaError_t condition_run(struct runtime_device *, struct stream *, const struct condition_work *);
struct condition_work condition_copy(const struct condition_work *);
void condition_free(struct condition_work *);
/* Whether graphs in this one have only nodes that a body may have. */
bool conditions_fit(const struct CUgraph_st *, bool body);

/* --- the memory of graphs (runtime_graph_memory.c) --- */

/* Memory that a node which runs after these may allocate: what nodes before it have freed. NULL if
 * there is none. */
void *graph_memory_reuse(struct CUgraph_st *, const cudaGraphNode_t *after, size_t count,
			 size_t bytes);
/* Counts the memory of a graph that a stream launches. */
void graph_memory_launched(const struct CUgraph_st *, const struct CUstream_st *);
/* The program frees memory of a graph: at once, or in the order of a stream. */
void graph_memory_freed(struct runtime_device *, const void *, const struct CUstream_st *);
/* The stream was waited for; NULL: the device. */
void graph_memory_waited(struct runtime_device *, const struct CUstream_st *);
void graph_memory_end(struct runtime_device *);

/* --- captures --- */

struct capture {
	struct capture *next;
	uint64_t number;
	struct runtime_device *device;
	struct CUstream_st *origin;
	struct CUgraph_st *graph;
	bool hosted;            /* has work that the device's capture lacks */
	bool into;              /* the program's own graph, which has nodes already */
};

/* Error 906 if the legacy stream would have to wait for a capture, which ends with it. */
cudaError_t runtime_capture_check_legacy(struct runtime_device *);
/* The same if the stream is the legacy one and the event is in a capture. */
cudaError_t runtime_capture_check_wait(const struct CUstream_st *, const struct CUevent_st *);
cudaError_t runtime_capture_add(struct CUstream_st *, const struct work *);
/* The graph of a capture that has not ended; NULL: the handle is not one. */
struct CUgraph_st *runtime_capture_graph(const struct CUgraph_st *handle);
struct CUgraphNode_st *runtime_capture_node(cudaGraphNode_t handle);
void runtime_capture_record(const struct CUstream_st *, struct CUevent_st *);
void runtime_capture_join(struct CUstream_st *, const struct CUevent_st *);
void runtime_capture_leave(struct CUstream_st *);
void runtime_capture_invalidate(const struct capture *);
bool runtime_capture_active(const struct runtime_device *);
/* Whether this thread has exchanged its mode to one in which captures forbid less. */
bool runtime_capture_relaxed(void);
void runtime_captures_close(void);

#endif
