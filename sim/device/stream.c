/* stream.c - queues of work, events between them, and who runs next.
 *
 * A wait can only be for a record that was submitted before it, so some head can always run until
 * all streams are empty. Captures are left to capture.c, the nodes of a graph to graph.c.
 */
#include "config.h"

#include "sim/device/stream.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/check/check_stream.h"
#include "sim/device/capture.h"
#include "sim/device/graph.h"
#include "sim/exec/schedule.h"

struct entry {
	struct entry *next;
	struct task *task;              /* one of task and exec, or neither: only marks count */
	struct graph_exec *exec;
	bool *done;                     /* nodes of exec */
	struct mark *after;             /* runs when that is done; NULL: at once */
	struct mark *mark;              /* is done with the entry; NULL: nobody asks */
	uint64_t op;                    /* of a checked device: its number, or the first node's */
};

uint32_t stream_draw(struct device_simulated *sim, uint32_t below)
{
	sim->random = schedule_mix(sim->random, 0);
	return (uint32_t)((sim->random >> 32) * below >> 32);
}

/* --- marks --- */

static struct mark *mark_keep(struct mark *mark)
{
	if (mark)
		mark->references++;
	return mark;
}

void mark_drop(struct mark *mark)
{
	if (mark && --mark->references == 0) {
		clock_free(&mark->order);
		free(mark);
	}
}

/* *place, which held a reference or NULL, holds one to a new mark. */
static struct mark *mark_renew(struct mark **place)
{
	mark_drop(*place);
	*place = xcalloc(1, sizeof **place);
	(*place)->references = 1;
	return *place;
}

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
	return stream->head && (!stream->head->after || stream->head->after->done);
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

/* The whole entry, or one node of its graph. *done: nothing of it is left. */
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

static void stream_free(struct stream *stream)
{
	struct stream **link = &stream->sim->streams;

	while (stream->head)
		pop(stream);
	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	clock_free(&stream->order);
	free(stream->ends);
	free(stream);
}

/* After a fault nothing runs any more. */
static void forget_work(struct device_simulated *sim)
{
	for (struct stream *s = sim->streams; s; s = s->next)
		while (s->head)
			pop(s);
}

/* --- who runs next --- */

static enum status run_head(struct stream *stream)
{
	struct device_simulated *sim = stream->sim;
	bool done;
	enum status status = entry_run(sim, stream->head, &done);

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

/* One of the heads that may run, all equally likely; NULL when all streams are empty. */
static struct stream *draw_stream(struct device_simulated *sim)
{
	struct stream *s = sim->streams;
	uint32_t count = 0;

	for (; s; s = s->next)
		count += runnable(s);
	if (count == 0)
		return NULL;
	count = stream_draw(sim, count) + 1;
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

/* What comes before the entry, and what comes before the stream's next one. */
static void order_entry(struct stream *stream, struct entry *entry)
{
	struct check *check = stream->sim->check;

	if (!check)
		return;
	clock_join(&stream->order, check_host_clock(check));
	if (entry->after)
		clock_join(&stream->order, &entry->after->order);
	if (entry->task)
		entry->op = check_op_new(check, &stream->order, stream->number);
	if (entry->exec)
		entry->op = graph_exec_order(entry->exec, &stream->order, stream->number);
	if (entry->mark)
		clock_join(&entry->mark->order, &stream->order);
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
		while (stream->head)
			TRY(run_head(stream));
		return STATUS_OK;
	}
	while (stream_draw(sim, 2) == 0 && run_one(sim))
		;
	return STATUS_OK;
}

enum status stream_submit(struct stream *stream, struct task *task)
{
	enum status status;

	if (!stream->sim->observing)
		return submit(stream, (struct entry){ .task = task });
	status = task_run(stream->sim, task);
	task_drop(task);
	return status;
}

enum status stream_submit_graph(struct stream *stream, struct graph_exec *exec)
{
	struct entry entry = {
		.exec = exec, .done = xcalloc((size_t)exec->count + 1, sizeof *entry.done),
		.after = mark_keep(exec->last),
	};

	exec->references++;
	entry.mark = mark_keep(mark_renew(&exec->last));
	return submit(stream, entry);
}

void stream_run_all(struct device_simulated *sim)
{
	while (run_one(sim))
		;
}

enum status stream_drain(struct device_simulated *sim, struct stream *stream)
{
	if (sim->observing)
		return STATUS_OK;
	while (stream ? stream->head && run_one(sim) : run_one(sim))
		;
	if (sim->check)
		check_host_waited(sim->check, stream ? &stream->order : NULL);
	return device_check_alive(sim);
}

/* --- streams --- */

static struct stream *stream_new(struct device_simulated *sim)
{
	struct stream *stream = xcalloc(1, sizeof *stream);

	stream->sim = sim;
	stream->number = sim->stream_count++;
	stream->tail = &stream->head;
	stream->next = sim->streams;
	sim->streams = stream;
	return stream;
}

void streams_open(struct device_simulated *sim)
{
	sim->random = schedule_mix(sim->seed, ~(uint64_t)0);
	stream_new(sim);
}

static void event_free(struct event *event)
{
	mark_drop(event->mark);
	free(event->ends);
	free(event);
}

void streams_close(struct device_simulated *sim)
{
	while (sim->streams)
		stream_free(sim->streams);
	while (sim->events) {
		struct event *next = sim->events->next;

		event_free(sim->events);
		sim->events = next;
	}
}

static struct stream *default_stream(const struct device_simulated *sim)
{
	struct stream *stream = sim->streams;

	while (stream->next)
		stream = stream->next;
	return stream;
}

enum status stream_find(struct device_simulated *sim, struct stream *stream, struct stream **out)
{
	*out = stream ? stream : default_stream(sim);
	if ((*out)->sim != sim)
		return fail(STATUS_USAGE, "a stream of sim:%d was used on sim:%d",
			    stream->sim->base.ordinal, sim->base.ordinal);
	return STATUS_OK;
}

enum status sim_stream_create(struct device *device, struct stream **out)
{
	struct device_simulated *sim = simulated(device);

	TRY(capture_check(sim, OPERATION_stream_create, NULL));
	*out = stream_new(sim);
	return STATUS_OK;
}

/* Its work goes on without it, as on CUDA. */
enum status sim_stream_destroy(struct device *device, struct stream *stream)
{
	struct device_simulated *sim = simulated(device);

	TRY(stream_find(sim, stream, &stream));
	TRY(capture_destroy_stream(stream));
	stream->destroyed = true;
	if (!stream->head)
		stream_free(stream);
	return STATUS_OK;
}

enum status sim_sync(struct device *device, struct stream *stream)
{
	struct device_simulated *sim = simulated(device);

	if (stream)
		TRY(stream_find(sim, stream, &stream));
	TRY(capture_check(sim, stream ? OPERATION_sync : OPERATION_sync_device, stream));
	return stream_drain(sim, stream);
}

/* --- events --- */

static enum status check_event(const struct device_simulated *sim, const struct event *event)
{
	if (event->sim != sim)
		return fail(STATUS_USAGE, "an event of sim:%d was used on sim:%d",
			    event->sim->base.ordinal, sim->base.ordinal);
	return STATUS_OK;
}

enum status sim_event_create(struct device *device, struct event **out)
{
	struct device_simulated *sim = simulated(device);
	struct event *event;

	TRY(capture_check(sim, OPERATION_event_create, NULL));
	event = xcalloc(1, sizeof *event);
	event->sim = sim;
	event->next = sim->events;
	sim->events = event;
	*out = event;
	return STATUS_OK;
}

enum status sim_event_destroy(struct device *device, struct event *event)
{
	struct device_simulated *sim = simulated(device);
	struct event **link = &sim->events;

	TRY(check_event(sim, event));
	TRY(capture_check_event(sim, event, OPERATION_event_destroy,
				OPERATION_captured_event_destroy, OPERATION_event_destroy));
	while (*link != event)
		link = &(*link)->next;
	*link = event->next;
	event_free(event);
	return STATUS_OK;
}

enum status sim_event_record(struct device *device, struct event *event, struct stream *stream)
{
	struct device_simulated *sim = simulated(device);

	TRY(stream_find(sim, stream, &stream));
	TRY(check_event(sim, event));
	TRY(capture_check(sim, OPERATION_event_record, stream));
	event->capture = 0;
	if (stream->capture) {
		capture_record(stream, event);
		return STATUS_OK;
	}
	mark_renew(&event->mark);
	return submit(stream, (struct entry){ .mark = mark_keep(event->mark) });
}

/* For the record that is the last one now: a later one is another matter. */
enum status sim_event_wait(struct device *device, struct stream *stream, struct event *event)
{
	struct device_simulated *sim = simulated(device);
	bool done;

	TRY(stream_find(sim, stream, &stream));
	TRY(check_event(sim, event));
	TRY(capture_check(sim, OPERATION_event_wait, stream));
	TRY(capture_wait(stream, event, &done));
	if (done || !event->mark)
		return STATUS_OK;
	return submit(stream, (struct entry){ .after = mark_keep(event->mark) });
}

enum status sim_event_sync(struct device *device, struct event *event)
{
	struct device_simulated *sim = simulated(device);

	TRY(check_event(sim, event));
	TRY(capture_check_event(sim, event, OPERATION_event_sync,
				OPERATION_captured_event_sync, OPERATION_ended_event_sync));
	if (!sim->observing)
		while (event->mark && !event->mark->done && run_one(sim))
			;
	if (sim->check && event->mark && !sim->observing)
		check_host_waited(sim->check, &event->mark->order);
	return device_check_alive(sim);
}

enum status sim_event_elapsed(struct device *device, struct event *from, struct event *to,
			      double *us)
{
	struct device_simulated *sim = simulated(device);
	struct event *const both[] = { from, to };

	for (int i = 0; i < 2; i++) {
		TRY(check_event(sim, both[i]));
		TRY(capture_check_event(sim, both[i], OPERATION_event_elapsed,
					OPERATION_captured_event_elapsed,
					OPERATION_ended_event_elapsed));
		if (!both[i]->mark)
			return fail_device(400, "event_elapsed: an event that was never recorded");
	}
	for (int i = 0; i < 2; i++)
		if (!both[i]->mark->done)
			return fail_device(600, "event_elapsed: work before an event goes on");
	*us = -1.0;
	return STATUS_OK;
}
