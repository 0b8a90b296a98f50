/* cuda_stream.c - streams and events on the GPU, which wrap those of the driver.
 *
 * Everything created here is owned by its device; device_close() releases what is left. Capture and
 * graphs are in cuda_graph.c. Used by the table in device_cuda.c.
 */
#include "config.h"

#include "engine/cuda/device_cuda.h"

#include "base/xalloc.h"

struct event {
	struct owned owned;
	CUevent handle;
};

/* --- streams --- */

static CUresult stream_release(const struct cuda_driver *cu, struct owned *owned)
{
	return cu->StreamDestroy(((struct stream *)owned)->handle);
}

enum status cuda_stream(struct cuda_device *d, struct stream *stream, CUstream *out)
{
	*out = stream ? stream->handle : d->default_stream.handle;
	if (stream && stream->device != d)
		return fail(STATUS_USAGE, "a stream of cuda:%d was used on cuda:%d",
			    stream->device->base.ordinal, d->base.ordinal);
	return STATUS_OK;
}

enum status cuda_stream_create(struct device *device, struct stream **out)
{
	struct cuda_device *d = cuda_device(device);
	struct stream *stream;
	CUstream handle;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->StreamCreate(&handle, CU_STREAM_NON_BLOCKING),
		       "creating a stream"));
	stream = xcalloc(1, sizeof *stream);
	stream->device = d;
	stream->handle = handle;
	cuda_own(d, &stream->owned, stream_release);
	*out = stream;
	return STATUS_OK;
}

enum status cuda_stream_destroy(struct device *device, struct stream *stream)
{
	return cuda_destroy(cuda_device(device), &stream->owned, "a stream");
}

enum status cuda_sync(struct device *device, struct stream *stream)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	if (!stream)
		return cuda_check(d, d->cu->CtxSynchronize(), "waiting for the device");
	return cuda_check(d, d->cu->StreamSynchronize(on), "waiting for a stream");
}

/* --- events --- */

static CUresult event_release(const struct cuda_driver *cu, struct owned *owned)
{
	return cu->EventDestroy(((struct event *)owned)->handle);
}

enum status cuda_event_create(struct device *device, struct event **out)
{
	struct cuda_device *d = cuda_device(device);
	struct event *event;
	CUevent handle;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->EventCreate(&handle, CU_EVENT_DEFAULT), "creating an event"));
	event = xcalloc(1, sizeof *event);
	event->handle = handle;
	cuda_own(d, &event->owned, event_release);
	*out = event;
	return STATUS_OK;
}

enum status cuda_event_destroy(struct device *device, struct event *event)
{
	return cuda_destroy(cuda_device(device), &event->owned, "an event");
}

enum status cuda_event_record(struct device *device, struct event *event, struct stream *stream)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->EventRecord(event->handle, on), "recording an event");
}

enum status cuda_event_wait(struct device *device, struct stream *stream, struct event *event)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->StreamWaitEvent(on, event->handle, CU_EVENT_WAIT_DEFAULT),
			  "making a stream wait for an event");
}

enum status cuda_event_sync(struct device *device, struct event *event)
{
	struct cuda_device *d = cuda_device(device);

	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->EventSynchronize(event->handle), "waiting for an event");
}

enum status cuda_event_elapsed(struct device *device, struct event *from, struct event *to,
			       double *us)
{
	struct cuda_device *d = cuda_device(device);
	float ms;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->EventElapsedTime(&ms, from->handle, to->handle),
		       "measuring between two events"));
	*us = 1e3 * (double)ms;
	return STATUS_OK;
}
