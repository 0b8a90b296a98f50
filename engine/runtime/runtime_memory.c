/* runtime_memory.c - allocations: of a device, pinned on the host, managed.
 *
 * Pinned memory too is managed memory of the device, so that kernels may use it. What the host
 * writes there reaches the device without a call; memory_show() repeats it as an upload where a
 * recorder or checker follows the memory. Copies treat such memory as the host's. Pools are in
 * runtime_pool.c, and the calls for memory of the host in runtime_host.c.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/runtime/runtime_graph.h"

#define PITCH 512

/* --- buffers --- */

/* With the host. */
static bool is_shared(enum place_kind kind)
{
	return kind == PLACE_PINNED || kind == PLACE_MANAGED;
}

static cudaError_t buffer_new(struct runtime_device *d, enum place_kind kind, size_t bytes,
			      struct buffer **out)
{
	static const char *const names[] = {
		"cudaMalloc", "pinned", "managed", "array", "texture"
	};
	char name[32];
	struct buffer_spec spec = {
		.name = name, .dtype = DTYPE_U8, .rank = 1, .shape = { (int64_t)bytes },
	};

	if (bytes > INT64_MAX)
		return cudaErrorMemoryAllocation;
	snprintf(name, sizeof name, "%s.%u", names[kind], runtime.names[kind]++);
	TRY_DEVICE(d, is_shared(kind) ? device_alloc_managed(d->device, &spec, out)
		   : device_alloc(d->device, &spec, out));
	d->used += is_shared(kind) ? 0 : bytes;
	return cudaSuccess;
}

static cudaError_t place_new(struct runtime_device *d, enum place_kind kind, size_t bytes,
			     struct allocation *a)
{
	*a = (struct allocation){ .bytes = bytes, .kind = kind, .device = d, .touched = true };
	TRY_CUDA(buffer_new(d, kind, bytes, &a->buffer));
	a->address = a->buffer->address;
	if (is_shared(kind))
		memset((void *)(uintptr_t)a->address, 0, bytes);
	return cudaSuccess;
}

cudaError_t memory_new(struct runtime_device *d, enum place_kind kind, size_t bytes, unsigned flags,
		       void **out)
{
	struct allocation a;

	*out = NULL;
	if (bytes == 0)
		return cudaSuccess;
	TRY_CUDA(place_new(d, kind, bytes, &a));
	a.flags = flags;
	address_add(a);
	*out = (void *)(uintptr_t)a.address;
	return cudaSuccess;
}

/* A graph has its memory at the same address in every launch, and may be launched again after the
 * memory was freed, by a node or by a call. So the runtime frees it in the end. */
cudaError_t memory_new_lasting(struct runtime_device *d, size_t bytes, void **out)
{
	cudaError_t error;

	TRY_DEVICE(d, device_capture_relax(d->device, true));
	error = memory_new(d, PLACE_DEVICE, bytes, 0, out);
	TRY_DEVICE(d, device_capture_relax(d->device, runtime_capture_relaxed()));
	TRY_CUDA(error);
	address_find(*out)->lasting = true;
	return cudaSuccess;
}

void memory_end(struct runtime_device *d)
{
	for (size_t i = 0; i < runtime.allocation_count; i++) {
		const struct allocation *a = &runtime.allocations[i];

		/* An error was returned before, by the wait for the device. */
		if (a->lasting && a->device == d)
			device_free(d->device, a->buffer);
	}
}

/* Work of other devices may still use the memory as their peer's. */
static cudaError_t wait_for_peers(const struct runtime_device *d)
{
	for (int i = 0; i < runtime.device_count; i++) {
		struct runtime_device *peer = &runtime.devices[i];

		if (peer != d && !peer->sticky && !runtime_capture_active(peer))
			TRY_DEVICE(peer, device_sync(peer->device, NULL));
	}
	return cudaSuccess;
}

cudaError_t memory_free(struct allocation *a)
{
	struct runtime_device *d = a->device;
	struct allocation old = *a;

	if (old.buffer)
		TRY_CUDA(wait_for_peers(d));
	if (old.buffer)
		TRY_DEVICE(d, device_free(d->device, old.buffer));
	if (old.buffer && !is_shared(old.kind))
		d->used -= old.bytes;
	if (old.pool)
		old.pool->used -= old.bytes;
	address_remove(a);
	return cudaSuccess;
}

void memory_waited(struct runtime_device *d)
{
	/* An error here is the device's, which the next call returns. */
	while (d->freed_count)
		device_free(d->device, d->freed[--d->freed_count]);
	free(d->freed);
	d->freed = NULL;
	d->freed_bytes = 0;
}

/* --- what the host writes into memory that kernels read --- */

/* A __managed__ variable of a GPU, which the host uses at another address. */
static bool is_mirrored(const struct allocation *a)
{
	return a->kind == PLACE_MANAGED && a->buffer && a->buffer->address != a->address;
}

/* An error here is the device's, which the next call returns. */
void memory_host_turn(void)
{
	for (size_t i = 0; i < runtime.allocation_count; i++) {
		struct allocation *a = &runtime.allocations[i];

		if (is_mirrored(a) && !a->touched && !runtime_capture_active(a->device))
			device_download(a->device->device, NULL, a->buffer, 0,
					(void *)(uintptr_t)a->address, a->bytes);
		a->touched = true;
	}
}

cudaError_t memory_show(struct runtime_device *d, struct stream *stream, struct allocation *a)
{
	if (!is_shared(a->kind) || !a->buffer || !a->touched || (!d->watched && !is_mirrored(a)))
		return cudaSuccess;
	a->touched = false;
	TRY_DEVICE(d, pointers_upload(d, stream, a->buffer, 0,
				      (const void *)(uintptr_t)a->address, a->bytes));
	return cudaSuccess;
}

/* --- device memory --- */

static cudaError_t allocate(enum place_kind kind, void **out, size_t bytes, unsigned flags)
{
	struct runtime_device *d;

	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(runtime_live(&d));
	return memory_new(d, kind, bytes, flags, out);
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
	return API(allocate(PLACE_DEVICE, devPtr, size, 0));
}

static cudaError_t allocate_managed(void **out, size_t bytes, unsigned flags)
{
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return cudaErrorInvalidValue;
	return allocate(PLACE_MANAGED, out, bytes, flags);
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned flags)
{
	return API(allocate_managed(devPtr, size, flags));
}

/* Rows begin at multiples of PITCH bytes, as on the GPUs whose profiles there are. */
static cudaError_t allocate_rows(void **out, size_t *pitch, size_t width, size_t rows)
{
	size_t bytes;

	if (!out || !pitch)
		return cudaErrorInvalidValue;
	if (width > SIZE_MAX - PITCH)
		return cudaErrorMemoryAllocation;
	*pitch = (width + PITCH - 1) / PITCH * PITCH;
	if (__builtin_mul_overflow(*pitch, rows, &bytes))
		return cudaErrorMemoryAllocation;
	return allocate(PLACE_DEVICE, out, bytes, 0);
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
	return API(allocate_rows(devPtr, pitch, width, height));
}

static cudaError_t allocate_3d(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
	size_t rows;

	if (!out)
		return cudaErrorInvalidValue;
	if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
		return cudaErrorMemoryAllocation;
	out->xsize = extent.width;
	out->ysize = extent.height;
	return allocate_rows(&out->ptr, &out->pitch, extent.width, rows);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
	return API(allocate_3d(pitchedDevPtr, extent));
}

/* Waits for the device, as CUDA does. A capture forbids to free a null pointer too. */
static cudaError_t release(void *pointer)
{
	struct allocation *a = address_find(pointer);
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!pointer)
		return runtime_error(d, device_free(d->device, NULL));
	if (!a || a->address != (uint64_t)(uintptr_t)pointer
	    || (a->kind != PLACE_DEVICE && a->kind != PLACE_MANAGED))
		return cudaErrorInvalidValue;
	if (!a->lasting)
		return memory_free(a);
	graph_memory_freed(a->device, pointer, NULL);
	return cudaSuccess;
}

cudaError_t cudaFree(void *devPtr)
{
	return API(release(devPtr));
}

static cudaError_t memory_info(size_t *left, size_t *total)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (total)
		*total = d->info.memory_bytes;
	if (left)
		*left = d->info.memory_bytes - d->used;
	return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
	return API(memory_info(free, total));
}

/* --- what an address is --- */

static cudaError_t pointer_attributes(struct cudaPointerAttributes *out, const void *pointer)
{
	static const enum cudaMemoryType types[] = {
		[PLACE_DEVICE] = cudaMemoryTypeDevice, [PLACE_PINNED] = cudaMemoryTypeHost,
		[PLACE_MANAGED] = cudaMemoryTypeManaged, [PLACE_REGISTERED] = cudaMemoryTypeHost,
		[PLACE_VARIABLE] = cudaMemoryTypeDevice, [PLACE_ARRAY] = cudaMemoryTypeDevice,
		[PLACE_TEXTURE] = cudaMemoryTypeDevice,
	};
	struct allocation *a = address_find(pointer);
	struct runtime_device *d;
	bool device_only;

	TRY_CUDA(runtime_live(&d));
	if (!out)
		return cudaErrorInvalidValue;
	*out = (struct cudaPointerAttributes){ .device = cudaInvalidDeviceId };
	if (!a) {
		out->hostPointer = (void *)(uintptr_t)pointer;
		return cudaSuccess;
	}
	device_only = types[a->kind] == cudaMemoryTypeDevice;
	out->type = types[a->kind];
	out->device = a->device->ordinal;
	out->devicePointer = (void *)(uintptr_t)pointer;
	out->hostPointer = device_only ? NULL : (void *)(uintptr_t)pointer;
	return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
	return API(pointer_attributes(attributes, ptr));
}

/* --- hints about managed memory, which change no value --- */

static cudaError_t check_hint(const void *pointer, size_t bytes, struct cudaMemLocation location)
{
	const struct allocation *a = address_find(pointer);
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!a || a->kind != PLACE_MANAGED || bytes == 0
	    || bytes > a->address + a->bytes - (uint64_t)(uintptr_t)pointer)
		return cudaErrorInvalidValue;
	if (location.type == cudaMemLocationTypeDevice
	    && (location.id < 0 || location.id >= runtime.device_count))
		return cudaErrorInvalidDevice;
	return cudaSuccess;
}

static cudaError_t prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location,
			    unsigned flags, cudaStream_t stream)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(stream, &s));
	if (flags != 0 || location.type == cudaMemLocationTypeInvalid)
		return cudaErrorInvalidValue;
	return check_hint(pointer, bytes, location);
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
				 unsigned flags, cudaStream_t stream)
{
	return API(prefetch(devPtr, count, location, flags, stream));
}

/* Some hints have no location, and ignore it. */
static cudaError_t advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location)
{
	if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
		return cudaErrorInvalidValue;
	if (advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly
	    || advice == cudaMemAdviseUnsetPreferredLocation)
		location.type = cudaMemLocationTypeHost;
	return check_hint(pointer, bytes, location);
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location)
{
	return API(advise(devPtr, count, advice, location));
}

/* All of an allocation is attached; to a single stream only if it is not the legacy one. */
static cudaError_t attach(cudaStream_t stream, const void *pointer, size_t length, unsigned flags)
{
	const struct allocation *a = address_find(pointer);
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(stream, &s));
	if (!a || a->kind != PLACE_MANAGED
	    || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost
		&& flags != cudaMemAttachSingle)
	    || (length != 0 && length != a->bytes)
	    || (flags == cudaMemAttachSingle && s == &s->device->legacy))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
				     unsigned flags)
{
	return API(attach(stream, devPtr, length, flags));
}
