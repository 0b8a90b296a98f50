/* replay_state.h - the state of a replay; only the files of the replay include it.
 *
 * replay.c walks the trace, replay_memory.c replays operations on memory, replay_host.c what the
 * host computed from downloads, and replay_launch.c builds launches. replay_graph.c uses these to
 * replay streams, events, captures and graphs, and replay_window.c to replay a part of a run.
 */
#ifndef REPLAY_STATE_H
#define REPLAY_STATE_H

#include "engine/device.h"
#include "traces/row.h"
#include "traces/store/store.h"

/* Maps the numbers of objects in the trace to objects of the target. */
struct table {
	void **items;
	size_t count;
};

/* A step of the trace: operations first to last. */
struct step {
	int64_t step, first_op, last_op;        /* last_op -1: the step did not end */
};

/* Memory that an upload of a graph reads at each launch. */
struct graph_upload {
	int graph, node;
	void *memory;
	uint64_t bytes;
};

/* Bytes that a download of the replay fetched. */
struct fetched {
	uint32_t buffer;
	uint64_t offset, bytes;
	void *memory;
};

struct replay {
	struct device *target;
	bool recording;                 /* the target is a recorder */
	struct store *trace;
	struct store_run run;
	struct table buffers, streams, events, graphs, execs;
	struct graph_upload *uploads;
	int upload_count;
	int captures;                   /* that have not ended */
	struct fetched *fetched;        /* by the downloads directly before, for host_softmax */
	size_t fetched_count;
	uint64_t fetched_bytes;
	void **memory;                  /* blocks that the target may still use */
	size_t memory_count;
	struct step *steps;
	size_t step_count, next_step;
	bool stopped;                   /* the target failed where the recorded device did not */
	int64_t operations;
};

void table_set(struct table *, size_t number, void *item);
void *table_get(const struct table *, uint64_t number);         /* NULL if there is none */
/* Returns a copy of the bytes, or zeros for NULL, that lives as long as the replay. */
void *replay_keep(struct replay *, const void *bytes, size_t count);
/* Frees what the replay owns, which the target must no longer use. */
void replay_release(struct replay *);

static inline struct buffer *buffer_of(const struct replay *r, uint32_t id)
{
	return table_get(&r->buffers, id);
}

static inline struct stream *stream_of(const struct replay *r, const struct row_op *op)
{
	return table_get(&r->streams, (uint64_t)op->stream);
}

#endif
