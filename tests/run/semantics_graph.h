/* semantics_graph.h - questions about memory and conditions of graphs, for semantics.cu only. */

static unsigned long long graph_bytes(cudaGraphMemAttributeType attribute)
{
	unsigned long long value = 0;

	cudaDeviceGetGraphMemAttribute(0, attribute, &value);
	return value;
}

#define GRAPH_BYTES(name) \
	do { \
		printf("graph_memory." name ".used %llu\n", \
		       graph_bytes(cudaGraphMemAttrUsedMemCurrent)); \
		printf("graph_memory." name ".used_high %llu\n", \
		       graph_bytes(cudaGraphMemAttrUsedMemHigh)); \
		printf("graph_memory." name ".reserved %llu\n", \
		       graph_bytes(cudaGraphMemAttrReservedMemCurrent)); \
	} while (0)

/* A graph that allocates, and frees if `frees`. */
static cudaGraphExec_t allocating(size_t bytes, bool frees, void **memory)
{
	cudaMemAllocNodeParams alloc = {};
	cudaGraphNode_t nodes[2];
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	alloc.poolProps.allocType = cudaMemAllocationTypePinned;
	alloc.poolProps.location.type = cudaMemLocationTypeDevice;
	alloc.bytesize = bytes;
	cudaGraphCreate(&graph, 0);
	cudaGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &alloc);
	if (frees)
		cudaGraphAddMemFreeNode(&nodes[1], graph, nodes, 1, alloc.dptr);
	cudaGraphInstantiate(&exec, graph, 0);
	cudaGraphDestroy(graph);
	*memory = alloc.dptr;
	return exec;
}

static void graph_memory(void)
{
	const size_t bytes = 64 << 20;
	unsigned long long mark = 0;
	cudaGraphExec_t exec[3];
	void *memory[3];
	cudaStream_t s;

	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	exec[0] = allocating(bytes, true, &memory[0]);
	exec[1] = allocating(bytes, true, &memory[1]);
	exec[2] = allocating(bytes, false, &memory[2]);
	GRAPH_BYTES("made");
	cudaGraphLaunch(exec[0], s);
	cudaStreamSynchronize(s);
	GRAPH_BYTES("launched");
	cudaGraphLaunch(exec[1], s);
	cudaStreamSynchronize(s);
	GRAPH_BYTES("another");
	E("graph_memory.trim", cudaDeviceGraphMemTrim(0));
	GRAPH_BYTES("trimmed");
	cudaGraphLaunch(exec[2], s);
	cudaStreamSynchronize(s);
	E("graph_memory.trim_held", cudaDeviceGraphMemTrim(0));
	GRAPH_BYTES("held");
	E("graph_memory.free", cudaFree(memory[2]));
	GRAPH_BYTES("freed");
	E("graph_memory.trim_freed", cudaDeviceGraphMemTrim(0));
	GRAPH_BYTES("freed_trimmed");
	E("graph_memory.set_high", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh,
								  &mark));
	GRAPH_BYTES("set");
	E("graph_memory.set_current", cudaDeviceSetGraphMemAttribute(
		0, cudaGraphMemAttrUsedMemCurrent, &mark));
	mark = 1;
	E("graph_memory.set_one", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh,
								 &mark));
	E("graph_memory.get_bad", cudaDeviceGetGraphMemAttribute(
		0, (cudaGraphMemAttributeType)9, &mark));
	E("graph_memory.get_null", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh,
								  NULL));
	E("graph_memory.get_device", cudaDeviceGetGraphMemAttribute(
		99, cudaGraphMemAttrUsedMemHigh, &mark));
	E("graph_memory.trim_device", cudaDeviceGraphMemTrim(99));
}

/* --- conditions --- */

__global__ void set_condition(cudaGraphConditionalHandle handle, unsigned value, int *count)
{
	++*count;
	cudaGraphSetConditional(handle, value);
}

static cudaError_t add_condition(cudaGraph_t graph, cudaGraphConditionalHandle handle, int type,
				 unsigned size, cudaGraph_t *bodies)
{
	cudaGraphNodeParams params = { cudaGraphNodeTypeConditional };
	cudaGraphNode_t node;
	cudaError_t error;

	params.conditional.handle = handle;
	params.conditional.type = (cudaGraphConditionalNodeType)type;
	params.conditional.size = size;
	error = cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params);
	if (error == cudaSuccess && bodies)
		*bodies = params.conditional.phGraph_out[0];
	return error;
}

static void add_set(cudaGraph_t graph, cudaGraphConditionalHandle handle, unsigned value,
		    int *count)
{
	void *args[] = { &handle, &value, &count };
	cudaGraphNodeParams params = { cudaGraphNodeTypeKernel };
	cudaGraphNode_t node;

	params.kernel.func = (void *)set_condition;
	params.kernel.gridDim = params.kernel.blockDim = dim3(1);
	params.kernel.kernelParams = args;
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params);
}

/* How often the body runs whose handle has the default value, and clears itself. */
static void ask_default(const char *name, unsigned value, unsigned flags)
{
	cudaGraphConditionalHandle handle;
	cudaGraph_t graph, body;
	cudaGraphExec_t exec;
	int *count, got = -1;

	cudaMalloc(&count, sizeof *count);
	cudaMemset(count, 0, sizeof *count);
	cudaGraphCreate(&graph, 0);
	cudaGraphConditionalHandleCreate(&handle, graph, value, flags);
	add_condition(graph, handle, cudaGraphCondTypeWhile, 1, &body);
	add_set(body, handle, 0, count);
	cudaGraphInstantiate(&exec, graph, 0);
	cudaGraphLaunch(exec, 0);
	cudaGraphLaunch(exec, 0);
	cudaMemcpy(&got, count, sizeof got, cudaMemcpyDeviceToHost);
	say(name, got);
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
}

/* A handle inside a handle's body: how often it gets its default. */
static void ask_inner(void)
{
	cudaGraphConditionalHandle outer, inner;
	cudaGraph_t graph, body, last;
	cudaGraphExec_t exec;
	int *counts, got[2] = { -1, -1 };

	cudaMalloc(&counts, sizeof got);
	cudaMemset(counts, 0, sizeof got);
	cudaGraphCreate(&graph, 0);
	cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault);
	add_condition(graph, outer, cudaGraphCondTypeWhile, 1, &body);
	E("conditions.inner_handle", cudaGraphConditionalHandleCreate(&inner, body, 1,
								      cudaGraphCondAssignDefault));
	E("conditions.inner_node", add_condition(body, inner, cudaGraphCondTypeWhile, 1, &last));
	add_set(last, inner, 0, counts);
	add_set(body, outer, 0, counts + 1);
	E("conditions.inner_instantiate", cudaGraphInstantiate(&exec, graph, 0));
	cudaGraphLaunch(exec, 0);
	cudaGraphLaunch(exec, 0);
	cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost);
	say("conditions.inner_runs", got[0]);
	say("conditions.outer_runs", got[1]);
}

static void conditions(void)
{
	cudaHostNodeParams host = { host_nothing, NULL };
	cudaGraphConditionalHandle handle;
	cudaGraph_t graph, other, body;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaStream_t s;

	cudaStreamCreate(&s);
	cudaGraphCreate(&graph, 0);
	cudaGraphCreate(&other, 0);
	E("conditions.flags_2", cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
	E("conditions.handle", cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
	E("conditions.if_0", add_condition(graph, handle, 0, 0, NULL));
	E("conditions.if_3", add_condition(graph, handle, 0, 3, NULL));
	E("conditions.while_2", add_condition(graph, handle, 1, 2, NULL));
	E("conditions.type_3", add_condition(graph, handle, 3, 1, NULL));
	E("conditions.other_graph", add_condition(other, handle, 0, 1, NULL));
	E("conditions.node", add_condition(graph, handle, 0, 1, &body));
	E("conditions.used_twice", add_condition(graph, handle, 0, 1, NULL));
	E("conditions.empty_body", cudaGraphInstantiate(&exec, graph, 0));
	E("conditions.destroy_body", cudaGraphDestroy(body));
	E("conditions.update_without", cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0));
	E("conditions.begin_into", cudaStreamBeginCaptureToGraph(s, body, NULL, NULL, 0,
								 cudaStreamCaptureModeGlobal));
	E("conditions.update_flags", cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 7));
	E("conditions.end_into", cudaStreamEndCapture(s, NULL));
	E("conditions.host_node", cudaGraphAddHostNode(&node, body, NULL, 0, &host));
	E("conditions.host_body", cudaGraphInstantiate(&exec, graph, 0));
	ask_default("conditions.runs_by_default", 1, cudaGraphCondAssignDefault);
	ask_default("conditions.runs_without", 0, cudaGraphCondAssignDefault);
	ask_inner();
	cudaStreamDestroy(s);
}
