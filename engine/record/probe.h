/* probe.h - collects the named points (kernels/points.h) of one launch, on any device.
 *
 * Before a launch probe_prepare() sizes and clears the probe buffers and hands them to the device;
 * the caller then launches with `probed` set, and probe_collect() reads back what the kernel
 * published. A launch of a graph, which is made many times, has a probe of its own, which is
 * cleared in between. Serves the recorder; which launches are probed and what becomes of the points
 * is its business.
 */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/device.h"

struct probe;
struct row_point;       /* traces/row.h */

/* One probe serves one device, which must be the real one, not a recorder around it. Its two
 * buffers are allocated there, only grow, and are numbered like any other buffer of the device: a
 * caller whose buffer numbers must not depend on probing keeps its own. */
struct probe *probe_new(struct device *);
void probe_free(struct probe *);                /* before device_close(); NULL is fine */

/* USAGE, naming the known points, unless every name of the comma-separated list is one of them or
 * of the registered kernel's. NULL is all of them. */
enum status probe_check_filter(const char *filter);

/* *active tells whether the kernel can pass any point in this call: when not, the launch is a plain
 * one. USAGE when the buffers would pass 2 GiB. Touches no device. */
enum status probe_check(const struct kernel *, const struct kernel_call *, bool *active);
/* The same, and makes room for every point, if there are any; the buffers are cleared and the
 * device is told of them. Waits for its own work only. */
enum status probe_prepare(struct probe *, const struct kernel *, const struct kernel_call *,
			  bool *active);

/* Clears the buffers for another launch like the one that probe_prepare() made room for. */
enum status probe_clear(struct probe *);
/* Tells the device to write points where probe_prepare() made room last. */
enum status probe_point_here(struct probe *);

/* After a launch that probe_prepare() made room for has ended: its points in order of block, thread
 * and sequence, xmalloc'ed, the caller frees (NULL when there are none); names are the kernel's.
 * `sequence` counts all points of a thread, also those the filter leaves out, so that an address
 * never depends on the filter. *dropped: points that did not fit. On an error nothing is
 * returned. */
enum status probe_collect(struct probe *, const char *filter, struct row_point **points,
			  size_t *count, uint64_t *dropped);

#endif
