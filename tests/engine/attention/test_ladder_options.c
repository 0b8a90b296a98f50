/* test_ladder_options.c - softcap, windows, sinks and log-sum-exps of the ladder, for each type of
 * cache: the error against float64, and bits: those of a cache of the visible keys alone, of a
 * sequence alone, of both rungs and from graphs.
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>

#include "base/math/narrow_float.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "kernels/head_sizes.h"

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

struct result {
	float *out, *lse;
};

static float noise(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 8) / (float)(1 << 23) - 1.0f;
}

/* Sets element i of a cache, and the number that it then is. */
static void put(enum dtype type, void *codes, float *numbers, size_t i, float x)
{
	char *at = (char *)codes + i * dtype_bytes(type);

	if (type == DTYPE_F32)
		memcpy(at, &x, sizeof x);
	else if (type == DTYPE_E4M3)
		*(uint8_t *)at = narrow_to_e4m3(x);
	else
		*(uint16_t *)(void *)at = type == DTYPE_F16 ? narrow_to_f16(x) : narrow_to_bf16(x);
	numbers[i] = (float)value_real(type, value_load(type, at));
}

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
		.heads = KV_HEADS * groups[number / 5 % GROUPS], .rung = 5 + number / 2 % 2,
		.kv_dtype = types[number / 3 % TYPES], .softcap = choice->softcap,
		.window = choice->window, .sinks = choice->sinks, .lse = true,
	} };
	size_t D = (size_t)b.shape.head_dim, queries = (size_t)(SLOTS * b.shape.heads) * D;
	uint32_t seed = (uint32_t)number + 1;

	b.shape.scale = 4.0f * attention_scale(b.shape.head_dim);
	memcpy(b.lengths, all_lengths, sizeof b.lengths);
	b.q = xcalloc(queries, sizeof *b.q);
	for (size_t i = 0; i < queries; i++)
		b.q[i] = noise(&seed);
	b.k = xcalloc(cache_elements(&b), sizeof *b.k);
	b.v = xcalloc(cache_elements(&b), sizeof *b.v);
	b.k_codes = xcalloc(cache_elements(&b), sizeof(float));
	b.v_codes = xcalloc(cache_elements(&b), sizeof(float));
	for (size_t i = 0; i < cache_elements(&b); i++) {
		put(b.shape.kv_dtype, b.k_codes, b.k, i, noise(&seed));
		put(b.shape.kv_dtype, b.v_codes, b.v, i, noise(&seed));
	}
	for (int h = 0; h < KV_HEADS; h++) {
		b.k_scale[h] = b.shape.kv_dtype == DTYPE_E4M3 ? 0.7f + (float)h : 1.0f;
		b.v_scale[h] = b.shape.kv_dtype == DTYPE_E4M3 ? 1.3f - (float)h : 1.0f;
	}
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

static void free_result(struct result *r)
{
	free(r->out);
	free(r->lse);
}

static bool is_seen(const struct attention_shape *s, int length, int key)
{
	return s->window == 0 || key >= length - s->window || key < s->sinks;
}

/* Keys and values that no query sees become NaN: a kernel may not read one of them. */
static void poison_unseen(struct batch *b)
{
	size_t D = (size_t)b->shape.head_dim;

	for (size_t line = 0; line < SLOTS * KV_HEADS; line++)
		for (int key = 0; key < CAPACITY; key++) {
			int length = b->lengths[line / KV_HEADS];
			size_t at = (line * CAPACITY + (size_t)key) * D;

			if (key < length && is_seen(&b->shape, length, key))
				continue;
			for (size_t d = 0; d < D; d++) {
				put(b->shape.kv_dtype, b->k_codes, b->k, at + d, NAN);
				put(b->shape.kv_dtype, b->v_codes, b->v, at + d, NAN);
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
static struct result attend(const struct batch *b, const struct attention_shape *of, int only,
			    uint64_t seed)
{
	const struct device_options options = { .seed = seed, .poison = true };
	struct attention_shape shape = *of;
	size_t D = (size_t)shape.head_dim, rows = (size_t)(SLOTS * shape.heads);
	size_t slot_bytes = KV_HEADS * CAPACITY * D * dtype_bytes(shape.kv_dtype);
	float *k_new = newest(b, b->k), *v_new = newest(b, b->v);
	struct result r = { xcalloc(rows * D, sizeof(float)), xcalloc(rows, sizeof(float)) };
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

/* Attention of a row in double; returns its log-sum-exp. */
static double exact_row(const struct batch *b, int slot, int head, double *out)
{
	const struct attention_shape *s = &b->shape;
	size_t D = (size_t)s->head_dim, kv_head = (size_t)(head / (s->heads / KV_HEADS));
	size_t cache = ((size_t)slot * KV_HEADS + kv_head) * CAPACITY * D;
	const float *q = b->q + (size_t)(slot * s->heads + head) * D;
	double score[CAPACITY], max = -INFINITY, sum = 0.0;

	for (int key = 0; key < b->lengths[slot]; key++) {
		score[key] = -INFINITY;
		if (!is_seen(s, b->lengths[slot], key))
			continue;
		score[key] = 0.0;
		for (size_t d = 0; d < D; d++)
			score[key] += (double)q[d] * b->k[cache + (size_t)key * D + d];
		score[key] *= (double)s->scale * b->k_scale[kv_head];
		if (s->softcap != 0.0f)
			score[key] = s->softcap * tanh(score[key] / s->softcap);
		max = fmax(max, score[key]);
	}
	memset(out, 0, D * sizeof *out);
	for (int key = 0; key < b->lengths[slot]; key++) {
		double weight = exp(score[key] - max);

		sum += weight;
		for (size_t d = 0; d < D && weight != 0.0; d++)
			out[d] += weight * b->v_scale[kv_head] * b->v[cache + (size_t)key * D + d];
	}
	for (size_t d = 0; d < D && sum != 0.0; d++)
		out[d] /= sum;
	return sum == 0.0 ? -INFINITY : max + log(sum);
}

/* Sums of at most 256 products and 1,000 terms in float, of numbers below 2. */
#define MAX_ERROR 0x1p-17

START_TEST(results_are_accurate)
{
	struct batch b = batch_of(_i);
	size_t D = (size_t)b.shape.head_dim;
	struct result r;
	double exact[256];

	poison_unseen(&b);
	r = attend(&b, &b.shape, -1, (uint64_t)_i);
	for (int row = 0; row < SLOTS * b.shape.heads; row++) {
		int slot = row / b.shape.heads;
		double lse = exact_row(&b, slot, row % b.shape.heads, exact);

		ck_assert_msg(isinf(lse) ? r.lse[row] == -INFINITY
			      : fabs(r.lse[row] - lse) < MAX_ERROR * fmax(1.0, fabs(lse)),
			      "case %d, slot %d, row %d: log-sum-exp %.9g, not %.9g", _i, slot,
			      row, r.lse[row], lse);
		for (size_t d = 0; d < D; d++)
			ck_assert_msg(fabs(r.out[(size_t)row * D + d] - exact[d]) < MAX_ERROR,
				      "case %d, slot %d, row %d: element %zu is %.9g, not %.9g", _i,
				      slot, row, d, r.out[(size_t)row * D + d], exact[d]);
	}
	free_result(&r);
	free_batch(&b);
}
END_TEST

/* --- bits --- */

static void expect_rows(const struct batch *b, const struct result *wanted,
			const struct result *got, int only, const char *what)
{
	size_t D = (size_t)b->shape.head_dim, H = (size_t)b->shape.heads;

	for (size_t row = 0; row < SLOTS * H; row++) {
		if (only >= 0 && row / H != (size_t)only)
			continue;
		ck_assert_msg(!memcmp(wanted->lse + row, got->lse + row, sizeof(float))
			      && !memcmp(wanted->out + row * D, got->out + row * D,
					 D * sizeof(float)),
			      "%s, D %zu, %zu heads: %s: row %zu differs",
			      dtype_name(b->shape.kv_dtype), D, H, what, row);
	}
}

START_TEST(bits_do_not_depend_on_the_way)
{
	struct batch b = batch_of(_i);
	struct attention_shape other = b.shape;
	struct result wanted = attend(&b, &b.shape, -1, 0), got;

	other.rung = 11 - b.shape.rung;
	got = attend(&b, &other, -1, 3);
	expect_rows(&b, &wanted, &got, -1, "on the other rung");
	free_result(&got);
	got = attend(&b, &b.shape, _i % SLOTS, 5);
	expect_rows(&b, &wanted, &got, _i % SLOTS, "alone");
	free_result(&got);
	other.graph = _i % 2 ? GRAPH_CAPTURE : GRAPH_MANUAL;
	got = attend(&b, &other, -1, 0);
	expect_rows(&b, &wanted, &got, -1, "from a graph");
	free_result(&got);
	free_result(&wanted);
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
			if (!is_seen(&b->shape, length, key))
				continue;
			for (size_t h = 0; h < KV_HEADS; h++)
				for (size_t d = 0; d < D; d++) {
					size_t head = ((size_t)slot * KV_HEADS + h) * CAPACITY;
					size_t to = (head + (size_t)seen) * D + d;
					size_t from = (head + (size_t)key) * D + d;

					put(type, b->k_codes, b->k, to, b->k[from]);
					put(type, b->v_codes, b->v, to, b->v[from]);
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
	struct result wanted, got = attend(&b, &b.shape, -1, 0);

	keep_seen(&b);
	plain.window = plain.sinks = 0;
	plain.lse = plain.softcap != 0.0f;
	wanted = attend(&b, &plain, -1, 0);
	if (!plain.lse)
		memcpy(wanted.lse, got.lse, (size_t)(SLOTS * b.shape.heads) * sizeof(float));
	expect_rows(&b, &wanted, &got, -1, "the keys of the window alone");
	free_result(&wanted);
	free_result(&got);
	free_batch(&b);
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
	s.rung = 9;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: rung 9 has no softcap, window, sinks, log-sum-exp or pages, which rungs 5, "
	      "6 and 13 have");
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
	tcase_add_loop_test(tests, bits_do_not_depend_on_the_way, 0, CHOICES);
	tcase_add_loop_test(tests, a_window_has_the_bits_of_its_keys, 0, 2 * CHOICES);
	tcase_add_test(tests, wrong_options_are_refused);
	/* f16, a softcap of 3, 7 keys and 1 sink: for tests/mutants. */
	tcase_set_timeout(small, 120);
	tcase_add_loop_test(small, results_are_accurate, 4, 5);
	return run_suites("ladder, options", (TCase *[]){ tests, small }, 2);
}
