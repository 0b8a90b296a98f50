/* runtime_function.c - kernels: which one a pointer is, their attributes, and occupancy.
 *
 * Occupancy is CUDA's formula for threads, blocks, shared memory and, where a device knows them,
 * registers. The simulator does not: it counts as if registers were never the limit. A kernel's
 * __launch_bounds__ do not count, as in CUDA.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include "base/xalloc.h"

/* --- finding --- */

cudaError_t function_of(const void *func, const struct kernel **out)
{
	if (!func)
		return cudaErrorInvalidDeviceFunction;
	*out = runtime.program->kernel(runtime.program->context, func);
	return *out ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t function_record(struct runtime_device *d, const struct kernel *kernel,
			    struct function **out)
{
	struct function_info info;
	struct function *f = d->functions;

	while (f && f->kernel != kernel)
		f = f->next;
	if (!f) {
		TRY_DEVICE(d, device_function(d->device, kernel, &info));
		f = xcalloc(1, sizeof *f);
		f->kernel = kernel;
		f->info = info;
		f->carveout = cudaSharedmemCarveoutDefault;
		f->next = d->functions;
		d->functions = f;
	}
	*out = f;
	return cudaSuccess;
}

static cudaError_t find(const void *func, struct runtime_device **d, struct function **out)
{
	const struct kernel *kernel;

	TRY_CUDA(runtime_live(d));
	TRY_CUDA(function_of(func, &kernel));
	return function_record(*d, kernel, out);
}

/* --- attributes --- */

static int max_dynamic(const struct runtime_device *d, const struct function *f)
{
	if (f->limited)
		return f->dynamic_shared;
	return (int)(d->info.shared_per_block - f->info.static_shared);
}

static cudaError_t get_attributes(struct cudaFuncAttributes *out, const void *func)
{
	struct runtime_device *d;
	struct function *f;
	int version;

	TRY_CUDA(runtime_live(&d));
	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(find(func, &d, &f));
	version = 10 * d->info.compute_major + d->info.compute_minor;
	*out = (struct cudaFuncAttributes){
		.sharedSizeBytes = f->info.static_shared, .constSizeBytes = f->info.constant_bytes,
		.localSizeBytes = f->info.local_bytes,
		.maxThreadsPerBlock = (int)f->info.max_threads, .numRegs = f->info.registers,
		.ptxVersion = version, .binaryVersion = version,
		.maxDynamicSharedSizeBytes = max_dynamic(d, f),
		.preferredShmemCarveout = f->carveout,
		.nonPortableClusterSizeAllowed = f->wide_clusters,
	};
	return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
	return API(get_attributes(attr, func));
}

static cudaError_t set_attribute(const void *func, enum cudaFuncAttribute attribute, int value)
{
	struct runtime_device *d;
	struct function *f;

	TRY_CUDA(find(func, &d, &f));
	switch (attribute) {
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		if (value < 0
		    || (size_t)value + f->info.static_shared > d->info.shared_per_block_optin)
			return cudaErrorInvalidValue;
		f->limited = true;
		f->dynamic_shared = value;
		return cudaSuccess;
	case cudaFuncAttributePreferredSharedMemoryCarveout:
		if (value < -1 || value > 100)
			return cudaErrorInvalidValue;
		f->carveout = value;
		return cudaSuccess;
	case cudaFuncAttributeNonPortableClusterSizeAllowed:
		f->wide_clusters = value != 0;
		return cudaSuccess;
	case cudaFuncAttributeClusterSchedulingPolicyPreference:
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
	return API(set_attribute(func, attr, value));
}

static cudaError_t set_cache(const void *func, int value, int most)
{
	struct runtime_device *d;
	struct function *f;

	TRY_CUDA(find(func, &d, &f));
	return value < 0 || value > most ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
	return API(set_cache(func, (int)cacheConfig, cudaFuncCachePreferEqual));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
	return API(set_cache(func, (int)config, cudaSharedMemBankSizeEightByte));
}

static cudaError_t get_name(const char **out, const void *func)
{
	struct runtime_device *d;
	struct function *f;

	TRY_CUDA(runtime_live(&d));
	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(find(func, &d, &f));
	*out = f->kernel->symbol ? f->kernel->symbol : f->kernel->name;
	return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
	return API(get_name(name, func));
}

/* --- occupancy --- */

struct capacity {                       /* of a multiprocessor */
	int threads, blocks, shared, reserved, registers;
};

static cudaError_t capacity_of(struct runtime_device *d, struct capacity *out)
{
	const struct {
		enum cudaDeviceAttr attribute;
		int *value;
	} wanted[] = {
		{ cudaDevAttrMaxThreadsPerMultiProcessor, &out->threads },
		{ cudaDevAttrMaxBlocksPerMultiprocessor, &out->blocks },
		{ cudaDevAttrMaxSharedMemoryPerMultiprocessor, &out->shared },
		{ cudaDevAttrReservedSharedMemoryPerBlock, &out->reserved },
		{ cudaDevAttrMaxRegistersPerMultiprocessor, &out->registers },
	};

	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		TRY_DEVICE(d, device_attribute(d->device, (int)wanted[i].attribute,
					       wanted[i].value));
	return cudaSuccess;
}

#define SHARED_UNIT 128                 /* shared memory is given in these units */
#define REGISTER_UNIT 256               /* registers of a warp */
#define SCHEDULERS 4                    /* warps of a multiprocessor are spread over these */

static size_t round_up(size_t value, size_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static int limit(int blocks, size_t fit)
{
	return fit < (size_t)blocks ? (int)fit : blocks;
}

static cudaError_t resident(int *out, const void *func, int block, size_t dynamic)
{
	struct capacity c;
	struct runtime_device *d;
	struct function *f;
	size_t warps, shared;

	TRY_CUDA(runtime_live(&d));
	if (!out || block <= 0)
		return cudaErrorInvalidValue;
	TRY_CUDA(find(func, &d, &f));
	TRY_CUDA(capacity_of(d, &c));
	*out = 0;
	if ((unsigned)block > d->info.max_threads_per_block || dynamic > (size_t)max_dynamic(d, f))
		return cudaSuccess;
	warps = round_up((size_t)block, d->info.warp_size) / d->info.warp_size;
	shared = round_up(f->info.static_shared + dynamic + (size_t)c.reserved, SHARED_UNIT);
	*out = limit(c.blocks, (size_t)c.threads / (warps * d->info.warp_size));
	if (shared)
		*out = limit(*out, (size_t)c.shared / shared);
	if (f->info.registers) {
		size_t each = round_up((size_t)f->info.registers * d->info.warp_size,
				       REGISTER_UNIT);
		size_t fit = (size_t)c.registers / SCHEDULERS / each * SCHEDULERS;

		*out = limit(*out, fit / warps);
	}
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
							  int blockSize, size_t dynamicSMemSize)
{
	return API(resident(numBlocks, func, blockSize, dynamicSMemSize));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize, unsigned flags)
{
	return API(flags > cudaOccupancyDisableCachingOverride ? cudaErrorInvalidValue
		   : resident(numBlocks, func, blockSize, dynamicSMemSize));
}

static cudaError_t available(size_t *out, const void *func, int blocks, int block)
{
	struct capacity c;
	struct runtime_device *d;
	struct function *f;
	size_t each, most;

	TRY_CUDA(runtime_live(&d));
	if (!out || blocks <= 0 || block <= 0)
		return cudaErrorInvalidValue;
	TRY_CUDA(find(func, &d, &f));
	TRY_CUDA(capacity_of(d, &c));
	each = (size_t)c.shared / (size_t)blocks / SHARED_UNIT * SHARED_UNIT;
	most = (size_t)c.reserved + f->info.static_shared;
	*out = each > most ? each - most : 0;
	most = (size_t)max_dynamic(d, f);
	*out = *out > most ? most : *out;
	return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
						      int numBlocks, int blockSize)
{
	return API(available(dynamicSmemSize, func, numBlocks, blockSize));
}
