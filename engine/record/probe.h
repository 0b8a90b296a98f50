/* probe.h - collects the named points (kernels/points.h) of one launch, on any device.
 *
 * Before a launch, probe_prepare() sizes and clears the probe buffers and passes them to the
 * device. The caller then launches with `probed` set, and probe_collect() reads back the points
 * that the kernel published. Each kernel node of a graph has its own probe, cleared between
 * launches of the graph. Used by the recorder, which chooses the launches and stores the points.
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

/* The device must be the real one, not a recorder around it. The probe's two buffers are allocated
 * there, never shrink, and take numbers like any other buffer of the device: a caller whose buffer
 * numbers must not depend on probing needs its own numbers. */
struct probe *probe_new(struct device *);
void probe_free(struct probe *);                /* call before device_close(); NULL is allowed */

/* USAGE, with the known points, unless every name of the comma-separated list is a point of the
 * project or of the registered kernel. NULL: all points. */
enum status probe_check_filter(const char *filter);

/* Sets *active to whether the kernel can pass any point in this call; else the launch is not
 * probed. USAGE if the buffers would exceed 2 GiB. Does not use the device. */
enum status probe_check(const struct kernel *, const struct kernel_call *, bool *active);
/* The same; then, if *active, allocates and clears buffers for all points and passes them to the
 * device. Waits for its own work only. */
enum status probe_prepare(struct probe *, const struct kernel *, const struct kernel_call *,
			  bool *active);

/* Clears the buffers for another launch like the one of the last probe_prepare(). */
enum status probe_clear(struct probe *);
/* Makes the device write points to the buffers of the last probe_prepare(). */
enum status probe_point_here(struct probe *);

/* Call it after the prepared launch has ended. Sets *points to its points in order of block, thread
 * and sequence; the caller frees them (NULL if there are none). Names are the kernel's. `sequence`
 * counts all points of a thread, including those that the filter leaves out, so that an address
 * does not depend on the filter. *dropped: points that did not fit. On an error nothing is
 * returned. */
enum status probe_collect(struct probe *, const char *filter, struct row_point **points,
			  size_t *count, uint64_t *dropped);

#endif
