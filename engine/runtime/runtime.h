/* runtime.h - CUDA's runtime API for a program that runs in this process, over engine/device.h.
 *
 * The functions of sim/cuda/include/cuda_runtime_api.h are exported to the program. This header is
 * for whoever starts the program: it opens the devices, tells which kernels and variables the
 * program has, and asks in the end what went wrong.
 *
 * Addresses that the program sees are those of device memory (struct buffer). Calls take one lock,
 * so several threads may call; host functions of a stream run without it, in the thread whose call
 * found that their turn has come.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct device;
struct kernel;
struct kernel_variable;

#define RUNTIME_MAX_DEVICES 16

struct runtime_program {
	void *context;
	/* stub: an address inside the host stub of a kernel, or its start. NULL: not a kernel. */
	const struct kernel *(*kernel)(void *context, const void *stub);
	/* The device variable, given the address of its shadow on the host; NULL: none. */
	const struct kernel_variable *(*variable)(void *context, const void *shadow);
};

/* Before any code of the program runs. The devices and the program must stay valid until
 * runtime_end(). */
enum status runtime_begin(struct device *const *devices, int count, const struct runtime_program *);

/* After runtime_begin(): the operations will be repeated on a device of this kind ("cuda"), and
 * calls for what it does not have are refused. */
void runtime_repeats_on(const char *kind);

/* Makes a buffer of each device variable in the list, which ends with a name of NULL, so that a
 * recorder knows their first values. Call it when they are loaded, before any code of the program
 * runs. The errors of the device. */
enum status runtime_add_variables(const struct kernel_variable *list);

/* Waits for all devices and frees the runtime's own objects; buffers that the program left stay
 * with their devices. Returns the first error that ended a device (a fault's, the step budget's) or
 * that is not the program's own (a full disk), even if a call has already returned it; its text is
 * error_text(). Calls of the program after this return cudaErrorCudartUnloading. */
enum status runtime_end(void);

/* After runtime_end(): whether a launch by <<<>>> was refused and the program never asked for the
 * error; *out says which, and why. */
bool runtime_refused(struct error_record *out);
/* Before runtime_end(), for a program that dies: what that would return. Sets the current error.
 * Takes no lock. */
enum status runtime_failed(void);

#endif
