/* cuda_driver.c - opens libcuda.so.1 and fills the function table.
 *
 * If there is no usable GPU, the error is one NO_GPU line with the reason. The library stays open
 * for the life of the process, because the driver has threads of its own.
 */
#include "config.h"

#include "engine/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define LIBRARY "libcuda.so.1"

static const struct {
	const char *symbol;
	size_t at;                      /* of its pointer in struct cuda_driver */
} functions[] = {
#define X(name, symbol) { symbol, offsetof(struct cuda_driver, name) },
	CUDA_FUNCTION_LIST(X)
#undef X
};

static enum status find_functions(void *library, struct cuda_driver *driver)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		void *function = dlsym(library, functions[i].symbol);

		if (!function)
			return fail(STATUS_NO_GPU, "no GPU: the driver is too old: " LIBRARY
				    " has no %s", functions[i].symbol);
		/* POSIX allows the conversion of a void * from dlsym() to a function pointer. */
		*(void **)((char *)driver + functions[i].at) = function;
	}
	return STATUS_OK;
}

/* Kernels were compiled by this build's toolkit and need a driver of at least its major version. */
static enum status check_version(struct cuda_driver *driver)
{
	CUresult result = driver->DriverGetVersion(&driver->version);

	if (result != CUDA_SUCCESS)
		return cuda_driver_fail(driver, result, "reading the driver's version");
	if (driver->version / 1000 < CUDA_VERSION / 1000)
		return fail(STATUS_NO_GPU, "no GPU: the driver is too old: it supports CUDA %d.%d, "
			    "and flashtwin was built with CUDA %d.%d", driver->version / 1000,
			    driver->version % 1000 / 10, CUDA_VERSION / 1000,
			    CUDA_VERSION % 1000 / 10);
	return STATUS_OK;
}

static enum status initialise(struct cuda_driver *driver)
{
	CUresult result = driver->Init(0);

	if (result == CUDA_SUCCESS)
		return check_version(driver);
	cuda_driver_fail(driver, result, "no GPU: cuInit");
	return fail(STATUS_NO_GPU, "%s", error_text());
}

enum status cuda_driver_load(const struct cuda_driver **out)
{
	static struct cuda_driver driver;
	static void *library;
	static int ready;

	if (!library)
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return fail(STATUS_NO_GPU, "no GPU: no CUDA driver: %s", dlerror());
	if (!ready) {
		TRY(find_functions(library, &driver));
		TRY(initialise(&driver));
		ready = 1;
	}
	*out = &driver;
	return STATUS_OK;
}

enum status cuda_driver_fail(const struct cuda_driver *driver, CUresult result,
			     const char *what, ...)
{
	const char *name = "CUDA_ERROR", *description = "unknown driver error";
	char context[256];
	va_list args;

	va_start(args, what);
	vsnprintf(context, sizeof context, what, args);
	va_end(args);
	/* Both set their result to NULL for an unknown code. */
	if (driver->GetErrorName(result, &name) != CUDA_SUCCESS)
		name = "CUDA_ERROR";
	if (driver->GetErrorString(result, &description) != CUDA_SUCCESS)
		description = "unknown driver error";
	return fail_device((int)result, "%s: %s (%d): %s", context, name, (int)result, description);
}
