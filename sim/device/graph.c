/* graph.c - graphs of tasks, made by hand or by a capture, and their executable copies.
 *
 * Values of arguments are those of the moment a node was added. Nodes only ever come after nodes
 * with lower numbers. Launching is queueing (stream.c), one node at a time.
 */
#include "config.h"

#include "sim/device/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_stream.h"
#include "sim/device/capture.h"
#include "sim/device/stream.h"

/* --- nodes --- */

static void nodes_free(struct node *nodes, int count)
{
	for (int i = 0; i < count; i++) {
		task_drop(nodes[i].task);
		free(nodes[i].after);
	}
	free(nodes);
}

static void node_set(struct node *node, struct task *task, const int *after, int after_count)
{
	node->task = task;
	node->after = xcalloc((size_t)after_count + 1, sizeof *after);
	node->after_count = after_count;
	for (int i = 0; i < after_count; i++)
		node->after[i] = after[i];
}

int graph_add(struct graph *graph, struct task *task, const int *after, int after_count)
{
	graph->nodes = xreallocarray(graph->nodes, (size_t)graph->count + 1, sizeof *graph->nodes);
	node_set(&graph->nodes[graph->count], task, after, after_count);
	return graph->count++;
}

static bool ready(const struct node *node, const bool *done)
{
	for (int i = 0; i < node->after_count; i++)
		if (!done[node->after[i]])
			return false;
	return true;
}

int graph_exec_next(struct graph_exec *exec, const bool *done)
{
	uint32_t count = 0;
	int next = -1;

	for (int i = 0; i < exec->count; i++) {
		if (done[i] || !ready(&exec->nodes[i], done))
			continue;
		if (exec->sim->seed == 0)
			return i;
		/* each of the first `count` is the one with the same chance */
		if (stream_draw(exec->sim, ++count) == 0)
			next = i;
	}
	return next;
}

uint64_t graph_exec_order(const struct graph_exec *exec, struct clock *order, int stream)
{
	struct check *check = exec->sim->check;
	struct clock end = { 0 };
	uint64_t first = 0;

	for (int i = 0; i < exec->count; i++) {
		const struct node *node = &exec->nodes[i];
		struct clock before = { 0 };
		uint64_t op;

		clock_join(&before, order);
		for (int a = 0; a < node->after_count; a++)
			clock_join(&before,
				   check_op_clock(check, first + (uint64_t)node->after[a]));
		op = check_op_new(check, &before, stream);
		first = i == 0 ? op : first;
		clock_join(&end, &before);
		clock_free(&before);
	}
	clock_join(order, &end);
	clock_free(&end);
	return first;
}

/* --- graphs --- */

struct graph *graph_new(void)
{
	return xcalloc(1, sizeof(struct graph));
}

void graph_free(struct graph *graph)
{
	nodes_free(graph->nodes, graph->count);
	free(graph);
}

void graph_own(struct device_simulated *sim, struct graph *graph)
{
	graph->next = sim->graphs;
	sim->graphs = graph;
}

void graph_exec_drop(struct graph_exec *exec)
{
	if (--exec->references > 0)
		return;
	nodes_free(exec->nodes, exec->count);
	mark_drop(exec->last);
	free(exec);
}

void graphs_close(struct device_simulated *sim)
{
	while (sim->graphs) {
		struct graph *next = sim->graphs->next;

		graph_free(sim->graphs);
		sim->graphs = next;
	}
	while (sim->execs) {
		struct graph_exec *next = sim->execs->next;

		graph_exec_drop(sim->execs);
		sim->execs = next;
	}
}

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
			return fail(STATUS_USAGE, "%s: after node %d of a graph that has %d",
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
	TRY(device_prepare_launch(sim, launch, &task));
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
	struct graph_exec *exec;

	TRY(capture_check(sim, OPERATION_graph_instantiate, NULL));
	exec = xcalloc(1, sizeof *exec);
	exec->sim = sim;
	exec->references = 1;
	exec->count = graph->count;
	exec->nodes = xcalloc((size_t)graph->count + 1, sizeof *exec->nodes);
	for (int i = 0; i < graph->count; i++)
		node_set(&exec->nodes[i], task_keep(graph->nodes[i].task), graph->nodes[i].after,
			 graph->nodes[i].after_count);
	exec->next = sim->execs;
	sim->execs = exec;
	*out = exec;
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
	return stream_submit_graph(stream, exec);
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
