/* runtime_device.c - devices: the current one, waiting, limits, flags, peers, versions. */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdio.h>

#include "engine/runtime/runtime_graph.h"

static bool is_device(int ordinal)
{
	return ordinal >= 0 && ordinal < runtime.device_count;
}

/* --- the current device --- */

static cudaError_t count_devices(int *out)
{
	if (!out)
		return cudaErrorInvalidValue;
	*out = runtime.device_count;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	return API(count_devices(count));
}

static cudaError_t get_device(int *out)
{
	if (!out)
		return cudaErrorInvalidValue;
	*out = runtime_current()->ordinal;
	return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
	return API(get_device(device));
}

static cudaError_t set_device(int ordinal)
{
	if (!is_device(ordinal))
		return cudaErrorInvalidDevice;
	runtime_select(ordinal);
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	return API(set_device(device));
}

static cudaError_t valid_devices(const int *devices, int count)
{
	if (count < 0 || count > runtime.device_count || (count > 0 && !devices))
		return cudaErrorInvalidValue;
	for (int i = 0; i < count; i++)
		if (!is_device(devices[i]))
			return cudaErrorInvalidDevice;
	if (count > 0)
		runtime_select(devices[0]);
	return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
	return API(valid_devices(devices, count));
}

/* All devices are alike. */
static cudaError_t choose(int *out, const struct cudaDeviceProp *wanted)
{
	if (!out || !wanted)
		return cudaErrorInvalidValue;
	*out = 0;
	return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
	return API(choose(device, prop));
}

static cudaError_t set_flags(struct runtime_device *d, unsigned flags)
{
	unsigned schedule = flags & cudaDeviceScheduleMask;

	if ((flags & ~(unsigned)cudaDeviceMask) || (schedule & (schedule - 1)))
		return cudaErrorInvalidValue;
	d->flags = flags | cudaDeviceMapHost;
	return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
	return API(set_flags(runtime_current(), flags));
}

static cudaError_t init_device(int ordinal, unsigned device_flags, unsigned flags)
{
	if (!is_device(ordinal))
		return cudaErrorInvalidDevice;
	if (flags > cudaInitDeviceFlagsAreValid)
		return cudaErrorInvalidValue;
	return flags ? set_flags(&runtime.devices[ordinal], device_flags) : cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned deviceFlags, unsigned flags)
{
	return API(init_device(device, deviceFlags, flags));
}

static cudaError_t get_flags(unsigned *out)
{
	if (!out)
		return cudaErrorInvalidValue;
	*out = runtime_current()->flags;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
	return API(get_flags(flags));
}

/* --- waiting --- */

static void all_waited(struct runtime_device *d)
{
	for (struct CUstream_st *s = d->streams; s; s = s->next) {
		s->busy = false;
		s->seen = d->legacy_work;
	}
	memory_waited(d);
	graph_memory_waited(d, NULL);
	memory_host_turn();
}

static cudaError_t synchronize(void)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	TRY_DEVICE(d, device_sync(d->device, NULL));
	all_waited(d);
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	return API(synchronize());
}

/* Frees the program's memory, streams and events of this device and the kernels' heap, and restores
 * its limits and the values of its variables. What becomes of managed ones is unknown: they stay.
 * After a fault it succeeds, but the process cannot use the device again: later calls
 * return another error. */
static cudaError_t reset(void)
{
	struct runtime_device *d = runtime_current();

	if (d->sticky) {
		d->sticky = cudaErrorDevicesUnavailable;
		return cudaSuccess;
	}
	TRY_CUDA(synchronize());
	for (size_t i = runtime.allocation_count; i-- > 0; )
		if (runtime.allocations[i].device == d && !runtime.allocations[i].variable)
			TRY_CUDA(memory_free(&runtime.allocations[i]));
	for (struct CUstream_st *s = d->streams; s; s = s->next)
		TRY_DEVICE(d, device_stream_destroy(d->device, s->stream));
	for (struct CUevent_st *e = d->events; e; e = e->next)
		TRY_DEVICE(d, device_event_destroy(d->device, e->event));
	runtime_streams_close(d);
	runtime_default_limits(d);
	TRY_DEVICE(d, device_set_heap(d->device, d->limits[cudaLimitMallocHeapSize], true));
	return runtime_reset_variables(d);
}

cudaError_t cudaDeviceReset(void)
{
	return API(reset());
}

/* --- limits and hints --- */

/* On devices of compute capability 9 kernels cannot wait for kernels that they launch. */
static bool has_limit(enum cudaLimit limit)
{
	return (unsigned)limit < LIMITS && limit != cudaLimitDevRuntimeSyncDepth;
}

static cudaError_t set_limit(enum cudaLimit limit, size_t value)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!has_limit(limit))
		return cudaErrorUnsupportedLimit;
	if ((int)limit == LIMIT_SHARED)         /* it can only be read */
		return cudaErrorNotPermitted;
	if (limit == cudaLimitMallocHeapSize)
		TRY_DEVICE(d, device_set_heap(d->device, value, false));
	if (limit == cudaLimitStackSize)
		value = value > SIZE_MAX - 15 ? value : (value + 15) / 16 * 16;
	d->limits[limit] = value;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	return API(set_limit(limit, value));
}

static cudaError_t get_limit(size_t *out, enum cudaLimit limit)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!out)
		return cudaErrorInvalidValue;
	if (!has_limit(limit))
		return cudaErrorUnsupportedLimit;
	*out = d->limits[limit];
	return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	return API(get_limit(value, limit));
}

static cudaError_t set_cache(enum cudaFuncCache cache)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (cache > cudaFuncCachePreferEqual)
		return cudaErrorInvalidValue;
	d->cache = cache;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
	return API(set_cache(cacheConfig));
}

static cudaError_t get_cache(enum cudaFuncCache *out)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!out)
		return cudaErrorInvalidValue;
	*out = d->cache;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *cacheConfig)
{
	return API(get_cache(cacheConfig));
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	return API(config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : cudaSuccess);
}

static cudaError_t get_bank(enum cudaSharedMemConfig *out)
{
	if (!out)
		return cudaErrorInvalidValue;
	*out = cudaSharedMemBankSizeFourByte;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	return API(get_bank(config));
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	return API(cudaSuccess);
}

cudaError_t cudaProfilerStart(void)
{
	return API(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
	return API(cudaSuccess);
}

/* --- peers --- */

static cudaError_t can_access(int *out, int ordinal, int peer)
{
	if (!out)
		return cudaErrorInvalidValue;
	if (!is_device(ordinal) || !is_device(peer))
		return cudaErrorInvalidDevice;
	*out = ordinal != peer;
	return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
	return API(can_access(canAccessPeer, device, peerDevice));
}

static cudaError_t set_peer(int peer, unsigned flags, bool on)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (flags != 0)
		return cudaErrorInvalidValue;
	if (!is_device(peer))
		return cudaErrorInvalidDevice;
	if (on && peer == d->ordinal)
		return cudaErrorPeerAccessUnsupported;
	if (d->peers[peer] == on)
		return on ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled;
	d->peers[peer] = on;
	return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned flags)
{
	return API(set_peer(peerDevice, flags, true));
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
	return API(set_peer(peerDevice, 0, false));
}

static cudaError_t peer_attribute(int *out, enum cudaDeviceP2PAttr attribute, int from, int to)
{
	if (!out || attribute < cudaDevP2PAttrPerformanceRank
	    || attribute > cudaDevP2PAttrOnlyPartialNativeAtomicSupported)
		return cudaErrorInvalidValue;
	if (!is_device(from) || !is_device(to) || from == to)
		return cudaErrorInvalidDevice;
	*out = attribute == cudaDevP2PAttrAccessSupported
		|| attribute == cudaDevP2PAttrNativeAtomicSupported;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
				      int dstDevice)
{
	return API(peer_attribute(value, attr, srcDevice, dstDevice));
}

/* --- versions --- */

static cudaError_t version(int *out)
{
	if (!out)
		return cudaErrorInvalidValue;
	*out = CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *driverVersion)
{
	return API(version(driverVersion));
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
	return API(version(runtimeVersion));
}
