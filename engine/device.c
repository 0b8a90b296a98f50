/* device.c - the checks every device shares, then the call through its table.
 *
 * What no device may be asked: a null pointer, a byte range outside a buffer, a buffer of another
 * device, arguments that are not the kernel's, an operation it does not have. Each is a USAGE error
 * with the values, given before the device sees anything. Limits and faults are left to the
 * devices, which answer as CUDA does. Serves the paths, replay and users' launches.
 */
#include "engine/device.h"

#include <string.h>

/* --- checks --- */

static enum status check_op(const struct device *device, bool present, const char *what)
{
	if (device == NULL)
		return fail(STATUS_USAGE, "%s: no device", what);
	if (!present)
		return fail(STATUS_USAGE, "%s: the %s device does not have this operation",
			    what, device->ops->name);
	return STATUS_OK;
}

/* Fails unless `device`, a table entry of it and so on can be used for WHAT. */
#define CHECK_OP(device, op) \
	TRY(check_op(device, (device) != NULL && (device)->ops->op != NULL, #op))

/* Buffers carry the device that allocated them: a recorder's belong to the device it wraps. */
static bool owns(const struct device *device, const struct buffer *buffer)
{
	for (; device != NULL; device = device->inner)
		if (buffer->device == device)
			return true;
	return false;
}

static enum status check_buffer(const struct device *device, const struct buffer *buffer,
				const char *what)
{
	if (buffer == NULL)
		return fail(STATUS_USAGE, "%s: no buffer", what);
	if (!owns(device, buffer))
		return fail(STATUS_USAGE, "%s: buffer %s belongs to device %s %d, not to %s %d",
			    what, buffer->name, buffer->device->ops->name, buffer->device->ordinal,
			    device->ops->name, device->ordinal);
	return STATUS_OK;
}

static enum status check_range(const struct device *device, const struct buffer *buffer,
			       uint64_t offset, uint64_t bytes, const char *what)
{
	TRY(check_buffer(device, buffer, what));
	if (offset > buffer->bytes || bytes > buffer->bytes - offset)
		return fail(STATUS_USAGE, "%s: %llu bytes at offset %llu of buffer %s, which has "
			    "%zu bytes", what, (unsigned long long)bytes,
			    (unsigned long long)offset, buffer->name, buffer->bytes);
	return STATUS_OK;
}

static enum status check_host(const void *memory, size_t bytes, const char *what)
{
	if (memory == NULL && bytes > 0)
		return fail(STATUS_USAGE, "%s: no host memory for %zu bytes", what, bytes);
	return STATUS_OK;
}

static enum status check_pointer(const struct device *device, const struct buffer *buffer,
				 uint64_t offset, const char *what)
{
	if (buffer == NULL)
		return STATUS_OK;
	return check_range(device, buffer, offset, 0, what);
}

/* --- devices --- */

static const struct device_ops *const device_table[] = { &device_sim, &device_cuda };

enum status device_open(const char *name, const struct device_options *options, struct device **out)
{
	static const struct device_options defaults;
	size_t i;

	for (i = 0; i < sizeof(device_table) / sizeof(device_table[0]); i++)
		if (strcmp(name, device_table[i]->name) == 0)
			return device_table[i]->open(options ? options : &defaults, out);
	return fail(STATUS_USAGE, "device %s: there are sim and cuda", name);
}

void device_close(struct device *device)
{
	if (device != NULL)
		device->ops->close(device);
}

enum status device_info(struct device *device, struct device_info *out)
{
	CHECK_OP(device, info);
	return device->ops->info(device, out);
}

/* --- memory --- */

static enum status check_spec(const struct buffer_spec *spec)
{
	size_t bytes;

	if (spec == NULL || spec->name == NULL)
		return fail(STATUS_USAGE, "alloc: a buffer needs a name");
	if ((unsigned)spec->dtype >= DTYPE_COUNT)
		return fail(STATUS_USAGE, "alloc %s: unknown dtype %d", spec->name,
			    (int)spec->dtype);
	if (spec->rank < 0 || spec->rank > MAX_RANK)
		return fail(STATUS_USAGE, "alloc %s: rank %d, at most %d is possible", spec->name,
			    spec->rank, MAX_RANK);
	bytes = dtype_bytes(spec->dtype);
	for (int i = 0; i < spec->rank; i++) {
		if (spec->shape[i] < 0)
			return fail(STATUS_USAGE, "alloc %s: dimension %d is %lld", spec->name, i,
				    (long long)spec->shape[i]);
		if (__builtin_mul_overflow(bytes, (size_t)spec->shape[i], &bytes))
			return fail(STATUS_USAGE, "alloc %s: its size does not fit 64 bits",
				    spec->name);
	}
	return STATUS_OK;
}

enum status device_alloc(struct device *device, const struct buffer_spec *spec, struct buffer **out)
{
	CHECK_OP(device, alloc);
	TRY(check_spec(spec));
	return device->ops->alloc(device, spec, out);
}

enum status device_free(struct device *device, struct buffer *buffer)
{
	CHECK_OP(device, free);
	if (buffer == NULL)
		return STATUS_OK;
	TRY(check_buffer(device, buffer, "free"));
	return device->ops->free(device, buffer);
}

enum status device_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			  uint64_t offset, const void *source, size_t bytes)
{
	CHECK_OP(device, upload);
	TRY(check_range(device, buffer, offset, bytes, "upload"));
	TRY(check_host(source, bytes, "upload"));
	if (bytes == 0)
		return STATUS_OK;
	return device->ops->upload(device, stream, buffer, offset, source, bytes);
}

enum status device_upload_pointers(struct device *device, struct stream *stream,
				   struct buffer *buffer, uint64_t offset,
				   const struct pointer_entry *entries, size_t count)
{
	size_t bytes;

	CHECK_OP(device, upload_pointers);
	if (__builtin_mul_overflow(count, sizeof(uint64_t), &bytes)
	    || offset % sizeof(uint64_t) != 0)
		return fail(STATUS_USAGE, "upload_pointers: %zu pointers at offset %llu, which "
			    "must be a multiple of 8", count, (unsigned long long)offset);
	TRY(check_range(device, buffer, offset, bytes, "upload_pointers"));
	TRY(check_host(entries, bytes, "upload_pointers"));
	for (size_t i = 0; i < count; i++)
		TRY(check_pointer(device, entries[i].buffer, entries[i].offset, "upload_pointers"));
	if (count == 0)
		return STATUS_OK;
	return device->ops->upload_pointers(device, stream, buffer, offset, entries, count);
}

enum status device_download(struct device *device, struct stream *stream,
			    const struct buffer *buffer, uint64_t offset, void *destination,
			    size_t bytes)
{
	CHECK_OP(device, download);
	TRY(check_range(device, buffer, offset, bytes, "download"));
	TRY(check_host(destination, bytes, "download"));
	if (bytes == 0)
		return STATUS_OK;
	return device->ops->download(device, stream, buffer, offset, destination, bytes);
}

enum status device_copy(struct device *device, struct stream *stream, struct buffer *to,
			uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			size_t bytes)
{
	CHECK_OP(device, copy);
	TRY(check_range(device, to, to_offset, bytes, "copy to"));
	TRY(check_range(device, from, from_offset, bytes, "copy from"));
	if (bytes == 0)
		return STATUS_OK;
	if (to == from && to_offset < from_offset + bytes && from_offset < to_offset + bytes)
		return fail(STATUS_USAGE, "copy: %zu bytes of buffer %s at offsets %llu and %llu "
			    "overlap", bytes, to->name, (unsigned long long)from_offset,
			    (unsigned long long)to_offset);
	return device->ops->copy(device, stream, to, to_offset, from, from_offset, bytes);
}

enum status device_fill(struct device *device, struct stream *stream, struct buffer *buffer,
			uint64_t offset, uint32_t pattern, size_t words)
{
	size_t bytes;

	CHECK_OP(device, fill);
	if (__builtin_mul_overflow(words, sizeof(uint32_t), &bytes)
	    || offset % sizeof(uint32_t) != 0)
		return fail(STATUS_USAGE, "fill: %zu words at offset %llu, which must be a "
			    "multiple of 4", words, (unsigned long long)offset);
	TRY(check_range(device, buffer, offset, bytes, "fill"));
	if (words == 0)
		return STATUS_OK;
	return device->ops->fill(device, stream, buffer, offset, pattern, words);
}

/* --- launches --- */

static enum status check_blob(const struct device *device, const struct launch *launch, int at,
			      const struct kernel_param *param)
{
	const struct arg *arg = &launch->args[at];

	if (arg->value.blob == NULL || arg->bytes != param->bytes)
		return fail(STATUS_USAGE, "launch %s: argument %s has %zu bytes, %s has %zu",
			    launch->kernel->name, param->name, arg->value.blob ? arg->bytes : 0,
			    param->type, param->bytes);
	for (int i = 0; i < arg->field_count; i++) {
		const struct pointer_field *field = &arg->fields[i];

		if (field->at > arg->bytes || arg->bytes - field->at < sizeof(uint64_t))
			return fail(STATUS_USAGE, "launch %s: argument %s: a pointer at byte %zu "
				    "of %zu", launch->kernel->name, param->name, field->at,
				    arg->bytes);
		TRY(check_pointer(device, field->buffer, field->offset, param->name));
	}
	return STATUS_OK;
}

static const char *kind_name(enum param_kind kind)
{
	static const char *const names[] = {
		[PARAM_I32] = "i32", [PARAM_U32] = "u32", [PARAM_I64] = "i64", [PARAM_U64] = "u64",
		[PARAM_F32] = "f32", [PARAM_F64] = "f64", [PARAM_POINTER] = "pointer",
		[PARAM_BLOB] = "blob",
	};

	return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

static enum status check_arg(const struct device *device, const struct launch *launch, int at,
			     const struct kernel_param *param)
{
	const struct arg *arg = &launch->args[at];

	if (arg->name != NULL && strcmp(arg->name, param->name) != 0)
		return fail(STATUS_USAGE, "launch %s: argument %d is %s, the kernel has %s there",
			    launch->kernel->name, at, arg->name, param->name);
	if (arg->kind != param->kind)
		return fail(STATUS_USAGE, "launch %s: argument %s is %s, the kernel takes %s (%s)",
			    launch->kernel->name, param->name, kind_name(arg->kind),
			    kind_name(param->kind), param->type);
	if (arg->kind == PARAM_POINTER) {
		enum status status = check_pointer(device, arg->buffer, arg->offset, param->name);

		return status ? fail_context(status, "launch %s", launch->kernel->name) : STATUS_OK;
	}
	if (arg->kind == PARAM_BLOB)
		return check_blob(device, launch, at, param);
	return STATUS_OK;
}

/* y and z of 0, and a cluster of 0, count as 1. */
static struct launch with_defaults(const struct launch *launch)
{
	struct launch out = *launch;

	out.grid.y += out.grid.y == 0;
	out.grid.z += out.grid.z == 0;
	out.block.y += out.block.y == 0;
	out.block.z += out.block.z == 0;
	out.cluster.x += out.cluster.x == 0;
	out.cluster.y += out.cluster.y == 0;
	out.cluster.z += out.cluster.z == 0;
	return out;
}

enum status device_launch(struct device *device, const struct launch *launch)
{
	const struct kernel_param *params;
	struct launch complete;
	int count;

	CHECK_OP(device, launch);
	if (launch == NULL || launch->kernel == NULL)
		return fail(STATUS_USAGE, "launch: no kernel");
	params = kernel_params(launch->kernel, &count);
	if (launch->arg_count != count || count > MAX_ARGS)
		return fail(STATUS_USAGE, "launch %s: %d arguments given, the kernel has %d (at "
			    "most %d)", launch->kernel->name, launch->arg_count, count, MAX_ARGS);
	for (int i = 0; i < count; i++)
		TRY(check_arg(device, launch, i, &params[i]));
	complete = with_defaults(launch);
	return device->ops->launch(device, &complete);
}

enum status device_sync(struct device *device, struct stream *stream)
{
	CHECK_OP(device, sync);
	return device->ops->sync(device, stream);
}

/* --- steps: only a recorder takes note --- */

enum status device_step_begin(struct device *device, const struct step_note *note)
{
	if (device == NULL || note == NULL)
		return fail(STATUS_USAGE, "step_begin: no %s", device ? "note" : "device");
	return device->ops->step_begin ? device->ops->step_begin(device, note) : STATUS_OK;
}

enum status device_step_end(struct device *device)
{
	if (device == NULL)
		return fail(STATUS_USAGE, "step_end: no device");
	return device->ops->step_end ? device->ops->step_end(device) : STATUS_OK;
}

/* --- error names --- */

static const struct {
	int code;
	const char *name;
} cuda_errors[] = {
	{ 0, "CUDA_SUCCESS" },
	{ 1, "CUDA_ERROR_INVALID_VALUE" },
	{ 2, "CUDA_ERROR_OUT_OF_MEMORY" },
	{ 3, "CUDA_ERROR_NOT_INITIALIZED" },
	{ 4, "CUDA_ERROR_DEINITIALIZED" },
	{ 34, "CUDA_ERROR_STUB_LIBRARY" },
	{ 46, "CUDA_ERROR_DEVICE_UNAVAILABLE" },
	{ 100, "CUDA_ERROR_NO_DEVICE" },
	{ 101, "CUDA_ERROR_INVALID_DEVICE" },
	{ 200, "CUDA_ERROR_INVALID_IMAGE" },
	{ 201, "CUDA_ERROR_INVALID_CONTEXT" },
	{ 205, "CUDA_ERROR_MAP_FAILED" },
	{ 209, "CUDA_ERROR_NO_BINARY_FOR_GPU" },
	{ 214, "CUDA_ERROR_ECC_UNCORRECTABLE" },
	{ 218, "CUDA_ERROR_INVALID_PTX" },
	{ 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" },
	{ 300, "CUDA_ERROR_INVALID_SOURCE" },
	{ 301, "CUDA_ERROR_FILE_NOT_FOUND" },
	{ 400, "CUDA_ERROR_INVALID_HANDLE" },
	{ 401, "CUDA_ERROR_ILLEGAL_STATE" },
	{ 500, "CUDA_ERROR_NOT_FOUND" },
	{ 600, "CUDA_ERROR_NOT_READY" },
	{ 700, "CUDA_ERROR_ILLEGAL_ADDRESS" },
	{ 701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" },
	{ 702, "CUDA_ERROR_LAUNCH_TIMEOUT" },
	{ 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED" },
	{ 710, "CUDA_ERROR_ASSERT" },
	{ 714, "CUDA_ERROR_HARDWARE_STACK_ERROR" },
	{ 715, "CUDA_ERROR_ILLEGAL_INSTRUCTION" },
	{ 716, "CUDA_ERROR_MISALIGNED_ADDRESS" },
	{ 717, "CUDA_ERROR_INVALID_ADDRESS_SPACE" },
	{ 718, "CUDA_ERROR_INVALID_PC" },
	{ 719, "CUDA_ERROR_LAUNCH_FAILED" },
	{ 720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" },
	{ 800, "CUDA_ERROR_NOT_PERMITTED" },
	{ 801, "CUDA_ERROR_NOT_SUPPORTED" },
	{ 802, "CUDA_ERROR_SYSTEM_NOT_READY" },
	{ 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" },
	{ 900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" },
	{ 901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" },
	{ 902, "CUDA_ERROR_STREAM_CAPTURE_MERGE" },
	{ 903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED" },
	{ 904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED" },
	{ 905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION" },
	{ 906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" },
	{ 907, "CUDA_ERROR_CAPTURED_EVENT" },
	{ 908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD" },
	{ 910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" },
	{ 999, "CUDA_ERROR_UNKNOWN" },
};

const char *cuda_error_name(int code)
{
	for (size_t i = 0; i < sizeof(cuda_errors) / sizeof(cuda_errors[0]); i++)
		if (cuda_errors[i].code == code)
			return cuda_errors[i].name;
	return "an unnamed CUDA error";
}
