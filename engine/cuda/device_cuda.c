/* device_cuda.c - a GPU as a flashtwin device: opening, errors, the table of operations.
 *
 * Uses the driver API and the device's primary context. The default stream is a non-blocking stream
 * of our own, because CUDA's default stream can neither be captured nor run concurrently with
 * others. The operations are in cuda_memory.c, cuda_launch.c, cuda_stream.c and cuda_graph.c.
 * engine/device.c has checked ranges and owners; other errors have CUDA's own code, as on the
 * simulator.
 */
#include "config.h"

#include "engine/cuda/device_cuda.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* --- errors --- */

/* After these errors every call in this context returns the same code. */
static bool kills_context(CUresult result)
{
	switch (result) {
	case CUDA_ERROR_ECC_UNCORRECTABLE:
	case CUDA_ERROR_ILLEGAL_ADDRESS:
	case CUDA_ERROR_LAUNCH_TIMEOUT:
	case CUDA_ERROR_ASSERT:
	case CUDA_ERROR_HARDWARE_STACK_ERROR:
	case CUDA_ERROR_ILLEGAL_INSTRUCTION:
	case CUDA_ERROR_MISALIGNED_ADDRESS:
	case CUDA_ERROR_INVALID_ADDRESS_SPACE:
	case CUDA_ERROR_INVALID_PC:
	case CUDA_ERROR_LAUNCH_FAILED:
		return true;
	default:
		return false;
	}
}

enum status cuda_check(struct cuda_device *d, CUresult result, const char *what, ...)
{
	char context[256];
	va_list args;

	if (result == CUDA_SUCCESS)
		return STATUS_OK;
	va_start(args, what);
	vsnprintf(context, sizeof context, what, args);
	va_end(args);
	cuda_driver_fail(d->cu, result, "%s", context);
	if (kills_context(result) && !d->fault) {
		if (d->last_kernel)
			fail_context(STATUS_DEVICE, "after a launch of %s", d->last_kernel);
		d->fault = (int)result;
		snprintf(d->fault_text, sizeof d->fault_text, "%s", error_text());
	}
	return STATUS_DEVICE;
}

enum status cuda_enter(struct cuda_device *d)
{
	if (d->fault)
		return fail_device(d->fault, "%s", d->fault_text);
	return cuda_check(d, d->cu->CtxSetCurrent(d->context), "selecting GPU %d", d->base.ordinal);
}

/* --- what the device owns --- */

void cuda_own(struct cuda_device *d, struct owned *object,
	      CUresult (*release)(const struct cuda_driver *, struct owned *))
{
	object->release = release;
	object->previous = NULL;
	object->next = d->objects;
	if (d->objects)
		d->objects->previous = object;
	d->objects = object;
}

static void forget(struct cuda_device *d, struct owned *object)
{
	if (object->previous)
		object->previous->next = object->next;
	else
		d->objects = object->next;
	if (object->next)
		object->next->previous = object->previous;
	free(object);
}

enum status cuda_destroy(struct cuda_device *d, struct owned *object, const char *what)
{
	TRY(cuda_enter(d));
	TRY(cuda_check(d, object->release(d->cu, object), "destroying %s", what));
	forget(d, object);
	return STATUS_OK;
}

/* --- opening --- */

/* Also closes a device that open() did not finish. Ignores errors: after a fault every call returns
 * the same one. */
static void cuda_close(struct device *device)
{
	struct cuda_device *d = cuda_device(device);
	const struct cuda_driver *cu = d->cu;

	if (d->context) {
		cu->CtxSetCurrent(d->context);
		cu->CtxSynchronize();
		while (d->objects) {
			d->objects->release(cu, d->objects);
			forget(d, d->objects);
		}
		cuda_unload_all(d);
		cuda_free_points(d);
		if (d->launch_begin)
			cu->EventDestroy(d->launch_begin);
		if (d->launch_end)
			cu->EventDestroy(d->launch_end);
		if (d->default_stream.handle)
			cu->StreamDestroy(d->default_stream.handle);
		cu->CtxSetCurrent(NULL);
		cu->DevicePrimaryCtxRelease(d->handle);
	}
	free(d);
}

static enum status find_device(struct cuda_device *d)
{
	int count;

	TRY(cuda_check(d, d->cu->DeviceGetCount(&count), "counting GPUs"));
	if (d->base.ordinal < 0 || d->base.ordinal >= count)
		return fail(STATUS_NO_GPU, "no GPU %d: the number of GPUs is %d", d->base.ordinal,
			    count);
	return cuda_check(d, d->cu->DeviceGet(&d->handle, d->base.ordinal), "finding GPU %d",
			  d->base.ordinal);
}

static enum status make_context(struct cuda_device *d)
{
	const struct cuda_driver *cu = d->cu;
	int major;

	TRY(cuda_check(d, cu->DeviceGetAttribute(
		&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d->handle),
		       "GPU %d: reading its compute capability", d->base.ordinal));
	d->programmatic = major >= 9;
	TRY(cuda_check(d, cu->DevicePrimaryCtxRetain(&d->context, d->handle), "opening GPU %d",
		       d->base.ordinal));
	TRY(cuda_enter(d));
	TRY(cuda_check(d, cu->StreamCreate(&d->default_stream.handle, CU_STREAM_NON_BLOCKING),
		       "creating the default stream"));
	d->default_stream.device = d;
	TRY(cuda_check(d, cu->EventCreate(&d->launch_begin, CU_EVENT_DEFAULT),
		       "creating an event"));
	return cuda_check(d, cu->EventCreate(&d->launch_end, CU_EVENT_DEFAULT),
			  "creating an event");
}

static enum status cuda_open(const struct device_options *options, struct device **out)
{
	const struct cuda_driver *cu;
	struct cuda_device *d;
	enum status status;

	TRY(cuda_driver_load(&cu));
	d = xcalloc(1, sizeof *d);
	d->base.ops = &device_cuda;
	d->base.ordinal = options->ordinal;
	d->cu = cu;
	d->poison = options->poison;
	d->untimed = options->untimed;
	status = find_device(d);
	if (status == STATUS_OK)
		status = make_context(d);
	if (status != STATUS_OK) {
		cuda_close(&d->base);
		return status;
	}
	*out = &d->base;
	return STATUS_OK;
}

/* --- properties --- */

/* "NVIDIA H200" -> "h200", "NVIDIA GeForce RTX 4090" -> "geforce-rtx-4090". */
static void profile_name(const char *name, char *profile, size_t size)
{
	static const char vendor[] = "NVIDIA ";
	size_t i;

	if (!strncmp(name, vendor, sizeof vendor - 1))
		name += sizeof vendor - 1;
	for (i = 0; name[i] && i + 1 < size; i++)
		profile[i] = name[i] == ' ' ? '-' : (char)tolower((unsigned char)name[i]);
	profile[i] = '\0';
}

/* Reads the version of the driver from a file of the kernel module: the first word of only digits
 * and dots. The driver API gives only the CUDA version. */
static bool module_version(const char *path, char *version, size_t size)
{
	char text[512];
	FILE *file = fopen(path, "r");
	bool found = false;
	size_t length;

	if (!file)
		return false;
	length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = '\0';
	for (char *word = strtok(text, " \t\n"); word && !found; word = strtok(NULL, " \t\n")) {
		found = strchr(word, '.') && word[strspn(word, "0123456789.")] == '\0';
		if (found)
			snprintf(version, size, "%s", word);
	}
	return found;
}

static void driver_name(const struct cuda_driver *cu, char *name, size_t size)
{
	char version[32];
	int major = cu->version / 1000, minor = cu->version % 1000 / 10;

	if (module_version("/sys/module/nvidia/version", version, sizeof version)
	    || module_version("/proc/driver/nvidia/version", version, sizeof version))
		snprintf(name, size, "CUDA %d.%d, driver %s", major, minor, version);
	else
		snprintf(name, size, "CUDA %d.%d", major, minor);
}

static enum status cuda_info(struct device *device, struct device_info *out)
{
	struct cuda_device *d = cuda_device(device);
	const struct cuda_driver *cu = d->cu;
	int shared, optin, threads, warp;
	const struct { CUdevice_attribute id; int *value; } wanted[] = {
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &out->compute_major },
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &out->compute_minor },
		{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &out->multiprocessors },
		{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &threads },
		{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, &warp },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, (int *)&out->max_grid.x },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, (int *)&out->max_grid.y },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, (int *)&out->max_grid.z },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, (int *)&out->max_block.x },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, (int *)&out->max_block.y },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, (int *)&out->max_block.z },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &shared },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &optin },
	};

	memset(out, 0, sizeof *out);
	TRY(cuda_enter(d));
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		TRY(cuda_check(d, cu->DeviceGetAttribute(wanted[i].value, wanted[i].id, d->handle),
			       "GPU %d: reading attribute %d", device->ordinal,
			       (int)wanted[i].id));
	TRY(cuda_check(d, cu->DeviceGetName(out->name, sizeof out->name, d->handle),
		       "reading the name of GPU %d", device->ordinal));
	TRY(cuda_check(d, cu->DeviceTotalMem(&out->memory_bytes, d->handle),
		       "reading the memory size of GPU %d", device->ordinal));
	out->max_threads_per_block = (unsigned)threads;
	out->warp_size = (unsigned)warp;
	out->shared_per_block = (size_t)shared;
	out->shared_per_block_optin = (size_t)optin;
	profile_name(out->name, out->profile, sizeof out->profile);
	driver_name(cu, out->driver, sizeof out->driver);
	return STATUS_OK;
}

enum status device_cuda_capability(int ordinal, int *out)
{
	struct cuda_device d = { .base.ordinal = ordinal };
	int major = 0, minor = 0;

	*out = 0;
	TRY(cuda_driver_load(&d.cu));
	TRY(find_device(&d));
	TRY(cuda_check(&d, d.cu->DeviceGetAttribute(
		&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d.handle),
		       "GPU %d: reading its compute capability", ordinal));
	TRY(cuda_check(&d, d.cu->DeviceGetAttribute(
		&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d.handle),
		       "GPU %d: reading its compute capability", ordinal));
	*out = 10 * major + minor;
	return STATUS_OK;
}

/* An unknown attribute gives error 1. */
static enum status cuda_attribute(struct device *device, int attribute, int *out)
{
	struct cuda_device *d = cuda_device(device);

	TRY(cuda_enter(d));
	return cuda_check(d, d->cu->DeviceGetAttribute(out, (CUdevice_attribute)attribute,
						       d->handle),
			  "GPU %d: reading attribute %d", device->ordinal, attribute);
}

/* The context, and so a heap that kernels use, lives until the device is closed. */
static enum status cuda_set_heap(struct device *device, size_t bytes, bool reset)
{
	struct cuda_device *d = cuda_device(device);
	CUresult result;

	TRY(cuda_enter(d));
	result = d->cu->CtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, bytes);
	if (reset && result == CUDA_ERROR_INVALID_VALUE)
		return STATUS_OK;
	return cuda_check(d, result, "GPU %d: a heap of %zu bytes", device->ordinal, bytes);
}

const struct device_ops device_cuda = {
	.name = "cuda",
	.open = cuda_open,
	.close = cuda_close,
	.info = cuda_info,
	.attribute = cuda_attribute,
	.set_heap = cuda_set_heap,
	.function = cuda_function,
	.alloc = cuda_alloc,
	.alloc_managed = cuda_alloc_managed,
	.alloc_variable = cuda_alloc_variable,
	.free = cuda_free,
	.upload = cuda_upload,
	.upload_pointers = cuda_upload_pointers,
	.download = cuda_download,
	.upload_async = cuda_upload_async,
	.download_async = cuda_download_async,
	.copy = cuda_copy,
	.fill = cuda_fill,
	.launch = cuda_launch,
	.sync = cuda_sync,
	.stream_create = cuda_stream_create,
	.stream_destroy = cuda_stream_destroy,
	.event_create = cuda_event_create,
	.event_destroy = cuda_event_destroy,
	.event_record = cuda_event_record,
	.event_wait = cuda_event_wait,
	.event_sync = cuda_event_sync,
	.event_elapsed = cuda_event_elapsed,
	.capture_begin = cuda_capture_begin,
	.capture_end = cuda_capture_end,
	.capture_state = cuda_capture_state,
	.capture_relax = cuda_capture_relax,
	.graph_create = cuda_graph_create,
	.graph_add_launch = cuda_graph_add_launch,
	.graph_add_copy = cuda_graph_add_copy,
	.graph_instantiate = cuda_graph_instantiate,
	.graph_launch = cuda_graph_launch,
	.graph_destroy = cuda_graph_destroy,
	.graph_exec_destroy = cuda_graph_exec_destroy,
	.last_launch_us = cuda_last_launch_us,
	.set_points = cuda_set_points,
};
