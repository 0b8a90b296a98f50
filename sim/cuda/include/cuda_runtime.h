/* cuda_runtime.h - the runtime API with its C++ overloads; replaces CUDA's header of this name.
 *
 * The built-ins of device code are defined elsewhere (sim/cuda/user.h). The functions are in
 * engine/runtime/; the overloads here take typed pointers, kernels and variables.
 */
#ifndef FLASHTWIN_CUDA_RUNTIME_H
#define FLASHTWIN_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__      /* programs test it */

#ifdef __cplusplus
#include <utility>      /* as in CUDA's header, on which programs rely */
#endif

#include "sim/cuda/include/cuda_runtime_api.h"
#include "sim/cuda/include/channel_descriptor.h"
#include "sim/cuda/vectors.h"

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
	struct cudaExtent extent;

	extent.width = w;
	extent.height = h;
	extent.depth = d;
	return extent;
}

static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	struct cudaPos pos;

	pos.x = x;
	pos.y = y;
	pos.z = z;
	return pos;
}

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t p, size_t xsz, size_t ysz)
{
	struct cudaPitchedPtr pitched;

	pitched.ptr = d;
	pitched.pitch = p;
	pitched.xsize = xsz;
	pitched.ysize = ysz;
	return pitched;
}

#ifdef __cplusplus

/* --- allocations --- */

template <class T> static inline cudaError_t cudaMalloc(T **devPtr, size_t size)
{
	return ::cudaMalloc((void **)(void *)devPtr, size);
}

template <class T>
static inline cudaError_t cudaMallocHost(T **ptr, size_t size,
					 unsigned flags = cudaHostAllocDefault)
{
	return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

static inline cudaError_t cudaMallocHost(void **ptr, size_t size, unsigned flags)
{
	return ::cudaHostAlloc(ptr, size, flags);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned flags)
{
	return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **pDevice, void *pHost, unsigned flags)
{
	return ::cudaHostGetDevicePointer((void **)(void *)pDevice, pHost, flags);
}

template <class T>
static inline cudaError_t cudaMallocManaged(T **devPtr, size_t size,
					    unsigned flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)(void *)devPtr, size, flags);
}

template <class T>
static inline cudaError_t cudaMallocPitch(T **devPtr, size_t *pitch, size_t width, size_t height)
{
	return ::cudaMallocPitch((void **)(void *)devPtr, pitch, width, height);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **devPtr, size_t size, cudaStream_t stream)
{
	return ::cudaMallocAsync((void **)(void *)devPtr, size, stream);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t memPool,
					  cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **ptr, size_t size, cudaMemPool_t memPool,
						  cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *devPtr,
						   size_t length = 0,
						   unsigned flags = cudaMemAttachSingle)
{
	return ::cudaStreamAttachMemAsync(stream, (void *)devPtr, length, flags);
}

/* --- variables, which are named, not pointed to --- */

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
					     size_t offset = 0,
					     enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count,
						  size_t offset = 0,
						  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
						  cudaStream_t stream = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
					       size_t offset = 0,
					       enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(
	void *dst, const T &symbol, size_t count, size_t offset = 0,
	enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **devPtr, const T &symbol)
{
	return ::cudaGetSymbolAddress(devPtr, (const void *)&symbol);
}

template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
	return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

/* --- kernels --- */

template <class T>
static inline cudaError_t cudaLaunchKernel(T *func, dim3 gridDim, dim3 blockDim, void **args,
					   size_t sharedMem = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}

template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 gridDim, dim3 blockDim,
						      void **args, size_t sharedMem = 0,
						      cudaStream_t stream = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem,
					     stream);
}

/* The arguments are converted to the parameters' types, as in a call. */
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
					     A &&...args)
{
	return [&](P... values) {
		void *pointers[sizeof...(P) + 1] = { (void *)&values... };

		return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
	}((A &&)args...);
}

template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *entry)
{
	return ::cudaFuncGetAttributes(attr, (const void *)entry);
}

template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attr, int value)
{
	return ::cudaFuncSetAttribute((const void *)func, attr, value);
}

template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache cacheConfig)
{
	return ::cudaFuncSetCacheConfig((const void *)func, cacheConfig);
}

template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, enum cudaSharedMemConfig config)
{
	return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}

template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *func)
{
	return ::cudaFuncGetName(name, (const void *)func);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T func,
									int blockSize,
									size_t dynamicSMemSize)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void *)func,
							       blockSize, dynamicSMemSize);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *numBlocks, T func, int blockSize, size_t dynamicSMemSize, unsigned flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		numBlocks, (const void *)func, blockSize, dynamicSMemSize, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *func,
								    int numBlocks, int blockSize)
{
	return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)func, numBlocks,
							   blockSize);
}

/* The block size with the most resident threads; of equal ones the largest, as in CUDA. */
template <class S, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize,
									 int *blockSize, T func,
									 S bytes, int limit = 0)
{
	struct cudaFuncAttributes attributes;
	int device, warp, threads, count, best = 0;
	cudaError_t error;

	if (!minGridSize || !blockSize || !func)
		return cudaErrorInvalidValue;
	if ((error = ::cudaGetDevice(&device)) != cudaSuccess
	    || (error = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device))
	    || (error = ::cudaDeviceGetAttribute(
			&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device))
	    || (error = ::cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device))
	    || (error = ::cudaFuncGetAttributes(&attributes, (const void *)func)))
		return error;
	if (limit == 0 || limit > attributes.maxThreadsPerBlock)
		limit = attributes.maxThreadsPerBlock;
	for (int size = (limit + warp - 1) / warp * warp; size > 0; size -= warp) {
		int block = size < limit ? size : limit, resident;

		error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&resident, (const void *)func, block, (size_t)bytes(block));
		if (error != cudaSuccess)
			return error;
		if (block * resident > best) {
			best = block * resident;
			*blockSize = block;
			*minGridSize = resident * count;
		}
		if (best == threads)
			break;
	}
	return cudaSuccess;
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
							     T func, size_t dynamicSMemSize = 0,
							     int blockSizeLimit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
		minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; },
		blockSizeLimit);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(
	int *minGridSize, int *blockSize, T func, size_t dynamicSMemSize = 0,
	int blockSizeLimit = 0, unsigned = 0)
{
	return cudaOccupancyMaxPotentialBlockSize(minGridSize, blockSize, func, dynamicSMemSize,
						  blockSizeLimit);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
	return ::cudaEventCreateWithFlags(event, flags);
}

#include "sim/cuda/include/cuda_runtime_12.h"

#endif
#endif
