/* bench_speed.c - measures users' kernels on the simulator: barriers, a matrix product, start-up.
 *
 * Kernels are doc/samples/barriers.cu and doc/samples/matmul.cu, on one job. The matrix product is
 * compared with plain C, as in bench_sim.c. Both in processor time. Start-up is the wall-clock time
 * of `flashtwin launch` of one block of a file that was not compiled before, and of one that was;
 * and of the same with <bits/stdc++.h>.
 */
#include "config.h"

#include "tui/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/device.h"
#include "tests/bench/native_attention.h"
#include "tui/bench/bench_sample.h"
#include "tui/bench/bench_self.h"
#include "tui/datadir.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_kernel.h"

enum { THREADS = 256, BLOCKS = 4, ROUNDS = 1000, N = 1024, TILE = 16 };

#define MAX_PRODUCTS 3                  /* each takes seconds */

struct speed {
	struct device *device;
	struct sandbox *sandbox;
	int runs;
	bool native;                    /* the plain C can run here */
};

/* --- users' kernels --- */

static enum status load(const struct speed *s, const char *file, const char *name,
			struct user_kernel **built, const struct kernel **kernel)
{
	static const char *const no_flags[] = { NULL };
	const struct user_source source = {
		.file = file, .kernel = name, .flags = no_flags, .sandbox = s->sandbox,
	};

	TRY(user_kernel_build(&source, built));
	return user_kernel_load(*built, kernel);
}

static enum status place(const struct speed *s, size_t count, const float *values,
			 struct buffer **out)
{
	const struct buffer_spec spec = { "values", DTYPE_F32, 1, { (int64_t)count } };

	TRY(device_alloc(s->device, &spec, out));
	return values ? device_upload(s->device, NULL, *out, 0, values, (*out)->bytes) : STATUS_OK;
}

static enum status time_launch(const struct speed *s, const struct launch *launch, double *out)
{
	double start = bench_processor();

	TRY(device_launch(s->device, launch));
	TRY(device_sync(s->device, NULL));
	*out = bench_processor() - start;
	return STATUS_OK;
}

static enum status measure_barriers(const struct speed *s, const struct kernel *kernel,
				    double *times)
{
	struct buffer *out;
	struct arg args[2];
	struct launch launch = {
		.kernel = kernel, .grid = { BLOCKS, 1, 1 }, .block = { THREADS, 1, 1 },
		.args = args, .arg_count = 2, .layer = -1,
	};
	double median;

	TRY(place(s, THREADS * BLOCKS, NULL, &out));
	args[0] = ARG_BUFFER(out);
	args[1] = ARG_I32(ROUNDS);
	for (int i = -1; i < s->runs; i++)      /* run -1 warms up */
		TRY(time_launch(s, &launch, &times[i < 0 ? 0 : i]));
	median = bench_median(times, (size_t)s->runs);
	printf("%d barriers of %d threads, 1 job  %8.1f ms  %6.1f million lane-barriers/s\n",
	       ROUNDS, THREADS, 1e3 * median, 1e-6 * ROUNDS * THREADS * BLOCKS / median);
	return STATUS_OK;
}

/* --- the matrix product --- */

/* times: of the simulator, then of plain C. */
static enum status run_products(const struct speed *s, const struct launch *launch,
				const float *a, const float *b, float *c, int runs, double *times)
{
	for (int i = 0; i < runs; i++) {
		double start;

		TRY(time_launch(s, launch, &times[i]));
		start = bench_processor();
		if (s->native)
			native_matmul(a, b, c, N);
		times[runs + i] = bench_processor() - start;
	}
	return STATUS_OK;
}

static enum status measure_product(const struct speed *s, const struct kernel *kernel,
				   double *times)
{
	int runs = s->runs < MAX_PRODUCTS ? s->runs : MAX_PRODUCTS;
	unsigned state = 1;
	float *a = bench_random(N * N, &state), *b = bench_random(N * N, &state);
	float *c = xcalloc(N * N, sizeof *c);
	struct buffer *buffers[3] = { NULL };
	enum status status = place(s, N * N, a, &buffers[0]);

	if (status == STATUS_OK)
		status = place(s, N * N, b, &buffers[1]);
	if (status == STATUS_OK)
		status = place(s, N * N, NULL, &buffers[2]);
	if (status == STATUS_OK) {
		struct arg args[] = { ARG_BUFFER(buffers[0]), ARG_BUFFER(buffers[1]),
				      ARG_BUFFER(buffers[2]), ARG_I32(N) };
		struct launch launch = {
			.kernel = kernel, .grid = { N / TILE, N / TILE, 1 },
			.block = { TILE, TILE, 1 }, .args = args, .arg_count = 4, .layer = -1,
		};

		status = run_products(s, &launch, a, b, c, runs, times);
	}
	if (status == STATUS_OK) {
		double sim = bench_median(times, (size_t)runs);
		double native = bench_median(times + runs, (size_t)runs);

		printf("matmul %d x %d, tiles of %d, 1 job %6.2f s", N, N, TILE, sim);
		if (s->native)
			printf("   native C %.3f s, %.0f x", native, sim / native);
		putchar('\n');
	}
	free(a);
	free(b);
	free(c);
	return status;
}

static enum status with_kernel(const struct speed *s, char *file, const char *name,
			       enum status (*measure)(const struct speed *, const struct kernel *,
						      double *))
{
	double *times = xcalloc(2 * (size_t)s->runs, sizeof *times);
	struct user_kernel *built = NULL;
	const struct kernel *kernel = NULL;
	enum status status = load(s, file, name, &built, &kernel);

	if (status == STATUS_OK)
		status = measure(s, kernel, times);
	user_kernel_free(built);
	free(times);
	free(file);
	return status;
}

/* --- start-up --- */

static enum status launch_one_block(const char *file, const char *first, const char *library,
				    double *seconds)
{
	const char *const arguments[] = {
		"flashtwin", "launch", file, "--kernel", "barriers", "--grid", "1", "--block", "32",
		"--arg", "out=null", "--arg", "rounds=i32:0", "-D", first, "-D", library,
		"--no-record", NULL
	};
	double cpu;

	return bench_self_ends(arguments, 0, seconds, &cpu);
}

/* A constant that no run before had makes a kernel that is not in the cache. */
static enum status measure_start(const struct speed *s, const char *file, const char *what,
				 const char *library, double *times)
{
	for (int i = 0; i < s->runs; i++) {
		char first[64];

		snprintf(first, sizeof first, "FIRST=%lld",
			 (long long)clock_ns() / 1000 % 1000000007);
		TRY(launch_one_block(file, first, library, &times[i]));
		TRY(launch_one_block(file, first, library, &times[s->runs + i]));
	}
	printf("%-28s  %8.3f s  compiled before %.3f s\n", what,
	       bench_median(times, (size_t)s->runs),
	       bench_median(times + s->runs, (size_t)s->runs));
	return STATUS_OK;
}

/* --- all --- */

static enum status measure_all(const struct speed *s)
{
	double *times = xcalloc(2 * (size_t)s->runs, sizeof *times);
	char *file = datadir_barriers();
	enum status status;

	printf("users' kernels on the simulator, processor time; medians of %d\n", s->runs);
	status = with_kernel(s, datadir_barriers(), "barriers", measure_barriers);
	if (status == STATUS_OK)
		status = with_kernel(s, datadir_matmul(), "matmul", measure_product);
	if (status == STATUS_OK)
		status = measure_start(s, file, "flashtwin launch, wall clock", "NOTHING", times);
	if (status == STATUS_OK)
		status = measure_start(s, file, "  with the whole C++ library",
				       "STANDARD_LIBRARY", times);
	free(file);
	free(times);
	return status;
}

enum status bench_speed(int runs)
{
	const struct sandbox_options sandbox = { .mode = SANDBOX_NO, .command = "bench" };
	const struct device_options options = { .jobs = 1 };
	struct speed s = { .runs = runs, .native = !native_attention_lacks() };
	enum status status = sandbox_create(&sandbox, &s.sandbox);

	if (status == STATUS_OK)
		status = device_open("sim", &options, &s.device);
	if (status == STATUS_OK)
		status = measure_all(&s);
	if (s.device)
		device_close(s.device);
	sandbox_close(s.sandbox);
	return status;
}
