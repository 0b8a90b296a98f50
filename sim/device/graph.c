/* graph.c - graphs of tasks, created explicitly or by a capture, and their executable copies.
 *
 * A node keeps the argument values of the time it was added, and depends only on nodes with lower
 * numbers. queue.c launches graphs, one node at a time.
 */
#include "config.h"

#include "sim/device/graph.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/check/check.h"
#include "sim/device/mark.h"
#include "sim/device/task.h"

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
	node->overlaps = false;
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
		/* selects each of the `count` ready nodes with equal probability */
		if (simulated_draw(exec->sim, ++count) == 0)
			next = i;
	}
	return next;
}

uint64_t graph_exec_order(const struct graph_exec *exec, struct clock **order, int stream)
{
	struct check *check = exec->sim->check;
	struct clock *end = NULL;
	uint64_t first = 0;

	for (int i = 0; i < exec->count; i++) {
		const struct node *node = &exec->nodes[i];
		struct clock *before = NULL;
		uint64_t op;

		clock_join(&before, *order);
		for (int a = 0; a < node->after_count; a++)
			clock_join(&before,
				   check_op_clock(check, first + (uint64_t)node->after[a]));
		op = check_op_new(check, &before, stream);
		first = i == 0 ? op : first;
		if (node->overlaps)
			check_op_overlaps(check, op, first + (uint64_t)node->after[0]);
		clock_join(&end, before);
		clock_free(before);
	}
	clock_join(order, end);
	clock_free(end);
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

struct graph_exec *graph_exec_new(struct device_simulated *sim, const struct graph *graph)
{
	struct graph_exec *exec = xcalloc(1, sizeof *exec);

	exec->sim = sim;
	exec->references = 1;
	exec->count = graph->count;
	exec->nodes = xcalloc((size_t)graph->count + 1, sizeof *exec->nodes);
	for (int i = 0; i < graph->count; i++) {
		node_set(&exec->nodes[i], task_keep(graph->nodes[i].task), graph->nodes[i].after,
			 graph->nodes[i].after_count);
		exec->nodes[i].overlaps = graph->nodes[i].overlaps;
	}
	exec->next = sim->execs;
	sim->execs = exec;
	return exec;
}
