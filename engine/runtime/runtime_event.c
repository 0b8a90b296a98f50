/* runtime_event.c - events. Without a clock on the device, times are those of the host.
 *
 * A query waits, as that of a stream does (runtime_stream.c).
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "engine/runtime/runtime_graph.h"

cudaError_t runtime_event(cudaEvent_t handle, struct CUevent_st **out)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	for (int i = 0; handle && i < runtime.device_count; i++)
		for (struct CUevent_st *e = runtime.devices[i].events; e; e = e->next)
			if (e == handle) {
				*out = e;
				return (cudaError_t)e->device->sticky;
			}
	return cudaErrorInvalidResourceHandle;
}

static cudaError_t create(cudaEvent_t *out, unsigned flags)
{
	struct runtime_device *d;
	struct event *event;
	struct CUevent_st *e;

	TRY_CUDA(runtime_live(&d));
	if (!out || flags > (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)
	    || ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
		return cudaErrorInvalidValue;
	TRY_DEVICE(d, device_event_create(d->device, &event));
	e = xcalloc(1, sizeof *e);
	e->device = d;
	e->event = event;
	e->flags = flags;
	e->next = d->events;
	d->events = e;
	*out = e;
	return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return API(create(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
	return API(create(event, flags));
}

static cudaError_t destroy(cudaEvent_t handle)
{
	struct CUevent_st *e, **link;

	TRY_CUDA(runtime_event(handle, &e));
	TRY_DEVICE(e->device, device_event_destroy(e->device->device, e->event));
	link = &e->device->events;
	while (*link != e)
		link = &(*link)->next;
	*link = e->next;
	free(e->ends);
	free(e);
	return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	return API(destroy(event));
}

/* A node that records the event in each launch of the graph. */
static cudaError_t record_external(struct CUstream_st *s, struct CUevent_st *e)
{
	const struct work work = { .kind = WORK_RECORD, .event = e };

	return s->capture ? work_submit(s, &work) : cudaErrorIllegalState;
}

static cudaError_t record(cudaEvent_t handle, cudaStream_t stream, unsigned flags)
{
	struct CUstream_st *s;
	struct CUevent_st *e;

	TRY_CUDA(runtime_stream(stream, &s));
	TRY_CUDA(runtime_event(handle, &e));
	if (flags > cudaEventRecordExternal)
		return cudaErrorInvalidValue;
	if (s->device != e->device)
		return cudaErrorInvalidResourceHandle;
	if (flags == cudaEventRecordExternal)
		return record_external(s, e);
	TRY_CUDA(order_before(s, false));
	TRY_DEVICE(s->device, device_event_record(s->device->device, e->event, s->stream));
	e->recorded = true;
	e->ns = clock_ns();
	runtime_capture_record(s, e);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return API(record(event, stream, cudaEventRecordDefault));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
	return API(record(event, stream, flags));
}

static cudaError_t wait_for(cudaEvent_t handle)
{
	struct CUevent_st *e;

	TRY_CUDA(runtime_event(handle, &e));
	if (!e->recorded)
		return cudaSuccess;
	TRY_DEVICE(e->device, device_event_sync(e->device->device, e->event));
	memory_host_turn();
	return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return API(wait_for(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return API(wait_for(event));
}

static cudaError_t elapsed(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	struct CUevent_st *from, *to;
	double us;

	TRY_CUDA(runtime_event(start, &from));
	TRY_CUDA(runtime_event(end, &to));
	if (!ms)
		return cudaErrorInvalidValue;
	if (from->device != to->device || ((from->flags | to->flags) & cudaEventDisableTiming))
		return cudaErrorInvalidResourceHandle;
	TRY_DEVICE(from->device, device_event_elapsed(from->device->device, from->event, to->event,
						      &us));
	*ms = us < 0.0 ? (float)(1e-6 * (double)(to->ns - from->ns)) : (float)(1e-3 * us);
	return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	return API(elapsed(ms, start, end));
}
