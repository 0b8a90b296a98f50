/* graph_ops.c - the operations on graphs and executable graphs; graph.c holds the objects. */
#include "config.h"

#include "sim/device/graph_ops.h"

#include "sim/device/capture.h"
#include "sim/device/graph.h"
#include "sim/device/prepare.h"
#include "sim/device/queue.h"
#include "sim/device/task.h"

enum status sim_graph_create(struct device *device, struct graph **out)
{
	struct device_simulated *sim = simulated(device);

	TRY(capture_check(sim, OPERATION_graph_create, NULL));
	*out = graph_new();
	graph_own(sim, *out);
	return STATUS_OK;
}

static enum status check_after(const struct graph *graph, const int *after, int after_count,
			       const char *what)
{
	for (int i = 0; i < after_count; i++) {
		if (after[i] < 0 || after[i] >= graph->count)
			return fail(STATUS_USAGE, "%s: unknown node %d of a graph of %d",
				    what, after[i], graph->count);
		for (int j = 0; j < i; j++)
			if (after[i] == after[j])
				return fail_device(1, "%s: after node %d twice", what, after[i]);
	}
	return STATUS_OK;
}

enum status sim_graph_add_launch(struct device *device, struct graph *graph,
				 const struct launch *launch, const int *after, int after_count,
				 int *node)
{
	struct device_simulated *sim = simulated(device);
	struct task *task;

	TRY(capture_check(sim, OPERATION_graph_add_launch, NULL));
	TRY(check_after(graph, after, after_count, "graph_add_launch"));
	TRY(prepare_launch(sim, launch, &task));
	*node = graph_add(graph, task, after, after_count);
	return STATUS_OK;
}

enum status sim_graph_add_copy(struct device *device, struct graph *graph, struct buffer *to,
			       uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			       size_t bytes, const int *after, int after_count, int *node)
{
	TRY(capture_check(simulated(device), OPERATION_graph_add_copy, NULL));
	TRY(check_after(graph, after, after_count, "graph_add_copy"));
	*node = graph_add(graph, task_copy(to, to_offset, from, from_offset, bytes), after,
			  after_count);
	return STATUS_OK;
}

enum status sim_graph_destroy(struct device *device, struct graph *graph)
{
	struct device_simulated *sim = simulated(device);
	struct graph **link = &sim->graphs;

	TRY(capture_check(sim, OPERATION_graph_destroy, NULL));
	while (*link && *link != graph)
		link = &(*link)->next;
	if (!*link)
		return fail_device(400, "graph_destroy: the device does not have this graph");
	*link = graph->next;
	graph_free(graph);
	return STATUS_OK;
}

/* --- executable graphs --- */

enum status sim_graph_instantiate(struct device *device, struct graph *graph,
				  struct graph_exec **out)
{
	struct device_simulated *sim = simulated(device);

	TRY(capture_check(sim, OPERATION_graph_instantiate, NULL));
	*out = graph_exec_new(sim, graph);
	return STATUS_OK;
}

enum status sim_graph_launch(struct device *device, struct graph_exec *exec, struct stream *stream)
{
	struct device_simulated *sim = simulated(device);

	TRY(stream_find(sim, stream, &stream));
	if (exec->sim != sim)
		return fail(STATUS_USAGE, "an executable graph of sim:%d was used on sim:%d",
			    exec->sim->base.ordinal, sim->base.ordinal);
	TRY(capture_check(sim, OPERATION_graph_launch, stream));
	for (int i = 0; sim->check && i < exec->count; i++)
		task_check_live(sim, exec->nodes[i].task, i, stream->number);
	return queue_graph(stream, exec);
}

enum status sim_graph_exec_destroy(struct device *device, struct graph_exec *exec)
{
	struct device_simulated *sim = simulated(device);
	struct graph_exec **link = &sim->execs;

	TRY(capture_check(sim, OPERATION_graph_exec_destroy, NULL));
	while (*link && *link != exec)
		link = &(*link)->next;
	if (!*link)
		return fail_device(400, "graph_exec_destroy: the device does not have this graph");
	*link = exec->next;
	graph_exec_drop(exec);
	return STATUS_OK;
}
