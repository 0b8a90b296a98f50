/* test_runtime_streams.c - streams, events, captures and graphs of the runtime API, in many orders.
 *
 * The loop index is the simulator's seed, which selects the order of streams.
 */
#include "config.h"

#include <pthread.h>

#include "tests/engine/runtime/program.h"

enum { N = 16, BYTES = 4 * N, SEEDS = 16 };

static int *ints(int value)
{
	int values[N];
	void *memory;

	for (int i = 0; i < N; i++)
		values[i] = value;
	CUDA(cudaMalloc(&memory, BYTES));
	CUDA(cudaMemcpy(memory, values, BYTES, cudaMemcpyHostToDevice));
	return memory;
}

static int first(const int *memory)
{
	int value;

	CUDA(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost));
	return value;
}

/* --- order --- */

START_TEST(the_legacy_stream_is_in_order_with_blocking_streams)
{
	cudaStream_t s[2];
	int *a, *b, *c;

	program_begin(1, (uint64_t)_i);
	CUDA(cudaStreamCreate(&s[0]));
	CUDA(cudaStreamCreateWithPriority(&s[1], cudaStreamDefault, -1));
	a = ints(1);
	b = ints(2);
	c = ints(3);
	CUDA(copy_words(a, b, N, s[0]));
	CUDA(copy_words(b, c, N, NULL));
	CUDA(copy_words(c, a + 8, 8, s[1]));
	CUDA(copy_words(a + 8, b + 8, 8, NULL));
	CUDA(cudaStreamSynchronize(NULL));
	ck_assert_int_eq(first(c), 1);
	ck_assert_int_eq(first(b + 8), 1);
	CUDA(cudaStreamDestroy(s[0]));
	CUDA_IS(cudaStreamSynchronize(s[0]), cudaErrorInvalidResourceHandle);
	CUDA_IS(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
	OK(program_end());
}
END_TEST

/* Some order must show that nothing orders a non-blocking stream. */
START_TEST(a_non_blocking_stream_is_not_ordered)
{
	bool early = false, late = false;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		cudaStream_t s;
		int *a, *b, *c;

		program_begin(1, seed);
		CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
		a = ints(1);
		b = ints(2);
		c = ints(3);
		CUDA(cudaDeviceSynchronize());
		CUDA(copy_words(a, b, N, s));
		CUDA(copy_words(b, c, N, NULL));
		CUDA(cudaDeviceSynchronize());
		early |= first(c) == 2;
		late |= first(c) == 1;
		OK(program_end());
	}
	ck_assert(early && late);
}
END_TEST

START_TEST(events_order_streams)
{
	cudaStream_t s[2];
	cudaEvent_t e, plain, never;
	int *a, *b, *c;
	float ms;

	program_begin(1, (uint64_t)_i);
	for (int i = 0; i < 2; i++)
		CUDA(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
	CUDA(cudaEventCreate(&e));
	CUDA(cudaEventCreate(&never));
	CUDA(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
	a = ints(1);
	b = ints(2);
	c = ints(3);
	CUDA(cudaDeviceSynchronize());
	CUDA(copy_words(a, b, N, s[0]));
	CUDA(cudaEventRecord(e, s[0]));
	CUDA(cudaStreamWaitEvent(s[1], e, 0));
	CUDA(copy_words(b, c, N, s[1]));
	CUDA(cudaEventRecord(plain, s[1]));
	CUDA(cudaEventSynchronize(plain));
	ck_assert_int_eq(first(c), 1);
	CUDA(cudaEventQuery(e));
	CUDA(cudaEventQuery(never));
	CUDA(cudaEventElapsedTime(&ms, e, e));
	ck_assert(ms >= 0.0f && ms <= 0.0f);
	CUDA_IS(cudaEventElapsedTime(&ms, e, plain), cudaErrorInvalidResourceHandle);
	CUDA_IS(cudaEventElapsedTime(&ms, e, never), cudaErrorInvalidResourceHandle);
	CUDA(cudaEventDestroy(e));
	CUDA_IS(cudaEventDestroy(e), cudaErrorInvalidResourceHandle);
	CUDA_IS(cudaEventCreateWithFlags(&e, 8), cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

START_TEST(async_copies_read_pageable_memory_at_the_call)
{
	cudaStream_t s;
	int in[N] = { 5 }, *pinned, *a, *b;

	program_begin(1, (uint64_t)_i);
	CUDA(cudaStreamCreate(&s));
	CUDA(cudaMallocHost((void **)&pinned, BYTES));
	pinned[0] = 6;
	a = ints(1);
	b = ints(2);
	CUDA(cudaMemcpyAsync(a, in, BYTES, cudaMemcpyHostToDevice, s));
	in[0] = 7;
	CUDA(cudaMemcpyAsync(b, pinned, BYTES, cudaMemcpyHostToDevice, s));
	CUDA(cudaMemsetAsync(b + 1, 0, 4, s));
	CUDA(cudaMemcpyAsync(pinned, a, 4, cudaMemcpyDeviceToHost, s));
	CUDA(cudaStreamSynchronize(s));
	ck_assert_int_eq(pinned[0], 5);
	ck_assert_int_eq(first(b), 6);
	ck_assert_int_eq(first(b + 1), 0);
	OK(program_end());
}
END_TEST

struct noted {
	const int *memory;
	int seen, calls;
	cudaError_t nested;
};

static void note(void *data)
{
	struct noted *noted = data;

	noted->seen = noted->memory[0];
	noted->calls++;
	noted->nested = cudaDeviceSynchronize();
}

static void note_callback(cudaStream_t stream, cudaError_t status, void *data)
{
	(void)stream;
	ck_assert_int_eq(status, cudaSuccess);
	note(data);
}

START_TEST(host_functions_run_after_the_work_before)
{
	struct noted noted = { 0 };
	cudaStream_t s;
	int *pinned, *a;

	program_begin(1, (uint64_t)_i);
	CUDA(cudaStreamCreate(&s));
	CUDA(cudaMallocHost((void **)&pinned, BYTES));
	a = ints(9);
	noted.memory = pinned;
	CUDA(cudaMemcpyAsync(pinned, a, 4, cudaMemcpyDeviceToHost, s));
	CUDA(cudaLaunchHostFunc(s, note, &noted));
	CUDA(cudaStreamSynchronize(s));
	ck_assert_int_eq(noted.seen, 9);
	ck_assert_int_eq(noted.nested, cudaErrorNotPermitted);
	CUDA(cudaStreamAddCallback(s, note_callback, &noted, 0));
	CUDA(cudaStreamSynchronize(s));
	ck_assert_int_eq(noted.calls, 2);
	CUDA_IS(cudaLaunchHostFunc(s, NULL, NULL), cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

START_TEST(streams_keep_attributes)
{
	cudaLaunchAttributeValue value = { .syncPolicy = cudaSyncPolicyYield }, got;
	cudaStream_t s;

	program_begin(1, 0);
	CUDA(cudaStreamCreateWithPriority(&s, 0, -2));
	CUDA(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &got));
	ck_assert_int_eq(got.syncPolicy, cudaSyncPolicyAuto);
	CUDA(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value));
	CUDA(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &got));
	ck_assert_int_eq(got.syncPolicy, cudaSyncPolicyYield);
	CUDA(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &got));
	ck_assert_int_eq(got.priority, -2);
	CUDA_IS(cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &value),
		cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

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
	a = ints(1);
	b = ints(2);
	c = ints(3);
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
	ck_assert_int_eq(first(c), 3);
	CUDA(cudaGraphGetNodes(graph, NULL, &count));
	CUDA(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(edges, 2);
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphDestroy(graph));
	CUDA(cudaGraphLaunch(exec, s[1]));
	CUDA(cudaStreamSynchronize(s[1]));
	ck_assert_int_eq(first(c), 1);
	ck_assert_int_eq(first(b + 8), 0);
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
	a = ints(1);
	b = ints(2);
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
	ck_assert_int_eq(first(b), 1);
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
	a = ints(1);
	b = ints(2);
	c = ints(3);
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
	ck_assert_int_eq(first(c), 0x01010101);
	ck_assert_int_eq(first(b + 4), 40);
	host[0] = 41;
	fill.value = 7;
	CUDA(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &fill));
	CUDA(cudaGraphLaunch(exec, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(first(c), 7);
	ck_assert_int_eq(first(b + 4), 41);
	CUDA(cudaGraphClone(&clone, graph));
	CUDA(cudaGraphNodeFindInClone(&listed[0], nodes[0], clone));
	fill.value = 8;
	CUDA(cudaGraphMemsetNodeSetParams(listed[0], &fill));
	CUDA(cudaGraphExecUpdate(exec, clone, &result));
	ck_assert_int_eq(result.result, cudaGraphExecUpdateSuccess);
	CUDA(cudaGraphLaunch(exec, NULL));
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(first(c), 8);
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
	struct cudaHostNodeParams host = { note, &noted };
	cudaGraph_t graph, child;
	cudaGraphExec_t exec;
	cudaGraphNode_t nodes[3];
	int *a, seen[4] = { 0 };

	program_begin(1, (uint64_t)_i);
	a = ints(12);
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
	a = ints(3);
	noted.memory = seen;
	CUDA(cudaStreamCreate(&s));
	CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	CUDA(cudaMemcpyAsync(seen, a, 4, cudaMemcpyDeviceToHost, s));
	CUDA(cudaLaunchHostFunc(s, note, &noted));
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

START_TEST(graphs_have_memory)
{
	struct cudaMemAllocNodeParams alloc = {
		.poolProps = { .allocType = cudaMemAllocationTypePinned,
			       .location = { cudaMemLocationTypeDevice, 0 } },
		.bytesize = BYTES };
	cudaGraphNode_t nodes[4];
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	cudaStream_t s;
	int *a, *b;
	void *inside;

	program_begin(1, (uint64_t)_i);
	a = ints(21);
	b = ints(2);
	CUDA(cudaGraphCreate(&graph, 0));
	CUDA(cudaGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &alloc));
	CUDA(cudaGraphAddMemcpyNode1D(&nodes[1], graph, nodes, 1, alloc.dptr, a, BYTES,
				      cudaMemcpyDeviceToDevice));
	CUDA(cudaGraphAddMemcpyNode1D(&nodes[2], graph, &nodes[1], 1, b, alloc.dptr, BYTES,
				      cudaMemcpyDeviceToDevice));
	CUDA(cudaGraphAddMemFreeNode(&nodes[3], graph, &nodes[2], 1, alloc.dptr));
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 2; i++) {
		CUDA(cudaMemset(b, 0, BYTES));
		CUDA(cudaGraphLaunch(exec, NULL));
		ck_assert_int_eq(first(b), 21);
	}
	CUDA(cudaStreamCreate(&s));
	CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	CUDA(cudaMallocAsync(&inside, BYTES, s));
	CUDA(copy_words(a, inside, N, s));
	CUDA(copy_words(inside, b + 1, 1, s));
	CUDA(cudaFreeAsync(inside, s));
	CUDA(cudaStreamEndCapture(s, &graph));
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 2; i++) {
		CUDA(cudaMemset(b, 0, BYTES));
		CUDA(cudaGraphLaunch(exec, s));
		CUDA(cudaDeviceSynchronize());
		ck_assert_int_eq(first(b + 1), 21);
	}
	OK(program_end());
}
END_TEST

START_TEST(each_thread_can_have_its_stream)
{
	unsigned long long id;
	int *a, *b;

	program_begin(1, (uint64_t)_i);
	a = ints(1);
	b = ints(2);
	CUDA(copy_words(a, b, N, cudaStreamPerThread));
	CUDA(cudaStreamGetId(cudaStreamPerThread, &id));
	ck_assert_uint_eq(id, 2);
	CUDA(cudaStreamSynchronize(cudaStreamPerThread));
	ck_assert_int_eq(first(b), 1);
	OK(program_end());
}
END_TEST

/* --- threads --- */

static void *copy_in_thread(void *data)
{
	int *const *memory = data;
	cudaStream_t s;

	if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess)
		return NULL;
	for (int i = 0; i < 20; i++)
		if (copy_words(memory[0], memory[1], N, i % 2 ? s : cudaStreamPerThread)
		    != cudaSuccess || cudaStreamSynchronize(s) != cudaSuccess)
			return NULL;
	if (cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess
	    || cudaMalloc(NULL, 4) != cudaErrorInvalidValue)
		return NULL;
	return cudaGetLastError() == cudaErrorInvalidValue ? data : NULL;
}

START_TEST(threads_have_their_own_last_error)
{
	pthread_t threads[4];
	int *memory[4][2];
	void *result;

	program_begin(1, (uint64_t)_i);
	for (int i = 0; i < 4; i++) {
		memory[i][0] = ints(i);
		memory[i][1] = ints(9);
	}
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, copy_in_thread, memory[i]), 0);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(pthread_join(threads[i], &result), 0);
		ck_assert_ptr_eq(result, memory[i]);
		ck_assert_int_eq(first(memory[i][1]), i);
	}
	CUDA(cudaGetLastError());
	OK(program_end());
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("runtime streams");

	tcase_add_loop_test(tests, the_legacy_stream_is_in_order_with_blocking_streams, 0, SEEDS);
	tcase_add_test(tests, a_non_blocking_stream_is_not_ordered);
	tcase_add_loop_test(tests, events_order_streams, 0, SEEDS);
	tcase_add_loop_test(tests, async_copies_read_pageable_memory_at_the_call, 0, SEEDS);
	tcase_add_loop_test(tests, host_functions_run_after_the_work_before, 0, SEEDS);
	tcase_add_test(tests, streams_keep_attributes);
	tcase_add_loop_test(tests, a_capture_becomes_a_graph, 0, SEEDS);
	tcase_add_test(tests, captures_forbid_what_cuda_forbids);
	tcase_add_loop_test(tests, a_graph_is_made_of_nodes, 0, SEEDS);
	tcase_add_loop_test(tests, a_graph_may_have_host_nodes_and_children, 0, 4);
	tcase_add_loop_test(tests, a_captured_host_function_runs_at_each_launch, 0, 4);
	tcase_add_loop_test(tests, graphs_have_memory, 0, 4);
	tcase_add_loop_test(tests, each_thread_can_have_its_stream, 0, 4);
	tcase_add_loop_test(tests, threads_have_their_own_last_error, 0, 4);
	return run_suite("runtime streams", tests);
}
