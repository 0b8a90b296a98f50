/* test_runtime_watched.c - the runtime API over a recorder and a checker.
 *
 * A program that orders its work well has no findings, although the host writes pinned and managed
 * memory without a call; its recording replays without a difference.
 */
#include "config.h"

#include "tests/recording.h"

#include "engine/replay/replay.h"
#include "tests/engine/runtime/program.h"
#include "traces/row.h"

enum { N = 32, BYTES = 4 * N };

struct memory {
	int *device[3], *pinned, *managed;
};

static struct memory allocate(void)
{
	struct memory m;

	for (int i = 0; i < 3; i++)
		CUDA(cudaMalloc((void **)&m.device[i], BYTES));
	CUDA(cudaMallocHost((void **)&m.pinned, BYTES));
	CUDA(cudaMallocManaged((void **)&m.managed, BYTES, cudaMemAttachGlobal));
	for (int i = 0; i < N; i++)
		m.pinned[i] = m.managed[i] = 100 + i;
	return m;
}

static void release(const struct memory *m)
{
	for (int i = 0; i < 3; i++)
		CUDA(cudaFree(m->device[i]));
	CUDA(cudaFreeHost(m->pinned));
	CUDA(cudaFree(m->managed));
}

/* Kernels read and write memory that the host uses too. */
static void run_host_memory(const struct memory *m)
{
	for (int round = 0; round < 3; round++) {
		CUDA(copy_words(m->pinned, m->managed, N, NULL));
		CUDA(copy_words(m->managed, m->device[0], N, NULL));
		CUDA(cudaDeviceSynchronize());
		ck_assert_int_eq(m->managed[N - 1], 100 + N - 1 + round);
		for (int i = 0; i < N; i++)
			m->pinned[i]++;
	}
}

static void run_streams(const struct memory *m)
{
	cudaStream_t s[2];

	for (int i = 0; i < 2; i++)
		CUDA(cudaStreamCreate(&s[i]));
	CUDA(cudaMemsetAsync((char *)m->device[1] + 3, 0x55, BYTES - 7, s[0]));
	CUDA(cudaMemset(m->device[1], 1, 3));
	CUDA(cudaMemsetAsync((char *)m->device[1] + BYTES - 4, 2, 4, s[1]));
	CUDA(copy_words(m->device[1], m->device[2], N, NULL));
	CUDA(cudaMemcpyAsync(m->pinned, m->device[2], BYTES, cudaMemcpyDeviceToHost, s[1]));
	CUDA(cudaStreamSynchronize(s[1]));
	ck_assert_int_eq(m->pinned[N - 1], 0x02020202);
	ck_assert_int_eq(m->pinned[0], 0x55010101);
	for (int i = 0; i < 2; i++)
		CUDA(cudaStreamDestroy(s[i]));
}

static void run_graph(const struct memory *m)
{
	cudaGraph_t graph;
	cudaGraphNode_t nodes[2];
	cudaGraphExec_t exec;

	CUDA(cudaGraphCreate(&graph, 0));
	CUDA(cudaGraphAddMemcpyNode1D(&nodes[0], graph, NULL, 0, m->device[0], m->pinned, BYTES,
				      cudaMemcpyHostToDevice));
	CUDA(cudaGraphAddMemcpyNode1D(&nodes[1], graph, nodes, 1, m->device[1], m->device[0],
				      BYTES, cudaMemcpyDeviceToDevice));
	CUDA(cudaGraphInstantiate(&exec, graph, 0));
	for (int round = 0; round < 2; round++) {
		m->pinned[0] = 500 + round;
		CUDA(cudaGraphLaunch(exec, NULL));
		CUDA(cudaMemcpy(m->managed, m->device[1], BYTES, cudaMemcpyDefault));
		ck_assert_int_eq(m->managed[0], 500 + round);
	}
	CUDA(cudaGraphExecDestroy(exec));
	CUDA(cudaGraphDestroy(graph));
}

static void run_all(void)
{
	struct memory m = allocate();

	run_host_memory(&m);
	run_streams(&m);
	run_graph(&m);
	release(&m);
}

START_TEST(a_checker_finds_nothing)
{
	struct device_options options = { .check = true, .seed = (uint64_t)_i };
	const struct row_finding *found;
	struct device *device;
	size_t count;

	OK(device_open("sim", &options, &device));
	program_begin_on(device);
	run_all();
	OK(runtime_end());
	count = device_findings(device, &found);
	ck_assert_msg(count == 0, "%zu findings, first: %s", count, count ? found[0].class : "");
	device_close(device);
}
END_TEST

START_TEST(a_recording_replays)
{
	struct replay_options options = { .device = "sim", .target = { .seed = 3, .jobs = 1 } };
	struct store *store = new_store();
	struct replay_report report;
	struct device *recorder;

	recorder = recording_open(store, &(struct recording_options){
		.level = _i < 4 ? LEVEL_LAUNCH : LEVEL_PARTIALS, .seed = (uint64_t)_i });
	program_begin_on(recorder);
	run_all();
	OK(runtime_end());
	OK(recorder_finish(recorder, STATUS_OK));
	OK(replay_compare(store, 1, &options, &report));
	ck_assert_msg(report.diff.differences == 0, "%lld differences, first: %s %s",
		      (long long)report.diff.differences, report.diff.items[0].address,
		      report.diff.items[0].what);
	diff_report_free(&report.diff);
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("runtime watched");

	tcase_add_loop_test(tests, a_checker_finds_nothing, 0, 8);
	tcase_add_loop_test(tests, a_recording_replays, 0, 8);
	return run_suite("runtime watched", tests);
}
