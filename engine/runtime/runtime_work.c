/* runtime_work.c - runs, captures and copies pieces of work; see runtime_graph.h. */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* --- running --- */

static cudaError_t run_host(struct runtime_device *d, struct stream *stream,
			    const struct cudaHostNodeParams *host)
{
	TRY_DEVICE(d, device_sync(d->device, stream));
	runtime_host_begin();
	host->fn(host->userData);
	runtime_host_end();
	return cudaSuccess;
}

bool work_is_hosted(const struct work *work)
{
	switch (work->kind) {
	case WORK_COPY: return copy_is_hosted(&work->copy);
	case WORK_FILL: return fill_is_hosted(&work->fill);
	case WORK_HOST: case WORK_GRAPH: case WORK_RECORD: case WORK_WAIT:
	case WORK_CONDITION: return true;
	default: return false;
	}
}

cudaError_t work_run(struct runtime_device *d, struct stream *stream, const struct work *work,
		     bool captured)
{
	switch (work->kind) {
	case WORK_LAUNCH: return launch_run(d, stream, &work->launch, captured);
	case WORK_COPY: return copy_run(d, stream, &work->copy, captured);
	case WORK_FILL: return fill_run(d, stream, &work->fill);
	case WORK_HOST: return run_host(d, stream, &work->host);
	case WORK_GRAPH: return runtime_graph_run(d, stream, work->graph);
	case WORK_CONDITION: return condition_run(d, stream, &work->condition);
	case WORK_RECORD:
		TRY_DEVICE(d, device_event_record(d->device, work->event->event, stream));
		work->event->recorded = true;
		return cudaSuccess;
	case WORK_WAIT:
		TRY_DEVICE(d, device_event_wait(d->device, stream, work->event->event));
		return cudaSuccess;
	case WORK_EMPTY: case WORK_ALLOC: case WORK_FREE: break;
	}
	return cudaSuccess;
}

cudaError_t work_submit(struct CUstream_st *s, const struct work *work)
{
	bool waited = work->kind == WORK_HOST || (work->kind == WORK_COPY && work->copy.waited);

	TRY_CUDA(order_before(s, waited));
	if (!s->capture)
		return work_run(s->device, s->stream, work, false);
	if (!work_is_hosted(work))
		TRY_CUDA(work_run(s->device, s->stream, work, true));
	return runtime_capture_add(s, work);
}

/* --- copies --- */

static size_t round_up(size_t value, size_t alignment)
{
	return (value + alignment - 1) / alignment * alignment;
}

static void copy_args(struct launch_work *launch)
{
	int count;
	const struct kernel_param *params = kernel_params(launch->kernel, &count);
	void **from = launch->args;
	size_t bytes = 0;

	for (int i = 0; i < count; i++)
		bytes = round_up(bytes, params[i].alignment) + params[i].bytes;
	launch->args = xcalloc((size_t)count + 1, sizeof *launch->args);
	launch->values = xcheck(aligned_alloc(128, round_up(bytes + 1, 128)));
	bytes = 0;
	for (int i = 0; i < count; i++) {
		bytes = round_up(bytes, params[i].alignment);
		launch->args[i] = memcpy(launch->values + bytes, from[i], params[i].bytes);
		bytes += params[i].bytes;
	}
}

struct work work_copy(const struct work *work)
{
	struct work copy = *work;

	if (copy.kind == WORK_LAUNCH)
		copy_args(&copy.launch);
	else if (copy.kind == WORK_GRAPH)
		copy.graph = runtime_graph_copy(copy.graph);
	else if (copy.kind == WORK_CONDITION)
		copy.condition = condition_copy(&copy.condition);
	return copy;
}

void work_free(struct work *work)
{
	if (work->kind == WORK_LAUNCH) {
		free(work->launch.args);
		free(work->launch.values);
	} else if (work->kind == WORK_GRAPH) {
		runtime_graph_free(work->graph);
	} else if (work->kind == WORK_CONDITION) {
		condition_free(&work->condition);
	}
	work->kind = WORK_EMPTY;
}
