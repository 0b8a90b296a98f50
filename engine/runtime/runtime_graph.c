/* runtime_graph.c - graphs and their edges: creation, copies, order, queries. */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>

#include "base/xalloc.h"

static struct CUgraph_st *graphs;

/* --- objects --- */

struct CUgraph_st *runtime_graph_new(struct runtime_device *d)
{
	struct CUgraph_st *graph = xcalloc(1, sizeof *graph);

	graph->device = d;
	return graph;
}

void runtime_graph_publish(struct CUgraph_st *graph)
{
	graph->next = graphs;
	graphs = graph;
}

void runtime_graph_node_free(struct CUgraphNode_st *node)
{
	work_free(&node->work);
	free(node->after);
	free(node);
}

/* The runtime builds the device's graph from the nodes from now on. */
void runtime_graph_changed(struct CUgraph_st *graph)
{
	struct error_record record;

	graph->edited = true;
	if (!graph->captured)
		return;
	error_save(&record);
	device_graph_destroy(graph->device->device, graph->captured);
	error_restore(&record);
	graph->captured = NULL;
}

void runtime_graph_free(struct CUgraph_st *graph)
{
	struct CUgraph_st **link = &graphs;

	while (*link && *link != graph)
		link = &(*link)->next;
	if (*link)
		*link = graph->next;
	runtime_graph_changed(graph);
	for (size_t i = 0; i < graph->count; i++)
		runtime_graph_node_free(graph->nodes[i]);
	free(graph->nodes);
	free(graph->conditions);
	free(graph);
}

struct CUgraphNode_st *runtime_graph_add(struct CUgraph_st *graph, const struct work *work,
				 struct CUgraphNode_st *const *after, size_t after_count)
{
	struct CUgraphNode_st *node = xcalloc(1, sizeof *node);

	node->graph = graph;
	node->work = work_copy(work);
	node->after = xcalloc(after_count + 1, sizeof *node->after);
	for (size_t i = 0; i < after_count; i++)
		node->after[i] = after[i];
	node->after_count = after_count;
	graph->nodes = xreallocarray(graph->nodes, graph->count + 1, sizeof *graph->nodes);
	graph->nodes[graph->count++] = node;
	return node;
}

/* The nodes of a copy are in the same order, and each knows the one it is a copy of. */
struct CUgraph_st *runtime_graph_copy(const struct CUgraph_st *graph)
{
	struct CUgraph_st *copy = runtime_graph_new(graph->device);

	for (size_t i = 0; i < graph->count; i++) {
		runtime_graph_add(copy, &graph->nodes[i]->work, NULL, 0)->origin = graph->nodes[i];
		graph->nodes[i]->mark = i;
	}
	for (size_t i = 0; i < graph->count; i++) {
		const struct CUgraphNode_st *from = graph->nodes[i];
		struct CUgraphNode_st *to = copy->nodes[i];

		to->after = xreallocarray(to->after, from->after_count + 1, sizeof *to->after);
		to->after_count = from->after_count;
		for (size_t a = 0; a < from->after_count; a++)
			to->after[a] = copy->nodes[from->after[a]->mark];
	}
	conditions_copy(copy, graph);
	return copy;
}

cudaError_t runtime_graph_of(cudaGraph_t handle, struct CUgraph_st **out)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	for (struct CUgraph_st *g = graphs; handle && g; g = g->next)
		if (g == handle) {
			*out = g;
			return cudaSuccess;
		}
	*out = handle ? runtime_capture_graph(handle) : NULL;
	return *out ? cudaSuccess : cudaErrorInvalidValue;
}

struct CUgraphNode_st *runtime_graph_node_in(struct CUgraph_st *graph, cudaGraphNode_t handle)
{
	for (size_t i = 0; i < graph->count; i++) {
		struct CUgraphNode_st *node = graph->nodes[i], *inner = NULL;

		if (node == handle)
			return node;
		if (node->work.kind == WORK_GRAPH)
			inner = runtime_graph_node_in(node->work.graph, handle);
		if (inner)
			return inner;
	}
	return NULL;
}

cudaError_t runtime_graph_node_of(cudaGraphNode_t handle, struct CUgraphNode_st **out)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	for (struct CUgraph_st *g = graphs; handle && g; g = g->next) {
		*out = runtime_graph_node_in(g, handle);
		if (*out)
			return cudaSuccess;
	}
	*out = handle ? runtime_capture_node(handle) : NULL;
	return *out ? cudaSuccess : cudaErrorInvalidValue;
}

/* --- order --- */

#define VISITING SIZE_MAX

static bool visit(struct CUgraphNode_st *node, struct CUgraphNode_st **list, size_t *count)
{
	if (node->mark == VISITING)
		return false;
	if (node->mark)
		return true;
	node->mark = VISITING;
	for (size_t i = 0; i < node->after_count; i++)
		if (!visit(node->after[i], list, count))
			return false;
	list[(*count)++] = node;
	node->mark = *count;
	return true;
}

struct CUgraphNode_st **runtime_graph_sort(const struct CUgraph_st *graph)
{
	struct CUgraphNode_st **list = xcalloc(graph->count + 1, sizeof *list);
	size_t count = 0;

	for (size_t i = 0; i < graph->count; i++)
		graph->nodes[i]->mark = 0;
	for (size_t i = 0; i < graph->count; i++)
		if (!visit(graph->nodes[i], list, &count)) {
			free(list);
			return NULL;
		}
	return list;
}

/* After a sort that failed, each node that is being visited waits for another such. */
struct CUgraphNode_st *runtime_graph_circle(const struct CUgraph_st *graph)
{
	struct CUgraphNode_st **list = runtime_graph_sort(graph), *node = NULL;

	free(list);
	if (list)
		return NULL;
	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i]->mark == VISITING)
			node = graph->nodes[i];
	for (size_t step = 0; node && step < graph->count; step++) {
		size_t a = 0;

		while (node->after[a]->mark != VISITING)
			a++;
		node = node->after[a];
	}
	return node;
}

cudaError_t runtime_graph_run(struct runtime_device *d, struct stream *stream,
		      const struct CUgraph_st *graph)
{
	struct CUgraphNode_st **order = runtime_graph_sort(graph);
	cudaError_t error = order ? cudaSuccess : cudaErrorInvalidValue;

	for (size_t i = 0; error == cudaSuccess && i < graph->count; i++)
		error = work_run(d, stream, &order[i]->work, false);
	free(order);
	return error;
}

/* --- graphs --- */

static cudaError_t create(cudaGraph_t *out, unsigned flags)
{
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!out || flags != 0)
		return cudaErrorInvalidValue;
	*out = runtime_graph_new(d);
	runtime_graph_publish(*out);
	return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned flags)
{
	return API(create(pGraph, flags));
}

static cudaError_t destroy(cudaGraph_t handle)
{
	struct CUgraph_st *graph;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (graph->inside || runtime_capture_graph(graph))
		return cudaErrorInvalidValue;
	runtime_graph_free(graph);
	return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	return API(destroy(graph));
}

static cudaError_t copy(cudaGraph_t *out, cudaGraph_t handle)
{
	struct CUgraph_st *graph;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!out)
		return cudaErrorInvalidValue;
	*out = runtime_graph_copy(graph);
	runtime_graph_publish(*out);
	return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *pClone, cudaGraph_t original)
{
	return API(copy(pClone, original));
}

void runtime_graphs_close(void)
{
	runtime_captures_close();
	runtime_execs_close();
	while (graphs) {
		struct CUgraph_st *graph = graphs;

		while (graph->inside)           /* its node frees it */
			graph = graph->next;
		runtime_graph_free(graph);
	}
}
