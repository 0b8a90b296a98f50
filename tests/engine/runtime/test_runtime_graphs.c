/* test_runtime_graphs.c - captures and graphs of the runtime API, in many orders.
 *
 * The loop index is the simulator's seed, which selects the order of streams.
 */
#include "config.h"

#include "tests/engine/runtime/program.h"

enum { N = 16, BYTES = 4 * N, SEEDS = 16 };

/* --- captures --- */

START_TEST(a_capture_becomes_a_graph)
{
	enum cudaStreamCaptureStatus status;
	cudaStream_t s[2];
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	size_t count, edges;
	int *a, *b, *c;

	program_begin(1, (uint64_t)_i);
	for (int i = 0; i < 2; i++)
		CUDA(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
	CUDA(cudaEventCreate(&fork));
	CUDA(cudaEventCreate(&join));
	a = equal_ints(N, 1);
	b = equal_ints(N, 2);
	c = equal_ints(N, 3);
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeThreadLocal));
	CUDA(copy_words(a, b, 8, s[0]));
	CUDA(cudaEventRecord(fork, s[0]));
	CUDA(cudaStreamWaitEvent(s[1], fork, 0));
	CUDA(copy_words(b, c, 4, s[1]));
	CUDA(cudaMemsetAsync(b + 8, 0, 16, s[0]));
	CUDA(cudaEventRecord(join, s[1]));
	CUDA(cudaStreamWaitEvent(s[0], join, 0));
	CUDA(cudaStreamIsCapturing(s[1], &status));
	ck_assert_int_eq(status, cudaStreamCaptureStatusActive);
	CUDA(cudaStreamEndCapture(s[0], &graph));
	ck_assert_int_eq(device_int(c), 3);
	CUDA(cudaGraphGetNodes(graph, NULL, &count));
	CUDA(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(edges, 2);
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphDestroy(graph));
	CUDA(cudaGraphLaunch(exec, s[1]));
	CUDA(cudaStreamSynchronize(s[1]));
	ck_assert_int_eq(device_int(c), 1);
	ck_assert_int_eq(device_int(b + 8), 0);
	CUDA(cudaGraphExecDestroy(exec));
	CUDA_IS(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
	CUDA_IS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

START_TEST(captures_forbid_what_cuda_forbids)
{
	cudaStream_t blocking, free_stream;
	cudaGraph_t graph;
	void *memory;
	int *a, *b;

	program_begin(1, 0);
	CUDA(cudaStreamCreate(&blocking));
	CUDA(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
	a = equal_ints(N, 1);
	b = equal_ints(N, 2);
	CUDA_IS(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal),
		cudaErrorStreamCaptureUnsupported);
	CUDA_IS(cudaStreamEndCapture(blocking, &graph), cudaErrorIllegalState);
	CUDA(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
	CUDA_IS(cudaMalloc(&memory, 4), cudaErrorStreamCaptureUnsupported);
	CUDA_IS(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
	CUDA(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
	CUDA_IS(copy_words(a, b, N, NULL), cudaErrorStreamCaptureImplicit);
	CUDA_IS(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
	CUDA(cudaStreamBeginCapture(free_stream, cudaStreamCaptureModeRelaxed));
	CUDA(copy_words(a, b, N, NULL));
	CUDA_IS(cudaStreamSynchronize(free_stream), cudaErrorStreamCaptureUnsupported);
	CUDA_IS(cudaStreamEndCapture(free_stream, &graph), cudaErrorStreamCaptureInvalidated);
	CUDA(cudaStreamBeginCapture(free_stream, cudaStreamCaptureModeRelaxed));
	CUDA(cudaStreamEndCapture(free_stream, &graph));
	ck_assert_int_eq(device_int(b), 1);
	OK(program_end());
}
END_TEST

/* --- graphs --- */

static struct cudaKernelNodeParams copy_params(const int **from, int **to, void **args)
{
	static int words = 4, most = 1, at;

	args[0] = from;
	args[1] = to;
	args[2] = &words;
	args[3] = &most;
	args[4] = &at;
	return (struct cudaKernelNodeParams){
		.func = &tag_copy, .gridDim = { 1, 1, 1 }, .blockDim = { 4, 1, 1 },
		.kernelParams = args };
}

/* memset -> copy -> upload, and a launch that waits for both. */
START_TEST(a_graph_is_made_of_nodes)
{
	struct cudaKernelNodeParams kernel;
	struct cudaMemsetParams fill = { .value = 0x01010101, .elementSize = 4, .width = 4,
					 .height = 1 };
	cudaGraphNode_t nodes[4], listed[8];
	enum cudaGraphNodeType type;
	cudaGraphExecUpdateResultInfo result;
	cudaGraph_t graph, clone;
	cudaGraphExec_t exec;
	size_t count = 8;
	int *a, *b, *c, host[4] = { 40 };
	void *args[5];

	program_begin(1, (uint64_t)_i);
	a = equal_ints(N, 1);
	b = equal_ints(N, 2);
	c = equal_ints(N, 3);
	fill.dst = a;
	kernel = copy_params((const int **)&b, &c, args);
	CUDA(cudaGraphCreate(&graph, 0));
	CUDA(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill));
	CUDA(cudaGraphAddMemcpyNode1D(&nodes[1], graph, nodes, 1, b, a, 16,
				      cudaMemcpyDeviceToDevice));
	CUDA(cudaGraphAddMemcpyNode1D(&nodes[2], graph, NULL, 0, b + 4, host, 16,
				      cudaMemcpyHostToDevice));
	CUDA(cudaGraphAddKernelNode(&nodes[3], graph, &nodes[1], 2, &kernel));
	CUDA(cudaGraphGetNodes(graph, listed, &count));
	ck_assert_uint_eq(count, 4);
	CUDA(cudaGraphNodeGetType(listed[3], &type));
	ck_assert_int_eq(type, cudaGraphNodeTypeKernel);
	CUDA(cudaGraphNodeGetDependencies(nodes[3], NULL, NULL, &count));
	ck_assert_uint_eq(count, 2);
	CUDA_IS(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], NULL, 1),
		cudaErrorInvalidValue);
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphLaunch(exec, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(device_int(c), 0x01010101);
	ck_assert_int_eq(device_int(b + 4), 40);
	host[0] = 41;
	fill.value = 7;
	CUDA(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &fill));
	CUDA(cudaGraphLaunch(exec, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(device_int(c), 7);
	ck_assert_int_eq(device_int(b + 4), 41);
	CUDA(cudaGraphClone(&clone, graph));
	CUDA(cudaGraphNodeFindInClone(&listed[0], nodes[0], clone));
	fill.value = 8;
	CUDA(cudaGraphMemsetNodeSetParams(listed[0], &fill));
	CUDA(cudaGraphExecUpdate(exec, clone, &result));
	ck_assert_int_eq(result.result, cudaGraphExecUpdateSuccess);
	CUDA(cudaGraphLaunch(exec, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(device_int(c), 8);
	CUDA(cudaGraphDestroyNode(nodes[3]));
	CUDA_IS(cudaGraphExecUpdate(exec, graph, &result), cudaErrorGraphExecUpdateFailure);
	ck_assert_int_eq(result.result, cudaGraphExecUpdateErrorTopologyChanged);
	CUDA(cudaGraphExecDestroy(exec));
	OK(program_end());
}
END_TEST

START_TEST(a_graph_may_have_host_nodes_and_children)
{
	struct noted noted = { 0 };
	struct cudaHostNodeParams host = { note_host, &noted };
	cudaGraph_t graph, child;
	cudaGraphExec_t exec;
	cudaGraphNode_t nodes[3];
	int *a, seen[4] = { 0 };

	program_begin(1, (uint64_t)_i);
	a = equal_ints(N, 12);
	noted.memory = seen;
	CUDA(cudaGraphCreate(&child, 0));
	CUDA(cudaGraphAddMemcpyNode1D(&nodes[0], child, NULL, 0, seen, a, 4,
				      cudaMemcpyDeviceToHost));
	CUDA(cudaGraphCreate(&graph, 0));
	CUDA(cudaGraphAddChildGraphNode(&nodes[1], graph, NULL, 0, child));
	CUDA(cudaGraphAddHostNode(&nodes[2], graph, &nodes[1], 1, &host));
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphLaunch(exec, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(noted.seen, 12);
	CUDA(cudaGraphLaunch(exec, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(noted.calls, 2);
	OK(program_end());
}
END_TEST

START_TEST(a_captured_host_function_runs_at_each_launch)
{
	struct noted noted = { 0 };
	cudaStream_t s;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int *a, seen[4] = { 0 };

	program_begin(1, (uint64_t)_i);
	a = equal_ints(N, 3);
	noted.memory = seen;
	CUDA(cudaStreamCreate(&s));
	CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	CUDA(cudaMemcpyAsync(seen, a, 4, cudaMemcpyDeviceToHost, s));
	CUDA(cudaLaunchHostFunc(s, note_host, &noted));
	CUDA(cudaStreamEndCapture(s, &graph));
	ck_assert_int_eq(noted.calls, 0);
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphLaunch(exec, s));
	CUDA(cudaStreamSynchronize(s));
	ck_assert_int_eq(noted.calls, 1);
	ck_assert_int_eq(noted.seen, 3);
	OK(program_end());
}
END_TEST

START_TEST(nodes_of_any_type_have_one_struct)
{
	struct cudaGraphNodeParams alloc = { .type = cudaGraphNodeTypeMemAlloc, .alloc = {
		.poolProps = { .allocType = cudaMemAllocationTypePinned,
			       .location = { cudaMemLocationTypeDevice, 0 } }, .bytesize = BYTES,
	} };
	struct cudaGraphNodeParams fill = { .type = cudaGraphNodeTypeMemset, .memset = {
		.value = 5, .elementSize = 4, .width = N, .height = 1 } };
	struct cudaGraphNodeParams copy = { .type = cudaGraphNodeTypeMemcpy, .memcpy.copyParams = {
		.extent = { BYTES, 1, 1 }, .kind = cudaMemcpyDeviceToDevice } };
	struct cudaGraphNodeParams free = { .type = cudaGraphNodeTypeMemFree };
	struct cudaGraphNodeParams record = { .type = cudaGraphNodeTypeEventRecord };
	struct cudaGraphNodeParams kernel = { .type = cudaGraphNodeTypeKernel };
	struct cudaGraphNodeParams other = { .type = cudaGraphNodeTypeConditional };
	struct cudaKernelNodeParams own;
	struct cudaMemcpy3DParms *copied;
	cudaGraphNode_t nodes[6], none = NULL;
	enum cudaGraphNodeType type;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	void *args[5];
	int *b, *c;

	program_begin(1, (uint64_t)_i);
	b = equal_ints(N, 2);
	c = equal_ints(N, 3);
	CUDA(cudaGraphCreate(&graph, 0));
	CUDA(cudaGraphAddNode(&nodes[0], graph, NULL, NULL, 0, &alloc));
	fill.memset.dst = free.free.dptr = alloc.alloc.dptr;
	CUDA(cudaGraphAddNode(&nodes[1], graph, nodes, NULL, 1, &fill));
	copied = &copy.memcpy.copyParams;
	copied->srcPtr = (struct cudaPitchedPtr){ alloc.alloc.dptr, BYTES, BYTES, 1 };
	copied->dstPtr = (struct cudaPitchedPtr){ b, BYTES, BYTES, 1 };
	CUDA(cudaGraphAddNode(&nodes[2], graph, &nodes[1], NULL, 1, &copy));
	CUDA(cudaGraphAddNode(&nodes[3], graph, &nodes[2], NULL, 1, &free));
	own = copy_params((const int **)&b, &c, args);
	kernel.kernel = (struct cudaKernelNodeParamsV2){ own.func, own.gridDim, own.blockDim, 0,
							 own.kernelParams, NULL };
	CUDA(cudaGraphAddNode(&nodes[4], graph, &nodes[2], NULL, 1, &kernel));
	CUDA(cudaEventCreate(&record.eventRecord.event));
	CUDA(cudaGraphAddNode(&nodes[5], graph, &nodes[4], NULL, 1, &record));
	CUDA(cudaGraphNodeGetType(nodes[0], &type));
	ck_assert_int_eq(type, cudaGraphNodeTypeMemAlloc);
	CUDA(cudaGraphNodeGetType(nodes[5], &type));
	ck_assert_int_eq(type, cudaGraphNodeTypeEventRecord);
	CUDA_IS(cudaGraphAddNode(&none, graph, NULL, NULL, 0, &other), cudaErrorInvalidValue);
	CUDA_IS(cudaGraphAddNode(&none, graph, NULL, NULL, 0, NULL), cudaErrorInvalidValue);
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphLaunch(exec, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(device_int(c), 5);

	fill.memset.value = 6;
	CUDA(cudaGraphExecNodeSetParams(exec, nodes[1], &fill));
	CUDA(cudaGraphLaunch(exec, NULL));
	ck_assert_int_eq(device_int(c), 6);
	fill.memset.value = 7;
	CUDA(cudaGraphNodeSetParams(nodes[1], &fill));
	CUDA(cudaGraphLaunch(exec, NULL));
	ck_assert_int_eq(device_int(c), 6);
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphLaunch(exec, NULL));
	ck_assert_int_eq(device_int(c), 7);
	CUDA_IS(cudaGraphNodeSetParams(nodes[1], &copy), cudaErrorInvalidValue);
	CUDA_IS(cudaGraphExecNodeSetParams(exec, nodes[3], &free), cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("runtime graphs");

	tcase_add_loop_test(tests, a_capture_becomes_a_graph, 0, SEEDS);
	tcase_add_test(tests, captures_forbid_what_cuda_forbids);
	tcase_add_loop_test(tests, a_graph_is_made_of_nodes, 0, SEEDS);
	tcase_add_loop_test(tests, a_graph_may_have_host_nodes_and_children, 0, 4);
	tcase_add_loop_test(tests, a_captured_host_function_runs_at_each_launch, 0, 4);
	tcase_add_loop_test(tests, nodes_of_any_type_have_one_struct, 0, 4);
	return run_suite("runtime graphs", tests);
}
