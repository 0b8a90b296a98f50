/* stream.h - queues of work, events between them, and who runs next. Private to sim/.
 *
 * With seed 0 work runs when it is submitted. With any other seed it waits in its stream, and
 * whenever somebody must wait, the seed draws among the heads of all streams that may run, so that
 * every order CUDA allows has its seeds. Graphs run node by node in between.
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include "sim/check/clock.h"
#include "sim/device/device_sim.h"
#include "sim/device/task.h"

/* Ends when a piece of work has: an event's record, a launch of a graph. Counted references. */
struct mark {
	int references;
	bool done;
	struct clock order;             /* of a checked device: what comes before the end */
};

struct stream {
	struct device_simulated *sim;
	struct stream *next;
	struct entry *head, **tail;     /* work in order */
	bool destroyed;                 /* goes when its work is done */
	struct capture *capture;        /* NULL: work runs */
	int *ends, end_count;           /* while capturing: what the next node comes after */
	int number;                     /* 0: the default stream */
	struct clock order;             /* of a checked device: what the next work comes after */
};

struct event {
	struct device_simulated *sim;
	struct event *next;
	struct mark *mark;              /* of the last record; NULL: never recorded */
	uint64_t capture;               /* the capture it was recorded in last; 0: none */
	int *ends, end_count;           /* the nodes before it there */
};

void mark_drop(struct mark *);          /* NULL is fine */

void streams_open(struct device_simulated *);   /* makes the default stream */
void streams_close(struct device_simulated *);

/* NULL is the default stream. USAGE for another device's. */
enum status stream_find(struct device_simulated *, struct stream *, struct stream **out);

/* The task's reference passes to the stream. With seed 0 the error is the task's own; otherwise
 * faults come back from later calls. */
enum status stream_submit(struct stream *, struct task *);
/* Behind earlier launches of the same executable graph too. */
enum status stream_submit_graph(struct stream *, struct graph_exec *);
/* Runs what there is to run; nobody waits for it. */
void stream_run_all(struct device_simulated *);
/* Returns when the stream has nothing left to do; NULL: the whole device. */
enum status stream_drain(struct device_simulated *, struct stream *);

/* A number below `below`, the same for the same seed and calls. */
uint32_t stream_draw(struct device_simulated *, uint32_t below);

/* The operations of device_ops of these names. */
enum status sim_sync(struct device *, struct stream *);
enum status sim_stream_create(struct device *, struct stream **out);
enum status sim_stream_destroy(struct device *, struct stream *);
enum status sim_event_create(struct device *, struct event **out);
enum status sim_event_destroy(struct device *, struct event *);
enum status sim_event_record(struct device *, struct event *, struct stream *);
enum status sim_event_wait(struct device *, struct stream *, struct event *);
enum status sim_event_sync(struct device *, struct event *);
enum status sim_event_elapsed(struct device *, struct event *from, struct event *to, double *us);

#endif
