/* lab_launch.h - what the process of a case does: loads the kernels, launches, keeps
 * the outputs. */
#ifndef LAB_LAUNCH_H
#define LAB_LAUNCH_H

#include "tui/lab/case/lab_case.h"
#include "tui/launch/user_kernel.h"

#define MAX_LAB_KERNELS 8

struct isolated;

struct lab_kernels {
	const char *name[MAX_LAB_KERNELS];
	struct user_kernel *built[MAX_LAB_KERNELS];
	const struct kernel *loaded[MAX_LAB_KERNELS];
	int count;
};

struct lab_launch {
	struct lab_kernels *kernels;
	struct lab_case *c;
	const char *file, *trace;       /* trace NULL: not recorded */
	bool points;                    /* recorded too */
	bool gpu;                       /* run on a GPU too, and compared; needs a trace */
	struct isolated *job;
};

/* For isolate_run(); the context is a struct lab_launch. COMPILE if a parameter is not one of the
 * lab's; else the status of run_on_devices(). The job's answer has "findings" and "counters". */
enum status lab_launch_run(void *context);

#endif
