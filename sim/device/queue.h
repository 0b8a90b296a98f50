/* queue.h - queues of work, and which of it runs next. Private to sim/.
 *
 * With seed 0 work runs when it is submitted. With any other seed it waits in its stream. When a
 * call has to wait, the seed picks among the heads of all streams that may run, so any order that
 * CUDA allows is possible. Graphs run node by node.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "sim/device/stream.h"

struct graph_exec;
struct task;

/* The task's reference passes to the stream. With seed 0 the error is the task's own; otherwise
 * faults come back from later calls. */
enum status queue_task(struct stream *, struct task *);
/* Also runs after earlier launches of the same executable graph. */
enum status queue_graph(struct stream *, struct graph_exec *);
/* queue_mark(): the mark is done when all earlier work in the stream is. queue_wait(): later work
 * in the stream waits for the mark. */
enum status queue_mark(struct stream *, struct mark *);
enum status queue_wait(struct stream *, struct mark *);
/* Runs all work, or until the mark is done; does not count as the host waiting. */
void queue_run_all(struct device_simulated *);
void queue_run_until(struct device_simulated *, const struct mark *);
/* Returns when the stream has no work left; NULL: the whole device. */
enum status queue_drain(struct device_simulated *, struct stream *);
/* Runs the stream's work up to a launch that waits for the host, for which the host does not. */
void queue_settle(struct device_simulated *, struct stream *);
/* Drops the stream's work. */
void queue_clear(struct stream *);

#endif
