/* test_path_accuracy.c - the accuracy of every attention path on the simulator, against float64.
 *
 * Paths run over random shapes by separate launches and by graphs, prefill attention with any shape
 * and mask. The rule: the error of an output is at most twice that of plain f32 softmax, plus 2^-20
 * of the largest value; over all shapes at most 1.5 times in RMS; and outputs are finite and
 * between the smallest and the largest value of their row. Which paths agree bit for bit is in
 * test_paths.c.
 */
#include "config.h"

#include "tests/path_case.h"

#include "engine/attention/prefill.h"
#include "tests/reference.h"
#include "tests/sample.h"

/* --- accuracy --- */

struct errors {
	double worst, plain_worst, squares, plain_squares, max_value;   /* max_value: |v| */
};

/* An output is a weighted mean of the n values that its row sees: between them up to rounding, or 0
 * if there are none. */
static void check_hull(const float *out, const float *v, int n, size_t Dv, const char *what)
{
	for (size_t d = 0; d < Dv; d++) {
		float min = n > 0 ? v[d] : 0.0f, max = min;

		for (size_t j = 1; j < (size_t)n; j++) {
			min = fminf(min, v[j * Dv + d]);
			max = fmaxf(max, v[j * Dv + d]);
		}
		ck_assert_msg(out[d] >= min - 0x1p-20f && out[d] <= max + 0x1p-20f,
			      "%s: element %zu: expected %g to %g, got %g", what, d,
			      (double)min, (double)max, (double)out[d]);
	}
}

/* Adds the errors of one output row of attention to n keys. */
static void add_row(struct errors *e, const float *out, const double *exact, const float *plain,
		    const float *v, int n, size_t Dv)
{
	for (size_t i = 0; i < (size_t)n * Dv; i++)
		e->max_value = fmax(e->max_value, fabsf(v[i]));
	for (size_t d = 0; d < Dv; d++) {
		double off = fabs(out[d] - exact[d]), plain_off = fabs(plain[d] - exact[d]);

		e->worst = fmax(e->worst, off);
		e->plain_worst = fmax(e->plain_worst, plain_off);
		e->squares += off * off;
		e->plain_squares += plain_off * plain_off;
	}
}

static void check_errors(struct errors *total, const struct errors *e, const char *what)
{
	ck_assert_msg(e->worst <= 2.0 * e->plain_worst + 0x1p-20 * e->max_value,
		      "%s: error %g, plain softmax has %g", what, e->worst, e->plain_worst);
	total->squares += e->squares;
	total->plain_squares += e->plain_squares;
}

static void check_case(const struct path *path, const struct path_case *c, struct errors *total)
{
	float *out = path_run(path, c, (uint64_t)c->head_dim), plain[256];
	size_t D = (size_t)c->head_dim;
	struct errors e = { 0 };
	double exact[256];
	char what[160];

	snprintf(what, sizeof what, "%s, %s: M %d, H %d, Hkv %d, D %d, C %d, max_len %d, scores %d",
		 path->name, graph_mode_name(c->graph), c->slots, c->heads, c->kv_heads,
		 c->head_dim, c->chunk, c->max_len, (int)c->scores);
	for (size_t row = 0; row < path_rows(c); row++) {
		size_t slot = row / (size_t)c->heads, head = row % (size_t)c->heads;
		size_t kv = slot * path_slot_size(c) + head * (size_t)c->kv_heads / (size_t)c->heads
			* (size_t)c->max_len * D;

		reference_row(c->q + row * D, c->k + kv, c->v + kv, c->lengths[slot], D, D,
			      c->scale, exact, plain);
		check_hull(out + row * D, c->v + kv, c->lengths[slot], D, what);
		/* With huge scores the last bit of f32 decides which key wins, so only the hull is
		 * checked. */
		if (c->scores != SCORES_HUGE)
			add_row(&e, out + row * D, exact, plain, c->v + kv, c->lengths[slot], D);
	}
	check_errors(total, &e, what);
	free(out);
}

static void check_rms(const struct errors *total, const char *what)
{
	ck_assert_msg(total->squares <= 1.5 * 1.5 * total->plain_squares,
		      "%s: RMS error is %g times that of plain softmax", what,
		      sqrt(total->squares / total->plain_squares));
}

START_TEST(random_shapes_are_accurate)
{
	const struct path_way *way = &path_ways[_i];
	struct errors total = { 0 };

	for (int i = 0; i < PATH_CASES; i++) {
		struct path_case c = path_case_for(way, i);

		check_case(way->path, &c, &total);
		path_case_free(&c);
	}
	check_rms(&total, way->path->name);
}
END_TEST

/* No keys, one, all, and both sides of every chunk boundary, each in its own slot. */
START_TEST(every_chunk_boundary)
{
	static const int chunks[] = { 1, 5, 32, 33 };
	const struct path_way *way = &path_ways[_i];
	bool alone = way->path == &path_cached;
	struct errors total = { 0 };

	for (int i = 0; i < 4; i++) {
		int C = chunks[i], max_len = 4 * C + 2;
		const int lengths[] = {
			0, 1, C - 1, C, C + 1, 2 * C - 1, 2 * C, 2 * C + 1, 3 * C - 1, 3 * C,
			3 * C + 1, 4 * C - 1, 4 * C, 4 * C + 1, max_len,
		};
		int count = sizeof lengths / sizeof lengths[0], slots = alone ? 1 : count;
		struct path_case c = { .slots = slots, .heads = 2, .kv_heads = alone ? 2 : 1,
				       .head_dim = 19, .max_len = max_len, .chunk = C,
				       .warps = 1 + i % 2, .graph = way->graph };

		path_case_fill(&c);
		for (int from = 0; from < count; from += slots) {
			memcpy(c.lengths, lengths + from, (size_t)slots * sizeof(int));
			check_case(way->path, &c, &total);
		}
		path_case_free(&c);
	}
	check_rms(&total, way->path->name);
}
END_TEST

/* All scores are -inf, so no key has any weight, however many threads or chunks there are. */
START_TEST(keys_of_no_weight_give_zeros)
{
	static const int lengths[] = { 1, 5, 8, 40 };

	for (int i = 0; i < 4; i++) {
		struct path_case c = { .slots = 1, .heads = 2, .kv_heads = 2, .head_dim = 8,
				       .max_len = 40, .chunk = 16, .lengths = { lengths[i] },
				       .graph = path_ways[_i].graph };
		float *out;

		path_case_fill(&c);
		for (int d = 0; d < 2 * 8; d++)
			c.q[d] = 1e30f;
		for (int d = 0; d < 2 * 40 * 8; d++)
			c.k[d] = -1e30f;
		out = path_run(path_ways[_i].path, &c, 0);
		for (int d = 0; d < 2 * 8; d++)
			ck_assert_msg(out[d] == 0.0f, "%s, %d keys: element %d is %g",
				      path_ways[_i].path->name, lengths[i], d, (double)out[d]);
		free(out);
		path_case_free(&c);
	}
}
END_TEST

/* --- prefill: Nq != Nk, D != Dv, both masks --- */

static int visible_keys(const struct prefill *p, int query)
{
	int keys = p->mask == MASK_NONE ? p->keys
		: query + 1 + (p->mask == MASK_BOTTOM_RIGHT ? p->keys - p->queries : 0);

	return keys < 0 ? 0 : keys > p->keys ? p->keys : keys;
}

static void check_prefill(struct device *device, struct prefill *p, enum scores scores,
			  struct errors *total)
{
	size_t D = (size_t)p->head_dim, Dv = (size_t)p->value_dim, Nq = (size_t)p->queries;
	size_t Nk = (size_t)p->keys, H = (size_t)p->heads, Hkv = (size_t)p->kv_heads;
	float *q = path_values(H * Nq * D), *k = path_values(Hkv * Nk * D);
	float *v = path_values(Hkv * Nk * Dv), *out = path_values(H * Nq * Dv), plain[256];
	struct errors e = { 0 };
	double exact[256];
	char what[160];

	snprintf(what, sizeof what, "H %d, Hkv %d, Nq %d, Nk %d, D %d, Dv %d, mask %d, "
		 "scores %d", p->heads, p->kv_heads, p->queries, p->keys, p->head_dim,
		 p->value_dim, (int)p->mask, (int)scores);
	path_scores(scores, q, H * Nq * D, k, Hkv, Nk, D, &p->scale);
	OK(prefill_run(device, p, q, k, v, out));
	for (size_t row = 0; row < H * Nq; row++) {
		size_t kv = row / Nq * Hkv / H * Nk;

		int n = visible_keys(p, (int)(row % Nq));

		reference_row(q + row * D, k + kv * D, v + kv * Dv, n, D, Dv, p->scale, exact,
			      plain);
		check_hull(out + row * Dv, v + kv * Dv, n, Dv, what);
		if (scores != SCORES_HUGE)
			add_row(&e, out + row * Dv, exact, plain, v + kv * Dv, n, Dv);
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
	struct device *device = path_simulator(3);
	struct errors total = { 0 };

	for (int i = 0; i < 60; i++) {
		struct prefill p = {
			.kv_heads = path_pick(1, 3),
			.queries = sizes[path_pick(0, 9)],
			.keys = sizes[path_pick(0, 9)],
			.head_dim = i % 3 ? path_pick(1, 130) : path_pick(1, 256),
			.value_dim = i % 4 ? path_pick(1, 140) : path_pick(1, 256),
			.mask = (enum causal_mask)(i % 3),
			.layer = -1,
		};

		p.heads = p.kv_heads * (i % 5 ? path_pick(1, 3) : 16);
		p.stride = p.keys;
		p.scale = attention_scale(p.head_dim);
		check_prefill(device, &p, (enum scores)(i / 3 % SCORES_KINDS), &total);
	}
	check_rms(&total, "prefill");
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
	struct device *device = path_simulator(0);
	float *out = path_values(wanted.count);

	ck_assert_uint_eq(wanted.count, 96 * 8 * 64);
	OK(prefill_run(device, &p, q.data, k.data, v.data, out));
	for (size_t i = 0; i < 96; i++)
		for (size_t h = 0; h < 8; h++)
			ck_assert_double_le(max_difference(out + (h * 96 + i) * 64,
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
	struct device *device = path_simulator(0);
	float q[2 * 3 * 4] = { 0 }, out[2 * 3 * 5];

	memset(out, 0xff, sizeof out);
	OK(prefill_run(device, &p, q, NULL, NULL, out));
	for (size_t i = 0; i < 2 * 3 * 5; i++)
		ck_assert_float_eq(out[i], 0.0f);
	p.value_dim = 0;
	OK(prefill_run(device, &p, q, NULL, NULL, out));
	p = (struct prefill){
		.heads = 3, .kv_heads = 2, .queries = 1, .head_dim = 1, .value_dim = 1
	};
	FAILS(prefill_run(device, &p, q, q, q, out), STATUS_USAGE,
	      "3 query heads are not a multiple of 2");
	p = (struct prefill){
		.heads = 1, .kv_heads = 1, .queries = 1, .head_dim = 1, .value_dim = 257
	};
	FAILS(prefill_run(device, &p, q, q, q, out), STATUS_USAGE,
	      "sizes of 1 to 256, got 1 and 257");
	device_close(device);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("path_accuracy");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, random_shapes_are_accurate, 0, PATH_WAYS);
	tcase_add_loop_test(tests, every_chunk_boundary, 0, PATH_WAYS);
	tcase_add_loop_test(tests, keys_of_no_weight_give_zeros, 0, PATH_WAYS);
	tcase_add_test(tests, prefill_takes_any_shape_and_mask);
	tcase_add_test(tests, a_captured_layer_matches_at_every_position);
	tcase_add_test(tests, prefill_without_work_or_keys);
	return run_suite("path_accuracy", tests);
}
