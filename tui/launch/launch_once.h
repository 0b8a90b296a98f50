/* launch_once.h - one launch of a user's kernel on a device, for `flashtwin launch`. */
#ifndef LAUNCH_ONCE_H
#define LAUNCH_ONCE_H

#include "tui/launch/launch_args.h"

#define MAX_VARIABLES 1024

struct launch_once {
	struct launch_args *args;       /* matched */
	const struct kernel *kernel;
	struct dim3 grid, block;
	struct dim3 cluster;            /* x of 0: the kernel's own */
	int64_t shared_bytes;
	bool variables;                 /* the device can use the kernel's device variables */
	/* Filled by launch_once(). */
	struct buffer *rest[MAX_VARIABLES];     /* variables that no argument sets */
	int rest_count;
	bool kept[MAX_LAUNCH_ARGS];     /* outputs of the first run are copied */
};

/* Uploads, launches, and downloads outputs: those of the first call into their `result`. The errors
 * of the device's operations; DEVICE if there is no memory for an output. */
enum status launch_once(struct launch_once *, struct device *);

#endif
