/* test_ladder_narrow.c - the ladder with caches of f16, bf16 and e4m3: the bits of an f32 cache
 * with the same numbers, and those of tensor cores, which all rungs that use them share, at any
 * order of blocks and from graphs; and the error against float64.
 */
#include "config.h"

#include "tests/support.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/attention/ladder_shape.h"
#include "engine/attention/path.h"
#include "kernels/head_sizes.h"
#include "kernels/split_rule.h"
#include "tests/accuracy.h"
#include "tests/ladder_cache.h"
#include "tests/reference.h"

static const enum dtype types[] = { DTYPE_F16, DTYPE_BF16, DTYPE_E4M3 };
enum { SLOTS = 4, MANY_SLOTS = 11 * SLOTS, KV_HEADS = 2, CAPACITY = SPLIT_UNIT * (SPLITS + 1) };
/* Rung 10 has clusters, except where one of several sequences has room for more keys than they
 * take. With many sequences rungs 9 and 10 have two blocks for each multiprocessor, where a shape
 * has that form: more splits with keys than there are blocks, so that some have several. */
static const struct form {
	const char *name;
	int rung, max_len, slots;       /* 0: those of the caches; more slots repeat those */
} forms[] = {
	{ "rung 5", 5, 0, 0 }, { "rung 6", 6, 0, 0 }, { "rung 7", 7, 0, 0 },
	{ "rung 9", 9, 0, 0 }, { "rung 10", 10, 0, 0 },
	{ "rung 10 without clusters", 10, LADDER_CLUSTER_LEN + 1, 0 },
	{ "rung 9 with many sequences", 9, 0, MANY_SLOTS },
	{ "rung 10 with many sequences", 10, 0, MANY_SLOTS },
};
enum { TENSOR = 2 };                    /* the first form with tensor cores */
static const int dims[] = { HEAD_SIZES };
static const int groups[] = { 1, 2, 3, 8, 16 };
enum { TYPES = 3, GROUPS = 5, CASES = TYPES * GROUPS, FORMS = sizeof forms / sizeof forms[0],
       SMALL = 3, SMALL_PAIRS = 10, SMALL_LATE = 14 };
_Static_assert((int)HEAD_SIZE_COUNT == (int)GROUPS, "each case has another head size and group");
/* More than one unit per split, no keys, one, and both sides of a tile's end. With the largest head
 * size, the warp that has the last tile of a sequence has another one before it in its split. */
static const int lengths[SLOTS] = { SPLIT_UNIT * SPLITS + 3, 0, 1, SPLIT_UNIT + 81 };

struct batch {
	struct attention_shape shape;
	size_t row, keys;               /* elements of the new rows and of a cache */
	float *q, *k, *v;               /* queries; numbers of the caches before the scales */
	void *k_codes, *v_codes;
	float k_scale[KV_HEADS], v_scale[KV_HEADS];
};

/* Random numbers, of which some are subnormal in f16 and e4m3, and their codes. */
static void make_cache(const struct batch *b, uint32_t seed, float **numbers, void **codes)
{
	enum dtype type = b->shape.kv_dtype;

	*numbers = xcalloc(b->keys, sizeof **numbers);
	*codes = xcalloc(b->keys, dtype_bytes(type));
	for (size_t i = 0; i < b->keys; i++) {
		float x = cache_noise(&seed);

		if (i % 7 == 0)
			x *= type == DTYPE_E4M3 ? 0x1p-6f : 0x1p-14f;
		(*numbers)[i] = cache_put(type, *codes, i, x);
	}
}

static struct batch batch_of(int number)
{
	struct batch b = { .shape = {
		.layers = 1, .slots = SLOTS, .kv_heads = KV_HEADS, .max_len = CAPACITY,
		.chunk = 128, .head_dim = dims[number / TYPES % HEAD_SIZE_COUNT],
		.heads = KV_HEADS * groups[number / TYPES % GROUPS], .rung = 5,
		.kv_dtype = types[number % TYPES],
	} };
	size_t D = (size_t)b.shape.head_dim, queries = (size_t)(SLOTS * b.shape.heads) * D;
	uint32_t seed = (uint32_t)number;

	b.shape.scale = attention_scale(b.shape.head_dim);
	b.row = SLOTS * KV_HEADS * D;
	b.keys = b.row * CAPACITY;
	b.q = xcalloc(queries, sizeof *b.q);
	for (size_t i = 0; i < queries; i++)
		b.q[i] = cache_noise(&seed);
	make_cache(&b, seed + 1, &b.k, &b.k_codes);
	make_cache(&b, seed + 2, &b.v, &b.v_codes);
	for (int h = 0; h < KV_HEADS; h++)
		b.k_scale[h] = b.v_scale[h] = 1.0f;
	return b;
}

static void free_batch(struct batch *b)
{
	free(b->q);
	free(b->k);
	free(b->v);
	free(b->k_codes);
	free(b->v_codes);
}

/* Repeats the first SLOTS of `slots` rows. */
static void repeat(float *rows, int slots, size_t row)
{
	for (size_t slot = SLOTS; slot < (size_t)slots; slot++)
		memcpy(rows + slot * row, rows + slot % SLOTS * row, row * sizeof *rows);
}

/* The newest key of each sequence, of KV heads [KV_HEADS, CAPACITY, D], for `slots` sequences. */
static float *newest(const struct batch *b, const float *cache, int slots)
{
	size_t D = (size_t)b->shape.head_dim;
	float *rows = xcalloc((size_t)slots * KV_HEADS * D, sizeof *rows);

	for (size_t line = 0; line < SLOTS * KV_HEADS; line++)
		for (size_t d = 0; d < D && lengths[line / KV_HEADS] > 0; d++)
			rows[line * D + d] = cache[(line * CAPACITY
				+ (size_t)lengths[line / KV_HEADS] - 1) * D + d];
	repeat(rows, slots, KV_HEADS * D);
	return rows;
}

/* Attends with caches of `shape`'s type; sequences past the first SLOTS repeat those, and so must
 * their outputs. The caller frees the output. */
static float *attend(const struct batch *b, const struct attention_shape *shape, uint64_t seed,
		     const void *k, const void *v, const float *k_numbers, const float *v_numbers)
{
	const struct device_options options = { .seed = seed, .poison = true };
	size_t D = (size_t)b->shape.head_dim, slot_bytes = KV_HEADS * CAPACITY * D
		* dtype_bytes(shape->kv_dtype);
	float *k_new = newest(b, k_numbers, shape->slots);
	float *v_new = newest(b, v_numbers, shape->slots);
	size_t row = (size_t)shape->heads * D;
	float *out = xcalloc((size_t)shape->slots * row, sizeof *out);
	float *q = xcalloc((size_t)shape->slots * row, sizeof *q);
	struct attention *attention;
	struct device *device;
	bool done[MANY_SLOTS];

	OK(device_open("sim", &options, &device));
	OK(attention_create(&path_ladder, device, shape, &attention));
	memcpy(q, b->q, SLOTS * row * sizeof *q);
	repeat(q, shape->slots, row);
	for (size_t slot = 0; slot < (size_t)shape->slots; slot++) {
		size_t of = slot % SLOTS;

		done[slot] = lengths[of] == 0;
		if (lengths[of] > 1)
			OK(kv_cache_load(attention->cache, 0, (int)slot,
					 (const char *)k + of * slot_bytes,
					 (const char *)v + of * slot_bytes, lengths[of] - 1,
					 CAPACITY));
	}
	OK(attention_step(attention, &(struct attention_step){
		.q = q, .k = k_new, .v = v_new, .done = done, .out = out }));
	attention_destroy(attention);
	device_close(device);
	for (size_t slot = SLOTS; slot < (size_t)shape->slots; slot++)
		ck_assert_msg(memcmp(out + slot * row, out + slot % SLOTS * row,
				     row * sizeof *out) == 0, "slot %zu", slot);
	free(q);
	free(k_new);
	free(v_new);
	return out;
}

static float *attend_narrow(const struct batch *b, const struct form *form, enum graph_mode graph,
			    uint64_t seed)
{
	struct attention_shape shape = b->shape;

	shape.graph = graph;
	shape.rung = form->rung;
	shape.max_len = form->max_len ? form->max_len : CAPACITY;
	shape.slots = form->slots ? form->slots : SLOTS;
	if (shape.kv_dtype == DTYPE_E4M3) {
		shape.k_scale = b->k_scale;
		shape.v_scale = b->v_scale;
	}
	return attend(b, &shape, seed, b->k_codes, b->v_codes, b->k, b->v);
}

/* What the caches stand for, with their scales. The caller frees it. */
static float *scaled(const struct batch *b, const float *numbers, const float *scale)
{
	size_t head = CAPACITY * (size_t)b->shape.head_dim;
	float *out = xcalloc(b->keys, sizeof *out);

	for (size_t i = 0; i < b->keys; i++)
		out[i] = numbers[i] * scale[i / head % KV_HEADS];
	return out;
}

static void expect_equal(const struct batch *b, const float *wanted, const float *got,
			 const char *what)
{
	size_t count = (size_t)(SLOTS * b->shape.heads * b->shape.head_dim);

	for (size_t i = 0; i < count; i++)
		ck_assert_msg(memcmp(wanted + i, got + i, sizeof *got) == 0,
			      "%s, D %d, %d heads: %s: element %zu is %a, not %a",
			      dtype_name(b->shape.kv_dtype), b->shape.head_dim, b->shape.heads,
			      what, i, got[i], wanted[i]);
}

/* Forms [first, end) have the bits of `wanted`, and so have graphs of them. */
static void expect_forms(const struct batch *b, const float *wanted, size_t first, size_t end,
			 bool graphs)
{
	float *got;

	for (size_t i = first; i < end; i++) {
		got = attend_narrow(b, &forms[i], GRAPH_NONE, i + 1);
		expect_equal(b, wanted, got, forms[i].name);
		free(got);
		for (int graph = GRAPH_CAPTURE; graph <= GRAPH_MANUAL && graphs; graph++) {
			got = attend_narrow(b, &forms[i], (enum graph_mode)graph, 0);
			expect_equal(b, wanted, got, "from a graph");
			free(got);
		}
	}
}

/* Scales that are powers of two change no bits. */
START_TEST(the_bits_are_those_of_f32)
{
	struct batch b = batch_of(_i);
	struct attention_shape wide = b.shape;
	float *k, *v, *wanted;

	if (b.shape.kv_dtype == DTYPE_E4M3) {
		b.k_scale[1] = 4.0f;
		b.v_scale[0] = 0.5f;
	}
	k = scaled(&b, b.k, b.k_scale);
	v = scaled(&b, b.v, b.v_scale);
	wide.kv_dtype = DTYPE_F32;
	wanted = attend(&b, &wide, 0, k, v, k, v);
	expect_forms(&b, wanted, 0, TENSOR, _i < TYPES);
	free(wanted);
	free(k);
	free(v);
	free_batch(&b);
}
END_TEST

START_TEST(tensor_cores_have_the_same_bits_on_all_rungs)
{
	struct batch b = batch_of(_i);
	float *wanted = attend_narrow(&b, &forms[TENSOR], GRAPH_NONE, 0);

	expect_forms(&b, wanted, TENSOR, FORMS, _i < TYPES);
	free(wanted);
	free_batch(&b);
}
END_TEST

/* Which of the rows above has two blocks for each multiprocessor. */
START_TEST(large_batches_have_pairs_of_blocks)
{
	static const struct {
		enum dtype kv_dtype;
		int rung, slots, group, head_dim, max_len, window, compute;
		enum ladder_form form;
	} cases[] = {
		{ DTYPE_BF16, 9, MANY_SLOTS, 4, 128, CAPACITY, 0, 9, LADDER_PAIRS },
		{ DTYPE_F16, 9, MANY_SLOTS, 8, 64, CAPACITY, 0, 9, LADDER_PAIRS },
		{ DTYPE_F16, 10, MANY_SLOTS, 8, 64, CAPACITY, 0, 9, LADDER_PAIRS },
		{ DTYPE_BF16, 10, MANY_SLOTS, 4, 256, CAPACITY, 0, 9, LADDER_SINGLE },
		{ DTYPE_BF16, 10, 1, 4, 128, CAPACITY, 0, 9, LADDER_CLUSTERS },
		{ DTYPE_E4M3, 13, MANY_SLOTS, 8, 96, CAPACITY, 0, 9, LADDER_PAIRS },
		{ DTYPE_E4M3, 9, 67, 8, 80, SPLIT_UNIT, 0, 9, LADDER_PAIRS },
		{ DTYPE_E4M3, 9, 66, 8, 80, SPLIT_UNIT, 0, 9, LADDER_SINGLE },
		{ DTYPE_BF16, 10, MANY_SLOTS, 4, 128, 4096, 0, 9, LADDER_PAIRS },
		{ DTYPE_BF16, 10, MANY_SLOTS, 4, 128, 4097, 0, 9, LADDER_SINGLE },
		{ DTYPE_E4M3, 10, MANY_SLOTS, 4, 128, 4097, 0, 9, LADDER_PAIRS },
		{ DTYPE_F32, 9, 40, 4, 128, CAPACITY, 0, 9, LADDER_SINGLE },
		{ DTYPE_BF16, 7, 40, 4, 128, CAPACITY, 0, 9, LADDER_SINGLE },
		{ DTYPE_BF16, 9, 40, 9, 128, CAPACITY, 0, 9, LADDER_SINGLE },
		{ DTYPE_BF16, 9, 40, 4, 256, CAPACITY, 0, 9, LADDER_SINGLE },
		{ DTYPE_BF16, 9, 4, 4, 128, CAPACITY, 0, 9, LADDER_SINGLE },
		{ DTYPE_BF16, 9, 40, 4, 128, CAPACITY, 1000, 9, LADDER_SINGLE },
		{ DTYPE_BF16, 9, 40, 4, 128, CAPACITY, 0, 8, LADDER_SINGLE },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct attention_shape s = {
			.layers = 1, .slots = cases[i].slots, .kv_heads = KV_HEADS,
			.heads = KV_HEADS * cases[i].group, .head_dim = cases[i].head_dim,
			.max_len = cases[i].max_len, .kv_dtype = cases[i].kv_dtype,
			.rung = cases[i].rung, .window = cases[i].window,
		};
		const struct device_info info = {
			.compute_major = cases[i].compute, .multiprocessors = 132,
		};

		ck_assert_msg(ladder_form(&s, &info) == cases[i].form, "case %zu: form %d", i,
			      (int)ladder_form(&s, &info));
	}
}
END_TEST

/* Queries and weights have 16 bits of bf16, or 22 of f16, so that sums are off by about half of the
 * last one of them, and 11 bits of f16 for keys and values of e4m3; products are exact. Scores here
 * are below 4. */
START_TEST(tensor_cores_are_accurate)
{
	struct batch b = batch_of(_i);
	size_t D = (size_t)b.shape.head_dim, group = (size_t)(b.shape.heads / KV_HEADS);
	double limit = b.shape.kv_dtype == DTYPE_BF16 ? 0x1p-16
		: b.shape.kv_dtype == DTYPE_F16 ? 0x1p-20 : 0x1p-14, worst = 0.0;
	float *out = attend_narrow(&b, &forms[TENSOR], GRAPH_NONE, 0), plain[256];
	double exact[256];

	for (size_t row = 0; row < (size_t)(SLOTS * b.shape.heads); row++) {
		size_t slot = row / (size_t)b.shape.heads, at = row / group * CAPACITY * D;

		reference_row(b.q + row * D, b.k + at, b.v + at, lengths[slot], D, D, b.shape.scale,
			      exact, plain);
		check_hull(out + row * D, b.v + at, lengths[slot], D, "tensor cores");
		for (size_t d = 0; d < D; d++)
			worst = fmax(worst, fabs(out[row * D + d] - exact[d]));
	}
	ck_assert_msg(worst <= limit, "%s, D %zu, %d heads: error %g",
		      dtype_name(b.shape.kv_dtype), D, b.shape.heads, worst);
	free(out);
	free_batch(&b);
}
END_TEST

/* Values of 1 give outputs of 1: the sum of weights is that of the weights that values are
 * multiplied by, as far as these are rounded to fewer than 16 bits. */
START_TEST(equal_values_stay_what_they_are)
{
	struct batch b = batch_of(_i);
	size_t row = (size_t)(b.shape.heads * b.shape.head_dim);
	float limit = b.shape.kv_dtype == DTYPE_BF16 ? 0x1p-16f : 0x1p-19f, *out;

	for (size_t i = 0; i < b.keys; i++)
		b.v[i] = cache_put(b.shape.kv_dtype, b.v_codes, i, 1.0f);
	out = attend_narrow(&b, &forms[TENSOR], GRAPH_NONE, 0);
	for (size_t i = 0; i < SLOTS * row; i++)
		ck_assert_msg(fabsf(out[i] - (float)(lengths[i / row] > 0)) <= limit,
			      "element %zu is %.9g", i, out[i]);
	free(out);
	free_batch(&b);
}
END_TEST

/* The newest key has a NaN: the rows of its KV head are NaN, all others stay. */
START_TEST(a_nan_stays_in_its_rows)
{
	struct batch b = batch_of(_i);
	size_t D = (size_t)b.shape.head_dim, group = (size_t)(b.shape.heads / KV_HEADS);
	float *wanted = attend_narrow(&b, &forms[TENSOR], GRAPH_NONE, 0), *got;

	b.k[((size_t)lengths[0] - 1) * D + 3] = NAN;
	got = attend_narrow(&b, &forms[TENSOR], GRAPH_NONE, 0);
	for (size_t i = 0; i < group * D; i++)
		ck_assert_msg(isnan(got[i]), "element %zu is %g", i, got[i]);
	ck_assert_mem_eq(got + group * D, wanted + group * D,
			 ((size_t)(SLOTS * b.shape.heads) - group) * D * sizeof *got);
	free(wanted);
	free(got);
	free_batch(&b);
}
END_TEST

/* Scores of minus infinity leave out the key, and others make NaN; e4m3 has no infinity. Queries
 * are numbers of the type, so that their low numbers are 0. */
START_TEST(an_infinite_key_is_what_it_is_in_float)
{
	struct batch b = batch_of(TYPES * 3 + _i);      /* 8 query heads for each KV head */
	size_t rows = (size_t)(SLOTS * b.shape.heads), D = (size_t)b.shape.head_dim;
	size_t finite = 0, group = rows / (SLOTS * KV_HEADS);
	float *wanted, *got;

	for (size_t i = 0; i < rows * D; i++)
		b.q[i] = (float)(int)(8.0f * b.q[i]) - 0.5f;
	b.k[((size_t)lengths[0] - 1) * D + 3] = INFINITY;
	wanted = attend_narrow(&b, &forms[0], GRAPH_NONE, 0);
	got = attend_narrow(&b, &forms[TENSOR], GRAPH_NONE, 0);
	for (size_t i = 0; i < rows * D; i++) {
		finite += i < group * D && isfinite(got[i]);
		ck_assert_msg(isfinite(got[i]) == isfinite(wanted[i]),
			      "element %zu is %g, not %g", i, got[i], wanted[i]);
	}
	ck_assert(finite > 0 && finite < group * D);    /* of the KV head with that key */
	free(wanted);
	free(got);
	free_batch(&b);
}
END_TEST

/* Of all shapes, this one leaves least shared memory for the barriers of a ring. */
START_TEST(a_full_block_has_room_for_its_barriers)
{
	struct batch b = batch_of(2 + TYPES * 3);
	float *wanted, *got;

	ck_assert_int_eq(b.shape.kv_dtype, DTYPE_E4M3);
	ck_assert_int_eq(b.shape.head_dim, 128);
	b.shape.heads = KV_HEADS * 16;
	free(b.q);
	b.q = xcalloc((size_t)(SLOTS * b.shape.heads * b.shape.head_dim), sizeof *b.q);
	for (int i = 0; i < SLOTS * b.shape.heads * b.shape.head_dim; i++)
		b.q[i] = (float)(i % 17 - 8) / 8.0f;
	wanted = attend_narrow(&b, &forms[TENSOR], GRAPH_NONE, 0);
	got = attend_narrow(&b, &forms[4], GRAPH_NONE, 0);
	expect_equal(&b, wanted, got, forms[4].name);
	free(wanted);
	free(got);
	free_batch(&b);
}
END_TEST

START_TEST(scales_are_accurate)
{
	struct batch b = batch_of(_i * TYPES + 2);
	size_t D = (size_t)b.shape.head_dim, group = (size_t)(b.shape.heads / KV_HEADS);
	struct errors e = { 0 }, total = { 0 };
	float *k, *v, *out, plain[256];
	double exact[256];

	b.k_scale[0] = 0.3f;
	b.k_scale[1] = 1.7f;
	b.v_scale[0] = 0.9f;
	b.v_scale[1] = 0.007f;
	k = scaled(&b, b.k, b.k_scale);
	v = scaled(&b, b.v, b.v_scale);
	out = attend_narrow(&b, &forms[_i], GRAPH_NONE, 0);
	for (size_t row = 0; row < (size_t)(SLOTS * b.shape.heads); row++) {
		size_t slot = row / (size_t)b.shape.heads, at = row / group * CAPACITY * D;

		reference_row(b.q + row * D, k + at, v + at, lengths[slot], D, D, b.shape.scale,
			      exact, plain);
		check_hull(out + row * D, v + at, lengths[slot], D, "e4m3 with scales");
		if (lengths[slot] > 0)
			add_row(&e, out + row * D, exact, plain, v + at, lengths[slot], D);
	}
	if (_i < TENSOR) {
		check_errors(&total, &e, "e4m3 with scales");
		check_rms(&total, "e4m3 with scales");
	} else {
		ck_assert_msg(e.worst <= 0x1p-14 * e.max_value, "%s: error %g", forms[_i].name,
			      e.worst);
	}
	free(out);
	free(k);
	free(v);
	free_batch(&b);
}
END_TEST

/* New rows are rounded where they go, one sequence or several, and other rows stay. */
START_TEST(new_rows_are_rounded)
{
	enum dtype type = types[_i / 2];
	enum { ROWS = 7, D = 64 };
	const struct attention_shape shape = {
		.layers = 1, .slots = 1 + _i % 2, .heads = 2, .kv_heads = 1, .head_dim = D,
		.max_len = ROWS, .chunk = 128, .scale = 1.0f, .rung = 5, .kv_dtype = type,
	};
	size_t slots = (size_t)shape.slots, bytes = ROWS * D * dtype_bytes(type);
	float q[2 * 2 * D] = { 0 }, k[2 * D], v[2 * D], out[2 * 2 * D];
	unsigned char codes[2 * ROWS * D * 2], wanted[2 * ROWS * D * 2];
	const struct device_options options = { .poison = true };
	struct attention *attention;
	struct device *device;
	uint32_t seed = 5;

	OK(device_open("sim", &options, &device));
	OK(attention_create(&path_ladder, device, &shape, &attention));
	for (int step = 0; step < 2; step++) {
		OK(device_download(device, NULL, attention->cache->v[0], 0, wanted, slots * bytes));
		for (size_t i = 0; i < slots * D; i++) {
			k[i] = cache_noise(&seed);
			v[i] = cache_noise(&seed) * (i % 3 ? 1.0f : i % 2 ? 1e6f : 1e-4f);
			cache_put(type, wanted + i / D * bytes, (size_t)step * D + i % D, v[i]);
		}
		OK(attention_step(attention, &(struct attention_step){
			.q = q, .k = k, .v = v, .out = out }));
		OK(device_download(device, NULL, attention->cache->v[0], 0, codes, slots * bytes));
		ck_assert_mem_eq(codes, wanted, slots * bytes);
	}
	attention_destroy(attention);
	device_close(device);
}
END_TEST

START_TEST(what_does_not_take_them_says_so)
{
	struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = 2, .kv_heads = 1, .head_dim = 64, .max_len = 8,
		.chunk = 128, .scale = 1.0f, .kv_dtype = DTYPE_BF16,
	};

	OK(attention_check(&path_ladder, &shape));
	ck_assert_int_eq(attention_check(&path_flash_decoding, &shape), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "flash-decoding: expected a KV cache of f32, got bf16, which"
			 " needs --path ladder: rungs 5 to 7, 9, 10 and 13 take it");
	shape.rung = 4;
	ck_assert_int_eq(attention_check(&path_ladder, &shape), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "ladder: a KV cache of bf16 has no rung 4; it has 5 to 7, "
			 "9, 10 and 13");
	shape.rung = 11;
	ck_assert_int_eq(attention_check(&path_ladder, &shape), STATUS_USAGE);
	shape.kv_dtype = DTYPE_E4M3;
	OK(attention_check(&path_ladder, &shape));
	shape.rung = 8;
	ck_assert_int_eq(attention_check(&path_ladder, &shape), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "ladder: a KV cache of e4m3 has no rung 8; it has 5 to 7, 9 "
			 "to 11 and 13");
	shape.kv_dtype = DTYPE_F32;
	shape.rung = 7;
	ck_assert_int_eq(attention_check(&path_ladder, &shape), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "ladder: a KV cache of f32 has no rung 7; it has 0 to 6, 9, "
			 "10 and 13");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ladder, narrow caches"), *small = tcase_create("small"),
	      *pairs = tcase_create("pairs"), *equal = tcase_create("equal");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, the_bits_are_those_of_f32, 0, CASES);
	tcase_add_loop_test(tests, tensor_cores_have_the_same_bits_on_all_rungs, 0, CASES);
	tcase_add_test(tests, large_batches_have_pairs_of_blocks);
	tcase_add_loop_test(tests, tensor_cores_are_accurate, 0, CASES);
	tcase_add_loop_test(tests, equal_values_stay_what_they_are, 0, CASES);
	tcase_add_loop_test(tests, a_nan_stays_in_its_rows, 0, TYPES);
	tcase_add_loop_test(tests, an_infinite_key_is_what_it_is_in_float, 0, TYPES - 1);
	tcase_add_test(tests, a_full_block_has_room_for_its_barriers);
	tcase_add_loop_test(tests, scales_are_accurate, 0, FORMS);
	tcase_add_loop_test(tests, new_rows_are_rounded, 0, 2 * TYPES);
	tcase_add_test(tests, what_does_not_take_them_says_so);
	/* For tests/mutants, which run one case: f16, D 80, two query heads; bf16 and e4m3, D 128,
	 * eight of them; e4m3, D 256, where the last tile of a split is late. */
	tcase_set_timeout(small, 120);
	tcase_add_loop_test(small, tensor_cores_are_accurate, SMALL, SMALL + 1);
	tcase_set_timeout(pairs, 120);
	tcase_add_loop_test(pairs, tensor_cores_have_the_same_bits_on_all_rungs, SMALL_PAIRS,
			    SMALL_PAIRS + 1);
	tcase_add_loop_test(pairs, tensor_cores_have_the_same_bits_on_all_rungs, SMALL_LATE,
			    SMALL_LATE + 1);
	tcase_set_timeout(equal, 120);
	tcase_add_loop_test(equal, equal_values_stay_what_they_are, SMALL_PAIRS + 1,
			    SMALL_PAIRS + 2);
	return run_suites("ladder, narrow caches", (TCase *[]){ tests, small, pairs, equal }, 4);
}
