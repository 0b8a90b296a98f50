/* queue.h - queues of work, and who runs next. Private to sim/.
 *
 * With seed 0 work runs when it is submitted. With any other seed it waits in its stream, and
 * whenever somebody must wait, the seed draws among the heads of all streams that may run, so that
 * every order CUDA allows has its seeds. Graphs run node by node in between.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "sim/device/stream.h"

struct graph_exec;
struct task;

/* The task's reference passes to the stream. With seed 0 the error is the task's own; otherwise
 * faults come back from later calls. */
enum status queue_task(struct stream *, struct task *);
/* Behind earlier launches of the same executable graph too. */
enum status queue_graph(struct stream *, struct graph_exec *);
/* The mark is done when all before it in the stream is; what comes next waits for the mark. */
enum status queue_mark(struct stream *, struct mark *);
enum status queue_wait(struct stream *, struct mark *);
/* Runs what there is to run, or until the mark is done; nobody waits for it. */
void queue_run_all(struct device_simulated *);
void queue_run_until(struct device_simulated *, const struct mark *);
/* Returns when the stream has nothing left to do; NULL: the whole device. */
enum status queue_drain(struct device_simulated *, struct stream *);
/* Gives up the stream's work. */
void queue_clear(struct stream *);

#endif
