/* cuda_driver.h - the CUDA driver API, loaded at run time.
 *
 * The same binary runs with and without a driver: libcuda.so.1 is opened with the first GPU, and
 * its functions are called through a table. Building needs cuda.h of CUDA 12.4 or later, linking
 * needs nothing of CUDA. Used by the CUDA device (device_cuda.h).
 */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include <cuda.h>

#include "base/status.h"

#if CUDA_VERSION < 12040
#error "CUDA 12.4 or later is needed"
#endif

/* X(name, symbol): the function that cuda.h declares as cu<name>, and the symbol that has had this
 * ABI since the oldest supported driver (12.0). The symbols are spelled out because cuda.h renames
 * functions to newer versions (cuEventElapsedTime became _v2 in 12.8) that older drivers lack. */
#define CUDA_FUNCTION_LIST(X) \
	X(Init,                    "cuInit") \
	X(DriverGetVersion,        "cuDriverGetVersion") \
	X(GetErrorName,            "cuGetErrorName") \
	X(GetErrorString,          "cuGetErrorString") \
	X(DeviceGet,               "cuDeviceGet") \
	X(DeviceGetCount,          "cuDeviceGetCount") \
	X(DeviceGetName,           "cuDeviceGetName") \
	X(DeviceTotalMem,          "cuDeviceTotalMem_v2") \
	X(DeviceGetAttribute,      "cuDeviceGetAttribute") \
	X(DevicePrimaryCtxRetain,  "cuDevicePrimaryCtxRetain") \
	X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2") \
	X(CtxSetCurrent,           "cuCtxSetCurrent") \
	X(CtxSetLimit,             "cuCtxSetLimit") \
	X(CtxSynchronize,          "cuCtxSynchronize") \
	X(MemAlloc,                "cuMemAlloc_v2") \
	X(MemAllocManaged,         "cuMemAllocManaged") \
	X(MemFree,                 "cuMemFree_v2") \
	X(MemcpyHtoDAsync,         "cuMemcpyHtoDAsync_v2") \
	X(MemcpyDtoHAsync,         "cuMemcpyDtoHAsync_v2") \
	X(MemcpyDtoDAsync,         "cuMemcpyDtoDAsync_v2") \
	X(MemsetD32,               "cuMemsetD32_v2") \
	X(MemsetD32Async,          "cuMemsetD32Async") \
	X(ModuleLoadData,          "cuModuleLoadData") \
	X(ModuleUnload,            "cuModuleUnload") \
	X(ModuleGetFunction,       "cuModuleGetFunction") \
	X(ModuleGetGlobal,         "cuModuleGetGlobal_v2") \
	X(FuncGetAttribute,        "cuFuncGetAttribute") \
	X(FuncSetAttribute,        "cuFuncSetAttribute") \
	X(LaunchKernelEx,          "cuLaunchKernelEx") \
	X(StreamCreate,            "cuStreamCreate") \
	X(StreamDestroy,           "cuStreamDestroy_v2") \
	X(StreamSynchronize,       "cuStreamSynchronize") \
	X(StreamWaitEvent,         "cuStreamWaitEvent") \
	X(StreamIsCapturing,       "cuStreamIsCapturing") \
	X(StreamBeginCapture,      "cuStreamBeginCapture_v2") \
	X(StreamEndCapture,        "cuStreamEndCapture") \
	X(ThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode") \
	X(EventCreate,             "cuEventCreate") \
	X(EventDestroy,            "cuEventDestroy_v2") \
	X(EventRecord,             "cuEventRecord") \
	X(EventSynchronize,        "cuEventSynchronize") \
	X(EventElapsedTime,        "cuEventElapsedTime") \
	X(GraphCreate,             "cuGraphCreate") \
	X(GraphDestroy,            "cuGraphDestroy") \
	X(GraphAddKernelNode,      "cuGraphAddKernelNode_v2") \
	X(GraphAddEmptyNode,       "cuGraphAddEmptyNode") \
	X(GraphAddMemcpyNode,      "cuGraphAddMemcpyNode") \
	X(GraphKernelNodeSetAttribute, "cuGraphKernelNodeSetAttribute") \
	X(GraphInstantiate,        "cuGraphInstantiateWithFlags") \
	X(GraphLaunch,             "cuGraphLaunch") \
	X(GraphExecDestroy,        "cuGraphExecDestroy")

struct cuda_driver {
	int version;                    /* of CUDA, as the driver counts: 13000 is 13.0 */
#define X(name, symbol) __typeof__(cu##name) *name;
	CUDA_FUNCTION_LIST(X)
#undef X
};

/* Loads and initialises the driver on the first call; the table is valid until the process ends.
 * NO_GPU with the reason: no library, no device, or a driver too old for this build. Call it from
 * one thread at a time. */
enum status cuda_driver_load(const struct cuda_driver **out);

/* DEVICE with error code `result` and the text "WHAT: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal
 * memory access was encountered". */
enum status cuda_driver_fail(const struct cuda_driver *, CUresult result, const char *what, ...)
	__attribute__((format(printf, 3, 4), cold));

#endif
