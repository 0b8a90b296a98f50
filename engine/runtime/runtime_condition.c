/* runtime_condition.c - conditional nodes of graphs: if, while, switch.
 *
 * A handle is the address of 4 bytes of device memory, which cudaGraphSetConditional() of device
 * code writes (sim/cuda/program.h). The node waits for the work before it, reads them and runs a
 * body node by node. On a GPU handles are the driver's own, so this is on the simulator only.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/runtime/runtime_array.h"
#include "engine/runtime/runtime_node.h"

/* --- handles --- */

/* Device memory with the value, also during a capture. */
static cudaError_t new_word(struct runtime_device *d, unsigned value, void **out)
{
	enum status status;

	TRY_CUDA(memory_new_lasting(d, sizeof value, out));
	TRY_DEVICE(d, device_capture_relax(d->device, true));
	status = device_upload(d->device, NULL, address_find(*out)->buffer, 0, &value,
			       sizeof value);
	TRY_DEVICE(d, device_capture_relax(d->device, runtime_capture_relaxed()));
	TRY_DEVICE(d, status);
	return cudaSuccess;
}

static cudaError_t create(cudaGraphConditionalHandle *out, cudaGraph_t handle, unsigned value,
			  unsigned flags)
{
	struct CUgraph_st *graph;
	void *memory = NULL;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!out || flags > cudaGraphCondAssignDefault)
		return cudaErrorInvalidValue;
	TRY_DEVICE(graph->device, simulator_only(graph->device, "cudaGraphConditionalHandleCreate",
						 "conditions of graphs"));
	TRY_CUDA(new_word(graph->device, value, &memory));
	graph->conditions = xreallocarray(graph->conditions, graph->condition_count + 1,
					  sizeof *graph->conditions);
	graph->conditions[graph->condition_count++] = (struct condition){
		.handle = memory, .value = value,
		.assigned = flags == cudaGraphCondAssignDefault };
	*out = memory;
	return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle, cudaGraph_t graph,
					     unsigned defaultLaunchValue, unsigned flags)
{
	return API(create(pHandle, graph, defaultLaunchValue, flags));
}

void conditions_copy(struct CUgraph_st *to, const struct CUgraph_st *from)
{
	size_t count = to->condition_count + from->condition_count;

	to->conditions = xreallocarray(to->conditions, count + 1, sizeof *to->conditions);
	for (size_t i = 0; i < from->condition_count; i++)
		to->conditions[to->condition_count++] = from->conditions[i];
}

static cudaError_t begin_node(struct runtime_device *d, struct stream *stream,
			      const struct work *work)
{
	if (work->kind == WORK_GRAPH)
		return conditions_begin(d, stream, work->graph);
	for (unsigned i = 0; work->kind == WORK_CONDITION && i < work->condition.count; i++)
		TRY_CUDA(conditions_begin(d, stream, work->condition.bodies[i]));
	return cudaSuccess;
}

cudaError_t conditions_begin(struct runtime_device *d, struct stream *stream,
			     const struct CUgraph_st *graph)
{
	for (size_t i = 0; i < graph->condition_count; i++) {
		const struct condition *c = &graph->conditions[i];
		struct allocation *a = address_find(c->handle);

		if (a && c->assigned)
			TRY_DEVICE(d, device_fill(d->device, stream, a->buffer, 0, c->value, 1));
	}
	for (size_t i = 0; i < graph->count; i++)
		TRY_CUDA(begin_node(d, stream, &graph->nodes[i]->work));
	return cudaSuccess;
}

/* --- nodes --- */

static bool has_condition(const struct CUgraph_st *graph, cudaGraphConditionalHandle handle)
{
	for (size_t i = 0; i < graph->condition_count; i++)
		if (graph->conditions[i].handle == handle)
			return true;
	return false;
}

static bool is_used(const struct CUgraph_st *graph, cudaGraphConditionalHandle handle)
{
	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i]->work.kind == WORK_CONDITION
		    && graph->nodes[i]->work.condition.handle == handle)
			return true;
	return false;
}

static bool size_fits(const struct cudaConditionalNodeParams *p)
{
	switch (p->type) {
	case cudaGraphCondTypeIf: return p->size == 1 || p->size == 2;
	case cudaGraphCondTypeWhile: return p->size == 1;
	case cudaGraphCondTypeSwitch: return p->size >= 1;
	}
	return false;
}

/* The program may add to the bodies of its own node. */
static void publish_bodies(const struct condition_work *condition)
{
	for (unsigned i = 0; i < condition->count; i++) {
		condition->bodies[i]->inside = true;
		runtime_graph_publish(condition->bodies[i]);
	}
}

cudaError_t node_add_condition(cudaGraphNode_t *out, cudaGraph_t handle,
			       const cudaGraphNode_t *after, size_t count,
			       struct cudaConditionalNodeParams *p)
{
	struct work work = { .kind = WORK_CONDITION };
	struct CUgraph_st *graph;
	cudaError_t error;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!size_fits(p) || !has_condition(graph, p->handle) || is_used(graph, p->handle))
		return cudaErrorInvalidValue;
	work.condition = (struct condition_work){
		.handle = p->handle, .type = p->type, .count = p->size,
		.bodies = xcalloc(p->size, sizeof *work.condition.bodies) };
	for (unsigned i = 0; i < p->size; i++)
		work.condition.bodies[i] = runtime_graph_new(graph->device);
	error = node_add(out, handle, after, count, cudaSuccess, &work);
	condition_free(&work.condition);
	if (error != cudaSuccess)
		return error;
	publish_bodies(&(*out)->work.condition);
	p->phGraph_out = (*out)->work.condition.bodies;
	return cudaSuccess;
}

struct condition_work condition_copy(const struct condition_work *condition)
{
	struct condition_work copy = *condition;

	copy.bodies = xcalloc(copy.count, sizeof *copy.bodies);
	for (unsigned i = 0; i < copy.count; i++)
		copy.bodies[i] = runtime_graph_copy(condition->bodies[i]);
	return copy;
}

void condition_free(struct condition_work *condition)
{
	for (unsigned i = 0; i < condition->count; i++)
		runtime_graph_free(condition->bodies[i]);
	free(condition->bodies);
}

/* Besides conditions and child graphs. */
static bool fits_body(enum work_kind kind)
{
	return kind == WORK_LAUNCH || kind == WORK_EMPTY || kind == WORK_FILL || kind == WORK_COPY;
}

bool conditions_fit(const struct CUgraph_st *graph, bool body)
{
	for (size_t i = 0; i < graph->count; i++) {
		const struct work *work = &graph->nodes[i]->work;

		if (work->kind == WORK_CONDITION) {
			for (unsigned b = 0; b < work->condition.count; b++)
				if (!conditions_fit(work->condition.bodies[b], true))
					return false;
		} else if (work->kind == WORK_GRAPH) {
			if (!conditions_fit(work->graph, body))
				return false;
		} else if (body && !fits_body(work->kind)) {
			return false;
		}
	}
	return true;
}

/* --- running --- */

static cudaError_t read_value(struct runtime_device *d, struct stream *stream,
			      const struct condition_work *condition, unsigned *out)
{
	const struct allocation *a = address_find(condition->handle);

	if (!a)
		return cudaErrorInvalidValue;
	TRY_DEVICE(d, device_download(d->device, stream, a->buffer, 0, out, sizeof *out));
	return cudaSuccess;
}

cudaError_t condition_run(struct runtime_device *d, struct stream *stream,
			  const struct condition_work *condition)
{
	unsigned value, body;

	for (;;) {
		TRY_CUDA(read_value(d, stream, condition, &value));
		body = condition->type == cudaGraphCondTypeSwitch ? value : value == 0;
		if (body >= condition->count)
			return cudaSuccess;
		TRY_CUDA(runtime_graph_run(d, stream, condition->bodies[body]));
		if (condition->type != cudaGraphCondTypeWhile)
			return cudaSuccess;
	}
}
