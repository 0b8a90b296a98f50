/* runtime_launch.c - launches: of a stub, by cudaLaunchKernel() and its variants.
 *
 * A pointer becomes a buffer and an offset by its address, also inside a struct that is passed by
 * value. An address in no buffer is passed as it is, with one exception: a pointer to the host's
 * own memory, which a GPU that cannot read it would fault on, is changed to one that faults.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* --- arguments --- */

/* The allocation that the address is in, or just past the end of. */
static struct allocation *find(uint64_t address)
{
	struct allocation *a = address_find((void *)(uintptr_t)address);

	return a || address == 0 ? a : address_find((void *)(uintptr_t)(address - 1));
}

/* Where nothing is mapped, so that an access faults, but still different for each pointer. On
 * aarch64 a process may have few address bits, but never this one. */
#ifdef __aarch64__
#define HIDEABLE (UINT64_C(1) << 16)
#define APART (-(UINT64_C(1) << 52))
#else
#define HIDEABLE (UINT64_C(1) << 46)
#define APART HIDEABLE
#endif
/* Kernels compute pointers a little before or after what they use. */
#define NEAR (UINT64_C(1) << 20)

static bool near_device_memory(uint64_t address)
{
	for (size_t i = 0; i < runtime.allocation_count; i++) {
		const struct allocation *a = &runtime.allocations[i];

		if (address + NEAR >= a->address && address < a->address + a->bytes + NEAR)
			return true;
	}
	return false;
}

/* Memory of a device that another one reaches as its peer only. */
static bool is_local(const struct allocation *a)
{
	return a->kind == PLACE_DEVICE || a->kind == PLACE_ARRAY || a->kind == PLACE_TEXTURE;
}

static uint64_t foreign(const struct runtime_device *d, const struct allocation *a,
			uint64_t address)
{
	bool reachable = d->reads_host;

	if (a)
		reachable = a->device == d || !is_local(a)
			|| (a->pool ? a->pool->peers[d->ordinal] : d->peers[a->device->ordinal]);
	else if (!reachable)
		reachable = near_device_memory(address);
	return reachable || address < HIDEABLE ? address : address - APART;
}

static void set_pointer(const struct runtime_device *d, struct arg *arg, uint64_t address)
{
	struct allocation *a = find(address);

	if (a && a->buffer && a->device == d) {
		arg->buffer = a->buffer;
		arg->offset = address - a->address;
	} else {
		arg->offset = foreign(d, a, address);
	}
}

/* The aligned words of a struct that are addresses of buffers. Others are left as they are. */
static void find_fields(const struct runtime_device *d, struct arg *arg)
{
	struct pointer_field *fields = NULL;
	uint64_t word;

	for (size_t at = 0; at + sizeof word <= arg->bytes; at += sizeof word) {
		struct allocation *a;

		memcpy(&word, (const char *)arg->value.blob + at, sizeof word);
		a = address_find((void *)(uintptr_t)word);
		if (!a || !a->buffer || a->device != d)
			continue;
		fields = xreallocarray(fields, (size_t)arg->field_count + 1, sizeof *fields);
		fields[arg->field_count++] = (struct pointer_field){
			.at = at, .buffer = a->buffer, .offset = word - a->address };
	}
	arg->fields = fields;
}

static void set_arg(const struct runtime_device *d, const struct kernel_param *param,
		    const void *value, struct arg *arg)
{
	uint64_t address;

	*arg = (struct arg){ .kind = param->kind };
	if (param->kind == PARAM_POINTER) {
		memcpy(&address, value, sizeof address);
		set_pointer(d, arg, address);
	} else if (param->kind == PARAM_BLOB) {
		arg->value.blob = value;
		arg->bytes = param->bytes;
		arg->alignment = param->alignment;
		find_fields(d, arg);
	} else {
		memcpy(&arg->value, value, param->bytes);
	}
}

/* --- one launch --- */

struct call {
	struct arg args[MAX_ARGS];
	int count;
};

static cudaError_t call_begin(struct runtime_device *d, const struct launch_work *w,
			      struct call *call)
{
	const struct kernel_param *params = kernel_params(w->kernel, &call->count);

	if (call->count > MAX_ARGS)
		return runtime_error(d, fail(STATUS_USAGE, "launch %s: %d parameters; the maximum "
					     "is %d", w->kernel->name, call->count, MAX_ARGS));
	for (int i = 0; i < call->count; i++)
		set_arg(d, &params[i], w->args[i], &call->args[i]);
	return cudaSuccess;
}

static void call_end(struct call *call)
{
	for (int i = 0; i < call->count; i++)
		free((void *)(uintptr_t)call->args[i].fields);
}

static cudaError_t show_buffer(struct runtime_device *d, struct stream *stream,
			       const struct buffer *buffer)
{
	struct allocation *a = buffer ? address_find((void *)(uintptr_t)buffer->address) : NULL;

	return a ? memory_show(d, stream, a) : cudaSuccess;
}

/* Of __managed__ variables. */
static cudaError_t show_variables(struct runtime_device *d, struct stream *stream,
				  const struct kernel *kernel)
{
	const struct kernel_variable *v = kernel->variables;

	for (; v && v->name; v++) {
		struct allocation *a = v->managed ? address_find(v->address) : NULL;

		if (a)
			TRY_CUDA(memory_show(d, stream, a));
	}
	return cudaSuccess;
}

static cudaError_t show(struct runtime_device *d, struct stream *stream, const struct call *call)
{
	for (int i = 0; d->watched && i < call->count; i++) {
		TRY_CUDA(show_buffer(d, stream, call->args[i].buffer));
		for (int f = 0; f < call->args[i].field_count; f++)
			TRY_CUDA(show_buffer(d, stream, call->args[i].fields[f].buffer));
	}
	return cudaSuccess;
}

cudaError_t launch_show(struct runtime_device *d, struct stream *stream,
			const struct launch_work *w)
{
	struct call call;
	cudaError_t error;

	TRY_CUDA(call_begin(d, w, &call));
	error = show(d, stream, &call);
	call_end(&call);
	if (error == cudaSuccess)
		error = show_variables(d, stream, w->kernel);
	return error;
}

static cudaError_t launch(struct runtime_device *d, struct stream *stream,
			  const struct launch_work *w, const struct call *call)
{
	struct launch_attribute attributes[ATTRIBUTE_COUNT];
	struct launch launch = {
		.kernel = w->kernel, .grid = w->grid, .block = w->block, .cluster = w->cluster,
		.stream = stream,
		.shared_bytes = (unsigned)w->shared, .args = call->args,
		.arg_count = call->count, .attributes = attributes, .layer = -1,
	};
	struct function *f;

	TRY_CUDA(function_record(d, w->kernel, &f));
	if (f->limited)
		attributes[launch.attribute_count++] = (struct launch_attribute){
			ATTRIBUTE_MAX_DYNAMIC_SHARED, f->dynamic_shared };
	if (f->wide_clusters)
		attributes[launch.attribute_count++] = (struct launch_attribute){
			ATTRIBUTE_NONPORTABLE_CLUSTER, 1 };
	if (w->cooperative)
		attributes[launch.attribute_count++] = (struct launch_attribute){
			ATTRIBUTE_COOPERATIVE, 1 };
	return runtime_launch_error(d, device_launch(d->device, &launch));
}

cudaError_t launch_run(struct runtime_device *d, struct stream *stream,
		       const struct launch_work *w, bool captured)
{
	struct call call;
	cudaError_t error;

	TRY_CUDA(call_begin(d, w, &call));
	error = captured ? cudaSuccess : show(d, stream, &call);
	if (error == cudaSuccess && !captured)
		error = show_variables(d, stream, w->kernel);
	if (error == cudaSuccess)
		error = launch(d, stream, w, &call);
	call_end(&call);
	return error;
}

/* --- calls --- */

/* A size of 0 is an error, which device_launch() takes for 1 in y and z. */
static cudaError_t check_sizes(struct dim3 grid, struct dim3 block, size_t shared)
{
	if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
		return cudaErrorInvalidValue;
	return shared > UINT32_MAX ? cudaErrorInvalidValue : cudaSuccess;
}

/* Finds the kernel and checks what the launch says, except the device's limits. */
static cudaError_t check(struct launch_work *w)
{
	int count;

	TRY_CUDA(function_of(w->func, &w->kernel));
	TRY_CUDA(check_sizes(w->grid, w->block, w->shared));
	kernel_params(w->kernel, &count);
	return count > 0 && !w->args ? cudaErrorInvalidValue : cudaSuccess;
}

/* For a node, before it is a launch of a device, which would check it. */
static cudaError_t check_node(const struct launch_work *w)
{
	const struct device_info *info = &runtime_current()->info;
	uint64_t threads = (uint64_t)w->block.x * w->block.y;

	if (w->grid.x > info->max_grid.x || w->grid.y > info->max_grid.y
	    || w->grid.z > info->max_grid.z || w->block.x > info->max_block.x
	    || w->block.y > info->max_block.y || w->block.z > info->max_block.z
	    || threads * w->block.z > info->max_threads_per_block)
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t launch_from_params(const struct cudaKernelNodeParams *p, struct launch_work *out)
{
	if (!p)
		return cudaErrorInvalidValue;
	if (p->extra)
		return cudaErrorNotSupported;
	*out = (struct launch_work){
		.func = p->func, .grid = p->gridDim, .block = p->blockDim,
		.args = p->kernelParams, .shared = p->sharedMemBytes };
	TRY_CUDA(check(out));
	return check_node(out);
}

static cudaError_t submit(struct launch_work launch_work, cudaStream_t stream)
{
	struct work work = { .kind = WORK_LAUNCH, .launch = launch_work };
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(stream, &s));
	if (s->device != runtime_current())
		return cudaErrorInvalidResourceHandle;
	TRY_CUDA(check(&work.launch));
	return work_submit(s, &work);
}

cudaError_t cudaLaunchKernel(const void *func, struct dim3 gridDim, struct dim3 blockDim,
			     void **args, size_t sharedMem, cudaStream_t stream)
{
	return API(submit((struct launch_work){
		.func = func, .grid = gridDim, .block = blockDim, .args = args,
		.shared = sharedMem }, stream));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, struct dim3 gridDim, struct dim3 blockDim,
					void **args, size_t sharedMem, cudaStream_t stream)
{
	return API(submit((struct launch_work){
		.func = func, .grid = gridDim, .block = blockDim, .args = args,
		.shared = sharedMem, .cooperative = true }, stream));
}

/* Attributes that only concern speed are ignored. */
static cudaError_t launch_config(const cudaLaunchConfig_t *config, const void *func, void **args)
{
	struct launch_work work;

	if (!config)
		return cudaErrorInvalidValue;
	work = (struct launch_work){
		.func = func, .grid = config->gridDim, .block = config->blockDim, .args = args,
		.shared = config->dynamicSmemBytes };
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttribute *attribute = &config->attrs[i];

		if (attribute->id == cudaLaunchAttributeCooperative)
			work.cooperative = attribute->val.cooperative != 0;
		if (attribute->id == cudaLaunchAttributeClusterDimension)
			work.cluster = (struct dim3){ attribute->val.clusterDim.x,
						      attribute->val.clusterDim.y,
						      attribute->val.clusterDim.z };
	}
	return submit(work, config->stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
	return API(launch_config(config, func, args));
}

/* --- <<< >>> --- */

/* A stack, because an argument of a launch may make a launch itself. */
#define MAX_NESTED 16
static _Thread_local struct configuration {
	struct dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
} configured[MAX_NESTED];
static _Thread_local unsigned depth;

int ft_configure(struct dim3 grid, struct dim3 block, size_t shared, cudaStream_t stream)
{
	/* An exception in an argument leaves one behind; the oldest are overwritten then. */
	configured[depth++ % MAX_NESTED] = (struct configuration){ grid, block, shared, stream };
	return 0;
}

/* Nothing is refused on a device that has failed: the program gets that error from every call. */
static cudaError_t submit_noted(struct launch_work work, cudaStream_t stream)
{
	const struct kernel *kernel = NULL;
	cudaError_t error;

	error_clear();
	error = submit(work, stream);
	if (error != cudaSuccess && !runtime_current()->sticky) {
		bool has_text = error_code() == (int)error;

		function_of(work.func, &kernel);
		refused_note(kernel ? kernel->name : "of what is not a kernel", work.grid,
			     work.block, error, has_text);
	}
	return error;
}

void ft_stub(void **args)
{
	const struct configuration *c = &configured[--depth % MAX_NESTED];
	const void *stub = __builtin_return_address(0);

	API(submit_noted((struct launch_work){
		.func = stub, .grid = c->grid, .block = c->block, .args = args,
		.shared = c->shared }, c->stream));
}
