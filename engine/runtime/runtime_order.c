/* runtime_order.c - the legacy default stream: its work and that of blocking streams are in order.
 *
 * A device's streams are only ordered by events, so work on the legacy stream first waits for each
 * blocking stream that has had work since, and the other way round. Events are recorded only where
 * a program uses both. Non-blocking streams take no part.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include "engine/runtime/runtime_graph.h"

static bool blocking(const struct CUstream_st *s)
{
	return !(s->flags & cudaStreamNonBlocking);
}

static cudaError_t legacy_after_streams(struct runtime_device *d)
{
	for (struct CUstream_st *s = d->streams; s; s = s->next) {
		if (!blocking(s) || !s->busy || s->capture)
			continue;
		TRY_DEVICE(d, device_event_record(d->device, s->tail, s->stream));
		TRY_DEVICE(d, device_event_wait(d->device, NULL, s->tail));
		s->busy = false;
	}
	return cudaSuccess;
}

static cudaError_t stream_after_legacy(struct runtime_device *d, struct CUstream_st *s)
{
	if (d->legacy_work == s->seen)
		return cudaSuccess;
	if (d->legacy_busy)
		TRY_DEVICE(d, device_event_record(d->device, d->legacy_tail, NULL));
	d->legacy_busy = false;
	TRY_DEVICE(d, device_event_wait(d->device, s->stream, d->legacy_tail));
	s->seen = d->legacy_work;
	return cudaSuccess;
}

cudaError_t order_before(struct CUstream_st *s, bool waited)
{
	struct runtime_device *d = s->device;

	if (s->capture)
		return cudaSuccess;
	if (s == &d->legacy) {
		TRY_CUDA(runtime_capture_check_legacy(d));
		TRY_CUDA(legacy_after_streams(d));
		if (!waited) {
			d->legacy_work++;
			d->legacy_busy = true;
		}
		return cudaSuccess;
	}
	if (!blocking(s))
		return cudaSuccess;
	TRY_CUDA(stream_after_legacy(d, s));
	s->busy |= !waited;
	return cudaSuccess;
}

cudaError_t order_sync(struct CUstream_st *s)
{
	struct runtime_device *d = s->device;

	if (s != &d->legacy || !d->legacy_tail) {
		TRY_CUDA(s == &d->legacy ? runtime_capture_check_legacy(d) : cudaSuccess);
		TRY_DEVICE(d, device_sync(d->device, s->stream));
		graph_memory_waited(d, s);
		return cudaSuccess;
	}
	TRY_CUDA(order_before(s, true));
	TRY_DEVICE(d, device_event_record(d->device, d->legacy_tail, NULL));
	TRY_DEVICE(d, device_event_sync(d->device, d->legacy_tail));
	d->legacy_busy = false;
	graph_memory_waited(d, s);
	return cudaSuccess;
}
