/* replay_state.h - what a replay knows; only the parts of the replay include it.
 *
 * replay.c walks the trace; replay_memory.c moves bytes, replay_launch.c builds launches,
 * replay_graph.c does streams, events, captures and graphs with both.
 */
#ifndef REPLAY_STATE_H
#define REPLAY_STATE_H

#include "engine/device.h"
#include "traces/row.h"
#include "traces/store/store.h"

/* Objects of the target by their number in the trace. */
struct table {
	void **items;
	size_t count;
};

/* A step of the trace: operations first to last. */
struct step {
	int64_t step, first_op, last_op;        /* last_op -1: it did not end */
};

/* Memory that an upload of a graph reads at each launch. */
struct graph_upload {
	int graph, node;
	void *memory;
	uint64_t bytes;
};

struct replay {
	struct device *target;
	bool recording;                 /* the target is a recorder */
	struct store *trace;
	struct store_run run;
	struct table buffers, streams, events, graphs, execs;
	struct graph_upload *uploads;
	int upload_count;
	int captures;                   /* under way */
	void **memory;                  /* that the target may still use */
	size_t memory_count;
	struct step *steps;
	size_t step_count, next_step;
	bool stopped;                   /* the target failed where the recorded device did not */
	int64_t operations;
};

void table_set(struct table *, size_t number, void *item);
void *table_get(const struct table *, uint64_t number);         /* NULL when there is none */
/* A copy, or zeros for NULL, that lives as long as the replay. */
void *replay_keep(struct replay *, const void *bytes, size_t count);

static inline struct buffer *buffer_of(const struct replay *r, uint32_t id)
{
	return table_get(&r->buffers, id);
}

static inline struct stream *stream_of(const struct replay *r, const struct row_op *op)
{
	return table_get(&r->streams, (uint64_t)op->stream);
}

#endif
