/* test_runtime_conditions.c - conditional nodes of graphs, and captures into a program's graph.
 *
 * A launch that copies a word to the handle's address does what cudaGraphSetConditional() of device
 * code does. The loop index is the simulator's seed.
 */
#include "config.h"

#include "tests/engine/runtime/program.h"

enum { N = 16, BYTES = 4 * N };

static cudaGraphConditionalHandle new_handle(cudaGraph_t graph, unsigned value, unsigned flags)
{
	cudaGraphConditionalHandle handle = NULL;

	CUDA(cudaGraphConditionalHandleCreate(&handle, graph, value, flags));
	return handle;
}

static struct cudaGraphNodeParams condition(cudaGraphConditionalHandle handle,
					    enum cudaGraphConditionalNodeType type, unsigned size)
{
	struct cudaGraphNodeParams params = { .type = cudaGraphNodeTypeConditional };

	params.conditional = (struct cudaConditionalNodeParams){
		.handle = handle, .type = type, .size = size };
	return params;
}

/* A node that copies a word. */
static cudaGraphNode_t add_copy(cudaGraph_t graph, const cudaGraphNode_t *after, void *to,
				const void *from)
{
	cudaGraphNode_t node;

	CUDA(cudaGraphAddMemcpyNode1D(&node, graph, after, after != NULL, to, from, sizeof(int),
				      cudaMemcpyDeviceToDevice));
	return node;
}

static int launched(cudaGraphExec_t exec, const int *word)
{
	CUDA(cudaGraphLaunch(exec, NULL));
	return device_int(word);
}

/* seen: 30 + the body that ran for each value, or 0. */
static void try_values(enum cudaGraphConditionalNodeType type, unsigned size, const int *wanted)
{
	int *values = equal_ints(4, 0), *seen = equal_ints(1, 0), *input = equal_ints(1, 0);
	struct cudaGraphNodeParams params;
	cudaGraphNode_t nodes[2];
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CUDA(cudaGraphCreate(&graph, 0));
	params = condition(new_handle(graph, 0, 0), type, size);
	nodes[0] = add_copy(graph, NULL, params.conditional.handle, input);
	CUDA(cudaGraphAddNode(&nodes[1], graph, nodes, NULL, 1, &params));
	for (unsigned i = 0; i < size; i++) {
		int number = 30 + (int)i;

		CUDA(cudaMemcpy(values + i, &number, sizeof number, cudaMemcpyHostToDevice));
		add_copy(params.conditional.phGraph_out[i], NULL, seen, values + i);
	}
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphDestroy(graph));
	for (int value = 0; value < 4; value++) {
		CUDA(cudaMemset(seen, 0, sizeof(int)));
		CUDA(cudaMemcpy(input, &value, sizeof value, cudaMemcpyHostToDevice));
		ck_assert_int_eq(launched(exec, seen), wanted[value]);
	}
	CUDA(cudaGraphExecDestroy(exec));
}

START_TEST(a_value_chooses_a_body)
{
	program_begin(1, (uint64_t)_i);
	try_values(cudaGraphCondTypeIf, 1, (const int[]){ 0, 30, 30, 30 });
	try_values(cudaGraphCondTypeIf, 2, (const int[]){ 31, 30, 30, 30 });
	try_values(cudaGraphCondTypeSwitch, 3, (const int[]){ 30, 31, 32, 0 });
	OK(program_end());
}
END_TEST

/* The words 1, 1, 1, 0 become the condition one after the other: the body runs four times. */
START_TEST(a_body_runs_while_it_holds)
{
	int *words, *next, first[] = { 1, 1, 1, 0, 9 };
	struct cudaGraphNodeParams params;
	cudaGraphNode_t node, moved, shifted;
	cudaGraphExec_t exec;
	cudaGraph_t graph, body;

	program_begin(1, (uint64_t)_i);
	words = equal_ints(8, 0);
	next = equal_ints(8, 0);
	CUDA(cudaGraphCreate(&graph, 0));
	params = condition(new_handle(graph, 5, cudaGraphCondAssignDefault),
			   cudaGraphCondTypeWhile, 1);
	CUDA(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	body = params.conditional.phGraph_out[0];
	moved = add_copy(body, NULL, params.conditional.handle, words);
	CUDA(cudaGraphAddMemcpyNode1D(&shifted, body, &moved, 1, next, words + 1, 16,
				      cudaMemcpyDeviceToDevice));
	CUDA(cudaGraphAddMemcpyNode1D(&moved, body, &shifted, 1, words, next, 16,
				      cudaMemcpyDeviceToDevice));
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 2; i++) {           /* each launch begins with the default */
		CUDA(cudaMemcpy(words, first, sizeof first, cudaMemcpyHostToDevice));
		ck_assert_int_eq(launched(exec, words), 9);
	}
	OK(program_end());
}
END_TEST

START_TEST(captures_go_into_graphs)
{
	struct cudaGraphNodeParams params;
	enum cudaStreamCaptureStatus status;
	const cudaGraphNode_t *ends;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaGraph_t graph, body, ended;
	cudaStream_t s;
	size_t count;
	int *a, *b, *c;

	program_begin(1, (uint64_t)_i);
	a = equal_ints(N, 41);
	b = equal_ints(N, 0);
	c = equal_ints(N, 0);
	CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	CUDA(copy_words(a, b, N, s));
	CUDA(cudaStreamGetCaptureInfo(s, &status, NULL, &graph, &ends, NULL, &count));
	ck_assert_uint_eq(count, 1);
	params = condition(new_handle(graph, 1, cudaGraphCondAssignDefault),
			   cudaGraphCondTypeIf, 1);
	CUDA(cudaGraphAddNode(&node, graph, ends, NULL, count, &params));
	CUDA(cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1,
						 cudaStreamSetCaptureDependencies));
	CUDA(copy_words(c, a, N, s));
	CUDA_IS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
	CUDA(cudaStreamEndCapture(s, &ended));
	ck_assert_ptr_eq(ended, graph);
	CUDA(cudaGraphGetNodes(graph, NULL, &count));
	ck_assert_uint_eq(count, 3);
	body = params.conditional.phGraph_out[0];
	CUDA(cudaStreamBeginCaptureToGraph(s, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
	CUDA(copy_words(b, c, N, s));
	CUDA(cudaStreamEndCapture(s, NULL));
	CUDA_IS(cudaStreamBeginCaptureToGraph(s, body, &node, NULL, 1, cudaStreamCaptureModeGlobal),
		cudaErrorInvalidValue);
	CUDA_IS(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0), cudaErrorIllegalState);
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphLaunch(exec, s));
	CUDA(cudaStreamSynchronize(s));
	for (int i = 0; i < N; i += N - 1) {    /* through b and the body to c, then back to a */
		ck_assert_int_eq(device_int(b + i), 41);
		ck_assert_int_eq(device_int(c + i), 41);
		ck_assert_int_eq(device_int(a + i), 41);
	}
	OK(program_end());
}
END_TEST

START_TEST(wrong_conditions_are_refused)
{
	const struct { enum cudaGraphConditionalNodeType type; unsigned size; } wrong[] = {
		{ cudaGraphCondTypeIf, 0 }, { cudaGraphCondTypeIf, 3 },
		{ cudaGraphCondTypeWhile, 2 }, { cudaGraphCondTypeSwitch, 0 },
		{ (enum cudaGraphConditionalNodeType)3, 1 },
	};
	struct cudaHostNodeParams host = { note_host, NULL };
	cudaGraphConditionalHandle handle;
	struct cudaGraphNodeParams params;
	enum cudaGraphNodeType type;
	cudaGraph_t graph, other;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;

	program_begin(1, 0);
	CUDA(cudaGraphCreate(&graph, 0));
	CUDA(cudaGraphCreate(&other, 0));
	CUDA_IS(cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0), cudaErrorInvalidValue);
	CUDA_IS(cudaGraphConditionalHandleCreate(NULL, graph, 0, 0), cudaErrorInvalidValue);
	CUDA_IS(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2), cudaErrorInvalidValue);
	handle = new_handle(graph, 0, 0);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		params = condition(handle, wrong[i].type, wrong[i].size);
		CUDA_IS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params),
			cudaErrorInvalidValue);
	}
	params = condition(handle, cudaGraphCondTypeIf, 1);
	CUDA_IS(cudaGraphAddNode(&node, other, NULL, NULL, 0, &params), cudaErrorInvalidValue);
	CUDA(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	CUDA(cudaGraphNodeGetType(node, &type));
	ck_assert_int_eq(type, cudaGraphNodeTypeConditional);
	CUDA_IS(cudaGraphDestroy(params.conditional.phGraph_out[0]), cudaErrorInvalidValue);
	params = condition(handle, cudaGraphCondTypeIf, 1);
	CUDA_IS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), cudaErrorInvalidValue);
	params = condition(new_handle(graph, 0, 0), cudaGraphCondTypeIf, 1);
	CUDA(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CUDA(cudaGraphAddHostNode(&node, params.conditional.phGraph_out[0], NULL, 0, &host));
	CUDA_IS(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
	OK(program_end());
}
END_TEST

START_TEST(another_device_has_none)
{
	cudaGraphConditionalHandle handle;
	cudaGraph_t graph;

	program_begin(1, 0);
	CUDA(cudaGraphCreate(&graph, 0));
	runtime_repeats_on("cuda");
	ck_assert_int_ne(cudaGraphConditionalHandleCreate(&handle, graph, 1, 0), cudaSuccess);
	ck_assert_int_eq(program_end(), STATUS_USAGE);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("conditions");

	tcase_add_loop_test(tests, a_value_chooses_a_body, 0, 4);
	tcase_add_loop_test(tests, a_body_runs_while_it_holds, 0, 4);
	tcase_add_loop_test(tests, captures_go_into_graphs, 0, 4);
	tcase_add_test(tests, wrong_conditions_are_refused);
	tcase_add_test(tests, another_device_has_none);
	return run_suite("conditions", tests);
}
