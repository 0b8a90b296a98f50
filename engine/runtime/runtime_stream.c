/* runtime_stream.c - streams: handles, creation, waiting, host functions.
 *
 * Each stream of the program is one of its device; the legacy stream is the device's default
 * stream. A query waits, because a device cannot be asked, and a program that polls must see the
 * end. A host function is called when the work before it has ended, before later calls return.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/runtime/runtime_graph.h"

#define GREATEST_PRIORITY (-5)

/* Set before main(), which may be before runtime_begin(). */
static bool default_per_thread;

/* --- handles --- */

static cudaError_t stream_new(struct runtime_device *d, unsigned flags, int priority,
			      struct CUstream_st **out)
{
	struct CUstream_st *s;
	struct stream *stream;
	struct event *tail;

	if (!d->legacy_tail)
		TRY_DEVICE(d, device_event_create(d->device, &d->legacy_tail));
	TRY_DEVICE(d, device_stream_create(d->device, &stream));
	TRY_DEVICE(d, device_event_create(d->device, &tail));
	s = xcalloc(1, sizeof *s);
	s->device = d;
	s->stream = stream;
	s->tail = tail;
	s->flags = flags;
	s->priority = priority > 0 ? 0 : priority;
	if (s->priority < GREATEST_PRIORITY)
		s->priority = GREATEST_PRIORITY;
	s->id = ++runtime.ids;
	s->next = d->streams;
	d->streams = s;
	*out = s;
	return cudaSuccess;
}

static cudaError_t per_thread_stream(struct runtime_device *d, struct CUstream_st **out)
{
	for (struct CUstream_st *s = d->streams; s; s = s->next)
		if (s->per_thread && pthread_equal(s->thread, pthread_self())) {
			*out = s;
			return cudaSuccess;
		}
	TRY_CUDA(stream_new(d, cudaStreamDefault, 0, out));
	(*out)->per_thread = true;
	(*out)->thread = pthread_self();
	return cudaSuccess;
}

void ft_default_stream(int per_thread)
{
	default_per_thread = per_thread != 0;
}

cudaError_t runtime_stream(cudaStream_t handle, struct CUstream_st **out)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (handle == cudaStreamPerThread || (!handle && default_per_thread))
		return per_thread_stream(d, out);
	*out = &d->legacy;
	if (!handle || handle == cudaStreamLegacy)
		return cudaSuccess;
	for (int i = 0; i < runtime.device_count; i++)
		for (struct CUstream_st *s = runtime.devices[i].streams; s; s = s->next)
			if (s == handle) {
				*out = s;
				return (cudaError_t)s->device->sticky;
			}
	return cudaErrorInvalidResourceHandle;
}

static void stream_drop(struct CUstream_st *s)
{
	struct CUstream_st **link = &s->device->streams;

	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	free(s->ends);
	free(s);
}

void runtime_streams_close(struct runtime_device *d)
{
	while (d->streams)
		stream_drop(d->streams);
	while (d->events) {
		struct CUevent_st *next = d->events->next;

		free(d->events->ends);
		free(d->events);
		d->events = next;
	}
}

/* --- creation --- */

static cudaError_t create(cudaStream_t *out, unsigned flags, int priority)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!out || flags > cudaStreamNonBlocking)
		return cudaErrorInvalidValue;
	return stream_new(d, flags, priority, out);
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
	return API(create(pStream, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned flags)
{
	return API(create(pStream, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned flags, int priority)
{
	return API(create(pStream, flags, priority));
}

/* Its work still runs, and the legacy stream still waits for it. */
static cudaError_t destroy(cudaStream_t handle)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (s == &s->device->legacy || s->per_thread)
		return cudaErrorInvalidResourceHandle;
	if (s->busy && !s->capture) {
		TRY_DEVICE(s->device, device_event_record(s->device->device, s->tail, s->stream));
		TRY_DEVICE(s->device, device_event_wait(s->device->device, NULL, s->tail));
		s->device->legacy_busy = true;
		s->device->legacy_work++;
	}
	TRY_DEVICE(s->device, device_stream_destroy(s->device->device, s->stream));
	runtime_capture_leave(s);
	TRY_DEVICE(s->device, device_event_destroy(s->device->device, s->tail));
	stream_drop(s);
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	return API(destroy(stream));
}

/* --- queries --- */

static cudaError_t get_priority(cudaStream_t handle, int *out)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (!out)
		return cudaErrorInvalidValue;
	*out = s->priority;
	return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	return API(get_priority(stream, priority));
}

static cudaError_t get_flags(cudaStream_t handle, unsigned *out)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (!out)
		return cudaErrorInvalidValue;
	*out = s->flags;
	return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
	return API(get_flags(stream, flags));
}

static cudaError_t get_id(cudaStream_t handle, unsigned long long *out)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (!out)
		return cudaErrorInvalidValue;
	*out = s->per_thread ? 2 : s->id;
	return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *streamId)
{
	return API(get_id(stream, streamId));
}

static cudaError_t get_device(cudaStream_t handle, int *out)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (!out)
		return cudaErrorInvalidValue;
	*out = s->device->ordinal;
	return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	return API(get_device(stream, device));
}

static cudaError_t priority_range(int *least, int *greatest)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (least)
		*least = 0;
	if (greatest)
		*greatest = GREATEST_PRIORITY;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	return API(priority_range(leastPriority, greatestPriority));
}

/* --- waiting --- */

static cudaError_t wait_for(cudaStream_t handle)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	TRY_CUDA(order_sync(s));
	memory_host_turn();
	return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return API(wait_for(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return API(wait_for(stream));
}

/* A node that waits for the event in each launch of the graph, wherever it was recorded then. */
static cudaError_t wait_external(struct CUstream_st *s, struct CUevent_st *e)
{
	const struct work work = { .kind = WORK_WAIT, .event = e };

	return s->capture ? work_submit(s, &work) : cudaErrorIllegalState;
}

static cudaError_t wait_event(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags)
{
	struct CUstream_st *s;
	struct CUevent_st *e;

	TRY_CUDA(runtime_stream(handle, &s));
	TRY_CUDA(runtime_event(event_handle, &e));
	if (flags > cudaEventWaitExternal)
		return cudaErrorInvalidValue;
	if (flags == cudaEventWaitExternal)
		return wait_external(s, e);
	if (e->device != s->device) {
		if (!e->recorded)
			return cudaSuccess;
		TRY_DEVICE(e->device, device_event_sync(e->device->device, e->event));
		return cudaSuccess;
	}
	TRY_CUDA(runtime_capture_check_wait(s, e));
	TRY_CUDA(order_before(s, false));
	TRY_DEVICE(s->device, device_event_wait(s->device->device, s->stream, e->event));
	runtime_capture_join(s, e);
	return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	return API(wait_event(stream, event, flags));
}

/* --- host functions --- */

static cudaError_t host_function(cudaStream_t handle, cudaHostFn_t fn, void *data)
{
	struct work work = { .kind = WORK_HOST, .host = { fn, data } };
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	if (!fn)
		return cudaErrorInvalidValue;
	return work_submit(s, &work);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
	return API(host_function(stream, fn, userData));
}

static cudaError_t callback(cudaStream_t handle, cudaStreamCallback_t fn, void *data,
			    unsigned flags)
{
	struct CUstream_st *s;
	cudaError_t error;

	TRY_CUDA(runtime_stream(handle, &s));
	if (!fn || flags != 0)
		return cudaErrorInvalidValue;
	if (s->capture) {
		runtime_capture_invalidate(s->capture);
		return cudaErrorStreamCaptureUnsupported;
	}
	error = order_sync(s);
	runtime_host_begin();
	fn(handle, error, data);
	runtime_host_end();
	return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback_fn,
				  void *userData, unsigned flags)
{
	return API(callback(stream, callback_fn, userData, flags));
}
