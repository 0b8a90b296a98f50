/* cuda_launch.c - kernels on the GPU: loading, arguments, launches and their times.
 *
 * A kernel's fatbin is loaded at its first launch, or before a capture begins. Launches are
 * asynchronous, as in CUDA; each is timed by two events around it. CUDA itself rejects too much
 * shared memory, invalid grids and the like. Used by the table in device_cuda.c.
 */
#include "config.h"

#include "engine/cuda/device_cuda.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* --- loading --- */

static enum status find_points(struct cuda_device *d, const struct kernel *kernel,
			       struct cuda_module *module)
{
	size_t bytes;

	TRY(cuda_check(d, d->cu->ModuleGetGlobal(&module->points, &bytes, module->handle,
						 "flashtwin_points"),
		       "finding flashtwin_points in the probed %s", kernel->name));
	if (bytes != sizeof(struct point_sink))
		return fail(STATUS_INTERNAL, "flashtwin_points of %s has %zu bytes, not %zu",
			    kernel->name, bytes, sizeof(struct point_sink));
	return STATUS_OK;
}

/* `what`: a kernel or variable of the image. */
static enum status module_load(struct cuda_device *d, const void *image, const char *what,
			       struct cuda_module **out)
{
	struct cuda_module *module = d->modules;
	CUmodule handle;

	if (!image)
		return fail(STATUS_USAGE, "%s was not built for a GPU", what);
	while (module && module->image != image)
		module = module->next;
	if (!module) {
		TRY(cuda_check(d, d->cu->ModuleLoadData(&handle, image), "loading %s", what));
		module = xcalloc(1, sizeof *module);
		module->image = image;
		module->handle = handle;
		module->next = d->modules;
		d->modules = module;
	}
	*out = module;
	return STATUS_OK;
}

static enum status build_load(struct cuda_device *d, const struct kernel *kernel, bool probed,
			      struct cuda_build *build)
{
	const char *symbol = kernel->code->fatbin_symbol ? kernel->code->fatbin_symbol
		: kernel->symbol ? kernel->symbol : kernel->name;
	struct cuda_module *module = NULL;
	size_t bytes;

	TRY(module_load(d, kernel_fatbin(kernel, probed, &bytes), kernel->name, &module));
	TRY(cuda_check(d, d->cu->ModuleGetFunction(&build->function, module->handle, symbol),
		       "finding %s in its module", symbol));
	if (probed && !module->points)
		TRY(find_points(d, kernel, module));
	build->module = module;
	return STATUS_OK;
}

static struct cuda_kernel *kernel_entry(struct cuda_device *d, const struct kernel *kernel)
{
	struct cuda_kernel *k = d->kernels;

	while (k && k->kernel != kernel)
		k = k->next;
	if (!k) {
		k = xcalloc(1, sizeof *k);
		k->kernel = kernel;
		k->dynamic_shared = DEFAULT_SHARED;
		k->builds[0].dynamic_shared = k->builds[1].dynamic_shared = DEFAULT_SHARED;
		k->next = d->kernels;
		d->kernels = k;
	}
	return k;
}

enum status cuda_load_all(struct cuda_device *d)
{
	for (const struct kernel *const *kernel = kernel_table; *kernel; kernel++) {
		struct cuda_kernel *k = kernel_entry(d, *kernel);

		for (int probed = 0; probed <= ((*kernel)->points != NULL); probed++)
			if (!k->builds[probed].module)
				TRY(build_load(d, *kernel, probed, &k->builds[probed]));
	}
	return STATUS_OK;
}

enum status cuda_find_variable(struct cuda_device *d, const struct kernel_variable *v,
			       CUdeviceptr *address, size_t *bytes)
{
	struct cuda_module *module = NULL;

	TRY(module_load(d, v->fatbin_symbol ? v->fatbin : NULL, v->name, &module));
	return cuda_check(d, d->cu->ModuleGetGlobal(address, bytes, module->handle,
						    v->fatbin_symbol),
			  "finding the variable %s in its module", v->name);
}

enum status cuda_function(struct device *device, const struct kernel *kernel,
			  struct function_info *out)
{
	struct cuda_device *d = cuda_device(device);
	struct cuda_build *build = &kernel_entry(d, kernel)->builds[0];
	static const CUfunction_attribute wanted[] = {
		CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
		CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
		CU_FUNC_ATTRIBUTE_NUM_REGS,
	};
	int value[sizeof wanted / sizeof wanted[0]];

	TRY(cuda_enter(d));
	if (!build->module)
		TRY(build_load(d, kernel, false, build));
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		TRY(cuda_check(d, d->cu->FuncGetAttribute(&value[i], wanted[i], build->function),
			       "reading attribute %d of %s", (int)wanted[i], kernel->name));
	*out = (struct function_info){
		.static_shared = (size_t)value[0], .constant_bytes = (size_t)value[1],
		.local_bytes = (size_t)value[2], .max_threads = (unsigned)value[3],
		.registers = value[4],
	};
	return STATUS_OK;
}

void cuda_unload_all(struct cuda_device *d)
{
	while (d->kernels) {
		struct cuda_kernel *k = d->kernels;

		d->kernels = k->next;
		free(k);
	}
	while (d->modules) {
		struct cuda_module *module = d->modules;

		d->modules = module->next;
		d->cu->ModuleUnload(module->handle);
		free(module);
	}
}

/* --- preparing a launch --- */

/* Allows a kernel more dynamic shared memory, also for later launches, as in CUDA. CUDA keeps this
 * limit per function, and a kernel has two functions here (plain and probed): each gets the limit
 * when it is launched. */
static enum status grant_shared(struct cuda_device *d, struct cuda_kernel *k,
				struct cuda_build *build, int bytes)
{
	if (build->dynamic_shared == bytes)
		return STATUS_OK;
	TRY(cuda_check(d, d->cu->FuncSetAttribute(build->function,
						  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
						  bytes),
		       "allowing %s %d bytes of dynamic shared memory", k->kernel->name, bytes));
	build->dynamic_shared = bytes;
	k->dynamic_shared = bytes;
	return STATUS_OK;
}

/* The same for clusters of more than 8 blocks. */
static enum status grant_cluster(struct cuda_device *d, struct cuda_kernel *k,
				 struct cuda_build *build, bool nonportable)
{
	const CUfunction_attribute allowed = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;

	if (build->nonportable == nonportable)
		return STATUS_OK;
	TRY(cuda_check(d, d->cu->FuncSetAttribute(build->function, allowed, nonportable),
		       "allowing %s clusters of more than 8 blocks", k->kernel->name));
	build->nonportable = nonportable;
	k->nonportable = nonportable;
	return STATUS_OK;
}

/* A kernel with __cluster_dims__ has its cluster without an attribute. */
static bool is_own_cluster(const struct kernel *kernel, struct dim3 c)
{
	struct dim3 own = kernel_cluster(kernel);

	return own.x == c.x && own.y == c.y && own.z == c.z;
}

static enum status add_attributes(struct cuda_device *d, const struct launch *launch,
				  struct cuda_kernel *k, struct cuda_call *call)
{
	CUlaunchAttribute *next = call->attributes;
	struct dim3 cluster = launch->cluster;
	int granted = k->dynamic_shared;
	bool nonportable = k->nonportable;

	for (int i = 0; i < launch->attribute_count; i++) {
		const struct launch_attribute *attribute = &launch->attributes[i];

		if (attribute->id == ATTRIBUTE_MAX_DYNAMIC_SHARED) {
			granted = attribute->value > INT_MAX ? INT_MAX : (int)attribute->value;
		} else if (attribute->id == ATTRIBUTE_NONPORTABLE_CLUSTER) {
			nonportable = attribute->value != 0;
		} else {
			next->id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
			next->value.cooperative = attribute->value != 0;
			call->config.numAttrs = 1;
		}
	}
	if ((cluster.x > 1 || cluster.y > 1 || cluster.z > 1)
	    && !is_own_cluster(launch->kernel, cluster)) {
		next += call->config.numAttrs++;
		next->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
		next->value.clusterDim.x = cluster.x;
		next->value.clusterDim.y = cluster.y;
		next->value.clusterDim.z = cluster.z;
	}
	call->config.attrs = call->attributes;
	TRY(grant_cluster(d, k, call->build, nonportable));
	return grant_shared(d, k, call->build, granted);
}

/* Without a buffer, the offset is the address. */
static uint64_t address_of(const struct buffer *buffer, uint64_t offset)
{
	return buffer ? buffer->address + offset : offset;
}

static void copy_blob(const struct arg *arg, unsigned char *place)
{
	memcpy(place, arg->value.blob, arg->bytes);
	for (int i = 0; i < arg->field_count; i++) {
		const struct pointer_field *field = &arg->fields[i];
		uint64_t address = address_of(field->buffer, field->offset);

		memcpy(place + field->at, &address, sizeof address);
	}
}

/* Sets the pointers from which the driver copies the arguments. It knows their sizes from the
 * compiled kernel. */
static void pack_arguments(const struct launch *launch, struct cuda_call *call)
{
	size_t blob_bytes = 0;
	unsigned char *place;

	for (int i = 0; i < launch->arg_count; i++)
		if (launch->args[i].kind == PARAM_BLOB)
			blob_bytes += launch->args[i].bytes;
	if (blob_bytes)
		call->blobs = xmalloc(blob_bytes);

	place = call->blobs;
	for (int i = 0; i < launch->arg_count; i++) {
		const struct arg *arg = &launch->args[i];

		if (arg->kind == PARAM_POINTER) {
			call->addresses[i] = address_of(arg->buffer, arg->offset);
			call->params[i] = &call->addresses[i];
		} else if (arg->kind == PARAM_BLOB) {
			copy_blob(arg, place);
			call->params[i] = place;
			place += arg->bytes;
		} else {
			call->params[i] = (void *)&arg->value;
		}
	}
}

enum status cuda_call_prepare(struct cuda_device *d, const struct launch *launch,
			      struct cuda_call *call)
{
	const struct kernel *kernel = launch->kernel;
	/* Without buffers for points, the plain build runs. */
	bool probed = launch->probed && kernel->points && d->sink.records;
	struct cuda_kernel *k = kernel_entry(d, kernel);

	*call = (struct cuda_call){ .build = &k->builds[probed] };
	if (!call->build->module)
		TRY(build_load(d, kernel, probed, call->build));
	call->config = (CUlaunchConfig){
		.gridDimX = launch->grid.x, .gridDimY = launch->grid.y,
		.gridDimZ = launch->grid.z, .blockDimX = launch->block.x,
		.blockDimY = launch->block.y, .blockDimZ = launch->block.z,
		.sharedMemBytes = launch->shared_bytes,
	};
	TRY(add_attributes(d, launch, k, call));
	pack_arguments(launch, call);
	return STATUS_OK;
}

void cuda_call_free(struct cuda_call *call)
{
	free(call->blobs);
}

/* --- launching --- */

static enum status is_captured(struct cuda_device *d, CUstream stream, bool *captured)
{
	CUstreamCaptureStatus capture;

	TRY(cuda_check(d, d->cu->StreamIsCapturing(stream, &capture), "querying a capture"));
	*captured = capture != CU_STREAM_CAPTURE_STATUS_NONE;
	return STATUS_OK;
}

/* A captured launch is not timed: events recorded then would become part of the graph. */
static enum status launch_call(struct cuda_device *d, const struct kernel *kernel,
			       struct cuda_call *call)
{
	const struct cuda_driver *cu = d->cu;
	CUstream stream = call->config.hStream;
	bool captured, timed;

	d->launch_timed = false;
	TRY(is_captured(d, stream, &captured));
	timed = !captured && !d->untimed;
	TRY(cuda_send_points(d, call->build->module, stream, captured));
	if (timed)
		TRY(cuda_check(d, cu->EventRecord(d->launch_begin, stream), "timing %s",
			       kernel->name));
	TRY(cuda_check(d, cu->LaunchKernelEx(&call->config, call->build->function, call->params,
					     NULL),
		       "launching %s, grid %ux%ux%u, block %ux%ux%u, %u bytes shared",
		       kernel->name, call->config.gridDimX, call->config.gridDimY,
		       call->config.gridDimZ, call->config.blockDimX, call->config.blockDimY,
		       call->config.blockDimZ, call->config.sharedMemBytes));
	d->last_kernel = kernel->name;
	if (timed)
		TRY(cuda_check(d, cu->EventRecord(d->launch_end, stream), "timing %s",
			       kernel->name));
	d->launch_timed = timed;
	return STATUS_OK;
}

/* A graph that is built by hand has edges of its own: its nodes do not get this. */
static void allow_overlap(struct cuda_call *call)
{
	CUlaunchAttribute *last = &call->attributes[call->config.numAttrs++];

	last->id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
	last->value.programmaticStreamSerializationAllowed = 1;
}

enum status cuda_launch(struct device *device, const struct launch *launch)
{
	struct cuda_device *d = cuda_device(device);
	struct cuda_call call;
	enum status status;

	TRY(cuda_enter(d));
	status = cuda_call_prepare(d, launch, &call);
	if (status == STATUS_OK && launch->kernel->programmatic && d->programmatic)
		allow_overlap(&call);
	if (status == STATUS_OK)
		status = cuda_stream(d, launch->stream, &call.config.hStream);
	if (status == STATUS_OK)
		status = launch_call(d, launch->kernel, &call);
	cuda_call_free(&call);
	return status;
}

double cuda_last_launch_us(struct device *device)
{
	struct cuda_device *d = cuda_device(device);
	float ms;

	if (!d->launch_timed || d->fault || d->cu->CtxSetCurrent(d->context) != CUDA_SUCCESS
	    || d->cu->EventSynchronize(d->launch_end) != CUDA_SUCCESS
	    || d->cu->EventElapsedTime(&ms, d->launch_begin, d->launch_end) != CUDA_SUCCESS)
		return -1.0;
	return 1e3 * (double)ms;
}
