/* test_ladder_queries.c - several queries of a sequence in a step, on all rungs that have them and
 * for each type of cache: the bits of steps with one query, keys that a scatter may still be
 * writing, prompts, and wrong requests.
 */
#include "config.h"

#include "tests/support.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "engine/device.h"
#include "kernels/head_sizes.h"
#include "tests/ladder_cache.h"
#include "traces/row.h"

static const enum dtype types[] = { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_E4M3 };
static const int dims[] = { HEAD_SIZES };
static const int groups[] = { 1, 4, 2, 7, 3, 16, 8 };
static const int queries[] = { 2, 4, 3, 17, 8 };
/* Windows that hold fewer keys than a step has queries, or as many, or more. */
static const struct choice {
	float softcap;
	int window, sinks;
} choices[] = {
	{ 0, 0, 0 }, { 0, 1, 0 }, { 3.0f, 0, 0 }, { 0, 4, 2 }, { 50.0f, 100, 4 }, { 0, 0, 0 },
	{ 0, 7, 20 },
};
enum { TYPES = 4, SIZES = HEAD_SIZE_COUNT, GROUPS = 7, COUNTS = 5, CHOICES = 7, CASES = 28 };
/* Lengths at which keys per split change, of which 2,048 is the last with 128; and 129, of which
 * the last two keys are in different splits. */
enum { SLOTS = 4, KV_HEADS = 2, LONG = 2050, SHORT = 300, LONG_CASE = 20, PAGE = 24 };
static const int long_lengths[SLOTS] = { LONG, 2049, 0, 1 };
static const int short_lengths[SLOTS] = { SHORT, 2, 129, 0 };

struct batch {
	struct attention_shape shape;
	int capacity;                   /* rows of k and v */
	const int *lengths;             /* [SLOTS] with the keys that the step appends */
	float *q, *k, *v;               /* q: [SLOTS, T, H, D] */
	void *k_codes, *v_codes;        /* k, v: [SLOTS, KV_HEADS, capacity, D] */
	void *k_pool, *v_pool;          /* with pages: [pool, KV_HEADS, PAGE, D] */
	int32_t *table;
	float k_scale[KV_HEADS], v_scale[KV_HEADS];
};

/* --- a batch --- */

static size_t row_at(const struct batch *b, size_t line, size_t key)
{
	return (line * (size_t)b->capacity + key) * (size_t)b->shape.head_dim;
}

/* Pages in a shuffled order; entries past the end of a sequence are none of the pool, and rows that
 * no sequence has are NaN. */
static void fill_pages(struct batch *b)
{
	int each = (b->capacity + PAGE - 1) / PAGE, pool = SLOTS * each + 1;
	enum dtype type = b->shape.kv_dtype;
	size_t D = (size_t)b->shape.head_dim, row = D * dtype_bytes(type);
	size_t count = (size_t)(pool * KV_HEADS * PAGE) * D;

	b->table = xcalloc((size_t)(SLOTS * each), sizeof *b->table);
	b->k_pool = xcalloc(count, sizeof(float));
	b->v_pool = xcalloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++) {
		cache_put(type, b->k_pool, i, NAN);
		cache_put(type, b->v_pool, i, NAN);
	}
	for (int i = 0; i < SLOTS * each; i++)
		b->table[i] = i % each * PAGE < b->lengths[i / each] ? pool - 1 - i : -1;
	for (int line = 0; line < SLOTS * KV_HEADS; line++)
		for (int key = 0; key < b->lengths[line / KV_HEADS]; key++) {
			int page = b->table[line / KV_HEADS * each + key / PAGE];
			size_t from = row_at(b, (size_t)line, (size_t)key) * dtype_bytes(type);
			size_t to = ((size_t)(page * KV_HEADS + line % KV_HEADS) * PAGE
				     + (size_t)(key % PAGE)) * row;

			memcpy((char *)b->k_pool + to, (char *)b->k_codes + from, row);
			memcpy((char *)b->v_pool + to, (char *)b->v_codes + from, row);
		}
	b->shape.max_len = PAGE * each;
	b->shape.pages = (struct kv_pages){ PAGE, pool, each, b->table, false };
}

static struct batch batch_of(int number)
{
	const struct choice *choice = &choices[number % CHOICES];
	bool is_long = number == LONG_CASE;
	enum dtype type = types[number % TYPES];
	struct batch b = {
		.shape = {
			.layers = 1, .slots = SLOTS, .kv_heads = KV_HEADS, .chunk = 128,
			.head_dim = is_long ? 64 : dims[number % SIZES],
			.heads = KV_HEADS * (is_long ? 2 : groups[(number + number / 7) % GROUPS]),
			.kv_dtype = type, .queries = queries[(2 * number + number / 4) % COUNTS],
			.softcap = choice->softcap, .window = choice->window,
			.sinks = choice->sinks, .lse = number % 3 > 0,
			.max_len = is_long ? LONG : SHORT,
		},
		.capacity = is_long ? LONG : SHORT,
		.lengths = is_long ? long_lengths : short_lengths,
	};
	size_t D = (size_t)b.shape.head_dim;
	size_t count = (size_t)(SLOTS * b.shape.queries * b.shape.heads) * D;
	size_t elements = (size_t)(SLOTS * KV_HEADS * b.capacity) * D;
	uint32_t seed = (uint32_t)number + 1;

	b.shape.scale = 4.0f * attention_scale(b.shape.head_dim);
	b.q = xcalloc(count, sizeof *b.q);
	for (size_t i = 0; i < count; i++)
		b.q[i] = cache_noise(&seed);
	b.k = xcalloc(elements, sizeof *b.k);
	b.v = xcalloc(elements, sizeof *b.v);
	b.k_codes = xcalloc(elements, sizeof(float));
	b.v_codes = xcalloc(elements, sizeof(float));
	for (size_t i = 0; i < elements; i++) {
		b.k[i] = cache_put(type, b.k_codes, i, cache_noise(&seed));
		b.v[i] = cache_put(type, b.v_codes, i, cache_noise(&seed));
	}
	cache_scales(type, b.k_scale, b.v_scale);
	if (number % 4 == number / 4 % 4)
		fill_pages(&b);
	return b;
}

static void free_batch(struct batch *b)
{
	void *all[] = { b->q, b->k, b->v, b->k_codes, b->v_codes, b->k_pool, b->v_pool, b->table };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

/* --- steps --- */

/* A step of sequences of these lengths. */
struct request {
	struct attention_shape shape;
	int lengths[SLOTS];
	const float *q;
	const struct device_options *options;
};

/* Loads what comes before the keys of a step, and gives these to append. Where a step has more
 * queries than a sequence has keys, what it could append is NaN. */
static void load_rows(const struct batch *b, const struct request *r, struct attention *a,
		      float *k_new, float *v_new, int *appended)
{
	size_t D = (size_t)b->shape.head_dim, bytes = dtype_bytes(b->shape.kv_dtype);
	int T = attention_queries(&r->shape);

	for (size_t i = 0; i < (size_t)(SLOTS * T * KV_HEADS) * D; i++)
		k_new[i] = v_new[i] = NAN;
	for (int slot = 0; slot < SLOTS; slot++) {
		size_t from = row_at(b, (size_t)(slot * KV_HEADS), 0);
		int length = r->lengths[slot], held;

		appended[slot] = length < T ? length : T;
		held = length - appended[slot];
		if (held > 0)
			OK(kv_cache_load(a->cache, 0, slot, (char *)b->k_codes + from * bytes,
					 (char *)b->v_codes + from * bytes, held, b->capacity));
		for (int i = 1; i <= appended[slot]; i++)
			for (int h = 0; h < KV_HEADS; h++) {
				size_t to = (size_t)(((slot + 1) * T - i) * KV_HEADS + h) * D;
				size_t at = row_at(b, (size_t)(slot * KV_HEADS + h),
						   (size_t)(length - i));

				memcpy(k_new + to, b->k + at, D * sizeof *k_new);
				memcpy(v_new + to, b->v + at, D * sizeof *v_new);
			}
	}
}

/* The kernel of the first finding of the checker; "": none. */
static void find_fault(struct device *device, char kernel[64])
{
	const struct row_finding *found;
	size_t count = device_findings(device, &found);

	kernel[0] = '\0';
	if (count > 0)
		snprintf(kernel, 64, "%s", found[0].kernel ? found[0].kernel : "no kernel");
}

/* Runs a step; `out` and `lse` are [SLOTS, T, ...], and `kernel` is that of a finding. */
static void attend(const struct batch *b, const struct request *r, float *out, float *lse,
		   char kernel[64])
{
	struct attention_shape shape = r->shape;
	size_t rows = (size_t)(attention_rows(&shape) * KV_HEADS), D = (size_t)shape.head_dim;
	float *k_new = xcalloc(rows * D, sizeof *k_new), *v_new = xcalloc(rows * D, sizeof *v_new);
	bool pages = shape.pages.rows > 0, done[SLOTS];
	struct attention *attention;
	struct device *device;
	int appended[SLOTS];

	if (shape.kv_dtype == DTYPE_E4M3) {
		shape.k_scale = b->k_scale;
		shape.v_scale = b->v_scale;
	}
	OK(device_open("sim", r->options, &device));
	OK(attention_create(&path_ladder, device, &shape, &attention));
	if (pages)
		OK(kv_cache_load_pools(attention->cache, 0, b->k_pool, b->v_pool));
	else
		load_rows(b, r, attention, k_new, v_new, appended);
	for (int slot = 0; slot < SLOTS; slot++) {
		if (pages)
			kv_cache_set_length(attention->cache, 0, slot, r->lengths[slot]);
		done[slot] = r->lengths[slot] == 0;
	}
	OK(attention_step(attention, &(struct attention_step){
		.q = r->q, .k = pages ? NULL : k_new, .v = pages ? NULL : v_new,
		.appended = appended, .done = done, .out = out, .lse = shape.lse ? lse : NULL }));
	attention_destroy(attention);
	find_fault(device, kernel);
	device_close(device);
	free(k_new);
	free(v_new);
}

/* --- bits --- */

/* The step with only the queries of number `t`, each with the keys that it sees. */
static void attend_alone(const struct batch *b, int rung, int t, struct ladder_result *r)
{
	const struct device_options options = { .poison = true };
	struct request alone = { .shape = b->shape, .options = &options };
	int T = b->shape.queries;
	size_t row = (size_t)(b->shape.heads * b->shape.head_dim);
	float *q = xcalloc(SLOTS * row, sizeof *q);
	char kernel[64];

	for (int slot = 0; slot < SLOTS; slot++) {
		int keys = b->lengths[slot] - (T - 1 - t);

		alone.lengths[slot] = keys > 0 ? keys : 0;
		memcpy(q + (size_t)slot * row, b->q + (size_t)(slot * T + t) * row,
		       row * sizeof *q);
	}
	alone.q = q;
	alone.shape.rung = rung;
	alone.shape.queries = 0;
	alone.shape.pages = (struct kv_pages){ 0 };
	alone.shape.max_len = b->capacity;
	attend(b, &alone, r->out, r->lse, kernel);
	free(q);
}

/* Rows [SLOTS, H, D] of query t must be those of [SLOTS, T, H, D]. */
static void expect_query(const struct batch *b, const struct ladder_result *alone,
			 const struct ladder_result *all, int t, const char *what)
{
	int T = b->shape.queries, H = b->shape.heads;
	size_t D = (size_t)b->shape.head_dim;

	for (int row = 0; row < SLOTS * H; row++) {
		size_t of = (size_t)((row / H * T + t) * H + row % H);

		ck_assert_msg(!memcmp(alone->out + (size_t)row * D, all->out + of * D,
				      D * sizeof(float))
			      && (!b->shape.lse || !memcmp(alone->lse + row, all->lse + of,
							   sizeof(float))),
			      "%s, D %zu, %d heads, pages of %d rows, %s: query %d of %d, against "
			      "a step of its own: row %d differs", dtype_name(b->shape.kv_dtype), D,
			      H, b->shape.pages.rows, what, t, T, row);
	}
}

static void expect_bits(const struct batch *b, int rung, enum graph_mode graph, int t)
{
	const struct device_options options = { .seed = (uint64_t)rung, .poison = true };
	struct request all = { .shape = b->shape, .q = b->q, .options = &options };
	struct attention_shape sized = b->shape;
	struct ladder_result alone, got;
	char kernel[64], what[32];

	sized.slots = attention_rows(&b->shape);
	got = ladder_result_new(&sized);
	memcpy(all.lengths, b->lengths, sizeof all.lengths);
	all.shape.rung = rung;
	all.shape.graph = graph;
	attend(b, &all, got.out, got.lse, kernel);
	snprintf(what, sizeof what, "rung %d", rung);
	for (int i = 0; i < b->shape.queries; i++) {
		/* Of many queries some, and always the first, the last and two more. */
		if (b->shape.queries > 4 && i > 0 && i < b->shape.queries - 1 && (i + t) % 5 > 0)
			continue;
		alone = ladder_result_new(&b->shape);
		attend_alone(b, rung, i, &alone);
		expect_query(b, &alone, &got, i, what);
		ladder_result_free(&alone);
	}
	ladder_result_free(&got);
}

START_TEST(queries_have_the_bits_of_steps)
{
	struct batch b = batch_of(_i);

	for (int i = 0; i < LADDER_RUNGS; i++)
		if (ladder_bits_of(b.shape.kv_dtype, ladder_rungs[i]) > 0)
			expect_bits(&b, ladder_rungs[i],
				    (_i + i) % 3 == 0 ? GRAPH_CAPTURE
				    : (_i + i) % 3 == 1 ? GRAPH_MANUAL : GRAPH_NONE, _i + i);
	free_batch(&b);
}
END_TEST

/* --- launches that overlap the scatter --- */

/* Rungs 9 and 10 may begin before the scatter's rows are visible: the checker finds a launch that
 * does not wait for one of them. */
START_TEST(keys_of_a_step_are_waited_for)
{
	const struct device_options options = { .check = true, .seed = (uint64_t)_i };
	struct batch b = batch_of(_i);
	struct attention_shape sized = b.shape;
	struct request r = { .shape = b.shape, .q = b.q, .options = &options };
	struct ladder_result got;
	char kernel[64];

	sized.slots = attention_rows(&b.shape);
	got = ladder_result_new(&sized);
	memcpy(r.lengths, b.lengths, sizeof r.lengths);
	for (int rung = 9; rung <= 10; rung++) {
		r.shape.rung = rung;
		attend(&b, &r, got.out, got.lse, kernel);
		ck_assert_msg(kernel[0] == '\0', "case %d, rung %d: a finding in %s", _i, rung,
			      kernel);
	}
	ladder_result_free(&got);
	free_batch(&b);
}
END_TEST

/* --- several steps, prompts --- */

enum { PROMPT = 11, HEAD_SIZE = 64, PROMPT_SLOT = 1 };

/* Appends a prompt, and then as many keys as a step has queries. */
static void prompt_and_step(const struct attention_shape *shape, const float *rows, float *out,
			    float *step_out)
{
	size_t row = (size_t)(shape->heads * shape->head_dim);
	struct attention *attention;
	struct device *device;
	int lengths[2];

	OK(device_open("sim", &(struct device_options){ .poison = true }, &device));
	OK(attention_create(&path_ladder, device, shape, &attention));
	OK(attention_prefill(attention, &(struct attention_prompt){
		.slot = PROMPT_SLOT, .rows = PROMPT, .q = rows, .k = rows + row,
		.v = rows + 2 * row, .out = out }));
	for (int i = 0; i < 12; i += attention_queries(shape))
		OK(attention_step(attention, &(struct attention_step){
			.q = rows, .k = rows, .v = rows, .done = (bool[]){ true, false },
			.out = step_out, .lengths = lengths }));
	ck_assert_int_eq(lengths[0], 0);
	ck_assert_int_eq(lengths[PROMPT_SLOT], PROMPT + 12);
	attention_destroy(attention);
	device_close(device);
}

/* A prompt is appended with as many positions at once as a step has queries; also to pages, which
 * may have any order. */
START_TEST(prompts_have_the_bits_of_positions)
{
	static const int32_t table[] = { 6, 3, 9, 13, 0, 7, 12, 5, 2, 11, 8, 1, 10, 4 };
	struct attention_shape shape = {
		.layers = 1, .slots = 2, .heads = 2, .kv_heads = 2, .head_dim = HEAD_SIZE,
		.max_len = 32, .chunk = 128, .scale = 0.3f, .rung = 9, .window = 6, .sinks = 1,
	};
	size_t row = 2 * HEAD_SIZE, count = (PROMPT + 16) * row;
	float *rows = xcalloc(count, sizeof *rows), *step_out = xcalloc(8 * row, sizeof *rows);
	float *paged_out = xcalloc(8 * row, sizeof *rows);
	float *wanted = xcalloc(PROMPT * row, sizeof *rows);
	float *got = xcalloc(PROMPT * row, sizeof *rows);
	uint32_t seed = 5;

	for (size_t i = 0; i < count; i++)
		rows[i] = cache_noise(&seed);
	prompt_and_step(&shape, rows, wanted, step_out);
	shape.queries = 4;
	prompt_and_step(&shape, rows, got, step_out);
	ck_assert_mem_eq(wanted, got, PROMPT * row * sizeof *got);
	for (int queries = 1; queries <= 4; queries += 3) {
		shape.queries = queries;
		shape.pages = (struct kv_pages){ 0 };
		shape.max_len = 32;
		prompt_and_step(&shape, rows, got, step_out);
		shape.pages = (struct kv_pages){ 5, 14, 7, table, true };
		shape.max_len = 35;
		prompt_and_step(&shape, rows, got, paged_out);
		ck_assert_mem_eq(wanted, got, PROMPT * row * sizeof *got);
		ck_assert_mem_eq(step_out, paged_out, 2 * (size_t)queries * row * sizeof *got);
	}
	free(rows);
	free(step_out);
	free(paged_out);
	free(wanted);
	free(got);
}
END_TEST

/* --- errors --- */

START_TEST(wrong_queries_are_refused)
{
	const struct attention_shape good = {
		.layers = 1, .slots = 1, .heads = 2, .kv_heads = 1, .head_dim = 64, .max_len = 8,
		.chunk = 128, .scale = 1.0f, .queries = 8,
	};
	struct attention_shape s = good;

	OK(attention_check(&path_ladder, &s));
	FAILS(attention_check(&path_flash_decoding, &s), STATUS_USAGE,
	      "flash-decoding: more than one query needs --path ladder");
	s.rung = 4;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: rung 4 has no softcap, window, sinks, log-sum-exp, pages or several "
	      "queries, which rungs from 5 up have");
	s = good;
	s.queries = 9;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: 9 queries of a sequence are more than its capacity of 8 keys");
	s.queries = -1;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: expected 1 or more queries of a sequence, got -1");
	s = good;
	s.slots = 8192;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: 8192 sequences of 8 queries are more than 65535 queries");
	s.slots = 4;
	s.max_len = 1 << 29;
	FAILS(attention_check(&path_ladder, &s), STATUS_USAGE,
	      "ladder: caches of 4 sequences, 1 KV heads and 536870912 keys for several queries "
	      "are more than 2147483647 rows");
}
END_TEST

START_TEST(wrong_steps_are_refused)
{
	const struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = 1, .kv_heads = 1, .head_dim = HEAD_SIZE,
		.max_len = 8, .chunk = 128, .scale = 1.0f, .queries = 5, .rung = 5,
	};
	float rows[5 * HEAD_SIZE] = { 1.0f };
	struct attention_step step = { .q = rows, .k = rows, .v = rows, .out = rows };
	struct attention *attention;
	struct device *device;

	OK(device_open("sim", NULL, &device));
	OK(attention_create(&path_ladder, device, &shape, &attention));
	step.appended = (int[]){ 6 };
	FAILS(attention_step(attention, &step), STATUS_USAGE,
	      "ladder: expected 0 to 5 keys to append to slot 0, got 6");
	step.appended = (int[]){ -1 };
	FAILS(attention_step(attention, &step), STATUS_USAGE, "got -1");
	step.appended = NULL;
	OK(attention_step(attention, &step));
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 0), 5);
	FAILS(attention_step(attention, &step), STATUS_USAGE,
	      "ladder: 5 more keys do not fit in the KV cache of layer 0, slot 0: 5 of 8 keys");
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 0), 5);
	step.appended = (int[]){ 3 };
	OK(attention_step(attention, &step));
	step.appended = (int[]){ 0 };
	OK(attention_step(attention, &step));
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 0), 8);
	step.appended = NULL;
	FAILS(attention_step(attention, &step), STATUS_USAGE,
	      "ladder: the KV cache of layer 0, slot 0 is full: 8 of 8 keys");
	attention_destroy(attention);
	device_close(device);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ladder, queries"), *small = tcase_create("small");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, queries_have_the_bits_of_steps, 0, CASES);
	tcase_add_loop_test(tests, keys_of_a_step_are_waited_for, 2, 13);
	tcase_add_test(tests, prompts_have_the_bits_of_positions);
	tcase_add_test(tests, wrong_queries_are_refused);
	tcase_add_test(tests, wrong_steps_are_refused);
	/* f32, 3 queries, without pages: for tests/mutants. */
	tcase_set_timeout(small, 120);
	tcase_add_loop_test(small, queries_have_the_bits_of_steps, 12, 13);
	return run_suites("ladder, queries", (TCase *[]){ tests, small }, 2);
}
