/* gpu.h - for tests that need a GPU or take one where there is one. */
#ifndef TESTS_GPU_H
#define TESTS_GPU_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/device.h"

/* Asks in a child process: a process that has used CUDA cannot fork tests that use it again. The
 * reason why there is none goes to stdout behind `text`. */
static inline bool gpu_present(const char *text)
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
		printf("%s%s\n", text, error_text());
		fflush(stdout);
		_exit(1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
		&& WEXITSTATUS(status) == 0;
}

/* False after printing TAP's "skip all" with the reason. */
static inline bool gpu_or_skip(void)
{
	return gpu_present("1..0 # SKIP no CUDA device: ");
}

/* For tests that run on the simulator and, where there is one, on a GPU: how many there are. */
static const char *const test_devices[] = { "sim", "cuda" };
static inline int test_device_count(void)
{
	return gpu_present("# on the simulator only: ") ? 2 : 1;
}

#endif
