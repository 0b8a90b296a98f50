/* runtime_edges.c - what programs ask about a graph's nodes and edges, and changes of edges. */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* --- queries: *count says how many fit, and then how many there are --- */

struct listing {
	cudaGraphNode_t *nodes;
	size_t capacity, count;
	cudaGraphEdgeData *edges;       /* NULL, or one for each node */
};

static void list(struct listing *l, struct CUgraphNode_st *node)
{
	if (l->nodes && l->count < l->capacity) {
		l->nodes[l->count] = node;
		if (l->edges)           /* all are full dependencies */
			l->edges[l->count] = (cudaGraphEdgeData){ 0 };
	}
	l->count++;
}

static cudaError_t listed(struct listing *l, size_t *count)
{
	for (size_t i = l->count; l->nodes && i < l->capacity; i++)
		l->nodes[i] = NULL;
	*count = l->nodes && l->count > l->capacity ? l->capacity : l->count;
	return cudaSuccess;
}

static cudaError_t get_nodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
	struct listing l = { nodes, count ? *count : 0, 0, NULL };
	struct CUgraph_st *graph;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!count)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < graph->count; i++)
		if (!roots || graph->nodes[i]->after_count == 0)
			list(&l, graph->nodes[i]);
	return listed(&l, count);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	return API(get_nodes(graph, nodes, count, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	return API(get_nodes(graph, nodes, count, true));
}

static cudaError_t get_edges(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to,
			     cudaGraphEdgeData *edges, size_t *count)
{
	struct listing l = { from, count ? *count : 0, 0, edges };
	struct listing ends = { to, count ? *count : 0, 0, NULL };
	struct CUgraph_st *graph;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!count || !from != !to)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < graph->count; i++)
		for (size_t a = 0; a < graph->nodes[i]->after_count; a++) {
			list(&l, graph->nodes[i]->after[a]);
			list(&ends, graph->nodes[i]);
		}
	listed(&ends, count);
	return listed(&l, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
			      cudaGraphEdgeData *edges, size_t *count)
{
	return API(get_edges(graph, from, to, edges, count));
}

static cudaError_t get_dependencies(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
				    cudaGraphEdgeData *edges, size_t *count)
{
	struct listing l = { nodes, count ? *count : 0, 0, edges };
	struct CUgraphNode_st *node;

	TRY_CUDA(runtime_graph_node_of(handle, &node));
	if (!count)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < node->after_count; i++)
		list(&l, node->after[i]);
	return listed(&l, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
					 cudaGraphEdgeData *edges, size_t *count)
{
	return API(get_dependencies(node, dependencies, edges, count));
}

static bool comes_after(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other)
{
	for (size_t i = 0; i < node->after_count; i++)
		if (node->after[i] == other)
			return true;
	return false;
}

static cudaError_t get_dependents(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
				  cudaGraphEdgeData *edges, size_t *count)
{
	struct listing l = { nodes, count ? *count : 0, 0, edges };
	struct CUgraphNode_st *node;

	TRY_CUDA(runtime_graph_node_of(handle, &node));
	if (!count)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < node->graph->count; i++)
		if (comes_after(node->graph->nodes[i], node))
			list(&l, node->graph->nodes[i]);
	return listed(&l, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
					   cudaGraphEdgeData *edges, size_t *count)
{
	return API(get_dependents(node, dependents, edges, count));
}

static cudaError_t find_in_clone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t handle)
{
	struct CUgraph_st *graph;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (!out)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i]->origin == original) {
			*out = graph->nodes[i];
			return cudaSuccess;
		}
	return cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t original,
				     cudaGraph_t clone_graph)
{
	return API(find_in_clone(pNode, original, clone_graph));
}

/* --- edges --- */

static void remove_edge(struct CUgraphNode_st *node, const struct CUgraphNode_st *before)
{
	size_t kept = 0;

	for (size_t i = 0; i < node->after_count; i++)
		if (node->after[i] != before)
			node->after[kept++] = node->after[i];
	node->after_count = kept;
}

static cudaError_t check_edge(struct CUgraph_st *graph, cudaGraphNode_t from, cudaGraphNode_t to,
			      bool present)
{
	struct CUgraphNode_st *a, *b;

	TRY_CUDA(runtime_graph_node_of(from, &a));
	TRY_CUDA(runtime_graph_node_of(to, &b));
	if (a->graph != graph || b->graph != graph || a == b || comes_after(b, a) != present)
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static cudaError_t change_edges(cudaGraph_t handle, const cudaGraphNode_t *from,
				const cudaGraphNode_t *to, size_t count, bool add)
{
	struct CUgraph_st *graph;

	TRY_CUDA(runtime_graph_of(handle, &graph));
	if (count > 0 && (!from || !to))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++)
		TRY_CUDA(check_edge(graph, from[i], to[i], !add));
	runtime_graph_changed(graph);
	for (size_t i = 0; i < count; i++) {
		if (!add) {
			remove_edge(to[i], from[i]);
			continue;
		}
		to[i]->after = xreallocarray(to[i]->after, to[i]->after_count + 1,
					     sizeof *to[i]->after);
		to[i]->after[to[i]->after_count++] = from[i];
	}
	return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
				     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
				     size_t count)
{
	(void)edges;
	return API(change_edges(graph, from, to, count, true));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
					const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
					size_t count)
{
	(void)edges;
	return API(change_edges(graph, from, to, count, false));
}

static cudaError_t destroy_node(cudaGraphNode_t handle)
{
	struct CUgraphNode_st *node;
	struct CUgraph_st *graph;
	size_t kept = 0;

	TRY_CUDA(runtime_graph_node_of(handle, &node));
	graph = node->graph;
	runtime_graph_changed(graph);
	for (size_t i = 0; i < graph->count; i++) {
		remove_edge(graph->nodes[i], node);
		if (graph->nodes[i] != node)
			graph->nodes[kept++] = graph->nodes[i];
	}
	graph->count = kept;
	runtime_graph_node_free(node);
	return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	return API(destroy_node(node));
}
