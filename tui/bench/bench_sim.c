/* bench_sim.c - measures simulator slowdown: chunk + reduce on one job against plain C, in one run.
 *
 * 32 heads, 8 KV heads, D = 128, 3,001 keys, chunks of 128, then of other sizes. The reference is
 * tests/bench/native_attention.c, compiled for the build machine with -ffast-math and
 * -march=native, which the simulator must not use, and left out on a machine that cannot run it.
 */
#include "config.h"

#include "tui/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "engine/device.h"
#include "kernels/variant.h"
#include "tests/bench/native_attention.h"
#include "tui/bench/bench_sample.h"
#include "tui/bench/plot.h"

enum { HEADS = 32, KV_HEADS = 8, D = 128, KEYS = 3001, CHUNK = 128,
	MAX_LEN = (KEYS + CHUNK - 1) / CHUNK * CHUNK };

static const int chunk_sizes[] = { 16, 32, 64, 128, 256, 512, 1024 };
enum { CHUNK_SIZES = sizeof chunk_sizes / sizeof chunk_sizes[0] };

struct problem {
	int chunk, chunks;              /* keys of a chunk; chunks of the grid */
	float *q, *k, *v, *native_out, *sim_out, *scratch;
	float scale;
	struct device *device;
	struct buffer *dq, *dk, *dv, *partials, *out, *seq_lens;
};

static enum status place(struct problem *p, const char *name, enum dtype type, size_t count,
			 const void *values, struct buffer **out)
{
	struct buffer_spec spec = {
		.name = name, .dtype = type, .rank = 1, .shape = { (int64_t)count },
	};

	TRY(device_alloc(p->device, &spec, out));
	return values ? device_upload(p->device, NULL, *out, 0, values, (*out)->bytes) : STATUS_OK;
}

static enum status prepare(struct problem *p, int chunk, bool check)
{
	struct device_options options = { .jobs = 1, .check = check };
	size_t rows = (size_t)KV_HEADS * MAX_LEN * D;
	unsigned state = 1;
	int keys = KEYS;

	p->chunk = chunk;
	p->chunks = (KEYS + chunk - 1) / chunk;
	p->q = bench_random(HEADS * D, &state);
	p->k = bench_random(rows, &state);
	p->v = bench_random(rows, &state);
	p->native_out = xcalloc(HEADS * D, sizeof(float));
	p->sim_out = xcalloc(HEADS * D, sizeof(float));
	p->scratch = xcalloc(MAX_LEN, sizeof(float));
	p->scale = attention_scale(D);
	TRY(device_open("sim", &options, &p->device));
	TRY(place(p, "q", DTYPE_F32, HEADS * D, p->q, &p->dq));
	TRY(place(p, "k", DTYPE_F32, rows, p->k, &p->dk));
	TRY(place(p, "v", DTYPE_F32, rows, p->v, &p->dv));
	TRY(place(p, "partials", DTYPE_F32, (size_t)HEADS * (size_t)p->chunks * (D + 2), NULL,
		  &p->partials));
	TRY(place(p, "out", DTYPE_F32, HEADS * D, NULL, &p->out));
	return place(p, "seq_lens", DTYPE_I32, 1, &keys, &p->seq_lens);
}

static void dispose(struct problem *p)
{
	device_close(p->device);
	free(p->q);
	free(p->k);
	free(p->v);
	free(p->native_out);
	free(p->sim_out);
	free(p->scratch);
}

static enum status run_sim(struct problem *p)
{
	struct arg chunk_args[] = {
		ARG_BUFFER(p->dq), ARG_BUFFER(p->dk), ARG_BUFFER(p->dv), ARG_BUFFER(p->partials),
		ARG_BUFFER(p->seq_lens), ARG_I32(KV_HEADS), ARG_I32(D), ARG_I32(MAX_LEN),
		ARG_I64((int64_t)KV_HEADS * MAX_LEN * D), ARG_I32(p->chunk), ARG_F32(p->scale),
	};
	struct arg reduce_args[] = {
		ARG_BUFFER(p->partials), ARG_BUFFER(p->out), ARG_BUFFER(p->seq_lens),
		ARG_I32(D), ARG_I32(p->chunk), ARG_I32(p->chunks),
	};
	struct launch chunk = {
		.kernel = kernel_find("flash_decode_chunk"),
		.grid = { HEADS, 1, (uint32_t)p->chunks },
		.block = { 32 },
		.args = chunk_args, .arg_count = sizeof chunk_args / sizeof chunk_args[0],
		.layer = -1,
	};
	struct launch reduce = {
		.kernel = kernel_find("flash_decode_reduce"), .grid = { HEADS, 1 }, .block = { 32 },
		.args = reduce_args, .arg_count = sizeof reduce_args / sizeof reduce_args[0],
		.layer = -1,
	};

	TRY(device_launch(p->device, &chunk));
	return device_launch(p->device, &reduce);
}

static double worst_difference(const struct problem *p)
{
	double worst = 0;

	for (int i = 0; i < HEADS * D; i++) {
		double d = fabs((double)p->sim_out[i] - p->native_out[i]);

		if (!(d <= worst))      /* a NaN counts */
			worst = d;
	}
	return worst;
}

/* native is NULL if that code cannot run here. */
static enum status measure(struct problem *p, int runs, double *sim, double *native)
{
	for (int i = -1; i < runs; i++) {       /* run -1 warms up */
		double start = bench_now(), middle;

		TRY(run_sim(p));
		middle = bench_now();
		if (native)
			native_attention(p->q, p->k, p->v, p->native_out, HEADS, KV_HEADS, D, KEYS,
					 MAX_LEN, p->scale, p->scratch);
		if (i >= 0)
			sim[i] = middle - start;
		if (i >= 0 && native)
			native[i] = bench_now() - middle;
	}
	return device_download(p->device, NULL, p->out, 0, p->sim_out, HEADS * D * sizeof(float));
}

static void print_rate(const char *what, double seconds)
{
	double flop = native_attention_flops(HEADS, D, KEYS);

	printf("%-18s %8.3f ms  %7.2f GFLOP/s\n", what, 1e3 * seconds, 1e-9 * flop / seconds);
}

static void print_results(const struct problem *p, int runs, double *sim, double *native)
{
	double s = bench_median(sim, (size_t)runs);
	double n = native ? bench_median(native, (size_t)runs) : NAN;

	printf("chunk + reduce, %d heads, %d KV heads, D %d, %d keys, chunk %d; medians of %d\n",
	       HEADS, KV_HEADS, D, KEYS, CHUNK, runs);
	printf("kernels built for  %s\n", variant_text());
	print_rate("simulator, 1 job", s);
	if (!native) {
		printf("%-18s not run: it was built for a processor with %s\n", "native C",
		       native_attention_lacks());
		return;
	}
	print_rate("native C", n);
	printf("simulator / native %8.1f x   maximum difference of outputs %.2g\n", s / n,
	       worst_difference(p));
}

/* Times the same launches under the checker, and compares with their median without it. */
static enum status bench_checked(int runs, double unchecked)
{
	struct problem p = { 0 };
	double *times = xcalloc((size_t)runs, sizeof *times);
	enum status status = prepare(&p, CHUNK, true);

	if (status == STATUS_OK)
		status = measure(&p, runs, times, NULL);
	if (status == STATUS_OK) {
		double median = bench_median(times, (size_t)runs);

		print_rate("with --check", median);
		printf("checked / unchecked%8.1f x\n", median / unchecked);
	}
	dispose(&p);
	free(times);
	return status;
}

/* --- other sizes of chunks --- */

/* The median of the simulator, in milliseconds. */
static enum status bench_chunk(int chunk, bool check, int runs, double *ms)
{
	struct problem p = { 0 };
	double *times = xcalloc((size_t)runs, sizeof *times);
	enum status status = prepare(&p, chunk, check);

	if (status == STATUS_OK)
		status = measure(&p, runs, times, NULL);
	if (status == STATUS_OK)
		*ms = 1e3 * bench_median(times, (size_t)runs);
	dispose(&p);
	free(times);
	return status;
}

/* native: its median in seconds, NaN if it was not run. */
static enum status draw_chunks(const double *sizes, const double *plain, const double *checked,
			       double native, int runs, const char *path)
{
	double peer[CHUNK_SIZES];
	char note[120];
	const struct plot_series series[] = {
		{ "simulator, 1 job", sizes, plain, CHUNK_SIZES, false },
		{ "with --check", sizes, checked, CHUNK_SIZES, false },
		{ "native C, no chunks", sizes, peer, CHUNK_SIZES, true },
	};
	const struct plot plot = {
		.title = "Time of chunk + reduce against chunk size", .note = note,
		.x = { "keys of a chunk", PLOT_LOG2 }, .y = { "time, ms", PLOT_LOG10 },
		.series = series, .series_count = isnan(native) ? 2 : 3,
	};

	for (int i = 0; i < CHUNK_SIZES; i++)
		peer[i] = 1e3 * native;
	snprintf(note, sizeof note, "%d heads, %d KV heads, D %d, %d keys; medians of %d; kernels"
		 " built for %s", HEADS, KV_HEADS, D, KEYS, runs, variant_text());
	return plot_write(&plot, path);
}

static enum status bench_chunks(double native, int runs, const char *path)
{
	double sizes[CHUNK_SIZES], plain[CHUNK_SIZES], checked[CHUNK_SIZES];

	printf("\n%-18s %11s %14s\n", "keys of a chunk", "simulator", "with --check");
	for (int i = 0; i < CHUNK_SIZES; i++) {
		sizes[i] = chunk_sizes[i];
		TRY(bench_chunk(chunk_sizes[i], false, runs, &plain[i]));
		TRY(bench_chunk(chunk_sizes[i], true, runs, &checked[i]));
		printf("%-18d %8.3f ms %11.3f ms\n", chunk_sizes[i], plain[i], checked[i]);
	}
	printf("\n");
	return path ? draw_chunks(sizes, plain, checked, native, runs, path) : STATUS_OK;
}

enum status bench_sim(int runs, const char *plot)
{
	struct problem p = { 0 };
	double *sim = xcalloc((size_t)runs, sizeof *sim);
	double *native = native_attention_lacks() ? NULL : xcalloc((size_t)runs, sizeof *native);
	enum status status = prepare(&p, CHUNK, false);

	if (status == STATUS_OK)
		status = measure(&p, runs, sim, native);
	if (status == STATUS_OK)
		print_results(&p, runs, sim, native);
	dispose(&p);
	if (status == STATUS_OK)
		status = bench_checked(runs, bench_median(sim, (size_t)runs));
	if (status == STATUS_OK)
		status = bench_chunks(native ? bench_median(native, (size_t)runs) : NAN, runs,
				      plot);
	free(sim);
	free(native);
	return status;
}
