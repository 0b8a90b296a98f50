/* device.c - the checks every device shares, then the call through its table.
 *
 * Rejects a null pointer, a byte range outside a buffer, a buffer of another device, and an
 * operation that the device does not have: each is a USAGE error with the values, before the device
 * is called. Devices check limits and report faults themselves, as CUDA does. Launches and graphs
 * are in device_launch.c, the list of devices in device_list.c. Used by the attention paths, replay
 * and users' launches.
 */
#include "engine/device.h"

#include "base/xalloc.h"
#include "engine/device_check.h"

/* --- checks --- */

enum status check_op(const struct device *device, bool present, const char *what)
{
	if (!device)
		return fail(STATUS_USAGE, "%s: no device", what);
	if (!present)
		return fail(STATUS_USAGE, "%s: the %s device does not have this operation",
			    what, device->ops->name);
	return STATUS_OK;
}

enum status check_given(const void *object, const char *what, const char *missing)
{
	return object ? STATUS_OK : fail(STATUS_USAGE, "%s: no %s", what, missing);
}

/* A buffer belongs to the device that allocated it. One allocated through a recorder belongs to the
 * device that the recorder wraps. */
static bool owns(const struct device *device, const struct buffer *buffer)
{
	for (; device; device = device->inner)
		if (buffer->device == device)
			return true;
	return false;
}

static enum status check_buffer(const struct device *device, const struct buffer *buffer,
				const char *what)
{
	if (!buffer)
		return fail(STATUS_USAGE, "%s: no buffer", what);
	if (!owns(device, buffer))
		return fail(STATUS_USAGE, "%s: buffer %s belongs to device %s %d, not to %s %d",
			    what, buffer->name, buffer->device->ops->name, buffer->device->ordinal,
			    device->ops->name, device->ordinal);
	return STATUS_OK;
}

static enum status check_range(const struct device *device, const struct buffer *buffer,
			       uint64_t offset, uint64_t bytes, const char *what)
{
	TRY(check_buffer(device, buffer, what));
	if (offset > buffer->bytes || bytes > buffer->bytes - offset)
		return fail(STATUS_USAGE, "%s: %llu bytes at offset %llu of buffer %s, which has "
			    "%zu bytes", what, (unsigned long long)bytes,
			    (unsigned long long)offset, buffer->name, buffer->bytes);
	return STATUS_OK;
}

static enum status check_host(const void *memory, size_t bytes, const char *what)
{
	if (!memory && bytes > 0)
		return fail(STATUS_USAGE, "%s: no host memory for %zu bytes", what, bytes);
	return STATUS_OK;
}

enum status check_pointer(const struct device *device, const struct buffer *buffer,
			  uint64_t offset, const char *what)
{
	if (!buffer)
		return STATUS_OK;
	return check_range(device, buffer, offset, 0, what);
}

/* --- devices --- */

void device_close(struct device *device)
{
	if (device)
		device->ops->close(device);
}

enum status device_info(struct device *device, struct device_info *out)
{
	CHECK_OP(device, info);
	return device->ops->info(device, out);
}

enum status device_attribute(struct device *device, int attribute, int *out)
{
	CHECK_OP(device, attribute);
	return device->ops->attribute(device, attribute, out);
}

enum status device_set_heap(struct device *device, size_t bytes, bool reset)
{
	CHECK_OP(device, set_heap);
	return device->ops->set_heap(device, bytes, reset);
}

enum status device_function(struct device *device, const struct kernel *kernel,
			    struct function_info *out)
{
	CHECK_OP(device, function);
	TRY(check_given(kernel, "function", "kernel"));
	return device->ops->function(device, kernel, out);
}

/* --- memory --- */

size_t buffer_spec_bytes(const struct buffer_spec *spec)
{
	size_t bytes = dtype_bytes(spec->dtype);

	for (int i = 0; i < spec->rank; i++)
		if (__builtin_mul_overflow(bytes, (size_t)spec->shape[i], &bytes))
			return SIZE_MAX;
	return bytes;
}

static enum status check_spec(const struct buffer_spec *spec)
{
	if (!spec || !spec->name)
		return fail(STATUS_USAGE, "alloc: a buffer needs a name");
	if ((unsigned)spec->dtype >= DTYPE_COUNT)
		return fail(STATUS_USAGE, "alloc %s: unknown dtype %d", spec->name,
			    (int)spec->dtype);
	if (spec->rank < 0 || spec->rank > MAX_RANK)
		return fail(STATUS_USAGE, "alloc %s: expected a rank of 0 to %d, got %d",
			    spec->name, MAX_RANK, spec->rank);
	for (int i = 0; i < spec->rank; i++)
		if (spec->shape[i] < 0)
			return fail(STATUS_USAGE, "alloc %s: expected dimension %d to be 0 or "
				    "more, got %lld", spec->name, i, (long long)spec->shape[i]);
	if (buffer_spec_bytes(spec) == SIZE_MAX)
		return fail(STATUS_USAGE, "alloc %s: the size does not fit in 64 bits", spec->name);
	return STATUS_OK;
}

enum status device_alloc(struct device *device, const struct buffer_spec *spec, struct buffer **out)
{
	CHECK_OP(device, alloc);
	TRY(check_spec(spec));
	return device->ops->alloc(device, spec, out);
}

enum status device_alloc_managed(struct device *device, const struct buffer_spec *spec,
				 struct buffer **out)
{
	CHECK_OP(device, alloc_managed);
	TRY(check_spec(spec));
	return device->ops->alloc_managed(device, spec, out);
}

enum status device_alloc_variable(struct device *device, const struct buffer_spec *spec,
				  const struct kernel_variable *variable, struct buffer **out)
{
	CHECK_OP(device, alloc_variable);
	TRY(check_spec(spec));
	return device->ops->alloc_variable(device, spec, variable, out);
}

enum status device_free(struct device *device, struct buffer *buffer)
{
	CHECK_OP(device, free);
	if (buffer)
		TRY(check_buffer(device, buffer, "free"));
	return device->ops->free(device, buffer);
}

enum status device_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			  uint64_t offset, const void *source, size_t bytes)
{
	CHECK_OP(device, upload);
	TRY(check_range(device, buffer, offset, bytes, "upload"));
	TRY(check_host(source, bytes, "upload"));
	if (bytes == 0)
		return STATUS_OK;
	return device->ops->upload(device, stream, buffer, offset, source, bytes);
}

uint64_t *pointer_addresses(const struct pointer_entry *entries, size_t count)
{
	uint64_t *addresses = xcalloc(count, sizeof *addresses);

	for (size_t i = 0; i < count; i++)
		if (entries[i].buffer)
			addresses[i] = entries[i].buffer->address + entries[i].offset;
	return addresses;
}

enum status device_upload_pointers(struct device *device, struct stream *stream,
				   struct buffer *buffer, uint64_t offset,
				   const struct pointer_entry *entries, size_t count)
{
	size_t bytes;

	CHECK_OP(device, upload_pointers);
	if (__builtin_mul_overflow(count, sizeof(uint64_t), &bytes)
	    || offset % sizeof(uint64_t) != 0)
		return fail(STATUS_USAGE, "upload_pointers: %zu pointers at offset %llu, which "
			    "must be a multiple of 8", count, (unsigned long long)offset);
	TRY(check_range(device, buffer, offset, bytes, "upload_pointers"));
	TRY(check_host(entries, bytes, "upload_pointers"));
	for (size_t i = 0; i < count; i++)
		TRY(check_pointer(device, entries[i].buffer, entries[i].offset, "upload_pointers"));
	if (count == 0)
		return STATUS_OK;
	return device->ops->upload_pointers(device, stream, buffer, offset, entries, count);
}

enum status device_download(struct device *device, struct stream *stream,
			    const struct buffer *buffer, uint64_t offset, void *destination,
			    size_t bytes)
{
	CHECK_OP(device, download);
	TRY(check_range(device, buffer, offset, bytes, "download"));
	TRY(check_host(destination, bytes, "download"));
	if (bytes == 0)
		return STATUS_OK;
	return device->ops->download(device, stream, buffer, offset, destination, bytes);
}

enum status device_upload_async(struct device *device, struct stream *stream,
				struct buffer *buffer, uint64_t offset, const void *source,
				size_t bytes)
{
	CHECK_OP(device, upload_async);
	TRY(check_range(device, buffer, offset, bytes, "upload_async"));
	TRY(check_host(source, bytes, "upload_async"));
	if (bytes == 0)
		return STATUS_OK;
	return device->ops->upload_async(device, stream, buffer, offset, source, bytes);
}

enum status device_download_async(struct device *device, struct stream *stream,
				  const struct buffer *buffer, uint64_t offset, void *destination,
				  size_t bytes)
{
	CHECK_OP(device, download_async);
	TRY(check_range(device, buffer, offset, bytes, "download_async"));
	TRY(check_host(destination, bytes, "download_async"));
	if (bytes == 0)
		return STATUS_OK;
	return device->ops->download_async(device, stream, buffer, offset, destination, bytes);
}

enum status check_copy(const struct device *device, const struct buffer *to, uint64_t to_offset,
		       const struct buffer *from, uint64_t from_offset, size_t bytes)
{
	TRY(check_range(device, to, to_offset, bytes, "copy to"));
	TRY(check_range(device, from, from_offset, bytes, "copy from"));
	if (to == from && to_offset < from_offset + bytes && from_offset < to_offset + bytes)
		return fail(STATUS_USAGE, "copy: %zu bytes of buffer %s at offsets %llu and %llu "
			    "overlap", bytes, to->name, (unsigned long long)from_offset,
			    (unsigned long long)to_offset);
	return STATUS_OK;
}

enum status device_copy(struct device *device, struct stream *stream, struct buffer *to,
			uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			size_t bytes)
{
	CHECK_OP(device, copy);
	TRY(check_copy(device, to, to_offset, from, from_offset, bytes));
	if (bytes == 0)
		return STATUS_OK;
	return device->ops->copy(device, stream, to, to_offset, from, from_offset, bytes);
}

enum status device_fill(struct device *device, struct stream *stream, struct buffer *buffer,
			uint64_t offset, uint32_t pattern, size_t words)
{
	size_t bytes;

	CHECK_OP(device, fill);
	if (__builtin_mul_overflow(words, sizeof(uint32_t), &bytes)
	    || offset % sizeof(uint32_t) != 0)
		return fail(STATUS_USAGE, "fill: %zu words at offset %llu, which must be a "
			    "multiple of 4", words, (unsigned long long)offset);
	TRY(check_range(device, buffer, offset, bytes, "fill"));
	if (words == 0)
		return STATUS_OK;
	return device->ops->fill(device, stream, buffer, offset, pattern, words);
}

enum status device_sync(struct device *device, struct stream *stream)
{
	CHECK_OP(device, sync);
	return device->ops->sync(device, stream);
}

/* --- steps: only recorders use them --- */

enum status device_step_begin(struct device *device, int64_t step)
{
	TRY(check_op(device, true, "step_begin"));
	return device->ops->recorder ? device->ops->recorder->step_begin(device, step) : STATUS_OK;
}

enum status device_step_end(struct device *device)
{
	TRY(check_op(device, true, "step_end"));
	return device->ops->recorder ? device->ops->recorder->step_end(device) : STATUS_OK;
}

/* --- streams and events --- */

enum status device_stream_create(struct device *device, struct stream **out)
{
	CHECK_OP(device, stream_create);
	return device->ops->stream_create(device, out);
}

enum status device_stream_destroy(struct device *device, struct stream *stream)
{
	CHECK_OP(device, stream_destroy);
	TRY(check_given(stream, "stream_destroy", "stream"));
	return device->ops->stream_destroy(device, stream);
}

enum status device_event_create(struct device *device, struct event **out)
{
	CHECK_OP(device, event_create);
	return device->ops->event_create(device, out);
}

enum status device_event_destroy(struct device *device, struct event *event)
{
	CHECK_OP(device, event_destroy);
	TRY(check_given(event, "event_destroy", "event"));
	return device->ops->event_destroy(device, event);
}

enum status device_event_record(struct device *device, struct event *event, struct stream *stream)
{
	CHECK_OP(device, event_record);
	TRY(check_given(event, "event_record", "event"));
	return device->ops->event_record(device, event, stream);
}

enum status device_event_wait(struct device *device, struct stream *stream, struct event *event)
{
	CHECK_OP(device, event_wait);
	TRY(check_given(event, "event_wait", "event"));
	return device->ops->event_wait(device, stream, event);
}

enum status device_event_sync(struct device *device, struct event *event)
{
	CHECK_OP(device, event_sync);
	TRY(check_given(event, "event_sync", "event"));
	return device->ops->event_sync(device, event);
}

enum status device_event_elapsed(struct device *device, struct event *from, struct event *to,
				 double *us)
{
	CHECK_OP(device, event_elapsed);
	TRY(check_given(from, "event_elapsed", "first event"));
	TRY(check_given(to, "event_elapsed", "second event"));
	return device->ops->event_elapsed(device, from, to, us);
}
