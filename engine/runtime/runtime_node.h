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
/* Copies the work. */
void node_set_work(struct CUgraphNode_st *, const struct work *);

#endif
