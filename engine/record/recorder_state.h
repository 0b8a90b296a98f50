/* recorder_state.h - what a recorder knows; only the parts of the recorder include it.
 *
 * Each part has a header of its own for what others call, and calls those below only:
 *
 *   recorder.c            opens and closes; the table of operations
 *   recorder_memory.c, recorder_stream.c, recorder_launch.c, recorder_run.c, recorder_capture.c
 *                         operations: memory, streams and events, launches, launches of graphs,
 *                         captures and nodes
 *   recorder_graph.c      what nodes overwrite is saved; graphs and executable graphs
 *   recorder_step.c       steps and windows
 *   recorder_results.c    what came of a launch: recorder_digest.c, recorder_decode.c
 *   recorder_describe.c   rows of launches and kernels
 *   recorder_note.c, recorder_wait.c   any row; waiting, and what is no part of the program
 *   recording.c, graph_shadow.c, shadow.c, numbers.c   launches, graphs, buffers, objects
 */
#ifndef RECORDER_STATE_H
#define RECORDER_STATE_H

#include "engine/device.h"
#include "engine/record/numbers.h"
#include "traces/level.h"
#include "traces/store/log_at.h"

/* Of a stream that captures, or an event recorded in one. */
struct member {
	const void *object;
	struct graph_shadow *graph;
};
struct members {
	struct member *items;
	int count;
};

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
	struct pending *pending;        /* launches that have not ended, but for graphs' */
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

static inline struct recorder *recorder_of(struct device *device)
{
	return (struct recorder *)device;
}

#endif
