/* recorder_state.h - the state of a recorder; only the files of the recorder include it.
 *
 * Each file has a header with the functions that others call, and calls only files further down:
 *
 *   recorder.c            opens and closes; the table of operations
 *   recorder_memory.c, recorder_stream.c, recorder_launch.c, recorder_run.c,
 *   recorder_capture.c, recorder_host.c
 *                         operations: memory, streams and events, launches, launches of graphs,
 *                         captures and nodes, work of the host
 *   recorder_attention.c  what attention is computed with
 *   recorder_graph.c      saves what nodes overwrite; graphs and executable graphs
 *   recorder_step.c       steps and windows
 *   recorder_results.c    results of a launch: recorder_digest.c, recorder_decode.c,
 *                         recorder_accesses.c
 *   recorder_describe.c   rows of launches and kernels
 *   recorder_kv.c         rows of K and V that uploads and copies wrote
 *   recorder_note.c, recorder_wait.c   rows; waiting, and the recorder's own operations
 *   recording.c, graph_shadow.c, shadow.c, numbers.c   launches, graphs, buffers, objects
 */
#ifndef RECORDER_STATE_H
#define RECORDER_STATE_H

#include "engine/device.h"
#include "engine/record/numbers.h"
#include "traces/level.h"
#include "traces/store/log_at.h"

/* A stream in capture, or an event recorded in a capture, and its graph. */
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
	struct log_at blocks;           /* whose accesses are recorded; empty below level access */
	uint64_t access_count, line_count;      /* rows of them so far */
	char *points;                   /* filter, NULL: all */
	struct probe *probe;            /* NULL below level points */

	/* The device calls an observer at launches; else the recorder waits for each launch. */
	bool observed;
	struct device_observer observer;
	struct pending *pending;        /* launches that have not ended, except those of graphs */
	struct pending *spare;          /* memory for one; NULL: none */
	enum status late;               /* an error that occurred while the device ran work */
	struct error_record late_error;
	void **staged;                  /* bytes of uploads left to a stream */
	size_t staged_count;

	bool storing;                   /* inside a window */
	bool unlisted;                  /* some writes to buffers may be in no list */
	bool in_step, step_stored;      /* between step_begin and step_end; its row is stored */
	int64_t step;                   /* the number the caller gave */
	int64_t step_first;             /* first operation of the stored step */
	int64_t launches;               /* number in the whole run so far, recorded or not */
	int64_t attentions;             /* number so far */
	int64_t last_op;                /* the last operation stored, -1: none */
	int uncommitted;                /* operations since the last commit */

	struct shadow *shadows;         /* of live buffers, ascending id */
	int shadow_count;
	uint32_t last_id;
	struct numbers streams, events;
	struct graph_shadow **graphs;   /* by number - 1; NULL: freed */
	int graph_count;
	struct exec_shadow *execs;      /* by number - 1 */
	int exec_count;
	struct members capturing, captured;     /* streams; events */
	bool relaxed;                   /* capture_relax() was called with true */
	const struct kernel **kernels;  /* whose source is in the trace */
	int kernel_count;
};

static inline struct recorder *recorder_of(struct device *device)
{
	return (struct recorder *)device;
}

#endif
