/* gpu.h - for tests that need a GPU: says whether there is one, and skips them all if not. */
#ifndef TESTS_GPU_H
#define TESTS_GPU_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/device.h"

/* Whether a GPU opens; with `skip` a "skip all" of TAP is printed when not. Asks in a child process:
 * a process that has used CUDA cannot fork tests that use it again. */
static inline bool gpu_found(bool skip)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		struct device *device;

		if (device_open("cuda", NULL, &device) == STATUS_OK) {
			device_close(device);
			_exit(0);
		}
		if (skip)
			printf("1..0 # SKIP no CUDA device: %s\n", error_text());
		fflush(stdout);
		_exit(1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
		&& WEXITSTATUS(status) == 0;
}

static inline bool gpu_or_skip(void)
{
	return gpu_found(true);
}

/* For tests that run on the simulator and, where there is one, on a GPU: how many there are. */
static const char *const test_devices[] = { "sim", "cuda" };
static inline int test_device_count(void)
{
	return gpu_found(false) ? 2 : 1;
}

#endif
