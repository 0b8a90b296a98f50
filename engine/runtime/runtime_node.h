/* runtime_node.h - the work that a node's parameters describe; the arguments stay theirs. */
#ifndef RUNTIME_NODE_H
#define RUNTIME_NODE_H

#include "engine/runtime/runtime_graph.h"

cudaError_t node_launch(const struct cudaKernelNodeParams *, struct work *out);
cudaError_t node_copy(const struct cudaMemcpy3DParms *, struct work *out);
cudaError_t node_copy_linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind,
			     struct work *out);
cudaError_t node_fill(const struct cudaMemsetParams *, struct work *out);
cudaError_t node_host(const struct cudaHostNodeParams *, struct work *out);
cudaError_t node_child(cudaGraph_t child, struct work *out);
cudaError_t node_event(enum work_kind, cudaEvent_t, struct work *out);
/* Of memory that a graph allocates. */
cudaError_t node_unuse(void *pointer, struct work *out);
/* Adds a node that runs after those of `after`. `checked` is the result of checking the work's
 * parameters. */
cudaError_t node_add(cudaGraphNode_t *out, cudaGraph_t, const cudaGraphNode_t *after, size_t count,
		     cudaError_t checked, const struct work *);
cudaError_t node_add_allocation(cudaGraphNode_t *out, cudaGraph_t, const cudaGraphNode_t *after,
				size_t count, struct cudaMemAllocNodeParams *);
cudaError_t node_add_condition(cudaGraphNode_t *out, cudaGraph_t, const cudaGraphNode_t *after,
			       size_t count, struct cudaConditionalNodeParams *);
/* Sets a node's work to one of its kind, in a graph and in what was made of it. */
cudaError_t node_set(cudaGraphNode_t, cudaError_t checked, const struct work *);
cudaError_t node_set_in(cudaGraphExec_t, cudaGraphNode_t, cudaError_t checked, const struct work *);
/* Copies the work. */
void node_set_work(struct CUgraphNode_st *, const struct work *);

#endif
