/* test_paths.c - every attention path on the simulator: random shapes against float64 by the
 * accuracy rule, and the equalities between paths, bit for bit.
 *
 * Memory beyond a sequence's keys and in slots that are done is the simulator's poison, a NaN,
 * so that a read of it shows. Whole decodes end it: what a prompt is answered does not depend on
 * its company.
 */
#include "config.h"

#include "tests/recording.h"

#include "engine/generate.h"
#include "engine/prefill.h"
#include "engine/replay.h"
#include "tests/indirect.h"
#include "tests/sample.h"
#include "traces/xalloc.h"

/* --- cases --- */

enum scores {
	SCORES_RANDOM,
	SCORES_RISING,
	SCORES_FALLING,
	SCORES_EQUAL,
	SCORES_HUGE,
	SCORES_KINDS
};

struct path_case {
	int slots, heads, kv_heads, head_dim, max_len, chunk, warps;
	int lengths[17];
	enum scores scores;
	float scale;
	float *q, *k, *v;               /* k, v [M, Hkv, max_len, D]: the newest key too */
};

static uint32_t state = 20;

static int pick(int least, int most)
{
	state = state * 1664525u + 1013904223u;
	return least + (int)((uint64_t)(state >> 8) * (uint64_t)(most - least + 1) >> 24);
}

static size_t row_count(const struct path_case *c)
{
	return (size_t)c->slots * (size_t)c->heads;
}

static size_t slot_size(const struct path_case *c)
{
	return (size_t)c->kv_heads * (size_t)c->max_len * (size_t)c->head_dim;
}

/* Keys that lie along the first query's direction by as much as their place says. */
static void arrange_scores(struct path_case *c)
{
	size_t D = (size_t)c->head_dim, keys = (size_t)(c->slots * c->kv_heads * c->max_len);

	for (size_t i = 0; i < keys * D; i++) {
		float place = (float)(i / D % (size_t)c->max_len) / (float)c->max_len;

		if (c->scores == SCORES_RISING)
			c->k[i] = place * 8.0f;
		else if (c->scores == SCORES_FALLING)
			c->k[i] = -place * 8.0f;
		else if (c->scores == SCORES_EQUAL)
			c->k[i] = 0.5f;
	}
	if (c->scores == SCORES_HUGE)
		c->scale *= 1e4f;
}

static float *random_values(size_t count)
{
	float *values = xcalloc(count + 1, sizeof(*values));

	recording_fill(values, (int)count, &state, false);
	return values;
}

static void fill_case(struct path_case *c)
{
	c->scale = attention_scale(c->head_dim);
	c->q = random_values(row_count(c) * (size_t)c->head_dim);
	c->k = random_values((size_t)c->slots * slot_size(c));
	c->v = random_values((size_t)c->slots * slot_size(c));
	arrange_scores(c);
}

static void free_case(struct path_case *c)
{
	free(c->q);
	free(c->k);
	free(c->v);
}

/* Lengths around chunk borders, none, one, and all there is room for. */
static struct path_case random_case(int number, bool one_slot, bool one_group)
{
	static const int dims[] = { 1, 3, 31, 32, 33, 64, 65, 100, 128, 129, 255, 256 };
	static const int chunks[] = { 1, 7, 16, 31, 32, 33, 128 };
	struct path_case c = {
		.slots = one_slot	  ? 1
			: number % 5 == 4 ? 17
					  : pick(1, 4),
		.kv_heads = pick(1, 2),
		.head_dim = number % 2 ? pick(1, 256) : dims[number / 2 % 12],
		.chunk = chunks[number % 7],
		.warps = 1 + number % 2,
		.scores = (enum scores)(number % SCORES_KINDS),
	};
	int group = one_group ? 1 : number % 9 == 8 ? 16 : pick(1, 4);

	c.heads = c.kv_heads * group;
	c.max_len = c.chunk * pick(1, 3) + pick(0, c.chunk - 1);
	for (int slot = 0; slot < c.slots; slot++) {
		int near = c.chunk * pick(0, c.max_len / c.chunk) + pick(-1, 1);
		int choices[] = { 0, 1, c.max_len, near, near };
		int length = choices[pick(0, 4)];

		c.lengths[slot] = length < 0 ? 0 : length > c.max_len ? c.max_len : length;
	}
	fill_case(&c);
	return c;
}

/* --- running a case --- */

static struct device *open_simulator(uint64_t seed)
{
	struct device *device;

	OK(device_open("sim", &(struct device_options){ .seed = seed }, &device));
	return device;
}

static struct attention *open_path(const struct path *path, struct device *device,
				   const struct path_case *c)
{
	struct attention *attention;

	OK(attention_create(path, device,
			    &(struct attention_shape){ .layers = 1,
						       .slots = c->slots,
						       .heads = c->heads,
						       .kv_heads = c->kv_heads,
						       .head_dim = c->head_dim,
						       .max_len = c->max_len,
						       .chunk = c->chunk,
						       .scale = c->scale,
						       .warps = c->warps },
			    &attention));
	return attention;
}

/* Loads all keys but the newest, then runs the step; returns the output, the caller frees. */
static float *run_case(const struct path *path, const struct path_case *c, uint64_t seed)
{
	size_t D = (size_t)c->head_dim, Hkv = (size_t)c->kv_heads, M = (size_t)c->slots;
	float *out = random_values(row_count(c) * D);
	float *k_new = random_values(M * Hkv * D), *v_new = random_values(M * Hkv * D);
	struct device *device = open_simulator(seed);
	struct attention *a = open_path(path, device, c);
	bool done[17];
	int lengths[17];

	for (size_t slot = 0; slot < M; slot++) {
		int n = c->lengths[slot];

		done[slot] = n == 0;
		if (n == 0)
			continue;
		OK(kv_cache_load(a->cache, 0, (int)slot, c->k + slot * slot_size(c),
				 c->v + slot * slot_size(c), n - 1, c->max_len));
		for (size_t h = 0; h < Hkv; h++) {
			size_t from =
				slot * slot_size(c) + (h * (size_t)c->max_len + (size_t)n - 1) * D;

			memcpy(k_new + (slot * Hkv + h) * D, c->k + from, D * sizeof(float));
			memcpy(v_new + (slot * Hkv + h) * D, c->v + from, D * sizeof(float));
		}
	}
	OK(attention_step(a, &(struct attention_step){
		.q = c->q, .k = k_new, .v = v_new, .done = done, .out = out, .lengths = lengths }));
	for (size_t slot = 0; slot < M; slot++)
		ck_assert_int_eq(lengths[slot], c->lengths[slot]);
	attention_destroy(a);
	device_close(device);
	free(k_new);
	free(v_new);
	return out;
}

/* --- accuracy: at most twice the error of plain f32 softmax, plus 2^-20 of the greatest value
 * --- */

struct errors {
	double worst, plain_worst, squares, plain_squares, greatest;
};

/* Attention of one row to n keys, in double and, plainly, in float. Rows of v have Dv elements. */
static void reference_row(const float *q, const float *k, const float *v, int n, size_t D,
			  size_t Dv, float scale, double *exact, float *plain)
{
	double *weight = xcalloc((size_t)n + 1, sizeof(*weight)), most = -INFINITY, sum = 0.0;
	float *rough = xcalloc((size_t)n + 1, sizeof(*rough)), rough_most = -INFINITY,
	      rough_sum = 0.0f;

	for (size_t j = 0; j < (size_t)n; j++) {
		for (size_t d = 0; d < D; d++) {
			weight[j] += (double)q[d] * k[j * D + d];
			rough[j] += q[d] * k[j * D + d];
		}
		most = fmax(most, weight[j] *= scale);
		rough_most = fmaxf(rough_most, rough[j] *= scale);
	}
	for (size_t j = 0; j < (size_t)n; j++) {
		sum += weight[j] = exp(weight[j] - most);
		rough_sum += rough[j] = expf(rough[j] - rough_most);
	}
	for (size_t d = 0; d < Dv; d++) {
		exact[d] = 0.0;
		plain[d] = 0.0f;
		for (size_t j = 0; j < (size_t)n; j++) {
			exact[d] += weight[j] / sum * v[j * Dv + d];
			plain[d] += rough[j] / rough_sum * v[j * Dv + d];
		}
	}
	free(weight);
	free(rough);
}

/* Adds what one output row is off; values lie in [-1, 1), which is also the hull of every
 * output. */
static void add_row(struct errors *e, const float *out, const double *exact, const float *plain,
		    size_t Dv)
{
	for (size_t d = 0; d < Dv; d++) {
		double off = fabs(out[d] - exact[d]), plain_off = fabs(plain[d] - exact[d]);

		ck_assert_msg(fabsf(out[d]) <= 1.0f + 0x1p-20f, "element %zu is %g", d,
			      (double)out[d]);
		e->worst = fmax(e->worst, off);
		e->plain_worst = fmax(e->plain_worst, plain_off);
		e->squares += off * off;
		e->plain_squares += plain_off * plain_off;
	}
}

static void check_errors(struct errors *total, const struct errors *e, const char *what)
{
	ck_assert_msg(e->worst <= 2.0 * e->plain_worst + 0x1p-20, "%s: %g off, plain softmax is %g",
		      what, e->worst, e->plain_worst);
	total->squares += e->squares;
	total->plain_squares += e->plain_squares;
}

static void check_case(const struct path *path, const struct path_case *c, struct errors *total)
{
	float *out = run_case(path, c, (uint64_t)c->head_dim), plain[256];
	size_t D = (size_t)c->head_dim;
	struct errors e = { 0 };
	double exact[256];
	char what[160];

	snprintf(what, sizeof(what), "%s: M %d, H %d, Hkv %d, D %d, C %d, max_len %d, scores %d",
		 path->name, c->slots, c->heads, c->kv_heads, c->head_dim, c->chunk, c->max_len,
		 (int)c->scores);
	for (size_t row = 0; row < row_count(c); row++) {
		size_t slot = row / (size_t)c->heads, head = row % (size_t)c->heads;
		size_t kv = slot * slot_size(c) + head * (size_t)c->kv_heads / (size_t)c->heads
			* (size_t)c->max_len * D;

		reference_row(c->q + row * D, c->k + kv, c->v + kv, c->lengths[slot], D, D,
			      c->scale, exact, plain);
		/* Huge scores: who wins is settled in the last bit of f32, so only the hull is
		 * asked for. */
		if (c->scores == SCORES_HUGE)
			add_row(&(struct errors){ 0 }, out + row * D, exact, plain, D);
		else
			add_row(&e, out + row * D, exact, plain, D);
	}
	check_errors(total, &e, what);
	free(out);
}

enum { CASES = 36 };
static const struct path *const step_paths[] = {
	&path_prefill, &path_cached, &path_incremental, &path_incremental_multiwarp, &path_batched,
	&path_flash_decoding, &path_auto,
};

START_TEST(random_shapes_are_accurate)
{
	const struct path *path = step_paths[_i];
	struct errors total = { 0 };

	for (int i = 0; i < CASES; i++) {
		struct path_case c = random_case(i, path == &path_cached, path == &path_cached);

		if (path == &path_auto && i % 3 == 0)
			c.chunk = 0;
		check_case(path, &c, &total);
		free_case(&c);
	}
	ck_assert_msg(total.squares <= 1.5 * 1.5 * total.plain_squares,
		      "%s: RMS error %g times plain's", path->name,
		      sqrt(total.squares / total.plain_squares));
}
END_TEST

/* --- prefill: Nq != Nk, D != Dv, both masks --- */

static int visible_keys(const struct prefill *p, int query)
{
	int keys = p->mask == MASK_NONE ? p->keys
		: query + 1 + (p->mask == MASK_BOTTOM_RIGHT ? p->keys - p->queries : 0);

	return keys < 0 ? 0 : keys > p->keys ? p->keys : keys;
}

static void check_prefill(struct device *device, const struct prefill *p, struct errors *total)
{
	size_t D = (size_t)p->head_dim, Dv = (size_t)p->value_dim, Nq = (size_t)p->queries;
	size_t Nk = (size_t)p->keys, H = (size_t)p->heads, Hkv = (size_t)p->kv_heads;
	float *q = random_values(H * Nq * D), *k = random_values(Hkv * Nk * D);
	float *v = random_values(Hkv * Nk * Dv), *out = random_values(H * Nq * Dv), plain[256];
	struct errors e = { 0 };
	double exact[256];
	char what[160];

	snprintf(what, sizeof(what), "H %d, Hkv %d, Nq %d, Nk %d, D %d, Dv %d, mask %d", p->heads,
		 p->kv_heads, p->queries, p->keys, p->head_dim, p->value_dim, (int)p->mask);
	OK(prefill_run(device, p, q, k, v, out));
	for (size_t row = 0; row < H * Nq; row++) {
		size_t kv = row / Nq * Hkv / H * Nk;

		reference_row(q + row * D, k + kv * D, v + kv * Dv,
			      visible_keys(p, (int)(row % Nq)), D, Dv, p->scale, exact, plain);
		add_row(&e, out + row * Dv, exact, plain, Dv);
	}
	check_errors(total, &e, what);
	free(q);
	free(k);
	free(v);
	free(out);
}

START_TEST(prefill_takes_any_shape_and_mask)
{
	static const int sizes[] = { 1, 15, 16, 17, 31, 32, 33, 63, 65, 100 };
	struct device *device = open_simulator(3);
	struct errors total = { 0 };

	for (int i = 0; i < 30; i++) {
		struct prefill p = {
			.kv_heads = pick(1, 3),
			.queries = sizes[pick(0, 9)],
			.keys = sizes[pick(0, 9)],
			.head_dim = i % 3 ? pick(1, 130) : pick(1, 256),
			.value_dim = pick(1, 140),
			.mask = (enum causal_mask)(i % 3),
			.layer = -1,
		};

		p.heads = p.kv_heads * pick(1, 3);
		p.stride = p.keys;
		p.scale = attention_scale(p.head_dim);
		check_prefill(device, &p, &total);
	}
	ck_assert(total.squares <= 1.5 * 1.5 * total.plain_squares);
	device_close(device);
}
END_TEST

/* All 96 positions of a layer of the sample model; the reference is f32 too, [position, head,
 * D]. */
START_TEST(a_captured_layer_matches_at_every_position)
{
	struct npy q = sample_npy("short", "layer1_q", DTYPE_F32);
	struct npy k = sample_npy("short", "layer1_k", DTYPE_F32);
	struct npy v = sample_npy("short", "layer1_v", DTYPE_F32);
	struct npy wanted = sample_npy("short", "layer1_out", DTYPE_F32);
	const struct prefill p = {
		.heads = 8,
		.kv_heads = 2,
		.queries = 96,
		.keys = 96,
		.head_dim = 64,
		.value_dim = 64,
		.stride = 96,
		.mask = MASK_BOTTOM_RIGHT,
		.scale = attention_scale(64),
		.layer = -1,
	};
	struct device *device = open_simulator(0);
	float *out = random_values(wanted.count);

	ck_assert_uint_eq(wanted.count, 96 * 8 * 64);
	OK(prefill_run(device, &p, q.data, k.data, v.data, out));
	for (size_t i = 0; i < 96; i++)
		for (size_t h = 0; h < 8; h++)
			ck_assert_double_le(greatest_difference(out + (h * 96 + i) * 64,
				(const float *)wanted.data + (i * 8 + h) * 64, 64), 1e-5);
	device_close(device);
	free(out);
	npy_free(&q);
	npy_free(&k);
	npy_free(&v);
	npy_free(&wanted);
}
END_TEST

START_TEST(prefill_without_work_or_keys)
{
	struct prefill p = {
		.heads = 2, .kv_heads = 1, .queries = 3, .head_dim = 4, .value_dim = 5
	};
	struct device *device = open_simulator(0);
	float q[2 * 3 * 4] = { 0 }, out[2 * 3 * 5];

	memset(out, 0xff, sizeof(out));
	OK(prefill_run(device, &p, q, NULL, NULL, out));
	for (size_t i = 0; i < 2 * 3 * 5; i++)
		ck_assert_float_eq(out[i], 0.0f);
	p.value_dim = 0;
	OK(prefill_run(device, &p, q, NULL, NULL, out));
	p = (struct prefill){
		.heads = 3, .kv_heads = 2, .queries = 1, .head_dim = 1, .value_dim = 1
	};
	FAILS(prefill_run(device, &p, q, q, q, out), STATUS_USAGE,
	      "3 query heads are no multiple of 2");
	p = (struct prefill){
		.heads = 1, .kv_heads = 1, .queries = 1, .head_dim = 1, .value_dim = 257
	};
	FAILS(prefill_run(device, &p, q, q, q, out), STATUS_USAGE, "value size 257");
	device_close(device);
}
END_TEST

/* --- equalities, bit for bit --- */

static void check_equal_runs(const struct path *one, const struct path_case *c,
			     const struct path *other, const struct path_case *d)
{
	float *a = run_case(one, c, 0), *b = run_case(other, d, 5);

	ck_assert_msg(memcmp(a, b, row_count(c) * (size_t)c->head_dim * sizeof(float)) == 0,
		      "%s and %s differ: M %d, D %d, max_len %d", one->name, other->name, c->slots,
		      c->head_dim, c->max_len);
	free(a);
	free(b);
}

START_TEST(incremental_is_batched_is_flash_decoding_with_one_chunk)
{
	for (int i = 0; i < 15; i++) {
		struct path_case c = random_case(i, false, false), whole = c;

		whole.chunk = c.max_len;
		whole.warps = 1;
		check_equal_runs(&path_incremental, &c, &path_batched, &c);
		check_equal_runs(&path_incremental, &c, &path_flash_decoding, &whole);
		free_case(&c);
	}
}
END_TEST

START_TEST(auto_is_the_path_it_picks)
{
	struct path_case c = { .slots = 1,
			       .heads = 2,
			       .kv_heads = 1,
			       .head_dim = 64,
			       .max_len = 130,
			       .chunk = 0,
			       .lengths = { 127 } };
	struct path_case chunked;

	fill_case(&c);
	check_equal_runs(&path_auto, &c, &path_incremental,
			 &(struct path_case){ c.slots,
					      c.heads,
					      c.kv_heads,
					      c.head_dim,
					      c.max_len,
					      1,
					      1,
					      { 127 },
					      c.scores,
					      c.scale,
					      c.q,
					      c.k,
					      c.v });
	chunked = c;
	chunked.chunk = 16;
	check_equal_runs(&path_auto, &chunked, &path_flash_decoding, &chunked);
	c.lengths[0] = chunked.lengths[0] = 128;
	check_equal_runs(&path_auto, &c, &path_incremental_multiwarp, &chunked);
	free_case(&c);
}
END_TEST

/* The row of a slot is what the slot gives alone. */
START_TEST(a_batched_row_is_a_solo_row)
{
	static const struct path *const several[] = {
		&path_prefill, &path_incremental, &path_incremental_multiwarp, &path_batched,
		&path_flash_decoding,
	};

	for (int i = 0; i < 5; i++) {
		struct path_case c = random_case(i + 4, false, false);
		float *together = run_case(several[_i], &c, 0);
		size_t row = (size_t)c.heads * (size_t)c.head_dim;

		for (size_t slot = 0; slot < (size_t)c.slots; slot++) {
			struct path_case alone = c;
			float *out;

			alone.slots = 1;
			alone.lengths[0] = c.lengths[slot];
			alone.q = c.q + slot * row;
			alone.k = c.k + slot * slot_size(&c);
			alone.v = c.v + slot * slot_size(&c);
			out = run_case(several[_i], &alone, slot);
			ck_assert_mem_eq(out, together + slot * row, row * sizeof(float));
			free(out);
		}
		free(together);
		free_case(&c);
	}
}
END_TEST

START_TEST(lengths_in_device_memory_change_no_bit)
{
	static const int lengths[] = { 1, 2, 4, 31, 33, 128, 129, INDIRECT_MAX_LEN };
	float by_value[INDIRECT_H * INDIRECT_D], indirect[INDIRECT_H * INDIRECT_D];
	struct device *device = open_simulator(0);

	for (int i = 0; i < 8; i++)
		for (unsigned warps = 1; warps <= 4; warps += 3) {
			indirect_run(device, lengths[i], warps, true, by_value);
			indirect_run(device, lengths[i], warps, false, indirect);
			ck_assert_mem_eq(by_value, indirect, sizeof(by_value));
		}
	device_close(device);
}
END_TEST

START_TEST(a_replay_is_its_recording)
{
	static const struct path *const paths[] = {
		&path_prefill, &path_incremental, &path_incremental_multiwarp,
		&path_batched, &path_auto,
	};
	const struct recording_options recording = { .level = LEVEL_POINTS,
						     .slots = 2,
						     .path = paths[_i] };
	struct replay_options options = { .device = "sim", .target = { .seed = 7, .jobs = 2 } };
	struct replay_report report;
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	recording_make(store, &recording, NULL);
	OK(replay_compare(store, 1, &options, &report));
	ck_assert_int_eq(report.diff.differences, 0);
	ck_assert_int_eq(query(store, "SELECT count(*) = 0 FROM v_point") == 1,
			 paths[_i] == &path_prefill);
	/* Every new row is found: 2 tensors, 2 layers, 2 slots, 2 KV heads a step. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_kv"), 16 * REC_STEPS);
	ck_assert_int_eq(query(store, "SELECT count(DISTINCT slot) FROM v_kv"), 2);
	diff_report_free(&report.diff);
	OK(store_close(store));
}
END_TEST

/* --- behaviours --- */

START_TEST(a_full_slot_changes_nothing)
{
	struct path_case c = { .slots = 1, .heads = 2, .kv_heads = 2, .head_dim = 4, .max_len = 3,
			       .chunk = 2, .lengths = { 3 } };
	struct device *device = open_simulator(0);
	struct attention *a = open_path(step_paths[_i], device, &c);
	float q[8] = { 1.0f }, out[8], before[24], after[24];
	struct attention_step step = { .q = q, .k = q, .v = q, .out = out };

	for (int i = 0; i < 3; i++)
		OK(attention_step(a, &step));
	OK(device_download(device, NULL, a->cache->k[0], 0, before, sizeof(before)));
	FAILS(attention_step(a, &step), STATUS_USAGE, "slot 0 is full: it holds 3 of 3");
	FAILS(attention_prefill(
		      a,
		      &(struct attention_prompt){ .rows = 1, .q = q, .k = q, .v = q, .out = out }),
	      STATUS_USAGE, "does not fit");
	OK(device_download(device, NULL, a->cache->k[0], 0, after, sizeof(after)));
	ck_assert_mem_eq(before, after, sizeof(before));
	ck_assert_int_eq(kv_cache_length(a->cache, 0, 0), 3);
	attention_destroy(a);
	device_close(device);
}
END_TEST

/* Dynamic shared memory just below 48 KiB is above it with the kernel's own. */
START_TEST(shared_memory_around_48_KiB)
{
	static const struct { const struct path *path; int least, most; } sizes[] = {
		{ &path_incremental_multiwarp, 92, 96 }, { &path_flash_decoding, 186, 192 },
	};

	for (int D = sizes[_i].least; D <= sizes[_i].most; D++) {
		struct path_case c = { .slots = 1, .heads = 1, .kv_heads = 1, .head_dim = D,
				       .max_len = 5, .chunk = 4, .warps = 2, .lengths = { 5 } };
		struct errors total = { 0 };

		fill_case(&c);
		check_case(sizes[_i].path, &c, &total);
		free_case(&c);
	}
}
END_TEST

START_TEST(what_cannot_run_is_refused)
{
	struct attention_shape shape = { .layers = 1,
					 .slots = 1,
					 .heads = 4,
					 .kv_heads = 2,
					 .head_dim = 4,
					 .max_len = 3,
					 .chunk = 2,
					 .scale = 1.0f };

	FAILS(attention_check(&path_cached, &shape), STATUS_USAGE,
	      "cached: 4 query heads on 2 KV heads");
	shape.heads = 2;
	OK(attention_check(&path_cached, &shape));
	shape.slots = 2;
	FAILS(attention_check(&path_cached, &shape), STATUS_USAGE,
	      "cached: 2 sequences, it runs 1");
	shape.warps = 3;
	FAILS(attention_check(&path_flash_decoding, &shape), STATUS_USAGE, "3 warps per chunk");
	shape.warps = 2;
	shape.chunk = 0;
	FAILS(attention_check(&path_batched, &shape), STATUS_USAGE, "a chunk of 0 keys");
	OK(attention_check(&path_auto, &shape));
	FAILS(attention_step(NULL, &(struct attention_step){ 0 }), STATUS_USAGE,
	      "attention_create() is missing");
}
END_TEST

/* --- prompts --- */

/* A prompt in two parts and then a step see what steps alone see, but for rounding. */
START_TEST(prompts_append_to_what_is_there)
{
	enum { ROWS = 40, PER_ROW = 4 * 20 };
	struct path_case c = { .slots = 2,
			       .heads = 4,
			       .kv_heads = 4,
			       .head_dim = 20,
			       .max_len = ROWS + 1,
			       .chunk = 16 };
	float *q = random_values((ROWS + 1) * PER_ROW), *k = random_values((ROWS + 1) * PER_ROW);
	float *v = random_values((ROWS + 1) * PER_ROW), *out = random_values(ROWS * PER_ROW);
	float q2[2 * PER_ROW], k2[2 * PER_ROW], v2[2 * PER_ROW], stepped[2 * PER_ROW];
	struct device *device = open_simulator(0);
	struct attention *a, *b;

	c.scale = attention_scale(20);
	a = open_path(&path_flash_decoding, device, &c);
	b = open_path(&path_flash_decoding, device, &c);
	for (int part = 0; part < 2; part++) {
		size_t from = part == 0 ? 0 : 7 * PER_ROW;

		OK(attention_prefill(a, &(struct attention_prompt){
			.slot = 1, .rows = part == 0 ? 7 : ROWS - 7, .q = q + from, .k = k + from,
			.v = v + from, .out = out + from }));
	}
	ck_assert_int_eq(kv_cache_length(a->cache, 0, 1), ROWS);
	ck_assert_int_eq(kv_cache_length(a->cache, 0, 0), 0);
	for (size_t row = 0; row < ROWS; row++) {
		memcpy(q2 + PER_ROW, q + row * PER_ROW, sizeof(q2) / 2);
		memcpy(k2 + PER_ROW, k + row * PER_ROW, sizeof(k2) / 2);
		memcpy(v2 + PER_ROW, v + row * PER_ROW, sizeof(v2) / 2);
		OK(attention_step(
			b,
			&(struct attention_step){ .q = q2,
						  .k = k2,
						  .v = v2,
						  .out = stepped,
						  .done = (const bool[]){ true, false } }));
		ck_assert_double_le(
			greatest_difference(stepped + PER_ROW, out + row * PER_ROW, PER_ROW), 2e-6);
	}
	attention_destroy(a);
	attention_destroy(b);
	device_close(device);
	free(q);
	free(k);
	free(v);
	free(out);
}
END_TEST

/* Decodes prompts in that many slots; replies are [prompts][count]. */
static void decode(const struct llama *model, const struct path *path, const char *const *prompts,
		   int count, int slots, size_t bytes, unsigned char replies[][32])
{
	struct sequence sequences[4] = { { 0 } };
	struct device *device = open_simulator(0);
	struct attention_shape shape;
	struct attention *attention;

	for (int i = 0; i < count; i++)
		sequences[i] = (struct sequence){
			.prompt = (const unsigned char *)prompts[i],
			.prompt_bytes = strlen(prompts[i]),
			.reply = replies[i],
		};
	shape = generate_shape(model, sequences, count, slots, bytes, 16);
	OK(attention_create(path, device, &shape, &attention));
	OK(generate_run(model, attention, sequences, count,
			&(struct generate_options){ .count = bytes }));
	attention_destroy(attention);
	device_close(device);
}

START_TEST(company_changes_no_reply)
{
	static const char *const prompts[] = { "ROMEO:", "O", "My lord, what is", "KING:\n" };
	static const struct path *const paths[] = {
		&path_flash_decoding, &path_batched, &path_incremental, &path_incremental_multiwarp,
	};
	enum { BYTES = 12 };
	unsigned char together[4][32], alone[1][32];
	struct llama *model;

	OK(llama_open(SAMPLE_DIRECTORY, &model));
	/* Two slots: the last two prompts wait. */
	decode(model, paths[_i], prompts, 4, 2, BYTES, together);
	for (int i = 0; i < 4; i++) {
		decode(model, paths[_i], prompts + i, 1, 1, BYTES, alone);
		ck_assert_mem_eq(alone[0], together[i], BYTES);
	}
	llama_close(model);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("paths");
	TCase *shapes = tcase_create("shapes"), *equal = tcase_create("equal");
	TCase *behaviour = tcase_create("behaviour"), *whole = tcase_create("whole");
	int paths = sizeof(step_paths) / sizeof(step_paths[0]);
	SRunner *runner;
	int failed;

	tcase_set_timeout(shapes, 120);
	tcase_set_timeout(equal, 120);
	tcase_set_timeout(whole, 120);
	tcase_add_loop_test(shapes, random_shapes_are_accurate, 0, paths);
	tcase_add_test(shapes, prefill_takes_any_shape_and_mask);
	tcase_add_test(shapes, a_captured_layer_matches_at_every_position);
	tcase_add_test(behaviour, prefill_without_work_or_keys);
	tcase_add_test(equal, incremental_is_batched_is_flash_decoding_with_one_chunk);
	tcase_add_test(equal, auto_is_the_path_it_picks);
	tcase_add_loop_test(equal, a_batched_row_is_a_solo_row, 0, 5);
	tcase_add_test(equal, lengths_in_device_memory_change_no_bit);
	tcase_add_loop_test(equal, a_replay_is_its_recording, 0, 5);
	tcase_add_loop_test(behaviour, a_full_slot_changes_nothing, 0, paths);
	tcase_add_loop_test(behaviour, shared_memory_around_48_KiB, 0, 2);
	tcase_add_test(behaviour, what_cannot_run_is_refused);
	tcase_add_test(behaviour, prompts_append_to_what_is_there);
	tcase_add_loop_test(whole, company_changes_no_reply, 0, 4);
	suite_add_tcase(suite, shapes);
	suite_add_tcase(suite, equal);
	suite_add_tcase(suite, behaviour);
	suite_add_tcase(suite, whole);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
