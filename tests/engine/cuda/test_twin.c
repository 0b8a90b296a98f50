/* test_twin.c - the same launches give the same bits on a GPU as on the simulator.
 *
 * Flash decoding over random shapes, with any D, grouped heads, several sequences, lengths of 0 and
 * near chunk and tile boundaries, and sometimes NaN, infinities and huge scores. Compares caches
 * after the scatter, all partials (also those never written), outputs and every named point; then
 * all buffers of the probed build with those of the plain one. Also compares whole recorded runs of
 * every path, prompts included, and of kernels that no path launches; and outputs of every path, by
 * graphs too, over the shapes of test_path_accuracy.c. Of kernels built for debuggers, buffers
 * and outputs are compared. Skipped without a GPU.
 */
#include "config.h"

#include "tests/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>

#include "tests/recording.h"

#include "engine/attention/prefill.h"
#include "engine/record/probe.h"
#include "tests/gpu.h"
#include "tests/indirect.h"
#include "tests/path_case.h"
#include "tests/same_runs.h"
#include "traces/row.h"

enum { SHAPES = 60, SLOTS = 3, PATH_SHAPES = 40, PREFILL_SHAPES = 24 };

/* --- one random case --- */

struct shape {
	int H, Hkv, D, C, max_len, max_chunks;
	int lengths[SLOTS];
	float scale;
	bool special;                   /* NaN and infinities in q and k */
};

/* splitmix64: the same cases on every machine. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int pick(uint64_t *state, int min, int max)
{
	return min + (int)(next_random(state) % (uint64_t)(max - min + 1));
}

static struct shape random_shape(uint64_t *random)
{
	static const int chunks[] = { 1, 16, 31, 32, 33, 64, 100, 128 };
	static const int sizes[] = { 1, 3, 32, 33, 64, 100, 128, 255, 256 };
	struct shape s = { .Hkv = pick(random, 1, 4) };

	s.H = s.Hkv * pick(random, 1, 4);
	s.D = pick(random, 0, 1) ? sizes[pick(random, 0, 8)] : pick(random, 1, 256);
	s.C = chunks[pick(random, 0, 7)];
	s.max_len = s.C * pick(random, 1, 4) + pick(random, 0, s.C - 1);
	s.max_chunks = (s.max_len + s.C - 1) / s.C;
	for (int m = 0; m < SLOTS; m++) {
		int border = s.C * pick(random, 0, s.max_chunks) + pick(random, -1, 1);

		s.lengths[m] = border < 0 ? 0 : border > s.max_len ? s.max_len : border;
	}
	s.scale = pick(random, 0, 4) ? 1.0f / sqrtf((float)s.D) : 1e4f;
	s.special = pick(random, 0, 4) == 0;
	return s;
}

static float random_float(uint64_t *random, bool special)
{
	if (special && pick(random, 0, 199) == 0)
		return (const float[]){ NAN, INFINITY, -INFINITY, 3e38f }[pick(random, 0, 3)];
	return (float)(int64_t)(next_random(random) >> 40) / (1 << 23) - 1.0f;
}

static float *random_floats(uint64_t *random, size_t count, bool special)
{
	float *values = malloc(count * sizeof *values);

	ck_assert_ptr_nonnull(values);
	for (size_t i = 0; i < count; i++)
		values[i] = random_float(random, special);
	return values;
}

/* --- running it --- */

enum { Q, K, V, NEW_ROWS, PARTIALS, OUT, BUFFERS };
static const char *const names[BUFFERS] = { "q", "k", "v", "new_rows", "partials", "out" };

struct outcome {
	size_t counts[BUFFERS];         /* elements */
	uint32_t *bits[BUFFERS];
	struct row_point *points;
	size_t point_count;
};

struct bench {
	struct device *device;
	struct probe *probe;            /* NULL: plain builds */
	const struct shape *shape;
	struct buffer *buffers[BUFFERS], *lengths, *positions;
	struct outcome *outcome;
};

static struct buffer *make(struct bench *b, const char *name, enum dtype dtype, size_t count)
{
	struct buffer_spec spec = {
		.name = name, .dtype = dtype, .rank = 1, .shape = { (int64_t)count },
	};
	struct buffer *buffer;

	OK(device_alloc(b->device, &spec, &buffer));
	return buffer;
}

static void fill(struct bench *b, int which, uint64_t *random, bool special)
{
	float *values = random_floats(random, b->outcome->counts[which], special);

	OK(device_upload(b->device, NULL, b->buffers[which], 0, values,
			 b->outcome->counts[which] * sizeof *values));
	free(values);
}

static void make_buffers(struct bench *b, uint64_t random)
{
	const struct shape *s = b->shape;
	size_t cache = (size_t)SLOTS * s->Hkv * s->max_len * s->D;
	size_t rows = (size_t)SLOTS * s->H;
	const size_t counts[BUFFERS] = {
		rows * s->D, cache, cache, (size_t)SLOTS * s->Hkv * s->D,
		rows * s->max_chunks * (s->D + 2), rows * s->D,
	};
	int positions[SLOTS];

	memcpy(b->outcome->counts, counts, sizeof counts);
	for (int i = 0; i < BUFFERS; i++)
		b->buffers[i] = make(b, names[i], DTYPE_F32, counts[i]);
	fill(b, Q, &random, s->special);
	fill(b, K, &random, s->special);
	fill(b, V, &random, false);
	fill(b, NEW_ROWS, &random, false);
	for (int m = 0; m < SLOTS; m++)
		positions[m] = s->lengths[m] - 1;
	b->lengths = make(b, "seq_lens", DTYPE_I32, SLOTS);
	b->positions = make(b, "positions", DTYPE_I32, SLOTS);
	OK(device_upload(b->device, NULL, b->lengths, 0, s->lengths, sizeof s->lengths));
	OK(device_upload(b->device, NULL, b->positions, 0, positions, sizeof positions));
}

static void keep_points(struct outcome *outcome, struct row_point *points, size_t count)
{
	outcome->points = realloc(outcome->points,
				  (outcome->point_count + count + 1) * sizeof *points);
	ck_assert_ptr_nonnull(outcome->points);
	if (count)
		memcpy(outcome->points + outcome->point_count, points, count * sizeof *points);
	outcome->point_count += count;
	free(points);
}

static void launch(struct bench *b, const char *kernel, struct dim3 grid, unsigned block,
		   unsigned shared, const struct arg *args, int arg_count)
{
	struct launch l = {
		.kernel = kernel_find(kernel), .grid = grid, .block = { block, 1, 1 },
		.shared_bytes = shared, .args = args, .arg_count = arg_count, .layer = -1,
	};
	struct kernel_value values[MAX_ARGS] = { 0 };
	struct kernel_call call = { .grid = grid, .block = l.block, .values = values };
	struct row_point *points;
	size_t count;
	uint64_t dropped;

	for (int i = 0; i < arg_count; i++)
		values[i].i = args[i].kind == PARAM_I64 ? args[i].value.i64 : args[i].value.i32;
	if (b->probe)
		OK(probe_prepare(b->probe, l.kernel, &call, &l.probed));
	OK(device_launch(b->device, &l));
	OK(device_sync(b->device, NULL));
	if (!l.probed)
		return;
	OK(probe_collect(b->probe, NULL, &points, &count, &dropped));
	ck_assert_msg(dropped == 0, "%s dropped %" PRIu64 " points", kernel, dropped);
	keep_points(b->outcome, points, count);
}

static void decode(struct bench *b)
{
	const struct shape *s = b->shape;
	unsigned H = (unsigned)s->H, D = (unsigned)s->D;
	int64_t stride = (int64_t)s->Hkv * s->max_len * s->D;
	const struct arg scatter[] = {
		ARG_BUFFER(b->buffers[NEW_ROWS]), ARG_BUFFER(b->buffers[K]),
		ARG_BUFFER(b->positions), ARG_I32(s->D), ARG_I32(s->max_len), ARG_I64(stride),
	};
	const struct arg chunk[] = {
		ARG_BUFFER(b->buffers[Q]), ARG_BUFFER(b->buffers[K]), ARG_BUFFER(b->buffers[V]),
		ARG_BUFFER(b->buffers[PARTIALS]), ARG_BUFFER(b->lengths), ARG_I32(s->Hkv),
		ARG_I32(s->D), ARG_I32(s->max_len), ARG_I64(stride), ARG_I32(s->C),
		ARG_F32(s->scale),
	};
	const struct arg reduce[] = {
		ARG_BUFFER(b->buffers[PARTIALS]), ARG_BUFFER(b->buffers[OUT]),
		ARG_BUFFER(b->lengths), ARG_I32(s->D), ARG_I32(s->C), ARG_I32(s->max_chunks),
	};

	launch(b, "kv_scatter_batched", (struct dim3){ (unsigned)s->Hkv, SLOTS, 1 }, D, 0,
	       scatter, 6);
	launch(b, "flash_decode_chunk", (struct dim3){ H, SLOTS, (unsigned)s->max_chunks }, 32,
	       0, chunk, 11);
	launch(b, "flash_decode_reduce", (struct dim3){ H, SLOTS, 1 }, 32, 0, reduce, 6);
}

static void download(struct bench *b, int which)
{
	size_t bytes = b->outcome->counts[which] * sizeof(uint32_t);

	b->outcome->bits[which] = malloc(bytes);
	ck_assert_ptr_nonnull(b->outcome->bits[which]);
	OK(device_download(b->device, NULL, b->buffers[which], 0, b->outcome->bits[which], bytes));
	OK(device_free(b->device, b->buffers[which]));
}

static void run(struct device *device, const struct shape *shape, uint64_t random, bool probed,
		struct outcome *outcome)
{
	struct bench b = { .device = device, .shape = shape, .outcome = outcome };

	memset(outcome, 0, sizeof *outcome);
	b.probe = probed ? probe_new(device) : NULL;
	make_buffers(&b, random);
	decode(&b);
	for (int i = 0; i < BUFFERS; i++)
		download(&b, i);
	OK(device_free(device, b.lengths));
	OK(device_free(device, b.positions));
	probe_free(b.probe);
}

static void outcome_free(struct outcome *outcome)
{
	for (int i = 0; i < BUFFERS; i++)
		free(outcome->bits[i]);
	free(outcome->points);
}

/* --- kernels for debuggers --- */

#ifdef HAVE_DEBUG_KERNELS
static const bool debug_built = true;
#else
static const bool debug_built = false;
#endif

/* Simulators that are opened from here on run them, or, with false, the fastest. */
static void use_debug(bool on)
{
	ck_assert_int_eq(on ? setenv("FLASHTWIN_KERNELS", "debug", 1)
			    : unsetenv("FLASHTWIN_KERNELS"), 0);
}

/* --- comparing --- */

static struct { uint64_t values, points; } compared;

static bool same_bits(uint32_t a, uint32_t b)
{
	return a == b || ((a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000);
}

static void compare_buffers(const struct shape *s, const struct outcome *a, const struct outcome *b)
{
	for (int i = 0; i < BUFFERS; i++)
		for (size_t e = 0; e < a->counts[i]; e++)
			ck_assert_msg(same_bits(a->bits[i][e], b->bits[i][e]),
				      "H %d, Hkv %d, D %d, C %d, lengths %d %d %d: %s[%zu] is "
				      "0x%08x and 0x%08x", s->H, s->Hkv, s->D, s->C, s->lengths[0],
				      s->lengths[1], s->lengths[2], names[i], e, a->bits[i][e],
				      b->bits[i][e]);
	for (int i = 0; i < BUFFERS; i++)
		compared.values += a->counts[i];
}

static void compare_points(const struct outcome *a, const struct outcome *b)
{
	ck_assert_uint_eq(a->point_count, b->point_count);
	for (size_t i = 0; i < a->point_count; i++) {
		const struct row_point *p = &a->points[i], *q = &b->points[i];

		ck_assert_msg(p->block == q->block && p->thread == q->thread
			      && p->sequence == q->sequence && p->name == q->name
			      && p->count == q->count,
			      "point %zu: b%" PRIu64 ".t%u.p%u %s and b%" PRIu64 ".t%u.p%u %s", i,
			      p->block, p->thread, p->sequence, p->name, q->block, q->thread,
			      q->sequence, q->name);
		for (int v = 0; v < p->count; v++)
			ck_assert_msg(same_bits(p->bits[v], q->bits[v]),
				      "b%" PRIu64 ".t%u.p%u %s value %d: 0x%08x and 0x%08x",
				      p->block, p->thread, p->sequence, p->name, v, p->bits[v],
				      q->bits[v]);
	}
	compared.points += a->point_count;
}

/* The plain launches again in kernels for debuggers. */
static void compare_debug(const struct shape *shape, uint64_t data, const struct outcome *real)
{
	struct device_options options = { .poison = true };
	struct device *sim;
	struct outcome debug;

	if (!debug_built)
		return;
	use_debug(true);
	OK(device_open("sim", &options, &sim));
	use_debug(false);
	run(sim, shape, data, false, &debug);
	compare_buffers(shape, &debug, real);
	outcome_free(&debug);
	device_close(sim);
}

START_TEST(random_shapes_give_the_same_bits)
{
	struct device_options options = { .poison = true };
	struct device *sim, *gpu;
	uint64_t random = 2018;

	OK(device_open("sim", &options, &sim));
	OK(device_open("cuda", &options, &gpu));
	for (int i = 0; i < SHAPES; i++) {
		struct shape shape = random_shape(&random);
		uint64_t data = next_random(&random);
		struct outcome twin, real, plain;

		run(sim, &shape, data, true, &twin);
		run(gpu, &shape, data, true, &real);
		run(gpu, &shape, data, false, &plain);
		compare_buffers(&shape, &twin, &real);
		compare_points(&twin, &real);
		compare_buffers(&shape, &real, &plain);
		compare_debug(&shape, data, &plain);
		outcome_free(&twin);
		outcome_free(&real);
		outcome_free(&plain);
	}
	device_close(gpu);
	device_close(sim);
	printf("# %d shapes: %" PRIu64 " values and %" PRIu64 " named points compared\n", SHAPES,
	       compared.values, compared.points);
	fflush(stdout);
}
END_TEST

/* --- recorded runs --- */

/* The two runs of the store must have the same bits everywhere. */
static void compare_runs(struct store *store, const char *what)
{
	struct same_runs same = same_runs(store, what);

	compared.values += (uint64_t)same.values;
	compared.points += (uint64_t)same.points;
	OK(store_close(store));
}

static struct attention_shape path_shape(const struct path *path, uint64_t *random)
{
	struct shape s = random_shape(random);
	struct attention_shape shape = {
		.slots = pick(random, 1, 4), .heads = s.H, .kv_heads = s.Hkv, .head_dim = s.D,
		.max_len = s.max_len + REC_STEPS, .chunk = s.C, .scale = s.scale,
		.warps = pick(random, 1, 2),
	};

	if (path == &path_cached) {
		shape.slots = 1;
		shape.heads = shape.kv_heads;
	}
	if (path == &path_auto && pick(random, 0, 1))
		shape.chunk = 0;
	if (path == &path_ladder)
		shape.rung = (const int[]){ 4, 5, 6, 9, 10 }[pick(random, 0, 4)];
	shape.head_dim = path_head_dim(path, shape.rung, shape.head_dim);
	return shape;
}

START_TEST(every_path_gives_the_same_bits)
{
	uint64_t random = 2022;

	for (int i = 0; i < PATH_SHAPES; i++) {
		int count = 0;
		struct attention_shape shape;
		struct recording_options options = { .level = LEVEL_POINTS, .shape = &shape };
		struct store *store;

		while (path_table[count])
			count++;
		options.path = path_table[i % count];
		shape = path_shape(options.path, &random);
		options.prompt = pick(&random, 0, shape.max_len - REC_STEPS);
		options.nan = pick(&random, 0, 3) == 0;
		options.random = (uint32_t)next_random(&random) | 1;
		store = new_store();
		recording_make(store, &options, NULL);
		options.device = "cuda";
		recording_make(store, &options, NULL);
		compare_runs(store, options.path->name);
	}
}
END_TEST

/* Runs prefill of shapes that no decode has: Nq, Nk, D and Dv all different, all masks. */
static void record_prefill(struct device *device, int number)
{
	uint64_t random = (uint64_t)number;
	struct prefill p = {
		.kv_heads = pick(&random, 1, 3),
		.queries = pick(&random, 1, 150),
		.keys = pick(&random, 1, 150),
		.head_dim = pick(&random, 1, 256),
		.value_dim = pick(&random, 1, 256),
		.mask = (enum causal_mask)(number % 3),
		.layer = -1,
	};
	size_t q_count, k_count, v_count, out_count;
	float *q, *k, *v, *out;

	p.tiled = number % 2;
	if (p.tiled)
		p.head_dim = p.value_dim = path_head_dim(&path_prefill_tiled, 0, p.head_dim);
	p.heads = p.kv_heads * pick(&random, 1, 3);
	p.stride = p.keys;
	p.scale = attention_scale(p.head_dim);
	q_count = (size_t)p.heads * (size_t)p.queries * (size_t)p.head_dim;
	k_count = (size_t)p.kv_heads * (size_t)p.keys * (size_t)p.head_dim;
	v_count = (size_t)p.kv_heads * (size_t)p.keys * (size_t)p.value_dim;
	out_count = (size_t)p.heads * (size_t)p.queries * (size_t)p.value_dim;
	q = random_floats(&random, q_count, false);
	k = random_floats(&random, k_count, number % 4 == 0);
	v = random_floats(&random, v_count, false);
	out = random_floats(&random, out_count, false);
	OK(prefill_run(device, &p, q, k, v, out));
	free(q);
	free(k);
	free(v);
	free(out);
}

static void record_indirect(struct device *device, int number)
{
	float out[INDIRECT_H * INDIRECT_D];

	indirect_run(device, 1 + number * 13 % INDIRECT_MAX_LEN, number % 2 ? 4 : 1, false, out);
}

static void record_both(void (*record)(struct device *, int), int number, const char *what)
{
	static const char *const devices[] = { "sim", "cuda" };
	struct store *store = new_store();

	for (int i = 0; i < 2; i++) {
		struct recording_options options = { .level = LEVEL_POINTS, .device = devices[i] };
		struct device *recorder = recording_open(store, &options);

		OK(device_step_begin(recorder, 0));
		record(recorder, number);
		OK(device_step_end(recorder));
		OK(recorder_finish(recorder, STATUS_OK));
	}
	compare_runs(store, what);
}

START_TEST(prefill_and_indirect_kernels_give_the_same_bits)
{
	for (int i = 0; i < PREFILL_SHAPES; i++) {
		record_both(record_prefill, i, "prefill");
		record_both(record_indirect, i, "indirect");
	}
}
END_TEST

static void compare_outputs(const struct path_way *way, const struct path_case *c,
			    const char *kernels, const float *real)
{
	float *twin = path_run_on("sim", 0, way->path, c);

	ck_assert_msg(memcmp(twin, real, path_rows(c) * (size_t)c->head_dim * sizeof(float)) == 0,
		      "%s, %s, %s kernels: M %d, H %d, Hkv %d, D %d, C %d, max_len %d",
		      way->path->name, graph_mode_name(way->graph), kernels, c->slots, c->heads,
		      c->kv_heads, c->head_dim, c->chunk, c->max_len);
	free(twin);
}

START_TEST(outputs_of_every_path_are_the_same_bits)
{
	const struct path_way *way = &path_ways[_i];

	for (int i = 0; i < PATH_CASES; i++) {
		struct path_case c = path_case_for(way, i);
		float *real = path_run_on("cuda", 0, way->path, &c);

		compare_outputs(way, &c, "usual", real);
		if (debug_built) {
			use_debug(true);
			compare_outputs(way, &c, "debug", real);
			use_debug(false);
		}
		free(real);
		path_case_free(&c);
	}
}
END_TEST

int main(void)
{
	TCase *tests;

	if (!gpu_or_skip())
		return EXIT_SUCCESS;
	if (!debug_built)
		puts("# built without --enable-debug-kernels: debug kernels are not compared");
	tests = tcase_create("twin");
	tcase_set_timeout(tests, 240);
	tcase_add_test(tests, random_shapes_give_the_same_bits);
	tcase_add_test(tests, every_path_gives_the_same_bits);
	tcase_add_test(tests, prefill_and_indirect_kernels_give_the_same_bits);
	tcase_add_loop_test(tests, outputs_of_every_path_are_the_same_bits, 0, PATH_WAYS);
	return run_suite("twin", tests);
}
