/* runtime_properties.c - attributes and properties of devices, as the device itself gives them. */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cudaError_t device_at(int ordinal, struct runtime_device **out)
{
	if (ordinal < 0 || ordinal >= runtime.device_count)
		return cudaErrorInvalidDevice;
	*out = &runtime.devices[ordinal];
	return cudaSuccess;
}

/* Devices of the simulator, which have no bus, differ by their ordinal. */
static enum status attribute_of(const struct runtime_device *d, enum cudaDeviceAttr attribute,
				int *out)
{
	TRY(device_attribute(d->device, (int)attribute, out));
	if (attribute == cudaDevAttrPciBusId && *out == 0)
		*out = d->ordinal;
	return STATUS_OK;
}

static cudaError_t get_attribute(int *out, enum cudaDeviceAttr attribute, int ordinal)
{
	struct runtime_device *d;

	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(device_at(ordinal, &d));
	TRY_DEVICE(d, attribute_of(d, attribute, out));
	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	return API(get_attribute(value, attr, device));
}

/* A property that is an attribute of the device. Wide ones are size_t. */
static const struct property {
	size_t offset;
	enum cudaDeviceAttr attribute;
	bool wide;
} properties[] = {
#define N(field, name) { offsetof(struct cudaDeviceProp, field), cudaDevAttr##name, false },
#define W(field, name) { offsetof(struct cudaDeviceProp, field), cudaDevAttr##name, true },
	W(sharedMemPerBlock, MaxSharedMemoryPerBlock)
	N(regsPerBlock, MaxRegistersPerBlock)
	N(warpSize, WarpSize)
	W(memPitch, MaxPitch)
	N(maxThreadsPerBlock, MaxThreadsPerBlock)
	N(maxThreadsDim[0], MaxBlockDimX)
	N(maxThreadsDim[1], MaxBlockDimY)
	N(maxThreadsDim[2], MaxBlockDimZ)
	N(maxGridSize[0], MaxGridDimX)
	N(maxGridSize[1], MaxGridDimY)
	N(maxGridSize[2], MaxGridDimZ)
	W(totalConstMem, TotalConstantMemory)
	N(major, ComputeCapabilityMajor)
	N(minor, ComputeCapabilityMinor)
	W(textureAlignment, TextureAlignment)
	W(texturePitchAlignment, TexturePitchAlignment)
	N(multiProcessorCount, MultiProcessorCount)
	N(integrated, Integrated)
	N(canMapHostMemory, CanMapHostMemory)
	N(maxTexture1D, MaxTexture1DWidth)
	N(maxTexture1DMipmap, MaxTexture1DMipmappedWidth)
	N(maxTexture2D[0], MaxTexture2DWidth)
	N(maxTexture2D[1], MaxTexture2DHeight)
	N(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth)
	N(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight)
	N(maxTexture2DLinear[0], MaxTexture2DLinearWidth)
	N(maxTexture2DLinear[1], MaxTexture2DLinearHeight)
	N(maxTexture2DLinear[2], MaxTexture2DLinearPitch)
	N(maxTexture2DGather[0], MaxTexture2DGatherWidth)
	N(maxTexture2DGather[1], MaxTexture2DGatherHeight)
	N(maxTexture3D[0], MaxTexture3DWidth)
	N(maxTexture3D[1], MaxTexture3DHeight)
	N(maxTexture3D[2], MaxTexture3DDepth)
	N(maxTexture3DAlt[0], MaxTexture3DWidthAlt)
	N(maxTexture3DAlt[1], MaxTexture3DHeightAlt)
	N(maxTexture3DAlt[2], MaxTexture3DDepthAlt)
	N(maxTextureCubemap, MaxTextureCubemapWidth)
	N(maxTexture1DLayered[0], MaxTexture1DLayeredWidth)
	N(maxTexture1DLayered[1], MaxTexture1DLayeredLayers)
	N(maxTexture2DLayered[0], MaxTexture2DLayeredWidth)
	N(maxTexture2DLayered[1], MaxTexture2DLayeredHeight)
	N(maxTexture2DLayered[2], MaxTexture2DLayeredLayers)
	N(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth)
	N(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers)
	N(maxSurface1D, MaxSurface1DWidth)
	N(maxSurface2D[0], MaxSurface2DWidth)
	N(maxSurface2D[1], MaxSurface2DHeight)
	N(maxSurface3D[0], MaxSurface3DWidth)
	N(maxSurface3D[1], MaxSurface3DHeight)
	N(maxSurface3D[2], MaxSurface3DDepth)
	N(maxSurface1DLayered[0], MaxSurface1DLayeredWidth)
	N(maxSurface1DLayered[1], MaxSurface1DLayeredLayers)
	N(maxSurface2DLayered[0], MaxSurface2DLayeredWidth)
	N(maxSurface2DLayered[1], MaxSurface2DLayeredHeight)
	N(maxSurface2DLayered[2], MaxSurface2DLayeredLayers)
	N(maxSurfaceCubemap, MaxSurfaceCubemapWidth)
	N(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth)
	N(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers)
	W(surfaceAlignment, SurfaceAlignment)
	N(concurrentKernels, ConcurrentKernels)
	N(ECCEnabled, EccEnabled)
	N(pciBusID, PciBusId)
	N(pciDeviceID, PciDeviceId)
	N(pciDomainID, PciDomainId)
	N(tccDriver, TccDriver)
	N(asyncEngineCount, AsyncEngineCount)
	N(unifiedAddressing, UnifiedAddressing)
	N(memoryBusWidth, GlobalMemoryBusWidth)
	N(l2CacheSize, L2CacheSize)
	N(persistingL2CacheMaxSize, MaxPersistingL2CacheSize)
	N(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor)
	N(streamPrioritiesSupported, StreamPrioritiesSupported)
	N(globalL1CacheSupported, GlobalL1CacheSupported)
	N(localL1CacheSupported, LocalL1CacheSupported)
	W(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor)
	N(regsPerMultiprocessor, MaxRegistersPerMultiprocessor)
	N(managedMemory, ManagedMemory)
	N(isMultiGpuBoard, IsMultiGpuBoard)
	N(multiGpuBoardGroupID, MultiGpuBoardGroupID)
	N(hostNativeAtomicSupported, HostNativeAtomicSupported)
	N(pageableMemoryAccess, PageableMemoryAccess)
	N(concurrentManagedAccess, ConcurrentManagedAccess)
	N(computePreemptionSupported, ComputePreemptionSupported)
	N(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem)
	N(cooperativeLaunch, CooperativeLaunch)
	W(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin)
	N(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables)
	N(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost)
	N(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor)
	N(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize)
	W(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock)
	N(hostRegisterSupported, HostRegisterSupported)
	N(sparseCudaArraySupported, SparseCudaArraySupported)
	N(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported)
	N(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported)
	N(memoryPoolsSupported, MemoryPoolsSupported)
	N(gpuDirectRDMASupported, GPUDirectRDMASupported)
	N(gpuDirectRDMAFlushWritesOptions, GPUDirectRDMAFlushWritesOptions)
	N(gpuDirectRDMAWritesOrdering, GPUDirectRDMAWritesOrdering)
	N(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes)
	N(deferredMappingCudaArraySupported, DeferredMappingCudaArraySupported)
	N(ipcEventSupported, IpcEventSupport)
	N(clusterLaunch, ClusterLaunch)
	N(deviceNumaConfig, NumaConfig)
	N(deviceNumaId, NumaId)
	N(mpsEnabled, MpsEnabled)
	N(hostNumaId, HostNumaId)
	N(clockRate, ClockRate)
	N(memoryClockRate, MemoryClockRate)
	N(computeMode, ComputeMode)
	N(deviceOverlap, GpuOverlap)
	N(kernelExecTimeoutEnabled, KernelExecTimeout)
	N(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio)
	N(maxTexture1DLinear, MaxTexture1DLinearWidth)
#undef N
#undef W
};

/* An attribute that the device does not know is 0. */
static void set_property(struct runtime_device *d, const struct property *p,
			 struct cudaDeviceProp *out)
{
	size_t wide;
	int value;

	if (attribute_of(d, p->attribute, &value) != STATUS_OK)
		return;
	wide = (size_t)value;
	if (p->wide)
		memcpy((char *)out + p->offset, &wide, sizeof wide);
	else
		memcpy((char *)out + p->offset, &value, sizeof value);
}

static cudaError_t get_properties(struct cudaDeviceProp *out, int ordinal)
{
	struct runtime_device *d;

	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(device_at(ordinal, &d));
	memset(out, 0, sizeof *out);
	snprintf(out->name, sizeof out->name, "%s", d->info.name);
	snprintf(out->uuid.bytes, sizeof out->uuid.bytes, "flashtwin %02d", ordinal % 100);
	out->totalGlobalMem = d->info.memory_bytes;
	for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
		set_property(d, &properties[i], out);
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	return API(get_properties(prop, device));
}

/* --- the bus --- */

struct bus_place {
	int domain, bus, slot;
};

static cudaError_t place_of(struct runtime_device *d, struct bus_place *out)
{
	TRY_DEVICE(d, attribute_of(d, cudaDevAttrPciDomainId, &out->domain));
	TRY_DEVICE(d, attribute_of(d, cudaDevAttrPciBusId, &out->bus));
	TRY_DEVICE(d, attribute_of(d, cudaDevAttrPciDeviceId, &out->slot));
	return cudaSuccess;
}

static cudaError_t bus_id(char *out, int length, int ordinal)
{
	struct runtime_device *d;
	struct bus_place place;

	if (!out || length < 13)
		return cudaErrorInvalidValue;
	TRY_CUDA(device_at(ordinal, &d));
	TRY_CUDA(place_of(d, &place));
	snprintf(out, (size_t)length, "%04X:%02X:%02X.0", (unsigned)place.domain & 0xffff,
		 (unsigned)place.bus & 0xff, (unsigned)place.slot & 0xff);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
	return API(bus_id(pciBusId, len, device));
}

/* A hexadecimal number that ends with the character. */
static bool take(const char **text, char end, int *out)
{
	char *rest;
	unsigned long value;

	if (!isxdigit((unsigned char)**text))
		return false;
	value = strtoul(*text, &rest, 16);
	if (*rest != end || value > 0xffff)
		return false;
	*out = (int)value;
	*text = rest + (end != '\0');
	return true;
}

/* domain:bus:device.function, domain:bus:device or bus:device.function; all functions are 0. */
static bool parse_bus_id(const char *text, struct bus_place *out)
{
	const char *colon = strchr(text, ':');
	bool has_domain = colon && strchr(colon + 1, ':'), has_function = strchr(text, '.');
	int function = 0;

	out->domain = 0;
	return (has_domain || has_function) && (!has_domain || take(&text, ':', &out->domain))
		&& take(&text, ':', &out->bus) && take(&text, has_function ? '.' : '\0', &out->slot)
		&& (!has_function || take(&text, '\0', &function)) && function == 0;
}

static cudaError_t by_bus_id(int *out, const char *text)
{
	struct bus_place wanted, place;

	if (!out || !text)
		return cudaErrorInvalidValue;
	for (int i = 0; parse_bus_id(text, &wanted) && i < runtime.device_count; i++) {
		TRY_CUDA(place_of(&runtime.devices[i], &place));
		if (place.domain == wanted.domain && place.bus == wanted.bus
		    && place.slot == wanted.slot) {
			*out = i;
			return cudaSuccess;
		}
	}
	return cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
	return API(by_bus_id(device, pciBusId));
}
