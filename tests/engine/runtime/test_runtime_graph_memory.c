/* test_runtime_graph_memory.c - memory that nodes of graphs allocate: in launches, reused, counted.
 *
 * The loop index is the simulator's seed, which selects the order of streams.
 */
#include "config.h"

#include "tests/engine/runtime/program.h"

enum { N = 16, BYTES = 4 * N };

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
	a = equal_ints(N, 21);
	b = equal_ints(N, 2);
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
		ck_assert_int_eq(device_int(b), 21);
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
		ck_assert_int_eq(device_int(b + 1), 21);
	}
	OK(program_end());
}
END_TEST

/* Of every type, and with other parameters, in the graph and in what was made of it. */
static uint64_t graph_bytes(enum cudaGraphMemAttributeType attribute)
{
	uint64_t value = 1;

	CUDA(cudaDeviceGetGraphMemAttribute(0, attribute, &value));
	return value;
}

static cudaGraphExec_t allocating(size_t bytes, bool frees, void **memory)
{
	struct cudaMemAllocNodeParams alloc = {
		.poolProps = { .allocType = cudaMemAllocationTypePinned,
			       .location = { cudaMemLocationTypeDevice, 0 } },
		.bytesize = bytes };
	cudaGraphNode_t nodes[2];
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CUDA(cudaGraphCreate(&graph, 0));
	CUDA(cudaGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &alloc));
	if (frees)
		CUDA(cudaGraphAddMemFreeNode(&nodes[1], graph, nodes, 1, alloc.dptr));
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphDestroy(graph));
	*memory = alloc.dptr;
	return exec;
}

/* A node reuses what one before it has freed, and only that. */
START_TEST(nodes_reuse_memory)
{
	struct cudaMemAllocNodeParams alloc = {
		.poolProps = { .allocType = cudaMemAllocationTypePinned,
			       .location = { cudaMemLocationTypeDevice, 0 } },
		.bytesize = 4096 };
	cudaGraphNode_t nodes[6];
	cudaGraph_t graph;
	void *first;

	program_begin(1, 0);
	CUDA(cudaGraphCreate(&graph, 0));
	CUDA(cudaGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &alloc));
	first = alloc.dptr;
	CUDA(cudaGraphAddMemFreeNode(&nodes[1], graph, nodes, 1, first));
	CUDA(cudaGraphAddMemAllocNode(&nodes[2], graph, nodes, 1, &alloc));
	ck_assert_msg(alloc.dptr != first, "reused before it was freed");
	alloc.bytesize = 8192;
	CUDA(cudaGraphAddMemAllocNode(&nodes[3], graph, &nodes[1], 1, &alloc));
	ck_assert_msg(alloc.dptr != first, "reused for more bytes than it has");
	alloc.bytesize = 4096;
	CUDA(cudaGraphAddMemAllocNode(&nodes[4], graph, &nodes[1], 1, &alloc));
	ck_assert_ptr_eq(alloc.dptr, first);
	CUDA(cudaGraphAddMemAllocNode(&nodes[5], graph, &nodes[1], 1, &alloc));
	ck_assert_msg(alloc.dptr != first, "reused twice at a time");
	OK(program_end());
}
END_TEST

START_TEST(memory_of_graphs_is_counted)
{
	enum { MB = 1 << 20 };
	cudaGraphExec_t exec[4];
	uint64_t mark = 1;
	void *memory[4];
	cudaStream_t s[2];

	program_begin(1, 0);
	for (int i = 0; i < 2; i++)
		CUDA(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
	for (int i = 0; i < 4; i++)
		exec[i] = allocating(MB, i < 3, &memory[i]);
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrUsedMemCurrent), 0);
	for (int i = 0; i < 4; i++)             /* in the order of a stream */
		CUDA(cudaGraphLaunch(exec[i % 2], s[0]));
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrUsedMemCurrent), MB);
	CUDA(cudaGraphLaunch(exec[2], s[1]));   /* at the same time */
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrReservedMemCurrent), 2 * MB);
	CUDA(cudaDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrUsedMemCurrent), 2 * MB);
	CUDA(cudaStreamSynchronize(s[0]));
	CUDA(cudaGraphLaunch(exec[3], s[1]));   /* in what the other stream has used */
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrUsedMemCurrent), 2 * MB);
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrUsedMemCurrent), MB);
	CUDA(cudaFree(memory[3]));
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrUsedMemCurrent), MB);
	CUDA(cudaDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrUsedMemCurrent), 0);
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrUsedMemHigh), 2 * MB);
	CUDA_IS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &mark),
		cudaErrorInvalidValue);
	mark = 0;
	CUDA_IS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &mark),
		cudaErrorInvalidValue);
	CUDA(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &mark));
	ck_assert_uint_eq(graph_bytes(cudaGraphMemAttrReservedMemHigh), 0);
	CUDA_IS(cudaDeviceGetGraphMemAttribute(1, cudaGraphMemAttrUsedMemHigh, &mark),
		cudaErrorInvalidDevice);
	CUDA_IS(cudaDeviceGraphMemTrim(-1), cudaErrorInvalidDevice);
	OK(program_end());
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("memory of graphs");

	tcase_add_loop_test(tests, graphs_have_memory, 0, 4);
	tcase_add_test(tests, nodes_reuse_memory);
	tcase_add_test(tests, memory_of_graphs_is_counted);
	return run_suite("memory of graphs", tests);
}
