/* test_ladder_options.c - softcap, windows, sinks and log-sum-exps of the ladder, for each type of
 * cache: the error against float64, and bits: those of a cache of the visible keys alone, of a
 * sequence alone, of all rungs and from graphs.
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/attention/ladder_shape.h"
#include "engine/attention/path.h"
#include "kernels/head_sizes.h"
#include "tests/ladder_cache.h"

static const enum dtype types[] = { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_E4M3 };
static const int dims[] = { HEAD_SIZES };
static const int groups[] = { 1, 2, 3, 4, 6, 7, 8, 16 };
/* Softcap, window and sinks: tiles and splits that begin and end with either, one key, all keys. */
static const struct choice {
	float softcap;
	int window, sinks;
} choices[] = {
	{ 0.75f, 0, 0 }, { 0, 1, 0 }, { 0, 128, 4 }, { 0, 100, 130 }, { 3.0f, 7, 1 },
	{ 50.0f, 300, 16 }, { 0, 999, 0 }, { 0, INT32_MAX, 2 },
};
enum { TYPES = 4, GROUPS = 8, CHOICES = 8, CASES = GROUPS * 5 };
_Static_assert((int)HEAD_SIZE_COUNT == 5, "each head size has each group");
enum { SLOTS = 7, KV_HEADS = 2, CAPACITY = 1024 };
static const int all_lengths[SLOTS] = { 1000, 0, 1, 7, 127, 128, 129 };

struct batch {
	struct attention_shape shape;
	int lengths[SLOTS];
	float *q, *k, *v;               /* what the caches hold, before scales */
	void *k_codes, *v_codes;
	float k_scale[KV_HEADS], v_scale[KV_HEADS];
};

static size_t cache_elements(const struct batch *b)
{
	return (size_t)SLOTS * KV_HEADS * CAPACITY * (size_t)b->shape.head_dim;
}

static struct batch batch_of(int number)
{
	const struct choice *choice = &choices[number % CHOICES];
	struct batch b = { .shape = {
		.layers = 1, .slots = SLOTS, .kv_heads = KV_HEADS, .max_len = CAPACITY,
		.chunk = 128, .head_dim = dims[number % 5],
		.heads = KV_HEADS * groups[number / 5 % GROUPS],
		.kv_dtype = types[number / 3 % TYPES],
		.rung = ladder_rung_of(types[number / 3 % TYPES], number),
		.softcap = choice->softcap,
		.window = choice->window, .sinks = choice->sinks, .lse = true,
	} };
	size_t D = (size_t)b.shape.head_dim, queries = (size_t)(SLOTS * b.shape.heads) * D;
	uint32_t seed = (uint32_t)number + 1;

	b.shape.scale = 4.0f * attention_scale(b.shape.head_dim);
	memcpy(b.lengths, all_lengths, sizeof b.lengths);
	b.q = xcalloc(queries, sizeof *b.q);
	for (size_t i = 0; i < queries; i++)
		b.q[i] = cache_noise(&seed);
	b.k = xcalloc(cache_elements(&b), sizeof *b.k);
	b.v = xcalloc(cache_elements(&b), sizeof *b.v);
	b.k_codes = xcalloc(cache_elements(&b), sizeof(float));
	b.v_codes = xcalloc(cache_elements(&b), sizeof(float));
	for (size_t i = 0; i < cache_elements(&b); i++) {
		b.k[i] = cache_put(b.shape.kv_dtype, b.k_codes, i, cache_noise(&seed));
		b.v[i] = cache_put(b.shape.kv_dtype, b.v_codes, i, cache_noise(&seed));
	}
	cache_scales(b.shape.kv_dtype, b.k_scale, b.v_scale);
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

/* Keys and values that no query sees become NaN: a kernel may not read one of them. */
static void poison_unseen(struct batch *b)
{
	enum dtype type = b->shape.kv_dtype;
	size_t D = (size_t)b->shape.head_dim;

	for (size_t line = 0; line < SLOTS * KV_HEADS; line++)
		for (int key = 0; key < CAPACITY; key++) {
			int length = b->lengths[line / KV_HEADS];
			size_t at = (line * CAPACITY + (size_t)key) * D;

			if (cache_is_seen(&b->shape, length, key))
				continue;
			for (size_t d = 0; d < D; d++) {
				b->k[at + d] = cache_put(type, b->k_codes, at + d, NAN);
				b->v[at + d] = cache_put(type, b->v_codes, at + d, NAN);
			}
		}
}

/* The newest key of each sequence. */
static float *newest(const struct batch *b, const float *cache)
{
	size_t D = (size_t)b->shape.head_dim;
	float *rows = xcalloc(SLOTS * KV_HEADS * D, sizeof *rows);

	for (size_t line = 0; line < SLOTS * KV_HEADS; line++)
		for (size_t d = 0; d < D && b->lengths[line / KV_HEADS] > 0; d++)
			rows[line * D + d] = cache[(line * CAPACITY
				+ (size_t)b->lengths[line / KV_HEADS] - 1) * D + d];
	return rows;
}

/* Runs one step. Slots other than `only` are done; -1: none. */
static struct ladder_result attend(const struct batch *b, const struct attention_shape *of,
				   int only, uint64_t seed)
{
	const struct device_options options = { .seed = seed, .poison = true };
	struct attention_shape shape = *of;
	size_t D = (size_t)shape.head_dim;
	size_t slot_bytes = KV_HEADS * CAPACITY * D * dtype_bytes(shape.kv_dtype);
	float *k_new = newest(b, b->k), *v_new = newest(b, b->v);
	struct ladder_result r = ladder_result_new(&shape);
	struct attention *attention;
	struct device *device;
	bool done[SLOTS];

	if (shape.kv_dtype == DTYPE_E4M3) {
		shape.k_scale = b->k_scale;
		shape.v_scale = b->v_scale;
	}
	OK(device_open("sim", &options, &device));
	OK(attention_create(&path_ladder, device, &shape, &attention));
	for (int slot = 0; slot < SLOTS; slot++) {
		done[slot] = b->lengths[slot] == 0 || (only >= 0 && slot != only);
		if (b->lengths[slot] > 1 && !done[slot])
			OK(kv_cache_load(attention->cache, 0, slot,
					 (const char *)b->k_codes + (size_t)slot * slot_bytes,
					 (const char *)b->v_codes + (size_t)slot * slot_bytes,
					 b->lengths[slot] - 1, CAPACITY));
	}
	OK(attention_step(attention, &(struct attention_step){
		.q = b->q, .k = k_new, .v = v_new, .done = done, .out = r.out,
		.lse = shape.lse ? r.lse : NULL }));
	attention_destroy(attention);
	device_close(device);
	free(k_new);
	free(v_new);
	return r;
}

/* --- the error --- */

START_TEST(results_are_accurate)
{
	struct batch b = batch_of(_i);
	const struct ladder_numbers numbers = {
		&b.shape, b.lengths, CAPACITY, b.q, b.k, b.v, b.k_scale, b.v_scale,
	};
	struct ladder_result r;

	poison_unseen(&b);
	r = attend(&b, &b.shape, -1, (uint64_t)_i);
	ladder_expect_accurate(&numbers, &r, _i);
	ladder_result_free(&r);
	free_batch(&b);
}
END_TEST

/* --- bits --- */

/* What the lowest rungs give, of each type of arithmetic. */
struct wanted {
	struct ladder_result direct, tensor;
};

/* Compares a step on a rung with the lowest one that has its bits; the rows of slot `only`. */
static void expect_bits(const struct batch *b, const struct wanted *wanted, int rung,
			enum graph_mode graph, int only, const char *way)
{
	struct attention_shape shape = b->shape;
	int of = ladder_bits_of(shape.kv_dtype, rung);
	struct ladder_result got;
	char what[80];

	if (of == 0)
		return;
	shape.rung = rung;
	shape.graph = graph;
	got = attend(b, &shape, only, (uint64_t)rung);
	snprintf(what, sizeof what, "rung %d %s, against rung %d", rung, way, of);
	ladder_expect_same(&shape, of == 7 ? &wanted->tensor : &wanted->direct, &got, only, what);
	ladder_result_free(&got);
}

/* All rungs and the table's choice; of these in turn one sequence alone, and a graph. */
START_TEST(bits_do_not_depend_on_the_way)
{
	struct batch b = batch_of(_i);
	struct attention_shape shape = b.shape;
	bool narrow = shape.kv_dtype != DTYPE_F32;
	struct wanted wanted;

	shape.rung = 5;
	wanted.direct = attend(&b, &shape, -1, 0);
	shape.rung = narrow ? 7 : 6;
	wanted.tensor = attend(&b, &shape, -1, 0);
	for (int i = 1; i < LADDER_RUNGS; i++)
		if (ladder_rungs[i] != 7)
			expect_bits(&b, &wanted, ladder_rungs[i], GRAPH_NONE, -1, "in a batch");
	expect_bits(&b, &wanted, ladder_rungs[_i % LADDER_RUNGS], GRAPH_NONE, _i % SLOTS, "alone");
	expect_bits(&b, &wanted, ladder_rungs[(_i + 2) % LADDER_RUNGS],
		    _i % 2 ? GRAPH_CAPTURE : GRAPH_MANUAL, -1, "from a graph");
	ladder_result_free(&wanted.direct);
	ladder_result_free(&wanted.tensor);
	free_batch(&b);
}
END_TEST

/* Moves the keys that are seen to the front, and counts these alone. */
static void keep_seen(struct batch *b)
{
	enum dtype type = b->shape.kv_dtype;
	size_t D = (size_t)b->shape.head_dim;

	for (int slot = 0; slot < SLOTS; slot++) {
		int length = b->lengths[slot], seen = 0;

		for (int key = 0; key < length; key++) {
			if (!cache_is_seen(&b->shape, length, key))
				continue;
			for (size_t h = 0; h < KV_HEADS; h++)
				for (size_t d = 0; d < D; d++) {
					size_t head = ((size_t)slot * KV_HEADS + h) * CAPACITY;
					size_t to = (head + (size_t)seen) * D + d;
					size_t from = (head + (size_t)key) * D + d;

					b->k[to] = cache_put(type, b->k_codes, to, b->k[from]);
					b->v[to] = cache_put(type, b->v_codes, to, b->v[from]);
				}
			seen++;
		}
		b->lengths[slot] = seen;
	}
}

/* A window and sinks have the bits of a cache that holds no other keys; and without a softcap those
 * of the kernels that have no options. */
START_TEST(a_window_has_the_bits_of_its_keys)
{
	struct batch b = batch_of(_i);
	struct attention_shape plain = b.shape;
	struct ladder_result wanted, got = attend(&b, &b.shape, -1, 0);

	keep_seen(&b);
	plain.window = plain.sinks = 0;
	plain.lse = plain.softcap != 0.0f;
	wanted = attend(&b, &plain, -1, 0);
	if (!plain.lse)
		memcpy(wanted.lse, got.lse, (size_t)(SLOTS * b.shape.heads) * sizeof(float));
	ladder_expect_same(&b.shape, &wanted, &got, -1, "the keys of the window alone");
	ladder_result_free(&wanted);
	ladder_result_free(&got);
	free_batch(&b);
}
END_TEST

/* --- the table --- */

/* Rung 13 has a plan where it has one without options; a window is as long as what it sees. */
START_TEST(the_table_has_options)
{
	static const struct {
		enum dtype kv_dtype;
		int slots, group, max_len, window, rung;
	} cases[] = {
		{ DTYPE_F32, 1, 4, 1024, 0, 9 }, { DTYPE_F32, 1, 8, 1024, 0, 9 },
		{ DTYPE_F32, 1, 4, 4096, 0, 9 }, { DTYPE_F32, 32, 4, 1024, 0, 10 },
		{ DTYPE_F32, 32, 4, 4096, 0, 10 }, { DTYPE_F32, 32, 4, 16384, 0, 10 },
		{ DTYPE_F32, 32, 4, 65536, 0, 10 }, { DTYPE_BF16, 1, 8, 1024, 0, 9 },
		{ DTYPE_E4M3, 1, 4, 131072, 0, 9 }, { DTYPE_E4M3, 1, 4, 131073, 0, 9 },
		{ DTYPE_F32, 1, 4, 65536, 1000, 9 }, { DTYPE_F32, 1, 4, 65536, INT32_MAX, 9 },
		{ DTYPE_F32, 32, 16, 65536, 0, 9 },
		{ DTYPE_F32, 32, 16, 65536, 1000, 9 }, { DTYPE_BF16, 1, 4, 4096, 0, 9 },
		{ DTYPE_BF16, 32, 4, 65536, 0, 7 }, { DTYPE_F16, 32, 4, 65536, 1000, 10 },
		{ DTYPE_E4M3, 32, 4, 65536, 0, 9 }, { DTYPE_E4M3, 32, 4, 65536, 1000, 10 },
	};
	const struct device_info info = { .compute_major = 9, .multiprocessors = 132 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct attention_shape s = {
			.layers = 1, .slots = cases[i].slots, .kv_heads = 8,
			.heads = 8 * cases[i].group, .head_dim = 128, .chunk = 128, .scale = 1.0f,
			.max_len = cases[i].max_len, .kv_dtype = cases[i].kv_dtype,
			.softcap = 2.0f, .window = cases[i].window,
			.sinks = cases[i].window ? 4 : 0,
		};

		OK(attention_check(&path_ladder, &s));
		ck_assert_msg(ladder_rung(&s) == cases[i].rung, "case %zu: rung %d, not %d", i,
			      ladder_rung(&s), cases[i].rung);
		ck_assert(ladder_form(&s, &info) == LADDER_SINGLE);
	}
}
END_TEST

/* --- errors --- */

START_TEST(wrong_options_are_refused)
{
	const struct attention_shape good = {
		.layers = 1, .slots = 1, .heads = 2, .kv_heads = 1, .head_dim = 64, .max_len = 8,
		.chunk = 128, .scale = 1.0f,
	};
	struct attention_shape s = good;

	s.softcap = 2.0f;
	FAILS(attention_check(&path_flash_decoding, &s), STATUS_USAGE,
	      "flash-decoding: a softcap needs --path ladder");
	OK(attention_check(&path_ladder, &s));
	s.rung = 4;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: rung 4 has no softcap, window, sinks, log-sum-exp, pages or several "
	      "queries, which rungs from 5 up have");
	s = good;
	s.softcap = -1.5f;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: expected a finite softcap above 0, got -1.5");
	s.softcap = NAN;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE, "softcap above 0, got nan");
	s = good;
	s.sinks = 4;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: 4 sinks need a window: without one all keys are visible");
	s.window = -3;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: expected a window and sinks of 0 or more keys, got -3 and 4");
	s = good;
	s.lse = true;
	FAILS(attention_check(&path_incremental, &s), STATUS_USAGE,
	      "incremental: log-sum-exp needs --path ladder");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ladder, options"), *small = tcase_create("small");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, results_are_accurate, 0, CASES);
	tcase_add_loop_test(tests, bits_do_not_depend_on_the_way, 0, CASES);
	tcase_add_loop_test(tests, a_window_has_the_bits_of_its_keys, 0, 2 * CHOICES);
	tcase_add_test(tests, the_table_has_options);
	tcase_add_test(tests, wrong_options_are_refused);
	/* f16, rungs 5, 9 and 10, a softcap, and 7 keys and 1 sink, or 300 and 16: for
	 * tests/mutants. */
	tcase_set_timeout(small, 120);
	tcase_add_loop_test(small, results_are_accurate, 4, 5);
	tcase_add_loop_test(small, results_are_accurate, 28, 30);
	return run_suites("ladder, options", (TCase *[]){ tests, small }, 2);
}
