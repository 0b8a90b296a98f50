/* test_runtime_streams.c - streams and events of the runtime API, in many orders.
 *
 * The loop index is the simulator's seed, which selects the order of streams.
 */
#include "config.h"

#include <pthread.h>

#include "tests/engine/runtime/program.h"

enum { N = 16, BYTES = 4 * N, SEEDS = 16 };

/* --- order --- */

START_TEST(the_legacy_stream_is_in_order_with_blocking_streams)
{
	cudaStream_t s[2];
	int *a, *b, *c;

	program_begin(1, (uint64_t)_i);
	CUDA(cudaStreamCreate(&s[0]));
	CUDA(cudaStreamCreateWithPriority(&s[1], cudaStreamDefault, -1));
	a = equal_ints(N, 1);
	b = equal_ints(N, 2);
	c = equal_ints(N, 3);
	CUDA(copy_words(a, b, N, s[0]));
	CUDA(copy_words(b, c, N, NULL));
	CUDA(copy_words(c, a + 8, 8, s[1]));
	CUDA(copy_words(a + 8, b + 8, 8, NULL));
	CUDA(cudaStreamSynchronize(NULL));
	ck_assert_int_eq(device_int(c), 1);
	ck_assert_int_eq(device_int(b + 8), 1);
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
		a = equal_ints(N, 1);
		b = equal_ints(N, 2);
		c = equal_ints(N, 3);
		CUDA(cudaDeviceSynchronize());
		CUDA(copy_words(a, b, N, s));
		CUDA(copy_words(b, c, N, NULL));
		CUDA(cudaDeviceSynchronize());
		early |= device_int(c) == 2;
		late |= device_int(c) == 1;
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
	a = equal_ints(N, 1);
	b = equal_ints(N, 2);
	c = equal_ints(N, 3);
	CUDA(cudaDeviceSynchronize());
	CUDA(copy_words(a, b, N, s[0]));
	CUDA(cudaEventRecord(e, s[0]));
	CUDA(cudaStreamWaitEvent(s[1], e, 0));
	CUDA(copy_words(b, c, N, s[1]));
	CUDA(cudaEventRecord(plain, s[1]));
	CUDA(cudaEventSynchronize(plain));
	ck_assert_int_eq(device_int(c), 1);
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
	a = equal_ints(N, 1);
	b = equal_ints(N, 2);
	CUDA(cudaMemcpyAsync(a, in, BYTES, cudaMemcpyHostToDevice, s));
	in[0] = 7;
	CUDA(cudaMemcpyAsync(b, pinned, BYTES, cudaMemcpyHostToDevice, s));
	CUDA(cudaMemsetAsync(b + 1, 0, 4, s));
	CUDA(cudaMemcpyAsync(pinned, a, 4, cudaMemcpyDeviceToHost, s));
	CUDA(cudaStreamSynchronize(s));
	ck_assert_int_eq(pinned[0], 5);
	ck_assert_int_eq(device_int(b), 6);
	ck_assert_int_eq(device_int(b + 1), 0);
	OK(program_end());
}
END_TEST

static void note_callback(cudaStream_t stream, cudaError_t status, void *data)
{
	(void)stream;
	ck_assert_int_eq(status, cudaSuccess);
	note_host(data);
}

START_TEST(host_functions_run_after_the_work_before)
{
	struct noted noted = { 0 };
	cudaStream_t s;
	int *pinned, *a;

	program_begin(1, (uint64_t)_i);
	CUDA(cudaStreamCreate(&s));
	CUDA(cudaMallocHost((void **)&pinned, BYTES));
	a = equal_ints(N, 9);
	noted.memory = pinned;
	CUDA(cudaMemcpyAsync(pinned, a, 4, cudaMemcpyDeviceToHost, s));
	CUDA(cudaLaunchHostFunc(s, note_host, &noted));
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

START_TEST(each_thread_can_have_its_stream)
{
	unsigned long long id;
	int *a, *b;

	program_begin(1, (uint64_t)_i);
	a = equal_ints(N, 1);
	b = equal_ints(N, 2);
	CUDA(copy_words(a, b, N, cudaStreamPerThread));
	CUDA(cudaStreamGetId(cudaStreamPerThread, &id));
	ck_assert_uint_eq(id, 2);
	CUDA(cudaStreamSynchronize(cudaStreamPerThread));
	ck_assert_int_eq(device_int(b), 1);
	OK(program_end());
}
END_TEST

static void *copy_by_default(void *memory)
{
	int *const *at = memory;

	return copy_words(at[0], at[1], N, NULL) == cudaSuccess ? memory : NULL;
}

/* A thread copies 1 from [0] to [1], and another from there to [2], both on the stream NULL. What
 * is there at the end. */
static int copied_by_threads(uint64_t seed)
{
	int *memory[3], got;
	pthread_t thread;
	void *result;

	program_begin(1, seed);
	for (int i = 0; i < 3; i++)
		memory[i] = equal_ints(N, i + 1);
	CUDA(cudaDeviceSynchronize());
	ck_assert_int_eq(pthread_create(&thread, NULL, copy_by_default, memory), 0);
	ck_assert_int_eq(pthread_join(thread, &result), 0);
	ck_assert_ptr_eq(result, memory);
	CUDA(copy_words(memory[1], memory[2], N, NULL));
	CUDA(cudaDeviceSynchronize());
	got = device_int(memory[2]);
	OK(program_end());
	return got;
}

START_TEST(the_default_stream_may_be_the_threads)
{
	bool early = false, late = false;
	unsigned long long id;
	cudaGraph_t graph;

	ft_default_stream(_i);
	for (uint64_t seed = 1; seed <= 40; seed++) {
		int got = copied_by_threads(seed);

		early |= got == 2;
		late |= got == 1;
	}
	ck_assert_int_eq(early, _i == 1);
	ck_assert_int_eq(late, true);
	program_begin(1, 0);
	CUDA(cudaStreamGetId(NULL, &id));
	ck_assert_uint_eq(id, _i ? 2 : 1);
	CUDA_IS(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal),
		_i ? cudaSuccess : cudaErrorStreamCaptureUnsupported);
	if (_i)
		CUDA(cudaStreamEndCapture(NULL, &graph));
	CUDA_IS(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
	CUDA(cudaStreamGetId(cudaStreamLegacy, &id));
	ck_assert_uint_eq(id, 1);
	OK(program_end());
	ft_default_stream(0);
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
		memory[i][0] = equal_ints(N, i);
		memory[i][1] = equal_ints(N, 9);
	}
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, copy_in_thread, memory[i]), 0);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(pthread_join(threads[i], &result), 0);
		ck_assert_ptr_eq(result, memory[i]);
		ck_assert_int_eq(device_int(memory[i][1]), i);
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
	tcase_add_loop_test(tests, each_thread_can_have_its_stream, 0, 4);
	tcase_add_loop_test(tests, the_default_stream_may_be_the_threads, 0, 2);
	tcase_add_loop_test(tests, threads_have_their_own_last_error, 0, 4);
	return run_suite("runtime streams", tests);
}
