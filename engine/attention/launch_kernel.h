/* launch_kernel.h - launches kernels by name, on a device or into a list.
 *
 * Used by attention paths and engine/attention/prefill.c.
 */
#ifndef LAUNCH_KERNEL_H
#define LAUNCH_KERNEL_H

#include "engine/attention/launch_list.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define WARP 32u

/* Where launches go: a device's stream, or a list. */
struct launch_target {
	bool graph;                     /* for a graph: no positions or lengths by value */
	struct stream *stream;
	struct launch_list *list;       /* not NULL: append to this list, launch nothing */
};

/* Launches, or appends to the target's list, a launch whose grid, block, shared bytes, arguments
 * and layer are set. Adds the kernel, the stream, and, if the usual 48 KiB may not be enough, the
 * attribute for more shared memory. INTERNAL if the kernel does not exist. */
enum status launch_on(struct device *, const struct launch_target *, const char *kernel,
		      struct launch *);
/* The same on the default stream. */
enum status launch_kernel(struct device *, const char *kernel, int layer, struct dim3 grid,
			  struct dim3 block, unsigned shared_bytes, const struct arg *,
			  int arg_count);
/* USAGE if a block cannot have that much shared memory on the device. */
enum status check_shared(struct device *, const char *who, size_t bytes);
/* Frees the buffers that are not NULL and sets all pointers to NULL. */
void free_buffers(struct device *, struct buffer **, int count);

#endif
