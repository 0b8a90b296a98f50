/* cuda_points.c - where the kernels of a GPU write their points.
 *
 * Each probed module has a variable with the addresses and capacity of the point buffers. It is
 * written right before a launch, on the launch's stream, so that it does not change for earlier
 * launches there. In a graph, each probed launch has a copy node before it, whose source lives as
 * long as the device. After a launch of a graph, the values of the variables are unknown. Used by
 * cuda_launch.c and cuda_graph.c; engine/record/probe.c reads the points back.
 */
#include "config.h"

#include "engine/cuda/device_cuda.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct kept_sink {
	struct kept_sink *next;
	struct point_sink sink;
};

enum status cuda_set_points(struct device *device, const struct buffer *records,
			    const struct buffer *counts, unsigned capacity)
{
	struct cuda_device *d = cuda_device(device);

	d->sink = (struct point_sink){ 0 };
	if (records)
		d->sink = (struct point_sink){
			.records = (struct point_record *)(uintptr_t)records->address,
			.counts = (unsigned *)(uintptr_t)counts->address,
			.capacity = capacity,
		};
	return STATUS_OK;
}

static bool same_sink(const struct point_sink *a, const struct point_sink *b)
{
	return a->records == b->records && a->counts == b->counts && a->capacity == b->capacity;
}

/* Copies the device's sink, for a graph that may be launched at any later time. */
static const struct point_sink *keep_sink(struct cuda_device *d)
{
	struct kept_sink *kept = xcalloc(1, sizeof *kept);

	kept->sink = d->sink;
	kept->next = d->kept_sinks;
	d->kept_sinks = kept;
	return &kept->sink;
}

void cuda_free_points(struct cuda_device *d)
{
	while (d->kept_sinks) {
		struct kept_sink *next = d->kept_sinks->next;

		free(d->kept_sinks);
		d->kept_sinks = next;
	}
}

void cuda_forget_points(struct cuda_device *d)
{
	for (struct cuda_module *module = d->modules; module; module = module->next)
		module->sink_known = false;
}

enum status cuda_send_points(struct cuda_device *d, struct cuda_module *module, CUstream stream,
			     bool captured)
{
	const struct point_sink *sink;

	if (!module->points)
		return STATUS_OK;
	if (!captured && module->sink_known && same_sink(&module->sink, &d->sink))
		return STATUS_OK;
	if (captured) {
		sink = keep_sink(d);
	} else {
		module->sink = d->sink;
		module->sink_known = true;
		sink = &module->sink;
	}
	return cuda_check(d, d->cu->MemcpyHtoDAsync(module->points, sink, sizeof *sink, stream),
			  "setting the point buffers of a kernel");
}

enum status cuda_add_points(struct cuda_device *d, CUgraph graph, struct cuda_module *module,
			    const CUgraphNode *after, CUgraphNode *node)
{
	const CUDA_MEMCPY3D copy = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = keep_sink(d),
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = module->points,
		.WidthInBytes = sizeof(struct point_sink), .Height = 1, .Depth = 1,
	};

	return cuda_check(d, d->cu->GraphAddMemcpyNode(node, graph, after, after != NULL, &copy,
						       d->context),
			  "setting the point buffers of a graph's kernel");
}
