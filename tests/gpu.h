/* gpu.h - for tests: whether there is a GPU, and the devices to run on. */
#ifndef TESTS_GPU_H
#define TESTS_GPU_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/device.h"

/* Checks in a child process, because a process that has used CUDA cannot fork tests that use it
 * too. If there is no GPU, prints `text` and the reason to stdout. */
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

/* Without a GPU, prints TAP's "skip all" with the reason and returns false. */
static inline bool gpu_or_skip(void)
{
	return gpu_present("1..0 # SKIP no CUDA device: ");
}

/* The devices of tests that run on the simulator and also on a GPU, if there is one; and how many
 * of them there are. */
static const char *const test_devices[] = { "sim", "cuda" };
static inline int test_device_count(void)
{
	return gpu_present("# on the simulator only: ") ? 2 : 1;
}

#endif
