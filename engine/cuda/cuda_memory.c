/* cuda_memory.c - memory of the GPU: buffers, uploads, downloads, copies and fills.
 *
 * Uploads and downloads wait for their stream; only those named async do not. Host memory is
 * ordinary pageable memory: the driver stages it, and may therefore wait in either case.
 * engine/device.c has checked ranges and owners. Used by the table in device_cuda.c.
 */
#include "config.h"

#include "engine/cuda/device_cuda.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct cuda_buffer {
	struct owned owned;
	struct buffer buffer;
};

static struct cuda_buffer *buffer_of(struct buffer *buffer)
{
	return (struct cuda_buffer *)((char *)buffer - offsetof(struct cuda_buffer, buffer));
}

static CUresult buffer_release(const struct cuda_driver *cu, struct owned *owned)
{
	return cu->MemFree(((struct cuda_buffer *)owned)->buffer.address);
}

/* Rounds up to whole words, and to 1 for an empty buffer: CUDA does not allocate 0 bytes. */
static size_t allocation_words(size_t bytes)
{
	return bytes ? (bytes + 3) / 4 : 1;
}

/* Uses the legacy stream, which is not affected by a capture on our non-blocking streams. */
static enum status poison(struct cuda_device *d, const struct buffer *buffer)
{
	TRY(cuda_check(d, d->cu->MemsetD32(buffer->address, DEVICE_POISON,
					   allocation_words(buffer->bytes)),
		       "filling new buffer %s", buffer->name));
	return cuda_check(d, d->cu->StreamSynchronize(CU_STREAM_LEGACY), "filling new buffer %s",
			  buffer->name);
}

static CUresult variable_release(const struct cuda_driver *cu, struct owned *owned)
{
	(void)cu;
	(void)owned;
	return CUDA_SUCCESS;
}

static struct cuda_buffer *new_buffer(struct cuda_device *d, const struct buffer_spec *spec,
				      CUdeviceptr address)
{
	struct cuda_buffer *b = xcalloc(1, sizeof *b);

	b->buffer = (struct buffer){
		.device = &d->base, .id = ++d->buffers, .dtype = spec->dtype, .rank = spec->rank,
		.bytes = buffer_spec_bytes(spec), .address = address,
	};
	snprintf(b->buffer.name, sizeof b->buffer.name, "%s", spec->name);
	memcpy(b->buffer.shape, spec->shape, sizeof b->buffer.shape);
	return b;
}

/* The buffer owns the memory at the address. */
static enum status own_memory(struct cuda_device *d, const struct buffer_spec *spec,
			      CUdeviceptr address, struct buffer **out)
{
	struct cuda_buffer *b = new_buffer(d, spec, address);
	enum status status;

	cuda_own(d, &b->owned, buffer_release);
	status = d->poison ? poison(d, &b->buffer) : STATUS_OK;
	if (status != STATUS_OK) {
		struct error_record error;

		error_save(&error);
		cuda_destroy(d, &b->owned, "a buffer");
		error_restore(&error);
		return status;
	}
	*out = &b->buffer;
	return STATUS_OK;
}

enum status cuda_alloc(struct device *device, const struct buffer_spec *spec,
		       struct buffer **out)
{
	struct cuda_device *d = cuda_device(device);
	size_t bytes = buffer_spec_bytes(spec);
	CUdeviceptr address;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->MemAlloc(&address, 4 * allocation_words(bytes)),
		       "allocating %zu bytes for %s", bytes, spec->name));
	return own_memory(d, spec, address, out);
}

enum status cuda_alloc_managed(struct device *device, const struct buffer_spec *spec,
			       struct buffer **out)
{
	struct cuda_device *d = cuda_device(device);
	size_t bytes = buffer_spec_bytes(spec);
	CUdeviceptr address;

	TRY(cuda_enter(d));
	TRY(cuda_check(d, d->cu->MemAllocManaged(&address, 4 * allocation_words(bytes),
						 CU_MEM_ATTACH_GLOBAL),
		       "allocating %zu bytes for %s", bytes, spec->name));
	return own_memory(d, spec, address, out);
}

enum status cuda_alloc_variable(struct device *device, const struct buffer_spec *spec,
				const struct kernel_variable *variable, struct buffer **out)
{
	struct cuda_device *d = cuda_device(device);
	struct cuda_buffer *b;
	CUdeviceptr address;
	size_t bytes;

	TRY(cuda_enter(d));
	TRY(cuda_find_variable(d, variable, &address, &bytes));
	if (bytes != buffer_spec_bytes(spec))
		return fail(STATUS_USAGE, "variable %s has %zu bytes on a GPU, %zu on the"
			    " simulator", spec->name, bytes, buffer_spec_bytes(spec));
	b = new_buffer(d, spec, address);
	b->buffer.variable = variable->address;
	cuda_own(d, &b->owned, variable_release);
	*out = &b->buffer;
	return STATUS_OK;
}

enum status cuda_free(struct device *device, struct buffer *buffer)
{
	char what[sizeof buffer->name + sizeof "buffer "];

	snprintf(what, sizeof what, "buffer %s", buffer->name);
	return cuda_destroy(cuda_device(device), &buffer_of(buffer)->owned, what);
}

enum status cuda_upload_async(struct device *device, struct stream *stream, struct buffer *buffer,
			      uint64_t offset, const void *source, size_t bytes)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->MemcpyHtoDAsync(buffer->address + offset, source, bytes, on),
			  "uploading %zu bytes to %s", bytes, buffer->name);
}

static enum status wait_for(struct cuda_device *d, struct stream *stream, const char *what,
			    const struct buffer *buffer)
{
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	return cuda_check(d, d->cu->StreamSynchronize(on), "%s %s", what, buffer->name);
}

enum status cuda_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			uint64_t offset, const void *source, size_t bytes)
{
	TRY(cuda_upload_async(device, stream, buffer, offset, source, bytes));
	return wait_for(cuda_device(device), stream, "uploading to", buffer);
}

enum status cuda_upload_pointers(struct device *device, struct stream *stream,
				 struct buffer *buffer, uint64_t offset,
				 const struct pointer_entry *entries, size_t count)
{
	uint64_t *addresses = pointer_addresses(entries, count);
	enum status status = cuda_upload(device, stream, buffer, offset, addresses,
					 count * sizeof *addresses);

	free(addresses);
	return status;
}

enum status cuda_download_async(struct device *device, struct stream *stream,
				const struct buffer *buffer, uint64_t offset, void *destination,
				size_t bytes)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	return cuda_check(d,
			  d->cu->MemcpyDtoHAsync(destination, buffer->address + offset, bytes, on),
			  "downloading %zu bytes of %s", bytes, buffer->name);
}

enum status cuda_download(struct device *device, struct stream *stream,
			  const struct buffer *buffer, uint64_t offset, void *destination,
			  size_t bytes)
{
	TRY(cuda_download_async(device, stream, buffer, offset, destination, bytes));
	return wait_for(cuda_device(device), stream, "downloading", buffer);
}

enum status cuda_copy(struct device *device, struct stream *stream, struct buffer *to,
		      uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
		      size_t bytes)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->MemcpyDtoDAsync(to->address + to_offset,
						    from->address + from_offset, bytes, on),
			  "copying %zu bytes from %s to %s", bytes, from->name, to->name);
}

enum status cuda_fill(struct device *device, struct stream *stream, struct buffer *buffer,
		      uint64_t offset, uint32_t pattern, size_t words)
{
	struct cuda_device *d = cuda_device(device);
	CUstream on;

	TRY(cuda_stream(d, stream, &on));
	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->MemsetD32Async(buffer->address + offset, pattern, words, on),
			  "filling %zu words of %s", words, buffer->name);
}
