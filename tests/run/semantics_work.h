/* semantics_work.h - the second half of semantics.cu: launches, streams, graphs, devices. */
#ifndef SEMANTICS_WORK_H
#define SEMANTICS_WORK_H

/* --- launches --- */

#define LAUNCH(name, ...) \
	do { \
		__VA_ARGS__; \
		printf("%s %d", name, cudaPeekAtLastError()); \
		printf(" %d\n", cudaGetLastError()); \
		cudaDeviceSynchronize(); \
		cudaGetLastError(); \
	} while (0)

static void launches(void)
{
	int *a, value = 1;
	void *args[] = { &a, &value };
	cudaStream_t destroyed;
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};

	cudaMalloc(&a, 1 << 20);
	LAUNCH("launch.ok", (set_value<<<1, 32>>>(a, 1)));
	LAUNCH("launch.grid_0", (set_value<<<0, 32>>>(a, 1)));
	LAUNCH("launch.block_0", (set_value<<<1, 0>>>(a, 1)));
	LAUNCH("launch.grid_y_0", (set_value<<<dim3(1, 0, 1), 32>>>(a, 1)));
	LAUNCH("launch.block_1025", (set_value<<<1, 1025>>>(a, 1)));
	LAUNCH("launch.block_product", (set_value<<<1, dim3(64, 32, 1)>>>(a, 1)));
	LAUNCH("launch.block_z_65", (set_value<<<1, dim3(1, 1, 65)>>>(a, 1)));
	LAUNCH("launch.grid_y_65536", (set_value<<<dim3(1, 65536, 1), 32>>>(a, 1)));
	LAUNCH("launch.grid_x_2g", (set_value<<<2147483648u, 32>>>(a, 1)));
	LAUNCH("launch.bounds_64", (bounded<<<1, 64>>>(a)));
	LAUNCH("launch.bounds_65", (bounded<<<1, 65>>>(a)));
	LAUNCH("launch.shared_48k", (dynamic_shared<<<1, 32, 49152>>>(a)));
	LAUNCH("launch.shared_48k_1", (dynamic_shared<<<1, 32, 49153>>>(a)));
	LAUNCH("launch.shared_static_and_8k", (static_shared<<<1, 32, 8192>>>(a)));
	LAUNCH("launch.shared_static_and_9k", (static_shared<<<1, 32, 9216>>>(a)));
	E("launch.set_shared_100k", cudaFuncSetAttribute(
		dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
	LAUNCH("launch.shared_100k", (dynamic_shared<<<1, 32, 100000>>>(a)));
	LAUNCH("launch.shared_100k_1", (dynamic_shared<<<1, 32, 100001>>>(a)));
	E("launch.set_shared_max", cudaFuncSetAttribute(
		dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
	E("launch.set_shared_max_1", cudaFuncSetAttribute(
		dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
	E("launch.set_shared_static", cudaFuncSetAttribute(
		static_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
	E("launch.set_shared_negative", cudaFuncSetAttribute(
		dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
	E("launch.set_attribute_99", cudaFuncSetAttribute(dynamic_shared, (cudaFuncAttribute)99,
							  1));
	E("launch.set_carveout_50", cudaFuncSetAttribute(
		dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
	E("launch.set_carveout_101", cudaFuncSetAttribute(
		dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
	E("launch.set_shared_to_0", cudaFuncSetAttribute(
		dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
	LAUNCH("launch.shared_32k_after_0", (dynamic_shared<<<1, 32, 32768>>>(a)));
	E("launch.call", cudaLaunchKernel((const void *)set_value, dim3(1), dim3(32), args, 0, 0));
	E("launch.call_null", cudaLaunchKernel((const void *)NULL, dim3(1), dim3(32), args, 0, 0));
	E("launch.call_host_pointer", cudaLaunchKernel((const void *)&host_variable, dim3(1),
						       dim3(32), args, 0, 0));
	E("launch.cooperative", cudaLaunchCooperativeKernel((const void *)set_value, dim3(132),
							    dim3(32), args, 0, 0));
	E("launch.cooperative_large", cudaLaunchCooperativeKernel(
		(const void *)set_value, dim3(100000), dim3(32), args, 0, 0));
	config.gridDim = dim3(1);
	config.blockDim = dim3(32);
	E("launch.ex", cudaLaunchKernelEx(&config, set_value, a, 3));
	attribute.id = cudaLaunchAttributeCooperative;
	attribute.val.cooperative = 1;
	config.attrs = &attribute;
	config.numAttrs = 1;
	config.gridDim = dim3(100000);
	E("launch.ex_cooperative_large", cudaLaunchKernelEx(&config, set_value, a, 3));
	cudaStreamCreate(&destroyed);
	cudaDeviceSynchronize();
	cudaFree(a);
	cudaStreamDestroy(destroyed);
}

/* --- kernels --- */

template <class T> static void one_function(const char *name, T *kernel)
{
	static const int blocks[] = { 1, 32, 33, 64, 128, 256, 512, 768, 1024, 1025 };
	static const size_t bytes[] = { 0, 1024, 10000, 49152, 49153, 100000 };
	cudaFuncAttributes is;
	int count, grid, block;
	size_t available = 0;

	memset(&is, 0, sizeof is);
	int error = cudaFuncGetAttributes(&is, kernel);
	printf("function.%s %d shared %zu const %zu local %zu max %d dynamic %d carveout %d "
	       "binary %d cluster %d %d\n", name, error, is.sharedSizeBytes, is.constSizeBytes,
	       is.localSizeBytes, is.maxThreadsPerBlock, is.maxDynamicSharedSizeBytes,
	       is.preferredShmemCarveout, is.binaryVersion, is.clusterDimMustBeSet,
	       is.nonPortableClusterSizeAllowed);
	printf("gpu.function.%s registers %d ptx %d\n", name, is.numRegs, is.ptxVersion);
	for (int b : blocks) {
		count = -1;
		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, b, 0);
		printf("occupancy.%s_block_%d %d %d\n", name, b, error, count);
		cudaGetLastError();
	}
	for (size_t n : bytes) {
		count = -1;
		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, 64, n);
		printf("occupancy.%s_shared_%zu %d %d\n", name, n, error, count);
		cudaGetLastError();
	}
	grid = block = -1;
	error = cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
	printf("occupancy.%s_potential %d %d %d\n", name, error, grid, block);
	error = cudaOccupancyAvailableDynamicSMemPerBlock(&available, kernel, 2, 128);
	printf("occupancy.%s_available %d %zu\n", name, error, available);
	cudaGetLastError();
}

static void functions(void)
{
	cudaFuncAttributes is;
	int count;

	one_function("set_value", set_value);
	one_function("bounded", bounded);
	one_function("static_shared", static_shared);
	cudaFuncSetAttribute(store_at, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
	one_function("limited", store_at);
	E("function.null", cudaFuncGetAttributes(NULL, set_value));
	E("function.host_pointer", cudaFuncGetAttributes(&is, (const void *)&host_variable));
	E("function.cache", cudaFuncSetCacheConfig(set_value, cudaFuncCachePreferL1));
	E("function.cache_9", cudaFuncSetCacheConfig(set_value, (cudaFuncCache)9));
	E("occupancy.block_0", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&count, set_value, 0, 0));
	E("occupancy.block_negative", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&count, set_value, -1, 0));
	E("occupancy.null", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		NULL, set_value, 32, 0));
	E("occupancy.host_pointer", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&count, (const void *)&host_variable, 32, 0));
	E("occupancy.flags_2", cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		&count, set_value, 32, 0, 2));
}

/* --- streams and events --- */

static void streams(void)
{
	cudaStream_t s, t;
	cudaEvent_t never;
	unsigned flags = 99;
	unsigned long long id = 0;
	int priority = 99, low = 99, high = 99, device = 99, called = 0, inside = -1;

	E("stream.create", cudaStreamCreate(&s));
	E("stream.create_null", cudaStreamCreate(NULL));
	E("stream.create_flags_2", cudaStreamCreateWithFlags(&t, 2));
	E("stream.flags", cudaStreamGetFlags(s, &flags));
	E("stream.flags_value", flags);
	E("stream.flags_null_stream", cudaStreamGetFlags(0, &flags));
	E("stream.flags_null_stream_value", flags);
	E("stream.flags_per_thread", cudaStreamGetFlags(cudaStreamPerThread, &flags));
	E("stream.flags_per_thread_value", flags);
	cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
	cudaStreamGetFlags(t, &flags);
	E("stream.flags_non_blocking", flags);
	E("stream.range", cudaDeviceGetStreamPriorityRange(&low, &high));
	printf("stream.range_values %d %d\n", low, high);
	E("stream.range_null", cudaDeviceGetStreamPriorityRange(NULL, NULL));
	E("stream.priority", cudaStreamGetPriority(s, &priority));
	E("stream.priority_value", priority);
	E("stream.priority_null_stream", cudaStreamGetPriority(0, &priority));
	cudaStreamDestroy(t);
	for (int wanted : { -100, -5, -1, 0, 1, 100 }) {
		cudaStream_t u = 0;
		int error = cudaStreamCreateWithPriority(&u, 0, wanted);

		cudaStreamGetPriority(u, &priority);
		printf("stream.with_priority_%d %d %d\n", wanted, error, priority);
		cudaGetLastError();
		if (u)
			cudaStreamDestroy(u);
	}
	/* The ids count what a context has made, also by the driver itself. */
	E("stream.id_legacy", cudaStreamGetId(0, &id));
	E("gpu.stream.id_legacy_value", id);
	cudaStreamGetId(cudaStreamPerThread, &id);
	E("gpu.stream.id_per_thread_value", id);
	E("stream.device", cudaStreamGetDevice(s, &device));
	E("stream.device_value", device);
	E("stream.query", cudaStreamQuery(s));
	E("stream.query_null_stream", cudaStreamQuery(0));
	E("stream.sync", cudaStreamSynchronize(s));
	E("stream.sync_legacy", cudaStreamSynchronize(cudaStreamLegacy));
	cudaEventCreate(&never);
	E("stream.wait_never", cudaStreamWaitEvent(s, never, 0));
	E("stream.wait_null", cudaStreamWaitEvent(s, NULL, 0));
	E("stream.wait_flags_1", cudaStreamWaitEvent(s, never, 1));
	E("stream.wait_flags_2", cudaStreamWaitEvent(s, never, 2));
	E("stream.host_function", cudaLaunchHostFunc(s, host_nothing, &called));
	E("stream.host_function_null", cudaLaunchHostFunc(s, NULL, NULL));
	E("stream.callback", cudaStreamAddCallback(s, stream_callback, &called, 0));
	E("stream.callback_null", cudaStreamAddCallback(s, NULL, NULL, 0));
	E("stream.callback_flags", cudaStreamAddCallback(s, stream_callback, &called, 1));
	cudaStreamSynchronize(s);
	E("stream.callback_status", called);
	cudaLaunchHostFunc(s, host_calls, &inside);
	cudaStreamSynchronize(s);
	E("stream.call_inside_host_function", inside);
	E("stream.destroy", cudaStreamDestroy(s));
	E("stream.destroy_null", cudaStreamDestroy(0));
	E("stream.destroy_legacy", cudaStreamDestroy(cudaStreamLegacy));
	E("stream.destroy_per_thread", cudaStreamDestroy(cudaStreamPerThread));
	cudaEventDestroy(never);
}

static void events(void)
{
	cudaEvent_t a, b, plain, never;
	cudaStream_t s;
	float ms = -1.0f;
	int *memory;

	cudaMalloc(&memory, 4);
	cudaStreamCreate(&s);
	E("event.create", cudaEventCreate(&a));
	E("event.create_null", cudaEventCreate((cudaEvent_t *)NULL));
	E("event.create_flags_8", cudaEventCreateWithFlags(&b, 8));
	E("event.create_interprocess", cudaEventCreateWithFlags(&b, cudaEventInterprocess));
	cudaEventCreate(&b);
	cudaEventCreate(&never);
	cudaEventCreateWithFlags(&plain, cudaEventDisableTiming);
	E("event.query_never", cudaEventQuery(never));
	E("event.sync_never", cudaEventSynchronize(never));
	E("event.record_null", cudaEventRecord(NULL));
	E("event.record", cudaEventRecord(a, s));
	E("event.record_flags_1", cudaEventRecordWithFlags(a, s, 1));
	E("event.record_flags_2", cudaEventRecordWithFlags(a, s, 2));
	E("event.elapsed_never", cudaEventElapsedTime(&ms, a, never));
	E("event.elapsed_both_never", cudaEventElapsedTime(&ms, never, never));
	cudaEventRecord(plain, s);
	cudaEventRecord(b, s);
	cudaEventSynchronize(b);
	E("event.elapsed_plain", cudaEventElapsedTime(&ms, a, plain));
	E("event.elapsed", cudaEventElapsedTime(&ms, a, b));
	E("event.elapsed_not_negative", ms >= 0.0f);
	cudaEventElapsedTime(&ms, a, a);
	E("event.elapsed_same_is_zero", ms == 0.0f);
	E("event.elapsed_null", cudaEventElapsedTime(NULL, a, b));
	E("event.elapsed_null_event", cudaEventElapsedTime(&ms, NULL, b));
	E("event.query", cudaEventQuery(b));
	set_late<<<1, 1, 0, s>>>(memory, 1, 2000000);
	cudaEventRecord(b, s);
	printf("gpu.event.query_early %d\n", cudaEventQuery(b));
	printf("gpu.event.last_error_after_not_ready %d\n", cudaGetLastError());
	E("gpu.event.elapsed_early", cudaEventElapsedTime(&ms, a, b));
	printf("gpu.stream.query_early %d\n", cudaStreamQuery(s));
	printf("gpu.stream.last_error_after_not_ready %d\n", cudaGetLastError());
	cudaStreamSynchronize(s);
	E("event.destroy", cudaEventDestroy(a));
	E("event.destroy_null", cudaEventDestroy(NULL));
	cudaEventDestroy(b);
	cudaEventDestroy(plain);
	cudaEventDestroy(never);
	cudaStreamDestroy(s);
	cudaFree(memory);
}

/* --- captures --- */

/* One forbidden or allowed call in a capture: its error, the state after it, what the end gives. */
#define CAPTURED(name, stream, mode, ...) \
	do { \
		cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone; \
		cudaGraph_t captured = NULL; \
		int begun = cudaStreamBeginCapture(stream, mode), error, state, ended; \
		error = (int)(__VA_ARGS__); \
		state = cudaStreamIsCapturing(stream, &status); \
		ended = cudaStreamEndCapture(stream, &captured); \
		printf("capture.%s %d %d %d %d %d\n", name, begun, error, state, (int)status, \
		       ended); \
		cudaGetLastError(); \
		if (captured) \
			cudaGraphDestroy(captured); \
		cudaDeviceSynchronize(); \
		cudaGetLastError(); \
	} while (0)

static int legacy_launch(int *a)
{
	set_value<<<1, 1>>>(a, 1);
	return cudaGetLastError();
}

static int stream_launch(int *a, cudaStream_t s, int block)
{
	set_value<<<1, block, 0, s>>>(a, 1);
	return cudaGetLastError();
}

static void captures(void)
{
	const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal,
		local = cudaStreamCaptureModeThreadLocal, relaxed = cudaStreamCaptureModeRelaxed;
	cudaStream_t s, u, t;
	cudaEvent_t e, outside;
	cudaGraph_t graph;
	int *a, host[4] = { 0 }, called = 0, *pinned;
	void *p;
	float ms;

	cudaMalloc(&a, 4096);
	cudaMallocHost(&pinned, 64);
	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking);
	cudaEventCreate(&e);
	cudaEventCreate(&outside);
	cudaEventRecord(outside, u);
	E("capture.begin_legacy", cudaStreamBeginCapture(0, global));
	E("capture.begin_per_thread", cudaStreamBeginCapture(cudaStreamPerThread, relaxed));
	E("capture.end_per_thread", cudaStreamEndCapture(cudaStreamPerThread, &graph));
	E("capture.begin_mode_3", cudaStreamBeginCapture(s, (cudaStreamCaptureMode)3));
	E("capture.end_without", cudaStreamEndCapture(s, &graph));
	E("capture.end_legacy", cudaStreamEndCapture(0, &graph));
	CAPTURED("nothing", s, global, 0);
	CAPTURED("begin_twice", s, global, cudaStreamBeginCapture(s, global));
	CAPTURED("launch", s, global, stream_launch(a, s, 32));
	CAPTURED("launch_refused", s, global, stream_launch(a, s, 2048));
	CAPTURED("malloc", s, global, cudaMalloc(&p, 64));
	CAPTURED("malloc_local", s, local, cudaMalloc(&p, 64));
	CAPTURED("malloc_relaxed", s, relaxed, cudaMalloc(&p, 64));
	CAPTURED("malloc_non_blocking", u, global, cudaMalloc(&p, 64));
	CAPTURED("free_null", s, global, cudaFree(NULL));
	CAPTURED("host_alloc", s, global, cudaMallocHost(&p, 64));
	CAPTURED("legacy_launch", s, global, legacy_launch(a));
	CAPTURED("legacy_launch_relaxed", s, relaxed, legacy_launch(a));
	CAPTURED("legacy_launch_non_blocking", u, global, legacy_launch(a));
	CAPTURED("memcpy", s, global, cudaMemcpy(a, host, 4, cudaMemcpyHostToDevice));
	CAPTURED("memcpy_relaxed", s, relaxed, cudaMemcpy(a, host, 4, cudaMemcpyHostToDevice));
	CAPTURED("memcpy_non_blocking", u, global, cudaMemcpy(a, host, 4, cudaMemcpyHostToDevice));
	CAPTURED("memcpy_non_blocking_relaxed", u, relaxed,
		 cudaMemcpy(a, host, 4, cudaMemcpyHostToDevice));
	CAPTURED("memcpy_d2h_non_blocking", u, global, cudaMemcpy(host, a, 4,
								   cudaMemcpyDeviceToHost));
	CAPTURED("memcpy_d2d_non_blocking", u, global, cudaMemcpy(a, a + 8, 4,
								   cudaMemcpyDeviceToDevice));
	CAPTURED("memset", s, global, cudaMemset(a, 0, 4));
	CAPTURED("memset_non_blocking", u, global, cudaMemset(a, 0, 4));
	CAPTURED("memcpy_async_pageable", s, global,
		 cudaMemcpyAsync(a, host, 4, cudaMemcpyHostToDevice, s));
	CAPTURED("memcpy_async_pageable_d2h", s, global,
		 cudaMemcpyAsync(host, a, 4, cudaMemcpyDeviceToHost, s));
	CAPTURED("memcpy_async_pinned", s, global,
		 cudaMemcpyAsync(a, pinned, 4, cudaMemcpyHostToDevice, s));
	CAPTURED("memcpy_async_h2h", s, global,
		 cudaMemcpyAsync(host, host + 1, 4, cudaMemcpyHostToHost, s));
	CAPTURED("memcpy_async_other_stream", s, global,
		 cudaMemcpyAsync(a, host, 4, cudaMemcpyHostToDevice, u));
	CAPTURED("to_symbol", s, global, cudaMemcpyToSymbol(variable, host, 4));
	CAPTURED("to_symbol_async", s, global,
		 cudaMemcpyToSymbolAsync(variable, host, 4, 0, cudaMemcpyHostToDevice, s));
	CAPTURED("host_function", s, global, cudaLaunchHostFunc(s, host_nothing, &called));
	CAPTURED("callback", s, global, cudaStreamAddCallback(s, stream_callback, &called, 0));
	CAPTURED("sync", s, global, cudaStreamSynchronize(s));
	CAPTURED("sync_other", s, global, cudaStreamSynchronize(u));
	CAPTURED("sync_legacy", s, global, cudaStreamSynchronize(0));
	CAPTURED("sync_device", s, global, cudaDeviceSynchronize());
	CAPTURED("sync_device_relaxed", s, relaxed, cudaDeviceSynchronize());
	CAPTURED("query", s, global, cudaStreamQuery(s));
	CAPTURED("query_legacy", s, global, cudaStreamQuery(0));
	CAPTURED("event_query_outside", s, global, cudaEventQuery(outside));
	CAPTURED("event_sync_outside", s, global, cudaEventSynchronize(outside));
	CAPTURED("event_record", s, global, cudaEventRecord(e, s));
	CAPTURED("event_sync_inside", s, global,
		 (cudaEventRecord(e, s), cudaEventSynchronize(e)));
	CAPTURED("event_query_inside", s, global, (cudaEventRecord(e, s), cudaEventQuery(e)));
	CAPTURED("event_elapsed_inside", s, global,
		 (cudaEventRecord(e, s), cudaEventElapsedTime(&ms, e, e)));
	E("capture.event_sync_after", cudaEventSynchronize(e));
	E("capture.event_query_after", cudaEventQuery(e));
	E("capture.event_wait_after", cudaStreamWaitEvent(u, e, 0));
	CAPTURED("event_wait_outside", s, global, cudaStreamWaitEvent(s, outside, 0));
	CAPTURED("unjoined", s, global, (cudaEventRecord(e, s), cudaStreamWaitEvent(u, e, 0),
					 stream_launch(a, u, 1)));
	CAPTURED("legacy_joins", s, global,
		 (cudaEventRecord(e, s), cudaStreamWaitEvent(0, e, 0)));
	CAPTURED("end_fork", s, global, (cudaEventRecord(e, s), cudaStreamWaitEvent(t, e, 0),
					 cudaStreamEndCapture(t, &graph)));
	CAPTURED("malloc_async", s, relaxed, cudaMallocAsync(&p, 64, s));
	CAPTURED("stream_create", s, global, cudaStreamCreate(&t));
	CAPTURED("event_create", s, global, cudaEventCreate(&e));
	CAPTURED("get_device", s, global, cudaGetDevice(host));
	CAPTURED("func_attributes", s, global, cudaFuncSetAttribute(
		set_value, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
	CAPTURED("mem_get_info", s, global, cudaMemGetInfo((size_t *)host, (size_t *)host));
	E("capture.called", called);
	cudaStreamDestroy(s);
	cudaStreamDestroy(u);
	cudaFreeHost(pinned);
	cudaFree(a);
}

/* --- graphs --- */

static void graphs(void)
{
	cudaGraph_t graph, other, child = NULL;
	cudaGraphExec_t exec, empty;
	cudaGraphNode_t set, copy, fill, host, none, nodes[16];
	cudaGraphNodeType type;
	cudaGraphExecUpdateResultInfo result;
	cudaMemsetParams fill_params = {};
	cudaKernelNodeParams params = {};
	cudaHostNodeParams host_params = { host_nothing, NULL };
	int *a, value = 7, called = 0, seen[4];
	size_t count = 16;
	void *args[] = { &a, &value };

	cudaMalloc(&a, 4096);
	host_params.userData = &called;
	params.func = (void *)set_value;
	params.gridDim = dim3(1);
	params.blockDim = dim3(32);
	params.kernelParams = args;
	fill_params.dst = a;
	fill_params.elementSize = 4;
	fill_params.value = 9;
	fill_params.width = 8;
	fill_params.height = 1;
	E("graph.create", cudaGraphCreate(&graph, 0));
	E("graph.create_flags", cudaGraphCreate(&other, 1));
	E("graph.create_null", cudaGraphCreate(NULL, 0));
	cudaGraphCreate(&other, 0);
	E("graph.add_null_graph", cudaGraphAddEmptyNode(&none, NULL, NULL, 0));
	E("graph.add_null_node", cudaGraphAddEmptyNode(NULL, graph, NULL, 0));
	E("graph.add_kernel", cudaGraphAddKernelNode(&set, graph, NULL, 0, &params));
	E("graph.add_kernel_null", cudaGraphAddKernelNode(&none, graph, NULL, 0, NULL));
	params.blockDim = dim3(2048);
	E("graph.add_kernel_block_2048", cudaGraphAddKernelNode(&none, other, NULL, 0, &params));
	params.blockDim = dim3(0);
	E("graph.add_kernel_block_0", cudaGraphAddKernelNode(&none, other, NULL, 0, &params));
	params.blockDim = dim3(32);
	E("graph.add_copy", cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, a + 16, a, 64,
						     cudaMemcpyDeviceToDevice));
	E("graph.add_fill", cudaGraphAddMemsetNode(&fill, graph, &set, 1, &fill_params));
	fill_params.elementSize = 3;
	E("graph.add_fill_element_3", cudaGraphAddMemsetNode(&none, other, NULL, 0, &fill_params));
	fill_params.elementSize = 4;
	E("graph.add_host", cudaGraphAddHostNode(&host, graph, &copy, 1, &host_params));
	host_params.fn = NULL;
	E("graph.add_host_null", cudaGraphAddHostNode(&none, graph, NULL, 0, &host_params));
	host_params.fn = host_nothing;
	nodes[0] = nodes[1] = set;
	E("graph.add_after_twice", cudaGraphAddEmptyNode(&none, graph, nodes, 2));
	E("graph.nodes", cudaGraphGetNodes(graph, NULL, &count));
	E("graph.nodes_value", count);
	count = 2;
	E("graph.nodes_2", cudaGraphGetNodes(graph, nodes, &count));
	E("graph.nodes_2_value", count);
	count = 16;
	nodes[15] = set;
	E("graph.nodes_16", cudaGraphGetNodes(graph, nodes, &count));
	E("graph.nodes_16_value", count);
	E("graph.nodes_16_rest_is_null", nodes[15] == NULL);
	E("graph.roots", cudaGraphGetRootNodes(graph, NULL, &count));
	E("graph.roots_value", count);
	E("graph.edges", cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
	E("graph.edges_value", count);
	cudaGraphNodeGetType(fill, &type);
	E("graph.type_fill", type);
	cudaGraphNodeGetType(host, &type);
	E("graph.type_host", type);
	E("graph.edge_again", cudaGraphAddDependencies(graph, &set, &copy, NULL, 1));
	E("graph.edge_self", cudaGraphAddDependencies(graph, &set, &set, NULL, 1));
	E("graph.edge_remove_absent", cudaGraphRemoveDependencies(graph, &fill, &copy, NULL, 1));
	E("graph.edge_circle", cudaGraphAddDependencies(graph, &host, &set, NULL, 1));
	E("graph.instantiate_circle", cudaGraphInstantiate(&exec, graph, 0));
	E("graph.edge_remove", cudaGraphRemoveDependencies(graph, &host, &set, NULL, 1));
	E("graph.instantiate", cudaGraphInstantiate(&exec, graph, 0));
	E("graph.instantiate_null", cudaGraphInstantiate(NULL, graph, 0));
	E("graph.instantiate_flags_16", cudaGraphInstantiate(&empty, graph, 16));
	E("graph.launch", cudaGraphLaunch(exec, 0));
	cudaDeviceSynchronize();
	E("graph.host_called", called);
	cudaMemcpy(seen, a + 16, 16, cudaMemcpyDeviceToHost);
	E("graph.copied", seen[0]);
	E("graph.launch_null", cudaGraphLaunch(NULL, 0));
	value = 8;
	E("graph.exec_set_kernel", cudaGraphExecKernelNodeSetParams(exec, set, &params));
	cudaGraphLaunch(exec, 0);
	cudaMemcpy(seen, a + 16, 16, cudaMemcpyDeviceToHost);
	E("graph.copied_after_set", seen[0]);
	E("graph.exec_set_wrong_kind", cudaGraphExecKernelNodeSetParams(exec, fill, &params));
	params.func = (void *)copy_one;
	E("graph.exec_set_other_kernel", cudaGraphExecKernelNodeSetParams(exec, set, &params));
	params.func = (void *)set_value;
	E("graph.update_other", cudaGraphExecUpdate(exec, other, &result));
	E("graph.update_other_result", result.result);
	E("graph.update_same", cudaGraphExecUpdate(exec, graph, &result));
	E("graph.update_same_result", result.result);
	E("graph.clone", cudaGraphClone(&child, graph));
	E("graph.find_in_clone", cudaGraphNodeFindInClone(&none, set, child));
	E("graph.find_in_original", cudaGraphNodeFindInClone(&none, set, graph));
	E("graph.add_child", cudaGraphAddChildGraphNode(&none, other, NULL, 0, child));
	cudaGraphNodeGetType(none, &type);
	E("graph.type_child", type);
	E("graph.destroy_node", cudaGraphDestroyNode(fill));
	E("graph.update_fewer", cudaGraphExecUpdate(exec, graph, &result));
	E("graph.update_fewer_result", result.result);
	E("graph.instantiate_empty", (cudaGraphDestroy(child), cudaGraphCreate(&child, 0),
				      cudaGraphInstantiate(&empty, child, 0)));
	E("graph.launch_empty", cudaGraphLaunch(empty, 0));
	E("graph.exec_destroy", cudaGraphExecDestroy(exec));
	E("graph.exec_destroy_null", cudaGraphExecDestroy(NULL));
	E("graph.destroy", cudaGraphDestroy(graph));
	E("graph.destroy_null", cudaGraphDestroy(NULL));
	cudaDeviceSynchronize();
	cudaFree(a);
}

/* --- devices --- */

/* Where the GPU is in its machine: PCI bus, device and domain, the NUMA node of the host, and the
 * ids of the board; 132 is reserved, and differs between machines with the same GPU and driver. */
static bool is_of_machine(int attribute)
{
	return attribute == cudaDevAttrPciBusId || attribute == cudaDevAttrPciDeviceId
		|| attribute == cudaDevAttrPciDomainId || attribute == cudaDevAttrHostNumaId
		|| attribute == 132 || attribute == 139 || attribute == 140;
}

static void devices(void)
{
	cudaDeviceProp p;
	int count = -1, value = -1;
	size_t limit;

	E("gpu.device.count", (cudaGetDeviceCount(&count), count));
	E("device.count_null", cudaGetDeviceCount(NULL));
	E("device.set_minus_1", cudaSetDevice(-1));
	E("device.set_99", cudaSetDevice(99));
	E("device.get", (cudaGetDevice(&value), value));
	E("device.properties_99", cudaGetDeviceProperties(&p, 99));
	E("device.properties_null", cudaGetDeviceProperties(NULL, 0));
	E("device.attribute_9999", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
	E("device.attribute_0", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)0, 0));
	E("device.attribute_device_99", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
	E("device.attribute_null", cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
	for (int i = 1; i < 150; i++) {
		value = -12345;
		int error = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)i, 0);
		printf("%sattribute.%d %d %d\n", is_of_machine(i) ? "gpu." : "", i, error, value);
		cudaGetLastError();
	}
	E("device.properties", cudaGetDeviceProperties(&p, 0));
	printf("gpu.property.name %s\n", p.name);
	printf("gpu.property.memory %zu\n", p.totalGlobalMem);
	printf("property.shared %zu %zu %zu %zu\n", p.sharedMemPerBlock, p.sharedMemPerBlockOptin,
	       p.sharedMemPerMultiprocessor, p.reservedSharedMemPerBlock);
	printf("property.registers %d %d\n", p.regsPerBlock, p.regsPerMultiprocessor);
	printf("property.threads %d %d %d %d\n", p.warpSize, p.maxThreadsPerBlock,
	       p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor);
	printf("property.block %d %d %d\n", p.maxThreadsDim[0], p.maxThreadsDim[1],
	       p.maxThreadsDim[2]);
	printf("property.grid %d %d %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
	printf("property.pitch %zu constants %zu texture %zu %zu surface %zu\n", p.memPitch,
	       p.totalConstMem, p.textureAlignment, p.texturePitchAlignment, p.surfaceAlignment);
	printf("property.version %d.%d processors %d bus %d l2 %d persisting %d window %d\n",
	       p.major, p.minor, p.multiProcessorCount, p.memoryBusWidth, p.l2CacheSize,
	       p.persistingL2CacheMaxSize, p.accessPolicyMaxWindowSize);
	printf("property.flags %d %d %d %d %d %d %d %d %d %d\n", p.integrated, p.canMapHostMemory,
	       p.concurrentKernels, p.asyncEngineCount, p.unifiedAddressing, p.managedMemory,
	       p.concurrentManagedAccess, p.cooperativeLaunch, p.memoryPoolsSupported,
	       p.clusterLaunch);
	printf("property.texture %d %d %d %d %d %d\n", p.maxTexture1D, p.maxTexture2D[0],
	       p.maxTexture2D[1], p.maxTexture3D[0], p.maxTexture3D[1], p.maxTexture3D[2]);
	for (int i = 0; i < 8; i++) {
		limit = 12345;
		int error = cudaDeviceGetLimit(&limit, (cudaLimit)i);
		printf("limit.%d %d %zu\n", i, error, limit);
		cudaGetLastError();
	}
	E("limit.set_stack", cudaDeviceSetLimit(cudaLimitStackSize, 2048));
	cudaDeviceGetLimit(&limit, cudaLimitStackSize);
	E("limit.set_stack_value", limit);
	E("limit.set_stack_1000", cudaDeviceSetLimit(cudaLimitStackSize, 1000));
	cudaDeviceGetLimit(&limit, cudaLimitStackSize);
	E("limit.set_stack_1000_value", limit);
	E("limit.set_heap", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
	cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
	E("limit.set_heap_value", limit);
	E("limit.set_heap_huge", cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)1 << 45));
	E("limit.set_printf", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
	cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize);
	E("limit.set_printf_value", limit);
	E("limit.set_shared", cudaDeviceSetLimit((cudaLimit)7, 1024));
	E("limit.set_sync_depth", cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
	E("limit.get_null", cudaDeviceGetLimit(NULL, cudaLimitStackSize));
	E("device.peer_self", (cudaDeviceCanAccessPeer(&value, 0, 0), value));
	E("device.peer_99", cudaDeviceCanAccessPeer(&value, 0, 99));
	E("device.enable_self", cudaDeviceEnablePeerAccess(0, 0));
	E("device.enable_99", cudaDeviceEnablePeerAccess(99, 0));
	E("device.disable_self", cudaDeviceDisablePeerAccess(0));
	unsigned flags = 0;
	E("device.flags", (cudaGetDeviceFlags(&flags), flags));
	E("device.set_flags_3", cudaSetDeviceFlags(3));
	E("device.set_flags_256", cudaSetDeviceFlags(256));
	E("device.set_flags_1", cudaSetDeviceFlags(cudaDeviceScheduleSpin));
	E("device.flags_after", (cudaGetDeviceFlags(&flags), flags));
	E("device.cache", cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
	cudaFuncCache cache;
	E("device.cache_value", (cudaDeviceGetCacheConfig(&cache), cache));
	E("device.runtime_version", (cudaRuntimeGetVersion(&value), value / 1000));
	E("gpu.device.driver_version", (cudaDriverGetVersion(&value), value));
	E("gpu.device.runtime_version", (cudaRuntimeGetVersion(&value), value));
	E("device.version_null", cudaRuntimeGetVersion(NULL));
	E("device.init_99", cudaInitDevice(99, 0, 0));
	E("device.choose_null", cudaChooseDevice(NULL, &p));
}

/* --- order of streams: what a kernel on one stream sees of a slow one on another --- */

static int order_of(cudaStream_t slow, cudaStream_t fast)
{
	int *a, seen = -1;

	cudaMalloc(&a, 8);
	cudaMemset(a, 0, 8);
	cudaDeviceSynchronize();
	set_late<<<1, 1, 0, slow>>>(a, 5, 2000000);
	copy_one<<<1, 1, 0, fast>>>(a, a + 1);
	cudaDeviceSynchronize();
	cudaMemcpy(&seen, a + 1, 4, cudaMemcpyDeviceToHost);
	cudaFree(a);
	return seen;
}

static void order(void)
{
	cudaStream_t blocking, other, free_stream;
	int *a, seen;

	cudaStreamCreate(&blocking);
	cudaStreamCreate(&other);
	cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking);
	E("order.legacy_after_blocking", order_of(blocking, 0));
	E("order.blocking_after_legacy", order_of(0, blocking));
	E("order.legacy_after_per_thread", order_of(cudaStreamPerThread, 0));
	E("order.per_thread_after_legacy", order_of(0, cudaStreamPerThread));
	E("gpu.order.legacy_beside_non_blocking", order_of(free_stream, 0));
	E("gpu.order.non_blocking_beside_legacy", order_of(0, free_stream));
	E("gpu.order.blocking_beside_blocking", order_of(blocking, other));
	cudaMalloc(&a, 4);
	set_late<<<1, 1, 0, blocking>>>(a, 6, 2000000);
	cudaMemcpy(&seen, a, 4, cudaMemcpyDeviceToHost);
	E("order.memcpy_after_blocking", seen);
	set_late<<<1, 1, 0, blocking>>>(a, 7, 2000000);
	cudaStreamSynchronize(0);
	cudaMemcpyAsync(&seen, a, 4, cudaMemcpyDeviceToHost, free_stream);
	cudaStreamSynchronize(free_stream);
	E("order.sync_legacy_waits_for_blocking", seen);
	cudaFree(a);
}

/* --- after a kernel that ended badly --- */

static void sticky(const char *how)
{
	int *a, *b, value = 0;
	cudaStream_t s;
	cudaEvent_t e;
	cudaFuncAttributes is;

	cudaMalloc(&a, 4);
	cudaMalloc(&b, 4);
	cudaStreamCreate(&s);
	cudaEventCreate(&e);
	if (strcmp(how, "trap") == 0)
		trap_now<<<1, 1>>>(a);
	else if (strcmp(how, "assert") == 0)
		assert_zero<<<1, 1>>>(1);
	else
		store_at<<<1, 1>>>(a, 1ll << 40);
	printf("sticky.%s.launch %d\n", how, cudaGetLastError());
	printf("sticky.%s.sync %d\n", how, cudaDeviceSynchronize());
	printf("sticky.%s.peek %d\n", how, cudaPeekAtLastError());
	printf("sticky.%s.get %d\n", how, cudaGetLastError());
	printf("sticky.%s.get_again %d\n", how, cudaGetLastError());
	printf("sticky.%s.sync_again %d\n", how, cudaDeviceSynchronize());
	printf("sticky.%s.malloc %d\n", how, cudaMalloc(&b, 4));
	printf("sticky.%s.free %d\n", how, cudaFree(a));
	printf("sticky.%s.free_null %d\n", how, cudaFree(NULL));
	printf("sticky.%s.memcpy %d\n", how, cudaMemcpy(&value, b, 4, cudaMemcpyDeviceToHost));
	printf("sticky.%s.memcpy_zero %d\n", how, cudaMemcpy(&value, b, 0, cudaMemcpyDeviceToHost));
	set_value<<<1, 1>>>(b, 1);
	printf("sticky.%s.second_launch %d\n", how, cudaGetLastError());
	printf("sticky.%s.stream_sync %d\n", how, cudaStreamSynchronize(s));
	printf("sticky.%s.stream_query %d\n", how, cudaStreamQuery(s));
	printf("sticky.%s.event_record %d\n", how, cudaEventRecord(e, s));
	printf("sticky.%s.event_query %d\n", how, cudaEventQuery(e));
	printf("sticky.%s.event_destroy %d\n", how, cudaEventDestroy(e));
	printf("sticky.%s.stream_destroy %d\n", how, cudaStreamDestroy(s));
	printf("sticky.%s.get_device %d\n", how, cudaGetDevice(&value));
	printf("sticky.%s.set_device %d\n", how, cudaSetDevice(0));
	printf("sticky.%s.get_device_count %d\n", how, cudaGetDeviceCount(&value));
	printf("sticky.%s.attribute %d\n", how,
	       cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
	printf("sticky.%s.func_attributes %d\n", how, cudaFuncGetAttributes(&is, set_value));
	printf("sticky.%s.runtime_version %d\n", how, cudaRuntimeGetVersion(&value));
	printf("sticky.%s.bad_value %d\n", how, cudaMalloc((void **)NULL, 4));
	printf("sticky.%s.reset %d\n", how, cudaDeviceReset());
	printf("sticky.%s.get_after_reset %d\n", how, cudaGetLastError());
	printf("sticky.%s.malloc_after_reset %d\n", how, cudaMalloc(&b, 4));
	set_value<<<1, 1>>>(b, 1);
	printf("sticky.%s.launch_after_reset %d\n", how, cudaGetLastError());
	printf("sticky.%s.sync_after_reset %d\n", how, cudaDeviceSynchronize());
}

#endif
