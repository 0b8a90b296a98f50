/* test_ladder_pages.c - keys and values in pages on all rungs, for each type of cache: the bits
 * of a cache whose rows follow each other, the error against float64, and wrong tables.
 */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "kernels/head_sizes.h"
#include "tests/ladder_cache.h"

static const enum dtype types[] = { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_E4M3 };
static const int dims[] = { HEAD_SIZES };
static const int groups[] = { 1, 2, 3, 7, 16 };
/* Rows of a page: less than a tile, tiles and splits that end in a page or with one, one page. */
static const int page_rows[] = { 1, 3, 8, 16, 17, 64, 128, 300 };
/* Window and sinks. */
static const struct choice {
	float softcap;
	int window, sinks;
} choices[] = { { 0, 0, 0 }, { 0, 100, 4 }, { 3.0f, 0, 0 }, { 2.0f, 7, 20 }, { 0, 0, 0 } };
enum { TYPES = 4, SIZES = 5, GROUPS = 5, ROWS = 8, CHOICES = 5, CASES = 40, SMALL = 23 };
enum { SLOTS = 5, KV_HEADS = 2, MAX_KEYS = 300, SHARED_KEYS = 130, SPARE = 3 };
_Static_assert((int)HEAD_SIZE_COUNT == SIZES, "each head size has each group");
static const int lengths[SLOTS] = { 300, 0, 1, 131, 128 };

/* A batch as rows that follow each other, and the same one in pages. */
struct batch {
	struct attention_shape shape;   /* with pages */
	float *q, *k, *v;               /* k, v: [SLOTS, KV_HEADS, MAX_KEYS, D], as numbers */
	void *k_codes, *v_codes;
	void *k_pool, *v_pool;          /* [pool, KV_HEADS, rows, D] */
	int32_t *table;                 /* [SLOTS, each] */
	float k_scale[KV_HEADS], v_scale[KV_HEADS];
};

/* --- a batch --- */

static size_t row_at(const struct batch *b, size_t line, size_t key)
{
	return (line * MAX_KEYS + key) * (size_t)b->shape.head_dim;
}

/* The last sequence but one begins with keys of the first. */
static void fill_rows(struct batch *b, const float *from, float *numbers, void *codes,
		      uint32_t *seed)
{
	size_t D = (size_t)b->shape.head_dim;

	for (size_t line = 0; line < SLOTS * KV_HEADS; line++)
		for (size_t key = 0; key < MAX_KEYS; key++) {
			size_t at = row_at(b, line, key);
			bool same = line / KV_HEADS == 3 && key < SHARED_KEYS;
			const float *row = from + row_at(b, line % KV_HEADS, key);

			for (size_t d = 0; d < D; d++)
				numbers[at + d] = cache_put(b->shape.kv_dtype, codes, at + d,
							    same ? row[d] : cache_noise(seed));
		}
}

/* Whether a query sees a row of part `part` of a sequence. */
static bool is_used(const struct batch *b, int slot, int part)
{
	int rows = b->shape.pages.rows;

	for (int key = part * rows; key < (part + 1) * rows; key++)
		if (cache_is_seen(&b->shape, lengths[slot], key))
			return true;
	return false;
}

/* Gives each part that is used a page of its own, in a random order, except that whole pages of
 * SHARED_KEYS keys are those of the first sequence. Other entries are none of the pool. */
static void fill_table(struct batch *b, uint32_t *seed)
{
	const struct kv_pages *p = &b->shape.pages;
	int *order = xcalloc((size_t)p->pool, sizeof *order), next = 0;

	for (int i = 0; i < p->pool; i++) {
		int other = (int)((cache_noise(seed) + 1.0f) / 2.0f * (float)(i + 1)) % (i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	for (int slot = 0; slot < SLOTS; slot++)
		for (int part = 0; part < p->each; part++) {
			int32_t *entry = b->table + slot * p->each + part;

			if (!is_used(b, slot, part))
				*entry = part % 2 ? -1 : INT32_MAX;
			else if (slot == 3 && (part + 1) * p->rows <= SHARED_KEYS
				 && is_used(b, 0, part))
				*entry = b->table[part];
			else
				*entry = order[next++];
		}
	free(order);
}

/* All rows that no query sees are NaN. */
static void fill_pools(struct batch *b)
{
	const struct kv_pages *p = &b->shape.pages;
	enum dtype type = b->shape.kv_dtype;
	size_t D = (size_t)b->shape.head_dim, row = D * dtype_bytes(type);
	size_t count = (size_t)(p->pool * KV_HEADS * p->rows) * D;

	b->k_pool = xcalloc(count, sizeof(float));
	b->v_pool = xcalloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++) {
		cache_put(type, b->k_pool, i, NAN);
		cache_put(type, b->v_pool, i, NAN);
	}
	for (int line = 0; line < SLOTS * KV_HEADS; line++)
		for (int key = 0; key < MAX_KEYS; key++) {
			int slot = line / KV_HEADS;
			size_t from = row_at(b, (size_t)line, (size_t)key) * dtype_bytes(type), to;

			if (!cache_is_seen(&b->shape, lengths[slot], key))
				continue;
			to = (size_t)b->table[slot * p->each + key / p->rows];
			to = ((to * KV_HEADS + (size_t)(line % KV_HEADS)) * (size_t)p->rows
			      + (size_t)(key % p->rows)) * row;
			memcpy((char *)b->k_pool + to, (char *)b->k_codes + from, row);
			memcpy((char *)b->v_pool + to, (char *)b->v_codes + from, row);
		}
}

static struct batch batch_of(int number)
{
	const struct choice *choice = &choices[number % CHOICES];
	int rows = page_rows[(number + number / ROWS) % ROWS], each = (MAX_KEYS + rows - 1) / rows;
	struct batch b = { .shape = {
		.layers = 1, .slots = SLOTS, .kv_heads = KV_HEADS, .max_len = rows * each,
		.chunk = 128, .head_dim = dims[(number + number / 5) % SIZES],
		.heads = KV_HEADS * groups[number / 3 % GROUPS],
		.kv_dtype = types[number / 4 % TYPES],
		.rung = ladder_rung_of(types[number / 4 % TYPES], number),
		.softcap = choice->softcap,
		.window = choice->window, .sinks = choice->sinks, .lse = number % 3 > 0,
		.pages = { .rows = rows, .pool = SLOTS * each + SPARE, .each = each },
	} };
	size_t D = (size_t)b.shape.head_dim, queries = (size_t)(SLOTS * b.shape.heads) * D;
	size_t elements = (size_t)SLOTS * KV_HEADS * MAX_KEYS * D;
	uint32_t seed = (uint32_t)number + 1;

	b.shape.scale = 4.0f * attention_scale(b.shape.head_dim);
	b.q = xcalloc(queries, sizeof *b.q);
	for (size_t i = 0; i < queries; i++)
		b.q[i] = cache_noise(&seed);
	b.k = xcalloc(elements, sizeof *b.k);
	b.v = xcalloc(elements, sizeof *b.v);
	b.k_codes = xcalloc(elements, sizeof(float));
	b.v_codes = xcalloc(elements, sizeof(float));
	fill_rows(&b, b.k, b.k, b.k_codes, &seed);
	fill_rows(&b, b.v, b.v, b.v_codes, &seed);
	b.table = xcalloc((size_t)(SLOTS * each), sizeof *b.table);
	b.shape.pages.table = b.table;
	fill_table(&b, &seed);
	fill_pools(&b);
	cache_scales(b.shape.kv_dtype, b.k_scale, b.v_scale);
	return b;
}

static void free_batch(struct batch *b)
{
	void *all[] = { b->q, b->k, b->v, b->k_codes, b->v_codes, b->k_pool, b->v_pool, b->table };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

/* --- one step --- */

/* Loads what comes before the newest keys, and gives these to append. */
static void load_rows(const struct batch *b, struct attention *a, float *k_new, float *v_new)
{
	size_t D = (size_t)b->shape.head_dim, bytes = dtype_bytes(b->shape.kv_dtype);

	for (int slot = 0; slot < SLOTS; slot++) {
		size_t from = row_at(b, (size_t)(slot * KV_HEADS), 0);

		if (lengths[slot] > 1)
			OK(kv_cache_load(a->cache, 0, slot, (char *)b->k_codes + from * bytes,
					 (char *)b->v_codes + from * bytes, lengths[slot] - 1,
					 MAX_KEYS));
		for (size_t h = 0; h < KV_HEADS && lengths[slot] > 0; h++) {
			size_t line = (size_t)slot * KV_HEADS + h;
			size_t at = row_at(b, line, (size_t)lengths[slot] - 1);

			memcpy(k_new + line * D, b->k + at, D * sizeof *k_new);
			memcpy(v_new + line * D, b->v + at, D * sizeof *v_new);
		}
	}
}

static void load_pages(const struct batch *b, struct attention *a)
{
	OK(kv_cache_load_pools(a->cache, 0, b->k_pool, b->v_pool));
	for (int slot = 0; slot < SLOTS; slot++)
		kv_cache_set_length(a->cache, 0, slot, lengths[slot]);
}

static struct ladder_result attend(const struct batch *b, const struct attention_shape *of,
				   uint64_t seed)
{
	const struct device_options options = { .seed = seed, .poison = true };
	struct attention_shape shape = *of;
	size_t D = (size_t)shape.head_dim;
	float *k_new = xcalloc(SLOTS * KV_HEADS * D, sizeof *k_new);
	float *v_new = xcalloc(SLOTS * KV_HEADS * D, sizeof *v_new);
	struct ladder_result r = ladder_result_new(&shape);
	bool pages = shape.pages.rows > 0, done[SLOTS];
	struct attention *attention;
	struct device *device;

	if (shape.kv_dtype == DTYPE_E4M3) {
		shape.k_scale = b->k_scale;
		shape.v_scale = b->v_scale;
	}
	OK(device_open("sim", &options, &device));
	OK(attention_create(&path_ladder, device, &shape, &attention));
	if (pages)
		load_pages(b, attention);
	else
		load_rows(b, attention, k_new, v_new);
	for (int slot = 0; slot < SLOTS; slot++)
		done[slot] = lengths[slot] == 0;
	OK(attention_step(attention, &(struct attention_step){
		.q = b->q, .k = pages ? NULL : k_new, .v = pages ? NULL : v_new,
		.done = pages ? NULL : done, .out = r.out, .lse = shape.lse ? r.lse : NULL }));
	attention_destroy(attention);
	device_close(device);
	free(k_new);
	free(v_new);
	return r;
}

/* --- bits --- */

/* All rungs, against rows that follow each other on the lowest one that has the same bits. */
START_TEST(pages_have_the_bits_of_rows)
{
	struct batch b = batch_of(_i);
	struct ladder_result wanted = { NULL, NULL };
	int last = 0;

	for (int i = 0; i < LADDER_RUNGS; i++) {
		int of = ladder_bits_of(b.shape.kv_dtype, ladder_rungs[i]);
		struct attention_shape plain = b.shape, shape = b.shape;
		struct ladder_result got;
		char what[80];

		if (of == 0)
			continue;
		if (of != last) {
			ladder_result_free(&wanted);
			plain.pages = (struct kv_pages){ 0 };
			plain.max_len = MAX_KEYS;
			plain.rung = last = of;
			wanted = attend(&b, &plain, 0);
		}
		shape.rung = ladder_rungs[i];
		shape.graph = (_i + i) % 3 == 0 ? GRAPH_CAPTURE : (_i + i) % 3 == 1 ? GRAPH_MANUAL
			: GRAPH_NONE;
		got = attend(&b, &shape, (uint64_t)(_i + i));
		snprintf(what, sizeof what, "rung %d, against rows that follow each other",
			 shape.rung);
		ladder_expect_same(&b.shape, &wanted, &got, -1, what);
		ladder_result_free(&got);
	}
	ladder_result_free(&wanted);
	free_batch(&b);
}
END_TEST

/* --- the error --- */

START_TEST(pages_are_accurate)
{
	struct batch b = batch_of(_i);
	const struct ladder_numbers numbers = {
		&b.shape, lengths, MAX_KEYS, b.q, b.k, b.v, b.k_scale, b.v_scale,
	};
	struct ladder_result r = attend(&b, &b.shape, (uint64_t)_i);

	ladder_expect_accurate(&numbers, &r, _i);
	ladder_result_free(&r);
	free_batch(&b);
}
END_TEST

/* --- errors --- */

enum { POOL = 6, EACH = 3, PAGE = 4, HEAD_SIZE = 64 };

/* A step of one sequence of 12 keys at most, with these pages. */
static enum status step_with(const int32_t table[EACH], int keys, int window, int sinks)
{
	const struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = 1, .kv_heads = 1, .head_dim = HEAD_SIZE,
		.max_len = EACH * PAGE, .chunk = 128, .scale = 1.0f, .window = window,
		.sinks = sinks, .pages = { PAGE, POOL, EACH, table },
	};
	static float pool[POOL * PAGE * HEAD_SIZE];
	float q[HEAD_SIZE] = { 1.0f }, out[HEAD_SIZE];
	struct attention *attention;
	struct device *device;
	enum status status;

	OK(device_open("sim", NULL, &device));
	OK(attention_create(&path_ladder, device, &shape, &attention));
	OK(kv_cache_load_pools(attention->cache, 0, pool, pool));
	kv_cache_set_length(attention->cache, 0, 0, keys);
	status = attention_step(attention, &(struct attention_step){ .q = q, .out = out });
	attention_destroy(attention);
	device_close(device);
	return status;
}

START_TEST(pages_outside_of_the_pool_are_refused)
{
	const int32_t past[] = { 0, POOL, 2 }, before[] = { 0, 1, -1 }, last[] = { POOL - 1, 9, 9 };

	FAILS(step_with(past, 5, 0, 0), STATUS_USAGE,
	      "sequence 0, page 1: expected a page of the pool, 0 to 5, got 6");
	OK(step_with(past, 4, 0, 0));
	FAILS(step_with(before, 12, 0, 0), STATUS_USAGE,
	      "sequence 0, page 2: expected a page of the pool, 0 to 5, got -1");
	OK(step_with(before, 8, 0, 0));
	OK(step_with(last, 4, 0, 0));
	OK(step_with(last, 0, 0, 0));
	/* Keys 4 to 7 are between the sinks and the window. */
	OK(step_with(past, 12, 4, 4));
	FAILS(step_with(past, 12, 4, 5), STATUS_USAGE, "page 1: expected a page of the pool");
	FAILS(step_with(past, 12, 5, 4), STATUS_USAGE, "page 1: expected a page of the pool");
	FAILS(step_with(past, 12, 5, 0), STATUS_USAGE, "page 1: expected a page of the pool");
}
END_TEST

START_TEST(wrong_pages_are_refused)
{
	static const int32_t table[EACH];
	const struct attention_shape good = {
		.layers = 1, .slots = 1, .heads = 2, .kv_heads = 2, .head_dim = 64,
		.max_len = EACH * PAGE, .chunk = 128, .scale = 1.0f,
		.pages = { PAGE, POOL, EACH, table },
	};
	struct attention_shape s = good;

	OK(attention_check(&path_ladder, &s));
	FAILS(attention_check(&path_flash_decoding, &s), STATUS_USAGE,
	      "flash-decoding: a page table needs --path ladder");
	s.rung = 4;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: rung 4 has no softcap, window, sinks, log-sum-exp, pages or several "
	      "queries, which rungs from 5 up have");
	s = good;
	s.max_len++;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: 3 pages of 4 rows are not the capacity of 13 keys");
	s = good;
	s.pages.pool = 0;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE, "got 4, 0 and 3");
	s.pages.pool = 1 << 28;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "pages of 4 rows for 2 KV heads are more than 2147483647 rows");
	s.pages.pool = (1 << 28) - 1;
	OK(attention_check(&path_ladder, &s));
	s = good;
	s.pages.table = NULL;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "pages of 4 rows need a page table");
	s = good;
	s.max_len = INT32_MAX;
	s.pages.rows = 1;
	s.pages.each = INT32_MAX;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "2147483647 pages of 1 rows are more than 2147483519 keys");
}
END_TEST

START_TEST(prompts_are_refused)
{
	static const int32_t table[EACH];
	const struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = 1, .kv_heads = 1, .head_dim = 64,
		.max_len = EACH * PAGE, .chunk = 128, .scale = 1.0f,
		.pages = { PAGE, POOL, EACH, table },
	};
	float row[64] = { 0 };
	struct attention *attention;
	struct device *device;

	OK(device_open("sim", NULL, &device));
	OK(attention_create(&path_ladder, device, &shape, &attention));
	FAILS(attention_prefill(attention, &(struct attention_prompt){
		.rows = 1, .q = row, .k = row, .v = row, .out = row }), STATUS_USAGE,
	      "ladder: a prompt cannot be appended to pages");
	attention_destroy(attention);
	device_close(device);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ladder, pages"), *small = tcase_create("small");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, pages_have_the_bits_of_rows, 0, CASES);
	tcase_add_loop_test(tests, pages_are_accurate, 0, CASES);
	tcase_add_test(tests, pages_outside_of_the_pool_are_refused);
	tcase_add_test(tests, wrong_pages_are_refused);
	tcase_add_test(tests, prompts_are_refused);
	/* f16 on rung 6, pages of 3 rows, 7 keys and 20 sinks: for tests/mutants. */
	tcase_set_timeout(small, 120);
	tcase_add_loop_test(small, pages_are_accurate, SMALL, SMALL + 1);
	return run_suites("ladder, pages", (TCase *[]){ tests, small }, 2);
}
