/* runtime.c - begins and ends the runtime; the lock and the errors of every call.
 *
 * A device's status becomes CUDA's error here. An error that no program can cause is kept for
 * runtime_end(), and so is the first fault of a device.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/runtime/runtime_array.h"
#include "engine/runtime/runtime_graph.h"

struct runtime runtime;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool begun;
static _Thread_local cudaError_t last;          /* for cudaGetLastError() */
static _Thread_local int current;               /* ordinal in runtime.devices */
static _Thread_local bool in_host_function;

/* --- calls --- */

bool runtime_enter(void)
{
	if (in_host_function)
		return false;
	pthread_mutex_lock(&lock);
	if (begun)
		return true;
	pthread_mutex_unlock(&lock);
	return false;
}

/* The lock is not held; runtime_leave() would release it. */
cudaError_t runtime_refusal(void)
{
	pthread_mutex_lock(&lock);
	return in_host_function ? cudaErrorNotPermitted : cudaErrorCudartUnloading;
}

cudaError_t runtime_leave(cudaError_t error)
{
	if (error != cudaSuccess)
		last = error;
	pthread_mutex_unlock(&lock);
	return error;
}

void runtime_host_begin(void)
{
	in_host_function = true;
	pthread_mutex_unlock(&lock);
}

void runtime_host_end(void)
{
	pthread_mutex_lock(&lock);
	in_host_function = false;
}

struct runtime_device *runtime_current(void)
{
	return &runtime.devices[current < runtime.device_count ? current : 0];
}

void runtime_select(int ordinal)
{
	current = ordinal;
}

cudaError_t runtime_live(struct runtime_device **out)
{
	*out = runtime_current();
	return (cudaError_t)(*out)->sticky;
}

/* --- errors --- */

/* Errors after which every call on the device returns the same code. */
static bool is_sticky(int code)
{
	return code == 214 || code == 700 || code == 702 || code == 710
		|| (code >= 714 && code <= 719);
}

static void keep_failure(enum status status)
{
	if (runtime.failed != STATUS_OK)
		return;
	runtime.failed = status;
	error_save(&runtime.failure);
}

cudaError_t runtime_error(struct runtime_device *device, enum status status)
{
	int code = error_code();

	if (status == STATUS_OK)
		return cudaSuccess;
	if (status == STATUS_STEPS) {
		keep_failure(status);
		device->sticky = device->sticky ? device->sticky : cudaErrorLaunchTimeout;
		return (cudaError_t)device->sticky;
	}
	if (status != STATUS_DEVICE) {
		keep_failure(status);
		return status == STATUS_USAGE ? cudaErrorInvalidValue : cudaErrorUnknown;
	}
	if (is_sticky(code) && !device->sticky) {
		keep_failure(status);
		device->sticky = code;
	}
	/* CUDA's code does not tell that the checker has a limit that a GPU does not have. */
	if (strstr(error_text(), ": --check: "))
		keep_failure(status);
	return code > 0 ? (cudaError_t)code : cudaErrorUnknown;
}

cudaError_t runtime_launch_error(struct runtime_device *device, enum status status)
{
	bool worked = device->sticky == 0;
	cudaError_t error = runtime_error(device, status);

	return worked && device->sticky ? cudaSuccess : error;
}

cudaError_t runtime_last_error(bool clear)
{
	cudaError_t error = last;

	refused_asked();
	if (clear)
		last = cudaSuccess;
	return error;
}

void *runtime_keep(void *memory)
{
	runtime.kept = xreallocarray(runtime.kept, runtime.kept_count + 1, sizeof *runtime.kept);
	return runtime.kept[runtime.kept_count++] = memory;
}

/* --- beginning and ending --- */

/* Defaults of an H200, by enum cudaLimit; its shared memory is limit 7. */
static const size_t default_limits[LIMITS] = {
	1024, 8650752, 8 << 20, 0, 2048, 64, 11796480
};

void runtime_default_limits(struct runtime_device *d)
{
	memcpy(d->limits, default_limits, sizeof default_limits);
	d->limits[LIMIT_SHARED] = d->info.shared_per_block_optin;
}

static enum status open_device(struct runtime_device *d, struct device *device, int ordinal)
{
	int pageable;

	d->device = device;
	d->ordinal = ordinal;
	d->watched = device->inner || device_can_step_aside(device);
	d->legacy.device = d;
	d->legacy.id = 1;
	d->flags = cudaDeviceMapHost;
	TRY(device_attribute(device, cudaDevAttrPageableMemoryAccess, &pageable));
	d->reads_host = pageable != 0;
	TRY(device_info(device, &d->info));
	runtime_default_limits(d);
	return STATUS_OK;
}

enum status runtime_begin(struct device *const *devices, int count,
			  const struct runtime_program *program)
{
	if (count < 1 || count > RUNTIME_MAX_DEVICES)
		return fail(STATUS_USAGE, "expected 1 to %d devices, got %d", RUNTIME_MAX_DEVICES,
			    count);
	memset(&runtime, 0, sizeof runtime);
	runtime.ids = 2;                /* 1 and 2 are the legacy and per-thread streams */
	runtime.program = program;
	last = cudaSuccess;
	current = 0;
	for (int i = 0; i < count; i++)
		TRY(open_device(&runtime.devices[i], devices[i], i));
	runtime.device_count = count;
	begun = true;
	return STATUS_OK;
}

void runtime_repeats_on(const char *kind)
{
	runtime.repeats_on = kind;
}

static void close_device(struct runtime_device *d)
{
	enum status status = device_sync(d->device, NULL);

	if (status != STATUS_OK && (status != STATUS_DEVICE || is_sticky(error_code())))
		keep_failure(status);
	memory_waited(d);
	graph_memory_end(d);
	memory_end(d);
	textures_close(d);
	runtime_streams_close(d);
	pools_free(d);
	while (d->functions) {
		struct function *next = d->functions->next;

		free(d->functions);
		d->functions = next;
	}
}

/* Buffers stay with their devices, so that a checker can name those that leaked. */
enum status runtime_end(void)
{
	enum status status;

	pthread_mutex_lock(&lock);
	begun = false;
	runtime_graphs_close();
	for (int i = 0; i < runtime.device_count; i++)
		close_device(&runtime.devices[i]);
	arrays_close();
	while (runtime.kept_count)
		free(runtime.kept[--runtime.kept_count]);
	free(runtime.kept);
	runtime.kept = NULL;
	for (size_t i = 0; i < runtime.allocation_count; i++)
		free(runtime.allocations[i].first);
	free(runtime.allocations);
	runtime.allocations = NULL;
	runtime.allocation_count = 0;
	runtime.device_count = 0;
	runtime.refused = refused_end(&runtime.refusal);
	status = runtime_failed();
	pthread_mutex_unlock(&lock);
	return status;
}

enum status runtime_failed(void)
{
	if (runtime.failed != STATUS_OK)
		error_restore(&runtime.failure);
	return runtime.failed;
}

bool runtime_refused(struct error_record *out)
{
	if (runtime.refused)
		*out = runtime.refusal;
	return runtime.refused;
}
