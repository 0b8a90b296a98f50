/* runtime_copy.c - runs copies: checks their ranges, and gives each row to the device.
 *
 * Where memory is decides how: uploads, downloads and copies of a device, or the host's memmove()
 * after the work before it. Pageable memory is read before the call returns, and pinned memory
 * when the copy's turn comes, as in CUDA. The calls of the API are in runtime_copy_api.c.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* --- checks --- */

static size_t extent(const struct copy_work *c, size_t pitch, size_t slice)
{
	return (c->depth - 1) * slice + (c->height - 1) * pitch + c->width;
}

static bool on_device(const struct allocation *a)
{
	return a && (a->kind == PLACE_DEVICE || a->kind == PLACE_VARIABLE
		     || a->kind == PLACE_ARRAY);
}

/* With unified addressing an address tells where memory is. The kind of a copy can only be wrong
 * where it says that pageable memory of the host is the device's: `device`. */
static bool side_fits(const struct allocation *a, bool device)
{
	return a || !device;
}

static bool in_range(const struct allocation *a, const char *pointer, size_t bytes)
{
	return !a || bytes <= a->bytes - ((uint64_t)(uintptr_t)pointer - a->address);
}

cudaError_t copy_check(const struct copy_work *c)
{
	const struct allocation *to, *from;

	if (c->width == 0 || c->height == 0 || c->depth == 0)
		return cudaSuccess;
	if (c->kind < cudaMemcpyHostToHost || c->kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!c->to || !c->from)
		return cudaErrorInvalidValue;
	to = address_find(c->to);
	from = address_find(c->from);
	if (c->kind != cudaMemcpyDefault
	    && (!side_fits(to, c->kind == cudaMemcpyHostToDevice
			   || c->kind == cudaMemcpyDeviceToDevice)
		|| !side_fits(from, c->kind == cudaMemcpyDeviceToHost
			      || c->kind == cudaMemcpyDeviceToDevice)))
		return cudaErrorInvalidValue;
	if (!in_range(to, c->to, extent(c, c->to_pitch, c->to_slice))
	    || !in_range(from, c->from, extent(c, c->from_pitch, c->from_slice)))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static bool between_devices(const struct allocation *to, const struct allocation *from)
{
	return on_device(to) && on_device(from) && to->device != from->device;
}

bool copy_is_hosted(const struct copy_work *c)
{
	const struct allocation *to = address_find(c->to), *from = address_find(c->from);

	return (!on_device(to) && !on_device(from)) || between_devices(to, from);
}

/* --- rows --- */

struct route {
	struct runtime_device *device;
	struct stream *stream;
	const struct allocation *to, *from;
	bool captured, waited;
};

static uint64_t offset_in(const struct allocation *a, const char *pointer)
{
	return (uint64_t)(uintptr_t)pointer - a->address;
}

/* With memory of another device than the stream's: in the order of the stream, but by the other
 * device. */
static enum status foreign_row(const struct route *r, char *to, const char *from, size_t bytes)
{
	TRY(device_sync(r->device->device, r->stream));
	if (on_device(r->to))
		return device_upload(r->to->device->device, NULL, r->to->buffer,
				     offset_in(r->to, to), from, bytes);
	return device_download(r->from->device->device, NULL, r->from->buffer,
			       offset_in(r->from, from), to, bytes);
}

static enum status upload_row(const struct route *r, char *to, const char *from, size_t bytes)
{
	bool later = !r->captured && !r->from && !r->waited && runtime_capture_active(r->device);

	/* A capture elsewhere may forbid to wait for pageable memory. */
	if (later)
		from = runtime_keep(memcpy(xmalloc(bytes), from, bytes));
	if (later || r->captured || (r->from && !r->waited))
		return device_upload_async(r->device->device, r->stream, r->to->buffer,
					   offset_in(r->to, to), from, bytes);
	return pointers_upload(r->device, r->stream, r->to->buffer, offset_in(r->to, to), from,
			       bytes);
}

static enum status download_row(const struct route *r, char *to, const char *from, size_t bytes)
{
	if (r->captured || (!r->waited && (r->to || runtime_capture_active(r->device))))
		return device_download_async(r->device->device, r->stream, r->from->buffer,
					     offset_in(r->from, from), to, bytes);
	return device_download(r->device->device, r->stream, r->from->buffer,
			       offset_in(r->from, from), to, bytes);
}

/* Through the host, for ranges that overlap, and between devices. */
static enum status bounce_row(const struct route *r, char *to, const char *from, size_t bytes)
{
	struct stream *from_stream = r->from->device == r->device ? r->stream : NULL;
	struct stream *to_stream = r->to->device == r->device ? r->stream : NULL;
	void *middle = xmalloc(bytes);
	enum status status = device_sync(r->device->device, r->stream);

	if (status == STATUS_OK)
		status = device_download(r->from->device->device, from_stream, r->from->buffer,
					 offset_in(r->from, from), middle, bytes);
	if (status == STATUS_OK)
		status = device_upload(r->to->device->device, to_stream, r->to->buffer,
				       offset_in(r->to, to), middle, bytes);
	free(middle);
	return status;
}

static enum status device_row(const struct route *r, char *to, const char *from, size_t bytes)
{
	if (to == from)
		return STATUS_OK;
	if (r->to->device != r->from->device
	    || (!r->captured && to < from + bytes && from < to + bytes))
		return bounce_row(r, to, from, bytes);
	return device_copy(r->device->device, r->stream, r->to->buffer, offset_in(r->to, to),
			   r->from->buffer, offset_in(r->from, from), bytes);
}

static enum status copy_row(const struct route *r, char *to, const char *from, size_t bytes)
{
	if (on_device(r->to) && on_device(r->from))
		return device_row(r, to, from, bytes);
	if ((on_device(r->to) && r->to->device != r->device)
	    || (on_device(r->from) && r->from->device != r->device))
		return foreign_row(r, to, from, bytes);
	if (on_device(r->to))
		return upload_row(r, to, from, bytes);
	if (on_device(r->from))
		return download_row(r, to, from, bytes);
	memmove(to, from, bytes);
	return STATUS_OK;
}

/* Rows and slices that follow each other without a gap become one. */
static struct copy_work merge(struct copy_work c)
{
	if (c.height > 1 && c.to_pitch == c.width && c.from_pitch == c.width) {
		c.width *= c.height;
		c.height = 1;
	}
	if (c.depth > 1 && c.height == 1 && c.to_slice == c.width && c.from_slice == c.width) {
		c.width *= c.depth;
		c.depth = 1;
	}
	return c;
}

static enum status copy_rows(const struct route *r, const struct copy_work *c)
{
	for (size_t z = 0; z < c->depth; z++)
		for (size_t y = 0; y < c->height; y++)
			TRY(copy_row(r, c->to + z * c->to_slice + y * c->to_pitch,
				     c->from + z * c->from_slice + y * c->from_pitch, c->width));
	return STATUS_OK;
}

/* No capture of another stream forbids cudaMemcpy() to wait. */
static enum status copy_waited(const struct route *r, const struct copy_work *c)
{
	struct error_record record;
	enum status status;

	if (!runtime_capture_active(r->device))
		return copy_rows(r, c);
	TRY(device_capture_relax(r->device->device, true));
	status = copy_rows(r, c);
	error_save(&record);
	TRY(device_capture_relax(r->device->device, runtime_capture_relaxed()));
	error_restore(&record);
	return status;
}

cudaError_t copy_run(struct runtime_device *d, struct stream *stream, const struct copy_work *work,
		     bool captured)
{
	struct copy_work c = merge(*work);
	struct allocation *to = address_find(c.to);
	struct route r = {
		.device = d, .stream = stream, .to = to, .from = address_find(c.from),
		.captured = captured, .waited = c.waited,
	};

	if (c.width == 0 || c.height == 0 || c.depth == 0)
		return cudaSuccess;
	if (copy_is_hosted(&c))
		TRY_DEVICE(d, device_sync(d->device, stream));
	/* A graph may outlive the memory of its copies. */
	TRY_CUDA(copy_check(&c));
	TRY_DEVICE(d, c.waited && !captured ? copy_waited(&r, &c) : copy_rows(&r, &c));
	if (to)
		to->touched = true;
	return cudaSuccess;
}
