/* test_prefill_accuracy.c - the accuracy of prefill attention on the simulator, against float64.
 *
 * Any shape and mask: Nq != Nk, D != Dv, all three masks. The rule is in tests/accuracy.h.
 */
#include "config.h"

#include "tests/path_case.h"

#include "engine/attention/prefill.h"
#include "tests/accuracy.h"
#include "tests/reference.h"
#include "tests/sample.h"

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

	snprintf(what, sizeof what, "%sH %d, Hkv %d, Nq %d, Nk %d, D %d, Dv %d, mask %d, "
		 "scores %d", p->tiled ? "tiled, " : "", p->heads, p->kv_heads, p->queries,
		 p->keys, p->head_dim, p->value_dim, (int)p->mask, (int)scores);
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

/* Case `i`: each kind of scores three times in turn, for the three masks. */
static void check_case(struct device *device, struct prefill *p, int i, struct errors *total)
{
	p->stride = p->keys;
	p->scale = attention_scale(p->head_dim);
	check_prefill(device, p, (enum scores)(i / 3 % SCORES_KINDS), total);
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
		check_case(device, &p, i, &total);
	}
	check_rms(&total, "prefill");
	device_close(device);
}
END_TEST

/* Rows of every warp of a block, key tiles that none, some or all of them see, and blocks whose
 * first rows see no key. */
START_TEST(tiled_prefill_takes_its_head_sizes)
{
	static const int dims[] = { 64, 80, 96, 128, 256 };
	static const int sizes[] = { 1, 15, 17, 31, 32, 33, 63, 64, 65, 127, 129, 200 };
	struct device *device = path_simulator(3);
	struct errors total = { 0 };

	for (int i = 0; i < 45; i++) {
		struct prefill p = {
			.kv_heads = path_pick(1, 2),
			.queries = sizes[path_pick(0, 11)],
			.keys = sizes[path_pick(0, 11)],
			.head_dim = dims[i % 5],
			.value_dim = dims[i % 5],
			.mask = (enum causal_mask)(i % 3),
			.layer = -1,
			.tiled = true,
		};

		p.heads = p.kv_heads * (i % 7 ? path_pick(1, 3) : 16);
		check_case(device, &p, i, &total);
	}
	check_rms(&total, "prefill-tiled");
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
	TCase *tests = tcase_create("prefill_accuracy");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, prefill_takes_any_shape_and_mask);
	tcase_add_test(tests, tiled_prefill_takes_its_head_sizes);
	tcase_add_test(tests, a_captured_layer_matches_at_every_position);
	tcase_add_test(tests, prefill_without_work_or_keys);
	return run_suite("prefill_accuracy", tests);
}
