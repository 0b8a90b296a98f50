/* launch_kernel.h - launches of kernels by name, on a device or into a list.
 *
 * Serves attention paths and engine/attention/prefill.c.
 */
#ifndef LAUNCH_KERNEL_H
#define LAUNCH_KERNEL_H

#include "engine/attention/launch_list.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define WARP 32u

/* Where launches go: a device's stream, or a list. */
struct launch_target {
	bool graph;                     /* they are a graph's: nothing of this step by value */
	struct stream *stream;
	struct launch_list *list;       /* not NULL: they are kept, not made */
};

/* A launch whose grid, block, shared bytes, arguments and layer are set: adds the kernel, the
 * stream, and, where more than the usual 48 KiB are needed, that it asks for shared memory.
 * INTERNAL when there is no such kernel. */
enum status launch_on(struct device *, const struct launch_target *, const char *kernel,
		      struct launch *);
/* The same on the default stream. */
enum status launch_kernel(struct device *, const char *kernel, int layer, struct dim3 grid,
			  struct dim3 block, unsigned shared_bytes, const struct arg *,
			  int arg_count);
/* USAGE when the device's blocks do not have that much shared memory. */
enum status check_shared(struct device *, const char *who, size_t bytes);
/* Frees those that are not NULL, and sets them so. */
void free_buffers(struct device *, struct buffer **, int count);

#endif
