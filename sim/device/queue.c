/* queue.c - work queued in streams, and which stream runs next.
 *
 * A wait can only be for a record that was submitted before it, so some head can always run until
 * all streams are empty. capture.c handles captures, graph.c the nodes of a graph.
 */
#include "config.h"

#include "sim/device/queue.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/check/check.h"
#include "sim/device/graph.h"
#include "sim/device/task.h"

struct entry {
	struct entry *next;
	struct task *task;              /* task or exec is set, or neither for marks only */
	struct graph_exec *exec;
	bool *done;                     /* nodes of exec */
	struct mark *after;             /* must be done before this runs; NULL: none */
	struct mark *mark;              /* done when the entry is; NULL: unused */
	uint64_t op;                    /* if checked: operation number, of the first node */
};

/* --- entries --- */

static void entry_free(struct entry *entry)
{
	if (entry->task)
		task_drop(entry->task);
	if (entry->exec)
		graph_exec_drop(entry->exec);
	mark_drop(entry->after);
	mark_drop(entry->mark);
	free(entry->done);
	free(entry);
}

static bool runnable(const struct stream *stream)
{
	return stream->head && !stream->stalled
		&& (!stream->head->after || stream->head->after->done);
}

static enum status run_task(struct device_simulated *sim, const struct task *task, uint64_t op)
{
	enum status status;

	if (!sim->check)
		return task_run(sim, task);
	check_op_begin(sim->check, op);
	status = task_run(sim, task);
	check_op_end(sim->check, op);
	return status;
}

/* Runs the whole entry, or one node of its graph. *done: the entry is complete. */
static enum status entry_run(struct device_simulated *sim, struct entry *entry, bool *done)
{
	int node;

	*done = true;
	if (entry->task)
		return run_task(sim, entry->task, entry->op);
	if (!entry->exec)
		return STATUS_OK;
	node = graph_exec_next(entry->exec, entry->done);
	if (node < 0)
		return STATUS_OK;
	*done = false;
	entry->done[node] = true;
	return run_task(sim, entry->exec->nodes[node].task, entry->op + (uint64_t)node);
}

static void pop(struct stream *stream)
{
	struct entry *entry = stream->head;

	stream->head = entry->next;
	if (!stream->head)
		stream->tail = &stream->head;
	if (entry->mark)
		entry->mark->done = true;
	entry_free(entry);
}

/* Drops all work: after a fault nothing runs. */
static void forget_work(struct device_simulated *sim)
{
	for (struct stream *s = sim->streams; s; s = s->next)
		queue_clear(s);
}

/* --- which stream runs next --- */

static enum status run_head(struct stream *stream)
{
	struct device_simulated *sim = stream->sim;
	const struct task *task = stream->head->task;
	enum status status;
	bool done;

	stream->stalled = task && !sim->host_waits && task_waits_for_host(sim, task);
	if (stream->stalled)
		return STATUS_OK;
	status = entry_run(sim, stream->head, &done);
	if (status != STATUS_OK) {
		forget_work(sim);
		return status;
	}
	if (done)
		pop(stream);
	if (stream->destroyed && !stream->head)
		stream_free(stream);
	return STATUS_OK;
}

/* A random stream whose head may run, all equally likely; NULL when all streams are empty. */
static struct stream *draw_stream(struct device_simulated *sim)
{
	struct stream *s = sim->streams;
	uint32_t count = 0;

	for (; s; s = s->next)
		count += runnable(s);
	if (count == 0)
		return NULL;
	count = simulated_draw(sim, count) + 1;
	for (s = sim->streams; ; s = s->next)
		if (runnable(s) && --count == 0)
			return s;
}

/* Runs one head; false when there is none. Errors are kept by the device. */
static bool run_one(struct device_simulated *sim)
{
	struct stream *stream = draw_stream(sim);

	if (!stream)
		return false;
	run_head(stream);
	return true;
}

/* Orders the entry after the stream's earlier work, and the stream's next work after the entry. */
static void order_entry(struct stream *stream, struct entry *entry)
{
	struct check *check = stream->sim->check;

	if (!check)
		return;
	clock_join(&stream->order, check_host_clock(check));
	if (entry->after)
		clock_join(&stream->order, entry->after->order);
	if (entry->task) {
		entry->op = check_op_new(check, &stream->order, stream->number);
		if (stream->last_launched && task_may_overlap(entry->task))
			check_op_overlaps(check, entry->op, stream->last_op);
	}
	stream->last_launched = entry->task && task_is_launch(entry->task);
	stream->last_op = entry->op;
	if (entry->exec)
		entry->op = graph_exec_order(entry->exec, &stream->order, stream->number);
	if (entry->mark)
		clock_join(&entry->mark->order, stream->order);
}

static enum status submit(struct stream *stream, struct entry entry)
{
	struct device_simulated *sim = stream->sim;
	struct entry *last = xmalloc(sizeof *last);

	order_entry(stream, &entry);
	*last = entry;
	*stream->tail = last;
	stream->tail = &last->next;
	if (sim->seed == 0) {
		while (runnable(stream))
			TRY(run_head(stream));
		return STATUS_OK;
	}
	while (simulated_draw(sim, 2) == 0 && run_one(sim))
		;
	return STATUS_OK;
}

enum status queue_task(struct stream *stream, struct task *task)
{
	enum status status;

	if (!stream->sim->observing)
		return submit(stream, (struct entry){ .task = task });
	status = task_run(stream->sim, task);
	task_drop(task);
	return status;
}

enum status queue_graph(struct stream *stream, struct graph_exec *exec)
{
	struct entry entry = {
		.exec = exec, .done = xcalloc((size_t)exec->count + 1, sizeof *entry.done),
		.after = mark_keep(exec->last),
	};

	exec->references++;
	entry.mark = mark_keep(mark_renew(&exec->last));
	return submit(stream, entry);
}

/* --- the host waits --- */

static void begin_wait(struct device_simulated *sim)
{
	sim->host_waits = true;
	for (struct stream *s = sim->streams; s; s = s->next)
		s->stalled = false;
}

void queue_run_all(struct device_simulated *sim)
{
	begin_wait(sim);
	while (run_one(sim))
		;
	sim->host_waits = false;
}

enum status queue_drain(struct device_simulated *sim, struct stream *stream)
{
	if (sim->observing)
		return STATUS_OK;
	begin_wait(sim);
	while (stream ? stream->head && run_one(sim) : run_one(sim))
		;
	sim->host_waits = false;
	if (sim->check && stream)
		check_host_waited(sim->check, stream->order);
	else if (sim->check)
		check_host_waited_for_all(sim->check);
	return simulated_check_alive(sim);
}

enum status queue_mark(struct stream *stream, struct mark *mark)
{
	return submit(stream, (struct entry){ .mark = mark_keep(mark) });
}

enum status queue_wait(struct stream *stream, struct mark *mark)
{
	return submit(stream, (struct entry){ .after = mark_keep(mark) });
}

void queue_settle(struct device_simulated *sim, struct stream *stream)
{
	while (stream->head && run_one(sim))
		;
	if (sim->check && !stream->head)
		check_host_waited(sim->check, stream->order);
}

void queue_run_until(struct device_simulated *sim, const struct mark *mark)
{
	begin_wait(sim);
	while (!mark->done && run_one(sim))
		;
	sim->host_waits = false;
}

void queue_clear(struct stream *stream)
{
	while (stream->head)
		pop(stream);
}
