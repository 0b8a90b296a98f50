/* stream_ops.c - the operations on streams and events; queue.c runs the work in them. */
#include "config.h"

#include "sim/device/stream_ops.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/check/check.h"
#include "sim/device/capture.h"
#include "sim/device/queue.h"
#include "sim/exec/mix.h"

/* --- streams --- */

void streams_open(struct device_simulated *sim)
{
	sim->random = mix(sim->seed, ~(uint64_t)0);
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
	while (sim->streams) {
		queue_clear(sim->streams);
		stream_free(sim->streams);
	}
	while (sim->events) {
		struct event *next = sim->events->next;

		event_free(sim->events);
		sim->events = next;
	}
}

enum status sim_stream_create(struct device *device, struct stream **out)
{
	struct device_simulated *sim = simulated(device);

	TRY(capture_check(sim, OPERATION_stream_create, NULL));
	*out = stream_new(sim);
	return STATUS_OK;
}

/* Its work continues to run, as in CUDA. */
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
	return queue_drain(sim, stream);
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
	return queue_mark(stream, mark_renew(&event->mark));
}

/* Waits for the last record so far, not for later ones. */
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
	return queue_wait(stream, event->mark);
}

enum status sim_event_sync(struct device *device, struct event *event)
{
	struct device_simulated *sim = simulated(device);

	TRY(check_event(sim, event));
	TRY(capture_check_event(sim, event, OPERATION_event_sync,
				OPERATION_captured_event_sync, OPERATION_ended_event_sync));
	if (event->mark && !sim->observing) {
		queue_run_until(sim, event->mark);
		if (sim->check)
			check_host_waited(sim->check, event->mark->order);
	}
	return simulated_check_alive(sim);
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
			return fail_device(600, "event_elapsed: an event is not complete");
	*us = -1.0;
	return STATUS_OK;
}
