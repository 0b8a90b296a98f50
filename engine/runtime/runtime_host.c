/* runtime_host.c - the calls for memory of the host: pinned and registered.
 *
 * Pinned memory is managed memory of the device (runtime_memory.c); registered memory only has an
 * entry among the allocations.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

static cudaError_t allocate_pinned(void **out, size_t bytes, unsigned flags)
{
	struct runtime_device *d;

	if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
		return cudaErrorInvalidValue;
	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(runtime_live(&d));
	return memory_new(d, PLACE_PINNED, bytes, flags | cudaHostAllocMapped, out);
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned flags)
{
	return API(allocate_pinned(pHost, size, flags));
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
	return API(allocate_pinned(ptr, size, cudaHostAllocDefault));
}

static cudaError_t release_host(void *pointer)
{
	struct allocation *a = address_find(pointer);
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!pointer)
		return cudaSuccess;
	if (!a || a->address != (uint64_t)(uintptr_t)pointer || a->kind != PLACE_PINNED)
		return cudaErrorInvalidValue;
	return memory_free(a);
}

cudaError_t cudaFreeHost(void *ptr)
{
	return API(release_host(ptr));
}

static cudaError_t register_host(void *pointer, size_t bytes, unsigned flags)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!pointer || bytes == 0
	    || flags > (cudaHostRegisterPortable | cudaHostRegisterMapped
			| cudaHostRegisterIoMemory | cudaHostRegisterReadOnly))
		return cudaErrorInvalidValue;
	if (address_find(pointer) || address_find((char *)pointer + bytes - 1))
		return cudaErrorHostMemoryAlreadyRegistered;
	address_add((struct allocation){
		.address = (uint64_t)(uintptr_t)pointer, .bytes = bytes, .device = d,
		.kind = PLACE_REGISTERED, .flags = flags | cudaHostRegisterMapped });
	return cudaSuccess;
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
	return API(register_host(ptr, size, flags));
}

static cudaError_t unregister_host(void *pointer)
{
	struct allocation *a = address_find(pointer);
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!pointer)
		return cudaErrorInvalidValue;
	if (!a)
		return cudaErrorHostMemoryNotRegistered;
	if (a->kind != PLACE_REGISTERED || a->address != (uint64_t)(uintptr_t)pointer)
		return cudaErrorInvalidValue;
	TRY_DEVICE(d, device_sync(d->device, NULL));
	address_remove(a);
	return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *ptr)
{
	return API(unregister_host(ptr));
}

static bool is_host(const struct allocation *a)
{
	return a && (a->kind == PLACE_PINNED || a->kind == PLACE_REGISTERED);
}

static cudaError_t device_pointer(void **out, void *host, unsigned flags)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!out || flags != 0 || !host)
		return cudaErrorInvalidValue;
	*out = NULL;
	if (!is_host(address_find(host)))
		return cudaErrorInvalidValue;
	*out = host;
	return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned flags)
{
	return API(device_pointer(pDevice, pHost, flags));
}

static cudaError_t host_flags(unsigned *out, void *host)
{
	struct allocation *a = address_find(host);
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!out || !is_host(a))
		return cudaErrorInvalidValue;
	*out = a->flags;
	return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *pFlags, void *pHost)
{
	return API(host_flags(pFlags, pHost));
}
