/* runtime_pool.c - memory in the order of a stream, and the pools it comes from.
 *
 * Memory is allocated at the call and freed when the device was waited for, both of which the order
 * of a stream allows. Pools only count; thresholds and reuse have no effect.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/runtime/runtime_graph.h"

static struct CUmemPoolHandle_st *pool_new(struct runtime_device *d)
{
	struct CUmemPoolHandle_st *pool = xcalloc(1, sizeof *pool);

	pool->device = d;
	pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1;
	pool->next = d->pools;
	d->pools = pool;
	return pool;
}

static struct CUmemPoolHandle_st *default_pool(struct runtime_device *d)
{
	if (!d->default_pool)
		d->default_pool = pool_new(d);
	return d->default_pool;
}

static struct CUmemPoolHandle_st *current_pool(struct runtime_device *d)
{
	return d->pool ? d->pool : default_pool(d);
}

void pools_free(struct runtime_device *d)
{
	while (d->pools) {
		struct CUmemPoolHandle_st *next = d->pools->next;

		free(d->pools);
		d->pools = next;
	}
}

static cudaError_t pool_of(cudaMemPool_t handle, struct CUmemPoolHandle_st **out)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	for (int i = 0; handle && i < runtime.device_count; i++)
		for (struct CUmemPoolHandle_st *p = runtime.devices[i].pools; p; p = p->next)
			if (p == handle) {
				*out = p;
				return cudaSuccess;
			}
	return cudaErrorInvalidValue;
}

/* --- allocations --- */

/* A program may never wait for the device: this is when the runtime does, to free memory. */
#define MAX_FREED 1024
#define MAX_FREED_BYTES ((size_t)256 << 20)

static cudaError_t collect(struct runtime_device *d)
{
	if ((d->freed_count < MAX_FREED && d->freed_bytes < MAX_FREED_BYTES)
	    || runtime_capture_active(d))
		return cudaSuccess;
	TRY_DEVICE(d, device_sync(d->device, NULL));
	memory_waited(d);
	return cudaSuccess;
}

static cudaError_t capture_allocation(struct CUstream_st *s, size_t bytes, void **out)
{
	struct work work = { .kind = WORK_ALLOC, .memory = { .bytes = bytes } };

	TRY_CUDA(memory_new_lasting(s->device, bytes, out));
	work.memory.address = *out;
	return work_submit(s, &work);
}

static cudaError_t allocate(void **out, size_t bytes, struct CUmemPoolHandle_st *pool,
			    cudaStream_t stream)
{
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(stream, &s));
	if (!out)
		return cudaErrorInvalidValue;
	*out = NULL;
	if (bytes == 0)
		return cudaSuccess;
	if (s->capture)
		return capture_allocation(s, bytes, out);
	if (!pool)
		pool = current_pool(s->device);
	TRY_CUDA(collect(pool->device));
	TRY_CUDA(memory_new(pool->device, PLACE_DEVICE, bytes, 0, out));
	address_find(*out)->pool = pool;
	pool->used += bytes;
	pool->high = pool->used > pool->high ? pool->used : pool->high;
	return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream)
{
	return API(allocate(devPtr, size, NULL, stream));
}

static cudaError_t allocate_from(void **out, size_t bytes, cudaMemPool_t handle,
				 cudaStream_t stream)
{
	struct CUmemPoolHandle_st *pool;

	TRY_CUDA(pool_of(handle, &pool));
	return allocate(out, bytes, pool, stream);
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
				    cudaStream_t stream)
{
	return API(allocate_from(ptr, size, memPool, stream));
}

/* The address is unknown from now on; the memory stays until the device was waited for. */
static cudaError_t release(void *pointer, cudaStream_t stream)
{
	struct allocation *a = address_find(pointer);
	struct CUstream_st *s;
	struct runtime_device *d;

	TRY_CUDA(runtime_stream(stream, &s));
	if (!pointer)
		return cudaSuccess;
	if (!a || a->address != (uint64_t)(uintptr_t)pointer || a->kind != PLACE_DEVICE)
		return cudaErrorInvalidValue;
	if (s->capture) {
		struct work work = { .kind = WORK_FREE, .memory = { pointer, a->bytes } };

		a->lasting = true;
		return work_submit(s, &work);
	}
	if (a->lasting) {
		graph_memory_freed(a->device, pointer, s);
		return cudaSuccess;
	}
	d = a->device;
	if (s->device != d)             /* whose waits do not wait for the stream */
		TRY_CUDA(order_sync(s));
	d->freed = xreallocarray(d->freed, d->freed_count + 1, sizeof *d->freed);
	d->freed[d->freed_count++] = a->buffer;
	d->freed_bytes += a->bytes;
	d->used -= a->bytes;
	if (a->pool)
		a->pool->used -= a->bytes;
	address_remove(a);
	return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t stream)
{
	return API(release(devPtr, stream));
}

/* --- pools --- */

static cudaError_t device_pool(cudaMemPool_t *out, int ordinal, bool first)
{
	if (!out)
		return cudaErrorInvalidValue;
	if (ordinal < 0 || ordinal >= runtime.device_count)
		return cudaErrorInvalidDevice;
	*out = first ? default_pool(&runtime.devices[ordinal])
		: current_pool(&runtime.devices[ordinal]);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
	return API(device_pool(memPool, device, true));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
	return API(device_pool(memPool, device, false));
}

static cudaError_t set_pool(int ordinal, cudaMemPool_t handle)
{
	struct CUmemPoolHandle_st *pool;

	if (ordinal < 0 || ordinal >= runtime.device_count)
		return cudaErrorInvalidDevice;
	TRY_CUDA(pool_of(handle, &pool));
	if (pool->device->ordinal != ordinal)
		return cudaErrorInvalidValue;
	pool->device->pool = pool;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
	return API(set_pool(device, memPool));
}

static cudaError_t create(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
	if (!out || !props || props->allocType != cudaMemAllocationTypePinned
	    || props->location.type != cudaMemLocationTypeDevice
	    || props->location.id < 0 || props->location.id >= runtime.device_count)
		return cudaErrorInvalidValue;
	if (props->handleTypes != cudaMemHandleTypeNone)
		return cudaErrorNotSupported;
	*out = pool_new(&runtime.devices[props->location.id]);
	return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
	return API(create(memPool, poolProps));
}

/* Allocations of the pool stay. */
static cudaError_t destroy(cudaMemPool_t handle)
{
	struct CUmemPoolHandle_st *pool, **link;

	TRY_CUDA(pool_of(handle, &pool));
	if (pool == pool->device->default_pool)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < runtime.allocation_count; i++)
		if (runtime.allocations[i].pool == pool)
			runtime.allocations[i].pool = NULL;
	if (pool->device->pool == pool)
		pool->device->pool = NULL;
	link = &pool->device->pools;
	while (*link != pool)
		link = &(*link)->next;
	*link = pool->next;
	free(pool);
	return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
	return API(destroy(memPool));
}

static cudaError_t trim(cudaMemPool_t handle)
{
	struct CUmemPoolHandle_st *pool;

	return pool_of(handle, &pool);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
	(void)minBytesToKeep;
	return API(trim(memPool));
}

static cudaError_t set_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
				 const void *value)
{
	struct CUmemPoolHandle_st *pool;
	uint64_t mark;

	TRY_CUDA(pool_of(handle, &pool));
	if (!value)
		return cudaErrorInvalidValue;
	switch (attribute) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies:
		memcpy(&pool->reuse[attribute - 1], value, sizeof pool->reuse[0]);
		return cudaSuccess;
	case cudaMemPoolAttrReleaseThreshold:
		memcpy(&pool->threshold, value, sizeof pool->threshold);
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh: case cudaMemPoolAttrUsedMemHigh:
		memcpy(&mark, value, sizeof mark);
		if (mark != 0)          /* it can only be set back */
			return cudaErrorInvalidValue;
		pool->high = pool->used;
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
	return API(set_attribute(memPool, attr, value));
}

static cudaError_t get_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *out)
{
	struct CUmemPoolHandle_st *pool;
	uint64_t value;

	TRY_CUDA(pool_of(handle, &pool));
	if (!out || attribute < cudaMemPoolReuseFollowEventDependencies
	    || attribute > cudaMemPoolAttrUsedMemHigh)
		return cudaErrorInvalidValue;
	if (attribute <= cudaMemPoolReuseAllowInternalDependencies) {
		memcpy(out, &pool->reuse[attribute - 1], sizeof pool->reuse[0]);
		return cudaSuccess;
	}
	value = attribute == cudaMemPoolAttrReleaseThreshold ? pool->threshold
		: attribute == cudaMemPoolAttrReservedMemCurrent
		|| attribute == cudaMemPoolAttrUsedMemCurrent ? pool->used : pool->high;
	memcpy(out, &value, sizeof value);
	return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
	return API(get_attribute(memPool, attr, value));
}

static cudaError_t set_access(cudaMemPool_t handle, const struct cudaMemAccessDesc *list,
			      size_t count)
{
	struct CUmemPoolHandle_st *pool;

	TRY_CUDA(pool_of(handle, &pool));
	if (count > 0 && !list)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++) {
		int peer = list[i].location.id;

		if (list[i].location.type != cudaMemLocationTypeDevice || peer < 0
		    || peer >= runtime.device_count)
			return cudaErrorInvalidDevice;
		pool->peers[peer] = list[i].flags == cudaMemAccessFlagsProtReadWrite;
	}
	return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
				 size_t count)
{
	return API(set_access(memPool, descList, count));
}

static cudaError_t get_access(enum cudaMemAccessFlags *out, cudaMemPool_t handle,
			      const struct cudaMemLocation *location)
{
	struct CUmemPoolHandle_st *pool;
	bool open;

	TRY_CUDA(pool_of(handle, &pool));
	if (!out || !location || location->type != cudaMemLocationTypeDevice)
		return cudaErrorInvalidValue;
	if (location->id < 0 || location->id >= runtime.device_count)
		return cudaErrorInvalidDevice;
	open = location->id == pool->device->ordinal || pool->peers[location->id];
	*out = open ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
	return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
				 struct cudaMemLocation *location)
{
	return API(get_access(flags, memPool, location));
}
